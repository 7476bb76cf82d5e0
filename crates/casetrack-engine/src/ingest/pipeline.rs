//! The two stages of ingestion and the channel between them.

use std::collections::HashMap;
use std::time::Instant;

use casetrack_core::{
    Cancel, Chunk, ChunkId, DocumentId, DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result, Sha256,
    Timestamp,
};
use casetrack_embed::Embedder;
use casetrack_store::{Collection, StoredDocument};
use crossbeam_channel::{Receiver, Sender, bounded};

use super::discover::{Discovery, FoundFile, failed};
use super::prepare::{Prepared, Source, Wishes};
use super::{FailedFile, IngestReport, IngestRequest, IngestedDocument, Problem, SkipReason, SkippedFile, originals};
use crate::engine::Engine;

/// Extracted documents that may wait for the embedder: bounds memory.
const QUEUED_DOCUMENTS: usize = 16;
/// Chunks embedded between two looks at cancellation and progress; also the aim when gathering chunks of small documents.
const BATCH_CHUNKS: usize = 64;

/// What the first stage says of one file.
enum Outcome {
    Ready(Box<Ready>),
    Skipped(SkippedFile),
    Failed(FailedFile),
}

/// A document on its way to the store.
struct Ready {
    relative: String,
    replaced: bool,
    prepared: Prepared,
    /// One a chunk: taken over from the version that is replaced, or `None` where it has to be made.
    vectors: Vec<Option<Vec<f32>>>,
    /// The file's bytes, where a copy is wanted.
    original: Option<Vec<u8>>,
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
            .spawn_scoped(scope, move || extract_all(engine, collection, request, files, &sender, cancel))
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

// ---- first stage: bytes to chunks ----

fn extract_all(
    engine: &Engine,
    collection: &Collection,
    request: &IngestRequest,
    files: Vec<FoundFile>,
    sender: &Sender<Outcome>,
    cancel: &Cancel,
) {
    // Documents of this job that are not committed yet.
    let mut under_way: HashMap<Sha256, (DocumentId, String)> = HashMap::new();
    for file in files {
        if cancel.is_cancelled() {
            return;
        }
        let outcome = match extract_one(engine, collection, request, &file, &under_way, cancel) {
            Ok(outcome) => outcome,
            Err(error) if file.in_folder && error.code == ErrorCode::UnsupportedFormat => {
                Outcome::Skipped(SkippedFile {
                    relative_path: file.relative.clone(),
                    path: file.path.display().to_string(),
                    reason: SkipReason::Unsupported,
                    document_id: None,
                    detail: error.message,
                })
            }
            Err(error) => Outcome::Failed(failed(&file.path, file.relative.clone(), &error)),
        };
        if let Outcome::Ready(ready) = &outcome {
            let meta = &ready.prepared.meta;
            under_way.insert(meta.sha256, (meta.id, meta.name.clone()));
        }
        if sender.send(outcome).is_err() {
            return;
        }
    }
}

fn extract_one(
    engine: &Engine,
    collection: &Collection,
    request: &IngestRequest,
    file: &FoundFile,
    under_way: &HashMap<Sha256, (DocumentId, String)>,
    cancel: &Cancel,
) -> Result<Outcome> {
    let source = Source::read(&file.path, &engine.config().limits)?;
    let skipped = |reason, document_id, detail| {
        Outcome::Skipped(SkippedFile {
            relative_path: file.relative.clone(),
            path: source.path.clone(),
            reason,
            document_id: Some(document_id),
            detail,
        })
    };
    let earlier = collection.document_by_path(&source.path)?;
    if let Some(earlier) = &earlier {
        if earlier.sha256 == source.sha256 && request.skip_existing {
            let detail = format!("already ingested as {}, matching SHA256", earlier.name);
            return Ok(skipped(SkipReason::Unchanged, earlier.id, detail));
        }
    } else {
        let stored = match collection.documents_by_sha256(source.sha256)?.first() {
            Some(&id) => collection.document(id)?.map(|meta| (id, meta.path)),
            None => under_way.get(&source.sha256).cloned(),
        };
        if let Some((id, same)) = stored {
            return Ok(skipped(SkipReason::Duplicate, id, format!("same content as {same}, matching SHA256")));
        }
    }

    let id = earlier.as_ref().map_or_else(DocumentId::random, |earlier| earlier.id);
    // A name the user gave stays when the file is ingested again.
    let kept_name = earlier.as_ref().map(|earlier| earlier.name.as_str());
    let wishes = Wishes { name: request.document_name.as_deref().or(kept_name), document_type: request.document_type };
    let mut prepared = source.prepare(engine, id, &wishes, cancel)?;
    if prepared.chunks.is_empty() {
        return Err(Error::new(ErrorCode::EmptyFile, format!("{} contains no text.", source.path)));
    }
    let keep_original = request.copy_original || earlier.as_ref().is_some_and(|earlier| earlier.original_stored);
    prepared.meta.original_stored = keep_original;
    let vectors = match &earlier {
        Some(earlier) => unchanged_vectors(collection, earlier, &prepared.chunks)?,
        None => vec![None; prepared.chunks.len()],
    };
    Ok(Outcome::Ready(Box::new(Ready {
        relative: file.relative.clone(),
        replaced: earlier.is_some(),
        prepared,
        vectors,
        original: keep_original.then_some(source.bytes),
    })))
}

/// The vectors of the chunks that `earlier` has with the same text and context.
fn unchanged_vectors(
    collection: &Collection,
    earlier: &DocumentMeta,
    chunks: &[Chunk],
) -> Result<Vec<Option<Vec<f32>>>> {
    let contexts: HashMap<ChunkId, String> =
        collection.chunks(earlier.id)?.into_iter().map(|chunk| (chunk.id, chunk.context)).collect();
    let mut known: HashMap<ChunkId, Vec<f32>> = collection.vectors(earlier.id)?.into_iter().collect();
    let take = |chunk: &Chunk| {
        let same = contexts.get(&chunk.id).is_some_and(|context| *context == chunk.context);
        if same { known.remove(&chunk.id) } else { None }
    };
    Ok(chunks.iter().map(take).collect())
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
        let Prepared { mut meta, pages, chunks } = document.prepared;
        meta.embedded_at = Some(Timestamp::now());
        if let Some(bytes) = &document.original {
            originals::store(self.collection, &meta, bytes)?;
        }
        let vectors = document.vectors.into_iter().flatten().collect();
        let stored =
            StoredDocument { meta, pages, chunks, vectors, dense_model: self.collection.models().dense.clone() };
        self.collection.put_document(&stored)?;
        let meta = stored.meta;
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
