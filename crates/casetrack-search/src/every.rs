//! One question asked of every document.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use casetrack_core::{
    ChunkId, CitationStyle, CollectionId, DocumentId, DocumentType, Error, Notice, Result, single_spaced,
};
use casetrack_nlp::FactKind;
use casetrack_store::{CatalogueEntry, Collection, DensityReader, Filter, Passage, TermWeights};
use schemars::JsonSchema;
use serde::Serialize;

use super::answers::{self, Answer};
use super::clauses::{self, AskedClause};
use super::evidence::{Evidence, OF_CLAUSES, OF_WORDS, Weighing};
use super::excerpt::{self, Extent};
use super::query::{self, Understood};
use super::results::{self, PageBlocks};
use super::statements::{self, Statement};
use super::worth::Question;
use super::{Excerpt, Filters, Scope, Weights, cover, filter, recall};
use crate::ranking::fusion::Candidate;
use casetrack_host::documents::chunks::{self, ChunkView};
use casetrack_host::paging::check_range;
use casetrack_host::{Host, OpenCollection};

pub const MAX_ROWS: u32 = 1000;
/// The best passages of a document, which are read …
const READ: usize = 3;
/// … and the same if the wordings of the clause are known. Chosen from 3, 6 and 12 on the first half of the categories of
/// benches/retrieval/sweeps.py; reading 40 adds little.
const READ_FOR_CLAUSES: usize = 12;
/// The weights of the best of these, best first.
const COUNT: [f32; 3] = [1.0, 0.5, 0.25];
/// Words weigh more here than in a search: a passage about something else is always similar to some question.
const WEIGHTS: Weights = Weights { bm25: 1.0, dense: 0.5, sparse: 0.5 };
/// The weight of the score of a part of a table of contents.
const LISTED: f32 = 0.1;
const BEST: usize = 5;
/// Words shown of a passage if its beginning answers.
const BEGINNING_WORDS: usize = 12;

