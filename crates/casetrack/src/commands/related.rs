//! `casetrack related`

use casetrack_core::Result;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Show which documents are related to one, and why
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Related {
    /// Name or ID of the document
    document: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of documents
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    top_k: u32,
}

impl Related {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let related = console.engine.related_documents(collection, &self.document, &[], self.top_k)?;
        console.print(&related, text::overview::related)?;
        Ok(0)
    }
}
