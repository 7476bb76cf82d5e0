//! Block-level content: paragraphs, headings, lists, sections, indexes, and drawing objects with text.

use std::collections::HashMap;

use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::flow::{Flow, FlowBlock, PAGE_BREAK, Sink, plain_text};
use casetrack_pages::container::xml::{Element, Stop, XmlReader};
use casetrack_pages::office::open_document;

use super::changes::TrackedChanges;
use super::inline::Paragraph;
use super::lists::Lists;
use super::margins::Margins;
use super::styles::Styles;

/// The budget for repeated rows and cells in a document.
const MAX_REPEATED_BYTES: usize = 1 << 24;

/// Gives the content of the object in a folder of the package; `None` if there is none.
pub(super) type LoadObject<'d> = &'d mut dyn FnMut(&str) -> casetrack_core::Result<Option<String>>;

pub(super) struct Body<'a, 'd> {
    pub xml: XmlReader<'a>,
    pub text: &'a str,
    pub changes: TrackedChanges,
    pub styles: &'d Styles,
    pub lists: Lists,
    pub flow: Flow<'d>,
    pub load_object: LoadObject<'d>,
    pub notes: [u32; 2],
    /// Comments on the block being read, which they follow. Those in a paragraph have the number of page breaks before
    /// their place.
    pub comments: Vec<(usize, FlowBlock)>,
    /// Texts of pictures, by the names of their parts; they follow the paragraph that shows them first.
    pub pictures: HashMap<String, FlowBlock>,
    pub margins: Margins,
    /// Formulas of the drawing object read last.
    pub formulas: String,
    pub hidden_sections: Vec<String>,
    /// True if the content being read is not shown.
    pub is_hidden: bool,
    /// Bytes of cells that may still be made by repetition.
    pub repeatable_bytes: usize,
    /// True if page breaks make pages. In a presentation, slides do.
    pub is_paged: bool,
    /// A page was recorded to end between paragraphs or rows.
    page_ended: bool,
}

impl<'a, 'd> Body<'a, 'd> {
    pub fn new(
        xml: &'a str,
        styles: &'d Styles,
        load_object: LoadObject<'d>,
        document: &'d mut DocumentBuilder,
    ) -> Self {
        Self {
            xml: XmlReader::new(xml),
            text: xml,
            changes: TrackedChanges::default(),
            styles,
            lists: Lists::default(),
            flow: Flow::new(document),
            load_object,
            notes: [0; 2],
            comments: Vec::new(),
            pictures: HashMap::new(),
            margins: Margins::default(),
            formulas: String::new(),
            hidden_sections: Vec::new(),
            is_hidden: false,
            repeatable_bytes: MAX_REPEATED_BYTES,
            is_paged: true,
            page_ended: false,
        }
    }

