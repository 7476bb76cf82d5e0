//! Block-level content: paragraphs, tables and their wrappers.

use std::collections::HashMap;

use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::flow::{Flow, FlowBlock, FlowRow, PAGE_BREAK, Sink};
use casetrack_pages::container::xml::{Element, Stop, XmlError, XmlReader};
use casetrack_pages::office::character_visibility::is_shading;
use casetrack_pages::office::numbering::Numbering;
use casetrack_pages::office::styles::{ListReference, Styles};
use casetrack_pages::office::tracked_changes::MarkRevision;

use super::alternative_content;
use super::inline::{Fields, NoteKind, mark_placeholder};
use super::revisions::{Revisions, mark_properties};
use super::sections::{Margins, Section, sections};

pub(super) struct Body<'a, 'd> {
    pub xml: XmlReader<'a>,
    text: &'a str,
    pub styles: &'d Styles,
    pub numbering: &'d mut Numbering,
    pub flow: Flow<'d>,
    pub fields: Fields,
    /// How many footnotes and endnotes the text has referred to so far.
    pub references: [u32; 2],
    /// Those that it has not referred to yet.
    pub notes: HashMap<(NoteKind, String), Vec<FlowBlock>>,
    /// By id; those referred to follow the paragraph that does.
    pub comments: HashMap<String, FlowBlock>,
    /// By the id of their relationship; they follow the paragraph that shows them.
    pub drawings: HashMap<String, Drawing>,
    /// Texts of pictures, by the id of their relationship; they follow the paragraph that shows them first.
    pub pictures: HashMap<String, FlowBlock>,
    /// Documents that are put in as they are, by the id of their relationship.
    pub imported: HashMap<String, Vec<FlowBlock>>,
    pub margins: Margins,
    pub revisions: Revisions,
    /// True if the text being read is on white paper.
    pub is_on_paper: bool,
    /// True inside a content control that shows its placeholder (17.5.2.39).
    pub is_placeholder: bool,
    sections: std::vec::IntoIter<Section>,
}

/// The content that a drawing refers to, which follows the paragraph of the drawing.
pub(super) struct Drawing {
    pub texts: Vec<FlowBlock>,
    pub rows: Vec<FlowRow>,
}

#[derive(Default)]
pub(super) struct Paragraph {
    pub text: String,
    /// True if its mark was inserted or deleted.
    pub mark: MarkRevision,
    pub style: Option<String>,
    pub list: Option<ListReference>,
    pub outline_level: Option<u8>,
    pub page_break_before: Option<bool>,
    pub ends_section: bool,
    /// True if it has a background colour of its own.
    pub is_shaded: bool,
    /// Comments on it and content of text boxes anchored in it, each with the number of page breaks before its place.
    pub boxed: Vec<(usize, FlowBlock)>,
    pub drawings: Vec<Drawing>,
}

