//! The collections of a database, as a store.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use casetrack_core::{CollectionId, CollectionMeta, Error, ErrorCode, Result, Timestamp};
use casetrack_store::parts::{decode_json, encode_json, fill};
use casetrack_store::{Archive, Collection, Counts, Database, Right, SharedStore, Store, VectorModels};
use sha2::{Digest, Sha256};

use crate::address::Address;
use crate::collection::PostgresCollection;
use crate::distribution::{distribute, machines, share_rights};
use crate::error::Step;
use crate::moment::gone;
use crate::own_changes::CollectionChange;
use crate::reader::counted;
use crate::rights::{require, require_creating};
use crate::route::{Layout, Routes};
use crate::server::{Connection, Server};
use crate::sql::{Raw, id};

/// Since this migration, roles have rights where tables are distributed.
const RIGHTS_SHARED: usize = 3;
/// Migrations by number, from 1. Those from the third on also come to tables that are distributed over machines.
const MIGRATIONS: [&str; 3] = [
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
];
/// Locks the making of tables.
pub(crate) const SCHEMA_LOCK: i64 = 0x6361_7365_7472_6163;
/// Buckets of a collection if the database is new and on one machine: more cost every term rows in each.
const FANOUT: i32 = 1;
const TABLES: [&str; 10] =
    ["documents", "removed", "pages", "chunks", "vectors", "fresh", "segments", "leaves", "buckets", "collections"];

pub struct PostgresStore {
    pub(crate) server: Arc<Server>,
    /// Known once the server has answered.
    layout: OnceLock<Layout>,
    files: PathBuf,
}

impl PostgresStore {
    /// The collections of a database. Connects to nothing: the first request connects, and makes the tables of a store
    /// in the database. Files that belong to collections are kept below `files`, on this machine. Errors: files of
    /// certificates that the address names and that cannot be read.
    pub fn at(address: Address, files: &Path) -> Result<Self> {
        Ok(Self { server: Arc::new(Server::at(address)?), layout: OnceLock::new(), files: files.to_owned() })
    }

    /// As [`at`](Self::at), and connects. Errors: [`ErrorCode::NewerSchema`] if a newer CaseTrack made the tables.
    pub fn connect(address: &str, files: &Path) -> Result<Self> {
        let store = Self::at(address.parse()?, files)?;
        store.layout()?;
        Ok(store)
    }

    pub(crate) fn layout(&self) -> Result<Layout> {
        if let Some(layout) = self.layout.get() {
            return Ok(*layout);
        }
        // Only the owner of the tables may make them.
        let known = match self.server.read(made)? {
            made if made < MIGRATIONS.len() => self.server.write(SCHEMA_LOCK, migrate)?,
            _ => self.server.read(layout)?,
        };
        Ok(*self.layout.get_or_init(|| known))
    }

    pub(crate) fn routes(&self, collection: CollectionId) -> Result<Routes> {
        Ok(Routes::of(collection, self.layout()?.fanout))
    }

    /// The description of a collection, with its models and `true` if they were not chosen by a user.
    fn read(&self, collection: CollectionId, ready: bool) -> Result<(CollectionMeta, VectorModels, bool)> {
        let routes = self.routes(collection)?;
        self.server.read(|connection| {
            let row = connection.some(
                "SELECT meta, models, models_open FROM collections WHERE route = $1 AND collection = $2 AND ready = $3",
                &[&routes.first(), &id(collection), &ready],
            )?;
            let row = row.ok_or_else(|| gone(&routes))?;
            let meta = decode_json("description of a collection", row.try_get(0)?)?;
            Ok((meta, decode_json("list of models", row.try_get(1)?)?, row.try_get(2)?))
        })
    }

