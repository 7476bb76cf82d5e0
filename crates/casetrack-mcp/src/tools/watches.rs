//! Folders that are watched and synced automatically.

use casetrack_core::Error;
use casetrack_engine::collections;
use casetrack_engine::watches::{Schedule, WatchRequest, WatchStatus};

use super::ingest::{absolute, extension};
use crate::tools::prelude::*;

pub(crate) struct WatchFolder;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchParameters {
    /// Absolute path to the folder to watch. All subfolders are included.
    folder_path: String,
    /// When to sync: 'on_change' = real-time via OS file notifications (recommended), 'hourly'/'daily'/'every_6h'/'every_12h' = scheduled
    /// interval (runs in addition to on_change), 'manual' = only sync when you call sync_folder.
    #[serde(default)]
    schedule: Schedule,
    /// If true, documents whose source files are deleted from disk will be automatically removed from the collection (chunks + embeddings
    /// deleted). Default: false (only add/update, never auto-remove).
    #[serde(default)]
    auto_remove_deleted: bool,
    /// Optional filter: only watch files with these extensions (e.g., ["pdf", "docx", "xlsx"]). Default: all supported formats.
    file_extensions: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Watch {
    watch: WatchStatus,
}

impl Tool for WatchFolder {
    const NAME: &'static str = "watch_folder";
    const TITLE: &'static str = "Watch a folder";
    const DESCRIPTION: &'static str = "Start watching a folder for file changes. When files are added, modified, or deleted in the watched folder (or \
        any subfolder), CaseTrack automatically syncs the changes into the active collection -- new files are ingested, \
        modified files are reindexed (old chunks/embeddings deleted, new ones created), and optionally deleted files are \
        removed from the collection. Uses OS-level file notifications (inotify on Linux, FSEvents on macOS, \
        ReadDirectoryChangesW on Windows) for instant detection. Also supports scheduled sync as a safety net (daily, \
        hourly, or custom interval). Watch persists across server restarts.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Creates, Need::DISK);
    const SAMPLE: &'static str = r#"{"folder_path": "$folder", "schedule": "daily"}"#;
    type Parameters = WatchParameters;
    type Response = Watch;

    fn call(context: &Context<'_>, parameters: WatchParameters) -> Result<Reply<Watch>> {
        let collection = context.active()?.id;
        let folder = absolute("folder_path", &parameters.folder_path)?;
        if folder.is_file() {
            return Err(Error::invalid(format!("folder_path is a file: {}", folder.display()))
                .with_hint("Give the folder it is in, or ingest the file with ingest_document."));
        }
        let extensions = parameters.file_extensions.map(|names| names.iter().map(|name| extension(name)).collect());
        let WatchParameters { schedule, auto_remove_deleted, .. } = parameters;
        let request = WatchRequest { folder, schedule, auto_remove_deleted, extensions, tags_from_folders: false };
        let watch = context.engine.watch_folder(collection, request)?;
        Ok(Reply::new(Watch { watch }, |answer| text::watches::started(&answer.watch)))
    }
}

pub(crate) struct UnwatchFolder;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UnwatchParameters {
    /// Path to the folder to stop watching (or watch ID)
    folder_path: String,
}

impl Tool for UnwatchFolder {
    const NAME: &'static str = "unwatch_folder";
    const TITLE: &'static str = "Stop watching a folder";
    const DESCRIPTION: &'static str = "Stop watching a folder. Removes the watch but does NOT delete any documents already ingested from that folder. \
        The collection data remains intact -- only the automatic sync is stopped.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Updates, Need::DISK);
    const SAMPLE: &'static str = r#"{"folder_path": "$folder"}"#;
    type Parameters = UnwatchParameters;
    /// The watch that was ended.
    type Response = Watch;

    fn call(context: &Context<'_>, parameters: UnwatchParameters) -> Result<Reply<Watch>> {
        context.active()?;
        let watch = context.engine.unwatch_folder(&folder_or_id(&parameters.folder_path))?;
        Ok(Reply::new(Watch { watch }, |answer| text::watches::ended(&answer.watch)))
    }
}

pub(crate) struct ListWatches;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    /// Optional: only show watches for a specific collection name or ID
    collection_filter: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct WatchList {
    /// The oldest first.
    watches: Vec<WatchStatus>,
}

impl Tool for ListWatches {
    const NAME: &'static str = "list_watches";
    const TITLE: &'static str = "List watched folders";
    const DESCRIPTION: &'static str = "List all active folder watches across all collections. Shows the watched folder, which collection it syncs to, \
        the schedule, last sync time, and current status.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"collection_filter": "$collection"}"#;
    type Parameters = ListParameters;
    type Response = WatchList;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<WatchList>> {
        let collection = match &parameters.collection_filter {
            Some(name) => Some(collections::find_collection(context.engine.host(), name)?.id),
            None => None,
        };
        let watches = context.engine.list_watches(collection);
        Ok(Reply::new(WatchList { watches }, |list| text::watches::list(&list.watches, Reader::Assistant)))
    }
}

pub(crate) struct SetSyncSchedule;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleParameters {
    /// Path to the watched folder (or watch ID)
    folder_path: String,
    /// New schedule: 'on_change' = real-time OS notifications, 'hourly'/'daily' etc = interval-based, 'manual' = only when you call
    /// sync_folder
    schedule: Schedule,
    /// Optionally update auto-remove behavior
    auto_remove_deleted: Option<bool>,
}

impl Tool for SetSyncSchedule {
    const NAME: &'static str = "set_sync_schedule";
    const TITLE: &'static str = "Set when a folder is synced";
    const DESCRIPTION: &'static str = "Change the sync schedule for an existing folder watch. Controls how often CaseTrack checks for file changes and \
        reindexes.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Updates, Need::DISK);
    const SAMPLE: &'static str = r#"{"folder_path": "$folder", "schedule": "manual"}"#;
    type Parameters = ScheduleParameters;
    type Response = Watch;

    fn call(context: &Context<'_>, parameters: ScheduleParameters) -> Result<Reply<Watch>> {
        context.active()?;
        let ScheduleParameters { folder_path, schedule, auto_remove_deleted } = parameters;
        let watch = context.engine.set_sync_schedule(&folder_or_id(&folder_path), schedule, auto_remove_deleted)?;
        Ok(Reply::new(Watch { watch }, |answer| text::watches::changed(&answer.watch)))
    }
}

/// A folder in the form of the other tools; anything else may be an id.
fn folder_or_id(given: &str) -> String {
    absolute("folder_path", given).map_or_else(|_| given.to_owned(), |path| path.display().to_string())
}