#[derive(Debug, Clone)]
pub struct EveryRequest {
    /// A question, or words, as for a search.
    pub question: String,
    /// Restrict to documents of these names or ids.
    pub documents: Vec<String>,
    /// The deciding sentence of each document instead of its best passage.
    pub brief: bool,
    pub offset: u32,
    /// Most rows, 1–[`MAX_ROWS`].
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EveryAnswer {
    pub question: String,
    pub collection: String,
    pub documents: u64,
    pub found: u64,
    pub elapsed_ms: f64,
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
    /// A row for each document: first those that answer, best first; then those that state the contrary; then the others, nearest first.
    pub rows: Vec<DocumentAnswer>,
    /// The `offset` of the rows that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DocumentAnswer {
    pub document_name: String,
    pub found: bool,
    /// Its nearness, comparable within one answer; 1 is as good as the best five on average.
    pub score: f32,
    /// True if it states the contrary, such as "non-exclusive" to a question for exclusive rights; it is not counted as found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contrary: bool,
    /// The place of the quotation, if the document answers or states the contrary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// The deciding sentences, verbatim, if the answer is brief.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_id: Option<ChunkId>,
    /// The best passage, if the answer is not brief, and the sentences of it that answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passage: Option<ChunkView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
}

/// The best passage of a document, and how near the document is.
struct Best {
    document: DocumentId,
    score: f32,
    evidence: Evidence,
    passage: Option<ChunkView>,
    /// The phrases of the passage that answer.
    said: Vec<String>,
    /// True if no passage answers, and this one states the contrary.
    contrary: bool,
    /// The statement of its facts about the clause that is asked for, if they are known. It decides then.
    statement: Option<Statement>,
}

/// Asks each document of a collection a question. Costs a search of all passages, and reads three of each document, or twelve
/// for a kind of clause that is known. A question for only such a clause also costs the facts of all contracts, as the matter sheet does. Its
/// answer is the same in all wordings.
pub fn ask_every_document(host: &Host, collection: CollectionId, request: &EveryRequest) -> Result<EveryAnswer> {
    let started = Instant::now();
    let question = checked_question(request)?;
    let collection = host.collection(collection)?;
    let Understood { text, filters, words, mut notices, .. } = query::understand(host, &collection, question)?;
    let named = Filters { documents: request.documents.clone(), ..Filters::default() };
    let selection = filter::left(host, &collection, [&named, &filters], &words, &mut notices)?;
    let catalogue = collection.catalogue()?;
    let asked: HashSet<DocumentId> = match &selection {
        Some(selection) => selection.document_ids().collect(),
        None => catalogue.iter().map(|entry| entry.id).collect(),
    };
    let asks = Asks::of(&collection, &text)?;
    let words = asks.wording.as_deref().unwrap_or(&text);
    let scope = Scope { keywords: words, filter: Filter { selection, documents: None } };
    let count = collection.counts()?.chunks.max(1) as usize;
    let recalled = recall(host, &collection, words, count, &[scope])?.remove(0);
    let know_the_language = Weights { bm25: recalled.weights.bm25, ..Weights::default() };
    let weights = if recalled.weights == know_the_language { WEIGHTS } else { recalled.weights };
    let style = &host.config().citations;
    let mut answers = answers(&collection, &asks, style, recalled.fused_with(weights))?;
    add_silent(&mut answers, &asked);
    state(&collection, &asks, &catalogue, &mut answers)?;
    let rows = ranked(&asks, answers, &asked, &catalogue);
    let found = rows.iter().filter(|(_, _, found, _)| *found).count() as u64;
    let total = rows.len() as u64;
    let tier = host.config().tier;
    let most = tier.max_results().map_or(total, u64::from).min(total);
    if most < total {
        notices.push(format!("The {} tier shows the first {most} documents. Upgrade to Pro for more.", tier.label()));
    }
    let limit = most.saturating_sub(request.offset.into()).min(request.limit.into()) as usize;
    let shown = rows.into_iter().skip(request.offset as usize).take(limit);
    let mut pages = PageBlocks::new();
    let rows = shown
        .map(|(name, score, found, answer)| {
            let answer = with_statement(&collection, style, answer)?;
            row(&collection, &mut pages, (name, score, found), &answer, &text, request.brief)
        })
        .collect::<Result<Vec<DocumentAnswer>>>()?;
    let end = u64::from(request.offset) + rows.len() as u64;
    Ok(EveryAnswer {
        question: question.to_owned(),
        collection: collection.meta().name.clone(),
        documents: total,
        found,
        elapsed_ms: started.elapsed().as_secs_f64() * 1000.0,
        notices: notices.into_iter().map(Notice::from).chain(recalled.notices).collect(),
        next_offset: (end < most && !rows.is_empty()).then_some(end),
        rows,
    })
}

fn checked_question(request: &EveryRequest) -> Result<&str> {
    let question = request.question.trim();
    if question.is_empty() {
        return Err(Error::invalid("The question is empty.").with_hint("Ask as you would ask a colleague."));
    }
    check_range("limit", request.limit, 1..=MAX_ROWS)?;
    if query::is_complete(question)? {
        return Err(Error::invalid("The question consists of conditions only; there is nothing to rank documents by.")
            .with_hint("Ask in words. A search gives the complete list of passages that fulfil conditions."));
    }
    Ok(question)
}

/// The `asked` documents in the order of [`EveryAnswer::rows`], each with its name, its nearness and whether it answers.
fn ranked<'c>(
    asks: &Asks,
    answers: Vec<Best>,
    asked: &HashSet<DocumentId>,
    catalogue: &'c [Arc<CatalogueEntry>],
) -> Vec<(&'c str, f32, bool, Best)> {
    let scores: Vec<f32> = answers.iter().map(|answer| answer.score).filter(|score| *score > 0.0).take(BEST).collect();
    let best = scores.iter().sum::<f32>() / scores.len().max(1) as f32;
    let most = answers.iter().map(|answer| answer.evidence).fold(Evidence::default(), Evidence::max);
    let names: HashMap<DocumentId, &str> = catalogue.iter().map(|entry| (entry.id, entry.name.as_str())).collect();
    let mut rows = Vec::new();
    for answer in answers.into_iter().filter(|answer| asked.contains(&answer.document)) {
        let Some(&name) = names.get(&answer.document) else { continue };
        let score = if best > 0.0 { answer.score / best } else { 0.0 };
        let (score, found) = match &answer.statement {
            Some(Statement::Says(place)) => (score.max(place.probability), true),
            Some(_) => (score, false),
            None if asks.only_wordings() => (score, answer.evidence.states_a_clause()),
            None => {
                let admitted = asks.weighing().admits(score, answer.evidence) && asks.is_stated(answer.evidence);
                // If a question is for only a clause, only the words of the clause answer it.
                let says = answer.evidence.said > 0.0 || asks.wording.is_none();
                (score, most.is_enough() && admitted && says)
            }
        };
        rows.push((name, score, found, answer));
    }
    rows.sort_by(|(a_name, a, a_found, a_best), (b_name, b, b_found, b_best)| {
        let says = (b_found, b_best.contrary).cmp(&(a_found, a_best.contrary));
        says.then_with(|| b.total_cmp(a)).then_with(|| a_name.cmp(b_name))
    });
    rows
}

