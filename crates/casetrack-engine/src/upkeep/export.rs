//! Write a collection into one file, to be taken elsewhere.

use std::path::Path;

use casetrack_core::{Action, CollectionId, Error, ErrorCode, Result, hint};
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
    /// Also a vault, whose export is not encrypted.
    pub plain: bool,
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
    ///
    /// Errors: [`ErrorCode::AccessDenied`] for a vault, unless it may be plain.
    pub fn export_collection(&self, collection: CollectionId, request: ExportRequest<'_>) -> Result<ExportReport> {
        let started = std::time::Instant::now();
        let ExportRequest { file, originals, overwrite, plain } = request;
        let collection = self.collection(collection)?;
        if collection.is_vault() && !plain {
            let message = format!("\"{}\" is a vault, and an export is not encrypted.", collection.meta().name);
            let hint = hint![
                "Nothing was written. Where whoever has the file may read it, ",
                Action::ExportPlain,
                ", and encrypt the file before it leaves this machine. To move the vault itself, lock it and copy its folder."
            ];
            return Err(Error::new(ErrorCode::AccessDenied, message).with_hint(hint));
        }
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
