//! The engine's answers as text for people, which the command line and the MCP server share. The wording is that of the tools'
//! specification.
//!
//! Names and paths come from outside, so control characters in them are escaped: one stays on its line whatever it contains.
//! Quoted text is verbatim, between marks that it cannot contain ([`marks`]).

pub mod chunks;
pub mod collections;
pub mod documents;
pub mod entities;
pub mod format;
pub mod ingest;
pub mod jobs;
mod labels;
pub mod marks;
pub mod navigation;
pub mod overview;
mod reader;
pub mod references;
pub mod reindex;
pub mod search;
pub mod status;
pub mod sync;
pub mod watches;

pub use reader::Reader;

#[cfg(any(test, feature = "samples"))]
pub mod samples;