    fn remove_files(&self, collection: CollectionId) -> Result<()> {
        let files = self.files.join(collection.to_string());
        match std::fs::remove_dir_all(&files) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(files.display(), error)),
            _ => Ok(()),
        }
    }

    fn open(&self, collection: CollectionId, ready: bool) -> Result<PostgresCollection> {
        let (meta, models, models_open) = self.read(collection, ready)?;
        let files = self.files.join(collection.to_string());
        let (server, routes) = (Arc::clone(&self.server), self.routes(collection)?);
        Ok(PostgresCollection::new(server, (routes, self.layout()?), meta, models, models_open, files))
    }

    /// Makes an empty collection, which others see if it is `ready`.
    fn make(&self, meta: &CollectionMeta, models: &VectorModels, ready: bool) -> Result<()> {
        if models.dense_dimension == 0 {
            return Err(Error::internal("A collection needs a model with at least one dimension."));
        }
        let routes = self.routes(meta.id)?;
        let (described, of_models) = (encode_json(meta)?, encode_json(models)?);
        let insert = |connection: &mut Connection| {
            require_creating(connection)?;
            let made = connection.change(
                "INSERT INTO collections (route, collection, meta, models, ready) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT DO NOTHING",
                &[&routes.first(), &id(meta.id), &described, &of_models, &ready],
            )?;
            if made == 0 {
                let message = format!("The collection {} already exists.", meta.id);
                return Err(Error::new(ErrorCode::AlreadyExists, message)
                    .with_hint("Choose another place for the new collection.")
                    .into());
            }
            connection.one("SELECT make_buckets($1, $2)", &[&id(meta.id), &routes.all])?;
            Ok(())
        };
        // An import that was broken off left a hidden collection. Removing it and making it again cannot be one
        // transaction over machines.
        self.server.write(routes.lock(), |connection| remove(connection, &routes, false))?;
        self.server.own.with_collection(meta.id, CollectionChange::Made, || self.server.write(routes.lock(), insert))
    }
}

/// Makes the tables, or brings them to this version.
fn migrate(connection: &mut Connection) -> Step<Layout> {
    let machines = machines(connection)?;
    if machines > 0 {
        // Citus has tables, and their dependencies, on the other machines once they are distributed; functions stay
        // here. Of several statements that are sent together, it would send each machine all for each.
        connection.run("SET LOCAL citus.enable_ddl_propagation = off")?;
    }
    connection.run(
        "CREATE SCHEMA IF NOT EXISTS casetrack; \
         CREATE TABLE IF NOT EXISTS casetrack.migrations (number integer PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())",
    )?;
    let made = made(connection)?;
    for (number, migration) in (1i32..).zip(MIGRATIONS).skip(made) {
        connection.run(migration)?;
        connection.change("INSERT INTO casetrack.migrations (number) VALUES ($1)", &[&number])?;
    }
    if made == 0 {
        // Of several machines, one bucket for each: every bucket is a part of each statement of a search.
        let fanout = if machines > 0 { machines } else { FANOUT };
        if machines > 0 {
            distribute(connection)?;
        }
        connection.change("INSERT INTO layout (fanout) VALUES ($1)", &[&fanout])?;
    } else if machines > 0 && made < RIGHTS_SHARED {
        share_rights(connection)?;
    }
    layout(connection)
}

/// The number of migrations that were made.
fn made(connection: &mut Connection) -> Step<usize> {
    let is_there = connection.one("SELECT to_regclass('casetrack.migrations') IS NOT NULL", &[])?;
    if !is_there.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let made: Option<i32> = connection.one("SELECT max(number) FROM casetrack.migrations", &[])?.try_get(0)?;
    let made = usize::try_from(made.unwrap_or_default()).unwrap_or_default();
    if made > MIGRATIONS.len() {
        let message = format!(
            "The database was made by a newer CaseTrack (schema {made}; this version knows {}).",
            MIGRATIONS.len()
        );
        return Err(Error::new(ErrorCode::NewerSchema, message)
            .with_hint("Update CaseTrack, then try again. Nothing was changed.")
            .into());
    }
    Ok(made)
}

pub(crate) fn layout(connection: &mut Connection) -> Step<Layout> {
    let guarded = "to_regclass('casetrack.shared') IS NOT NULL AND NOT is_administrator()";
    let row = connection.one(&format!("SELECT fanout, block_chunks, exact_chunks, {guarded} FROM layout"), &[])?;
    Ok(Layout {
        fanout: row.try_get::<_, i32>(0)?.cast_unsigned(),
        block_chunks: row.try_get(1)?,
        exact_chunks: row.try_get::<_, i64>(2)?.cast_unsigned(),
        is_guarded: row.try_get(3)?,
    })
}

/// Removes a collection that is `ready`, or one that is not; `false` if there is none.
fn remove(connection: &mut Connection, routes: &Routes, ready: bool) -> Step<bool> {
    let collection = id(routes.collection());
    // The index of its vectors goes with its row.
    let found = connection.some(
        "SELECT 1 FROM collections WHERE route = $1 AND collection = $2 AND ready = $3",
        &[&routes.first(), &collection, &ready],
    )?;
    if found.is_none() {
        return Ok(false);
    }
    for table in TABLES {
        connection.change(
            &format!("DELETE FROM {table} WHERE route = ANY($1) AND collection = $2"),
            &[&routes.all, &collection],
        )?;
    }
    Ok(true)
}

