//! `casetrack compare`

use casetrack_core::{Feature, Result};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Show what two documents say about a topic
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Compare {
    /// Name or ID of a document
    document_a: String,
    /// Name or ID of another document
    document_b: String,
    /// The topic, such as "payment terms"
    topic: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of passages from each document
    #[arg(short = 'k', long, default_value_t = 3, value_name = "N")]
    top_k: u32,
}

impl Compare {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        engine.config().tier.check(Feature::CompareDocuments)?;
        let collection = self.target.find(engine)?.id;
        let documents = [self.document_a.as_str(), self.document_b.as_str()];
        let comparison = engine.compare_documents(collection, documents, &self.topic, self.top_k)?;
        console.print(&comparison, |comparison| text::search::comparison(comparison, Reader::CommandLine))?;
        Ok(0)
    }
}
