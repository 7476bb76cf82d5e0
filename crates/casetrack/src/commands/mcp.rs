//! `casetrack mcp`

use std::process::ExitCode;

use casetrack_core::Result;
use clap::Args;

use crate::args::Global;
use crate::owner::relay;

/// Serve AI assistants over MCP on standard input and output
#[derive(Debug, Args)]
pub struct Mcp {
    /// Start with this collection active
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
}

impl Mcp {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        relay::run(global, self.collection)
    }
}
