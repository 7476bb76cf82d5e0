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

/// Write a collection into one file, to be taken to another machine
///
/// It may be in use meanwhile: the file holds it as of the moment the export began. `casetrack import` reads it.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Export {
    #[command(flatten)]
    target: InCollection,
    /// The file to write, such as matter.ctcollection
    file: OsString,
    /// Without the copies of source files that the collection keeps
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

    /// Without `--force` the second one would find the file of the first.
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
