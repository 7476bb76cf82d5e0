//! `casetrack-lab read-files`, which the program starts itself.

use std::io;

use casetrack_core::{Error, Result};

/// Read files in a separate process (used by the program itself)
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct ReadFiles {}

impl ReadFiles {
    pub fn run(self) -> Result<()> {
        casetrack_engine::serve_reader(io::stdin().lock(), io::stdout())
            .map_err(|error| Error::io("the pipe to the parent process", error))
    }
}
