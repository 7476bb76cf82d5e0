//! How good retrieval is on judged queries: by stage, fused, and as searches answer.
//!
//! The documents go through the ordinary ingestion into a collection of the engine's own data directory, so the engine has to be
//! one of a directory for this purpose. What it is given once is found again, and ingestion skips it.

mod beir;
mod configuration;
mod metrics;
mod ranking;
mod report;
mod significance;
mod spans;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, CollectionId, DocumentId, Error, ErrorCode, ProgressSink, Result};
use casetrack_store::{Collection, Filter, Hit};
use serde::de::DeserializeOwned;

use crate::collections::{CreateCollection, create_collection, list_collections};
use crate::host::Host;
use crate::ingest::{IngestRequest, ingest};
use crate::search::{self, Fusion, MAX_TOP_K, RECALL, SearchRequest, recall};

pub use configuration::{Configuration, Ranker, Stage};
pub use report::{Comparison, Difference, EvalReport, Latency, Measured, SystemResult};

use ranking::Found;

/// Name of the collection that holds the documents.
const COLLECTION: &str = "eval";

/// What the measures of each kind of judgement are called, in the order of their values.
const OF_DOCUMENTS: [&str; 4] = ["nDCG@10", "recall@10", "recall@100", "MRR@10"];
const OF_SPANS: [&str; 3] = ["recall@5", "recall@10", "recall@20"];

#[derive(Debug, Clone)]
pub struct EvalRequest {
    /// corpus.jsonl, queries.jsonl and qrels.tsv, or spans.jsonl.
    pub directory: PathBuf,
    /// The documents that spans.jsonl names; `documents` in `directory` when `None`.
    pub documents: Option<PathBuf>,
    /// Each query of spans.jsonl is asked of each file that has a span for it, alone.
    pub within_files: bool,
    /// Where the entries of corpus.jsonl are written as files. A directory for nothing else.
    pub corpus_files: PathBuf,
    /// Results that are asked of the whole pipeline, 1–[`MAX_TOP_K`].
    pub top_k: u32,
    /// Rankings to measure beside the stages and the default fusion.
    pub also: Vec<Configuration>,
    /// Two rankings to test against each other.
    pub compare: Option<(Configuration, Configuration)>,
}

/// What is to be found, by the kind of judgement.
enum Judged {
    Documents { queries: Vec<beir::JudgedQuery>, ids: HashMap<DocumentId, Vec<String>> },
    Spans(Vec<spans::SpanQuery>),
}

