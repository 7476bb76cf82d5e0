//! The text of a page while it is put together, and the choice between versions of a body.

use std::ops::Range;

use casetrack_core::{BlockKind, FileFormat, Page};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use casetrack_pages::text::{Cursor, encoding, paragraphs};
use mail_parser::decoders::html::html_to_text;

use crate::formats::html::Html;

/// If a plain body only refers to another version, that version has several times its words.
const MIN_PLAIN_SHARE: usize = 3;

/// Text with blocks; an empty line separates pieces.
#[derive(Default)]
pub(crate) struct PageText {
    pub text: String,
    /// Byte ranges in order.
    pub spans: Vec<(Range<usize>, BlockKind)>,
    /// Tables so far; each has a number of its own.
    tables: u32,
}

impl PageText {
    pub fn push(&mut self, kind: BlockKind, text: &str) {
        if !text.trim().is_empty() {
            let start = self.gap();
            self.text.push_str(text);
            self.spans.push((start..self.text.len(), kind));
        }
    }

    /// Plain text as it is, except empty lines around it; empty lines separate paragraphs.
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
        let mut cursor = Cursor::new(&page.text);
        let spans = page.blocks.iter().map(|block| (shifted(cursor.byte_range(block), start), block.kind.clone()));
        self.add(spans);
    }

    pub fn append(&mut self, other: &PageText) {
        if !other.text.is_empty() {
            let start = self.gap();
            self.text.push_str(&other.text);
            self.add(other.spans.iter().map(|(range, kind)| (shifted(range.clone(), start), kind.clone())));
        }
    }

    /// Adds blocks whose tables are counted from 0.
    fn add(&mut self, spans: impl Iterator<Item = (Range<usize>, BlockKind)>) {
        let before = self.tables;
        for (range, mut kind) in spans {
            if let BlockKind::TableRow { table, .. } = &mut kind {
                *table += before;
                self.tables = self.tables.max(*table + 1);
            }
            self.spans.push((range, kind));
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

/// The text of a message that comes plain, as HTML, or both. Plain text is written by the sender's program for reading
/// without markup; it is passed over only if it is a stub.
pub(super) fn choose(plain: Option<PageText>, html: Option<PageText>) -> PageText {
    match (plain, html) {
        (Some(plain), Some(html)) if plain.words() * MIN_PLAIN_SHARE < html.words() => html,
        (Some(plain), _) => plain,
        (None, html) => html.unwrap_or_default(),
    }
}

/// One text of two versions of a body: the one that contains the other, else both.
pub(super) fn united(first: PageText, second: PageText) -> PageText {
    let words = |page: &PageText| {
        let words = page.text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.fold(String::from(" "), |all, word| all + &word.to_lowercase() + " ")
    };
    let (own, other) = (words(&first), words(&second));
    if own.contains(&other) {
        return first;
    }
    if other.contains(&own) {
        return second;
    }
    let mut both = first;
    both.append(&second);
    both
}

pub(super) fn plain(text: &str) -> PageText {
    let mut page = PageText::default();
    page.push_paragraphs(text);
    page
}

/// `html` in the encoding that it declares.
pub(super) fn html(source: &Source, html: &[u8]) -> PageText {
    let mut text = PageText::default();
    match pages(&Html, source, html) {
        Some(pages) => pages.iter().for_each(|page| text.push_page(page)),
        None => {
            let decoded = encoding::decode(html).map_or_else(|| String::from_utf8_lossy(html), |decoded| decoded.text);
            text.push_paragraphs(&html_to_text(&decoded));
        }
    }
    text
}

/// The pages of a body in a markup, read by the extractor of its format; `None` if it cannot be read.
pub(super) fn pages(extractor: &dyn Extractor, source: &Source, bytes: &[u8]) -> Option<Vec<Page>> {
    let path = source.path.join("body");
    let mut document = DocumentBuilder::new(source.limits().max_text_chars);
    extractor.extract(&Source { path: &path, bytes, options: source.options }, &mut document).ok()?;
    Some(document.finish(FileFormat::Html).pages)
}
