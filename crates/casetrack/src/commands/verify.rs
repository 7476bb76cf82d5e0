//! `casetrack verify`

use casetrack_core::Result;
use casetrack_engine::verify::VerifyReport;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

use crate::args::InCollection;
use crate::owner::console::Console;

/// Check every invariant of a collection on disk
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Verify {
    #[command(flatten)]
    target: InCollection,
}

impl Verify {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let report = engine.verify(collection.id)?;
        console.print(&report, describe)?;
        Ok(if report.clean { 0 } else { 1 })
    }
}

/// Problems shown of one check. The JSON output contains all of them.
const MAX_PROBLEMS: usize = 20;

fn describe(report: &VerifyReport) -> String {
    let mut out = format!("Verify: {}\n", report.collection);
    for check in &report.checks {
        let verdict = if check.problems.is_empty() { "ok" } else { "PROBLEM" };
        let _ = writeln!(out, "  {verdict:8} {:24} {:>9}  {}", check.name, check.checked, check.description);
        for problem in check.problems.iter().take(MAX_PROBLEMS) {
            let _ = writeln!(out, "           - {problem}");
        }
        if check.problems.len() > MAX_PROBLEMS {
            let _ = writeln!(out, "           ... {} more", check.problems.len() - MAX_PROBLEMS);
        }
    }
    let verdict = if report.clean { "Clean." } else { "Not clean." };
    let _ = write!(out, "{verdict} ({} ms)", report.duration_ms);
    out
}
