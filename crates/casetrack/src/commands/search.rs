//! `casetrack search`

use casetrack_core::{Error, Result};
use casetrack_engine::search::{DateRange, Filters, Kind, SearchRequest, SearchResponse, pages};
use casetrack_mcp::text;
use casetrack_mcp::text::format::counted;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

use crate::args::InCollection;
use crate::owner::console::Console;

/// Find passages, with their exact place
///
/// The query may hold "exact phrases", +required and -excluded words, and the fields document:NAME, type:contract,
/// date:2023-05..2023-08 (also 2023 or 2023..) and page:3-7. What is not of this form is text.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Search {
    /// What you are looking for, in your own words
    #[arg(allow_hyphen_values = true)]
    query: String,
    #[command(flatten)]
    target: InCollection,
    /// Number of results
    #[arg(short = 'k', long, default_value_t = 5, value_name = "N", allow_negative_numbers = true)]
    top_k: u32,
    /// Search only the document of this name or ID
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Search only documents of this type (contract, invoice, …) or file format (pdf, …); may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Search only files whose path matches, such as 'contracts/**/*.pdf'; may be given several times
    #[arg(long = "path", value_name = "GLOB")]
    paths: Vec<String>,
    /// Search only documents last saved on this date or later: YYYY, YYYY-MM or YYYY-MM-DD. The date is what the file says,
    /// else that of its ingestion
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Search only documents last saved on this date or earlier
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Search only documents ingested on this date or in this range, such as 2024-05..2024-06 or 2024..
    #[arg(long, value_name = "DATES")]
    ingested: Option<String>,
    /// Search only these pages, such as 3 or 3-7
    #[arg(long, value_name = "PAGES")]
    pages: Option<String>,
    /// Leave out scanned pages that were read with less mean confidence than this (0–1)
    #[arg(long, value_name = "SHARE")]
    min_confidence: Option<f32>,
    /// Pass over this many results
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// Show this many characters of the page before and after each passage
    #[arg(long, value_name = "CHARS", default_value_t = 0)]
    context: u32,
    /// Show the whole passages, as an assistant gets them
    #[arg(long)]
    full: bool,
}

impl Search {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = engine.find_collection(&self.target.collection)?;
        let (filters, full) = (self.filters()?, self.full);
        let Self { query, top_k, document, offset, context, .. } = self;
        let request = SearchRequest { query, top_k, document, filters, offset, context };
        let response = engine.search(collection.id, &request)?;
        console.print(&response, if full { text::search::results } else { excerpts })?;
        Ok(0)
    }

    fn filters(&self) -> Result<Filters> {
        let dated = match (&self.from, &self.to) {
            (None, None) => Vec::new(),
            (from, to) => vec![DateRange::between(from.as_deref(), to.as_deref())?],
        };
        if let Some(share) = self.min_confidence.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(Error::invalid(format!("--min-confidence is {share}; it must be between 0 and 1.")));
        }
        Ok(Filters {
            documents: Vec::new(),
            kinds: self.kinds.iter().map(|kind| kind.parse()).collect::<Result<Vec<Kind>>>()?,
            paths: self.paths.clone(),
            dated,
            ingested: self.ingested.iter().map(|range| range.parse()).collect::<Result<_>>()?,
            pages: self.pages.iter().map(|range| pages(range)).collect::<Result<_>>()?,
            min_confidence: self.min_confidence,
        })
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
        let around = &result.surroundings;
        if around.before.is_some() || around.after.is_some() {
            // The whole passage, between what surrounds it.
            for (mark, text) in [("·", &around.before), ("│", &Some(result.chunk.text.clone())), ("·", &around.after)]
            {
                for line in text.iter().flat_map(|text| text.lines()) {
                    let _ = write!(out, "\n   {mark} {line}");
                }
            }
            continue;
        }
        for line in excerpt.text.lines() {
            let _ = write!(out, "\n   │ {line}");
        }
    }
    crate::output::printable(&out)
}
