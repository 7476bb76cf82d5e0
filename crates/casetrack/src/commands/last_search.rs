//! The results of a search on a terminal, and by number afterwards.

use std::fmt::Write as _;
use std::path::PathBuf;

use casetrack_core::{ChunkId, CollectionId, Error, ErrorCode, Result};
use casetrack_engine::search::{SearchResponse, SearchResult, matched};
use casetrack_engine::{Engine, collections, vaults};
use casetrack_text::Reader;
use casetrack_text::format::{counted, one_line, shorten, visible};
use casetrack_text::search::{completeness, continuation, details, relation};
use casetrack_text::terminal::{dim, hit, paragraphs, strong};
use serde::{Deserialize, Serialize};

use crate::console::Console;

/// Characters shown of a related passage, and of a query above its results.
const RELATED_CHARS: usize = 300;
const QUERY_CHARS: usize = 80;
/// Longest number of a result; a longer one is an ID.
const MAX_DIGITS: usize = 4;

/// The results as a person reads them, for [`casetrack_text::terminal::dress`].
pub fn results(response: &SearchResponse, explain: bool) -> String {
    let mut out = format!(
        "{} in {} {}",
        strong(&found(response)),
        one_line(&response.collection),
        dim(&format!(
            "· {}, {}, {:.0} ms",
            counted(response.documents, "document"),
            counted(response.chunks, "passage"),
            response.elapsed_ms
        )),
    );
    if let Some(list) = &response.complete {
        let _ = write!(out, "\n{}", completeness(list, response));
    }
    for notice in &response.notices {
        let _ = write!(out, "\nNote: {}", Reader::CommandLine.hint(notice));
    }
    response.results.iter().for_each(|result| push_result(&mut out, result, response, explain));
    for found in &response.hits {
        let place = strong(&one_line(&found.citation));
        let _ =
            write!(out, "\n\n{}  {place}{}", strong(&found.rank.to_string()), dim(&format!("  {:.2}", found.score)));
        quote(&mut out, "│", &[&found.quote], &response.query);
        if let Some(others) = &found.also_in {
            let _ = write!(out, "\n   {}", dim(&format!("the same in other documents, {}", one_line(others))));
        }
    }
    if let Some(list) = &response.complete {
        out.push_str(&continuation(response, list.listed, Reader::CommandLine));
    }
    for passage in &response.related {
        let _ = write!(out, "\n\n{}\n   {}", relation(passage), strong(&one_line(&passage.chunk.citation)));
        quote(&mut out, "│", &[&shorten(&passage.chunk.text, RELATED_CHARS)], &response.query);
    }
    let first = response.results.first().map(|result| result.rank).or(response.hits.first().map(|found| found.rank));
    if let Some(rank) = first {
        let _ = write!(out, "\n\nNext: casetrack show {rank}");
    }
    out
}

/// The number of results. If no results are shown but the complete list has passages, the number of passages and documents.
pub fn found(response: &SearchResponse) -> String {
    match (response.results.len() + response.hits.len(), &response.complete) {
        (0, Some(list)) if list.passages > 0 => {
            format!("{} in {}", counted(list.passages, "passage"), counted(list.documents, "document"))
        }
        (0, Some(_)) => counted(0, "passage"),
        (shown, _) => counted(shown as u64, "result"),
    }
}

fn push_result(out: &mut String, result: &SearchResult, response: &SearchResponse, explain: bool) {
    let (rank, excerpt, query) = (strong(&result.rank.to_string()), &result.excerpt, &response.query);
    let score = if response.complete.is_none() { format!("  {:.2}", result.score) } else { String::new() };
    let _ = write!(out, "\n\n{rank}  {}{}", strong(&one_line(&excerpt.citation)), dim(&score));
    for line in details(result, explain) {
        let _ = write!(out, "\n   {}", dim(&line));
    }
    let around = &result.surroundings;
    if around.before.is_some() || around.after.is_some() {
        around.before.iter().for_each(|text| quote(out, "·", &[text], query));
        quote(out, "│", &[&result.chunk.text], query);
        around.after.iter().for_each(|text| quote(out, "·", &[text], query));
    } else {
        let ends = excerpt.text.trim_end().ends_with(['.', '!', '?', ';', ':', '”', '"', ')']);
        let is_end = result.chunk.text.trim_end().ends_with(excerpt.text.trim_end());
        let more = if ends || is_end { "" } else { " …" };
        let mut blocks: Vec<&str> = excerpt.paragraphs().map(str::trim).collect();
        let last = format!("{}{more}", blocks.pop().unwrap_or_default());
        blocks.push(&last);
        quote(out, "│", &blocks, query);
    }
    let _ = write!(out, "\n   {}", dim(&one_line(&result.chunk.provenance.file_path)));
}

/// The parts of a passage, with a bar before each line and the words of the query marked. Each part begins a line. Empty lines are left out.
fn quote(out: &mut String, bar: &str, parts: &[&str], query: &str) {
    let lines = parts.iter().flat_map(|part| paragraphs(visible(part).lines()));
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let mut marked = String::with_capacity(line.len());
        let mut at = 0;
        for range in matched(query, &line) {
            marked.push_str(&line[at..range.start]);
            marked.push_str(&hit(&line[range.clone()]));
            at = range.end;
        }
        marked.push_str(&line[at..]);
        let _ = write!(out, "\n   {bar} {marked}");
    }
}

