//! Bring a collection up to date with the new, changed, moved and deleted files of a folder.
//!
//! The folder is compared with the collection first, by path and by SHA-256, and nothing is changed before the plan is complete.
//! Then documents whose files were moved get their new paths in one atomic step and keep their ids, chunks and vectors, those
//! whose files are gone are removed if that is asked for, and new and changed files go through the ingestion. If a whole folder or most
//! documents are gone at once, nothing is removed without confirmation ([`guard`]).

mod apply;
mod guard;
mod inside;
mod plan;
mod run;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use casetrack_core::{Cancel, CollectionId, DocumentId, DocumentMeta, DocumentType, ProgressSink, Result, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FailedFile, FormerMember, IngestedDocument, SkippedFile, WorkContext, WorkSummary};
use casetrack_host::Host;
use casetrack_host::documents::marking::MarkSource;

pub use guard::WithheldRemoval;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncRequest {
    /// Walked to the bottom.
    pub folder: PathBuf,
    /// Remove documents whose files are gone from the folder.
    pub remove_deleted: bool,
    /// Remove them also if a whole folder, or more than half of the documents, is gone at once: see [`WithheldRemoval`]. Without
    /// `remove_deleted` it confirms the removal of files that their containers no longer hold.
    pub confirm_removal: bool,
    /// Type of new and changed documents; inferred from each one's content when `None`.
    pub document_type: Option<DocumentType>,
    /// Only files with these extensions (without the dot, any case). Documents of other files are left as they are.
    pub extensions: Option<Vec<String>>,
    /// As in [`IngestRequest`](crate::IngestRequest::follow_links).
    pub follow_links: bool,
    /// Only report the changes that a sync would make. Trusts times as `trust_times` does.
    pub dry_run: bool,
    /// Files that are still being written: they and their documents are left as they are until the next sync.
    pub awaited: BTreeSet<PathBuf>,
    /// Reads no file again whose size and times are those it had when this process synced it last. One that failed then fails
    /// again without being read.
    pub trust_times: bool,
    /// Delete the documents of the folder first, so that every file is read again.
    pub rebuild: bool,
    /// For the search of files only: the folders of the session. No file outside of these and the allowed ones is read, and sizes and times
    /// of files are saved on disk.
    pub only_below: Option<Vec<PathBuf>>,
    pub priority: Priority,
    /// The source of the tags and fields of its documents. With `trust_times`, only documents that are new, changed or moved are tagged, so that tags
    /// which were removed by hand stay away.
    pub marks: MarkSource,
    /// As in [`IngestRequest`](crate::IngestRequest::since).
    pub since: Option<Timestamp>,
}

/// The order of waiting jobs; equals go in the order in which they were started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

impl SyncRequest {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, ..Self::default() }
    }
}

/// The changes that a sync made, or would make (`dry_run`).
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SyncReport {
    pub collection: String,
    /// Absolute, symbolic links resolved.
    pub folder: String,
    pub dry_run: bool,
    /// Files in the folder, including those of other formats.
    pub found: u64,
    /// Files, and files inside them, that the collection did not have.
    pub new: Vec<SyncedFile>,
    /// Files whose content has changed since they were ingested.
    pub changed: Vec<SyncedFile>,
    /// Documents that kept their id, chunks and vectors under another path. Those inside a container go with it and are not listed.
    pub moved: Vec<MovedDocument>,
    /// Documents whose files are gone; they were kept.
    pub missing: Vec<GoneDocument>,
    /// Documents whose files are gone; they were removed.
    pub removed: Vec<GoneDocument>,
    /// Why documents were kept although their removal was asked for: so many are gone at once that it needs to be confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<WithheldRemoval>,
    /// Files that a mailbox, archive or other container no longer holds; their documents were removed. A preview opens only the containers
    /// that changed, not those inside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone_members: Vec<FormerMember>,
    /// Files that their container no longer holds; their documents are kept until `confirm_removal`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld_members: Vec<FormerMember>,
    /// Files that did not change since they were ingested.
    pub unchanged: u64,
    /// Files whose content the collection has from another path.
    pub duplicates: Vec<SkippedFile>,
    /// Files whose formats CaseTrack does not read.
    pub unsupported: Vec<SkippedFile>,
    /// Files and folders that may not be read, by the rules of access.
    pub denied: Vec<SkippedFile>,
    pub failed: Vec<FailedFile>,
    /// Files that were left for the next sync because they are still being written.
    pub awaited: Vec<String>,
    #[serde(flatten)]
    pub summary: WorkSummary,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SyncedFile {
    /// `None` for a document that a dry run would add.
    pub document_id: Option<DocumentId>,
    pub name: String,
    pub relative_path: String,
    pub path: String,
    /// 0 in a dry run, which reads no document.
    pub pages: u32,
    /// 0 in a dry run.
    pub chunks: u32,
    /// Parts that could not be read.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MovedDocument {
    pub document_id: DocumentId,
    /// Its name now: the name of the file, unless the user gave it another.
    pub name: String,
    /// The path it had.
    pub from: String,
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GoneDocument {
    pub document_id: DocumentId,
    pub name: String,
    pub path: String,
}

/// Reports the changes that a sync would make, and makes none. Reads the files whose content has to be compared.
///
/// Fails as a sync does.
pub fn preview_sync(
    host: &Host,
    collection: CollectionId,
    request: SyncRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<SyncReport> {
    sync(host, collection, &SyncRequest { dry_run: true, ..request }, progress, cancel)
}

/// Brings a collection up to date with a folder. Blocks until done; `cancel` stops it within a second.
///
/// Fails as a whole, and changes nothing, if the folder cannot be listed or is not a folder; later problems are in the report. A file or subfolder
/// that cannot be read is a failed file, and no document of it counts as missing. Examines every file, reads those whose content has to be compared,
/// and ingests new and changed files.
pub fn sync(
    host: &Host,
    collection: CollectionId,
    request: &SyncRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<SyncReport> {
    let collection = &*host.collection_to_change(collection)?;
    run::run(WorkContext { host, collection, progress, cancel }, request)
}

impl From<IngestedDocument> for SyncedFile {
    fn from(document: IngestedDocument) -> Self {
        let IngestedDocument { document_id, name, relative_path, path, pages, chunks, warnings, .. } = document;
        Self { document_id: Some(document_id), name, relative_path, path, pages, chunks, warnings }
    }
}

impl From<&DocumentMeta> for GoneDocument {
    fn from(meta: &DocumentMeta) -> Self {
        Self { document_id: meta.id, name: meta.name.clone(), path: meta.path.clone() }
    }
}
