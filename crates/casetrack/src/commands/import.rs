//! `casetrack import`

use std::ffi::OsString;
use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::import::ImportReport;
use casetrack_text::format::{counted, duration};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::output::printable;
use crate::owner::console::Console;

/// Create a collection from a file that `export` wrote
///
/// Everything in the file is checked before anything is added. The collection gets a new ID; its documents keep theirs.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Import {
    /// The .ctcollection file
    file: OsString,
    /// Name of the new collection [default: its name when it was exported]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Import {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let file = console.path(&self.file);
        let report = engine.import_collection(&file, self.name.as_deref())?;
        console.print(&report, describe)?;
        Ok(0)
    }
}

fn describe(report: &ImportReport) -> String {
    let name = printable(&report.meta.name);
    let mut out = format!(
        "Imported \"{name}\" (ID: {}): {}, {}, {} ({}).\n",
        report.meta.id.short(),
        counted(report.documents, "document"),
        counted(report.pages, "page"),
        counted(report.chunks, "chunk"),
        duration(report.duration_ms),
    );
    if let Some(note) = &report.model_note {
        let _ = writeln!(out, "Note: {note}");
    }
    let _ = write!(out, "\nNext: casetrack search \"...\" -c \"{name}\"");
    out
}
