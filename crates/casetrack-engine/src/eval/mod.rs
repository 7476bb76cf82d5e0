//! The quality of retrieval on judged questions: by stage, fused, and as searches answer.
//!
//! The documents go through the ordinary ingestion into a collection of the engine's own data directory, so the engine must be
//! one of a directory for this purpose. Documents of an earlier evaluation are found there and not ingested again.
//!
//! [`Engine::evaluate`](crate::eval::evaluate) is the use case. [`Evaluation`] has its steps, for measurements of other judgements and rankings by
//! development tools; nothing else of the engine is public for their sake.

mod measure;
mod spans;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Cancel, CollectionId, DocumentId, Error, ErrorCode, Notice, ProgressSink, Result};
use casetrack_store::Collection;
use serde::Serialize;
use serde::de::DeserializeOwned;

use casetrack_host::collections::CreateCollection;
use casetrack_host::{Host, OpenCollection, collections};
use casetrack_ingest::IngestRequest;

pub use casetrack_store::Hit;
pub use measure::{Judgements, Latency, Measurements, Ranking, fused, ranked_again};
pub use spans::Spans;

pub use casetrack_search::{Recall, Weights};

/// Name of the collection that holds the documents.
const COLLECTION: &str = "eval";

#[derive(Debug, Clone)]
pub struct EvalRequest {
    /// Folder of spans.jsonl.
    pub directory: PathBuf,
    /// The documents that spans.jsonl names; `documents` in `directory` when `None`.
    pub documents: Option<PathBuf>,
    /// Each query searches each file that has a span for it separately.
    pub within_files: bool,
    /// Results that are asked of the whole search, 1–[`MAX_TOP_K`](casetrack_search::MAX_TOP_K).
    pub top_k: u32,
}

#[derive(Debug, Clone, Serialize)]
pub struct EvalReport {
    pub directory: String,
    pub documents: u64,
    pub chunks: u64,
    pub queries: usize,
    /// The stages, their fusion and the whole search. A stage that could not answer is left out, and a notice gives the reason.
    pub systems: Vec<SystemResult>,
    /// The time of the whole search, from the text of a query to passages, with models and indexes loaded.
    pub latency: Latency,
    /// Reasons why the evaluation is less complete than it could be; may be empty.
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SystemResult {
    pub system: String,
    pub measures: Vec<Measured>,
}

/// A mean over the queries, 0–1.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    pub measure: &'static str,
    pub mean: f64,
}

/// The steps of an evaluation, for development tools.
pub fn evaluation(host: &Host) -> Evaluation<'_> {
    Evaluation { host, late_interaction: false }
}

/// Measures retrieval on the judged questions of a folder. Blocks: ingestion takes its time, then each query is searched twice.
///
/// All figures but times are the same at each run. Fails if the questions cannot be read, or a document that they name was not ingested.
pub fn evaluate(host: &Host, request: &EvalRequest, progress: &ProgressSink, cancel: &Cancel) -> Result<EvalReport> {
    let evaluation = evaluation(host);
    let (ingested, spans) = evaluation.spans(request, progress, cancel)?;
    let measured = evaluation.measure(&ingested, &spans, &Ranking::standard(), request.top_k, cancel)?;
    Ok(EvalReport::new(&request.directory, &spans, &measured))
}

impl EvalReport {
    /// The means of the measurements with the judgements of `directory`.
    pub fn new(directory: &Path, judgements: &dyn Judgements, measured: &Measurements) -> Self {
        let mean =
            |values: &[Vec<f64>], at: usize| values.iter().map(|row| row[at]).sum::<f64>() / values.len().max(1) as f64;
        let system = |(system, values): &(String, Vec<Vec<f64>>)| {
            let measures = judgements.measures().iter().enumerate();
            let measures = measures.map(|(at, &measure)| Measured { measure, mean: mean(values, at) });
            SystemResult { system: system.clone(), measures: measures.collect() }
        };
        Self {
            directory: directory.display().to_string(),
            documents: measured.documents,
            chunks: measured.chunks,
            queries: judgements.queries(),
            systems: measured.systems.iter().map(system).collect(),
            latency: measured.latency,
            notices: measured.notices.clone(),
        }
    }
}

