//! The watches there are, in memory and in `watches.json`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use casetrack_core::{Action, CollectionId, CollectionMeta, Error, ErrorCode, JobId, Result, Timestamp, WatchId, hint};
use casetrack_store::{Owned, Registry, owner, write_atomically, write_over};
use crossbeam_channel::Sender;
use serde::{Deserialize, Serialize};

use super::{LastSync, Schedule, WatchRequest, WatchState, WatchStatus, listed, no_such_watch, resolved};
use casetrack_host::{EngineConfig, lock};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WatchRecord {
    pub id: WatchId,
    pub collection_id: CollectionId,
    pub collection: String,
    pub folder: PathBuf,
    pub schedule: Schedule,
    pub auto_remove_deleted: bool,
    pub extensions: Option<Vec<String>>,
    #[serde(default)]
    pub tags_from_folders: bool,
    pub created_at: Timestamp,
    pub last_sync: Option<LastSync>,
    /// The settings its syncs run with.
    pub config: EngineConfig,
}

impl WatchRecord {
    pub fn new(collection: &CollectionMeta, folder: PathBuf, request: WatchRequest, config: EngineConfig) -> Self {
        Self {
            id: WatchId::random(),
            collection_id: collection.id,
            collection: collection.name.clone(),
            folder,
            schedule: request.schedule,
            auto_remove_deleted: request.auto_remove_deleted,
            extensions: request.extensions,
            tags_from_folders: request.tags_from_folders,
            created_at: Timestamp::now(),
            last_sync: None,
            config,
        }
    }

    pub fn next_sync_at(&self) -> Option<Timestamp> {
        let interval = i64::try_from(self.schedule.interval()?.as_millis()).ok()?;
        let last = self.last_sync.as_ref().map_or(self.created_at, |last| last.finished_at);
        Some(Timestamp(last.0.saturating_add(interval)))
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Condition {
    pub state: WatchState,
    pub detail: Option<String>,
    pub job: Option<JobId>,
}

#[derive(Clone)]
struct Watch {
    record: WatchRecord,
    condition: Condition,
}

impl Watch {
    fn status(&self) -> WatchStatus {
        let Self { record, condition } = self;
        WatchStatus {
            watch_id: record.id,
            folder: record.folder.display().to_string(),
            collection_id: record.collection_id,
            collection: record.collection.clone(),
            schedule: record.schedule,
            auto_remove_deleted: record.auto_remove_deleted,
            file_extensions: record.extensions.clone(),
            tags_from_folders: record.tags_from_folders,
            created_at: record.created_at,
            state: condition.state,
            detail: condition.detail.clone(),
            job_id: condition.job,
            last_sync: record.last_sync.clone(),
            next_sync_at: record.next_sync_at(),
        }
    }
}

pub(super) enum Message {
    /// Something happened in a watched folder.
    Event(WatchId, notify::Result<notify::Event>),
    Wake,
    Stop,
}

pub(crate) struct Watches {
    path: PathBuf,
    registry: Registry,
    list: Mutex<Vec<Watch>>,
    /// The watches of vaults, as they are in the file. For a locked vault, there is nothing else.
    sealed: Mutex<Vec<Entry>>,
    /// Vaults that are locked: their watches rest and do not show.
    hidden: Mutex<Vec<CollectionId>>,
    /// To the thread that watches, once there is one.
    runner: OnceLock<Sender<Message>>,
}

/// The whole of `watches.json`.
#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    watches: Vec<Entry>,
}

/// A watch in `watches.json`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum Entry {
    /// The content of a vault's record, sealed with its key, in base64.
    Sealed {
        id: WatchId,
        collection_id: CollectionId,
        sealed: String,
    },
    Plain(Box<WatchRecord>),
}

const VERSION: u32 = 1;

impl Entry {
    fn id(&self) -> WatchId {
        match self {
            Self::Sealed { id, .. } => *id,
            Self::Plain(record) => record.id,
        }
    }

    fn collection_id(&self) -> CollectionId {
        match self {
            Self::Sealed { collection_id, .. } => *collection_id,
            Self::Plain(record) => record.collection_id,
        }
    }
}

/// Names that watches are sealed under begin so; their ids follow.
const NAMES: &str = "watches/";

fn owned_name(id: WatchId) -> String {
    format!("{NAMES}{id}")
}

fn encoded(watches: Vec<Entry>) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(&File { version: VERSION, watches })
        .map_err(|error| Error::internal(format!("The list of watches: {error}")))
}

