//! `casetrack call`

use std::process::ExitCode;
use std::sync::Arc;

use casetrack_core::{Cancel, Error, Result};
use casetrack_mcp::Session;
use clap::Args;

use crate::args::Global;
use crate::output;

/// Call any MCP tool
#[derive(Debug, Args)]
pub struct Call {
    /// Name of the tool, such as search_documents
    tool: String,
    /// Its arguments as a JSON object
    #[arg(default_value = "{}", value_name = "JSON")]
    arguments: String,
    /// The collection that is active during the call
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
}

impl Call {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let arguments = serde_json::from_str(&self.arguments).map_err(|error| {
            Error::invalid(format!("The arguments are not valid JSON: {error}."))
                .with_hint("Give a JSON object in quotes, such as '{\"query\": \"payment terms\"}'.")
        })?;
        let engine = Arc::new(global.engine()?);
        let active = match &self.collection {
            Some(name) => Some(engine.find_collection(name)?.id),
            None => None,
        };
        let (progress, finish) = output::progress(global.quiet);
        let result = Session::new(engine, active).call(&self.tool, arguments, &progress, &Cancel::default());
        finish();
        let result = result?;
        output::print(&result.structured, global.json, |_| result.text.clone())?;
        Ok(ExitCode::SUCCESS)
    }
}
