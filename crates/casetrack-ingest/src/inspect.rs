//! What ingestion would see in a file, without storing anything.

use std::path::Path;

use casetrack_core::{Cancel, Chunk, DocumentId, DocumentType, FileFormat, Page, Password, Properties, Result, Sha256};
use casetrack_extract::ExtractOptions;
use schemars::JsonSchema;
use serde::Serialize;

use super::prepare::{PrepareOptions, Prepared, Source};
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
    /// Whether the file does not say where its pages end. Then `pages` are the parts between the page breaks that its text asks for.
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
    let source = Source::read(&path, None, host.config())?;
    let chosen = PrepareOptions { name: None, document_type: None };
    let options = ExtractOptions { password: password.cloned(), ..host.config().extract_options() };
    let cancel = Cancel::default();
    let prepared = source.prepare(host, &options, DocumentId::random(), &chosen, &cancel)?;
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
        unpaged: meta.unpaged,
        chunks,
        warnings: meta.warnings,
        attachments: attachments
            .into_iter()
            .map(|file| InspectedAttachment { size_bytes: file.bytes.len() as u64, name: file.name })
            .collect(),
    })
}
