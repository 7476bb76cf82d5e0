//! Builds the pages of a document, from the output of the reader of its format.

pub mod changes;
mod document;
pub mod flow;
mod hidden_texts;
mod layout;
pub mod table;

use casetrack_core::{Error, ErrorCode, Result};

pub use self::document::{DocumentBuilder, PageObserver, PlacedLine, page_problem};
pub use self::hidden_texts::HiddenTexts;
use crate::model::{Pixels, RenderRequest, Source};
pub use crate::text::page_list;

/// Reads files of one format, or of a family of formats with one parser.
pub trait Extractor: Sync {
    /// Adds the file's pages, title and warnings to `document`.
    ///
    /// The sound parts of a damaged file are kept, with a warning; an error means that nothing can be read.
    /// It may panic on hostile input: the caller turns that into an error on the file.
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()>;

    /// Draws a page, where pages of the format [are drawn](casetrack_core::FileFormat::is_drawn); else `UnsupportedFormat`.
    fn draw(&self, source: &Source, _request: &RenderRequest) -> Result<Pixels> {
        Err(Error::new(ErrorCode::UnsupportedFormat, format!("{} has no pages that can be drawn.", source.name())))
    }
}
