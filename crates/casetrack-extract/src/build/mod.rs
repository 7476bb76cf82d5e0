//! Builds the pages of a document, from what the reader of its format finds.

pub(crate) mod changes;
mod document;
pub(crate) mod flow;
mod hidden;
mod layout;
pub(crate) mod table;

use casetrack_core::Result;

pub use self::document::page_problem;
pub(crate) use self::document::{DocumentBuilder, PageObserver, PlacedLine};
pub(crate) use self::hidden::Hidden;
use crate::model::Source;
pub(crate) use crate::text::page_list;

/// Reads files of one format, or of a family of formats with one parser.
pub(crate) trait Extractor: Sync {
    /// Adds the file's pages, title and warnings to `document`.
    ///
    /// What can be read of a partly damaged file is kept, with a warning; an error means that nothing can be read.
    /// It may panic on hostile input: the caller turns that into an error on the file.
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()>;
}
