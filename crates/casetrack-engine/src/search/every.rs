//! One question asked of every document.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use casetrack_core::{ChunkId, CollectionId, DocumentId, Error, Notice, Result};
use casetrack_store::{Collection, Filter, Telling};
use schemars::JsonSchema;
use serde::Serialize;

use super::clauses::{self, Clause};
use super::fusion::Candidate;
use super::query::{self, Understood};
use super::{Filters, Scope, Weights, excerpt, filter, recall};
use crate::documents::chunks::{self, ChunkView};
use crate::host::Host;
use crate::paging::check_range;

/// Most rows of one answer.
pub const MAX_ROWS: u32 = 1000;
/// The best passages of a document, which are read.
const READ: usize = 3;
/// What the best passages of a document count, best first.
const COUNT: [f32; READ] = [1.0, 0.5, 0.25];
/// Words decide more here than in a search: a passage that is about something else is always similar to some question.
const WEIGHTS: Weights = Weights { bm25: 1.0, dense: 0.5, sparse: 0.5 };
/// The sum of these weights.
const FUSED: f32 = 2.0;
/// What the words of the question count that stand together in a passage, and a clause that is said there.
const TOGETHER: f32 = 2.0;
const SAID: f32 = 2.0;
/// A document answers where its score is this share of the mean of the best …
const ANSWERS: f32 = 0.6;
/// … so many. Calibrated with benches/sweeps.py on every other category of clauses.
const BEST: usize = 5;
/// Nothing answers a question of whose words less than this share stands together anywhere, and whose clause nothing says.
const LEAST: f32 = 0.5;

