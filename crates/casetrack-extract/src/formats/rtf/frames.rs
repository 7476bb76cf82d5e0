use casetrack_core::Result;
use casetrack_pages::build::changes;
use casetrack_pages::build::flow::{FlowBlock, Note, marked_text};
use casetrack_pages::office::number_format::format_number;

use super::reader::Reader;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    Note,
    Endnote,
    Box,
    Comment,
    /// A header or footer, by its name.
    Margin(&'static str),
}

/// The paragraph around a frame, which continues after it.
pub(super) struct Frame {
    pub kind: FrameKind,
    pub text: String,
    pub label: String,
    pub paragraphs: Vec<String>,
}

impl Reader<'_> {
    pub(super) fn start_frame(&mut self, kind: FrameKind) {
        self.flush_text();
        self.end_changes(false);
        let (text, label) = (std::mem::take(&mut self.text), std::mem::take(&mut self.label));
        self.frames.push(Frame { kind, text, label, paragraphs: Vec::new() });
        self.state.is_frame = true;
        self.state.in_table = false;
    }

    pub(super) fn end_frame(&mut self) -> Result<()> {
        self.end_paragraph()?;
        let Some(Frame { kind, text, label, paragraphs }) = self.frames.pop() else { return Ok(()) };
        self.text = text;
        self.label = label;
        match kind {
            FrameKind::Box => self.boxed.extend(paragraphs),
            FrameKind::Comment => {
                let author = std::mem::take(&mut self.commenter);
                let by = Some(author.trim()).filter(|author| !author.is_empty()).map(|author| format!(" by {author}"));
                let text = changes::fold(&marked_text(&paragraphs.join(" ")));
                if !changes::is_blank(&text) {
                    self.boxed.push(format!("Comment{}: {text}", by.unwrap_or_default()));
                }
            }
            FrameKind::Margin(name) => self.margin(name, paragraphs),
            FrameKind::Note | FrameKind::Endnote if paragraphs.is_empty() => {}
            FrameKind::Note | FrameKind::Endnote => {
                let is_endnote = kind == FrameKind::Endnote;
                let count = &mut self.counts[usize::from(is_endnote)];
                *count += 1;
                let mark = format_number(*count, if is_endnote { "lowerRoman" } else { "decimal" });
                let blocks = paragraphs.into_iter().map(|text| FlowBlock::paragraph(text, None, None)).collect();
                let reference = self.output.refer(Note { mark, is_endnote, blocks });
                self.text.push_str(&reference);
            }
        }
        Ok(())
    }

    /// Headers and footers go on the first page of their section, each text once: they are on many pages.
    fn margin(&mut self, name: &str, paragraphs: Vec<String>) {
        let texts = paragraphs.iter().map(|text| changes::fold(&marked_text(text)));
        // Not those of only a page number.
        let texts = texts.filter(|text| changes::plain(text).chars().any(char::is_alphabetic));
        let new = texts.filter(|text| self.margins.insert(changes::plain(text).into_owned()));
        let named = new.map(|text| format!("{name}: {text}")).collect();
        self.output.add_margins(named);
    }
}
