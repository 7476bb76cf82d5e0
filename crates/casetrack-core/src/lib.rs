//! The plain data that every CaseTrack crate shares: ids, documents and their pages, chunks and their provenance,
//! configuration, errors and progress events.
//!
//! This crate does no I/O, except that [`real_path`] resolves links, and depends on no other crate of the workspace. All text offsets are counted in Unicode
//! scalar values (`char`s) from the start of the stored page text, half-open, unless a name has `byte`. Pages,
//! paragraphs and lines are numbered from 1, chunks of a document from 0.

pub mod bates;
pub mod change;
pub mod chunk;
pub mod citation;
pub mod collection;
pub mod config;
pub mod document;
pub mod entity;
pub mod error;
pub mod evidence;
pub mod format;
pub mod hidden;
pub mod hint;
pub mod id;
mod labels;
pub mod language_model;
pub mod mail;
pub mod marks;
mod page_citation;
pub mod password;
pub mod progress;
pub mod provenance;
pub mod range;
mod real_path;
pub mod reference;
pub mod remarks;
pub mod same_text;
pub mod settings;
pub mod time;

pub use bates::{BatesNumber, BatesRange};
pub use change::{Change, ChangeKind, OriginalPiece, TextView, UNLISTED_CHANGES, original_pieces};
pub use chunk::Chunk;
pub use citation::CitationStyle;
pub use collection::{CollectionMeta, CollectionStatus, CollectionType};
pub use config::{ChunkConfig, Feature, Limits, Tier};
pub use document::{
    Block, BlockKind, DocumentMeta, DocumentType, ExtractionMethod, NumberedText, OtherReading, Page, PageNotes,
    PageOrigin, PictureText, Properties, Rect, UnreadPart, numbers_within,
};
pub use entity::{
    AmountValue, Annotations, DatePrecision, DateValue, EntityType, EntityValue, LocalEntity, Mention, PlacedMention,
    PlacedReference,
};
pub use error::{Error, ErrorCode, ErrorKind, Result};
pub use format::{FileFormat, FileKind, type_by_signature};
pub use hidden::{HiddenReason, HiddenText, hidden_reasons};
pub use hint::{Action, FileLimit, Hint, Notice};
pub use id::{ChunkId, CollectionId, DocumentId, JobId, Sha256, WatchId};
pub use mail::MailHeaders;
pub use page_citation::{Printed, cited_numbers, cited_page, cited_rows, is_exhibit, number_range, printed_page};
pub use password::Password;
pub use progress::{Cancel, Progress, ProgressSink, ProgressTotals};
pub use provenance::Provenance;
pub use range::{ColumnRange, RowRange, column_letters};
pub use real_path::real_path;
pub use reference::{Reference, ReferenceKind, Relation};
pub use same_text::single_spaced;
pub use time::Timestamp;

#[cfg(test)]
extern crate self as casetrack_core;
#[cfg(test)]
mod test_provenance;
