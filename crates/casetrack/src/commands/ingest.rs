//! `casetrack ingest`

use std::path::PathBuf;
use std::process::ExitCode;

use casetrack_core::{Cancel, DocumentType, Error, Password, Result};
use casetrack_engine::ingest::IngestRequest;
use casetrack_mcp::text;
use clap::Args;

use crate::args::{Global, InCollection, document_type};
use crate::output;

/// Some files could not be read; the others are in.
const SOME_FAILED: u8 = 3;

/// Read files and whole folders into a collection
///
/// A file that is in the collection already, with the same content, is skipped; one that changed takes the place of its earlier
/// version. Hidden files and the lock files of office programs (~$name) inside folders are left out. Ctrl-C stops cleanly and
/// keeps what was finished.
#[derive(Debug, Args)]
pub struct Ingest {
    /// Files and folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    target: InCollection,
    /// Type of all these documents [default: told from their content]
    #[arg(long = "type", value_name = "TYPE", value_parser = document_type)]
    document_type: Option<DocumentType>,
    /// Display name of a single file [default: its file name]
    #[arg(long)]
    name: Option<String>,
    /// Only files with these extensions, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "EXT")]
    extensions: Option<Vec<String>>,
    /// Do not go into subfolders
    #[arg(long)]
    no_recursive: bool,
    /// Ingest unchanged files again
    #[arg(long)]
    force: bool,
    /// Keep a copy of each file inside the collection
    #[arg(long)]
    copy_original: bool,
    /// Password of the files that are protected by one; better given in the environment, where lists of processes do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
}

impl Ingest {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let engine = global.engine()?;
        let collection = engine.find_collection(&self.target.collection)?;
        let shown = self.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let request = IngestRequest {
            paths: self.paths,
            recursive: !self.no_recursive,
            skip_existing: !self.force,
            document_type: self.document_type,
            document_name: self.name,
            extensions: self.extensions,
            copy_original: self.copy_original,
            password: self.password,
        };
        let cancel = Cancel::default();
        stop_on_signal(&cancel)?;
        let (progress, finish) = output::progress(global.quiet);
        let report = engine.ingest(collection.id, &request, &progress, &cancel);
        finish();
        let report = report?;
        output::print(&report, global.json, |report| text::ingest::folder(report, &shown))?;
        Ok(match (&report.stopped, report.failed.is_empty()) {
            (Some(_), _) => ExitCode::FAILURE,
            (None, false) => ExitCode::from(SOME_FAILED),
            (None, true) => ExitCode::SUCCESS,
        })
    }
}

/// The first Ctrl-C asks the job to stop at the next safe point; the second ends the process, which loses nothing either.
fn stop_on_signal(cancel: &Cancel) -> Result<()> {
    let cancel = cancel.clone();
    ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            std::process::exit(130);
        }
        eprintln!("stopping after the current batch (Ctrl-C again to stop at once)");
        cancel.cancel();
    })
    .map_err(|error| Error::internal(format!("signal handler: {error}")))
}
