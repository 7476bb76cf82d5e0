//! `.ctcollection`: a whole collection in one file, to be taken to another machine.
//!
//! A zip archive:
//!
//! | entry | content |
//! |---|---|
//! | `documents/00000000`, … | one document each, in the order in which they were stored ([`document`]) |
//! | `originals/00000000`, … | the copy of that document's source file, if one is kept |
//! | `manifest.json` | [`ArchiveManifest`]: what this is, and name, size and SHA-256 of every other entry |
//!
//! It may be encrypted as a whole, as a file of age ([`Encryption`]).
//!
//! It is a logical dump with a version of its own ([`FORMAT_VERSION`]), which does not change with the schema of
//! RocksDB: a collection of any schema can be exported, and imported into any later one. The derived indexes are not in
//! it; they are made again from the documents.

pub(crate) mod document;
mod encryption;
mod export;
mod import;

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionMeta, Error, ErrorCode, Sha256, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::manifest::VectorModels;

pub use encryption::{ArchiveKey, Encryption, archive_lock};
pub(crate) use export::export;
pub use export::{ExportOptions, ExportReport};
pub use import::fill;

const FORMAT: &str = "casetrack-collection";
/// Version of the archive's layout. All older ones, which have the same manifest, stay readable; newer ones are refused.
const FORMAT_VERSION: u32 = 3;
/// The version that is written if no chunk has token vectors, so that earlier programs read it.
const WITHOUT_TOKEN_VECTORS: u32 = 2;

const MANIFEST: &str = "manifest.json";
/// Largest manifest that is read: a million documents have one of 200 MB.
const MAX_MANIFEST_BYTES: u64 = 256 << 20;
/// Largest entry of a document. One is held in memory when it is imported.
const MAX_DOCUMENT_BYTES: u64 = 4 << 30;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveManifest {
    pub format: String,
    pub format_version: u32,
    /// Schema of the collection that it was made from. For information: nothing in the archive depends on it.
    pub schema_version: u32,
    pub casetrack_version: String,
    pub exported_at: Timestamp,
    pub collection: CollectionMeta,
    pub models: VectorModels,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub originals: u64,
    /// The columns that users define for the matter sheet, if there are any. Versions that do not know them import the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Value>,
    /// The passages that users collected, if there are any. Versions that do not know them import the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceTray>,
    /// Every entry but the manifest.
    pub entries: Vec<EntryRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecord {
    pub name: String,
    /// Uncompressed.
    pub bytes: u64,
    pub sha256: Sha256,
}

trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// An archive that was opened and whose directory agrees with its manifest. Contents are checked as they are read.
pub struct Archive {
    path: PathBuf,
    zip: ZipArchive<Box<dyn Source>>,
    manifest: ArchiveManifest,
    /// The place of an entry in the manifest.
    places: HashMap<String, usize>,
}

impl Archive {
    pub fn manifest(&self) -> &ArchiveManifest {
        &self.manifest
    }

    fn refused(&self, what: impl std::fmt::Display) -> Error {
        refused(&self.path, what)
    }
}

fn document_entry(number: u64) -> String {
    format!("documents/{number:08}")
}

fn original_entry(number: u64) -> String {
    format!("originals/{number:08}")
}

/// The file is not an archive of a collection, or is damaged.
fn refused(path: &Path, what: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::UnreadableFile, format!("{} cannot be imported: {what}.", path.display())).with_hint(
        "Nothing was changed. Check that it was made by `casetrack export` and copied whole (the SHA-256 of both copies is \
         the same); if it was, export the collection again.",
    )
}

fn zip_error(path: &Path, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) if !is_damage(&error) => Error::io(path.display(), error),
        error => refused(path, format_args!("it is damaged ({error})")),
    }
}

/// Errors of reading that are the file's fault, not the machine's: checksums and compressed data that do not fit.
fn is_damage(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::*;
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof | Other)
}
