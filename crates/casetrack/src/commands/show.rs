//! `casetrack show`

use casetrack_core::{ChunkId, Result};
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Show a passage in its context, or a document
#[derive(Debug, Args, Serialize, Deserialize)]
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
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?.id;
        // A UUID may name either.
        let document = engine.document(collection, &self.id);
        if document.is_err() && self.id.parse::<ChunkId>().is_ok() {
            let context = engine.source_context(collection, &self.id, self.window)?;
            console.print(&context, text::chunks::source_context)?;
        } else {
            console.print(&document?, text::documents::details)?;
        }
        Ok(0)
    }
}
