//! `casetrack ingest`

use casetrack_core::{DocumentType, Password, Result};
use casetrack_engine::ingest::IngestRequest;
use casetrack_engine::jobs::JobRequest;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

use crate::args::{InCollection, document_type};
use crate::owner::console::Console;

/// Exit status if some files could not be read; all others are stored.
pub const SOME_FAILED: u8 = 3;

/// Read files and whole folders into a collection
///
/// Files that are already in the collection with the same content are skipped, and changed files replace their earlier version.
/// In folders, hidden files and the lock files of office programs (~$name) are ignored. Ctrl-C stops cleanly and keeps what was
/// finished.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Ingest {
    /// Files and folders
    #[arg(required = true)]
    paths: Vec<OsString>,
    #[command(flatten)]
    target: InCollection,
    /// Type of all these documents [default: detected from their content]
    #[arg(long = "type", value_name = "TYPE", value_parser = document_type)]
    document_type: Option<DocumentType>,
    /// Display name of a single file [default: its file name]
    #[arg(long)]
    name: Option<String>,
    /// Only files with these extensions, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "EXT")]
    extensions: Option<Vec<String>>,
    /// Do not descend into subfolders
    #[arg(long)]
    no_recursive: bool,
    /// Ingest unchanged files again
    #[arg(long)]
    force: bool,
    /// Keep a copy of each file inside the collection
    #[arg(long)]
    copy_original: bool,
    /// Password of protected files. Prefer the environment variable: process lists do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
}

impl Ingest {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let shown = self.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let request = IngestRequest {
            recursive: !self.no_recursive,
            skip_existing: !self.force,
            document_type: self.document_type,
            document_name: self.name,
            extensions: self.extensions,
            copy_original: self.copy_original,
            password: self.password,
            ..IngestRequest::new(self.paths.iter().map(|path| console.path(path)).collect())
        };
        let request = match request.paths.as_slice() {
            [path] if !path.is_dir() => JobRequest::IngestDocument(request),
            _ => JobRequest::IngestFolder(request),
        };
        let report = console.work(collection.id, request, |report| report.ingestion)?;
        console.print(&report, |report| text::ingest::folder(report, &shown, Reader::CommandLine))?;
        Ok(match (&report.summary.stopped, report.failed.is_empty()) {
            (Some(_), _) => 1,
            (None, false) => SOME_FAILED,
            (None, true) => 0,
        })
    }
}