impl Store for PostgresStore {
    fn scan(&self) -> Result<(Vec<CollectionMeta>, Vec<Error>)> {
        self.layout()?;
        let rows = self.server.read(|connection| {
            let rows = connection.all("SELECT meta, collection FROM collections WHERE ready", &[])?;
            let parts = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
            parts.collect::<Step<Vec<(Vec<u8>, Raw)>>>()
        })?;
        let (mut metas, mut problems): (Vec<CollectionMeta>, Vec<Error>) = (Vec::new(), Vec::new());
        for (value, collection) in rows {
            match decode_json("description of a collection", &value) {
                Ok(meta) => metas.push(meta),
                Err(mut error) => {
                    let id = CollectionId::from_bytes(collection.uuid());
                    error.message = format!("The collection {id}: {}", error.message);
                    problems.push(error);
                }
            }
        }
        metas.sort_by_key(|meta| (meta.created_at, meta.id));
        Ok((metas, problems))
    }

    fn meta(&self, id: CollectionId) -> Result<CollectionMeta> {
        Ok(self.read(id, true)?.0)
    }

    fn counts_and_last_change(&self, id: CollectionId) -> Result<(Counts, Option<Timestamp>)> {
        let routes = self.routes(id)?;
        let (counts, changed, _) = self.server.read(|connection| counted(connection, &routes))?;
        Ok((counts, changed))
    }

    fn create(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        self.make(meta, models, true)?;
        self.open_collection(meta.id)
    }

    fn open_collection(&self, id: CollectionId) -> Result<Collection> {
        self.open(id, true).map(Collection::from)
    }

    fn import(&self, archive: &mut Archive, meta: &CollectionMeta) -> Result<Collection> {
        let models = archive.manifest().models.clone();
        self.make(meta, &models, false)?;
        let routes = self.routes(meta.id)?;
        let filled = self.open(meta.id, false).and_then(|collection| {
            fill(&collection, archive)?;
            collection.set_durably(Right::Owner, "ready = true", &[])
        });
        if let Err(error) = filled {
            if let Err(left) = self.server.write(routes.lock(), |connection| remove(connection, &routes, false)) {
                tracing::warn!(error = %left, "a partial import is left; it is removed when the collection is \
                    imported again");
            }
            return Err(error);
        }
        self.open_collection(meta.id)
    }

    fn delete(&self, id: CollectionId) -> Result<()> {
        let routes = self.routes(id)?;
        let delete = |connection: &mut Connection| {
            require(connection, &routes, Right::Owner)?;
            remove(connection, &routes, true)
        };
        let removed = self
            .server
            .own
            .with_collection(id, CollectionChange::Deleted, || self.server.write(routes.lock(), delete))?;
        if !removed { Err(gone(&routes)) } else { self.remove_files(id) }
    }

    fn prepare(&self, meta: &CollectionMeta, models: &VectorModels) -> Result<Collection> {
        match self.open(meta.id, false) {
            Ok(begun) if begun.models == *models => return Ok(begun.into()),
            Err(error) if error.code != ErrorCode::NotFound => return Err(error),
            _ => {}
        }
        self.make(meta, models, false)?;
        self.open(meta.id, false).map(Collection::from)
    }

    fn publish(&self, id: CollectionId) -> Result<()> {
        // Its row is marked as not ready, or this fails.
        self.open(id, false)?.set_durably(Right::Owner, "ready = true", &[])
    }

    fn discard(&self, id: CollectionId) -> Result<bool> {
        let routes = self.routes(id)?;
        let found = self.server.write(routes.lock(), |connection| remove(connection, &routes, false))?;
        if found {
            self.remove_files(id)?;
        }
        Ok(found)
    }
}

impl Database for Address {
    fn folder_name(&self) -> String {
        let places: Vec<String> = self.places().iter().map(|(host, port)| format!("{host}:{port}")).collect();
        let whole = format!("{}/{}", places.join(",").to_lowercase(), self.database());
        let plain: String = whole
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' })
            .take(60)
            .collect();
        let digest: String =
            Sha256::digest(whole.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{digest}", plain.trim_start_matches(['.', '_']))
    }

    fn open(&self, files: &Path) -> Result<Arc<dyn SharedStore>> {
        Ok(Arc::new(PostgresStore::at(self.clone(), files)?))
    }
}
