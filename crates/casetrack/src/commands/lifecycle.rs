//! `casetrack rename`, `close`, `archive`, `reopen`

use casetrack_core::{CollectionMeta, CollectionStatus, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::owner::console::Console;

/// Give a collection another name
///
/// Its ID, its folder and its documents stay. No other collection may have the name.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Rename {
    /// Name, ID or reference of the collection
    collection: String,
    /// Its new name
    name: String,
}

impl Rename {
    pub fn run(self, console: &Console) -> Result<u8> {
        let before = console.engine.find_collection(&self.collection)?;
        let meta = console.engine.rename_collection(before.id, &self.name)?;
        console.print(&meta, |meta| format!("Renamed \"{}\" to \"{}\".", before.name, meta.name))?;
        Ok(0)
    }
}

/// Close a collection: it can be searched and read, but no longer changed
///
/// Its documents are kept as they are. Ingest, sync, reindex, watch and the deletion of documents are refused, and its watches
/// pause, until `casetrack reopen`.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Close {
    /// Name, ID or reference of the collection
    collection: String,
}

impl Close {
    pub fn run(self, console: &Console) -> Result<u8> {
        set(console, &self.collection, CollectionStatus::Closed, "Closed")
    }
}

/// Archive a collection: it is put away, and neither listed nor searched
///
/// Nothing of it is deleted. It is left out of lists, and everything but rename, verify, repair and delete is refused, until
/// `casetrack reopen`. `casetrack collections --all` lists archived collections, too.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Archive {
    /// Name, ID or reference of the collection
    collection: String,
}

impl Archive {
    pub fn run(self, console: &Console) -> Result<u8> {
        set(console, &self.collection, CollectionStatus::Archived, "Archived")
    }
}

/// Reopen a collection that was closed or archived
///
/// Folders that are watched for it are synced.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Reopen {
    /// Name, ID or reference of the collection
    collection: String,
}

impl Reopen {
    pub fn run(self, console: &Console) -> Result<u8> {
        set(console, &self.collection, CollectionStatus::Active, "Reopened")
    }
}

fn set(console: &Console, collection: &str, status: CollectionStatus, done: &str) -> Result<u8> {
    let found = console.engine.find_collection(collection)?;
    let meta = console.engine.set_collection_status(found.id, status)?;
    let next = match status {
        CollectionStatus::Active => "",
        _ => "\n\nNext, to use it as before: casetrack reopen NAME",
    };
    console.print(&meta, |CollectionMeta { name, .. }| format!("{done} \"{name}\".{next}"))?;
    Ok(0)
}
