//! `casetrack call`

use std::sync::Arc;

use casetrack_core::settings::Settings;
use casetrack_core::{Error, Result};
use casetrack_mcp::Session;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::language_model::language_model;

use casetrack_engine::collections;

/// Call an MCP tool
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Call {
    /// Name of the tool, such as search_documents
    tool: String,
    /// Arguments of the tool, as a JSON object
    #[arg(default_value = "{}", value_name = "JSON")]
    arguments: String,
    /// Collection that is active during the call [default: the only active one]
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
}

impl Call {
    pub fn run(self, console: &Console) -> Result<u8> {
        let arguments = serde_json::from_str(&self.arguments).map_err(|error| {
            Error::invalid(format!("The arguments are not valid JSON: {error}."))
                .with_hint("Give a JSON object in quotes, such as '{\"query\": \"payment terms\"}'.")
        })?;
        let engine = Arc::clone(&console.engine);
        let active = match &self.collection {
            Some(name) => Some(collections::find_collection(engine.host(), name)?),
            // Tools that need none work without.
            None => collections::sole_collection(engine.host()).unwrap_or_default(),
        };
        let active = active.map(|found| found.id);
        let data_dir = &engine.host().config().data_dir;
        let settings = Settings::load(data_dir)?;
        let model = language_model(&settings, data_dir)?;
        let session = Session::new(Arc::clone(&engine), settings, active).asking(model);
        let result = session.call(&self.tool, arguments, &console.progress(), &console.cancel, false)?;
        let text = |_: &_| result.text.clone();
        // A program gets the same text as an assistant, with the marks around passages.
        match console.global.look {
            Some(_) => console.print(&result.structured, text),
            None => console.print_data(&result.structured, text),
        }
    }

    /// See [`casetrack_mcp::may_be_repeated`].
    pub fn may_be_repeated(&self) -> bool {
        casetrack_mcp::may_be_repeated(&self.tool)
    }
}
