//! Changes that other clients make, in all collections that the role of a client may read, reported to one subscriber.
//! It takes one thread and one connection for a store. If the client is the administrator's, it also sees to indexes of
//! vectors that are missing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::{StoreChange, Subscription};

use crate::dense_index::IndexMaker;
use crate::error::{Failure, Step};
use crate::own_changes::CollectionChange;
use crate::route::Routes;
use crate::server::{Connection, Server};
use crate::sql::{Raw, id, ids};
use crate::store::{PostgresStore, layout};
use crate::watcher::{DocumentChanges, since};

/// The time after which everything is looked at without a message: a client that is killed sends none, and new
/// collections are not announced.
const LOOK: Duration = Duration::from_secs(20);
/// The time after a message in which further ones are looked at together with it.
const GATHERED: Duration = Duration::from_millis(200);
/// Between two looks whether the following has ended.
const SLICE: Duration = Duration::from_secs(1);
/// Before a connection that was lost is made again: at first, and at most.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(5)];
/// More changes of documents than these are reported as one of the collection.
const MOST: usize = 1000;

/// Ends the following when it is dropped, within a second or so.
#[must_use]
pub(crate) struct PostgresSubscription(Arc<Shared>);

#[derive(Default)]
struct Shared {
    ended: AtomicBool,
    beginning: Mutex<Beginning>,
    begun: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Beginning {
    #[default]
    Awaited,
    /// The waiting time was over, so that something may have changed in the meantime.
    Late,
    Begun,
}

/// A collection as it was looked at last.
struct Seen {
    routes: Routes,
    channel: String,
    /// Of its row, another one after each change.
    version: String,
    described: String,
    evidence: Option<String>,
    /// The number of the last change of a document.
    number: u64,
}

struct Follower {
    server: Arc<Server>,
    shared: Arc<Shared>,
    notify: Box<dyn Fn(StoreChange) + Send>,
    connection: Option<Connection>,
    seen: BTreeMap<CollectionId, Seen>,
    /// True if everything was looked at once.
    has_begun: bool,
    looked: Instant,
    indexes: IndexMaker,
}

impl PostgresStore {
    /// Reports from now on the changes that other clients make in collections that the role of this one may read, also
    /// after the connection was lost. A change is looked up at its source: one that is made in between is reported
    /// once. The changes of this store itself are left out, except for descriptions and evidence, which may be reported
    /// as well. Collections that others make, and rights that are given, are reported within 20 seconds.
    ///
    /// `notify` is called in a thread of its own, and must not use the store.
    ///
    /// Errors: [`ErrorCode::InUse`] if there is a subscription already.
    pub(crate) fn follow(&self, notify: Box<dyn Fn(StoreChange) + Send>) -> Result<PostgresSubscription> {
        if !self.server.own.follow() {
            return Err(Error::new(ErrorCode::InUse, "The changes of this database are followed already."));
        }
        let (server, shared) = (Arc::clone(&self.server), Arc::new(Shared::default()));
        let follower = Follower {
            indexes: IndexMaker::new(Arc::clone(&server)),
            server,
            shared: Arc::clone(&shared),
            notify,
            connection: None,
            seen: BTreeMap::new(),
            has_begun: false,
            looked: Instant::now(),
        };
        let started = std::thread::Builder::new().name("follow".into()).spawn(move || follower.run());
        started.map_err(|error| Error::io("a thread that follows the database", error))?;
        Ok(PostgresSubscription(shared))
    }
}

impl Subscription for PostgresSubscription {
    fn wait_until_begun(&self, longest: Duration) {
        let beginning = self.0.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        let is_awaited = |beginning: &mut Beginning| *beginning == Beginning::Awaited;
        let waited = self.0.begun.wait_timeout_while(beginning, longest, is_awaited);
        let (mut beginning, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if timeout.timed_out() {
            *beginning = Beginning::Late;
        }
    }
}

impl Drop for PostgresSubscription {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

impl Follower {
    fn run(mut self) {
        let mut pause = PAUSES[0];
        while self.is_wanted() {
            match self.follow() {
                Ok(()) => pause = PAUSES[0],
                Err(failure) => {
                    self.connection = None;
                    let error = failure.into_error();
                    tracing::debug!(%error, "changes by others in the database are not reported until it answers again");
                    // A caller that waits for the beginning need not wait for the server.
                    if !self.has_begun {
                        self.begin(Beginning::Late);
                    }
                    sleep(pause);
                    pause = PAUSES[1].min(pause * 2);
                }
            }
        }
        self.server.own.unfollow();
    }

