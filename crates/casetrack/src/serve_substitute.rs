//! Replaces casetrack-serve in a build without the feature `serve`.

use casetrack_core::{Error, Result};

pub fn server_url(_: &str) -> Result<String> {
    Err(missing())
}

pub fn probe_server(_: &str, _: &str) -> Result<String> {
    Err(missing())
}

fn missing() -> Error {
    Error::invalid("This build of CaseTrack cannot connect to a team server.")
        .with_hint("Use a build with the feature serve, which is on by default.")
}
