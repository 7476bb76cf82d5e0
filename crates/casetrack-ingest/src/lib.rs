//! Ingest files and folders: discover, hash, extract, chunk, embed, commit.
//!
//! Several threads read and extract, the calling thread embeds, and another commits; bounded channels join them, so that memory stays
//! flat however many files there are. Documents are committed in the order of discovery, each in one atomic step, small ones several in
//! one. A file that fails is a line in the report, never the end of the job.

mod commit;
pub(crate) mod discover;
pub mod file;
pub mod inspect;
mod intake;
pub mod languages;
pub(crate) mod pace;
pub(crate) mod pipeline;
pub mod reindex;
mod shared_work;
pub mod sync;
mod texts;
pub mod vectors;

use std::path::PathBuf;

use casetrack_core::{
    Cancel, CollectionId, DocumentId, DocumentType, Error, Password, ProgressSink, Result, Timestamp,
};
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use casetrack_compare::versions;
use casetrack_host::Host;
pub use casetrack_host::documents::former::FormerMember;
use casetrack_host::documents::marking::MarkSource;
use casetrack_host::documents::removal::RestorableDocuments;
use casetrack_host::documents::unread::ReadingOutcomes;
use discover::Discovery;
use file::SourceFile;
use intake::Intake;
use pace::Pace;
use pipeline::FirstStage;
pub use texts::Text;

pub use casetrack_host::report::{FailedFile, Problem, SkipReason, SkippedFile, WorkSummary};
pub use inspect::inspect;
pub use texts::put_text;

/// The way in which the clients of a database share the work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    #[default]
    Alone,
    /// Others may take part. Paths and settings of the request are offered to them.
    Offer,
    /// Takes part in work that others offered, in the paths of the request, with their settings.
    Join,
}

