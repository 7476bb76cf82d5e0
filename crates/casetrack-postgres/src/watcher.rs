//! Changes that other clients make, as they come. A message of the server only announces a change; the changes
//! themselves are read by their numbers, so that nothing is missed if messages or the connection are lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::{CollectionId, DocumentId, Result};
use casetrack_store::{DocumentChange, Right};
use postgres::fallible_iterator::FallibleIterator;

use crate::collection::PostgresCollection;
use crate::error::{Failure, Step};
use crate::moment::gone;
use crate::rights::require;
use crate::route::Routes;
use crate::server::{Connection, Params, Server};
use crate::sql::{Raw, id};
use crate::store::PostgresStore;

/// The time that a message may stay away before changes are looked for without one: a client that is killed sends none.
const LOOK: Duration = Duration::from_secs(20);
/// Before a connection that was lost is made again.
const PAUSE: Duration = Duration::from_millis(250);

/// The changes of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// These were stored, moved or marked, or are gone.
    Of { changed: Vec<DocumentId>, gone: Vec<DocumentId> },
    /// Too many changes to list: read the documents again.
    All,
}

impl From<DocumentChanges> for Changes {
    fn from(changes: DocumentChanges) -> Self {
        let DocumentChanges::Each(each) = changes else { return Self::All };
        let (gone, changed): (Vec<_>, Vec<_>) =
            each.into_iter().partition(|(_, change, _)| *change == DocumentChange::Deleted);
        let ids = |of: Vec<(DocumentId, DocumentChange, u64)>| of.into_iter().map(|(document, ..)| document).collect();
        Self::Of { changed: ids(changed), gone: ids(gone) }
    }
}

/// Changes, as they are read.
pub(crate) enum DocumentChanges {
    /// With the number of each change, by document.
    Each(Vec<(DocumentId, DocumentChange, u64)>),
    /// Too many changes to list.
    All,
}

/// Follows the changes of one collection.
pub struct Watcher {
    server: Arc<Server>,
    routes: Routes,
    seen: u64,
    /// With the channel that it listens to.
    connection: Option<(Connection, String)>,
}

impl PostgresStore {
    /// Follows the changes of a collection after one of a number, which [`Watcher::seen`] gave; `None` for those from
    /// now on. Each watcher has a connection of its own.
    pub fn watch(&self, collection: CollectionId, since: Option<u64>) -> Result<Watcher> {
        let routes = self.routes(collection)?;
        let (now, _) = self.server.read(|connection| {
            require(connection, &routes, Right::Reader)?;
            numbers(connection, &routes)
        })?;
        Ok(Watcher { server: Arc::clone(&self.server), routes, seen: since.unwrap_or(now), connection: None })
    }
}

impl PostgresCollection {
    /// Notifies others of a change. It does not matter much if that fails: they look for changes now and then.
    pub(crate) fn notify_others(&self) {
        let sent = self.server.outside(|connection| {
            connection.all(
                "SELECT pg_notify(channel, '') FROM collections WHERE route = $1 AND collection = $2",
                &[&self.routes.first(), &id(self.routes.collection())],
            )
        });
        if let Err(error) = sent {
            tracing::debug!(%error, "other clients get no message of a change; they will see it later");
        }
    }
}

impl Watcher {
    /// The number of the last change that was reported. To continue after it another time, keep it.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The changes since the last report, as soon as there are any; `None` if there are none within `timeout`. If the server
    /// cannot be reached, it is tried again until then. Errors: [`casetrack_core::ErrorCode::NotFound`] if the
    /// collection was deleted, or the right to read it taken back.
    pub fn wait(&mut self, timeout: Duration) -> Result<Option<Changes>> {
        let until = Instant::now() + timeout;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let looked = self.look(left.min(LOOK));
            if looked.is_err() {
                self.connection = None;
            }
            match looked {
                Ok(None) if left.is_zero() => return Ok(None),
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(Failure::Lost(_) | Failure::Again(_)) if !left.is_zero() => std::thread::sleep(PAUSE.min(left)),
                Err(failure) => return Err(failure.into_error()),
            }
        }
    }

    /// The changes; or waits for a message.
    fn look(&mut self, timeout: Duration) -> Step<Option<Changes>> {
        let (connection, channel) = match &mut self.connection {
            Some(known) => known,
            none => none.insert((self.server.connect()?, String::new())),
        };
        let row = connection.some(
            "SELECT channel FROM collections WHERE route = $1 AND collection = $2",
            &[&self.routes.first(), &id(self.routes.collection())],
        )?;
        let current: String = row.ok_or_else(|| gone(&self.routes))?.try_get(0)?;
        if *channel != current {
            // Before changes are read, so that none comes between. The name is one that the database made: no quotes are in it.
            connection.run(&format!("UNLISTEN *; LISTEN {current}"))?;
            *channel = current;
        }
        // Each of several machines has a moment of its own: all of them have, by then, the changes that one has now.
        let (number, _) = numbers(connection, &self.routes)?;
        connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        let found = since(connection, &self.routes, self.seen, number)?;
        connection.run("COMMIT")?;
        if let Some(found) = found {
            self.seen = number;
            return Ok(Some(found.into()));
        }
        connection.messages_within(timeout)?;
        Ok(None)
    }
}

