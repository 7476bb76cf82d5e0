//! `casetrack mcp`

use std::process::ExitCode;
use std::sync::Arc;

use casetrack_core::{Error, Result};
use casetrack_mcp::{ServerOptions, serve_stdio};
use clap::Args;

use crate::args::Global;

/// Serve AI assistants over MCP on standard input and output
#[derive(Debug, Args)]
pub struct Mcp {
    /// Start with this collection active
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
}

impl Mcp {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let engine = Arc::new(global.engine()?);
        let active = match &self.collection {
            Some(name) => Some(engine.find_collection(name)?.id),
            None => None,
        };
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::io("the asynchronous runtime", error))?
            .block_on(serve_stdio(engine, ServerOptions { active }))?;
        Ok(ExitCode::SUCCESS)
    }
}