fn lossy<S: Serializer>(paths: &[PathBuf], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IngestRequest {
    /// Files and folders. Paths that are not Unicode are saved with replacement characters: they are refused when they are read.
    #[serde(serialize_with = "lossy")]
    pub paths: Vec<PathBuf>,
    /// Include the files of subfolders.
    pub recursive: bool,
    /// Follow symbolic links that lead out of a folder asked for. Otherwise the report names them.
    #[serde(default)]
    pub follow_links: bool,
    /// Skip files with the content that the collection has for their path. Otherwise they are ingested again.
    pub skip_existing: bool,
    /// Type of all documents; inferred from each one's content when `None`.
    pub document_type: Option<DocumentType>,
    /// Documents that are ingested again keep the type they have where `document_type` gives none.
    #[serde(default)]
    pub keep_types: bool,
    /// Make the vectors of all chunks of documents that are ingested again, also of those whose text did not change.
    #[serde(default)]
    pub embed_all: bool,
    /// Display name; only for a single file.
    pub document_name: Option<String>,
    /// Only files in folders with these extensions (without the dot, any case).
    pub extensions: Option<Vec<String>>,
    /// Keep a copy of each source file in the collection.
    pub copy_original: bool,
    /// The source of the tags and fields of its documents.
    #[serde(default)]
    pub marks: MarkSource,
    /// Tried on every file that is protected by a password; kept nowhere, so that a request that is read again has none.
    #[serde(skip)]
    pub password: Option<Password>,
    /// The start of the job, if it continues with this request after an interruption. A file that was stored since then and did not change
    /// is not read again but reported as ingested, so that the report covers the whole job.
    #[serde(default)]
    pub since: Option<Timestamp>,
    /// Share of the time that embedding rests, in percent from 0 to 90, so that the machine stays usable.
    #[serde(default)]
    pub throttle: u8,
    #[serde(default)]
    pub sharing: Sharing,
    /// Removes the documents of files that a container no longer holds, also if those are more than half of its documents.
    #[serde(default)]
    pub confirm_removal: bool,
}

impl IngestRequest {
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, recursive: true, skip_existing: true, ..Self::default() }
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct IngestReport {
    pub collection: String,
    /// Names of the folders directly below the folders asked for that hold files, in order.
    pub subfolders: Vec<String>,
    /// Files examined, whatever became of them.
    pub found: u64,
    pub ingested: Vec<IngestedDocument>,
    pub skipped: Vec<SkippedFile>,
    pub failed: Vec<FailedFile>,
    /// Files that a mailbox, archive or other container no longer holds; their documents were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone_members: Vec<FormerMember>,
    /// Files that their container no longer holds; their documents were kept, because so many are gone at once that the removal needs to be
    /// confirmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld_members: Vec<FormerMember>,
    #[serde(flatten)]
    pub summary: WorkSummary,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct IngestedDocument {
    pub document_id: DocumentId,
    pub name: String,
    /// Path as found below the folder asked for, or the file name.
    pub relative_path: String,
    pub path: String,
    pub document_type: DocumentType,
    pub pages: u32,
    pub chunks: u32,
    /// True if it took the place of an earlier version of the same file. Unknown, and `false`, if the job was interrupted after it had
    /// stored the document.
    pub replaced: bool,
    /// Parts that could not be read.
    pub warnings: Vec<String>,
}

/// Ingests files and folders without a job, for programs that have the data directory to themselves. Blocks until done; `cancel` stops
/// it within a second.
///
/// Fails as a whole only when nothing can be started (no such path, no model); after that every problem is in the report.
pub fn ingest(
    host: &Host,
    collection: CollectionId,
    request: &IngestRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
    let collection = &*host.collection_to_change(collection)?;
    let work = WorkContext { host, collection, progress, cancel };
    if request.sharing != Sharing::Alone {
        return shared_work::ingest(work, request);
    }
    // Uploads to a vault are not at their paths.
    let upload = |path: &PathBuf| collection.sealed_upload(path).filter(|place| place.exists());
    let (uploads, paths): (Vec<_>, Vec<_>) = request.paths.iter().cloned().partition(|path| upload(path).is_some());
    let mut discovery = match paths.is_empty() && !uploads.is_empty() {
        true => Discovery::default(),
        false => discover::discover(&IngestRequest { paths, ..request.clone() }, host.config(), cancel)?,
    };
    discovery.files.extend(uploads.into_iter().map(|path| {
        let copy = upload(&path);
        SourceFile::named(path, copy)
    }));
    let mut report = ingest_files(work, request, discovery)?;
    record_unread(collection, &report)?;
    note_versions(host, collection.meta().id, &mut report);
    Ok(report)
}

#[derive(Clone, Copy)]
pub(crate) struct WorkContext<'a> {
    pub host: &'a Host,
    pub collection: &'a Collection,
    pub progress: &'a ProgressSink,
    pub cancel: &'a Cancel,
}

/// Adds a notice to a report that names documents of it that are versions or copies of others.
pub(crate) fn note_versions(host: &Host, collection: CollectionId, report: &mut IngestReport) {
    let new = report.ingested.iter().map(|document| document.document_id).collect();
    report.summary.notices.extend(versions::versions_notice(host, collection, &new));
}

/// Brings the collection's list of files that were not read up to date.
pub(crate) fn record_unread(collection: &Collection, report: &IngestReport) -> Result<()> {
    let mut outcomes = ReadingOutcomes::default();
    outcomes.read(report.ingested.iter().map(|document| document.path.as_str()));
    outcomes.failed(&report.failed);
    outcomes.skipped(&report.skipped);
    outcomes.record(collection, |_| false)
}

pub(crate) fn ingest_files(
    work: WorkContext<'_>,
    request: &IngestRequest,
    discovery: Discovery,
) -> Result<IngestReport> {
    if request.document_name.is_some() && discovery.files.len() > 1 {
        return Err(Error::invalid("A document name was given for more than one file.")
            .with_hint("Ingest the files one by one, or leave the name out to use each file's own."));
    }
    let Discovery { files, failed, denied, not_files, subfolders } = discovery;
    let found = (files.len() + not_files.len()) as u64;
    let skipped = denied.into_iter().chain(not_files).collect();
    let subfolders = subfolders.into_iter().collect();
    let report = IngestReport { subfolders, failed, skipped, found, ..IngestReport::default() };
    let restorable = RestorableDocuments::of(work.collection)?;
    let first = |stage: FirstStage<'_>| Intake::new(stage, request, &restorable).run(files);
    let mut report = pipeline::run_stages(work, report, first, Pace::resting(request.throttle))?;
    let restored = restorable.settle(work.collection)?;
    if restored > 0 {
        let notice = format!("Documents that came back with their earlier tags and fields: {restored}.");
        report.summary.notices.push(notice.into());
    }
    Ok(report)
}
