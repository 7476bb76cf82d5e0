//! The content of a file as ingestion would read it, without storing anything.

use std::path::Path;

use casetrack_core::{Cancel, Chunk, DocumentId, DocumentType, FileFormat, Page, Password, Properties, Result, Sha256};
use casetrack_extract::ExtractOptions;
use casetrack_store::StoredDocument;
use schemars::JsonSchema;
use serde::Serialize;

use super::file::FileContent;
use casetrack_host::Host;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Inspection {
    pub path: String,
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub format: FileFormat,
    pub title: Option<String>,
    pub properties: Properties,
    pub document_type: DocumentType,
    pub pages: Vec<Page>,
    /// True if the file does not define where its pages end. Then `pages` are the parts between the page breaks in its text.
    pub unpaged: bool,
    pub chunks: Vec<Chunk>,
    pub warnings: Vec<String>,
    /// The files inside a container, which ingestion makes documents of their own.
    pub attachments: Vec<InspectedAttachment>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InspectedAttachment {
    /// Name in the container, with the folders of an archive.
    pub name: String,
    pub size_bytes: u64,
}

/// Reads, extracts and chunks a file exactly as ingestion does. Chunk ids are those of a document that does not exist.
pub fn inspect(host: &Host, path: &Path, password: Option<&Password>) -> Result<Inspection> {
    let path = host.config().access.check(path)?;
    let content = FileContent::read(&path, None, host.config())?;
    let options = ExtractOptions { password: password.cloned(), ..host.config().extract_options() };
    let extraction = host.readers().extract(&path, &content.bytes, &options, &Cancel::default())?;
    let (document, attachments) = content.document(extraction, host.config(), DocumentId::random(), None, None);
    let StoredDocument { meta, pages, chunks, .. } = document;
    Ok(Inspection {
        path: meta.path,
        sha256: meta.sha256,
        size_bytes: meta.size_bytes,
        format: meta.format,
        title: meta.title,
        properties: meta.properties,
        document_type: meta.document_type,
        pages,
        unpaged: meta.unpaged,
        chunks,
        warnings: meta.warnings,
        attachments: attachments
            .into_iter()
            .map(|file| InspectedAttachment { size_bytes: file.bytes.len() as u64, name: file.name })
            .collect(),
    })
}