#[derive(Debug, Clone)]
pub struct EveryRequest {
    /// A question, or words, as for a search.
    pub question: String,
    /// Restrict to documents of these names or ids.
    pub documents: Vec<String>,
    /// The deciding sentence of each document instead of its best passage.
    pub brief: bool,
    /// Rows to pass over.
    pub offset: u32,
    /// Most rows, 1–[`MAX_ROWS`].
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EveryAnswer {
    pub question: String,
    pub collection: String,
    /// Documents that were asked.
    pub documents: u64,
    /// Those of them that answer.
    pub found: u64,
    pub elapsed_ms: f64,
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
    /// A row for each document: first those that answer, best first, then the others, nearest first.
    pub rows: Vec<DocumentAnswer>,
    /// The `offset` of the rows that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

/// What one document says to a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentAnswer {
    pub document_name: String,
    /// Whether the document answers; otherwise nothing was found there.
    pub found: bool,
    /// How near it is, comparable within one answer; one of 1 or more is as good as the best five on average.
    pub score: f32,
    /// Of a document that answers: where the quotation stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// The sentences that decide, verbatim; where the answer is brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<ChunkId>,
    /// The best passage, where the answer is not brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<ChunkView>,
}

/// The best passage of a document, and how near the document is.
struct Best {
    document: DocumentId,
    score: f32,
    passage: Option<ChunkView>,
    /// The words of the passage that say what is asked for.
    said: String,
}

impl Host {
    /// Asks each document of a collection a question. Costs a search of all passages and reads three of each document.
    pub fn ask_every_document(&self, collection: CollectionId, request: &EveryRequest) -> Result<EveryAnswer> {
        let started = Instant::now();
        let question = request.question.trim();
        if question.is_empty() {
            return Err(Error::invalid("The question is empty.").with_hint("Ask as you would ask a colleague."));
        }
        check_range("limit", request.limit, 1..=MAX_ROWS)?;
        if query::is_complete(question)? {
            return Err(Error::invalid(
                "The question consists of conditions only; there is nothing to rank documents by.",
            )
            .with_hint("Ask in words. A search gives the complete list of passages that fulfil conditions."));
        }
        let collection = self.collection(collection)?;
        let Understood { text, filters, words, mut notices, .. } = query::understand(&collection, question)?;
        let named = Filters { documents: request.documents.clone(), ..Filters::default() };
        let selection = filter::left(self, &collection, [&named, &filters], &words, &mut notices)?;
        let catalogue = collection.catalogue()?;
        let asked: HashSet<DocumentId> = match &selection {
            Some(selection) => selection.document_ids().collect(),
            None => catalogue.iter().map(|entry| entry.id).collect(),
        };
        let scope = Scope { keywords: &text, filter: Filter { selection, documents: None } };
        let count = collection.counts()?.chunks.max(1) as usize;
        let recalled = recall(self, &collection, &text, count, &[scope])?.remove(0);
        let weights = if recalled.weights == Weights::default() { WEIGHTS } else { recalled.weights };
        let (mut answers, together) = answers(&collection, &text, recalled.fused_with(weights))?;

        let best: f32 = answers.iter().take(BEST).map(|answer| answer.score).sum();
        let best = best / answers.len().clamp(1, BEST) as f32;
        let is_known = together >= LEAST;
        let known: HashSet<DocumentId> = answers.iter().map(|answer| answer.document).collect();
        let silent = asked.iter().filter(|document| !known.contains(document));
        answers.extend(silent.map(|&document| Best { document, score: 0.0, passage: None, said: String::new() }));
        let names: HashMap<DocumentId, String> = catalogue.iter().map(|entry| (entry.id, entry.name.clone())).collect();
        let mut rows = Vec::new();
        for answer in answers.iter().filter(|answer| asked.contains(&answer.document)) {
            let Some(name) = names.get(&answer.document) else { continue };
            let score = if best > 0.0 { answer.score / best } else { 0.0 };
            rows.push((name, score, answer));
        }
        rows.sort_by(|(a_name, a, _), (b_name, b, _)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
        let found = rows.iter().filter(|(_, score, _)| is_known && *score >= ANSWERS).count() as u64;
        let total = rows.len() as u64;
        let limit = match self.config().tier.max_results() {
            Some(most) if most < request.limit => {
                let tier = self.config().tier.label();
                notices.push(format!("The {tier} tier shows {most} documents at a time. Upgrade to Pro for more."));
                most
            }
            _ => request.limit,
        };
        let shown = rows.into_iter().enumerate().skip(request.offset as usize).take(limit as usize);
        let rows: Vec<DocumentAnswer> = shown
            .map(|(n, (name, score, answer))| row(name, score, answer, (n as u64) < found, &text, request.brief))
            .collect();
        let end = u64::from(request.offset) + rows.len() as u64;
        Ok(EveryAnswer {
            question: question.to_owned(),
            collection: collection.meta().name.clone(),
            documents: total,
            found,
            elapsed_ms: started.elapsed().as_secs_f64() * 1000.0,
            notices: notices.into_iter().map(Notice::from).chain(recalled.notices).collect(),
            next_offset: (end < total && !rows.is_empty()).then_some(end),
            rows,
        })
    }
}

fn row(name: &str, score: f32, answer: &Best, found: bool, question: &str, brief: bool) -> DocumentAnswer {
    let mut row = DocumentAnswer {
        document_name: name.to_owned(),
        found,
        score,
        citation: None,
        quote: None,
        chunk_id: None,
        passage: None,
    };
    if let Some(passage) = answer.passage.as_ref().filter(|_| found) {
        let words = format!("{question} {}", answer.said);
        let excerpt = excerpt::excerpt(&words, passage, true);
        row.chunk_id = Some(passage.chunk_id);
        match brief {
            true => (row.citation, row.quote) = (Some(excerpt.citation), Some(excerpt.text)),
            false => (row.citation, row.passage) = (Some(passage.citation.clone()), Some(passage.clone())),
        }
    }
    row
}

/// Each document that has a candidate, best first, and the most that any passage says of what is asked (0–1).
fn answers(collection: &Collection, question: &str, candidates: Vec<Candidate>) -> Result<(Vec<Best>, f32)> {
    let telling = collection.telling(question)?;
    let clauses = clauses::asked(question);
    let mut of_document: HashMap<DocumentId, Vec<Candidate>> = HashMap::new();
    for candidate in candidates {
        let best = of_document.entry(candidate.document).or_default();
        if best.len() < READ {
            best.push(candidate);
        }
    }
    let mut passages = collection.passages();
    let mut answers = Vec::new();
    let mut most: f32 = 0.0;
    for (document, candidates) in of_document {
        let mut read: Vec<(f32, ChunkView, String)> = Vec::new();
        for candidate in candidates {
            let Some(passage) = passages.at(document, candidate.index)? else { continue };
            let passage = chunks::view(passage);
            let (together, clause, said) = says(&telling, &clauses, &passage.text);
            most = most.max(together).max(clause);
            read.push((FUSED * candidate.score + TOGETHER * together + SAID * clause, passage, said));
        }
        read.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        let score = read.iter().zip(COUNT).map(|((score, ..), counts)| score * counts).sum();
        if let Some((_, passage, said)) = read.into_iter().next() {
            answers.push(Best { document, score, passage: Some(passage), said });
        }
    }
    answers.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document)));
    Ok((answers, most))
}

/// How much of a question's words stands together in a text, and of its clauses is said there, 0–1 each; with the words that say it.
fn says(telling: &Telling, clauses: &[&Clause], text: &str) -> (f32, f32, String) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (together, place) = telling.densest(&text);
    let mut words = text.get(place).unwrap_or_default().to_owned();
    let mut most: f32 = 0.0;
    for (share, said) in clauses.iter().map(|clause| clause.said(&text)) {
        if share > most {
            (most, words) = (share, said.join(" "));
        }
    }
    (together, most, words)
}
