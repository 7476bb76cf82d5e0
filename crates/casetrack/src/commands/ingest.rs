//! `casetrack ingest`, `sync`, `reindex` and `index-status`

use std::ffi::OsString;

use casetrack_core::{DocumentType, Password, Result};
use casetrack_engine::ingest::{IngestRequest, Sharing};
use casetrack_engine::jobs::JobRequest;
use casetrack_engine::reindex::{ModelsWanted, ReindexRequest};
use casetrack_engine::sync::SyncRequest;
use casetrack_engine::{ModelProfile, documents, reindex, sync};
use casetrack_text::format::visible;
use casetrack_text::{self as text, Reader};
use clap::{ArgGroup, Args};
use serde::{Deserialize, Serialize};

use super::model_moves;
use super::tags::TagSource;
use crate::console::Console;
use crate::options::{InCollection, named};

/// The exit status of work that `stopped` early, or in which some files `failed`; all others are stored. A removal that needs to be confirmed
/// counts as a failure.
pub(super) fn status(stopped: bool, failed: bool) -> u8 {
    match (stopped, failed) {
        (true, _) => 1,
        (false, true) => 3,
        (false, false) => 0,
    }
}

/// Read files and whole folders into a collection
///
/// Files that are already in the collection with the same content are skipped, and changed files replace their earlier version. In folders,
/// hidden files and the lock files of office programs (~$name) are ignored. Ctrl-C stops cleanly and keeps all finished work.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Ingest {
    /// Files and folders
    #[arg(required = true)]
    paths: Vec<OsString>,
    #[command(flatten)]
    target: InCollection,
    /// Type of all these documents [default: detected from their content]
    #[arg(long = "type", value_name = "TYPE", value_parser = named::<DocumentType>)]
    document_type: Option<DocumentType>,
    /// Display name of a single file [default: its file name]
    #[arg(long)]
    name: Option<String>,
    /// Only files with these extensions, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "EXT")]
    extensions: Option<Vec<String>>,
    /// Do not descend into subfolders
    #[arg(long)]
    no_recursive: bool,
    /// Ingest unchanged files again
    #[arg(long)]
    force: bool,
    /// Keep a copy of each file inside the collection
    #[arg(long)]
    copy_original: bool,
    /// Follow links in folders that lead out of them. Otherwise such links are named and left out
    #[arg(long)]
    follow_links: bool,
    #[command(flatten)]
    tags: TagSource,
    /// Password of protected files. Prefer the environment variable: process lists do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
    /// In a database: offer the files to other machines, and read them together with those that --join
    #[arg(long, conflicts_with = "name")]
    share: bool,
    /// In a database: read the files in these folders that another machine shares, until there are none. The paths must be the same on both
    /// machines
    #[arg(long, conflicts_with_all = ["share", "document_type", "name", "extensions", "no_recursive", "force", "copy_original", "tags_from_folders", "tags_csv"])]
    join: bool,
}

impl Ingest {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let shown = self.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let request = IngestRequest {
            recursive: !self.no_recursive,
            follow_links: self.follow_links,
            skip_existing: !self.force,
            document_type: self.document_type,
            document_name: self.name,
            extensions: self.extensions,
            copy_original: self.copy_original,
            marks: self.tags.read(console)?,
            password: self.password,
            sharing: match (self.share, self.join) {
                (true, _) => Sharing::Offer,
                (false, true) => Sharing::Join,
                (false, false) => Sharing::Alone,
            },
            ..IngestRequest::new(self.paths.iter().map(|path| console.path(path)).collect())
        };
        let request = match request.paths.as_slice() {
            [path] if !path.is_dir() && request.sharing == Sharing::Alone => JobRequest::IngestDocument(request),
            _ => JobRequest::IngestFolder(request),
        };
        let report = console.work(collection.id, request, |report| report.ingestion)?;
        let is_idle = (self.share || self.join) && report.found == 0 && report.summary.stopped.is_none();
        console.print(&report, |report| match is_idle {
            true => format!(
                "There are no files left to read in {}: other machines have read them, or none shares them.",
                visible(&shown)
            ),
            false => text::ingest::folder(report, &shown, Reader::CommandLine),
        })?;
        let is_partial = !report.failed.is_empty() || !report.withheld_members.is_empty();
        Ok(status(report.summary.stopped.is_some(), is_partial))
    }
}

/// Bring a collection up to date with a folder
///
/// New files are ingested, changed files replace their earlier version, and renamed or moved files keep their document with its id and
/// embeddings. Documents whose files are gone are listed; --remove-deleted removes them. A file that comes back within 30 days gets the
/// tags, fields and evidence of its document again. Ctrl-C stops cleanly and keeps all finished work.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Sync {
    /// Folder to sync, with all its subfolders
    folder: OsString,
    #[command(flatten)]
    target: InCollection,
    /// Remove documents whose files no longer exist
    #[arg(long)]
    remove_deleted: bool,
    /// Remove the documents of files that a mailbox or archive no longer holds, also if those are at least five and more than half. With
    /// --remove-deleted: remove documents also if a whole folder is gone at once, or at least five documents and more than half of them. Without
    /// it they are kept, because a drive that is not connected looks the same
    #[arg(long)]
    confirm_removal: bool,
    /// Only list the changes, without making them
    #[arg(long)]
    dry_run: bool,
    /// Type of new and changed documents [default: detected from their content]
    #[arg(long = "type", value_name = "TYPE", value_parser = named::<DocumentType>)]
    document_type: Option<DocumentType>,
    /// Only files with these extensions, separated by commas; documents of other files are left as they are
    #[arg(long, value_delimiter = ',', value_name = "EXT")]
    extensions: Option<Vec<String>>,
    /// Follow links that lead out of the folder. Otherwise such links are named and left out
    #[arg(long)]
    follow_links: bool,
    #[command(flatten)]
    tags: TagSource,
}

