//! The engine's answers as text for people, which the command line and the MCP server share. The wording follows the tools'
//! specification.
//!
//! Passages are verbatim, between marks that they cannot contain; names, headings and one-line quotations from documents are marked and
//! escaped, so that each stays on its line whatever it contains ([`marks`]).

pub mod answers;
pub mod bates;
pub mod chunks;
pub mod collections;
pub mod documents;
pub mod entities;
pub mod eval;
pub mod evidence;
pub mod files;
pub mod format;
pub mod hidden_text;
pub mod ingest;
pub mod jobs;
pub mod marks;
pub mod navigation;
pub mod obligations;
pub mod overview;
pub mod questions;
pub mod quotes;
mod reader;
pub mod redline;
pub mod references;
pub mod reindex;
pub mod search;
pub mod sheet;
mod sources;
pub mod space;
pub mod status;
pub mod sync;
pub mod tags;
pub mod terminal;
pub mod terms;
pub mod threads;
pub mod tracked_changes;
pub mod unread;
pub mod versions;
pub mod watches;

pub use reader::Reader;

// Answers for the tests of front ends. A feature would compile the front ends twice, because the program does not have it.
#[doc(hidden)]
pub mod samples;
#[path = "../../casetrack-core/src/test_provenance.rs"]
mod test_provenance;