/// Adds the documents without any passage that answers.
fn add_silent(answers: &mut Vec<Best>, asked: &HashSet<DocumentId>) {
    let known: HashSet<DocumentId> = answers.iter().map(|answer| answer.document).collect();
    let silent = asked.iter().filter(|document| !known.contains(document)).map(|&document| Best {
        document,
        score: 0.0,
        evidence: Evidence::default(),
        passage: None,
        said: Vec::new(),
        contrary: false,
        statement: None,
    });
    answers.extend(silent);
}

/// Adds the statements of contracts, if the question is for only a clause that facts state.
fn state(
    collection: &OpenCollection,
    asks: &Asks,
    catalogue: &[Arc<CatalogueEntry>],
    answers: &mut [Best],
) -> Result<()> {
    let types: HashMap<DocumentId, DocumentType> =
        catalogue.iter().map(|entry| (entry.id, entry.document_type)).collect();
    let is_contract = |document: &DocumentId| types.get(document) == Some(&DocumentType::Contract);
    let contracts: Vec<DocumentId> = answers.iter().map(|answer| answer.document).filter(is_contract).collect();
    let mut statements = statements::statements(collection, &contracts, &asks.facts())?;
    for answer in answers {
        answer.statement = statements.remove(&answer.document);
        if let Some(statement) = &answer.statement {
            answer.contrary = matches!(statement, Statement::StatesTheContrary(_));
        }
    }
    Ok(())
}

/// An answer with the passage of its statement and the place in it, if there is a statement.
fn with_statement(
    collection: &OpenCollection,
    style: &CitationStyle,
    mut answer: Best,
) -> Result<(Best, Option<Range<usize>>)> {
    let place = answer.statement.as_ref().and_then(Statement::place);
    let stated =
        place.map(|place| statements::passage(collection, answer.document, place, style)).transpose()?.flatten();
    let Some((passage, chars)) = stated else { return Ok((answer, None)) };
    answer.passage = Some(passage);
    Ok((answer, Some(chars)))
}

fn row(
    collection: &Collection,
    pages: &mut PageBlocks,
    (name, score, found): (&str, f32, bool),
    (answer, stated): &(Best, Option<Range<usize>>),
    question: &str,
    brief: bool,
) -> Result<DocumentAnswer> {
    let mut row = DocumentAnswer {
        document_name: name.to_owned(),
        found,
        score,
        contrary: !found && answer.contrary,
        citation: None,
        quote: None,
        chunk_id: None,
        passage: None,
        excerpt: None,
    };
    if let Some(passage) = answer.passage.as_ref().filter(|_| found || answer.contrary) {
        row.chunk_id = Some(passage.chunk_id);
        let (mut passage, words) = (passage.clone(), format!("{question} {}", answer.said.join(" ")));
        let extent = if brief { Extent::Line } else { Extent::Short };
        let whole = passage.provenance.heading_path.clone();
        let excerpt = results::shown(collection, &mut passage, pages, |passage, blocks| match stated {
            Some(chars) => excerpt::of_statement(chars, passage, blocks, extent),
            None => excerpt::around(&answer.said, &Question::of(&words), passage, blocks, extent),
        })?;
        if brief {
            (row.citation, row.quote) = (Some(excerpt.citation), Some(excerpt.text));
        } else {
            passage.provenance.heading_path = whole;
            row.citation = Some(passage.citation.clone());
            (row.passage, row.excerpt) = (Some(passage), Some(excerpt));
        }
    }
    Ok(row)
}

