//! `casetrack show`

use std::process::ExitCode;

use casetrack_core::{ChunkId, Result};
use casetrack_mcp::text;
use clap::Args;

use crate::args::{Global, InCollection};
use crate::output;

/// Show a passage in its context, or a document
#[derive(Debug, Args)]
pub struct Show {
    /// ID of a chunk, or ID or name of a document
    id: String,
    #[command(flatten)]
    target: InCollection,
    /// Chunks to show before and after a passage
    #[arg(long, default_value_t = 1, value_name = "N")]
    window: u32,
}

impl Show {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let engine = global.engine()?;
        let collection = engine.find_collection(&self.target.collection)?.id;
        // A UUID may name either.
        let document = engine.document(collection, &self.id);
        if document.is_err() && self.id.parse::<ChunkId>().is_ok() {
            let context = engine.source_context(collection, &self.id, self.window)?;
            output::print(&context, global.json, text::chunks::source_context)?;
        } else {
            output::print(&document?, global.json, text::documents::details)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
