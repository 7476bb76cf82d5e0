//! `casetrack stop`

use std::process::ExitCode;

use casetrack_core::Result;
use clap::Args;
use serde_json::json;

use crate::options::Global;
use crate::{output, owner, service};

/// Stop the background process that keeps the collections open
///
/// Other commands start it when they need it, and it exits after five minutes without use. Stop it before you copy, move or delete the
/// files of a data directory by other means. It is not stopped while an assistant or a command uses it. A service that keeps it running
/// (`casetrack service install`) is stopped with it, until the next login or `casetrack service start`.
#[derive(Debug, Args)]
pub struct Stop {}

impl Stop {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let data_dir = global.data_dir()?;
        let stopped = owner::stop(&data_dir)?;
        let service = service::stop(&data_dir)?;
        let text = match (stopped, service) {
            (true, false) => "Stopped.",
            (true, true) => "Stopped, and the service with it until the next login or `casetrack service start`.",
            (false, false) => "Nothing was running.",
            (false, true) => {
                "Nothing was running. The service starts at the next login or with `casetrack service start`."
            }
        };
        let said = json!({"data_dir": data_dir, "stopped": stopped, "service": service});
        output::print(&said, global, |_| text.to_owned())?;
        Ok(ExitCode::SUCCESS)
    }
}
