//! Rich Text (RTF 1.9.1), with a tokenizer and a reader of our own for the code pages of fonts and for tables.
//!
//! Read: paragraphs with their list labels, headings by style or outline level, tables row by row, results of fields,
//! text boxes, footnotes and endnotes at the end of the page that refers to them, comments behind the paragraph that
//! does, headers and footers on the first page of their section; embedded files are documents of their own. Not read:
//! pictures. Hidden text is read and marked. The text is the final one; deleted text is kept separately. Explicit page
//! breaks make the pages.

mod charset;
mod date;
mod form_fields;
mod frames;
mod objects;
mod output;
mod reader;
mod revisions;
mod state;
mod tokens;
mod words;

use casetrack_core::{ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;

use self::reader::Reader;

/// First bytes of every RTF file.
pub(crate) const SIGNATURE: &[u8] = b"{\\rtf";

pub(crate) struct Rtf;

impl Extractor for Rtf {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        document.start_page(ExtractionMethod::Native, None);
        let start = source.bytes.windows(SIGNATURE.len()).position(|window| window == SIGNATURE).unwrap_or(0);
        let ended = Reader::new(document).read(&source.bytes[start..])?;
        objects::hand_out(&source.bytes[start..], document)?;
        if !ended {
            document.warn("The file is cut off; its end is missing.");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
