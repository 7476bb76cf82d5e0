//! The third stage of ingestion: documents with their vectors to the collection, and the report.

use casetrack_core::{DocumentMeta, Error, ErrorCode, Progress, Result, Timestamp};
use casetrack_embed::Embedder;
use crossbeam_channel::Receiver;

use super::file::{DocumentInFlight, Outcome, RemovedMembers, failed, skipped};
use super::languages::Languages;
use super::{FailedFile, IngestReport, IngestedDocument, SkipReason, SkippedFile, WorkContext};
use casetrack_host::documents::removal::remember_removed;
use casetrack_host::documents::{delete_one, former, originals};

/// Most chunks of small documents that are committed in one step. Larger documents are committed one by one.
const GROUP_CHUNKS: usize = 64;

pub(super) struct Committer<'a> {
    work: WorkContext<'a>,
    embedder: &'a Embedder,
    /// Lines of the report about files and folders that could not be listed.
    listed: u64,
    report: &'a mut IngestReport,
    languages: Languages,
}

impl<'a> Committer<'a> {
    pub fn new(work: WorkContext<'a>, embedder: &'a Embedder, listed: u64, report: &'a mut IngestReport) -> Self {
        Self { work, embedder, listed, report, languages: Languages::default() }
    }

    /// Ends when the second stage has ended, or with the first error. The receiver must be dropped then, which ends the stages before.
    pub fn run(mut self, outcomes: Receiver<Outcome>) -> Result<()> {
        let ended = outcomes.iter().try_for_each(|outcome| self.take(outcome));
        self.report.summary.notices.extend(self.languages.notice(&self.work.collection.meta().name));
        ended
    }

    fn take(&mut self, outcome: Outcome) -> Result<()> {
        match outcome {
            Outcome::Opened(files) => {
                self.report.found += files;
                (self.work.progress)(Progress::Discovered { files: self.report.found });
            }
            Outcome::Documents(documents) => self.commit(documents)?,
            Outcome::StoredBefore(relative, meta) => self.ingested(relative, *meta, false),
            Outcome::Skipped(file) => {
                let path = file.path.clone();
                self.report.skipped.push(file);
                self.file_done(path, None);
            }
            Outcome::Failed(file) => self.failed(file),
            Outcome::Removed(RemovedMembers { documents, gone }) => {
                remember_removed(self.work.collection, documents.iter())?;
                documents.iter().try_for_each(|meta| delete_one(self.work.collection, meta))?;
                self.report.gone_members.extend(gone);
            }
            Outcome::Kept(container, members) => {
                former::keep(self.work.collection, &container, &members)?;
                self.report.withheld_members.extend(members);
            }
        }
        Ok(())
    }

    fn failed(&mut self, file: FailedFile) {
        let (path, problem) = (file.path.clone(), file.problem.message.clone());
        self.report.failed.push(file);
        self.file_done(path, Some(problem));
    }

    /// Stores documents in order, small ones in groups, because each commit waits for the disk, regardless of its size.
    fn commit(&mut self, documents: Vec<DocumentInFlight>) -> Result<()> {
        let (mut group, mut chunks) = (Vec::new(), 0);
        for mut document in documents {
            let own = document.stored.chunks.len();
            if chunks + own > GROUP_CHUNKS {
                self.store(std::mem::take(&mut group))?;
                chunks = 0;
            }
            match self.finish(&mut document) {
                Ok(false) => {}
                Ok(true) => {
                    group.push(document);
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

    /// Puts its vectors into a document, and its copy into the collection. Returns false if it must not be stored.
    fn finish(&mut self, document: &mut DocumentInFlight) -> Result<bool> {
        if document.replaced && !self.may_replace(document)? {
            return Ok(false);
        }
        let DocumentInFlight { stored, vectors, original, .. } = document;
        stored.meta.embedded_at = Some(Timestamp::now());
        if let Some(bytes) = original.take() {
            originals::store(self.work.collection, &stored.meta, &bytes)?;
        }
        for of_chunk in vectors.drain(..).flatten() {
            stored.vectors.push(of_chunk.dense);
            stored.sparse_vectors.extend(of_chunk.sparse);
            stored.token_vectors.extend(of_chunk.tokens);
        }
        let models = self.work.collection.models();
        stored.dense_model.clone_from(&models.dense);
        stored.sparse_model.clone_from(&models.sparse);
        stored.token_model.clone_from(&models.tokens);
        Ok(true)
    }

    fn store(&mut self, group: Vec<DocumentInFlight>) -> Result<()> {
        let results = self.work.collection.put_documents(&group.iter().map(|one| &one.stored).collect::<Vec<_>>());
        let mut all = Ok(());
        for (DocumentInFlight { relative, replaced, stored, .. }, result) in group.into_iter().zip(results) {
            let meta = stored.meta;
            let reported = match result {
                Ok(()) => {
                    let tidied = if replaced { originals::remove_others(self.work.collection, &meta) } else { Ok(()) };
                    self.ingested(relative, meta, replaced);
                    tidied
                }
                Err(error) if error.code == ErrorCode::AlreadyExists => self.overtaken(relative, &meta, &error),
                Err(error) => Err(error),
            };
            all = all.and(reported);
        }
        all
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

    /// True if the document that is replaced is still there and, if this one was made of it, the same.
    fn may_replace(&mut self, document: &DocumentInFlight) -> Result<bool> {
        let meta = &document.stored.meta;
        let stored = self.work.collection.document(meta.id)?;
        let problem = match stored {
            None => "was deleted by another call in the meantime",
            Some(stored)
                if document.from_stored && (stored.ingested_at, stored.sha256) != (meta.ingested_at, meta.sha256) =>
            {
                "was ingested again by another call in the meantime"
            }
            _ => return Ok(true),
        };
        let error = Error::new(ErrorCode::NotFound, format!("{} {problem}.", meta.path));
        self.failed(failed(meta.path.as_ref(), document.relative.clone(), &error));
        Ok(false)
    }

    /// Another ingestion has stored the same file in the meantime.
    fn overtaken(&mut self, relative_path: String, meta: &DocumentMeta, error: &Error) -> Result<()> {
        originals::remove(self.work.collection, meta)?;
        let path = meta.path.as_ref();
        let other = self.work.collection.document_by_path(&meta.path)?.filter(|other| other.sha256 == meta.sha256);
        self.take(match other {
            Some(other) => {
                let detail = "ingested by another call in the meantime".to_owned();
                let unchanged = skipped(path, relative_path, SkipReason::Unchanged, detail);
                Outcome::Skipped(SkippedFile { document_id: Some(other.id), ..unchanged })
            }
            None => Outcome::Failed(failed(path, relative_path, error)),
        })
    }

    fn file_done(&self, path: String, problem: Option<String>) {
        let files = (self.report.ingested.len() + self.report.skipped.len() + self.report.failed.len()) as u64;
        (self.work.progress)(Progress::FileDone {
            path: path.into(),
            problem,
            files: files - self.listed,
            chunks: self.report.summary.chunks,
        });
    }
}
