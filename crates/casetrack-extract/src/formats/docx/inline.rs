//! Content of paragraphs: runs, fields, symbols, breaks, text boxes.

use casetrack_pages::build::flow::{Note, PAGE_BREAK, Sink, is_reserved};
use casetrack_pages::container::xml::{Element, Node, Stop, XmlError};
use casetrack_pages::office::symbols;
use casetrack_pages::office::tracked_changes::deleted_note;
use casetrack_pages::text::roman::roman;

use super::body::{Body, Paragraph};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NoteKind {
    Footnote,
    Endnote,
}

impl NoteKind {
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::Footnote => "footnotes",
            NoteKind::Endnote => "endnotes",
        }
    }
}

/// Complex fields that are open (17.16.18). A field has instructions, then a result; only results are printed.
#[derive(Default)]
pub(super) struct Fields(Vec<Field>);

struct Field {
    has_result: bool,
    /// The entry that a drop-down list shows, and the length of the paragraph where the field begins.
    choice: Option<(String, usize)>,
}

impl Fields {
    fn mark(&mut self, kind: Option<&str>, text: &mut String) {
        match kind {
            Some("begin") => self.0.push(Field { has_result: false, choice: None }),
            Some("separate") => {
                if let Some(field) = self.0.last_mut() {
                    field.has_result = true;
                }
            }
            Some("end") => {
                let choice = self.0.pop().and_then(|field| field.choice);
                // Programs other than Word repeat the entry as the field's result.
                if let Some((entry, _)) =
                    choice.filter(|(_, start)| text.get(*start..).is_none_or(|own| own.trim().is_empty()))
                    && !self.hide_text()
                {
                    text.push_str(&entry);
                }
            }
            _ => {}
        }
    }

    fn hide_text(&self) -> bool {
        self.0.iter().any(|field| !field.has_result)
    }

    /// Results may span paragraphs. Instructions rarely do: one that does not end is damage, which must not hide the
    /// rest of the document.
    pub fn end_of_paragraph(&mut self) {
        self.0.retain(|field| field.has_result);
    }
}

impl Body<'_, '_> {
    /// Reads an element inside a paragraph to its end. Unknown elements are searched: only `w:t` (and `m:t`, `a:t`) has
    /// text.
    pub fn inline(&mut self, element: &Element, paragraph: &mut Paragraph) -> Result<(), Stop> {
        match element.name() {
            "t" => return self.text(paragraph),
            "r" => return self.run(paragraph),
            "tab" | "ptab" => self.push(paragraph, "\t"),
            "br" if element.has("type", "page") && !self.revisions.is_deleting() => paragraph.text.push(PAGE_BREAK),
            "br" | "cr" => self.push(paragraph, "\n"),
            "ins" | "moveTo" => return self.inserted(element, paragraph),
            "del" | "moveFrom" => return self.deleted(element, paragraph),
            "delText" if self.revisions.is_deleting() => return self.text(paragraph),
            "delText" => return self.deleted(element, paragraph),
            // They belong to the text that is there.
            "lastRenderedPageBreak" | "commentReference" | "chart" | "relIds" | "blip" | "imagedata"
                if self.revisions.is_deleting() => {}
            "lastRenderedPageBreak" => {
                self.flow.document.has_saved_break();
                paragraph.text.push(PAGE_BREAK);
            }
            "noBreakHyphen" => self.push(paragraph, "-"),
            "sym" => {
                let code = element.attribute("char").and_then(|code| u32::from_str_radix(&code, 16).ok());
                if let Some(code) = code {
                    let symbol = symbols::symbol(code, element.attribute("font").as_deref());
                    self.push(paragraph, symbol.encode_utf8(&mut [0; 4]));
                }
            }
            "fldChar" => {
                self.fields.mark(element.attribute("fldCharType").as_deref(), &mut paragraph.text);
                return self.field_data(paragraph);
            }
            "footnoteReference" => self.reference(NoteKind::Footnote, element, paragraph),
            "endnoteReference" => self.reference(NoteKind::Endnote, element, paragraph),
            "commentReference" => {
                let comment = element.attribute("id").and_then(|id| self.comments.remove(&id));
                paragraph.attach(comment);
            }
            "chart" | "relIds" | "blip" | "imagedata" => self.graphic(element, paragraph),
            "txbxContent" => {
                let mut sink = Sink::collect();
                self.text_box(&mut sink)?;
                paragraph.attach(sink.into_blocks());
                return Ok(());
            }
            "AlternateContent" => {
                return self.alternatives(|body| body.inlines(paragraph));
            }
            "sdt" => return self.inline_control(paragraph),
            "sdtPr" => return Ok(self.control_properties()?),
            // Properties, instructions of fields, phonetic guides.
            "pPr" | "rPr" | "instrText" | "delInstrText" | "rt" | "binData" | "fldData" => {}
            _ => return self.inlines(paragraph),
        }
        Ok(self.xml.skip()?)
    }

