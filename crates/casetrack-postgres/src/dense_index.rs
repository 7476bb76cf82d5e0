//! The index of a collection's vectors. Only the owner of the tables can make one, and not in a transaction, so that
//! the administrator's clients make those of all users: at a flush, or while they follow the changes of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use casetrack_core::{CollectionId, Result};
use casetrack_store::VectorModels;
use casetrack_store::parts::decode_json;

use crate::collection::PostgresCollection;
use crate::error::Step;
use crate::moment::gone;
use crate::rights::is_administrator;
use crate::route::Routes;
use crate::server::{Connection, Server};
use crate::sql::id;
use crate::store::layout;

impl PostgresCollection {
    pub(crate) fn has_dense_index(&self, connection: &mut Connection) -> Step<bool> {
        has_index(connection, &self.routes)
    }

    /// Makes the index if the collection is large enough for it. Searches and changes continue during this.
    pub(crate) fn index_vectors(&self) -> Result<()> {
        let (counts, ..) = self.counted()?;
        if counts.chunks <= self.layout.exact_chunks
            || self.server.read(|connection| self.has_dense_index(connection))?
            // Others leave it to the administrator's clients; until then, vectors are compared one by one.
            || !self.server.read(is_administrator)?
        {
            return Ok(());
        }
        make(&self.server, &self.routes, self.models.dense_dimension)
    }
}

fn has_index(connection: &mut Connection, routes: &Routes) -> Step<bool> {
    let row = connection.some(
        "SELECT dense_index FROM collections WHERE route = $1 AND collection = $2",
        &[&routes.first(), &id(routes.collection())],
    )?;
    Ok(row.ok_or_else(|| gone(routes))?.try_get(0)?)
}

/// Makes an index, unless another client is about it.
fn make(server: &Server, routes: &Routes, dimension: u32) -> Result<()> {
    let (collection, key) = (routes.collection(), routes.lock() ^ 1);
    let name = format!("vectors_{}", collection.to_string().replace('-', ""));
    // The connection holds the lock, since the index cannot be made in a transaction.
    server.outside(|connection| {
        if !connection.one("SELECT pg_try_advisory_lock($1)", &[&key])?.try_get::<_, bool>(0)? {
            return Ok(());
        }
        let made = drop_left(connection).and_then(|()| make_alone(connection, routes, &name, dimension));
        connection.run(&format!("SELECT pg_advisory_unlock({key})"))?;
        made
    })
}

fn make_alone(connection: &mut Connection, routes: &Routes, name: &str, dimension: u32) -> Step<()> {
    if has_index(connection, routes)? {
        return Ok(());
    }
    // The remains of a process that was ended are of no use.
    connection.run(&format!("DROP INDEX IF EXISTS {name}"))?;
    connection.run(&format!(
        "CREATE INDEX CONCURRENTLY {name} ON vectors USING hnsw ((embedding::halfvec({dimension})) halfvec_ip_ops) \
         WHERE collection = '{}'",
        routes.collection()
    ))?;
    let set = "UPDATE collections SET dense_index = true WHERE route = $1 AND collection = $2";
    match connection.change(set, &[&routes.first(), &id(routes.collection())])? {
        // It was deleted in the meantime, and did not find the index.
        0 => connection.run(&format!("DROP INDEX IF EXISTS {name}")),
        _ => Ok(()),
    }
}

/// Drops the indexes of collections that are gone. Over several machines, roles cannot drop them with their collections.
fn drop_left(connection: &mut Connection) -> Step<()> {
    let left = "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'vectors'::regclass AND c.relname LIKE 'vectors\\_%' \
                AND length(c.relname) = 40 AND NOT EXISTS (SELECT FROM collections WHERE 'vectors_' || replace(collection::text, '-', '') = c.relname)";
    for row in connection.all(left, &[])? {
        connection.run(&format!("DROP INDEX IF EXISTS {}", row.try_get::<_, String>(0)?))?;
    }
    Ok(())
}

/// Makes missing indexes during other work, one at a time.
pub(crate) struct IndexMaker {
    server: Arc<Server>,
    is_busy: Arc<AtomicBool>,
}

impl IndexMaker {
    pub fn new(server: Arc<Server>) -> Self {
        Self { server, is_busy: Arc::default() }
    }

    /// Begins with the index of a collection with these models, if the client is the administrator's and makes no other
    /// at this moment; otherwise it must be requested again.
    pub fn want(&self, connection: &mut Connection, collection: CollectionId, models: &[u8]) -> Step<()> {
        if self.is_busy.load(Ordering::Relaxed) || !is_administrator(connection)? {
            return Ok(());
        }
        let models: VectorModels = decode_json("list of models", models)?;
        let routes = Routes::of(collection, layout(connection)?.fanout);
        let (server, is_busy) = (Arc::clone(&self.server), Arc::clone(&self.is_busy));
        is_busy.store(true, Ordering::Relaxed);
        let work = move || {
            let made = make(&server, &routes, models.dense_dimension);
            is_busy.store(false, Ordering::Relaxed);
            if let Err(error) = made {
                tracing::warn!(%error, %collection, "the index of vectors was not made; it will be tried again");
            }
        };
        let started = std::thread::Builder::new().name("index vectors".into()).spawn(work);
        if let Err(error) = started {
            self.is_busy.store(false, Ordering::Relaxed);
            tracing::warn!(%error, "no index of vectors can be made");
        }
        Ok(())
    }
}
