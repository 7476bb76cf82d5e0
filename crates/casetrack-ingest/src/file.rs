//! A file on its way through ingestion: on disk, in memory, extracted, and as a document on its way to the store.

use std::path::{Path, PathBuf};

use casetrack_core::{
    Annotations, Chunk, DocumentId, DocumentMeta, DocumentType, Error, ExtractionMethod, Limits, Page, Result, Sha256,
    Timestamp,
};
use casetrack_extract::chunker::chunk_pages;
use casetrack_extract::{Attachment, Extraction, infer_document_type};
use casetrack_store::StoredDocument;

use super::vectors::ChunkVectors;
use super::{FailedFile, Problem, SkipReason, SkippedFile};
use casetrack_host::documents::former::FormerMember;
use casetrack_host::{EngineConfig, KeptCopy, read, sha256};

/// The place of a file, on disk or inside a container.
pub(crate) struct SourceFile {
    /// Absolute, symbolic links resolved. That of a member begins with that of its container.
    pub path: PathBuf,
    /// Path below the folder asked for, or the file name; for people.
    pub relative: String,
    /// Found in a folder or container, not asked for by name.
    pub in_folder: bool,
    /// 1 for a file on disk, 2 for a file inside it.
    pub depth: u32,
    /// Relative path of the file that it is inside.
    pub container: Option<String>,
    /// The place of its bytes, if they are not at its path.
    pub copy: Option<PathBuf>,
}

/// A file before its outcome is decided.
pub(super) struct FileInFlight {
    pub file: SourceFile,
    pub state: FileState,
}

pub(super) enum FileState {
    Discovered,
    Unreadable(Error),
    /// In memory, as a member of a container is from the start.
    Read(FileContent),
    /// Extracted before its turn.
    Extracted(FileContent, Box<Extracted>),
}

pub(super) struct FileContent {
    /// Absolute path.
    pub path: String,
    pub file_name: String,
    pub bytes: Vec<u8>,
    pub sha256: Sha256,
}

/// The document that extraction made of a file, and the circumstances that it depends on.
pub(super) struct Extracted {
    pub document: Result<DocumentInFlight>,
    /// The document that was stored for the path then, and the time of its ingestion.
    earlier: Option<(DocumentId, Timestamp)>,
    limits: Limits,
}

pub(crate) struct DocumentInFlight {
    pub relative: String,
    /// True if it takes the place of an earlier version.
    pub replaced: bool,
    /// Without vectors until all are made; without annotations if the model for them is missing.
    pub stored: StoredDocument,
    /// One a chunk: taken over from the version that is replaced, or `None` if it has to be made.
    pub vectors: Vec<Option<ChunkVectors>>,
    /// The file's bytes, if a copy is wanted.
    pub original: Option<Vec<u8>>,
    /// Made of a stored document, which must be unchanged when this one takes its place.
    pub from_stored: bool,
    pub members: Vec<Attachment>,
}

/// A message from one stage of ingestion to the next.
pub(super) enum Outcome {
    /// The number of files inside a file under way.
    Opened(u64),
    /// Documents to store, in order.
    Documents(Vec<DocumentInFlight>),
    /// Stored by this job before it was interrupted, found at this path.
    StoredBefore(String, Box<DocumentMeta>),
    Skipped(SkippedFile),
    Failed(FailedFile),
    /// Documents of an earlier version of a container that its new version, which is sent before, does not hold.
    Removed(RemovedMembers),
    /// Those of the container at this path that are kept until their removal is confirmed.
    Kept(String, Vec<FormerMember>),
}

#[derive(Default)]
pub(super) struct RemovedMembers {
    pub documents: Vec<DocumentMeta>,
    /// Those whose content the container no longer has under any name.
    pub gone: Vec<FormerMember>,
}

pub fn failed(path: &Path, relative_path: String, error: &Error) -> FailedFile {
    FailedFile { relative_path, path: path.display().to_string(), container: None, problem: Problem::from(error) }
}

/// A file that is not read, because of its state on disk or the rules of access.
pub fn skipped(path: &Path, relative_path: String, reason: SkipReason, detail: String) -> SkippedFile {
    let path = path.display().to_string();
    SkippedFile { relative_path, path, reason, document_id: None, detail, container: None, hint: None }
}

impl SourceFile {
    pub fn named(path: PathBuf, copy: Option<PathBuf>) -> Self {
        let relative = path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string());
        Self { path, relative, in_folder: false, depth: 1, container: None, copy }
    }

    /// The size on disk; 0 if it is unknown.
    fn size(&self) -> u64 {
        self.copy.as_ref().unwrap_or(&self.path).metadata().map_or(0, |metadata| metadata.len())
    }

    pub(super) fn skipped(&self, reason: SkipReason, document_id: Option<DocumentId>, detail: String) -> SkippedFile {
        let container = self.container.clone();
        SkippedFile { document_id, container, ..skipped(&self.path, self.relative.clone(), reason, detail) }
    }

    pub(super) fn failed(&self, error: &Error) -> Outcome {
        let file = failed(&self.path, self.relative.clone(), error);
        Outcome::Failed(FailedFile { container: self.container.clone(), ..file })
    }
}

impl FileInFlight {
    pub fn discovered(file: SourceFile) -> Self {
        Self { file, state: FileState::Discovered }
    }