    fn is_wanted(&self) -> bool {
        !self.shared.ended.load(Ordering::Relaxed)
    }

    /// True if it begins later than a caller waited.
    fn begin(&self, now: Beginning) -> bool {
        let mut beginning = self.shared.beginning.lock().unwrap_or_else(PoisonError::into_inner);
        let was = std::mem::replace(&mut *beginning, now);
        self.shared.begun.notify_all();
        was == Beginning::Late
    }

    /// Looks at everything, then at the collections of messages, until that is too long ago.
    fn follow(&mut self) -> Step<()> {
        self.look(None)?;
        self.looked = Instant::now();
        if !std::mem::replace(&mut self.has_begun, true) && self.begin(Beginning::Begun) {
            self.seen.keys().for_each(|known| (self.notify)(StoreChange::Collection(*known)));
        }
        while self.is_wanted() && self.looked.elapsed() < LOOK {
            let Some(connection) = &mut self.connection else { return Ok(()) };
            let mut channels = connection.messages_within(SLICE.min(LOOK.saturating_sub(self.looked.elapsed())))?;
            if channels.is_empty() {
                continue;
            }
            sleep(GATHERED);
            channels.extend(connection.messages_within(Duration::ZERO)?);
            let of = |(known, seen): (&CollectionId, &Seen)| channels.contains(&seen.channel).then_some(*known);
            let named: BTreeSet<CollectionId> = self.seen.iter().filter_map(of).collect();
            if !named.is_empty() {
                self.look(Some(&named))?;
            }
        }
        Ok(())
    }

    /// Looks at collections, or at all, and reports the changes.
    fn look(&mut self, only: Option<&BTreeSet<CollectionId>>) -> Step<()> {
        let known = self.connection.take();
        let is_new = known.is_none();
        let mut connection = known.map_or_else(|| self.server.connect(), Ok)?;
        let looked = self.look_with(&mut connection, is_new, only);
        self.connection = Some(connection);
        looked
    }

