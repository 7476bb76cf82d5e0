//! The two stages of ingestion and the channel between them.

use std::time::Instant;

use casetrack_core::{Cancel, DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result, Timestamp};
use casetrack_embed::Embedder;
use casetrack_store::{Collection, StoredDocument};
use crossbeam_channel::{Receiver, bounded};

use super::discover::Discovery;
use super::extracting::Extracting;
use super::prepare::Prepared;
use super::{FailedFile, IngestReport, IngestRequest, IngestedDocument, Problem, SkipReason, SkippedFile, originals};
use crate::engine::Engine;

/// Extracted documents that may wait for the embedder: bounds memory.
const QUEUED_DOCUMENTS: usize = 16;
/// Chunks embedded between two looks at cancellation and progress; also the aim when gathering chunks of small documents.
const BATCH_CHUNKS: usize = 64;

/// What the first stage says of one file.
pub(super) enum Outcome {
    /// So many files are inside a file under way.
    Opened(u64),
    Ready(Box<Ready>),
    Skipped(SkippedFile),
    Failed(FailedFile),
}

/// A document on its way to the store.
pub(super) struct Ready {
    pub relative: String,
    pub replaced: bool,
    pub prepared: Prepared,
    /// One a chunk: taken over from the version that is replaced, or `None` where it has to be made.
    pub vectors: Vec<Option<Vec<f32>>>,
    /// The file's bytes, where a copy is wanted.
    pub original: Option<Vec<u8>>,
}

pub(super) fn run(
    engine: &Engine,
    collection: &Collection,
    request: &IngestRequest,
    discovery: Discovery,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
    let started = Instant::now();
    if request.document_name.is_some() && discovery.files.len() > 1 {
        return Err(Error::invalid("A document name was given for more than one file.")
            .with_hint("Ingest the files one by one, or leave the name out to use each file's own."));
    }
    let embedder = engine.embedder_of(collection)?;

    let mut report = IngestReport {
        collection: collection.meta().name.clone(),
        subfolders: discovery.subfolders,
        found: discovery.files.len() as u64,
        failed: discovery.failed,
        ..IngestReport::default()
    };
    progress(Progress::Discovered { files: report.found });

    let (sender, receiver) = bounded(QUEUED_DOCUMENTS);
    let files = discovery.files;
    let finished = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("extract".into())
            .spawn_scoped(scope, move || Extracting::new(engine, collection, request, sender, cancel).run(files))
            .map_err(|error| Error::io("a new thread", error))?;
        // The receiver is dropped at the end of `run`, which unblocks the first stage if the second ended early.
        Embedding { collection, embedder, progress, cancel, report: &mut report, embedded: 0 }.run(receiver)
    });
    report.stopped = match finished {
        Err(error) => Some(Problem::from(&error)),
        Ok(()) if cancel.is_cancelled() => Some(Problem::from(&Error::cancelled())),
        Ok(()) => None,
    };
    collection.flush()?;
    report.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

// ---- second stage: chunks to committed documents ----

struct Embedding<'a> {
    collection: &'a Collection,
    embedder: &'a Embedder,
    progress: &'a ProgressSink,
    cancel: &'a Cancel,
    report: &'a mut IngestReport,
    /// Chunks whose vectors were made in this job.
    embedded: u64,
}

impl Embedding<'_> {
    fn run(mut self, outcomes: Receiver<Outcome>) -> Result<()> {
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
            for document in documents {
                self.commit(document)?;
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

    /// Fills every missing vector.
    fn embed(&mut self, documents: &mut [Ready]) -> Result<()> {
        let mut todo = Vec::new();
        for (d, document) in documents.iter().enumerate() {
            todo.extend((0..document.vectors.len()).filter(|&c| document.vectors[c].is_none()).map(|c| (d, c)));
        }
        for batch in todo.chunks(BATCH_CHUNKS) {
            let texts: Vec<String> =
                batch.iter().map(|&(d, c)| documents[d].prepared.chunks[c].embedding_text()).collect();
            let vectors = self.embedder.embed_passages(&texts, self.cancel)?;
            for (&(d, c), vector) in batch.iter().zip(vectors) {
                documents[d].vectors[c] = Some(vector);
            }
            self.embedded += batch.len() as u64;
            (self.progress)(Progress::Embedded { chunks: self.embedded });
        }
        self.report.chunks_reused +=
            documents.iter().map(|document| document.vectors.len() as u64).sum::<u64>() - todo.len() as u64;
        Ok(())
    }

    fn commit(&mut self, document: Ready) -> Result<()> {
        let Prepared { mut meta, pages, chunks, .. } = document.prepared;
        meta.embedded_at = Some(Timestamp::now());
        if let Some(bytes) = &document.original {
            originals::store(self.collection, &meta, bytes)?;
        }
        let vectors = document.vectors.into_iter().flatten().collect();
        let stored = StoredDocument {
            meta,
            pages,
            chunks,
            vectors,
            dense_model: self.collection.models().dense.clone(),
            sparse_vectors: Vec::new(),
            sparse_model: None,
        };
        match self.collection.put_document(&stored) {
            Err(error) if error.code == ErrorCode::AlreadyExists => {
                return self.overtaken(document.relative, &stored.meta, &error);
            }
            result => result?,
        }
        let meta = stored.meta;
        if document.replaced {
            originals::remove_others(self.collection, &meta)?;
        }
        self.report.pages += u64::from(meta.page_count);
        self.report.chunks += u64::from(meta.chunk_count);
        let path = meta.path.clone();
        self.report.ingested.push(IngestedDocument {
            document_id: meta.id,
            name: meta.name,
            relative_path: document.relative,
            path: meta.path,
            document_type: meta.document_type,
            pages: meta.page_count,
            chunks: meta.chunk_count,
            replaced: document.replaced,
            warnings: meta.warnings,
        });
        self.file_done(path, None);
        Ok(())
    }

    /// Another ingestion has stored the same file since this one looked.
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
        let files = self.report.ingested.len() + self.report.skipped.len() + self.report.failed.len();
        (self.progress)(Progress::FileDone {
            path: path.into(),
            problem,
            files: files as u64,
            chunks: self.report.chunks,
        });
    }
}

fn missing(documents: &[Ready]) -> usize {
    documents.iter().flat_map(|document| &document.vectors).filter(|vector| vector.is_none()).count()
}