    /// Puts a chart, diagram or picture behind the paragraph.
    fn graphic(&mut self, element: &Element, paragraph: &mut Paragraph) {
        // Behind a prefix, or they would be ids of something else.
        let id = |name: &str| element.qualified_attribute(name);
        match element.name() {
            "chart" => paragraph.drawings.extend(id("id").and_then(|id| self.drawings.remove(&id))),
            "relIds" => paragraph.drawings.extend(id("dm").and_then(|id| self.drawings.remove(&id))),
            "blip" => paragraph.attach(id("embed").and_then(|id| self.pictures.remove(&id))),
            _ => paragraph.attach(id("id").and_then(|id| self.pictures.remove(&id))),
        }
    }

    pub fn inlines(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        while let Some(element) = self.xml.child()? {
            self.inline(&element, paragraph)?;
        }
        Ok(())
    }

    pub fn text(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        loop {
            match self.xml.next()? {
                // Line ends in XML are white space; breaks have elements of their own.
                Node::Text(text) => {
                    self.push(paragraph, &text.replace(|c| matches!(c, '\n' | '\t' | '\r') || is_reserved(c), " "))
                }
                Node::Start(_) => self.xml.skip()?,
                Node::End | Node::Eof => return Ok(()),
            }
        }
    }

    fn push(&self, paragraph: &mut Paragraph, text: &str) {
        if !self.fields.hide_text() {
            paragraph.text.push_str(text);
        }
    }

    /// A legacy check box or drop-down list shows its state in the field's data; all other fields in their result (17.16.7, 17.16.9).
    fn field_data(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        let (mut is_box, mut is_list, mut entries) = (false, false, Vec::new());
        let (mut own, mut default) = (None, None);
        let depth = self.xml.depth();
        while let Some(element) = self.xml.next_start(depth)? {
            match element.name() {
                "checkBox" => is_box = true,
                "ddList" => is_list = true,
                "checked" => own = Some(usize::from(element.is_on())),
                "result" => own = element.numeric_value(),
                "default" if is_list => default = element.numeric_value(),
                "default" => default = Some(usize::from(element.is_on())),
                "listEntry" => entries.extend(element.value()),
                _ => {}
            }
        }
        let state = own.or(default).unwrap_or(0);
        if is_box {
            paragraph.text.push(if state == 0 { '☐' } else { '☒' });
        }
        if let Some(field) = self.fields.0.last_mut()
            && state < entries.len()
        {
            let entry = entries.swap_remove(state).replace(is_reserved, " ");
            field.choice = Some((entry, paragraph.text.len()));
        }
        Ok(())
    }

    /// Reads a content control inside a paragraph (17.5.2). One that shows its placeholder is marked as not filled in.
    fn inline_control(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        let start = paragraph.text.len();
        let is_inside = self.is_placeholder;
        let mut is_placeholder = false;
        self.control(|body| {
            body.inlines(paragraph)?;
            is_placeholder = body.is_placeholder && !is_inside;
            Ok(())
        })?;
        if is_placeholder {
            mark_placeholder(&mut paragraph.text, start);
        }
        Ok(())
    }

    /// Reads a content control; its properties are in force to its end.
    pub fn control(&mut self, read: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        let around = self.is_placeholder;
        let outcome = read(self);
        self.is_placeholder = around;
        outcome
    }

    /// Reads `w:sdtPr` to its end.
    pub fn control_properties(&mut self) -> Result<(), XmlError> {
        let mut is_placeholder = false;
        while let Some(property) = self.xml.child()? {
            is_placeholder |= property.name() == "showingPlcHdr" && property.is_on();
            self.xml.skip()?;
        }
        self.is_placeholder = is_placeholder;
        Ok(())
    }

    fn reference(&mut self, kind: NoteKind, element: &Element, paragraph: &mut Paragraph) {
        let Some(id) = element.attribute("id") else { return };
        if self.revisions.is_deleting() {
            let blocks = self.notes.remove(&(kind, id)).unwrap_or_default();
            let text = deleted_note(&blocks, self.flow.document.changes());
            return paragraph.text.push_str(&text);
        }
        let is_endnote = kind == NoteKind::Endnote;
        let number = &mut self.references[usize::from(is_endnote)];
        *number += 1;
        let mark = if is_endnote { roman(*number) } else { number.to_string() };
        let reference = match self.notes.remove(&(kind, id)) {
            Some(blocks) => self.flow.refer(Note { mark, is_endnote, blocks }),
            None => format!("[{mark}]"),
        };
        paragraph.text.push_str(&reference);
    }
}

/// Marks the text of a paragraph from `start` on as the prompt of a control that no one has filled in.
pub(super) fn mark_placeholder(text: &mut String, start: usize) {
    let Some(shown) = text.get(start..) else { return };
    let prompt = shown.trim();
    if !prompt.is_empty() {
        let first = start + shown.len() - shown.trim_start().len();
        text.insert(first + prompt.len(), ']');
        text.insert_str(first, "[not filled in: ");
    }
}
