//! The state of documents and indexes, and the changes that reindexing would make.

use std::path::Path;

use casetrack_core::{Cancel, CollectionId, DocumentId, DocumentMeta, ErrorCode, Result, Timestamp};
use casetrack_nlp::analysis_of;
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use casetrack_host::documents::{document_named, embedders_of, outermost};
use casetrack_host::report::Problem;
use casetrack_host::{Host, KeptCopy, read};

/// The health of a collection's indexes, and of its documents one by one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct IndexStatus {
    pub collection: String,
    /// True if all documents examined are complete, the derived indexes are in step and the models are those of the collection.
    pub healthy: bool,
    pub documents: u64,
    /// Of those, documents without an issue.
    pub complete: u64,
    /// Of those, documents that reindexing would fix.
    pub needs_reindex: u64,
    /// Of those, documents whose files are gone.
    pub source_missing: u64,
    /// Chunks of these documents.
    pub chunks: u64,
    /// Chunks of these documents that have a learned-sparse vector.
    pub sparse_chunks: u64,
    /// Documents of these that have entities and references.
    pub annotated_documents: u64,
    /// The model of the dense vectors (E1).
    pub dense_model: String,
    /// The model of the learned-sparse vectors (E6), if the collection has one.
    pub sparse_model: Option<String>,
    /// Chunks of these documents that have token vectors.
    pub token_chunks: u64,
    /// The model of the token vectors (E12), if the collection has one.
    pub token_model: Option<String>,
    /// Why the models in use now cannot search or extend the collection.
    pub model_problem: Option<Problem>,
    pub indexes: Vec<IndexState>,
    pub document_states: Vec<DocumentState>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexState {
    pub name: String,
    /// True if it has followed every change.
    pub in_step: bool,
    /// Changes that it has still to follow; it catches up by itself.
    pub behind: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DocumentState {
    pub document_id: DocumentId,
    pub name: String,
    pub path: String,
    pub chunks: u32,
    pub embedders: Vec<String>,
    pub ingested_at: Timestamp,
    pub embedded_at: Option<Timestamp>,
    /// Empty if it is complete.
    pub issues: Vec<IndexIssue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexIssue {
    /// The content of the file has changed since it was ingested.
    SourceChanged,
    /// The file is gone. The stored text stays searchable.
    SourceMissing,
    /// The file is there and cannot be read.
    SourceUnreadable,
    /// It has no vectors of E1.
    NoDenseVectors,
    /// The collection has learned-sparse vectors (E6), but this document none.
    NoSparseVectors,
    /// The collection has token vectors (E12), but this document none.
    NoTokenVectors,
    /// Its entities and references were not extracted.
    NoAnnotations,
    /// Its entities and references were found by another version of the analysis.
    OtherAnalysis,
}

impl IndexIssue {
    pub fn is_fixable(self) -> bool {
        !matches!(self, Self::SourceMissing | Self::SourceUnreadable)
    }
}

/// The state of all documents of a collection, or of the one that `document` names. Changes nothing. Files
/// are compared by size, then by SHA-256; each is read once, then again only when its size or times change while this process
/// runs.
pub fn index_status(
    host: &Host,
    collection: CollectionId,
    document: Option<&str>,
    cancel: &Cancel,
) -> Result<IndexStatus> {
    let collection = host.collection(collection)?;
    let documents = collection.documents()?;
    let chosen = match document {
        Some(name) => vec![document_named(&collection, name)?],
        None => documents.clone(),
    };
    let sources = Sources { host, collection: &collection, documents: &documents, trust: true, cancel };
    let states: Vec<DocumentState> = chosen.into_iter().map(|meta| sources.state(meta)).collect::<Result<_>>()?;
    let model_problem = host.embedder_of(&collection).and_then(|_| host.sparse_embedder_of(&collection));
    let model_problem = model_problem.and_then(|_| host.token_embedder_of(&collection)).err();
    let indexes: Vec<IndexState> = collection
        .index_progress()?
        .into_iter()
        .map(|index| IndexState { name: index.name.to_owned(), in_step: index.in_step, behind: index.behind })
        .collect();
    let count = |which: &dyn Fn(&DocumentState) -> bool| states.iter().filter(|state| which(state)).count() as u64;
    let complete = count(&|state| state.issues.is_empty());
    let models = collection.models();
    let chunks = |which: &dyn Fn(&DocumentState) -> bool| {
        states.iter().filter(|state| which(state)).map(|state| u64::from(state.chunks)).sum::<u64>()
    };
    let of = |embedder: &'static str| move |state: &DocumentState| state.embedders.iter().any(|own| own == embedder);
    let (all, sparse_chunks, token_chunks) = (chunks(&|_| true), chunks(&of("E6")), chunks(&of("E12")));
    Ok(IndexStatus {
        collection: collection.meta().name.clone(),
        healthy: complete == states.len() as u64
            && model_problem.is_none()
            && indexes.iter().all(|index| index.in_step),
        documents: states.len() as u64,
        complete,
        needs_reindex: count(&|state| state.issues.iter().any(|issue| issue.is_fixable())),
        source_missing: count(&|state| state.issues.contains(&IndexIssue::SourceMissing)),
        chunks: all,
        sparse_chunks,
        annotated_documents: count(&|state| !state.issues.contains(&IndexIssue::NoAnnotations)),
        dense_model: models.dense.clone(),
        sparse_model: models.sparse.clone(),
        token_chunks,
        token_model: models.tokens.as_ref().map(|model| model.id.clone()),
        model_problem: model_problem.as_ref().map(Problem::from),
        indexes,
        document_states: states,
    })
}

/// The parts that a document lacks, of those that the tier expects and that the collection's models and the analysis give.
pub(super) fn lacks(host: &Host, collection: &Collection, meta: &DocumentMeta) -> Result<Vec<IndexIssue>> {
    let mut issues = Vec::new();
    let has = embedders_of(collection, meta)?;
    let expected = host.config().tier.embedders();
    let lacks =
        |embedder| meta.chunk_count > 0 && expected.contains(&embedder) && !has.iter().any(|one| one == embedder);
    if lacks("E1") {
        issues.push(IndexIssue::NoDenseVectors);
    }
    if collection.models().sparse.is_some() && lacks("E6") {
        issues.push(IndexIssue::NoSparseVectors);
    }
    if collection.models().tokens.is_some() && lacks("E12") {
        issues.push(IndexIssue::NoTokenVectors);
    }
    match collection.annotations(meta.id)? {
        None => issues.push(IndexIssue::NoAnnotations),
        Some(annotations) if annotations.analysis != analysis_of(meta.properties.language.as_deref()) => {
            issues.push(IndexIssue::OtherAnalysis)
        }
        Some(_) => {}
    }
    Ok(issues)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceState {
    Unchanged,
    Changed,
    Missing,
    Unreadable,
}

pub(super) struct Sources<'a> {
    pub host: &'a Host,
    pub collection: &'a Collection,
    /// All of the collection, by path.
    pub documents: &'a [DocumentMeta],
    /// Count a file as unchanged if it has the size and times that it had when this process read it last.
    pub trust: bool,
    pub cancel: &'a Cancel,
}

impl Sources<'_> {
    fn state(&self, meta: DocumentMeta) -> Result<DocumentState> {
        let mut issues = lacks(self.host, self.collection, &meta)?;
        issues.extend(match self.of_file(&meta)? {
            SourceState::Unchanged => None,
            SourceState::Changed => Some(IndexIssue::SourceChanged),
            SourceState::Missing => Some(IndexIssue::SourceMissing),
            SourceState::Unreadable => Some(IndexIssue::SourceUnreadable),
        });
        issues.sort_unstable();
        Ok(DocumentState {
            document_id: meta.id,
            embedders: embedders_of(self.collection, &meta)?,
            name: meta.name,
            path: meta.path,
            chunks: meta.chunk_count,
            ingested_at: meta.ingested_at,
            embedded_at: meta.embedded_at,
            issues,
        })
    }

    /// Like `of_file`, but if the file is gone, its kept copy is compared.
    pub fn of(&self, meta: &DocumentMeta) -> Result<SourceState> {
        match self.of_file(meta)? {
            SourceState::Missing => {
                let container = outermost(self.documents, meta);
                match self.collection.kept_copy(container) {
                    Some(copy) => Ok(self.compare_copy(&copy, container)),
                    None => Ok(SourceState::Missing),
                }
            }
            source => Ok(source),
        }
    }

    pub fn of_file(&self, meta: &DocumentMeta) -> Result<SourceState> {
        let container = outermost(self.documents, meta);
        self.compare(Path::new(&container.path), container)
    }

    fn compare_copy(&self, copy: &Path, meta: &DocumentMeta) -> SourceState {
        match read(
            Path::new(&meta.path),
            Some(KeptCopy { collection: self.collection, path: copy }),
            self.host.config(),
        ) {
            Ok((_, sha256)) if sha256 == meta.sha256 => SourceState::Unchanged,
            Ok(_) => SourceState::Changed,
            Err(error) if error.code == ErrorCode::FileNotFound => SourceState::Missing,
            Err(_) => SourceState::Unreadable,
        }
    }

    fn compare(&self, path: &Path, meta: &DocumentMeta) -> Result<SourceState> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let metadata = match path.metadata() {
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(SourceState::Missing),
            Err(_) => return Ok(SourceState::Unreadable),
            Ok(metadata) if !metadata.is_file() || metadata.len() != meta.size_bytes => {
                return Ok(SourceState::Changed);
            }
            Ok(metadata) => metadata,
        };
        match self.host.known_files().digest(path, &metadata, self.trust, self.cancel) {
            Ok((sha256, _)) if sha256 == meta.sha256 => Ok(SourceState::Unchanged),
            Ok(_) => Ok(SourceState::Changed),
            Err(error) if error.code == ErrorCode::Cancelled => Err(error),
            Err(error) if error.code == ErrorCode::FileNotFound => Ok(SourceState::Missing),
            Err(_) => Ok(SourceState::Unreadable),
        }
    }
}
