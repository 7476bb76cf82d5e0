//! `casetrack index-status`

use casetrack_core::Result;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Show which documents need reindexing, and whether the indexes are up to date
///
/// Reads the source files to see whether they changed. The collection itself is not modified.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct IndexStatus {
    /// Name or ID of a document [default: all documents of the collection]
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
}

impl IndexStatus {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let status = engine.index_status(collection.id, self.document.as_deref(), &console.cancel)?;
        console.print(&status, |status| text::reindex::status(status, Reader::CommandLine))?;
        Ok(0)
    }
}