pub(crate) fn evaluate(
    host: &Host,
    request: &EvalRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<EvalReport> {
    if !(1..=MAX_TOP_K).contains(&request.top_k) {
        return Err(Error::invalid(format!("top_k is {}; it must be between 1 and {MAX_TOP_K}.", request.top_k)));
    }
    let mut notices = Vec::new();
    let collection = eval_collection(host)?;
    let of_documents = request.directory.join(beir::CORPUS).exists();
    let judged = if of_documents {
        // Read first: a mistake in them is known before ingestion takes its time.
        let queries = beir::queries(&request.directory)?;
        let corpus = beir::Corpus::write(&request.directory, &request.corpus_files)?;
        if corpus.empty > 0 {
            notices.push(format!("{} entries of the corpus have no text and were left out.", corpus.empty));
        }
        let stored = ingest_all(host, collection, corpus.paths(), progress, cancel, &mut notices)?;
        Judged::Documents { queries, ids: corpus.ids(&stored) }
    } else if request.directory.join(spans::SPANS).exists() {
        let documents = request.documents.clone().unwrap_or_else(|| request.directory.join("documents"));
        let stored = ingest_all(host, collection, vec![documents.clone()], progress, cancel, &mut notices)?;
        let opened = host.collection(collection)?;
        let queries = spans::queries(&request.directory, &documents, request.within_files, &opened, &stored)?;
        Judged::Spans(queries)
    } else {
        let message = format!("{} has neither {} nor {}.", request.directory.display(), beir::CORPUS, spans::SPANS);
        return Err(Error::new(ErrorCode::FileNotFound, message)
            .with_hint("`casetrack eval --help` tells which files a set of judgements consists of."));
    };
    if judged.len() == 0 {
        let message = format!("{} judges nothing as relevant.", request.directory.display());
        return Err(Error::invalid(message));
    }
    measure(host, request, collection, &judged, notices, cancel)
}

/// The collection of the data directory, made where there is none.
fn eval_collection(host: &Host) -> Result<CollectionId> {
    if let Some(there) = list_collections(host, None)?.into_iter().find(|found| found.meta.name == COLLECTION) {
        return Ok(there.meta.id);
    }
    let request = CreateCollection { name: COLLECTION.to_owned(), ..CreateCollection::default() };
    Ok(create_collection(host, request)?.id)
}

/// Ingests, and deletes documents of an earlier run that are not among these. The document of each file: one that has the same
/// content under another path where there is such a one.
fn ingest_all(
    host: &Host,
    collection: CollectionId,
    paths: Vec<PathBuf>,
    progress: &ProgressSink,
    cancel: &Cancel,
    notices: &mut Vec<String>,
) -> Result<HashMap<String, DocumentId>> {
    let report = ingest(host, collection, &IngestRequest::new(paths), progress, cancel)?;
    if let Some(problem) = &report.stopped {
        return Err(match cancel.is_cancelled() {
            true => Error::cancelled(),
            false => Error::new(ErrorCode::Io, format!("The documents could not be ingested: {}", problem.message)),
        });
    }
    for file in &report.failed {
        notices.push(format!("{} was not ingested: {}", file.relative_path, file.problem.message));
    }
    notices.extend(report.notices.iter().cloned());
    let ingested = report.ingested.iter().map(|document| (document.path.clone(), document.document_id));
    let skipped = report.skipped.iter().filter_map(|file| Some((file.path.clone(), file.document_id?)));
    let stored = ingested.chain(skipped).collect();
    remove_others(&*host.collection(collection)?, &stored)?;
    Ok(stored)
}

fn measure(
    host: &Host,
    request: &EvalRequest,
    id: CollectionId,
    judged: &Judged,
    mut notices: Vec<String>,
    cancel: &Cancel,
) -> Result<EvalReport> {
    let collection = host.collection(id)?;
    let found = judged.found(&collection)?;
    let mut systems = vec![
        ("BM25", Ranker::Stage(Stage::Bm25)),
        ("dense E1", Ranker::Stage(Stage::Dense)),
        ("sparse E6", Ranker::Stage(Stage::Sparse)),
        ("fused", Ranker::Fused(Fusion::default())),
    ];
    let compared = request.compare.iter().flat_map(|(a, b)| [a, b]);
    systems.extend(request.also.iter().chain(compared).map(|other| (other.name.as_str(), other.ranker)));
    // For each ranking, the measures of each query. The whole pipeline comes after the four above.
    const PIPELINE: usize = 4;
    let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); systems.len()];
    let mut whole = Vec::new();
    let mut times = Vec::new();

    for query in 0..judged.len() {
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let (text, within) = judged.query(query);
        let search = SearchRequest {
            query: text.to_owned(),
            top_k: request.top_k,
            document: within.map(|document| document.to_string()),
            ..SearchRequest::default()
        };
        if query == 0 {
            // Loads models and indexes.
            search::search(host, id, &search)?;
        }
        let response = search::search(host, id, &search)?;
        times.push(response.elapsed_ms);
        let answers = response.results.iter().map(|result| Hit {
            document: result.chunk.provenance.document_id,
            index: result.chunk.provenance.chunk_index,
            score: result.score,
        });
        let mut answers: Vec<Hit> = answers.collect();
        found.sort(&mut answers);
        whole.push(judged.measure(query, &answers, &found));

        let filter = Filter { documents: within.map(|document| vec![document]), ..Filter::default() };
        let mut recall = recall(host, &collection, text.trim(), text.trim(), RECALL, &filter)?;
        for hits in [Some(&mut recall.bm25), recall.dense.as_mut(), recall.sparse.as_mut()].into_iter().flatten() {
            found.sort(hits);
        }
        for notice in std::mem::take(&mut recall.notices) {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        for ((_, ranker), values) in systems.iter().zip(&mut values) {
            if let Some(mut hits) = ranker.rank(&recall) {
                found.sort(&mut hits);
                values.push(judged.measure(query, &hits, &found));
            }
        }
    }

    let mut measured: Vec<report::Values> =
        systems.iter().zip(values).map(|((name, _), of_queries)| ((*name).to_owned(), of_queries)).collect();
    measured.insert(PIPELINE, (format!("search, top {}", request.top_k), whole));
    let counts = collection.counts()?;
    let mut report = EvalReport {
        directory: request.directory.display().to_string(),
        documents: counts.documents,
        chunks: counts.chunks,
        queries: judged.len(),
        systems: Vec::new(),
        comparison: None,
        latency: Latency::of(times),
        notices,
    };
    report.fill(judged.measures(), measured, request.compare.is_some());
    Ok(report)
}