impl Watches {
    pub fn new(data_dir: &Path, registry: Registry) -> Self {
        Self {
            path: data_dir.join("watches.json"),
            registry,
            list: Mutex::default(),
            sealed: Mutex::default(),
            hidden: Mutex::default(),
            runner: OnceLock::new(),
        }
    }

    /// Reads the file and remembers who watches.
    pub(super) fn open(&self, runner: Sender<Message>) -> Result<()> {
        let mut list = lock(&self.list);
        *list = Vec::new();
        self.take(&mut list, self.load()?)?;
        // A second start changes nothing.
        let _ = self.runner.set(runner);
        Ok(())
    }

    /// Adds the readable entries of the file.
    fn take(&self, list: &mut Vec<Watch>, entries: Vec<Entry>) -> Result<()> {
        let mut sealed = lock(&self.sealed);
        sealed.clear();
        for entry in entries {
            let record = match &entry {
                Entry::Plain(record) => {
                    if let Err(error) = self.registry.check_owner(record.collection_id, &owned_name(record.id), None) {
                        tracing::warn!(watch = %record.id, %error, "a watch is left out");
                        continue;
                    }
                    WatchRecord::clone(record)
                }
                Entry::Sealed { id, collection_id, sealed: content } => {
                    sealed.push(entry.clone());
                    match self.opened(*id, *collection_id, content) {
                        Ok(record) => record,
                        Err(error) => {
                            if error.code != ErrorCode::Locked {
                                tracing::warn!(watch = %id, collection = %collection_id, %error, "a watch is left out");
                            }
                            continue;
                        }
                    }
                }
            };
            if !list.iter().any(|watch| watch.record.id == record.id) {
                list.push(Watch { record, condition: Condition::default() });
            }
        }
        Ok(())
    }

    fn opened(&self, id: WatchId, collection: CollectionId, sealed: &str) -> Result<WatchRecord> {
        let damaged = |why: String| Error::new(ErrorCode::Corrupt, format!("Watch {id} cannot be read: {why}."));
        let bytes = BASE64.decode(sealed).map_err(|error| damaged(error.to_string()))?;
        let json = self.registry.open_owned_of(collection, &owned_name(id), bytes)?;
        let record: WatchRecord = serde_json::from_slice(&json).map_err(|error| damaged(error.to_string()))?;
        match record.collection_id == collection && record.id == id {
            true => Ok(record),
            false => Err(damaged("it belongs to another collection".to_owned())),
        }
    }

    fn load(&self) -> Result<Vec<Entry>> {
        let bytes = match std::fs::read(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes.map_err(|error| Error::io(self.path.display(), error))?,
        };
        let damaged = |why: String| {
            Error::new(ErrorCode::Corrupt, format!("{} cannot be read: {why}.", self.path.display()))
                .with_hint("Delete it and watch the folders again; documents are not affected.")
        };
        let file: File = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if file.version != VERSION {
            return Err(damaged(format!("it is of version {}", file.version)));
        }
        Ok(file.watches)
    }

    fn save(&self, list: &[Watch]) -> Result<()> {
        let mut sealed = lock(&self.sealed);
        // Watches of locked vaults stay as they are.
        let mut kept = sealed.clone();
        kept.retain(
            |entry| matches!(entry, Entry::Sealed { collection_id, .. } if self.registry.key(*collection_id).is_err()),
        );
        let mut watches = Vec::with_capacity(list.len() + kept.len());
        for Watch { record, .. } in list {
            match self.registry.key(record.collection_id) {
                Ok(None) => watches.push(Entry::Plain(Box::new(record.clone()))),
                Ok(Some(_)) => {
                    let json =
                        serde_json::to_vec(record).map_err(|error| Error::internal(format!("A watch: {error}")))?;
                    let (id, collection_id) = (record.id, record.collection_id);
                    let sealed = self.registry.seal_owned(collection_id, &owned_name(id), json)?;
                    let entry = Entry::Sealed { id, collection_id, sealed: BASE64.encode(sealed) };
                    kept.push(entry.clone());
                    watches.push(entry);
                }
                // It was locked at this moment; the records sealed before are among those that stay.
                Err(_) => {}
            }
        }
        let is_locked = |entry: &&Entry| !watches.iter().any(|other| other.id() == entry.id());
        let locked: Vec<Entry> = kept.iter().filter(is_locked).cloned().collect();
        watches.extend(locked);
        *sealed = kept;
        drop(sealed);
        write_atomically(&self.path, &encoded(watches)?)
    }

