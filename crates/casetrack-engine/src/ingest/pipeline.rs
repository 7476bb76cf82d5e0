//! The two stages of ingestion and the channel between them.

use std::collections::HashMap;
use std::time::Instant;

use casetrack_core::{Cancel, DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result, Timestamp};
use casetrack_embed::{Embedder, Outputs};
use casetrack_nlp::Recognizer;
use casetrack_store::{Collection, SparseVector, StoredDocument, VectorModels};
use crossbeam_channel::{Receiver, Sender, bounded};

use super::discover::failed;
use super::languages::Languages;
use super::prepare::Prepared;
use super::repeated::{Key, Repeated, key};
use super::{FailedFile, IngestReport, IngestedDocument, Problem, SkipReason, SkippedFile};
use crate::documents::originals;
use crate::host::Host;

/// Extracted documents that may wait for the embedder: bounds memory.
const QUEUED_DOCUMENTS: usize = 16;
/// Chunks embedded between two checks of cancellation and progress; also the aim when gathering chunks of small documents.
const BATCH_CHUNKS: usize = 64;
/// Most chunks of small documents that are committed in one step. Documents of more are committed alone.
const GROUP_CHUNKS: usize = 64;

/// What the first stage says of one file.
pub(crate) enum Outcome {
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
}

/// A document with its vectors.
struct Finished {
    relative: String,
    replaced: bool,
    document: StoredDocument,
}

/// What the first stage works with and sends to.
pub(crate) struct FirstStage<'a> {
    pub host: &'a Host,
    pub collection: &'a Collection,
    /// Whether chunks get learned-sparse vectors.
    pub sparse: bool,
    /// `None` where documents are stored without entities and references.
    pub recognizer: Option<&'a dyn Recognizer>,
    pub sender: Sender<Outcome>,
    pub progress: &'a ProgressSink,
    pub cancel: &'a Cancel,
}

/// The second stage has ended, or the user has cancelled.
pub(crate) struct Ended;

impl FirstStage<'_> {
    pub fn send(&self, outcome: Outcome) -> std::result::Result<(), Ended> {
        if self.cancel.is_cancelled() {
            return Err(Ended);
        }
        self.sender.send(outcome).map_err(|_| Ended)
    }
}

/// Runs a first stage on a thread of its own, and the second one, which embeds and commits what that sends, on this.
pub(crate) fn run_stages(
    host: &Host,
    collection: &Collection,
    report: IngestReport,
    first: impl FnOnce(FirstStage<'_>) + Send,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
    let started = Instant::now();
    let embedder = host.embedder_of(collection)?;
    let (sparse, mut notices) = match host.sparse_embedder_of(collection) {
        Ok(embedder) => (embedder.is_some(), Vec::new()),
        Err(error) => {
            tracing::warn!(%error, "documents are ingested without learned-sparse vectors");
            (false, vec![error.notice("No learned-sparse vectors (E6) were made: ")])
        }
    };

    let recognizer = host.recognizer().inspect_err(|error| {
        tracing::warn!(%error, "documents are ingested without entities and references");
        notices.push(error.notice("No entities and references were found: "));
    });
    let recognizer = recognizer.ok();

    let mut report = IngestReport { collection: collection.meta().name.clone(), ..report };
    report.summary.notices = notices;
    progress(Progress::Discovered { files: report.found });

    let (sender, receiver) = bounded(QUEUED_DOCUMENTS);
    let recognizer = recognizer.as_deref().map(|recognizer| recognizer as &dyn Recognizer);
    let stage = FirstStage { host, collection, sparse, recognizer, sender, progress, cancel };
    // What could not be listed is not among the files found.
    let denied = report.skipped.iter().filter(|file| file.reason == SkipReason::Denied).count();
    let listed = (report.failed.len() + denied) as u64;
    let finished = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("extract".into())
            .spawn_scoped(scope, move || first(stage))
            .map_err(|error| Error::io("a new thread", error))?;
        // The receiver is dropped at the end of `run`, which unblocks the first stage if the second ended early.
        Embedding {
            collection,
            embedder: &embedder,
            sparse,
            progress,
            cancel,
            listed,
            report: &mut report,
            removed: Vec::new(),
            repeated: Repeated::default(),
            languages: Languages::default(),
        }
        .run(receiver)
    });
    report.summary.stopped = match finished {
        Err(error) => Some(Problem::from(&error)),
        Ok(()) if cancel.is_cancelled() => Some(Problem::from(&Error::cancelled())),
        Ok(()) => None,
    };
    collection.flush()?;
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

