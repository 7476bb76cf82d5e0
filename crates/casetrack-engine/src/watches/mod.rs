//! Folders that are watched: when something in them changes, a job brings their collection up to date.
//!
//! One thread of the owner of the data directory receives the operating system's events of all watched folders, waits until a folder has been
//! quiet for [`debounce::DEBOUNCE`], and starts one [sync](casetrack_ingest::sync) of it, however much happened. A sync compares the whole
//! folder with the collection, so no lost event leaves them apart. Network drives, and folders that the operating system cannot watch, are
//! polled every [`runner::POLL`]. Watches are kept in `watches.json` in the data directory. While no owner runs nothing is watched; the next
//! one syncs every folder when it starts.

mod debounce;
mod list;
mod runner;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use casetrack_core::{Action, CollectionId, Error, ErrorCode, Hint, JobId, Result, Timestamp, WatchId, hint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::jobs::Jobs;
use casetrack_host::report::Problem;
use casetrack_host::{Host, check_changeable, collections};
use casetrack_ingest::sync::WithheldRemoval;
use list::WatchRecord;

pub(crate) use list::Watches;

/// When a watched folder is synced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Soon after a change.
    #[default]
    OnChange,
    /// Soon after a change, and every hour.
    Hourly,
    /// Soon after a change, and every day.
    Daily,
    /// Soon after a change, and every six hours.
    #[serde(rename = "every_6h")]
    Every6h,
    /// Soon after a change, and every twelve hours.
    #[serde(rename = "every_12h")]
    Every12h,
    /// Only when the user asks for it.
    Manual,
}

impl Schedule {
    /// The time between two syncs at the latest.
    pub fn interval(self) -> Option<Duration> {
        let hours = match self {
            Self::OnChange | Self::Manual => return None,
            Self::Hourly => 1,
            Self::Every6h => 6,
            Self::Every12h => 12,
            Self::Daily => 24,
        };
        Some(Duration::from_secs(hours * 3600))
    }
}

#[derive(Debug, Clone)]
pub struct WatchRequest {
    /// Watched to the bottom.
    pub folder: PathBuf,
    pub schedule: Schedule,
    pub auto_remove_deleted: bool,
    /// Only files with these extensions (without the dot, any case).
    pub extensions: Option<Vec<String>>,
    /// Tag its documents with the names of their folders, below the watched one.
    pub tags_from_folders: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WatchStatus {
    pub watch_id: WatchId,
    /// Absolute, symbolic links resolved.
    pub folder: String,
    pub collection_id: CollectionId,
    pub collection: String,
    pub schedule: Schedule,
    pub auto_remove_deleted: bool,
    pub file_extensions: Option<Vec<String>>,
    /// True if its documents are tagged with the names of their folders.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tags_from_folders: bool,
    pub created_at: Timestamp,
    pub state: WatchState,
    /// Why it cannot be synced, and what to do; or how it is watched.
    pub detail: Option<String>,
    /// The sync under way.
    pub job_id: Option<JobId>,
    pub last_sync: Option<LastSync>,
    /// By the schedule.
    pub next_sync_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchState {
    /// Not watched at this moment: the process that watches is starting or ending.
    #[default]
    Starting,
    Watching,
    /// Something changed; a sync begins when it has been quiet for two seconds.
    Pending,
    Syncing,
    /// Synced only when the user asks for it.
    Manual,
    /// The collection is closed or archived; the folder is synced when it is reopened.
    Paused,
    /// The folder does not exist. Nothing is removed; it is synced when it is back.
    FolderMissing,
    /// The last sync failed as a whole; it is tried again after a minute, and at the next change.
    Failing,
    /// So many files are gone at once that their documents were kept: the removal needs to be confirmed. It ends when it is confirmed or the
    /// files are back. New and changed files are synced meanwhile.
    AwaitingConfirmation,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LastSync {
    pub finished_at: Timestamp,
    pub job_id: JobId,
    pub new: u64,
    pub changed: u64,
    pub moved: u64,
    pub removed: u64,
    /// Documents whose files are gone; they were kept.
    pub missing: u64,
    /// Why documents were kept whose removal needs to be confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<WithheldRemoval>,
    /// Documents of files that a mailbox, archive or other container no longer holds; they were removed.
    #[serde(default)]
    pub gone_members: u64,
    /// The paths of these documents; at most ten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone_member_paths: Vec<String>,
    /// Documents of files that their container no longer holds; they were kept, because the removal needs to be confirmed.
    #[serde(default)]
    pub withheld_members: u64,
    /// Files and folders that could not be read, such as link loops and folders without permission; at most ten of them.
    pub failed: Vec<String>,
    /// How many could not be read in all.
    pub failed_count: u64,
    /// Files whose formats are not read, and files inside others.
    #[serde(default)]
    pub unsupported: u64,
    /// Why it ended early.
    pub problem: Option<Problem>,
}

impl Watches {
    pub fn watch(&self, host: &Host, collection: CollectionId, request: WatchRequest) -> Result<WatchStatus> {
        let collection = collections::find_collection(host, &collection.to_string())?;
        check_changeable(&collection)?;
        let folder = host.config().access.check(&request.folder)?;
        std::fs::read_dir(&folder).map_err(|error| Error::io(folder.display(), error))?;
        if folder.to_str().is_none() {
            return Err(Error::invalid(format!("The path {} is not valid UTF-8.", folder.display()))
                .with_hint("Rename the folder or its parent folder. Citations must be able to name its files."));
        }
        let record = WatchRecord::new(&collection, folder, request, host.config().clone());
        self.add(record)
    }

    pub fn set_schedule(
        &self,
        folder_or_id: &str,
        schedule: Schedule,
        auto_remove_deleted: Option<bool>,
    ) -> Result<WatchStatus> {
        self.change(self.find(folder_or_id)?, |watch| {
            watch.schedule = schedule;
            watch.auto_remove_deleted = auto_remove_deleted.unwrap_or(watch.auto_remove_deleted);
        })
    }

    /// Begins to watch the folders in `watches.json`; `jobs` carry out the syncs.
    pub fn start(self: &Arc<Self>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
        runner::start(self, host, jobs)
    }
}

fn no_such_watch(wanted: &str, watches: &[WatchStatus]) -> Error {
    Error::new(ErrorCode::NotFound, format!("Watch not found: \"{wanted}\".")).with_hint(listed(watches))
}

fn listed(watches: &[WatchStatus]) -> Hint {
    if watches.is_empty() {
        return hint!["No folder is watched. Watch one with ", Action::WatchFolder, "."];
    }
    let line =
        |watch: &WatchStatus| format!("  - {} (ID: {}, collection {})", watch.folder, watch.watch_id, watch.collection);
    format!("The watched folders are:\n{}", watches.iter().map(line).collect::<Vec<_>>().join("\n")).into()
}

fn resolved(path: &str) -> PathBuf {
    casetrack_core::real_path(Path::new(path)).unwrap_or_else(|_| PathBuf::from(path))
}