    /// The record of a collection's watches before it is sealed, by the name that it is sealed under.
    pub fn written(&self, collection: CollectionId) -> Result<Vec<Owned>> {
        let list = lock(&self.list);
        let of_it = list.iter().filter(|watch| watch.record.collection_id == collection);
        let written = of_it.map(|Watch { record, .. }| {
            let content = serde_json::to_vec(record).map_err(|error| Error::internal(format!("A watch: {error}")))?;
            Ok(Owned { name: owned_name(record.id), content })
        });
        written.collect()
    }

    /// Puts the record of [`written`](Self::written), sealed or not, in the place of these watches in the file, and overwrites the earlier
    /// file. Other names are passed over. Needs no key.
    pub fn take_over(&self, collection_id: CollectionId, owned: &[Owned]) -> Result<()> {
        let of_watch = |owned: &Owned| -> Option<Result<Entry>> {
            let id: WatchId = owned.name.strip_prefix(NAMES)?.parse().ok()?;
            Some(match owner(&owned.content) {
                Some(_) => Ok(Entry::Sealed { id, collection_id, sealed: BASE64.encode(&owned.content) }),
                None => serde_json::from_slice(&owned.content)
                    .map(Entry::Plain)
                    .map_err(|error| Error::internal(format!("A watch: {error}"))),
            })
        };
        let new: Vec<Entry> = owned.iter().filter_map(of_watch).collect::<Result<_>>()?;
        if new.is_empty() {
            return Ok(());
        }
        // Nothing else changes the file meanwhile.
        let _list = lock(&self.list);
        let mut entries = self.load()?;
        for entry in &mut entries {
            if let Some(new) = new.iter().find(|new| new.id() == entry.id()) {
                *entry = new.clone();
            }
        }
        let mut sealed = lock(&self.sealed);
        *sealed = entries.iter().filter(|entry| matches!(entry, Entry::Sealed { .. })).cloned().collect();
        write_over(&self.path, &encoded(entries)?)
    }

    /// Changes the list and saves it. If that fails, the list stays as it was.
    fn update<T>(&self, change: impl FnOnce(&mut Vec<Watch>) -> Result<T>) -> Result<T> {
        let mut list = lock(&self.list);
        let mut changed = list.clone();
        let result = change(&mut changed)?;
        self.save(&changed)?;
        *list = changed;
        drop(list);
        self.wake();
        Ok(result)
    }

    pub fn add(&self, record: WatchRecord) -> Result<WatchStatus> {
        self.update(|list| {
            let overlaps = |watch: &&Watch| {
                let (known, new) = (&watch.record.folder, &record.folder);
                let same_collection = watch.record.collection_id == record.collection_id;
                same_collection && (known.starts_with(new) || new.starts_with(known))
            };
            if let Some(Watch { record: known, .. }) = list.iter().find(overlaps) {
                return Err(overlapping(known, &record));
            }
            let watch = Watch { record, condition: Condition::default() };
            let status = watch.status();
            list.push(watch);
            Ok(status)
        })
    }

    /// Pauses the watches of these collections, which are locked, and no others. Later changes are synced when they continue.
    pub fn hide(&self, locked: Vec<CollectionId>) {
        *lock(&self.hidden) = locked;
        {
            let mut list = lock(&self.list);
            // Their records are in `sealed`, which holds nothing to read.
            list.retain(|watch| self.registry.key(watch.record.collection_id).is_ok());
            let sealed = lock(&self.sealed).clone();
            if let Err(error) = self.take(&mut list, sealed) {
                tracing::warn!(%error, "watches.json was not written");
            }
        }
        self.wake();
    }

    fn shown(&self) -> Vec<Watch> {
        let hidden = lock(&self.hidden).clone();
        lock(&self.list).iter().filter(|watch| !hidden.contains(&watch.record.collection_id)).cloned().collect()
    }

    pub fn find(&self, wanted: &str) -> Result<WatchId> {
        let wanted = wanted.trim();
        let (folder, id) = (resolved(wanted), wanted.to_ascii_lowercase());
        let list = self.shown();
        let matches = |watch: &&Watch| {
            let given = watch.record.folder == folder || watch.record.folder == Path::new(wanted.trim_end_matches('/'));
            given || (id.len() >= 8 && watch.record.id.to_string().starts_with(&id))
        };
        let found: Vec<WatchId> = list.iter().filter(matches).map(|watch| watch.record.id).collect();
        match found[..] {
            [id] => Ok(id),
            [] => Err(self.none_found(wanted, &list)),
            _ => {
                let watches: Vec<WatchStatus> =
                    list.iter().filter(|watch| found.contains(&watch.record.id)).map(Watch::status).collect();
                let message = format!("\"{wanted}\" is watched for more than one collection.");
                Err(Error::new(ErrorCode::InvalidArgument, message).with_hint(listed(&watches)))
            }
        }
    }

