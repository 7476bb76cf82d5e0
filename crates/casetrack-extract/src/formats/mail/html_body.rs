//! Bodies in a markup, read by the extractor of their format.

use std::path::Path;

use casetrack_core::{FileFormat, Page};

use crate::page::DocumentBuilder;
use crate::registry;
use crate::source::Source;

/// The pages of an HTML body; `None` where it cannot be read.
pub(super) fn pages(source: &Source, html: &[u8]) -> Option<Vec<Page>> {
    pages_as("html", source, html)
}

/// The pages of a body in the format with this extension.
pub(super) fn pages_as(extension: &str, source: &Source, bytes: &[u8]) -> Option<Vec<Page>> {
    let format = FileFormat::from_extension(extension)?;
    let extractor = registry::extractor(format)?;
    let path = source.path.join(Path::new("body").with_extension(extension));
    let mut document = DocumentBuilder::new(source.limits().max_text_chars);
    extractor.extract(&Source { path: &path, bytes, options: source.options }, &mut document).ok()?;
    Some(document.finish(format).pages)
}

/// The text of HTML without any structure.
pub(super) fn stripped(html: &str) -> String {
    mail_parser::decoders::html::html_to_text(html)
}
