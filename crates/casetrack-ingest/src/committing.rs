//! The third stage of ingestion: documents with their vectors to what is stored, and the report.

use casetrack_core::{DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result, Timestamp};
use casetrack_embed::Embedder;
use casetrack_store::{Collection, StoredDocument, VectorModels};
use crossbeam_channel::Receiver;

use super::discover::failed;
use super::languages::Languages;
use super::pipeline::{Outcome, Ready};
use super::prepare::Prepared;
use super::{FailedFile, IngestReport, IngestedDocument, Problem, SkipReason, SkippedFile};
use casetrack_host::documents::originals;

/// Most chunks of small documents that are committed in one step. Documents of more are committed alone.
const GROUP_CHUNKS: usize = 64;

/// What the second stage hands on.
pub(super) enum Step {
    /// What became of a file that is not stored now.
    Report(Outcome),
    /// Documents that have all their vectors, in order, and those to delete once they are stored.
    Store { documents: Vec<Ready>, removed: Vec<DocumentMeta> },
}

/// A document as it is stored.
struct Finished {
    relative: String,
    replaced: bool,
    document: StoredDocument,
}

pub(super) struct Committing<'a> {
    collection: &'a Collection,
    embedder: &'a Embedder,
    progress: &'a ProgressSink,
    /// Lines of the report that are not of files found.
    listed: u64,
    report: &'a mut IngestReport,
    languages: Languages,
}

impl<'a> Committing<'a> {
    pub fn new(
        collection: &'a Collection,
        embedder: &'a Embedder,
        progress: &'a ProgressSink,
        listed: u64,
        report: &'a mut IngestReport,
    ) -> Self {
        Self { collection, embedder, progress, listed, report, languages: Languages::default() }
    }

    /// Ends when the second stage has ended, or with the first error. The receiver must go then, which ends the stages before.
    pub fn run(mut self, steps: Receiver<Step>) -> Result<()> {
        let ended = self.take_all(&steps);
        self.report.summary.notices.extend(self.languages.notice(&self.collection.meta().name));
        ended
    }

    fn take_all(&mut self, steps: &Receiver<Step>) -> Result<()> {
        for step in steps {
            match step {
                Step::Report(outcome) => self.report(outcome),
                Step::Store { documents, removed } => {
                    self.commit(documents)?;
                    for meta in removed {
                        self.collection.delete_document(meta.id)?;
                        if meta.original_stored {
                            originals::remove(self.collection, &meta)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn report(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Opened(files) => {
                self.report.found += files;
                (self.progress)(Progress::Discovered { files: self.report.found });
            }
            Outcome::Stored(relative, meta) => self.ingested(relative, *meta, false),
            Outcome::Skipped(file) => {
                let path = file.path.clone();
                self.report.skipped.push(file);
                self.file_done(path, None);
            }
            Outcome::Failed(file) => {
                let (path, problem) = (file.path.clone(), file.problem.message.clone());
                self.report.failed.push(file);
                self.file_done(path, Some(problem));
            }
            // The second stage puts these into a step of their own.
            Outcome::Ready(_) | Outcome::Removed(_) => {}
        }
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
        let (mut vectors, mut sparse_vectors, mut token_vectors) = (Vec::new(), Vec::new(), Vec::new());
        for of_chunk in document.vectors.into_iter().flatten() {
            vectors.push(of_chunk.dense);
            sparse_vectors.extend(of_chunk.sparse);
            token_vectors.extend(of_chunk.tokens);
        }
        let VectorModels { dense: dense_model, sparse: sparse_model, tokens: token_model, .. } =
            self.collection.models().clone();
        let stored = StoredDocument {
            meta,
            pages,
            chunks,
            vectors,
            dense_model,
            sparse_vectors,
            sparse_model,
            token_vectors,
            token_model,
            annotations,
        };
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
        self.report(Outcome::Failed(failed(meta.path.as_ref(), document.relative.clone(), &error)));
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
