//! The three stages of ingestion and the channels between them: documents are made, given their vectors, and committed.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use casetrack_core::{Cancel, DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result};
use casetrack_embed::{Embedder, Outputs, SignVectors};
use casetrack_nlp::Recognizer;
use casetrack_store::{Collection, SparseVector};
use crossbeam_channel::{Receiver, Sender, bounded};

use super::committing::{Committing, Step};
use super::pace::Pace;
use super::prepare::Prepared;
use super::repeated::{Key, Repeated, key};
use super::{FailedFile, IngestReport, Problem, SkipReason, SkippedFile};
use casetrack_host::Host;

/// Extracted documents that may wait for the embedder: bounds memory.
const QUEUED_DOCUMENTS: usize = 16;
/// Chunks embedded between two checks of cancellation and progress; also the aim when gathering chunks of small documents.
const BATCH_CHUNKS: usize = 64;
/// Steps that may wait to be committed, while the next one is embedded: bounds memory.
const QUEUED_STEPS: usize = 1;

/// What the first stage says of one file.
pub enum Outcome {
    /// The number of files inside a file under way.
    Opened(u64),
    Ready(Box<Ready>),
    /// Stored by this job before it was interrupted, found at this path.
    Stored(String, Box<DocumentMeta>),
    Skipped(SkippedFile),
    Failed(FailedFile),
    /// Documents of an earlier version of a container that is sent before, which its new version does not hold.
    Removed(Vec<DocumentMeta>),
}

/// A document on its way to the store.
pub(crate) struct Ready {
    pub relative: String,
    pub replaced: bool,
    pub prepared: Prepared,
    /// One a chunk: taken over from the version that is replaced, or `None` where it has to be made.
    pub vectors: Vec<Option<ChunkVectors>>,
    /// The file's bytes, where a copy is wanted.
    pub original: Option<Vec<u8>>,
    /// Made of what is stored, which must still be that when it is put back.
    pub from_stored: bool,
}

/// A text to embed.
struct Todo {
    text: String,
    key: Key,
    /// The chunks that have it: the places of the document and of the chunk in it.
    chunks: Vec<(usize, usize)>,
}

/// The vectors of one chunk.
#[derive(Debug, Clone)]
pub(crate) struct ChunkVectors {
    pub dense: Vec<f32>,
    /// Where the job makes them.
    pub sparse: Option<SparseVector>,
    /// The signs of its token vectors, where the job makes them.
    pub tokens: Option<Vec<u8>>,
}

/// What the first stage works with and sends to.
pub(crate) struct FirstStage<'a> {
    pub host: &'a Host,
    pub collection: &'a Collection,
    /// What chunks get.
    pub wanted: Outputs,
    /// `None` where documents are stored without entities and references.
    pub recognizer: Option<&'a dyn Recognizer>,
    pub sender: Sender<Outcome>,
    pub progress: &'a ProgressSink,
    pub cancel: &'a Cancel,
}

/// The stage that follows has ended, or the user has cancelled.
pub struct Ended;

impl FirstStage<'_> {
    pub fn send(&self, outcome: Outcome) -> std::result::Result<(), Ended> {
        if self.cancel.is_cancelled() {
            return Err(Ended);
        }
        self.sender.send(outcome).map_err(|_| Ended)
    }
}

