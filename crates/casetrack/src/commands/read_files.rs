//! `casetrack read-files`, which the program starts itself.

use std::io;
use std::process::ExitCode;

use casetrack_core::{Error, Result};
use clap::Args;

/// Read files in a separate process (used by CaseTrack itself)
///
/// Communicates with its parent on standard input and output, and exits with it.
#[derive(Debug, Args)]
#[command(hide = true)]
pub struct ReadFiles {}

impl ReadFiles {
    pub fn run(self) -> Result<ExitCode> {
        // Ctrl-C reaches the whole process group; only the parent reacts to it.
        ctrlc::set_handler(|| {}).map_err(|error| Error::internal(format!("The signal handler: {error}")))?;
        casetrack_engine::serve_reader(io::stdin().lock(), io::stdout())
            .map_err(|error| Error::io("the pipe to the parent process", error))?;
        Ok(ExitCode::SUCCESS)
    }
}
