//! `casetrack timeline`

use casetrack_core::Result;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// List the dates in the documents, in order, with what they refer to
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Timeline {
    #[command(flatten)]
    target: InCollection,
    /// Earliest date: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Latest date
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only dates in this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
}

impl Timeline {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        let timeline = console.engine.collection_timeline(collection, from, to, self.document.as_deref())?;
        console.print(&timeline, text::overview::timeline)?;
        Ok(0)
    }
}