pub struct Ingested {
    collection: Arc<OpenCollection>,
    /// The document of each file by its absolute path: one of another path if that has the same content.
    pub documents: HashMap<String, DocumentId>,
    /// Files that were not ingested, with the reasons.
    pub notices: Vec<Notice>,
}

/// The steps of an evaluation, in this order: [`ingest`](Self::ingest) documents, or [`spans`](Self::spans), which ingests as well;
/// then [`measure`](Self::measure).
pub struct Evaluation<'h> {
    host: &'h Host,
    late_interaction: bool,
}

impl<'h> Evaluation<'h> {
    /// The collection for evaluations has token vectors if it is new.
    pub fn with_late_interaction(self, late_interaction: bool) -> Self {
        Self { late_interaction, ..self }
    }

    /// Ingests files and folders into the collection for evaluations, which is created if there is none, and deletes documents of an earlier
    /// evaluation that are not among them.
    pub fn ingest(&self, paths: Vec<PathBuf>, progress: &ProgressSink, cancel: &Cancel) -> Result<Ingested> {
        let id = self.collection()?;
        let report = casetrack_ingest::ingest(self.host, id, &IngestRequest::new(paths), progress, cancel)?;
        if let Some(problem) = &report.summary.stopped {
            return Err(match cancel.is_cancelled() {
                true => Error::cancelled(),
                false => Error::new(ErrorCode::Io, format!("The documents could not be ingested: {}", problem.message)),
            });
        }
        let failed = report.failed.iter();
        let failed = failed
            .map(|file| Notice::from(format!("{} was not ingested: {}", file.relative_path, file.problem.message)));
        let notices = failed.chain(report.summary.notices.iter().cloned()).collect();
        let ingested = report.ingested.iter().map(|document| (document.path.clone(), document.document_id));
        let skipped = report.skipped.iter().filter_map(|file| Some((file.path.clone(), file.document_id?)));
        let documents = ingested.chain(skipped).collect();
        let collection = self.host.collection(id)?;
        remove_others(&collection, &documents)?;
        Ok(Ingested { collection, documents, notices })
    }

    fn collection(&self) -> Result<CollectionId> {
        let there =
            collections::list_collections(self.host, None)?.into_iter().find(|found| found.meta.name == COLLECTION);
        if let Some(there) = there {
            return Ok(there.meta.id);
        }
        let request = CreateCollection {
            name: COLLECTION.to_owned(),
            late_interaction: self.late_interaction,
            ..CreateCollection::default()
        };
        Ok(collections::create_collection(self.host, request)?.id)
    }

    /// Ingests the documents that the gold spans of a folder name, and reads the spans.
    pub fn spans(&self, request: &EvalRequest, progress: &ProgressSink, cancel: &Cancel) -> Result<(Ingested, Spans)> {
        spans::check(&request.directory)?;
        let documents = request.documents.clone().unwrap_or_else(|| request.directory.join("documents"));
        let ingested = self.ingest(vec![documents.clone()], progress, cancel)?;
        let spans = Spans::read(request, &documents, &ingested)?;
        Ok((ingested, spans))
    }
}

/// Deletes the documents that are not among `documents`.
fn remove_others(collection: &Collection, documents: &HashMap<String, DocumentId>) -> Result<()> {
    let these: HashSet<&DocumentId> = documents.values().collect();
    for meta in collection.documents()? {
        if !these.contains(&meta.id) {
            collection.delete_document(meta.id)?;
        }
    }
    collection.flush()
}

/// One JSON object per line; empty lines are skipped.
pub fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path.display(), error))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            Error::invalid(format!("Line {number} of {} cannot be read: {error}.", path.display()))
                .with_hint("Each line must hold one JSON object with the fields that the help text lists.")
        })
    };
    lines.map(parse).collect()
}