impl Paragraph {
    pub fn attach(&mut self, blocks: impl IntoIterator<Item = FlowBlock>) {
        let breaks = self.text.matches(PAGE_BREAK).count();
        self.boxed.extend(blocks.into_iter().map(|block| (breaks, block)));
    }
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
            references: [0; 2],
            notes: HashMap::new(),
            comments: HashMap::new(),
            drawings: HashMap::new(),
            pictures: HashMap::new(),
            imported: HashMap::new(),
            margins: Margins::default(),
            revisions: Revisions::default(),
            is_on_paper: false,
            is_placeholder: false,
            sections: Vec::new().into_iter(),
        }
    }

    pub fn read(&mut self) -> Result<(), Stop> {
        self.sections = sections(self.text).into_iter();
        self.start_section();
        self.xml.root()?;
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "body" => self.blocks(&mut Sink::Pages)?,
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    pub fn blocks(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let outcome = (|| {
            while let Some(element) = self.xml.child()? {
                self.block(&element, sink)?;
            }
            Ok(())
        })();
        outcome.and(self.finish_merged(sink))
    }

    pub fn block(&mut self, element: &Element, sink: &mut Sink) -> Result<(), Stop> {
        match element.name() {
            "p" => self.paragraph(sink),
            "tbl" => {
                self.finish_merged(sink)?;
                self.table(sink)
            }
            "del" | "moveFrom" => {
                let mut paragraph = Paragraph::default();
                self.deleted(element, &mut paragraph)?;
                self.finish_paragraph(paragraph, sink)
            }
            "sdt" => self.control(|body| body.blocks(sink)),
            "sdtPr" => Ok(self.control_properties()?),
            "sdtContent" | "customXml" | "smartTag" | "ins" | "moveTo" => self.blocks(sink),
            "AlternateContent" => self.alternatives(|body| body.blocks(sink)),
            "altChunk" => {
                let id = element.qualified_attribute("id");
                let blocks = id.and_then(|id| self.imported.remove(&id)).unwrap_or_default();
                self.finish_merged(sink)?;
                alternative_content::emit(blocks, &mut self.flow, sink)?;
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
        let mut paragraph = self.begun();
        let before = (paragraph.text.len(), paragraph.boxed.len(), paragraph.drawings.len());
        let outcome = self.paragraph_content(&mut paragraph);
        self.fields.end_of_paragraph();
        if outcome.is_err() {
            // Nothing of a damaged paragraph is kept, except the text that earlier paragraphs left to it.
            paragraph.text.truncate(before.0);
            paragraph.boxed.truncate(before.1);
            paragraph.drawings.truncate(before.2);
            let Paragraph { text, boxed, drawings, .. } = paragraph;
            self.revisions.merged = Some(Box::new(Paragraph { text, boxed, drawings, ..Paragraph::default() }));
            return outcome;
        }
        if self.is_placeholder {
            mark_placeholder(&mut paragraph.text, before.0);
        }
        if paragraph.mark.deleted.is_some() && !paragraph.ends_section {
            self.revisions.merged = Some(Box::new(paragraph));
            return Ok(());
        }
        self.finish_paragraph(paragraph, sink)
    }

    fn paragraph_content(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "pPr" => self.paragraph_properties(paragraph)?,
                _ => self.inline(&element, paragraph)?,
            }
        }
        Ok(())
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
                "shd" => paragraph.is_shaded = is_shading(&element),
                "rPr" => mark_properties(&mut self.xml, &mut paragraph.mark)?,
                // How it was before a change.
                "pPrChange" => self.xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    pub fn finish_paragraph(&mut self, mut paragraph: Paragraph, sink: &mut Sink) -> Result<(), Stop> {
        let label = self.label(&paragraph);
        let label = self.mark_inserted(std::mem::take(&mut paragraph.mark), &mut paragraph.text, label);
        let style = paragraph.style.as_deref();
        let level = match paragraph.outline_level {
            Some(level) => (level < 9).then_some(level + 1),
            None => self.styles.heading_level(style),
        };
        let mut block = FlowBlock::paragraph(paragraph.text, level, label.as_deref());
        let breaks_before = paragraph.page_break_before.unwrap_or_else(|| self.styles.page_break_before(style));
        let mut boxed = paragraph.boxed;
        if breaks_before {
            block.text.insert(0, PAGE_BREAK);
            boxed.iter_mut().for_each(|(breaks, _)| *breaks += 1);
        }
        self.flow.emit_with(block, boxed, sink)?;
        for drawing in paragraph.drawings {
            drawing.texts.into_iter().try_for_each(|text| self.flow.emit(text, sink))?;
            self.flow.emit_table(drawing.rows, sink)?;
        }
        if paragraph.ends_section && matches!(sink, Sink::Pages) && self.start_section() {
            self.flow.break_page();
        }
        Ok(())
    }

    /// True if the section that starts here does so on a new page. Its headers and footers go on its first page.
    fn start_section(&mut self) -> bool {
        let Some(section) = self.sections.next() else { return false };
        let texts = self.margins.of(&section.margins);
        self.flow.add_margins(texts);
        section.starts_page
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
