//! `casetrack search`

use casetrack_core::Result;
use casetrack_engine::search::{SearchRequest, SearchResponse};
use casetrack_mcp::text;
use casetrack_mcp::text::format::counted;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

use crate::args::InCollection;
use crate::owner::console::Console;

/// Find passages, with their exact place
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Search {
    /// What you are looking for, in your own words
    query: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of results
    #[arg(short = 'k', long, default_value_t = 5, value_name = "N", allow_negative_numbers = true)]
    top_k: u32,
    /// Search only the document of this name or ID
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Show the whole passages, as an assistant gets them
    #[arg(long)]
    full: bool,
}

impl Search {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = engine.find_collection(&self.target.collection)?;
        let request = SearchRequest { query: self.query, top_k: self.top_k, document: self.document };
        let response = engine.search(collection.id, &request)?;
        console.print(&response, if self.full { text::search::results } else { excerpts })?;
        Ok(0)
    }
}

/// The best part of each passage, with the place of that part.
fn excerpts(response: &SearchResponse) -> String {
    let mut out = format!(
        "{} in {}, {} searched in {:.0} ms",
        counted(response.results.len() as u64, "result"),
        counted(response.documents, "document"),
        counted(response.chunks, "chunk"),
        response.elapsed_ms,
    );
    for notice in &response.notices {
        let _ = write!(out, "\nNote: {notice}");
    }
    for result in &response.results {
        let (place, excerpt) = (&result.chunk.provenance, &result.excerpt);
        let _ = write!(
            out,
            "\n\n{}. {}  (score {:.2})\n   {}, chars {}-{} of the page, chunk {}\n",
            result.rank,
            excerpt.citation,
            result.score,
            place.file_path,
            excerpt.char_start,
            excerpt.char_end,
            result.chunk.chunk_id,
        );
        for line in excerpt.text.lines() {
            let _ = write!(out, "\n   │ {line}");
        }
    }
    crate::output::printable(&out)
}
