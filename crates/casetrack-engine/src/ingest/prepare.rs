//! One file: read, hash, extract, chunk.

use std::path::Path;

use casetrack_core::{
    Action, Annotations, Cancel, Chunk, DocumentId, DocumentMeta, DocumentType, Error, ErrorCode, ExtractionMethod,
    FileLimit, Limits, Page, Password, Result, Sha256, Timestamp, hint,
};
use casetrack_extract::{Attachment, ExtractOptions, chunker::chunk_pages, infer_document_type};
use sha2::Digest;

use crate::engine::{Engine, EngineConfig};
use crate::inspect::{InspectedAttachment, Inspection};

/// A file in memory.
pub(super) struct Source {
    /// Absolute path.
    pub path: String,
    pub file_name: String,
    pub bytes: Vec<u8>,
    pub sha256: Sha256,
}

/// A document that lacks only its vectors.
pub(crate) struct Prepared {
    pub meta: DocumentMeta,
    pub pages: Vec<Page>,
    pub chunks: Vec<Chunk>,
    /// `None` until they are made, or where the model for them is missing.
    pub annotations: Option<Annotations>,
    /// The files inside it, where it is a container.
    pub attachments: Vec<Attachment>,
}

/// What the user decided about a document.
pub(super) struct Wishes<'a> {
    pub name: Option<&'a str>,
    pub document_type: Option<DocumentType>,
}

impl Source {
    /// Reads the whole file, if the rules of access allow it, or the copy that stands for it. Paths that are not UTF-8 are refused: a
    /// citation could not name them.
    pub fn read(path: &Path, copy: Option<&Path>, config: &EngineConfig) -> Result<Self> {
        if copy.is_none() {
            config.access.check(path)?;
        }
        let limits = &config.limits;
        let shown = path.display().to_string();
        let Some(text) = path.to_str() else {
            return Err(Error::invalid(format!("The path {shown} is not valid UTF-8."))
                .with_hint("Rename the file, or the folder it is in; citations have to be able to name it."));
        };
        let bytes_at = copy.unwrap_or(path);
        readable(bytes_at, limits)?;
        let bytes = std::fs::read(bytes_at).map_err(|error| Error::io(bytes_at.display(), error))?;
        let sha256 = sha256(&bytes);
        let file_name = path.file_name().and_then(|name| name.to_str()).unwrap_or(text).to_owned();
        Ok(Self { path: text.to_owned(), file_name, bytes, sha256 })
    }

    /// A file inside this one. Its path and name begin with those of its container.
    pub fn member(&self, attachment: Attachment) -> Self {
        let Attachment { name, bytes } = attachment;
        let sha256 = sha256(&bytes);
        Self { path: format!("{}/{name}", self.path), file_name: format!("{}/{name}", self.file_name), bytes, sha256 }
    }

    pub fn prepare(
        &self,
        engine: &Engine,
        options: &ExtractOptions,
        id: DocumentId,
        wishes: &Wishes<'_>,
        cancel: &Cancel,
    ) -> Result<Prepared> {
        let extraction = engine.extract(Path::new(&self.path), &self.bytes, options, cancel)?;
        let document_type = wishes.document_type.unwrap_or_else(|| infer_document_type(&extraction, &self.file_name));
        let chunks = chunk_pages(id, &extraction.pages, &engine.config().chunks);
        let meta = DocumentMeta {
            id,
            name: wishes.name.unwrap_or(&self.file_name).to_owned(),
            path: self.path.clone(),
            sha256: self.sha256,
            size_bytes: self.bytes.len() as u64,
            format: extraction.format,
            document_type,
            title: extraction.title,
            properties: extraction.properties,
            extraction_method: overall_method(&extraction.pages),
            page_count: extraction.pages.len() as u32,
            chunk_count: chunks.len() as u32,
            char_count: extraction.pages.iter().map(|page| page.text.chars().count() as u64).sum(),
            warnings: extraction.warnings,
            original_stored: false,
            ingested_at: Timestamp::now(),
            embedded_at: None,
        };
        Ok(Prepared { meta, pages: extraction.pages, chunks, annotations: None, attachments: extraction.attachments })
    }
}

/// The bytes of a file and their digest; see [`Source::read`].
pub(crate) fn read_file(path: &Path, copy: Option<&Path>, config: &EngineConfig) -> Result<(Vec<u8>, Sha256)> {
    Source::read(path, copy, config).map(|source| (source.bytes, source.sha256))
}

pub(crate) fn sha256(bytes: &[u8]) -> Sha256 {
    Sha256(sha2::Sha256::digest(bytes).into())
}

/// Refuses what is no file or too large, before it is read.
pub(crate) fn readable(path: &Path, limits: &Limits) -> Result<std::fs::Metadata> {
    let shown = path.display().to_string();
    let metadata = std::fs::metadata(path).map_err(|error| Error::io(&shown, error))?;
    if !metadata.is_file() {
        return Err(Error::invalid(format!("{shown} is not a regular file.")));
    }
    if metadata.len() > limits.max_file_bytes {
        return Err(Error::new(
            ErrorCode::FileTooLarge,
            format!("{shown} has {} MB; the limit is {} MB.", metadata.len() >> 20, limits.max_file_bytes >> 20),
        )
        .with_hint(hint!["Split the file. Or ", Action::RaiseLimit(FileLimit::FileSize), "."]));
    }
    Ok(metadata)
}

/// The method all pages with text share, or `Hybrid`.
fn overall_method(pages: &[Page]) -> ExtractionMethod {
    let mut methods = pages.iter().filter(|page| !page.text.is_empty()).map(|page| page.method);
    let first = methods.next().unwrap_or(ExtractionMethod::Native);
    if methods.all(|method| method == first) { first } else { ExtractionMethod::Hybrid }
}

/// See [`Engine::inspect`].
pub(crate) fn inspect(engine: &Engine, path: &Path, password: Option<&Password>) -> Result<Inspection> {
    let path = engine.config().access.check(path)?;
    let source = Source::read(&path, None, engine.config())?;
    let wishes = Wishes { name: None, document_type: None };
    let options = ExtractOptions { password: password.cloned(), ..engine.extract_options() };
    let cancel = Cancel::default();
    let prepared = source.prepare(engine, &options, DocumentId::random(), &wishes, &cancel)?;
    let Prepared { meta, pages, chunks, attachments, .. } = prepared;
    Ok(Inspection {
        path: meta.path,
        sha256: meta.sha256,
        size_bytes: meta.size_bytes,
        format: meta.format,
        title: meta.title,
        properties: meta.properties,
        document_type: meta.document_type,
        pages,
        chunks,
        warnings: meta.warnings,
        attachments: attachments
            .into_iter()
            .map(|file| InspectedAttachment { size_bytes: file.bytes.len() as u64, name: file.name })
            .collect(),
    })
}
