//! `casetrack summary`

use casetrack_core::Result;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Summarise a collection: who and what the documents are about, key dates, topics, references
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Summary {
    #[command(flatten)]
    target: InCollection,
}

impl Summary {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let summary = console.engine.collection_summary(collection)?;
        console.print(&summary, text::overview::summary)?;
        Ok(0)
    }
}
