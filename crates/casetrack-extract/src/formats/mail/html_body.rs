//! Bodies in a markup, read by the extractor of their format.

use casetrack_core::{FileFormat, Page};

use crate::build::{DocumentBuilder, Extractor};
use crate::formats::html::Html;
use crate::formats::rtf::Rtf;
use crate::model::Source;

/// The pages of an HTML body; `None` where it cannot be read.
pub(super) fn html_pages(source: &Source, html: &[u8]) -> Option<Vec<Page>> {
    pages(&Html, FileFormat::Html, source, html)
}

/// The pages of a body in Rich Text; `None` where it cannot be read.
pub(super) fn rtf_pages(source: &Source, rtf: &[u8]) -> Option<Vec<Page>> {
    pages(&Rtf, FileFormat::Rtf, source, rtf)
}

fn pages(extractor: &dyn Extractor, format: FileFormat, source: &Source, bytes: &[u8]) -> Option<Vec<Page>> {
    let path = source.path.join("body");
    let mut document = DocumentBuilder::new(source.limits().max_text_chars);
    extractor.extract(&Source { path: &path, bytes, options: source.options }, &mut document).ok()?;
    Some(document.finish(format).pages)
}

/// The text of HTML without any structure.
pub(super) fn stripped(html: &str) -> String {
    mail_parser::decoders::html::html_to_text(html)
}