/// The number of the last change, and of the last one whose removals are no longer known.
fn numbers(connection: &mut Connection, routes: &Routes) -> Step<(u64, u64)> {
    let row = connection.one(
        "SELECT max(changed), max(forgotten) FROM buckets WHERE route = ANY($1) AND collection = $2",
        &[&routes.all, &id(routes.collection())],
    )?;
    let number = |n: usize| Ok::<_, Failure>(row.try_get::<_, Option<i64>>(n)?.map(i64::cast_unsigned));
    Ok((number(0)?.ok_or_else(|| gone(routes))?, number(1)?.unwrap_or_default()))
}

/// The changes after one number up to another, with the number of each document's last change.
pub(crate) fn since(
    connection: &mut Connection,
    routes: &Routes,
    seen: u64,
    number: u64,
) -> Step<Option<DocumentChanges>> {
    if number <= seen {
        return Ok(None);
    }
    let (_, forgotten) = numbers(connection, routes)?;
    if forgotten > seen {
        return Ok(Some(DocumentChanges::All));
    }
    let mut of = |sql: &str| -> Step<BTreeMap<DocumentId, (u64, u64)>> {
        let params: Params<'_> = &[&routes.all, &id(routes.collection()), &seen.cast_signed(), &number.cast_signed()];
        let mut found = BTreeMap::new();
        for row in connection.all(sql, params)? {
            let document = DocumentId::from_bytes(row.try_get::<_, Raw>(0)?.uuid());
            let numbers = [row.try_get::<_, i64>(1)?, row.try_get(2)?].map(i64::cast_unsigned);
            let last: &mut (u64, u64) = found.entry(document).or_default();
            *last = (*last).max(numbers.into());
        }
        Ok(found)
    };
    let changed = of(
        "SELECT document, changed, ordinal FROM documents WHERE route = ANY($1) AND collection = $2 AND changed > $3 AND changed <= $4",
    )?;
    let before = of(
        "SELECT document, changed, ordinal FROM removed WHERE route = ANY($1) AND collection = $2 AND changed > $3 AND changed <= $4",
    )?;
    let gone = of(
        "SELECT document, changed, ordinal FROM removed r WHERE route = ANY($1) AND collection = $2 AND changed > $3 AND changed <= $4 AND NOT EXISTS \
         (SELECT FROM documents d WHERE d.route = r.route AND d.collection = r.collection AND d.document = r.document)",
    )?;
    let kind = |document, ordinal| match ordinal > seen && !before.contains_key(document) {
        true => DocumentChange::Added,
        false => DocumentChange::Replaced,
    };
    let changed = changed.iter().map(|(document, (changed, ordinal))| (*document, kind(document, *ordinal), *changed));
    let gone = gone.iter().map(|(document, (changed, _))| (*document, DocumentChange::Deleted, *changed));
    Ok(Some(DocumentChanges::Each(changed.chain(gone).collect())))
}

impl Connection {
    /// Waits for a message, and takes all that are there: the channels on which they came.
    pub(crate) fn messages_within(&mut self, timeout: Duration) -> Step<BTreeSet<String>> {
        let mut messages = self.messages();
        let mut channels: BTreeSet<String> = BTreeSet::new();
        channels.extend(messages.timeout_iter(timeout).next()?.map(|message| message.channel().to_owned()));
        let mut others = messages.iter();
        while let Some(message) = others.next()? {
            channels.insert(message.channel().to_owned());
        }
        Ok(channels)
    }
}
