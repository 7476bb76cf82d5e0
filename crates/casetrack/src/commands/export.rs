//! `casetrack export`

use std::ffi::OsString;
use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::export::{ExportReport, ExportRequest};
use casetrack_text::format::{bytes, counted, duration};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::output::printable;
use crate::owner::console::Console;

/// Write a collection to one file, to take it to another machine
///
/// The collection may be in use during the export: the file holds it as it was when the export began. `casetrack import` reads
/// the file.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Export {
    #[command(flatten)]
    target: InCollection,
    /// The file to write, such as matter.ctcollection
    file: OsString,
    /// Leave out the copies of source files that the collection keeps
    #[arg(long)]
    no_originals: bool,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl Export {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let file = console.path(&self.file);
        let request = ExportRequest { file: &file, originals: !self.no_originals, overwrite: self.force };
        let report = engine.export_collection(collection.id, request)?;
        console.hand_over(&file)?;
        console.print(&report, describe)?;
        Ok(0)
    }

    /// Without `--force`, a second run would find the file that the first one wrote.
    pub fn may_be_repeated(&self) -> bool {
        self.force
    }
}

fn describe(report: &ExportReport) -> String {
    let mut out = format!(
        "Exported \"{}\": {}, {}, {}",
        report.collection,
        counted(report.documents, "document"),
        counted(report.pages, "page"),
        counted(report.chunks, "chunk"),
    );
    if report.originals > 0 {
        let _ = write!(out, ", {}", counted(report.originals, "original"));
    }
    let _ = writeln!(out, " ({}).\n{}  ({})", duration(report.duration_ms), report.file, bytes(report.bytes));
    for sentence in &report.left_out {
        let _ = writeln!(out, "Left out: {}", printable(sentence));
    }
    let _ = write!(out, "\nNext, on the other machine: casetrack import FILE");
    out
}
