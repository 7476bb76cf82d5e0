//! The three stages of ingestion and the channels between them: one makes documents, one their vectors, and one commits them.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use casetrack_core::remarks::SAMPLED_ROWS;
use casetrack_core::{DocumentMeta, Error, ErrorCode, Notice, Progress, Result};
use casetrack_embed::{Embedder, Outputs, SignVectors};
use casetrack_nlp::Recognizer;
use casetrack_store::{Collection, SparseVector};
use crossbeam_channel::{Receiver, Sender, bounded};

use super::commit::Committer;
use super::file::{DocumentInFlight, Outcome, RemovedMembers, failed};
use super::pace::Pace;
use super::vectors::{ChunkVectors, RowTexts, TextKey, VectorCache, text_key, unchanged_vectors};
use super::{IngestReport, Problem, SkipReason, WorkContext};
use casetrack_host::{Analysis, Host, RememberingRecognizer, analysis};

/// Extracted documents that may wait for the embedder: bounds memory.
const QUEUED_DOCUMENTS: usize = 16;
/// Chunks embedded between two checks of cancellation and progress; also the aim when gathering chunks of small documents.
const BATCH_CHUNKS: usize = 64;
/// Steps that may wait to be committed, while the next one is embedded: bounds memory.
const QUEUED_STEPS: usize = 1;

struct TextToEmbed {
    text: String,
    key: TextKey,
    /// The chunks that have it: the places of the document and of the chunk in it.
    chunks: Vec<(usize, usize)>,
}

/// The means of the first stage, and its way to the second.
pub(crate) struct FirstStage<'a> {
    pub work: WorkContext<'a>,
    /// The kinds of vectors that chunks get.
    pub outputs: Outputs,
    /// `None` if documents are stored without entities and references.
    pub recognizer: Option<&'a dyn Recognizer>,
    pub(super) sender: Sender<Outcome>,
}

pub(super) struct StageEnded;

impl FirstStage<'_> {
    pub(super) fn send(&self, outcome: Outcome) -> std::result::Result<(), StageEnded> {
        if self.work.cancel.is_cancelled() {
            return Err(StageEnded);
        }
        self.sender.send(outcome).map_err(|_| StageEnded)
    }

    /// Analyses a document, and takes over the vectors of chunks that `earlier` has as well.
    pub fn complete(&self, document: &mut DocumentInFlight, earlier: Option<&DocumentMeta>) -> Result<()> {
        let stored = &mut document.stored;
        if let Some(recognizer) = self.recognizer {
            let Analysis { annotations, remark } = analysis(recognizer, &stored.meta, &stored.pages, self.work.cancel)?;
            stored.annotations = Some(annotations);
            // It is analysed again if the model changes.
            stored.meta.warnings.retain(|warning| !warning.starts_with(SAMPLED_ROWS));
            stored.meta.warnings.extend(remark);
        }
        if let Some(earlier) = earlier {
            document.vectors = unchanged_vectors(self.work.collection, earlier, &stored.chunks, self.outputs)?;
        }
        Ok(())
    }

    /// Sends stored documents again: as they are if `is_done`, else as `load` makes them.
    pub fn send_stored(
        &self,
        documents: &[&DocumentMeta],
        is_done: impl Fn(&DocumentMeta) -> bool,
        load: impl Fn(&DocumentMeta) -> Result<DocumentInFlight>,
    ) {
        for &meta in documents {
            let outcome = match is_done(meta) {
                true => Outcome::StoredBefore(meta.name.clone(), Box::new(meta.clone())),
                false => match load(meta) {
                    Ok(document) => Outcome::Documents(vec![document]),
                    Err(error) => Outcome::Failed(failed(meta.path.as_ref(), meta.name.clone(), &error)),
                },
            };
            if self.send(outcome).is_err() {
                return;
            }
        }
    }
}

