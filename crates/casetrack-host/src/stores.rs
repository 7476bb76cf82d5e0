//! The stores of collections: the data directory, or a database. One host has the collections of one store.
//!
//! Data of collections that stay on this machine (jobs, watches, copies of source files) are in a folder of the store
//! ([`EngineConfig::state_dir`](super::EngineConfig::state_dir)): for collections on disk it is the data directory itself.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use casetrack_core::{CollectionId, CollectionMeta, Error, ErrorCode, Result, Timestamp};
use casetrack_store::{
    Archive, Collection, Counts, Database, Registry, SharedStore, Store, StoreChange, Subscription, VectorModels,
};

use super::Host;
use super::changes::{Change, Changes};

/// The folder, in a data directory, for the local data of collections in databases, each in a folder of its own.
const DATABASES: &str = "databases";
/// Folder of copies of source files and uploads, in the folder of a store.
const COLLECTIONS: &str = "collections";

/// The time that subscribers to changes wait for the database.
const BEGINNING: Duration = Duration::from_secs(1);

/// The reserved collection of the search of files, once there is one. No tier counts it, and it is never meant if none is named.
pub fn of_files() -> CollectionId {
    CollectionId::from_bytes(0xca5e_7ac4_0000_8000_8000_0000_0000_f11e_u128.to_be_bytes())
}

/// The place of collections. It is displayed without the password of a database.
#[derive(Debug, Clone, Default)]
pub enum StorePlace {
    /// The data directory.
    #[default]
    Disk,
    Database(Arc<dyn Database>),
}

impl PartialEq for StorePlace {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Disk, Self::Disk) => true,
            (Self::Database(own), Self::Database(other)) => own.to_string() == other.to_string(),
            _ => false,
        }
    }
}

impl Eq for StorePlace {}

impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disk => f.write_str("disk"),
            Self::Database(address) => address.fmt(f),
        }
    }
}

impl StorePlace {
    /// The folder of the files of its collections that stay on this machine.
    pub(super) fn state_dir(&self, data_dir: &Path) -> PathBuf {
        match self {
            Self::Disk => data_dir.to_owned(),
            Self::Database(address) => data_dir.join(DATABASES).join(address.folder_name()),
        }
    }

    /// The folder of a collection, or of the local data of a collection in a database.
    pub fn collection_dir(&self, data_dir: &Path, id: CollectionId) -> PathBuf {
        self.state_dir(data_dir).join(COLLECTIONS).join(id.to_string())
    }

    pub fn described(&self) -> String {
        match self {
            Self::Disk => "the disk of this machine".to_owned(),
            Self::Database(address) => format!("the database {address}"),
        }
    }

    /// The place of its collections in a sentence: "on the disk of this machine".
    pub fn location(&self) -> String {
        let preposition = if matches!(self, Self::Disk) { "on" } else { "in" };
        format!("{preposition} {}", self.described())
    }

    /// The database, if it is one. Connects to nothing.
    fn server(&self, data_dir: &Path) -> Result<Option<Arc<dyn SharedStore>>> {
        let Self::Database(address) = self else { return Ok(None) };
        address.open(&self.state_dir(data_dir).join(COLLECTIONS)).map(Some)
    }

    /// The store. Connects to nothing.
    fn open(&self, data_dir: &Path) -> Result<Arc<dyn Store>> {
        let on_disk = Registry::open(data_dir)?;
        Ok(match self.server(data_dir)? {
            None => Arc::new(on_disk),
            Some(server) => Arc::new(OnServer { server, on_disk }),
        })
    }
}

pub(super) struct Stores {
    pub place: StorePlace,
    pub store: Arc<dyn Store>,
    /// The database, if the store is one.
    server: Option<Arc<dyn SharedStore>>,
    /// The subscription to changes by other clients of the database, once it is needed.
    subscription: OnceLock<Option<Box<dyn Subscription>>>,
    /// The collections on disk and the keys of vaults. Empty if the store is a database.
    pub registry: Registry,
}

impl Stores {
    pub fn open(place: &StorePlace, data_dir: &Path) -> Result<Self> {
        let place = place.clone();
        let registry = Registry::open(&place.state_dir(data_dir))?;
        let server = place.server(data_dir)?;
        let store: Arc<dyn Store> = match &server {
            None => Arc::new(registry.clone()),
            Some(server) => Arc::new(OnServer { server: Arc::clone(server), on_disk: Registry::open(data_dir)? }),
        };
        Ok(Self { place, store, server, subscription: OnceLock::new(), registry })
    }