    pub fn blocks(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            self.block(&element, sink)?;
        }
        Ok(())
    }

    /// Reads a block to its end. Declarations, forms and sources of indexes are skipped.
    pub fn block(&mut self, element: &Element, sink: &mut Sink) -> Result<(), Stop> {
        match element.name() {
            "p" | "h" => self.paragraph(element, sink),
            "list" => {
                self.lists.start_list(element);
                let outcome = self.items(sink);
                self.lists.end_list();
                outcome
            }
            "numbered-paragraph" => self.numbered_paragraph(element, sink),
            "table" => self.table(element, sink),
            "section" => {
                let was_hidden = self.is_hidden;
                if element.has("display", "none") || element.has("is-hidden", "true") {
                    self.hidden_sections.push(element.attribute("name").unwrap_or_default());
                    self.is_hidden = true;
                }
                let outcome = self.blocks(sink);
                self.is_hidden = was_hidden;
                outcome
            }
            "table-of-content" | "illustration-index" | "table-index" | "object-index" | "user-index"
            | "alphabetical-index" | "bibliography" | "index-body" | "index-title" | "a" => self.blocks(sink),
            "soft-page-break" => {
                self.end_page();
                Ok(self.xml.skip()?)
            }
            "annotation" => self.annotation(),
            "tracked-changes" => self.tracked_changes(),
            "change-start" | "change-end" | "change" => {
                let mark = self.changes.mark(element);
                self.flow.emit(FlowBlock::paragraph(mark, None, None), sink)?;
                Ok(self.xml.skip()?)
            }
            name if is_shape(name) => {
                let mut content = Sink::collect();
                let outcome = self.shape(&mut content);
                let formulas = std::mem::take(&mut self.formulas);
                self.flow.emit(FlowBlock::paragraph(formulas, None, None), sink)?;
                for block in content.into_blocks() {
                    self.flow.emit(block, sink)?;
                }
                outcome
            }
            _ => Ok(self.xml.skip()?),
        }
    }

    /// The next text starts a new page.
    pub fn end_page(&mut self) {
        self.page_ended = self.is_paged;
        if self.is_paged {
            self.flow.document.has_saved_break();
        }
    }

    fn items(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "list-item" | "list-header" => {
                    self.lists.start_item(&element);
                    self.blocks(sink)?;
                }
                _ => self.block(&element, sink)?,
            }
        }
        Ok(())
    }

    /// A list item without its list, as deep as `text:level` states.
    fn numbered_paragraph(&mut self, element: &Element, sink: &mut Sink) -> Result<(), Stop> {
        let outside = self.lists.step_outside();
        self.lists.start_numbered_paragraph(element);
        let outcome = self.blocks(sink);
        self.lists.step_back(outside);
        outcome
    }

    /// The sound part of a damaged paragraph is kept.
    fn paragraph(&mut self, element: &Element, sink: &mut Sink) -> Result<(), Stop> {
        let style = element.attribute("style-name");
        let style = style.as_deref();
        let is_on_page = matches!(sink, Sink::Pages);
        if is_on_page && self.styles.paragraph_breaks_before(style) {
            self.flow.break_page();
        }
        if is_on_page && self.is_paged {
            let texts = self.margins.of(self.styles.master_page(style));
            self.flow.add_margins(texts);
        }
        let level = match element.name() {
            "h" => {
                let level = element.number("outline-level");
                Some(level.unwrap_or(1u8).clamp(1, 10))
            }
            _ => self.styles.heading_level(style),
        };
        let is_in_list = self.lists.is_inside();
        if !is_in_list {
            self.lists.end_run();
        }
        let counted = if is_in_list {
            self.lists.label(self.styles, style)
        } else if element.name() == "h" && !element.has("is-list-header", "true") {
            let restarts = element.has("restart-numbering", "true");
            let start = element.number("start-value").unwrap_or(1);
            self.lists.heading_label(self.styles, level.unwrap_or(1), restarts.then_some(start))
        } else {
            None
        };

        let mut paragraph = Paragraph::default();
        let was_hidden = self.is_hidden;
        self.is_hidden |= self.styles.hides_paragraph(style);
        let is_hidden = self.is_hidden;
        let outcome = self.inlines(&mut paragraph);
        self.is_hidden = was_hidden;
        if is_hidden {
            self.hide(&mut paragraph, 0);
        }
        // In a cell, comments follow the table.
        let mut attached = paragraph.boxed;
        if is_on_page {
            attached.append(&mut self.comments);
            attached.sort_by_key(|(breaks, _)| *breaks);
        }
        if self.page_ended && !paragraph.text.trim().is_empty() {
            self.page_ended = false;
            paragraph.text.insert(0, PAGE_BREAK);
            attached.iter_mut().for_each(|(breaks, _)| *breaks += 1);
        }
        // The label that the program showed, if it wrote that down.
        let label = paragraph.number.map(|number| format!("{} ", number.trim())).or(counted);
        self.flow.emit_with(FlowBlock::paragraph(paragraph.text, level, label.as_deref()), attached, sink)?;
        if is_on_page && self.styles.paragraph_breaks_after(style) {
            self.flow.break_page();
        }
        outcome
    }

    /// Comments go on the page, behind the table or slide that they are about.
    pub fn place_comments(&mut self, sink: &Sink) -> Result<(), Stop> {
        if matches!(sink, Sink::Pages) {
            for (_, comment) in std::mem::take(&mut self.comments) {
                self.flow.push(&comment)?;
            }
        }
        Ok(())
    }

    /// Reads a cell, text box or note: lists around it do not number its paragraphs.
    pub fn collected(&mut self) -> (Vec<FlowBlock>, Result<(), Stop>) {
        let outside = self.lists.step_outside();
        let mut sink = Sink::collect();
        let outcome = self.blocks(&mut sink);
        self.lists.step_back(outside);
        (sink.into_blocks(), outcome)
    }

    /// Reads the text of a drawing object to its end; formulas in it are put aside.
    pub fn shape(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        let outside = self.lists.step_outside();
        let outcome = self.shape_content(sink);
        self.lists.step_back(outside);
        outcome
    }

    fn shape_content(&mut self, sink: &mut Sink) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "text-box" => self.blocks(sink)?,
                "object" => {
                    let (embedded, outcome) = self.object(&element);
                    self.flow.emit(FlowBlock::paragraph(embedded.title, None, None), sink)?;
                    self.flow.emit_table(embedded.rows, sink)?;
                    outcome?;
                }
                "image" => self.picture(&element, sink)?,
                "a" => self.shape_content(sink)?,
                "p" | "h" | "list" | "table" => self.block(&element, sink)?,
                name if is_shape(name) => self.shape_content(sink)?,
                // Titles and descriptions for those who cannot see it, form controls, geometry.
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    pub fn picture(&mut self, image: &Element, sink: &mut Sink) -> Result<(), Stop> {
        if let Some(text) = open_document::picture_part(image).and_then(|part| self.pictures.remove(&part)) {
            self.flow.emit(text, sink)?;
        }
        Ok(self.xml.skip()?)
    }

    /// Reads content that is anchored in a paragraph but placed elsewhere: it does not start the page that the
    /// paragraph starts.
    pub fn anchored<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let page_ended = std::mem::take(&mut self.page_ended);
        let outcome = read(self);
        self.page_ended = page_ended;
        outcome
    }

    pub fn annotation(&mut self) -> Result<(), Stop> {
        let outside = self.lists.step_outside();
        let mut author = String::new();
        let mut sink = Sink::collect();
        let outcome = (|| {
            while let Some(element) = self.xml.child()? {
                match element.name() {
                    "creator" => author = self.xml.text()?,
                    "p" | "list" => self.block(&element, &mut sink)?,
                    _ => self.xml.skip()?,
                }
            }
            Ok(())
        })();
        self.lists.step_back(outside);
        let lines: Vec<String> =
            sink.into_blocks().iter().map(|block| plain_text(&block.text).trim().to_owned()).collect();
        let text = lines.join("\n");
        if !text.trim().is_empty() {
            let author = author.trim();
            let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
            self.comments.push((0, FlowBlock::paragraph(format!("Comment{by}: {}", text.trim()), None, None)));
        }
        outcome
    }
}

/// Drawing objects that may hold text ([ODF] Part 3, 10.3).
pub(super) fn is_shape(name: &str) -> bool {
    const SHAPES: &str =
        "frame custom-shape rect line polyline polygon regular-polygon path circle ellipse connector caption g";
    SHAPES.split(' ').any(|shape| shape == name)
}
