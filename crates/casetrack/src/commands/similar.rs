//! `casetrack similar`

use casetrack_core::Result;
use casetrack_engine::similar::Wanted;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Find passages similar to a given one
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Similar {
    /// ID of a chunk, as shown by a search
    chunk: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of passages
    #[arg(short = 'k', long, default_value_t = 5, value_name = "N")]
    top_k: u32,
    /// Minimum cosine similarity (0–1)
    #[arg(long, default_value_t = 0.6, value_name = "COSINE")]
    min_similarity: f32,
    /// Also show passages of the same document
    #[arg(long)]
    same_document: bool,
}

impl Similar {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?.id;
        let wanted = Wanted {
            exclude_same_document: !self.same_document,
            min_similarity: self.min_similarity,
            count: self.top_k as usize,
        };
        let similar = engine.similar_chunks(collection, &self.chunk, wanted)?;
        console.print(&similar, text::search::similar)?;
        Ok(0)
    }
}