    /// A watch that is not found may belong to a vault that is locked.
    fn none_found(&self, wanted: &str, shown: &[Watch]) -> Error {
        let error = no_such_watch(wanted, &shown.iter().map(Watch::status).collect::<Vec<_>>());
        let unlock = match lock(&self.hidden).as_slice() {
            [] => return error,
            [only] => Action::Unlock(Some(only.short())),
            _ => Action::Unlock(None),
        };
        let hint = hint![" Watches of locked vaults are not shown. ", unlock];
        let hint = error.hint.as_ref().map_or_else(|| hint.clone(), |before| before.followed_by(hint.clone()));
        error.with_hint(hint)
    }

    pub fn remove(&self, id: WatchId) -> Result<WatchStatus> {
        self.update(|list| Ok(list.remove(place(list, id)?).status()))
    }

    /// Takes over the new name of a collection.
    pub fn rename_collection(&self, collection: CollectionId, name: &str) {
        let mut list = lock(&self.list);
        let mut watches = list.iter_mut().filter(|watch| watch.record.collection_id == collection).peekable();
        if watches.peek().is_none() {
            return;
        }
        watches.for_each(|watch| name.clone_into(&mut watch.record.collection));
        if let Err(error) = self.save(&list) {
            tracing::warn!(%error, "watches.json keeps the old name of a collection until it is next written");
        }
        drop(list);
        self.wake();
    }

    /// Ends the watches of a deleted collection.
    pub fn forget_collection(&self, collection: CollectionId) {
        let mut list = lock(&self.list);
        let before = list.len();
        list.retain(|watch| watch.record.collection_id != collection);
        let sealed_before = lock(&self.sealed).len();
        lock(&self.sealed).retain(|entry| entry.collection_id() != collection);
        if list.len() < before || lock(&self.sealed).len() < sealed_before {
            if let Err(error) = self.save(&list) {
                tracing::warn!(%error, "the watches of a deleted collection stay in the list");
            }
            drop(list);
            self.wake();
        }
    }

    pub fn change(&self, id: WatchId, change: impl FnOnce(&mut WatchRecord)) -> Result<WatchStatus> {
        self.update(|list| {
            let at = place(list, id)?;
            let watch = &mut list[at];
            change(&mut watch.record);
            Ok(watch.status())
        })
    }

    /// Of one collection or of all, the oldest first.
    pub fn list(&self, collection: Option<CollectionId>) -> Vec<WatchStatus> {
        let wanted = |watch: &&Watch| collection.is_none_or(|id| watch.record.collection_id == id);
        self.shown().iter().filter(wanted).map(Watch::status).collect()
    }

    pub(super) fn records(&self) -> Vec<WatchRecord> {
        self.shown().into_iter().map(|watch| watch.record).collect()
    }

    pub(super) fn show(&self, id: WatchId, condition: Condition) {
        if let Some(watch) = lock(&self.list).iter_mut().find(|watch| watch.record.id == id) {
            watch.condition = condition;
        }
    }

    fn wake(&self) {
        self.send(Message::Wake);
    }

    pub fn stop(&self) {
        self.send(Message::Stop);
    }

    fn send(&self, message: Message) {
        if let Some(runner) = self.runner.get() {
            // It has ended with the owner.
            let _ = runner.send(message);
        }
    }
}

fn place(list: &[Watch], id: WatchId) -> Result<usize> {
    list.iter().position(|watch| watch.record.id == id).ok_or_else(|| no_such_watch(&id.to_string(), &[]))
}

/// The error for a folder that is watched already, or that is around or in one that is.
fn overlapping(known: &WatchRecord, new: &WatchRecord) -> Error {
    let (change, end) = (Action::SetSyncSchedule, Action::UnwatchFolder);
    let hint = match known.folder == new.folder {
        true => hint!["Change the schedule with ", change, ", or stop watching with ", end, "."],
        false => {
            hint!["A watch covers all subfolders. End that watch with ", end, " first, or watch a folder outside it."]
        }
    };
    let (folder, collection) = (known.folder.display(), &known.collection);
    let message = format!("{folder} is already watched for {collection} (ID: {}).", known.id);
    Error::new(ErrorCode::AlreadyExists, message).with_hint(hint)
}
