//! `casetrack watch`, `unwatch` and `watches`

use std::ffi::OsString;

use casetrack_core::Result;
use casetrack_engine::collections;
use casetrack_engine::watches::{Schedule, WatchRequest};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::{InCollection, named};

/// Watch a folder and keep a collection up to date with it
///
/// Changes are synced two seconds after the last one while CaseTrack runs: as long as an assistant is connected, and for five minutes after
/// the last command. Other changes are synced when CaseTrack starts.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Watch {
    /// Folder to watch, with all its subfolders
    folder: OsString,
    #[command(flatten)]
    target: InCollection,
    /// When to sync: on_change, hourly, every_6h, every_12h or daily (besides on_change), or manual
    #[arg(long, value_name = "WHEN", default_value = "on_change", value_parser = named::<Schedule>)]
    schedule: Schedule,
    /// Remove the documents of files that are deleted
    #[arg(long)]
    remove_deleted: bool,
    /// Only files with these extensions, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "EXT")]
    extensions: Option<Vec<String>>,
    /// Tag its documents with the names of their folders, below this one
    #[arg(long)]
    tags_from_folders: bool,
}

impl Watch {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?;
        let folder = console.path(&self.folder);
        let Self { schedule, remove_deleted: auto_remove_deleted, extensions, tags_from_folders, .. } = self;
        let request = WatchRequest { folder, schedule, auto_remove_deleted, extensions, tags_from_folders };
        console.print(&console.engine.watch_folder(collection.id, request)?, text::watches::started)
    }
}

/// Stop watching a folder; its documents stay
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Unwatch {
    /// Folder, or ID of the watch
    folder: OsString,
}

impl Unwatch {
    pub fn run(self, console: &Console) -> Result<u8> {
        let given = self.folder.to_string_lossy();
        let path = console.path(&self.folder);
        let wanted = if path.exists() { path.display().to_string() } else { given.into_owned() };
        console.print(&console.engine.unwatch_folder(&wanted)?, text::watches::ended)
    }
}

/// List the watched folders and their state
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Watches {
    /// List only watches of this collection
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
}

impl Watches {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self
            .collection
            .map(|name| collections::find_collection(engine.host(), &name))
            .transpose()?
            .map(|found| found.id);
        console.print(&engine.list_watches(collection), |watches| text::watches::list(watches, Reader::CommandLine))
    }
}
