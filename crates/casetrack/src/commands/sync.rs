//! `casetrack sync`

use std::ffi::OsString;

use casetrack_core::{DocumentType, Result};
use casetrack_engine::jobs::JobRequest;
use casetrack_engine::sync::SyncRequest;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::ingest::SOME_FAILED;
use crate::args::{InCollection, document_type};
use crate::owner::console::Console;

/// Bring a collection up to date with a folder
///
/// New files are ingested, changed files replace their earlier version, and renamed or moved files keep their document with its
/// id and embeddings. Documents whose files are gone are listed; --remove-deleted removes them. Ctrl-C stops cleanly and keeps
/// what was finished.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Sync {
    /// Folder to sync, with all its subfolders
    folder: OsString,
    #[command(flatten)]
    target: InCollection,
    /// Remove documents whose files no longer exist
    #[arg(long)]
    remove_deleted: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Type of new and changed documents [default: detected from their content]
    #[arg(long = "type", value_name = "TYPE", value_parser = document_type)]
    document_type: Option<DocumentType>,
    /// Only files with these extensions, separated by commas; documents of other files are left as they are
    #[arg(long, value_delimiter = ',', value_name = "EXT")]
    extensions: Option<Vec<String>>,
}

impl Sync {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let request = SyncRequest {
            remove_deleted: self.remove_deleted,
            document_type: self.document_type,
            extensions: self.extensions,
            ..SyncRequest::new(console.path(&self.folder))
        };
        let report = match self.dry_run {
            true => engine.preview_sync(collection.id, request, &console.progress(), &console.cancel)?,
            false => console.work(collection.id, JobRequest::SyncFolder(request), |report| report.sync)?,
        };
        console.print(&report, |report| text::sync::report(report, Reader::CommandLine))?;
        Ok(match (&report.summary.stopped, report.failed.is_empty()) {
            (Some(_), _) => 1,
            (None, false) => SOME_FAILED,
            (None, true) => 0,
        })
    }
}