    /// A file inside a container, whose name begins with that of the container.
    pub fn member(container: &SourceFile, content: &FileContent, member: Attachment) -> Self {
        let below = |place: &str| format!("{place}/{}", member.name);
        let (path, file_name, relative) = (below(&content.path), below(&content.file_name), below(&container.relative));
        let file = SourceFile {
            path: PathBuf::from(&path),
            relative,
            in_folder: true,
            depth: container.depth + 1,
            container: Some(container.relative.clone()),
            copy: None,
        };
        let content = FileContent { path, file_name, sha256: sha256(&member.bytes), bytes: member.bytes };
        Self { file, state: FileState::Read(content) }
    }

    /// Bytes that it takes in memory once it is read.
    pub fn size(&self) -> u64 {
        match &self.state {
            FileState::Discovered | FileState::Unreadable(_) => self.file.size(),
            FileState::Read(content) | FileState::Extracted(content, _) => content.bytes.len() as u64,
        }
    }
}

impl FileContent {
    /// Reads the whole file, or the copy that stands for it; see [`read`].
    pub fn read(path: &Path, copy: Option<KeptCopy<'_>>, config: &EngineConfig) -> Result<Self> {
        let (bytes, sha256) = read(path, copy, config)?;
        let path = path.display().to_string();
        let file_name = Path::new(&path).file_name().and_then(|name| name.to_str()).unwrap_or(&path).to_owned();
        Ok(Self { path, file_name, bytes, sha256 })
    }

    /// The document that an extraction gives, and the files inside it. It has no annotations and no vectors. `name` and `document_type` are
    /// the user's, if any.
    pub fn document(
        &self,
        extraction: Extraction,
        config: &EngineConfig,
        id: DocumentId,
        name: Option<&str>,
        document_type: Option<DocumentType>,
    ) -> (StoredDocument, Vec<Attachment>) {
        let document_type = document_type.unwrap_or_else(|| infer_document_type(&extraction, &self.file_name));
        let Extraction { pages, .. } = &extraction;
        let chunks = chunk_pages(id, pages, &config.chunks);
        let meta = DocumentMeta {
            id,
            name: name.unwrap_or(&self.file_name).to_owned(),
            path: self.path.clone(),
            sha256: self.sha256,
            size_bytes: self.bytes.len() as u64,
            format: extraction.format,
            document_type,
            extraction_method: overall_method(pages),
            page_count: pages.len() as u32,
            unpaged: extraction.unpaged,
            chunk_count: chunks.len() as u32,
            char_count: pages.iter().map(|page| page.text.chars().count() as u64).sum(),
            tracked_changes: pages.iter().map(|page| page.notes.changes.len() as u32).sum(),
            hidden_texts: pages.iter().map(|page| page.notes.hidden.len() as u32).sum(),
            unread_parts: Vec::new(),
            title: extraction.title,
            properties: extraction.properties,
            warnings: extraction.warnings,
            holds_files: !extraction.attachments.is_empty(),
            original_stored: false,
            ingested_at: Timestamp::now(),
            embedded_at: None,
            marks: Default::default(),
        };
        (without_vectors(meta, extraction.pages, chunks, None), extraction.attachments)
    }
}

impl Extracted {
    pub fn new(document: Result<DocumentInFlight>, earlier: Option<&DocumentMeta>, limits: &Limits) -> Self {
        Self { document, earlier: earlier.map(version), limits: *limits }
    }

    /// True if it is the document that extraction would make now.
    pub fn still_holds(&self, earlier: Option<&DocumentMeta>, limits: &Limits) -> bool {
        let has_members = self.document.as_ref().is_ok_and(|document| !document.members.is_empty());
        self.earlier == earlier.map(version) && (!has_members || self.limits == *limits)
    }
}

fn version(meta: &DocumentMeta) -> (DocumentId, Timestamp) {
    (meta.id, meta.ingested_at)
}

impl DocumentInFlight {
    pub fn new(relative: String, replaced: bool, stored: StoredDocument, members: Vec<Attachment>) -> Self {
        let vectors = vec![None; stored.chunks.len()];
        Self { relative, replaced, stored, vectors, original: None, from_stored: false, members }
    }

    /// A stored document, whose vectors are made again.
    pub fn from_stored(
        meta: &DocumentMeta,
        (pages, chunks): (Vec<Page>, Vec<Chunk>),
        annotations: Option<Annotations>,
    ) -> Self {
        let stored = without_vectors(meta.clone(), pages, chunks, annotations);
        Self { from_stored: true, ..Self::new(meta.name.clone(), true, stored, Vec::new()) }
    }
}

fn without_vectors(
    meta: DocumentMeta,
    pages: Vec<Page>,
    chunks: Vec<Chunk>,
    annotations: Option<Annotations>,
) -> StoredDocument {
    StoredDocument {
        meta,
        pages,
        chunks,
        vectors: Vec::new(),
        dense_model: String::new(),
        sparse_vectors: Vec::new(),
        sparse_model: None,
        token_vectors: Vec::new(),
        token_model: None,
        annotations,
    }
}

/// The method all pages with text share, or `Hybrid`.
fn overall_method(pages: &[Page]) -> ExtractionMethod {
    let mut methods = pages.iter().filter(|page| !page.text.is_empty()).map(|page| page.method);
    let first = methods.next().unwrap_or(ExtractionMethod::Native);
    if methods.all(|method| method == first) { first } else { ExtractionMethod::Hybrid }
}