const FILE: &str = "last-search.json";

/// The results of the last search in a data directory, so that `casetrack show 3` shows the third.
#[derive(Debug, Serialize, Deserialize)]
pub struct LastSearch {
    pub query: String,
    results: Vec<RankedChunk>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct RankedChunk {
    rank: u32,
    collection: CollectionId,
    chunk: ChunkId,
}

impl LastSearch {
    /// Stores the results. A failure is only a note: it matters when they are needed later.
    pub fn remember(console: &Console, searched: &[CollectionId], response: &SearchResponse) {
        let id = |name: &Option<String>| match (name, searched) {
            (_, [only]) => Some(*only),
            (Some(name), _) => collections::find_collection(console.host(), name).ok().map(|found| found.id),
            (None, _) => None,
        };
        let results = response.results.iter().map(|result| (result.rank, &result.collection, result.chunk.chunk_id));
        let hits = response.hits.iter().map(|found| (found.rank, &found.collection, found.chunk_id));
        let numbered = |(rank, name, chunk)| Some(RankedChunk { rank, collection: id(name)?, chunk });
        let last = Self { query: response.query.clone(), results: results.chain(hits).filter_map(numbered).collect() };
        let engine = &console.engine;
        let told = match searched {
            [] => vaults::unlocked_vaults(engine.host()).unwrap_or_default(),
            some => some.to_vec(),
        };
        let written = serde_json::to_vec(&last).map_err(|error| Error::internal(error.to_string()));
        if let Err(error) = written.and_then(|json| engine.host().write_owned(&path(engine), FILE, &told, json)) {
            match error.code {
                // The search itself succeeds on a full disk.
                ErrorCode::DiskFull => tracing::debug!(%error, "the results cannot be shown by number"),
                _ => tracing::warn!(%error, "the results cannot be shown by number"),
            }
        }
    }

    /// Overwrites and removes the stored results before their collection takes another form, in which they could not be read.
    pub fn forget(engine: &Engine) -> Result<()> {
        engine.host().forget_owned(&path(engine))
    }

    /// The chunk that a number refers to, and its collection; `None` if the text is not a number.
    ///
    /// # Errors
    ///
    /// [`casetrack_core::ErrorCode::NotFound`] if the last search has no such result, [`casetrack_core::ErrorCode::Locked`] if it was in a
    /// vault that is locked.
    pub fn chunk(engine: &Engine, number: &str) -> Result<Option<(CollectionId, ChunkId, Self)>> {
        if number.len() > MAX_DIGITS || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(None);
        }
        let Ok(rank) = number.parse::<u32>() else { return Ok(None) };
        let missing = |message: String| {
            Error::new(casetrack_core::ErrorCode::NotFound, message)
                .with_hint("Search first with `casetrack search`; its results can then be shown by number.")
        };
        let last = engine.host().read_owned(&path(engine), FILE)?;
        let last = last.and_then(|(json, owner)| Some((serde_json::from_slice::<Self>(&json).ok()?, owner)));
        let Some((last, owner)) = last else {
            return Err(missing(format!("There is no result {rank}: nothing was searched yet.")));
        };
        engine.host().check_told(FILE, owner, last.results.iter().map(|result| result.collection))?;
        let Some(found) = last.results.iter().find(|result| result.rank == rank).copied() else {
            let query = shorten(&last.query, QUERY_CHARS);
            let count = counted(last.results.len() as u64, "result");
            return Err(missing(format!("There is no result {rank}: the last search, \"{query}\", listed {count}.")));
        };
        Ok(Some((found.collection, found.chunk, last)))
    }

    /// `Result 3 of the search "late payment"`
    pub fn heading(&self, number: &str) -> String {
        format!("Result {number} of the search \"{}\"", shorten(&self.query, QUERY_CHARS))
    }
}

fn path(engine: &Engine) -> PathBuf {
    engine.host().config().data_dir.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_query_are_marked_in_each_line() {
        let mut out = String::new();
        quote(&mut out, "│", &["Late payments\nbear interest."], "interest on late payment");
        assert_eq!(out, format!("\n   │ {} {}\n   │ bear {}.", hit("Late"), hit("payments"), hit("interest")));
    }

    #[test]
    fn paragraphs_and_rows_of_an_excerpt_keep_lines_of_their_own() {
        let wrapped = ["The tenant pays the rent of the house and of the land on the", "first day of each month"];
        let heading = "The duties of the landlord and of the other owners of the house";
        let wrapped = wrapped.join("\n");
        let mut out = String::new();
        quote(&mut out, "│", &[heading, &wrapped, "May\t1,200"], "garage");
        assert_eq!(out, format!("\n   │ {heading}\n   │ {}\n   │ May\t1,200", wrapped.replace('\n', " ")));
    }
}
