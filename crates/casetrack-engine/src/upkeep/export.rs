//! Write a collection into one file, to be taken elsewhere.

use std::path::Path;

use casetrack_core::{Action, CollectionId, Error, ErrorCode, Password, Result, hint};
use casetrack_store::{Encryption, ExportOptions};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::Host;

#[derive(Debug, Clone)]
pub struct ExportRequest<'p> {
    pub file: &'p Path,
    /// Copies of source files too, if the collection keeps them.
    pub originals: bool,
    /// Replace a file that is there already.
    pub overwrite: bool,
    /// Also a vault if the export is not encrypted.
    pub plain: bool,
    pub encrypted: Option<Encrypted>,
}

/// The encryption of an export, as a file of age.
#[derive(Debug, Clone)]
pub enum Encrypted {
    /// To these recipients of age: `age1…`.
    Recipients(Vec<String>),
    Passphrase(Password),
}

impl Encrypted {
    fn encryption(&self) -> Result<Encryption> {
        Ok(match self {
            Self::Recipients(texts) => {
                let recipients: Result<_> = texts.iter().map(|text| text.trim().parse()).collect();
                Encryption::Recipients(recipients?)
            }
            Self::Passphrase(passphrase) => Encryption::Passphrase(passphrase.clone()),
        })
    }
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
    /// True if the file is encrypted.
    pub encrypted: bool,
    pub duration_ms: u64,
}

/// Writes the collection as of this moment, while it is in use.
///
/// Errors: [`ErrorCode::AccessDenied`] for a vault, unless it is encrypted or may be plain; [`ErrorCode::InvalidArgument`] for an invalid
/// recipient and an empty passphrase.
pub fn export_collection(host: &Host, collection: CollectionId, request: ExportRequest<'_>) -> Result<ExportReport> {
    let started = std::time::Instant::now();
    let ExportRequest { file, originals, overwrite, plain, encrypted } = request;
    let encryption = encrypted.map(|encrypted| encrypted.encryption()).transpose()?;
    let collection = host.collection(collection)?;
    if collection.is_vault() && !plain && encryption.is_none() {
        let message = format!("\"{}\" is a vault, and the export would not be encrypted.", collection.meta().name);
        let hint = hint![
            "Nothing was written. ",
            Action::ExportEncrypted,
            ". If everyone who has the file may read it, ",
            Action::ExportPlain,
            ". To move the vault itself, lock it and copy its folder."
        ];
        return Err(Error::new(ErrorCode::AccessDenied, message).with_hint(hint));
    }
    let options = ExportOptions { originals, overwrite };
    let report = match &encryption {
        Some(encryption) => collection.export_encrypted(file, &options, encryption)?,
        None => collection.export(file, &options)?,
    };
    let casetrack_store::ExportReport { bytes, documents, pages, chunks, originals, left_out } = report;
    let (collection, file) = (collection.meta().name.clone(), file.display().to_string());
    let (encrypted, duration_ms) = (encryption.is_some(), started.elapsed().as_millis() as u64);
    Ok(ExportReport { collection, file, bytes, documents, pages, chunks, originals, left_out, encrypted, duration_ms })
}