impl Sync {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let request = SyncRequest {
            remove_deleted: self.remove_deleted,
            confirm_removal: self.confirm_removal,
            document_type: self.document_type,
            extensions: self.extensions,
            follow_links: self.follow_links,
            marks: self.tags.read(console)?,
            ..SyncRequest::new(console.path(&self.folder))
        };
        let report = match self.dry_run {
            true => sync::preview_sync(console.host(), collection.id, request, &console.progress(), &console.cancel)?,
            false => console.work(collection.id, JobRequest::SyncFolder(request), |report| report.sync)?,
        };
        console.print(&report, |report| text::sync::report(report, Reader::CommandLine))?;
        let is_withheld = report.withheld.is_some() || !report.withheld_members.is_empty();
        let is_partial = !report.failed.is_empty() || is_withheld;
        Ok(status(report.summary.stopped.is_some(), is_partial))
    }
}

/// Rebuild the passages, embeddings and indexes of one document, or of all
///
/// The source files are read again. Passages whose text did not change keep their IDs, and each document stays searchable in its earlier
/// version until the new one is complete. Ctrl-C stops cleanly and keeps all finished work.
#[derive(Debug, Args, Serialize, Deserialize)]
#[command(group = ArgGroup::new("moves").args(["models", "late_interaction"]).multiple(true))]
pub struct Reindex {
    /// Name or ID of the document [default: all documents of the collection]
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Move the collection to the models of this profile (compact, quality or multilingual), in the precision of --precision, or that of
    /// new collections. The new vectors are made from the stored text; searches use the old ones until all are made. To continue an
    /// interrupted move, run the command again; to discard it, move to the models that the collection has
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["document", "no_reparse", "skip_unchanged", "force"])]
    models: Option<ModelProfile>,
    /// Add token vectors (E12), by which searches rank the best 100 passages a second time (late interaction), or remove them. Works like
    /// --models; without --models the collection keeps its models. Removal needs no new vectors
    #[arg(long, value_name = "on|off", value_parser = on_off, conflicts_with_all = ["document", "no_reparse", "skip_unchanged", "force"])]
    late_interaction: Option<bool>,
    /// Share of the time that embedding pauses, in percent, so that the machine stays usable
    #[arg(long, value_name = "PERCENT", default_value_t = 0, hide_default_value = true, value_parser = clap::value_parser!(u8).range(0..=90))]
    throttle: u8,
    /// With --models or --late-interaction: move all active collections. All are queued first, so they are moved even if you stop this
    /// command
    #[arg(long, requires = "moves", conflicts_with = "collection")]
    all: bool,
    /// Keep pages and passages as they are, and rebuild all embeddings, entities and references
    #[arg(long)]
    no_reparse: bool,
    /// Also rebuild a document that did not change and lacks nothing (the default when no document is named)
    #[arg(long, conflicts_with = "skip_unchanged")]
    force: bool,
    /// Skip documents that did not change and lack nothing (the default when a document is named)
    #[arg(long)]
    skip_unchanged: bool,
    /// Password of protected files. Prefer the environment variable: process lists do not show it
    #[arg(long, env = "CASETRACK_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: Option<Password>,
}

fn on_off(text: &str) -> std::result::Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("give on or off".to_owned()),
    }
}

impl Reindex {
    pub fn run(self, console: &Console) -> Result<u8> {
        if self.models.is_some() || self.late_interaction.is_some() {
            let precision = self.models.map(|profile| console.host().config().precision_of(profile));
            let models = ModelsWanted { profile: self.models, precision, late_interaction: self.late_interaction };
            let request = ReindexRequest { models: Some(models), throttle: self.throttle, ..ReindexRequest::new(None) };
            return match self.all {
                true => model_moves::all(request, console),
                false => model_moves::one(self.target.find(&console.engine)?, request, console),
            };
        }
        let collection = self.target.find(&console.engine)?;
        let document = self
            .document
            .as_deref()
            .map(|name| documents::find_document(console.host(), collection.id, name))
            .transpose()?;
        let whole = document.is_none();
        let request = ReindexRequest {
            reparse: !self.no_reparse,
            skip_unchanged: if whole { self.skip_unchanged } else { !self.force },
            password: self.password,
            throttle: self.throttle,
            ..ReindexRequest::new(document.map(|document| vec![document.id]))
        };
        let request = if whole { JobRequest::ReindexCollection(request) } else { JobRequest::ReindexDocument(request) };
        let report = console.work(collection.id, request, |report| report.reindex)?;
        console.print(&report, |report| text::reindex::report(report, whole, Reader::CommandLine))?;
        Ok(status(report.summary.stopped.is_some(), !report.failed.is_empty()))
    }
}

/// Show which documents need reindexing, and whether the indexes are up to date
///
/// Reads the source files to see whether they changed. The collection itself is not modified.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct IndexStatus {
    /// Name or ID of a document [default: all documents of the collection]
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
}

impl IndexStatus {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let status = reindex::index_status(console.host(), collection.id, self.document.as_deref(), &console.cancel)?;
        console.print(&status, |status| text::reindex::status(status, Reader::CommandLine))
    }
}
