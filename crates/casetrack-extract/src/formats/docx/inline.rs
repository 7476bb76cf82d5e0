//! Content of paragraphs: runs, fields, symbols, breaks, text boxes.

use casetrack_pages::build::flow::{Note, PAGE_BREAK, Sink, is_reserved};
use casetrack_pages::container::xml::{Element, Node, Stop};
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
pub(super) struct Fields(Vec<FieldPart>);

#[derive(PartialEq)]
enum FieldPart {
    Instruction,
    Result,
}

impl Fields {
    fn mark(&mut self, kind: Option<&str>) {
        match kind {
            Some("begin") => self.0.push(FieldPart::Instruction),
            Some("separate") => {
                if let Some(part) = self.0.last_mut() {
                    *part = FieldPart::Result;
                }
            }
            Some("end") => {
                self.0.pop();
            }
            _ => {}
        }
    }

    fn hide_text(&self) -> bool {
        self.0.contains(&FieldPart::Instruction)
    }

    /// Results may span paragraphs. Instructions rarely do: one that does not end is damage, which must not hide the
    /// rest of the document.
    pub fn end_of_paragraph(&mut self) {
        self.0.retain(|part| *part == FieldPart::Result);
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
            "br" => {
                let is_page_break = element.has("type", "page") && !self.revisions.is_deleting();
                if is_page_break {
                    paragraph.text.push(PAGE_BREAK);
                } else {
                    self.push(paragraph, "\n");
                }
            }
            "cr" => self.push(paragraph, "\n"),
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
                self.fields.mark(element.attribute("fldCharType").as_deref());
                return self.field_data(paragraph);
            }
            "footnoteReference" => self.reference(NoteKind::Footnote, element, paragraph),
            "endnoteReference" => self.reference(NoteKind::Endnote, element, paragraph),
            "commentReference" => {
                let comment = element.attribute("id").and_then(|id| self.comments.remove(&id));
                paragraph.attach(comment);
            }
            // Behind a prefix, or they would be ids of something else.
            "chart" => {
                paragraph.drawings.extend(element.qualified_attribute("id").and_then(|id| self.drawings.remove(&id)))
            }
            "relIds" => {
                paragraph.drawings.extend(element.qualified_attribute("dm").and_then(|id| self.drawings.remove(&id)))
            }
            "blip" | "imagedata" => {
                let name = if element.name() == "blip" { "embed" } else { "id" };
                let picture = element.qualified_attribute(name).and_then(|id| self.pictures.remove(&id));
                paragraph.attach(picture);
            }
            "txbxContent" => {
                let mut sink = Sink::collect();
                self.text_box(&mut sink)?;
                paragraph.attach(sink.into_blocks());
                return Ok(());
            }
            "AlternateContent" => {
                return self.alternatives(|body| body.inlines(paragraph));
            }
            // Properties, instructions of fields, phonetic guides.
            "pPr" | "rPr" | "sdtPr" | "instrText" | "delInstrText" | "rt" | "binData" | "fldData" => {}
            _ => return self.inlines(paragraph),
        }
        Ok(self.xml.skip()?)
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

    /// A legacy check box shows its state in the field's data; all other fields in their result (17.16.7).
    fn field_data(&mut self, paragraph: &mut Paragraph) -> Result<(), Stop> {
        let (mut is_box, mut checked, mut default) = (false, None, false);
        let depth = self.xml.depth();
        while let Some(element) = self.xml.next_start(depth)? {
            match element.name() {
                "checkBox" => is_box = true,
                "checked" => checked = Some(element.is_on()),
                "default" => default = element.is_on(),
                _ => {}
            }
        }
        if is_box {
            paragraph.text.push(if checked.unwrap_or(default) { '☒' } else { '☐' });
        }
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