    /// Reports the changes of other clients of the database from now on, like the changes of this process. Only a database has other clients. Waits
    /// for the server for a moment, once.
    fn follow(&self, changes: &Changes) {
        let Some(server) = &self.server else { return };
        self.subscription.get_or_init(|| {
            let changes = changes.clone();
            let notify = move |change| {
                changes.notify(match change {
                    StoreChange::Collection(collection) => Change::Collection(collection),
                    StoreChange::Document(collection, document, change) => {
                        Change::Document { collection, document, change }
                    }
                    StoreChange::Evidence(collection) => Change::Evidence(collection),
                });
            };
            let subscription = server.subscribe(Box::new(notify));
            if let Err(error) = &subscription {
                tracing::warn!(%error, "changes by others in the database are not reported");
            }
            subscription.ok().inspect(|subscription| subscription.wait_until_begun(BEGINNING))
        });
    }
}

impl Host {
    pub fn store_place(&self) -> &StorePlace {
        &self.shared.stores.place
    }

    /// Follows the changes by other clients of the database until the last host of the data directory goes, and has indexes made that are missing
    /// there, if it is the administrator's. Needed by programs that serve without listening; nothing happens if collections are on disk.
    pub fn follow_others(&self) {
        self.shared.stores.follow(&self.shared.changes);
    }

    pub fn store(&self) -> &dyn Store {
        &*self.shared.stores.store
    }

    /// Another store of this data directory.
    pub fn other_store(&self, place: &StorePlace) -> Result<Arc<dyn Store>> {
        place.open(&self.config.data_dir)
    }

    /// The database of the collections. `what` begins a sentence: a plural noun for a feature that only a database has.
    ///
    /// Errors: [`ErrorCode::WrongState`] if the collections are on disk.
    pub fn only_on_server(&self, what: &str) -> Result<&dyn SharedStore> {
        let message =
            || format!("{what} are for collections in a database, and these are on the disk of this machine.");
        self.shared.stores.server.as_deref().ok_or_else(|| {
            Error::new(ErrorCode::WrongState, message())
                .with_hint("Name the database with --store postgres://user@host/database. `casetrack migrate` takes collections there.")
        })
    }

    /// Refuses a feature that only collections on disk have. `what` begins the sentence, in the plural.
    ///
    /// Errors: [`ErrorCode::WrongState`].
    pub fn only_on_disk(&self, what: &str) -> Result<()> {
        match self.store_place() {
            StorePlace::Disk => Ok(()),
            place => {
                let message =
                    format!("{what} are for collections on disk only, and these are in {}.", place.described());
                Err(Error::new(ErrorCode::WrongState, message).with_hint(
                    "Take the collection to the disk of this machine first, with `casetrack migrate NAME --to disk`.",
                ))
            }
        }
    }
}

/// The collections of a server, except for the collection of the search of files: it is about the files of this machine, and stays on its disk.
struct OnServer {
    server: Arc<dyn SharedStore>,
    on_disk: Registry,
}

impl OnServer {
    fn of(&self, id: CollectionId) -> &dyn Store {
        if id == of_files() { &self.on_disk } else { &*self.server as &dyn Store }
    }
}

impl Store for OnServer {
    fn scan(&self) -> Result<(Vec<CollectionMeta>, Vec<Error>)> {
        let (mut metas, problems) = self.server.scan()?;
        if self.on_disk.path(of_files()).is_dir() {
            metas.push(self.on_disk.meta(of_files())?);
            metas.sort_by_key(|meta| (meta.created_at, meta.id));
        }
        Ok((metas, problems))
    }

    fn meta(&self, id: CollectionId) -> Result<CollectionMeta> {
        self.of(id).meta(id)
    }

    fn counts_and_last_change(&self, id: CollectionId) -> Result<(Counts, Option<Timestamp>)> {
        self.of(id).counts_and_last_change(id)
    }

    fn create(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        self.of(meta.id).create(meta, models)
    }

    fn open_collection(&self, id: CollectionId) -> Result<Collection> {
        self.of(id).open_collection(id)
    }

    fn import(&self, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection> {
        self.of(meta.id).import(archive, meta)
    }

    fn delete(&self, id: CollectionId) -> Result<()> {
        self.of(id).delete(id)
    }

    fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        self.of(meta.id).prepare(meta, models)
    }

    fn publish(&self, id: CollectionId) -> Result<()> {
        self.of(id).publish(id)
    }

    fn discard(&self, id: CollectionId) -> Result<bool> {
        self.of(id).discard(id)
    }
}
