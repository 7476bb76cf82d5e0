//! `casetrack new`, `collections`, `rename`, `close`, `archive`, `reopen` and `delete`

use std::time::Duration;

use casetrack_core::settings::duration;
use casetrack_core::{CollectionMeta, CollectionStatus, CollectionType, Error, Password, Result};
use casetrack_engine::collections::{CollectionSummary, CreateCollection, LockedCollection};
use casetrack_engine::vaults::VaultRequest;
use casetrack_engine::{ModelProfile, collections, upkeep};
use casetrack_text::format::counted;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::vault;
use crate::console::Console;
use crate::options::named;
use crate::secrets::PassphraseSource;

/// Create an empty collection for a matter
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct New {
    /// Name of the collection, such as "Acme Corp Partnership"
    name: String,
    /// Type of the collection: project, contract, financial, compliance, research, hr, operations or other
    #[arg(long = "type", value_name = "TYPE", value_parser = named::<CollectionType>, default_value = "other")]
    collection_type: CollectionType,
    /// Your own identifier or file number for the collection
    #[arg(long = "id", value_name = "REF")]
    reference: Option<String>,
    /// Models that make its vectors: compact, quality or multilingual [default: --profile, or the models that the first documents need]
    #[arg(long, value_name = "PROFILE")]
    models: Option<ModelProfile>,
    /// Also store token vectors (E12), by which searches rank the best 100 passages a second time (late interaction); about 11 kB a
    /// passage. They add little to a collection that has learned-sparse vectors
    #[arg(long)]
    late_interaction: bool,
    /// Make it a vault: encrypted, and opened only with its passphrase or its recovery key, which is printed once
    #[arg(long)]
    vault: bool,
    /// Lock the vault after this time without use: 90s, 30m, 2h [default: lock_after of config.toml, or 30m]
    #[arg(long, value_name = "TIME", requires = "vault", value_parser = duration)]
    idle: Option<Duration>,
    #[command(flatten)]
    from: PassphraseSource,
    #[arg(skip)]
    passphrase: Option<Password>,
}

impl New {
    pub fn ask(&mut self) -> Result<()> {
        if self.vault {
            self.passphrase = Some(self.from.read_new("Passphrase of the new vault")?);
        }
        Ok(())
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let Self { name, reference, collection_type, models, late_interaction, idle, passphrase, .. } = self;
        let request = CreateCollection { name, reference, collection_type, models, late_interaction };
        if let Some(passphrase) = passphrase {
            let idle = vault::idle(idle, console)?;
            let made = engine.create_vault(VaultRequest { collection: request, passphrase }, idle)?;
            return console.print(&made, |made| vault::created(made, idle));
        }
        let meta = collections::create_collection(engine.host(), request)?;
        console.print(&meta, created)
    }
}

fn created(meta: &CollectionMeta) -> String {
    let CollectionMeta { id, name, .. } = meta;
    format!("Created collection \"{name}\" (ID: {}).\n\nNext: casetrack ingest PATH... -c \"{name}\"", id.short())
}

/// List the collections
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Collections {
    /// Include archived collections
    #[arg(long)]
    all: bool,
}

impl Collections {
    pub fn run(self, console: &Console) -> Result<u8> {
        let mut collections = collections::list_collections(console.host(), None)?;
        collections.retain(|summary| self.all || summary.meta.status != CollectionStatus::Archived);
        let locked = collections::locked_collections(console.host())?.into_iter().map(CollectionEntry::Locked);
        let all: Vec<CollectionEntry> =
            collections.into_iter().map(|summary| CollectionEntry::Open(Box::new(summary))).chain(locked).collect();
        console.print(&all, |all| list(all))
    }
}

/// In JSON, a locked vault has its ID and `"locked": true`.
#[derive(Serialize)]
#[serde(untagged)]
enum CollectionEntry {
    Open(Box<CollectionSummary>),
    Locked(LockedCollection),
}

fn list(collections: &[CollectionEntry]) -> String {
    if collections.is_empty() {
        return "There are no collections yet.\n\nNext: casetrack new NAME".to_owned();
    }
    let line = |listed: &CollectionEntry| {
        let summary = match listed {
            CollectionEntry::Open(summary) => summary,
            CollectionEntry::Locked(vault) => {
                let id = vault.id.short();
                return format!("{id}  locked  (a vault; casetrack unlock {id})\n");
            }
        };
        let counts = match (&summary.problem, summary.documents, summary.chunks) {
            (None, Some(documents), Some(chunks)) => {
                format!("{}, {}", counted(documents, "document"), counted(chunks, "passage"))
            }
            (problem, ..) => problem.as_ref().map(|problem| Reader::CommandLine.hint(problem)).unwrap_or_default(),
        };
        let reference = summary.meta.reference.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
        let state = match summary.meta.status {
            CollectionStatus::Active => "",
            CollectionStatus::Closed => "closed, ",
            CollectionStatus::Archived => "archived, ",
        };
        let vault = if summary.vault { "unlocked vault, " } else { "" };
        format!("{}  {}{reference}  ({vault}{state}{counts})\n", summary.meta.id.short(), summary.meta.name)
    };
    collections.iter().map(line).collect()
}

/// Rename a collection
///
/// The ID, the folder and the documents do not change. No other collection may have the new name.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Rename {
    /// Name, ID or reference of the collection
    collection: String,
    /// Its new name
    name: String,
}

impl Rename {
    pub fn run(self, console: &Console) -> Result<u8> {
        let before = collections::find_collection(console.host(), &self.collection)?;
        let meta = console.engine.rename_collection(before.id, &self.name)?;
        console.print(&meta, |meta| format!("Renamed \"{}\" to \"{}\".", before.name, meta.name))
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

/// Archive a collection: it is neither listed nor searched
///
/// Nothing is deleted. The collection is left out of lists, and everything except rename, verify, repair and delete is refused, until
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
/// Its watched folders are synced.
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

/// Delete a collection for good, with its passages, tags and evidence
///
/// The source files stay as they are. Without `--yes`, the command only describes the collection that it would delete. To keep a copy, run
/// `casetrack export` first.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Delete {
    /// Name, ID or reference of the collection
    collection: String,
    /// Delete the collection. Without this option, nothing is deleted
    #[arg(short, long)]
    yes: bool,
}

impl Delete {
    pub fn run(self, console: &Console) -> Result<u8> {
        let found = collections::find_collection(console.host(), &self.collection)?;
        let summary = collections::summarise(console.host(), found);
        if !self.yes {
            let what = text::collections::description(&summary);
            return Err(Error::invalid(format!("This permanently deletes {what}. Nothing was deleted."))
                .with_hint("To delete it, run the command again with --yes. To keep a copy first: casetrack export"));
        }
        console.engine.delete_collection(summary.meta.id)?;
        console.print(&summary, text::collections::deleted)
    }
}

fn set(console: &Console, collection: &str, status: CollectionStatus, done: &str) -> Result<u8> {
    let found = collections::find_collection(console.host(), collection)?;
    let meta = upkeep::set_collection_status(console.host(), found.id, status)?;
    let next = match status {
        CollectionStatus::Active => "",
        _ => "\n\nNext, to use it as before: casetrack reopen NAME",
    };
    console.print(&meta, |CollectionMeta { name, .. }| format!("{done} \"{name}\".{next}"))
}