impl Judged {
    fn len(&self) -> usize {
        match self {
            Self::Documents { queries, .. } => queries.len(),
            Self::Spans(queries) => queries.len(),
        }
    }

    fn measures(&self) -> &'static [&'static str] {
        match self {
            Self::Documents { .. } => &OF_DOCUMENTS,
            Self::Spans(_) => &OF_SPANS,
        }
    }

    fn found(&self, collection: &Collection) -> Result<Found> {
        match self {
            Self::Documents { .. } => Found::new(collection, []),
            Self::Spans(queries) => {
                let located: std::collections::HashSet<_> =
                    queries.iter().flat_map(spans::SpanQuery::documents).collect();
                Found::new(collection, located)
            }
        }
    }

    /// The text of a query, and the only document that it is asked of.
    fn query(&self, number: usize) -> (&str, Option<DocumentId>) {
        match self {
            Self::Documents { queries, .. } => (&queries[number].text, None),
            Self::Spans(queries) => (&queries[number].text, queries[number].within),
        }
    }

    /// The measures of one query's ranking, in the order of [`Judged::measures`].
    fn measure(&self, number: usize, hits: &[Hit], found: &Found) -> Vec<f64> {
        match self {
            Self::Documents { queries, ids } => {
                let query = &queries[number];
                let ranked = Found::documents(hits);
                let ranked = ranked.iter().filter_map(|document| ids.get(document)).flatten();
                let gains: Vec<f64> = ranked.map(|id| query.grades.get(id).copied().unwrap_or(0.0).max(0.0)).collect();
                let relevant = query.relevant();
                vec![
                    metrics::ndcg(&gains, &relevant, 10),
                    metrics::recall(&gains, relevant.len(), 10),
                    metrics::recall(&gains, relevant.len(), 100),
                    metrics::reciprocal_rank(&gains, 10),
                ]
            }
            Self::Spans(queries) => {
                let passages = found.passages(hits, 20);
                [5, 10, 20].map(|k| metrics::span_recall(&passages, &queries[number].gold, k)).to_vec()
            }
        }
    }
}

/// Deletes the documents that are not among `stored`.
fn remove_others(collection: &Collection, stored: &HashMap<String, DocumentId>) -> Result<()> {
    let these: std::collections::HashSet<&DocumentId> = stored.values().collect();
    for meta in collection.documents()? {
        if !these.contains(&meta.id) {
            collection.delete_document(meta.id)?;
        }
    }
    collection.flush()
}

/// One JSON object a line; empty lines are passed over.
fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path.display(), error))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            Error::invalid(format!("Line {number} of {} cannot be read: {error}.", path.display()))
                .with_hint("`casetrack eval --help` tells what each line has to hold.")
        })
    };
    lines.map(parse).collect()
}
