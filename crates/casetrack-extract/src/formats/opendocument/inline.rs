//! Content of paragraphs: text, fields, notes, comments, drawing objects ([ODF] Part 3, 6 and 7).

use casetrack_core::HiddenReason;
use casetrack_pages::build::changes::{self, is_blank};
use casetrack_pages::build::flow::{FlowBlock, Note, PAGE_BREAK, Sink, is_reserved};
use casetrack_pages::container::xml::{Element, Node, Stop, XmlError};
use casetrack_pages::text::roman::roman;

use super::body::{Body, is_shape};

/// A hostile file must not ask for millions of spaces.
const MAX_SPACES: usize = 1000;

pub(super) struct Paragraph {
    pub text: String,
    pub number: Option<String>,
    /// Content of the drawing objects anchored here, each with the number of page breaks before its place.
    pub boxed: Vec<(usize, FlowBlock)>,
    /// White space that follows is not shown.
    after_space: bool,
}

impl Default for Paragraph {
    fn default() -> Self {
        Self { text: String::new(), number: None, boxed: Vec::new(), after_space: true }
    }
}

impl Paragraph {
    /// White space in XML is shown as one space, and not at all at the start (6.1.2).
    pub fn push_folded(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                c if matches!(c, ' ' | '\t' | '\n' | '\r') || is_reserved(c) => {
                    if !self.after_space {
                        self.text.push(' ');
                    }
                    self.after_space = true;
                }
                c => {
                    self.text.push(c);
                    self.after_space = false;
                }
            }
        }
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.after_space = false;
    }

    fn breaks(&self) -> usize {
        self.text.matches(PAGE_BREAK).count()
    }
}

pub(super) fn spaces(element: &Element) -> String {
    let count = element.number("c").unwrap_or(1usize);
    " ".repeat(count.min(MAX_SPACES))
}

impl Body<'_, '_> {
    pub fn inlines(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        loop {
            match self.xml.next()? {
                Node::Text(text) => paragraph.push_folded(&text),
                Node::Start(element) => self.inline(&element, paragraph)?,
                Node::End => return Ok(()),
                Node::Eof => return Err(XmlError::EndsEarly.into()),
            }
        }
    }

    /// Reads an element inside a paragraph to its end. Unknown elements are searched: the visible value of a field is
    /// its text.
    fn inline(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        match element.name() {
            "s" => paragraph.push(&spaces(element)),
            "tab" => paragraph.push("\t"),
            "line-break" => paragraph.push("\n"),
            "soft-page-break" if self.is_paged => {
                self.flow.document.has_saved_break();
                paragraph.text.push(PAGE_BREAK);
            }
            "number" => {
                paragraph.number = Some(self.xml.text()?).filter(|number| !number.trim().is_empty());
                return Ok(());
            }
            "change-start" | "change-end" | "change" => paragraph.text.push_str(&self.changes.mark(element)),
            "note" => return self.note(element, paragraph),
            "annotation" => {
                let before = self.comments.len();
                let outcome = self.anchored(Self::annotation);
                self.comments[before..].iter_mut().for_each(|(breaks, _)| *breaks = paragraph.breaks());
                return outcome;
            }
            // Phonetic guides, the source of scripts and of form controls, declarations.
            "ruby-text" | "script" | "event-listeners" | "control" | "tracked-changes" => {}
            name if is_shape(name) => {
                let mut sink = Sink::collect();
                let outcome = self.anchored(|body| body.shape(&mut sink));
                if !self.formulas.is_empty() {
                    paragraph.push(&std::mem::take(&mut self.formulas));
                }
                let breaks = paragraph.breaks();
                paragraph.boxed.extend(sink.into_blocks().into_iter().map(|block| (breaks, block)));
                return outcome;
            }
            "span" => return self.span(element, paragraph),
            // A variable that is set without being shown.
            _ if element.has("display", "none") => {}
            _ => return self.inlines(paragraph),
        }
        Ok(self.xml.skip()?)
    }

    fn span(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        let hides = self.styles.hides_characters(element.attribute("style-name").as_deref());
        let start = paragraph.text.len();
        let outcome = self.inlines(paragraph);
        if hides == Some(true) {
            self.hide(paragraph, start);
        }
        outcome
    }

    /// Marks the text read since then as hidden.
    pub fn hide(&mut self, paragraph: &mut Paragraph, start: usize) {
        if !is_blank(&paragraph.text[start..]) {
            let id = self.flow.document.hidden().cause(HiddenReason::HiddenFormat, None);
            paragraph.text.insert_str(start, &changes::hide(id));
            paragraph.text.push_str(&changes::show(id));
        }
    }

    fn note(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        let is_endnote = element.has("note-class", "endnote");
        let (mut mark, mut blocks) = (String::new(), Vec::new());
        let outcome = (|| {
            while let Some(child) = self.xml.child()? {
                match child.name() {
                    "note-citation" => mark = self.xml.text()?.trim().to_owned(),
                    "note-body" => {
                        let (read, outcome) = self.anchored(Self::collected);
                        blocks = read;
                        outcome?;
                    }
                    _ => self.xml.skip()?,
                }
            }
            Ok(())
        })();
        let number = &mut self.notes[usize::from(is_endnote)];
        *number += 1;
        if mark.is_empty() {
            mark = if is_endnote { roman(*number) } else { number.to_string() };
        }
        let reference = self.flow.refer(Note { mark, is_endnote, blocks });
        paragraph.push(&reference);
        outcome
    }
}
