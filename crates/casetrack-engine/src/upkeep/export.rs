//! Write a collection into one file, to be taken elsewhere.

use std::path::Path;

use casetrack_core::{CollectionId, Result};
use casetrack_store::ExportOptions;
use schemars::JsonSchema;
use serde::Serialize;

use crate::host::Host;

#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'p> {
    pub file: &'p Path,
    /// Copies of source files too, where the collection keeps them.
    pub originals: bool,
    /// Replace a file that is there already.
    pub overwrite: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExportReport {
    pub collection: String,
    pub file: String,
    pub bytes: u64,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub originals: u64,
    /// One sentence for each copy of a source file that could not go in.
    pub left_out: Vec<String>,
    pub duration_ms: u64,
}

impl Host {
    /// Writes the collection as of this moment, while it is in use.
    pub fn export_collection(&self, collection: CollectionId, request: ExportRequest<'_>) -> Result<ExportReport> {
        let started = std::time::Instant::now();
        let ExportRequest { file, originals, overwrite } = request;
        let collection = self.collection(collection)?;
        let report = collection.export(file, &ExportOptions { originals, overwrite })?;
        Ok(ExportReport {
            collection: collection.meta().name.clone(),
            file: file.display().to_string(),
            bytes: report.bytes,
            documents: report.documents,
            pages: report.pages,
            chunks: report.chunks,
            originals: report.originals,
            left_out: report.left_out,
            duration_ms: started.elapsed().as_millis() as u64,
        })
    }
}
