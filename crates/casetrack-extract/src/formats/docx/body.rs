//! Block-level content: paragraphs, tables and what wraps them.

use std::collections::HashMap;

use super::inline::{Fields, Reference};
use crate::build::DocumentBuilder;
use crate::build::flow::{Flow, FlowBlock, FlowRow, PAGE_BREAK, Sink};
use crate::container::xml::{Element, Stop, XmlError, XmlReader};
use crate::office::numbering::Numbering;
use crate::office::styles::{ListReference, Styles};

/// Reads one part: the main document, or the notes.
pub(super) struct Body<'a, 'd> {
    pub xml: XmlReader<'a>,
    text: &'a str,
    pub styles: &'d Styles,
    pub numbering: &'d mut Numbering,
    pub flow: Flow<'d>,
    pub fields: Fields,
    /// The notes referred to so far, in order.
    pub references: Vec<Reference>,
    /// By id; those referred to follow the paragraph that does.
    pub comments: HashMap<String, FlowBlock>,
    /// By the id of their relationship; they follow the paragraph that shows them.
    pub drawings: HashMap<String, Drawing>,
    /// For each section in order, whether it starts on a new page.
    section_starts: std::vec::IntoIter<bool>,
}

/// What a drawing refers to, which follows the paragraph that it is in.
pub(super) struct Drawing {
    pub texts: Vec<FlowBlock>,
    pub rows: Vec<FlowRow>,
}

/// A paragraph being read.
#[derive(Default)]
pub(super) struct Paragraph {
    pub text: String,
    style: Option<String>,
    list: Option<ListReference>,
    outline_level: Option<u8>,
    page_break_before: Option<bool>,
    ends_section: bool,
    /// Content of text boxes anchored here; it follows the paragraph.
    pub boxed: Vec<FlowBlock>,
    pub drawings: Vec<Drawing>,
}

impl<'a, 'd> Body<'a, 'd> {
    pub fn new(
        xml: &'a str,
        styles: &'d Styles,
        numbering: &'d mut Numbering,
        document: &'d mut DocumentBuilder,
    ) -> Self {
        Self {
            xml: XmlReader::new(xml),
            text: xml,
            styles,
            numbering,
            flow: Flow::new(document),
            fields: Fields::default(),
            references: Vec::new(),
            comments: HashMap::new(),
            drawings: HashMap::new(),
            section_starts: Vec::new().into_iter(),
        }
    }

    /// Reads the main document to its end.
    pub fn read(&mut self) -> Result<(), Stop> {
        let mut starts = section_starts(self.text).into_iter();
        // How the first section starts does not matter.
        starts.next();
        self.section_starts = starts;
        self.xml.root()?;
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "body" => self.blocks(&mut Sink::Pages)?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    /// Reads the children of the element started last as blocks.
    pub fn blocks(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            self.block(&element, sink)?;
        }
        Ok(())
    }

    pub fn block(&mut self, element: &Element, sink: &mut Sink) -> Result<(), Stop> {
        match element.name() {
            "p" => self.paragraph(sink),
            "tbl" => self.table(sink),
            "sdt" | "sdtContent" | "customXml" | "smartTag" | "ins" | "moveTo" => self.blocks(sink),
            "AlternateContent" => self.alternatives(|body| body.blocks(sink)),
            "altChunk" => {
                self.flow.document.warn("Another document is embedded in this one; it was not read.");
                Ok(self.xml.skip()?)
            }
            _ => Ok(self.xml.skip()?),
        }
    }

    /// Reads the first alternative of `mc:AlternateContent` (Part 3): the others repeat it for older programs.
    pub fn alternatives(&mut self, mut read: impl FnMut(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        let mut chosen = false;
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "Choice" | "Fallback" if !chosen => {
                    chosen = true;
                    read(self)?;
                }
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let mut paragraph = Paragraph::default();
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "pPr" => self.paragraph_properties(&mut paragraph)?,
                _ => self.inline(&element, &mut paragraph)?,
            }
        }
        self.fields.end_of_paragraph();
        self.finish_paragraph(paragraph, sink)
    }

    fn paragraph_properties(&mut self, paragraph: &mut Paragraph) -> Result<(), XmlError> {
        let depth = self.xml.depth();
        while let Some(element) = self.xml.next_start(depth)? {
            match element.name() {
                "pStyle" => paragraph.style = element.value(),
                "outlineLvl" => paragraph.outline_level = element.numeric_value(),
                "pageBreakBefore" => paragraph.page_break_before = Some(element.is_on()),
                "numPr" => paragraph.list = Some(ListReference::parse(&mut self.xml)?),
                "sectPr" => {
                    paragraph.ends_section = true;
                    self.xml.skip()?;
                }
                // How it was before a change, and what concerns its mark.
                "pPrChange" | "rPr" => self.xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    fn finish_paragraph(&mut self, paragraph: Paragraph, sink: &mut Sink) -> Result<(), Stop> {
        let style = paragraph.style.as_deref();
        let label = self.label(&paragraph);
        let level = match paragraph.outline_level {
            Some(level) => (level < 9).then_some(level + 1),
            None => self.styles.heading_level(style),
        };
        let mut block = FlowBlock::paragraph(paragraph.text, level, label.as_deref());
        let breaks_before = paragraph.page_break_before.unwrap_or_else(|| self.styles.page_break_before(style));
        if breaks_before {
            block.text.insert(0, PAGE_BREAK);
        }
        self.flow.emit(block, sink)?;
        for block in paragraph.boxed {
            self.flow.emit(block, sink)?;
        }
        for drawing in paragraph.drawings {
            drawing.texts.into_iter().try_for_each(|text| self.flow.emit(text, sink))?;
            self.flow.emit_table(drawing.rows, sink)?;
        }
        if paragraph.ends_section && self.section_starts.next().unwrap_or(false) && matches!(sink, Sink::Pages) {
            self.flow.break_page();
        }
        Ok(())
    }

    fn label(&mut self, paragraph: &Paragraph) -> Option<String> {
        let style = paragraph.style.as_deref();
        let inherited = self.styles.list(style);
        let reference = match (&paragraph.list, inherited) {
            (Some(own), inherited) => ListReference {
                number_id: own.number_id.clone().or_else(|| inherited.as_ref()?.number_id.clone()),
                level: own.level.or_else(|| inherited.as_ref()?.level),
            },
            (None, inherited) => inherited?,
        };
        self.numbering.label(&reference, style)
    }
}

/// For each section, whether it starts on a new page. A section's properties stand at its end, so they are collected
/// before the text is read (17.6.17, 17.6.22).
fn section_starts(xml: &str) -> Vec<bool> {
    let mut xml = XmlReader::new(xml);
    let mut starts = Vec::new();
    let mut read = || -> Result<(), XmlError> {
        while let Some(element) = xml.next_start(0)? {
            match element.name() {
                "sectPrChange" => xml.skip()?,
                "sectPr" => {
                    let mut kind = None;
                    while let Some(property) = xml.child()? {
                        if property.name() == "type" {
                            kind = property.value();
                        }
                        xml.skip()?;
                    }
                    starts.push(!matches!(kind.as_deref(), Some("continuous" | "nextColumn")));
                }
                _ => {}
            }
        }
        Ok(())
    };
    // Damage is met, and reported, when the text is read.
    let _ = read();
    starts
}