    /// A connection that is new listens to no channel.
    fn look_with(
        &mut self,
        connection: &mut Connection,
        is_new: bool,
        only: Option<&BTreeSet<CollectionId>>,
    ) -> Step<()> {
        let is_there = "SELECT to_regclass('casetrack.collections') IS NOT NULL";
        if !connection.one(is_there, &[])?.try_get::<_, bool>(0)? {
            return Ok(());
        }
        let layout = layout(connection)?;
        let wanted = only.map(|only| ids(only.iter().copied()));
        let rows = connection.all(
            "SELECT collection, channel, xmin::text, dense_index, models FROM collections \
             WHERE ready AND ($1::uuid[] IS NULL OR collection = ANY($1))",
            &[&wanted],
        )?;
        let mut current = BTreeMap::new();
        for row in &rows {
            let own = CollectionId::from_bytes(row.try_get::<_, Raw>(0)?.uuid());
            current.insert(own, (row.try_get::<_, String>(1)?, row.try_get::<_, String>(2)?, row));
        }
        // Before changes are read, so that none comes between. The names are ones that the database made: no quotes are in them.
        for (own, (channel, ..)) in &current {
            let known = self.seen.get(own).map(|seen| &seen.channel);
            if is_new || known != Some(channel) {
                known.iter().filter(|_| !is_new).try_for_each(|known| connection.run(&format!("UNLISTEN {known}")))?;
                connection.run(&format!("LISTEN {channel}"))?;
            }
        }
        let is_gone = |own: &CollectionId| only.is_none_or(|only| only.contains(own)) && !current.contains_key(own);
        for (own, seen) in self.seen.extract_if(.., |own, _| is_gone(own)) {
            connection.run(&format!("UNLISTEN {}", seen.channel))?;
            if !self.server.own.take_collection(own, CollectionChange::Deleted) {
                (self.notify)(StoreChange::Collection(own));
            }
        }
        let rows = connection.all(
            "SELECT collection, max(changed), sum(chunks)::bigint FROM buckets WHERE $1::uuid[] IS NULL OR collection = ANY($1) \
             GROUP BY collection",
            &[&wanted],
        )?;
        for row in rows {
            let own = CollectionId::from_bytes(row.try_get::<_, Raw>(0)?.uuid());
            let [number, chunks] = [row.try_get::<_, i64>(1)?, row.try_get(2)?].map(i64::cast_unsigned);
            let Some((channel, version, of_row)) = current.remove(&own) else { continue };
            if chunks > layout.exact_chunks && !of_row.try_get::<_, bool>(3)? {
                self.indexes.want(connection, own, of_row.try_get(4)?)?;
            }
            if !self.look_at(connection, Routes::of(own, layout.fanout), channel, version, number)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Looks at a collection that others may have changed up to a number. False if its changes are no longer wanted.
    fn look_at(
        &mut self,
        connection: &mut Connection,
        routes: Routes,
        channel: String,
        version: String,
        number: u64,
    ) -> Step<bool> {
        let own = routes.collection();
        let Some((described, evidence)) = contents(connection, &routes, self.seen.get(&own), &version)? else {
            return Ok(true);
        };
        let before = self.seen.remove(&own);
        let is_own = before.is_none() && self.has_begun && self.server.own.take_collection(own, CollectionChange::Made);
        // Documents that others have put into one that was made here are reported.
        let from = before.as_ref().map_or(if is_own { 0 } else { number }, |before| before.number);
        if before.as_ref().map_or(self.has_begun && !is_own, |before| before.described != described) {
            (self.notify)(StoreChange::Collection(own));
        }
        if before.is_some_and(|before| before.evidence != evidence) {
            (self.notify)(StoreChange::Evidence(own));
        }
        let mut now = Seen { routes, channel, version, described, evidence, number: from };
        let changes = changes(connection, &now.routes, from, number);
        if let Ok(Some(changes)) = &changes {
            let Some(ours) = self.server.own.take(own, number, || self.is_wanted()) else { return Ok(false) };
            now.number = number;
            self.report(own, changes, &ours);
        }
        self.seen.insert(own, now);
        changes?;
        Ok(true)
    }

    /// Reports the changes of documents, except for those with the numbers of `ours`.
    fn report(&self, own: CollectionId, changes: &DocumentChanges, ours: &BTreeSet<u64>) {
        let DocumentChanges::Each(each) = changes else { return (self.notify)(StoreChange::Collection(own)) };
        let others: Vec<_> = each.iter().filter(|(_, _, number)| !ours.contains(number)).collect();
        if others.len() > MOST {
            return (self.notify)(StoreChange::Collection(own));
        }
        for (document, change, _) in others {
            (self.notify)(StoreChange::Document(own, *document, *change));
        }
    }
}

/// The changes of a collection after one number up to another, which was read before.
fn changes(connection: &mut Connection, routes: &Routes, seen: u64, number: u64) -> Step<Option<DocumentChanges>> {
    if number <= seen {
        return Ok(None);
    }
    connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
    let found = since(connection, routes, seen, number);
    connection.run("COMMIT")?;
    match found {
        // It was deleted in the meantime, which the next look shows.
        Err(Failure::Final(error)) if error.code == ErrorCode::NotFound => Ok(None),
        found => found,
    }
}

/// Digests of the description of a collection and of its evidence, read if its row differs from the last one; `None` if
/// it is gone.
fn contents(
    connection: &mut Connection,
    routes: &Routes,
    seen: Option<&Seen>,
    version: &str,
) -> Step<Option<(String, Option<String>)>> {
    if let Some(seen) = seen.filter(|seen| seen.version == version) {
        return Ok(Some((seen.described.clone(), seen.evidence.clone())));
    }
    let row = connection.some(
        "SELECT md5(meta), md5(evidence) FROM collections WHERE route = $1 AND collection = $2",
        &[&routes.first(), &id(routes.collection())],
    )?;
    row.map(|row| Ok::<_, Failure>((row.try_get(0)?, row.try_get(1)?))).transpose()
}
