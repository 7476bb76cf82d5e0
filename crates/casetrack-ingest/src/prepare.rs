//! One file: read, hash, extract, chunk.

use std::path::Path;

use casetrack_core::{
    Annotations, Cancel, Chunk, DocumentId, DocumentMeta, DocumentType, ExtractionMethod, Page, Result, Sha256,
    Timestamp,
};
use casetrack_extract::{Attachment, ExtractOptions, Extraction, chunker::chunk_pages, infer_document_type};

use casetrack_host::{EngineConfig, Host, Kept, read, sha256};

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
pub(super) struct PrepareOptions<'a> {
    pub name: Option<&'a str>,
    pub document_type: Option<DocumentType>,
}

impl Source {
    /// Reads the whole file, or the copy that stands for it; see [`read`].
    pub fn read(path: &Path, copy: Option<Kept<'_>>, config: &EngineConfig) -> Result<Self> {
        let (bytes, sha256) = read(path, copy, config)?;
        let path = path.display().to_string();
        let file_name = Path::new(&path).file_name().and_then(|name| name.to_str()).unwrap_or(&path).to_owned();
        Ok(Self { path, file_name, bytes, sha256 })
    }

    /// A file inside this one. Its path and name begin with those of its container.
    pub fn member(&self, attachment: Attachment) -> Self {
        let Attachment { name, bytes } = attachment;
        let sha256 = sha256(&bytes);
        Self { path: format!("{}/{name}", self.path), file_name: format!("{}/{name}", self.file_name), bytes, sha256 }
    }

    pub fn prepare(
        &self,
        host: &Host,
        options: &ExtractOptions,
        id: DocumentId,
        chosen: &PrepareOptions<'_>,
        cancel: &Cancel,
    ) -> Result<Prepared> {
        let extraction = host.readers().extract(Path::new(&self.path), &self.bytes, options, cancel)?;
        Ok(self.prepared(extraction, host, id, chosen))
    }

    /// The document that this is, as it was read.
    pub fn prepared(
        &self,
        extraction: Extraction,
        host: &Host,
        id: DocumentId,
        chosen: &PrepareOptions<'_>,
    ) -> Prepared {
        let document_type = chosen.document_type.unwrap_or_else(|| infer_document_type(&extraction, &self.file_name));
        let chunks = chunk_pages(id, &extraction.pages, &host.config().chunks);
        let meta = DocumentMeta {
            id,
            name: chosen.name.unwrap_or(&self.file_name).to_owned(),
            path: self.path.clone(),
            sha256: self.sha256,
            size_bytes: self.bytes.len() as u64,
            format: extraction.format,
            document_type,
            title: extraction.title,
            properties: extraction.properties,
            extraction_method: overall_method(&extraction.pages),
            page_count: extraction.pages.len() as u32,
            unpaged: extraction.unpaged,
            chunk_count: chunks.len() as u32,
            char_count: extraction.pages.iter().map(|page| page.text.chars().count() as u64).sum(),
            tracked_changes: extraction.pages.iter().map(|page| page.notes.changes.len() as u32).sum(),
            hidden_texts: extraction.pages.iter().map(|page| page.notes.hidden.len() as u32).sum(),
            warnings: extraction.warnings,
            holds_files: !extraction.attachments.is_empty(),
            original_stored: false,
            ingested_at: Timestamp::now(),
            embedded_at: None,
            marks: Default::default(),
        };
        Prepared { meta, pages: extraction.pages, chunks, annotations: None, attachments: extraction.attachments }
    }
}

/// The method all pages with text share, or `Hybrid`.
fn overall_method(pages: &[Page]) -> ExtractionMethod {
    let mut methods = pages.iter().filter(|page| !page.text.is_empty()).map(|page| page.method);
    let first = methods.next().unwrap_or(ExtractionMethod::Native);
    if methods.all(|method| method == first) { first } else { ExtractionMethod::Hybrid }
}