struct Asks {
    weights: TermWeights,
    clauses: Vec<AskedClause>,
    /// True if the answer is at the beginning of documents.
    beginning: bool,
    /// The kinds of answers that it asks for.
    answers: Vec<&'static Answer>,
    /// The question that replaces its wording, if it asks only for known clauses.
    wording: Option<String>,
}

impl Asks {
    fn of(collection: &Collection, question: &str) -> Result<Self> {
        let clauses = clauses::asked(question);
        let wording = clauses::wording(question, &clauses);
        let question = wording.as_deref().unwrap_or(question);
        let (weights, answers) = (collection.term_weights(question)?, answers::asked(question));
        Ok(Self { weights, clauses, beginning: cover::asks(question), answers, wording })
    }

    /// The facts that answer; none if the question is for more than clauses, or for a clause that no facts state.
    fn facts(&self) -> Vec<FactKind> {
        let has_all = self.wording.is_some() && self.clauses.iter().all(|clause| !clause.facts().is_empty());
        let facts = self.clauses.iter().filter(|_| has_all).flat_map(AskedClause::facts);
        facts.copied().collect()
    }

    /// True if it is only for clauses that no facts state: a document answers if a passage has their wordings.
    fn only_wordings(&self) -> bool {
        self.wording.is_some() && !self.beginning && self.clauses.iter().all(|clause| clause.facts().is_empty())
    }

    /// True unless a passage only mentions what it should state, as a recital mentions "a lower rate of interest".
    fn is_stated(&self, evidence: Evidence) -> bool {
        self.answers.is_empty() || self.beginning || evidence.stated > 0.0 || evidence.said > 0.0
    }

    fn weighing(&self) -> Weighing {
        if self.beginning || !self.clauses.is_empty() { OF_CLAUSES } else { OF_WORDS }
    }

    fn evidence(
        &self,
        density: &mut DensityReader<'_>,
        candidate: &Candidate,
        passage: &Passage,
    ) -> (Evidence, Vec<String>) {
        let cosine = candidate.dense.map_or(0.0, |dense| dense.score);
        let text = single_spaced(&passage.chunk.text);
        if !self.beginning && clauses::lists_pages(&text) {
            return (Evidence { cosine, ..Evidence::default() }, Vec::new());
        }
        let (together, place) = density.densest(&text, passage.document.meta.properties.language.as_deref());
        let states = self.answers.iter().any(|answer| answer.is_in(sentences_with(&text, place.clone())));
        let stated = if states { together } else { 0.0 };
        let mut phrases = vec![text.get(place).unwrap_or_default().to_owned()];
        let mut most: f32 = 0.0;
        for (share, said) in self.clauses.iter().map(|clause| clause.said(&text)) {
            if share > most {
                (most, phrases) = (share, said);
            }
        }
        let beginning = if self.beginning { cover::share(candidate.index) } else { 0.0 };
        if beginning > most {
            most = beginning;
            phrases = vec![text.split(' ').take(BEGINNING_WORDS).collect::<Vec<_>>().join(" ")];
        }
        (Evidence { together, said: most, cosine, stated }, phrases)
    }
}

/// The sentences of a text that a range of its bytes touches.
fn sentences_with(text: &str, place: Range<usize>) -> &str {
    let start = text.get(..place.start).and_then(|before| before.rfind(". ")).map_or(0, |at| at + 2);
    let end = text.get(place.end..).and_then(|after| after.find(". ")).map_or(text.len(), |at| place.end + at);
    text.get(start..end).unwrap_or_default()
}