/// Runs the first stage on one thread, the second, which embeds documents, on this, and the third, which commits them, on another: a commit
/// waits for the disk, and leaves its core to the others.
pub(crate) fn run_stages(
    work: WorkContext<'_>,
    mut report: IngestReport,
    first: impl FnOnce(FirstStage<'_>) + Send,
    pace: Pace,
) -> Result<IngestReport> {
    let WorkContext { host, collection, progress, cancel } = work;
    let started = Instant::now();
    let embedder = host.embedder_of(collection)?;
    let (outputs, recognizer, notices) = optional_parts(host, collection);
    report.collection = collection.meta().name.clone();
    report.summary.notices = notices;
    progress(Progress::Discovered { files: report.found });

    let (sender, outcomes) = bounded(QUEUED_DOCUMENTS);
    let (steps, to_commit) = bounded(QUEUED_STEPS);
    let recognizer = recognizer.as_deref().map(|recognizer| recognizer as &dyn Recognizer);
    let stage = FirstStage { work, outputs, recognizer, sender };
    // Files that could not be listed are not among the files found.
    let denied = report.skipped.iter().filter(|file| file.reason == SkipReason::Denied).count();
    let listed = (report.failed.len() + denied) as u64;
    let committer = Committer::new(work, &embedder, listed, &mut report);
    let ((made, reused, ended), committed) = thread::scope(|scope| {
        let start = |name: &str| thread::Builder::new().name(name.to_owned());
        let no_thread = |error| Error::io("a new thread", error);
        start("extract").spawn_scoped(scope, move || first(stage)).map_err(no_thread)?;
        let committer = start("commit").spawn_scoped(scope, move || committer.run(to_commit)).map_err(no_thread)?;
        let embedding = Embedding {
            work,
            embedder: &embedder,
            outputs,
            token_dimension: collection.models().tokens.as_ref().map_or(0, |model| model.dimension as usize),
            pace,
            steps,
            cache: VectorCache::default(),
            made: 0,
            reused: 0,
            done: 0,
        };
        let embedded = embedding.run(outcomes);
        Ok((embedded, committer.join().unwrap_or_else(|panic| resume_unwind(panic))))
    })?;
    (report.summary.chunks_embedded, report.summary.chunks_reused) = (made, reused);
    report.summary.stopped = match committed.and(ended) {
        Err(error) => Some(Problem::from(&error)),
        Ok(()) if cancel.is_cancelled() => Some(Problem::from(&Error::cancelled())),
        Ok(()) => None,
    };
    collection.flush()?;
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

/// The kinds of vectors that chunks get, the finder of entities and references, and a notice of each of them that is missing.
fn optional_parts(host: &Host, collection: &Collection) -> (Outputs, Option<Arc<RememberingRecognizer>>, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut note = |parts: &str, missing: &str, error: &Error| {
        tracing::warn!(%error, "documents are ingested without {parts}");
        notices.push(error.notice(missing));
    };
    let sparse = host.sparse_embedder_of(collection).unwrap_or_else(|error| {
        note("learned-sparse vectors", "No learned-sparse vectors (E6) were made: ", &error);
        None
    });
    let tokens = host.token_embedder_of(collection).unwrap_or_else(|error| {
        note("token vectors", "No token vectors (E12) were made: ", &error);
        None
    });
    let outputs = Outputs { sparse: sparse.is_some(), tokens: tokens.is_some(), ..Outputs::DENSE };
    let recognizer = host.recognizer().inspect_err(|error| {
        note("entities and references", "No entities and references were found: ", error);
    });
    (outputs, recognizer.ok(), notices)
}

// ---- second stage: chunks to vectors ----

struct Embedding<'a> {
    work: WorkContext<'a>,
    embedder: &'a Embedder,
    outputs: Outputs,
    token_dimension: usize,
    pace: Pace,
    steps: Sender<Outcome>,
    cache: VectorCache,
    /// Texts that were embedded, and chunks that took over existing vectors.
    made: u64,
    reused: u64,
    /// Chunks that have their vectors from those texts, so far.
    done: u64,
}

impl Embedding<'_> {
    /// Ends if there is nothing more to embed, if the third stage has ended, and if it is cancelled. It drops its ends of the channels then,
    /// which ends the other stages. Returns the numbers of chunks that were embedded and reused, and the error that ended it early.
    fn run(mut self, outcomes: Receiver<Outcome>) -> (u64, u64, Result<()>) {
        let ended = loop {
            let Ok(first) = outcomes.recv() else { break Ok(()) };
            // Small documents are gathered, so that batches are full.
            let (mut documents, mut removed) = (Vec::new(), RemovedMembers::default());
            let mut gathered = self.gather(first, &mut documents, &mut removed);
            while gathered.is_ok() && missing(&documents) < self.pace.batch(BATCH_CHUNKS) {
                let Ok(next) = outcomes.try_recv() else { break };
                gathered = self.gather(next, &mut documents, &mut removed);
            }
            match self.embed(&mut documents) {
                Err(error) if error.code == ErrorCode::Cancelled => break Ok(()),
                Err(error) => break Err(error),
                Ok(()) => {}
            }
            let mut sent = gathered.and_then(|()| self.send(Outcome::Documents(documents)));
            if !removed.documents.is_empty() {
                sent = sent.and_then(|()| self.send(Outcome::Removed(removed)));
            }
            if sent.is_err() || self.work.cancel.is_cancelled() {
                break Ok(());
            }
        };
        (self.made, self.reused, ended)
    }

    fn send(&self, step: Outcome) -> std::result::Result<(), StageEnded> {
        self.steps.send(step).map_err(|_| StageEnded)
    }

    /// Adds to documents, and to those to delete after them; sends on the rest.
    fn gather(
        &self,
        outcome: Outcome,
        documents: &mut Vec<DocumentInFlight>,
        removed: &mut RemovedMembers,
    ) -> std::result::Result<(), StageEnded> {
        match outcome {
            Outcome::Documents(made) => documents.extend(made),
            Outcome::Removed(former) => {
                removed.documents.extend(former.documents);
                removed.gone.extend(former.gone);
            }
            other => return self.send(other),
        }
        Ok(())
    }

    /// Fills the missing vectors of large tables whose rows are of few kinds.
    fn embed_rows(&mut self, document: &mut DocumentInFlight) -> Result<()> {
        if !document.stored.meta.format.is_spreadsheet() {
            return Ok(());
        }
        let Some(rows) = RowTexts::of(&document.stored.chunks, &document.vectors) else { return Ok(()) };
        let mut made = Vec::with_capacity(rows.texts.len());
        let done_before = self.done;
        for batch in rows.texts.chunks(self.pace.batch(BATCH_CHUNKS)) {
            let share = (made.len() + batch.len()) as u64 * rows.chunk_count() as u64 / rows.texts.len() as u64;
            made.extend(self.vectors(batch, done_before + share)?);
        }
        rows.chunk_vectors(&made).for_each(|(at, vectors)| document.vectors[at] = Some(vectors));
        Ok(())
    }

    /// The vectors of the texts of a batch, after which `done` chunks have theirs. Reports and paces itself.
    fn vectors(&mut self, texts: &[String], done: u64) -> Result<Vec<ChunkVectors>> {
        let started = Instant::now();
        let made = self.embedder.embed(texts, self.outputs, self.work.cancel)?;
        let (mut sparse, mut tokens) = (made.sparse.into_iter(), made.tokens.iter());
        let signs = |vectors| SignVectors::new(vectors, self.token_dimension).into_bytes();
        let of_text = |dense| ChunkVectors {
            dense,
            sparse: sparse.next().map(|vector| SparseVector { terms: vector.terms }),
            tokens: tokens.next().map(signs),
        };
        let vectors = made.dense.into_iter().map(of_text).collect();
        self.made += texts.len() as u64;
        self.done = done;
        (self.work.progress)(Progress::Embedded { chunks: done });
        self.pace.rest(started.elapsed(), self.work.cancel);
        Ok(vectors)
    }

    /// Fills every missing vector. Of texts that repeat word for word, one is embedded.
    fn embed(&mut self, documents: &mut [DocumentInFlight]) -> Result<()> {
        let made_before = self.made;
        documents.iter_mut().try_for_each(|document| self.embed_rows(document))?;
        // The chunks of each text, texts in the order of their first chunks.
        let mut todo: Vec<TextToEmbed> = Vec::new();
        let mut places: HashMap<TextKey, usize> = HashMap::new();
        for (d, document) in documents.iter_mut().enumerate() {
            for c in (0..document.vectors.len()).filter(|&c| document.vectors[c].is_none()).collect::<Vec<_>>() {
                let text = document.stored.chunks[c].embedding_text();
                let key = text_key(&text);
                if let Some(known) = self.cache.get(&key) {
                    document.vectors[c] = Some(ChunkVectors::clone(&known));
                } else if let Some(&place) = places.get(&key) {
                    todo[place].chunks.push((d, c));
                } else {
                    places.insert(key, todo.len());
                    todo.push(TextToEmbed { text, key, chunks: vec![(d, c)] });
                }
            }
        }
        for batch in todo.chunks_mut(self.pace.batch(BATCH_CHUNKS)) {
            let texts: Vec<String> = batch.iter_mut().map(|todo| std::mem::take(&mut todo.text)).collect();
            let done = self.done + texts.len() as u64;
            for (todo, vectors) in batch.iter().zip(self.vectors(&texts, done)?) {
                let vectors = self.cache.insert(todo.key, vectors);
                for &(d, c) in &todo.chunks {
                    documents[d].vectors[c] = Some(ChunkVectors::clone(&vectors));
                }
            }
        }
        let chunks = documents.iter().map(|document| document.vectors.len() as u64).sum::<u64>();
        self.reused += chunks - (self.made - made_before);
        Ok(())
    }
}

fn missing(documents: &[DocumentInFlight]) -> usize {
    documents.iter().flat_map(|document| &document.vectors).filter(|vector| vector.is_none()).count()
}
