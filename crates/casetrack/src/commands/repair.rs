//! `casetrack repair`

use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::repair::RepairReport;
use casetrack_text::format::{counted, duration};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::output::printable;
use crate::owner::console::Console;

/// Repair a damaged collection
///
/// Keeps every intact document and names the others. Damaged data is moved to a quarantine folder in the collection's directory;
/// nothing is deleted. Also works on collections that cannot be opened.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Repair {
    /// Name, ID or reference of the collection
    #[arg(short, long, value_name = "NAME")]
    collection: String,
}

impl Repair {
    pub fn run(self, console: &Console) -> Result<u8> {
        let report = console.engine.repair_collection(&self.collection)?;
        console.print(&report, describe)?;
        Ok(if report.clean { 0 } else { 1 })
    }
}

/// Lines shown of one list. The JSON output and report.json contain all of them.
const MAX_LINES: usize = 20;

fn describe(report: &RepairReport) -> String {
    let documents = counted(report.documents, "document");
    if report.sound && report.clean {
        return format!(
            "Repair: {}\nNothing was wrong: {documents}. ({})",
            report.collection,
            duration(report.duration_ms)
        );
    }
    let mut out = format!("Repair: {}\n", report.collection);
    let mut list = |title: &str, lines: &[String]| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{title}");
        for line in lines.iter().take(MAX_LINES) {
            let _ = writeln!(out, "  - {}", printable(line));
        }
        if lines.len() > MAX_LINES {
            let _ = writeln!(out, "  ... {} more", lines.len() - MAX_LINES);
        }
    };
    list("Found:", &report.found);
    list("Done:", &report.done);
    let lost: Vec<String> = report
        .lost
        .iter()
        .map(|lost| lost.path.clone().unwrap_or_else(|| format!("document {} (name unknown)", lost.id)))
        .collect();
    list("Not in the collection any more:", &lost);
    list("Still wrong:", &report.problems);
    list("Next:", &report.next);
    if let Some(quarantine) = &report.quarantine {
        let _ = writeln!(out, "\nQuarantine: {quarantine}");
    }
    let verdict = if report.clean { "Verified: clean." } else { "Verified: not clean." };
    let _ = write!(out, "\n{verdict} {documents} in the collection. ({})", duration(report.duration_ms));
    out
}
