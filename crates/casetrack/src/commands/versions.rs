//! `casetrack redline` and `casetrack versions`

use casetrack_core::Result;
use casetrack_engine::paging::Paging;
use casetrack_engine::versions::{USUAL_SIMILARITY, VersionQuery};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// Show what a version of a document changes of an older one, paragraph by paragraph
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Redline {
    /// Name or ID of the older version
    old_document: String,
    /// Name or ID of the newer version
    new_document: String,
    #[command(flatten)]
    target: InCollection,
    /// Most changes
    #[arg(long, value_name = "N", default_value_t = u32::MAX, hide_default_value = true)]
    limit: u32,
    /// Skip this many changes
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Redline {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { old_document, new_document, target, limit, offset } = self;
        let engine = &console.engine;
        let collection = target.find(engine)?.id;
        let redline = engine.redline(collection, [&old_document, &new_document], Paging { offset, limit })?;
        console.print(&redline, |redline| text::redline::redline(redline, offset, Reader::CommandLine))
    }
}

/// List groups of documents that are versions or near-duplicates of one another
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Versions {
    #[command(flatten)]
    target: InCollection,
    /// Only the group of this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Least share of three-word sequences in common (0.1–1)
    #[arg(long, value_name = "SHARE", default_value_t = USUAL_SIMILARITY)]
    min_similarity: f64,
    /// Most groups
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Skip this many groups
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Versions {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { target, document, min_similarity, limit, offset } = self;
        let collection = target.find(&console.engine)?.id;
        let query = VersionQuery { document, min_similarity };
        let report = console.engine.versions(collection, &query, Paging { offset, limit })?;
        console.print(&report, |report| text::versions::list(report, offset, Reader::CommandLine))
    }
}
