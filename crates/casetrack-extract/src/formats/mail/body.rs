//! The text of a page while it is put together, and the choice between versions of a body.

use std::ops::Range;

use casetrack_core::{BlockKind, Page};

use super::html_body;
use crate::formats::text::paragraphs;
use crate::model::Source;
use crate::text::encoding;

/// Where a body says nothing but that it should be read elsewhere, the other version has several times its words.
const MIN_PLAIN_SHARE: usize = 3;

/// Text with blocks; pieces stand apart by an empty line.
#[derive(Default)]
pub(super) struct PageText {
    pub text: String,
    /// Byte ranges in order.
    pub spans: Vec<(Range<usize>, BlockKind)>,
}

impl PageText {
    pub fn push(&mut self, kind: BlockKind, text: &str) {
        if !text.trim().is_empty() {
            let start = self.gap();
            self.text.push_str(text);
            self.spans.push((start..self.text.len(), kind));
        }
    }

    /// Plain text as it is, but for empty lines around it; paragraphs stand between empty lines.
    pub fn push_paragraphs(&mut self, text: &str) {
        let text = encoding::unify_line_ends(text.into());
        let text = text.trim_end().trim_start_matches(['\n', '\u{FEFF}']);
        if !text.trim().is_empty() {
            let start = self.gap();
            self.text.push_str(text);
            self.spans.extend(paragraphs(text).into_iter().map(|(range, kind)| (shifted(range, start), kind)));
        }
    }

    /// A page that another extractor made.
    pub fn push_page(&mut self, page: &Page) {
        if page.blocks.is_empty() {
            return;
        }
        let start = self.gap();
        self.text.push_str(&page.text);
        let mut bytes = page.text.char_indices().map(|(byte, _)| byte).chain([page.text.len()]).enumerate();
        // Blocks are in text order, so one walk finds all their places.
        let mut byte_at = |char: u32| bytes.find(|(index, _)| *index >= char as usize).map(|(_, byte)| byte);
        let mut last = 0;
        for block in &page.blocks {
            let from = if block.char_start == last && last > 0 { None } else { byte_at(block.char_start) };
            let from = from.or_else(|| self.spans.last().map(|(range, _)| range.end - start)).unwrap_or(0);
            let to = byte_at(block.char_end).unwrap_or(page.text.len());
            last = block.char_end;
            self.spans.push((shifted(from..to, start), block.kind.clone()));
        }
    }

    pub fn append(&mut self, other: &PageText) {
        if !other.text.is_empty() {
            let start = self.gap();
            self.text.push_str(&other.text);
            self.spans.extend(other.spans.iter().map(|(range, kind)| (shifted(range.clone(), start), kind.clone())));
        }
    }

    fn gap(&mut self) -> usize {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.len()
    }

    fn words(&self) -> usize {
        self.text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
    }
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The text of a message that comes plain, as HTML, or both. Plain text is what the sender's program made for reading without
/// markup; it is passed over only where it is a stub.
pub(super) fn choose(plain: Option<PageText>, html: Option<PageText>) -> PageText {
    match (plain, html) {
        (Some(plain), Some(html)) if plain.words() * MIN_PLAIN_SHARE < html.words() => html,
        (Some(plain), _) => plain,
        (None, html) => html.unwrap_or_default(),
    }
}

pub(super) fn plain(text: &str) -> PageText {
    let mut page = PageText::default();
    page.push_paragraphs(text);
    page
}

/// `html` in whatever encoding it declares.
pub(super) fn html(source: &Source, html: &[u8]) -> PageText {
    let mut text = PageText::default();
    match html_body::html_pages(source, html) {
        Some(pages) => pages.iter().for_each(|page| text.push_page(page)),
        None => {
            let decoded = encoding::decode(html).map_or_else(|| String::from_utf8_lossy(html), |decoded| decoded.text);
            text.push_paragraphs(&html_body::stripped(&decoded));
        }
    }
    text
}
