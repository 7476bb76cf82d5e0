//! `casetrack stop`

use std::process::ExitCode;

use casetrack_core::Result;
use clap::Args;
use serde_json::json;

use crate::args::Global;
use crate::{output, owner};

/// Stop the background process that keeps the collections open
///
/// Other commands start it when they need it, and it exits when nothing has used it for five minutes. Stop it before you copy,
/// move or delete the files of a data directory by other means. It is not stopped while an assistant or a command is using it.
#[derive(Debug, Args)]
pub struct Stop {}

impl Stop {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let data_dir = global.data_dir()?;
        let stopped = owner::connect::stop(&data_dir)?;
        let text = if stopped { "Stopped." } else { "Nothing was running." };
        output::print(&json!({"data_dir": data_dir, "stopped": stopped}), global.json, |_| text.to_owned())?;
        Ok(ExitCode::SUCCESS)
    }
}