// ---- second stage: chunks to committed documents ----

struct Embedding<'a> {
    collection: &'a Collection,
    embedder: &'a Embedder,
    /// Whether chunks get learned-sparse vectors.
    sparse: bool,
    progress: &'a ProgressSink,
    cancel: &'a Cancel,
    /// Lines of the report that are not of files found.
    listed: u64,
    report: &'a mut IngestReport,
    /// Documents to delete once those that came before them are stored.
    removed: Vec<DocumentMeta>,
    repeated: Repeated,
    languages: Languages,
}

impl Embedding<'_> {
    fn run(mut self, outcomes: Receiver<Outcome>) -> Result<()> {
        let ended = self.take_all(&outcomes);
        self.report.summary.notices.extend(self.languages.notice());
        ended
    }

    fn take_all(&mut self, outcomes: &Receiver<Outcome>) -> Result<()> {
        while let Ok(first) = outcomes.recv() {
            // Small documents are gathered, so that a batch is full whatever their size.
            let mut documents = Vec::new();
            self.take(first, &mut documents);
            while missing(&documents) < BATCH_CHUNKS {
                let Ok(next) = outcomes.try_recv() else { break };
                self.take(next, &mut documents);
            }
            match self.embed(&mut documents) {
                Err(error) if error.code == ErrorCode::Cancelled => return Ok(()),
                result => result?,
            }
            self.commit(documents)?;
            for meta in std::mem::take(&mut self.removed) {
                self.collection.delete_document(meta.id)?;
                if meta.original_stored {
                    originals::remove(self.collection, &meta)?;
                }
            }
            if self.cancel.is_cancelled() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn take(&mut self, outcome: Outcome, documents: &mut Vec<Ready>) {
        match outcome {
            Outcome::Opened(files) => {
                self.report.found += files;
                (self.progress)(Progress::Discovered { files: self.report.found });
            }
            Outcome::Ready(ready) => documents.push(*ready),
            Outcome::Removed(documents) => self.removed.extend(documents),
            Outcome::Stored(relative, meta) => self.ingested(relative, *meta, false),
            Outcome::Skipped(file) => {
                self.report.skipped.push(file);
                let file = self.report.skipped.last().map(|file| file.path.clone());
                self.file_done(file.unwrap_or_default(), None);
            }
            Outcome::Failed(file) => {
                let (path, problem) = (file.path.clone(), file.problem.message.clone());
                self.report.failed.push(file);
                self.file_done(path, Some(problem));
            }
        }
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
        for batch in todo.chunks_mut(BATCH_CHUNKS) {
            let texts: Vec<String> = batch.iter_mut().map(|todo| std::mem::take(&mut todo.text)).collect();
            let wanted = Outputs { sparse: self.sparse, ..Outputs::DENSE };
            let made = self.embedder.embed(&texts, wanted, self.cancel)?;
            let mut sparse = made.sparse.into_iter();
            for (todo, dense) in batch.iter().zip(made.dense) {
                let sparse = sparse.next().map(|vector| SparseVector { terms: vector.terms });
                let vectors = self.repeated.remember(todo.key, ChunkVectors { dense, sparse });
                for &(d, c) in &todo.chunks {
                    documents[d].vectors[c] = Some(ChunkVectors::clone(&vectors));
                }
            }
            self.report.summary.chunks_embedded += batch.len() as u64;
            (self.progress)(Progress::Embedded { chunks: self.report.summary.chunks_embedded });
        }
        self.report.summary.chunks_reused +=
            documents.iter().map(|document| document.vectors.len() as u64).sum::<u64>() - todo.len() as u64;
        Ok(())
    }

    /// Stores documents in order, small ones in groups: a commit waits for the disk, whatever it holds.
    fn commit(&mut self, documents: Vec<Ready>) -> Result<()> {
        let (mut group, mut chunks) = (Vec::new(), 0);
        for document in documents {
            let own = document.prepared.chunks.len();
            if chunks + own > GROUP_CHUNKS {
                self.store(std::mem::take(&mut group))?;
                chunks = 0;
            }
            match self.finish(document) {
                Ok(None) => {}
                Ok(Some(finished)) => {
                    group.push(finished);
                    chunks += own;
                }
                Err(error) => {
                    self.store(group)?;
                    return Err(error);
                }
            }
        }
        self.store(group)
    }

    /// What is to be stored of a document, and its copy; `None` where it must not be.
    fn finish(&mut self, document: Ready) -> Result<Option<Finished>> {
        if document.replaced && !self.may_replace(&document)? {
            return Ok(None);
        }
        let Prepared { mut meta, pages, chunks, annotations, .. } = document.prepared;
        meta.embedded_at = Some(Timestamp::now());
        if let Some(bytes) = &document.original {
            originals::store(self.collection, &meta, bytes)?;
        }
        let (mut vectors, mut sparse_vectors) = (Vec::new(), Vec::new());
        for of_chunk in document.vectors.into_iter().flatten() {
            vectors.push(of_chunk.dense);
            sparse_vectors.extend(of_chunk.sparse);
        }
        let VectorModels { dense: dense_model, sparse: sparse_model, .. } = self.collection.models().clone();
        let stored =
            StoredDocument { meta, pages, chunks, vectors, dense_model, sparse_vectors, sparse_model, annotations };
        Ok(Some(Finished { relative: document.relative, replaced: document.replaced, document: stored }))
    }

    /// Stores documents in one step, and reports each.
    fn store(&mut self, group: Vec<Finished>) -> Result<()> {
        let results = self.collection.put_documents(&group.iter().map(|one| &one.document).collect::<Vec<_>>());
        let mut stored = Ok(());
        for (Finished { relative, replaced, document }, result) in group.into_iter().zip(results) {
            let meta = document.meta;
            let reported = match result {
                Ok(()) => {
                    let tidied = if replaced { originals::remove_others(self.collection, &meta) } else { Ok(()) };
                    self.ingested(relative, meta, replaced);
                    tidied
                }
                Err(error) if error.code == ErrorCode::AlreadyExists => self.overtaken(relative, &meta, &error),
                Err(error) => Err(error),
            };
            stored = stored.and(reported);
        }
        stored
    }

    fn ingested(&mut self, relative_path: String, meta: DocumentMeta, replaced: bool) {
        self.languages.count(&meta, self.embedder);
        self.report.summary.pages += u64::from(meta.page_count);
        self.report.summary.chunks += u64::from(meta.chunk_count);
        let path = meta.path.clone();
        self.report.ingested.push(IngestedDocument {
            document_id: meta.id,
            name: meta.name,
            relative_path,
            path: meta.path,
            document_type: meta.document_type,
            pages: meta.page_count,
            chunks: meta.chunk_count,
            replaced,
            warnings: meta.warnings,
        });
        self.file_done(path, None);
    }

    /// Whether the document that is replaced is still there and, where it was made of what is stored, the same.
    fn may_replace(&mut self, document: &Ready) -> Result<bool> {
        let meta = &document.prepared.meta;
        let stored = self.collection.document(meta.id)?;
        let problem = match stored {
            None => "was deleted meanwhile by another call",
            Some(stored)
                if document.from_stored && (stored.ingested_at, stored.sha256) != (meta.ingested_at, meta.sha256) =>
            {
                "was ingested again meanwhile by another call"
            }
            _ => return Ok(true),
        };
        let error = Error::new(ErrorCode::NotFound, format!("{} {problem}.", meta.path));
        self.take(Outcome::Failed(failed(meta.path.as_ref(), document.relative.clone(), &error)), &mut Vec::new());
        Ok(false)
    }

    /// Another ingestion has stored the same file meanwhile.
    fn overtaken(&mut self, relative_path: String, meta: &DocumentMeta, error: &Error) -> Result<()> {
        originals::remove(self.collection, meta)?;
        let path = meta.path.clone();
        match self.collection.document_by_path(&path)?.filter(|other| other.sha256 == meta.sha256) {
            Some(other) => self.report.skipped.push(SkippedFile {
                relative_path,
                path: path.clone(),
                reason: SkipReason::Unchanged,
                document_id: Some(other.id),
                detail: "ingested meanwhile by another call".to_owned(),
            }),
            None => {
                self.report.failed.push(FailedFile { relative_path, path: path.clone(), problem: Problem::from(error) })
            }
        }
        self.file_done(path, None);
        Ok(())
    }

    fn file_done(&self, path: String, problem: Option<String>) {
        let files = (self.report.ingested.len() + self.report.skipped.len() + self.report.failed.len()) as u64;
        (self.progress)(Progress::FileDone {
            path: path.into(),
            problem,
            files: files - self.listed,
            chunks: self.report.summary.chunks,
        });
    }
}

fn missing(documents: &[Ready]) -> usize {
    documents.iter().flat_map(|document| &document.vectors).filter(|vector| vector.is_none()).count()
}