fn answers(
    collection: &Collection,
    asks: &Asks,
    style: &CitationStyle,
    candidates: Vec<Candidate>,
) -> Result<Vec<Best>> {
    let most = if asks.clauses.is_empty() { READ } else { READ_FOR_CLAUSES };
    let mut of_document: HashMap<DocumentId, Vec<Candidate>> = HashMap::new();
    for candidate in candidates {
        let best = of_document.entry(candidate.document).or_default();
        if best.len() < most {
            best.push(candidate);
        } else if asks.beginning && candidate.index == 0 {
            best.pop();
            best.push(candidate);
        }
    }
    let mut documents: Vec<(DocumentId, Vec<Candidate>)> = of_document.into_iter().collect();
    for (_, candidates) in &mut documents {
        candidates.sort_unstable_by_key(|candidate| candidate.index);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let parts = documents.chunks(documents.len().div_ceil(threads).max(1));
    let read: Vec<Result<Vec<Best>>> = thread::scope(|scope| {
        let readers: Vec<_> = parts.map(|part| scope.spawn(move || read(collection, asks, style, part))).collect();
        let ended = |_| Err(Error::internal("The reading of documents ended unexpectedly; see the log"));
        readers.into_iter().map(|reader| reader.join().unwrap_or_else(ended)).collect()
    });
    let mut answers: Vec<Best> = read.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    answers.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document)));
    Ok(answers)
}

fn read(
    collection: &Collection,
    asks: &Asks,
    style: &CitationStyle,
    documents: &[(DocumentId, Vec<Candidate>)],
) -> Result<Vec<Best>> {
    let mut passages = collection.passages();
    let mut density = asks.weights.reader();
    let mut answers = Vec::new();
    for (document, candidates) in documents {
        let mut evidence = Evidence::default();
        let mut read: Vec<(f32, Passage, Vec<String>)> = Vec::new();
        for passage in
            passages.some(*document, &candidates.iter().map(|candidate| candidate.index).collect::<Vec<_>>())?
        {
            let place = candidates.binary_search_by_key(&passage.chunk.index, |candidate| candidate.index);
            let Some(candidate) = place.ok().and_then(|place| candidates.get(place)) else { continue };
            let (own, said) = asks.evidence(&mut density, candidate, &passage);
            evidence = evidence.max(own);
            // A passage without a phrase is a table of contents: it names clauses but does not state them.
            let counts = if said.is_empty() { LISTED } else { 1.0 };
            read.push((candidate.score * counts + own.together + own.said + own.stated, passage, said));
        }
        read.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        let score = read.iter().zip(COUNT).map(|((score, ..), counts)| score * counts).sum();
        let contrary = (evidence.said == 0.0).then(|| contrary(asks, &read)).flatten();
        let is_contrary = contrary.is_some();
        if let Some((passage, said)) =
            contrary.or_else(|| read.into_iter().next().map(|(_, passage, said)| (passage, said)))
        {
            let passage = Some(chunks::view(passage, style));
            answers.push(Best {
                document: *document,
                score,
                evidence,
                passage,
                said,
                contrary: is_contrary,
                statement: None,
            });
        }
    }
    Ok(answers)
}

/// The best passage that states the contrary of a clause that is asked for, with its phrases.
fn contrary(asks: &Asks, read: &[(f32, Passage, Vec<String>)]) -> Option<(Passage, Vec<String>)> {
    read.iter().find_map(|(_, passage, _)| {
        let text = single_spaced(&passage.chunk.text);
        let phrases: Vec<String> = asks.clauses.iter().filter_map(|clause| clause.contrary(&text)).collect();
        (!phrases.is_empty()).then(|| (passage.clone(), phrases))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_around_a_place_are_read() {
        let text = "He may ask for interest. It shall pay simple interest at 4 per cent per annum. Nothing else.";
        let place = text.find("pay simple").unwrap()..text.find(" at 4").unwrap();
        assert_eq!(sentences_with(text, place), "It shall pay simple interest at 4 per cent per annum");
    }
}
