//! `casetrack references`

use casetrack_core::Result;
use casetrack_engine::briefing::ReferenceSort;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// List what the documents refer to (other documents, laws, standards, cases), or show where one is cited
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct References {
    /// Show where this reference is cited
    name: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Number of references or passages
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    top_k: u32,
}

impl References {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?.id;
        match &self.name {
            Some(name) => {
                let citations = engine.reference_citations(collection, name, self.top_k)?;
                console.print(&citations, text::references::citations)?;
            }
            None => {
                let list = engine.list_references(collection, None, ReferenceSort::default(), self.top_k)?;
                console.print(&list, text::references::list)?;
            }
        }
        Ok(0)
    }
}
