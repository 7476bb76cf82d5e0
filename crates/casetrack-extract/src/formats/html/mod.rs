//! Web pages (HTML). The tokenizer follows the HTML standard; elements are followed with a stack of their names, so
//! that any markup is read in one pass and bounded memory.
//!
//! Read: the visible text, with headings, lists and their numbers, tables row by row, preformatted text. Not read:
//! scripts, styles, and elements hidden by `hidden`, `display:none` or `visibility:hidden`. A file is one page.

mod blocks;
mod hidden_elements;
mod reader;

use casetrack_core::{ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use casetrack_pages::text::encoding;

use self::reader::HtmlReader;

pub(crate) struct Html;

impl Extractor for Html {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let decoded =
            encoding::decode_html(source.bytes).ok_or_else(|| source.unsupported("binary data of an unknown type"))?;
        if decoded.damaged {
            document.warn(format!("Some bytes are not valid {} and were replaced by \u{FFFD}.", decoded.encoding));
        }
        document.start_page(ExtractionMethod::Native, None);
        push_html(&decoded.text, document)
    }
}

/// Adds the visible content of `html` to the page in progress, and sets the document's title if it names one.
pub(crate) fn push_html(html: &str, document: &mut DocumentBuilder) -> Result<()> {
    HtmlReader::new(document).read(html)
}

#[cfg(test)]
mod tests;
