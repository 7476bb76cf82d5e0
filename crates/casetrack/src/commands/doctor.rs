//! `casetrack doctor`

use casetrack_text::Reader;
use std::fmt::Write as _;
use std::process::ExitCode;

use casetrack_core::Result;
use casetrack_engine::doctor::Diagnosis;
use casetrack_engine::upkeep;
use clap::Args;

use crate::options::Global;
use crate::output;

/// Show the missing parts of the installation, and how to install them
#[derive(Debug, Args)]
pub struct Doctor {}

impl Doctor {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let diagnosis = upkeep::doctor(global.engine()?.host());
        output::print(&diagnosis, global, describe)?;
        Ok(if diagnosis.ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn describe(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    for finding in &diagnosis.findings {
        let verdict = if finding.ok { "ok" } else { "MISSING" };
        let _ = writeln!(out, "{verdict:8} {}: {}", finding.what, finding.detail);
        if let Some(hint) = &finding.hint {
            let _ = writeln!(out, "         {}", Reader::CommandLine.hint(hint));
        }
    }
    out.push_str(if diagnosis.ready { "Everything is in place." } else { "Not everything is in place." });
    out
}
