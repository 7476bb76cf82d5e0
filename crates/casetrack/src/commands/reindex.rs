//! `casetrack reindex`

use casetrack_core::{Password, Result};
use casetrack_engine::jobs::JobRequest;
use casetrack_engine::reindex::ReindexRequest;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::ingest::SOME_FAILED;
use crate::args::InCollection;
use crate::owner::console::Console;

/// Rebuild the chunks, embeddings and indexes of one document, or of all
///
/// The source files are read again. Chunks whose text did not change keep their IDs, and each document stays searchable in its
/// earlier version until the new one is complete. Ctrl-C stops cleanly and keeps what was finished.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Reindex {
    /// Name or ID of the document [default: all documents of the collection]
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Keep pages and chunks as they are, and rebuild all embeddings, entities and references
    #[arg(long)]
    no_reparse: bool,
    /// Also rebuild a document that did not change and lacks nothing (the default when no document is named)
    #[arg(long, conflicts_with = "skip_unchanged")]
    force: bool,
    /// Skip documents that did not change and lack nothing (the default when a document is named)
    #[arg(long)]
    skip_unchanged: bool,
    /// Password of protected files. Prefer the environment variable: process lists do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
}

impl Reindex {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let find = |name| engine.find_document(collection.id, name);
        let document = self.document.as_deref().map(find).transpose()?;
        let whole = document.is_none();
        let request = ReindexRequest {
            reparse: !self.no_reparse,
            skip_unchanged: if whole { self.skip_unchanged } else { !self.force },
            password: self.password,
            ..ReindexRequest::new(document.map(|document| vec![document.id]))
        };
        let request = if whole { JobRequest::ReindexCollection(request) } else { JobRequest::ReindexDocument(request) };
        let report = console.work(collection.id, request, |report| report.reindex)?;
        console.print(&report, |report| text::reindex::report(report, whole, Reader::CommandLine))?;
        Ok(match (&report.summary.stopped, report.failed.is_empty()) {
            (Some(_), _) => 1,
            (None, false) => SOME_FAILED,
            (None, true) => 0,
        })
    }
}
