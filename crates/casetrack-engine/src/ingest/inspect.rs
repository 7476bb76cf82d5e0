//! What ingestion would see in a file, without storing anything.

use std::path::Path;

use casetrack_core::{Chunk, DocumentType, FileFormat, Page, Password, Properties, Result, Sha256};
use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::Engine;

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

impl Engine {
    /// Reads, extracts and chunks a file exactly as ingestion does. Chunk ids are those of a document that does not exist.
    pub fn inspect(&self, path: &Path, password: Option<&Password>) -> Result<Inspection> {
        crate::ingest::prepare::inspect(self, path, password)
    }
}