/// Runs the first stage on a thread of its own, the second, which embeds what that sends, on this, and on another the third, which commits
/// what is embedded: a commit waits for the disk, and leaves its core to the others.
pub(crate) fn run_stages(
    host: &Host,
    collection: &Collection,
    report: IngestReport,
    first: impl FnOnce(FirstStage<'_>) + Send,
    pace: Pace,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
    let started = Instant::now();
    let embedder = host.embedder_of(collection)?;
    let mut notices = Vec::new();
    let sparse = host.sparse_embedder_of(collection).unwrap_or_else(|error| {
        tracing::warn!(%error, "documents are ingested without learned-sparse vectors");
        notices.push(error.notice("No learned-sparse vectors (E6) were made: "));
        None
    });
    let tokens = host.token_embedder_of(collection).unwrap_or_else(|error| {
        tracing::warn!(%error, "documents are ingested without token vectors");
        notices.push(error.notice("No token vectors (E12) were made: "));
        None
    });
    let wanted = Outputs { sparse: sparse.is_some(), tokens: tokens.is_some(), ..Outputs::DENSE };

    let recognizer = host.recognizer().inspect_err(|error| {
        tracing::warn!(%error, "documents are ingested without entities and references");
        notices.push(error.notice("No entities and references were found: "));
    });
    let recognizer = recognizer.ok();

    let mut report = IngestReport { collection: collection.meta().name.clone(), ..report };
    report.summary.notices = notices;
    progress(Progress::Discovered { files: report.found });

    let (sender, outcomes) = bounded(QUEUED_DOCUMENTS);
    let (steps, to_commit) = bounded(QUEUED_STEPS);
    let recognizer = recognizer.as_deref().map(|recognizer| recognizer as &dyn Recognizer);
    let stage = FirstStage { host, collection, wanted, recognizer, sender, progress, cancel };
    // What could not be listed is not among the files found.
    let denied = report.skipped.iter().filter(|file| file.reason == SkipReason::Denied).count();
    let listed = (report.failed.len() + denied) as u64;
    let committing = Committing::new(collection, &embedder, progress, listed, &mut report);
    let (embedded, ended) = thread::scope(|scope| {
        let start = |name: &str| thread::Builder::new().name(name.to_owned());
        let no_thread = |error| Error::io("a new thread", error);
        start("extract").spawn_scoped(scope, move || first(stage)).map_err(no_thread)?;
        let committing = start("commit").spawn_scoped(scope, move || committing.run(to_commit)).map_err(no_thread)?;
        let mut embedding = Embedding {
            embedder: &embedder,
            wanted,
            token_dimension: collection.models().tokens.as_ref().map_or(0, |model| model.dimension as usize),
            progress,
            cancel,
            pace,
            steps,
            removed: Vec::new(),
            repeated: Repeated::default(),
            embedded: Embedded::default(),
        };
        // The receiver is dropped at the end, which unblocks the first stage if this one ended early.
        let ended = embedding.run(outcomes);
        let embedded = embedding.end();
        let committed = committing.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok((embedded, committed.and(ended)))
    })?;
    report.summary.chunks_embedded = embedded.made;
    report.summary.chunks_reused = embedded.reused;
    report.summary.stopped = match ended {
        Err(error) => Some(Problem::from(&error)),
        Ok(()) if cancel.is_cancelled() => Some(Problem::from(&Error::cancelled())),
        Ok(()) => None,
    };
    collection.flush()?;
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

// ---- second stage: chunks to vectors ----

struct Embedding<'a> {
    embedder: &'a Embedder,
    /// What chunks get.
    wanted: Outputs,
    token_dimension: usize,
    progress: &'a ProgressSink,
    cancel: &'a Cancel,
    pace: Pace,
    steps: Sender<Step>,
    /// Documents to delete once those that came before them are stored.
    removed: Vec<DocumentMeta>,
    repeated: Repeated,
    embedded: Embedded,
}

/// Chunks that were embedded, and those that got vectors that there were.
#[derive(Default)]
struct Embedded {
    made: u64,
    reused: u64,
}

impl Embedding<'_> {
    /// Ends when there is nothing more to embed, when the third stage has ended, and when it is cancelled.
    fn run(&mut self, outcomes: Receiver<Outcome>) -> Result<()> {
        while let Ok(first) = outcomes.recv() {
            // Small documents are gathered, so that a batch is full whatever their size.
            let mut documents = Vec::new();
            let mut gathered = self.take(first, &mut documents);
            while gathered.is_ok() && missing(&documents) < self.pace.batch(BATCH_CHUNKS) {
                let Ok(next) = outcomes.try_recv() else { break };
                gathered = self.take(next, &mut documents);
            }
            match self.embed(&mut documents) {
                Err(error) if error.code == ErrorCode::Cancelled => return Ok(()),
                result => result?,
            }
            let removed = std::mem::take(&mut self.removed);
            let committed = gathered.and_then(|()| self.send(Step::Store { documents, removed }));
            if committed.is_err() || self.cancel.is_cancelled() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lets the third stage end.
    fn end(self) -> Embedded {
        self.embedded
    }

    fn send(&self, step: Step) -> std::result::Result<(), Ended> {
        self.steps.send(step).map_err(|_| Ended)
    }

    /// Keeps documents, and what is to be deleted after them; the rest goes straight on.
    fn take(&mut self, outcome: Outcome, documents: &mut Vec<Ready>) -> std::result::Result<(), Ended> {
        match outcome {
            Outcome::Ready(ready) => documents.push(*ready),
            Outcome::Removed(documents) => self.removed.extend(documents),
            other => return self.send(Step::Report(other)),
        }
        Ok(())
    }

    /// Fills every missing vector. Of texts that repeat word for word, one is embedded.
    fn embed(&mut self, documents: &mut [Ready]) -> Result<()> {
        // The chunks of each text, texts in the order of their first chunks.
        let mut todo: Vec<Todo> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        for (d, document) in documents.iter_mut().enumerate() {
            for c in (0..document.vectors.len()).filter(|&c| document.vectors[c].is_none()).collect::<Vec<_>>() {
                let text = document.prepared.chunks[c].embedding_text();
                let key = key(&text);
                if let Some(known) = self.repeated.get(&key) {
                    document.vectors[c] = Some(ChunkVectors::clone(&known));
                } else if let Some(&place) = places.get(&key) {
                    todo[place].chunks.push((d, c));
                } else {
                    places.insert(key, todo.len());
                    todo.push(Todo { text, key, chunks: vec![(d, c)] });
                }
            }
        }
        for batch in todo.chunks_mut(self.pace.batch(BATCH_CHUNKS)) {
            let started = Instant::now();
            let texts: Vec<String> = batch.iter_mut().map(|todo| std::mem::take(&mut todo.text)).collect();
            let made = self.embedder.embed(&texts, self.wanted, self.cancel)?;
            let (mut sparse, mut tokens) = (made.sparse.into_iter(), made.tokens.iter());
            for (todo, dense) in batch.iter().zip(made.dense) {
                let sparse = sparse.next().map(|vector| SparseVector { terms: vector.terms });
                let signs = |vectors| SignVectors::new(vectors, self.token_dimension).into_bytes();
                let tokens = tokens.next().map(signs);
                let vectors = self.repeated.remember(todo.key, ChunkVectors { dense, sparse, tokens });
                for &(d, c) in &todo.chunks {
                    documents[d].vectors[c] = Some(ChunkVectors::clone(&vectors));
                }
            }
            self.embedded.made += batch.len() as u64;
            (self.progress)(Progress::Embedded { chunks: self.embedded.made });
            self.pace.rest(started.elapsed(), self.cancel);
        }
        self.embedded.reused +=
            documents.iter().map(|document| document.vectors.len() as u64).sum::<u64>() - todo.len() as u64;
        Ok(())
    }
}

fn missing(documents: &[Ready]) -> usize {
    documents.iter().flat_map(|document| &document.vectors).filter(|vector| vector.is_none()).count()
}
