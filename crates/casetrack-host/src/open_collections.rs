//! The collections that are open.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, CollectionId, Error, ErrorCode, Result};
use casetrack_store::{Collection, Registry, Store};

use super::changes::{Change, Changes};
use super::lock;
use super::state::check_readable;

/// Collections that stay open while nothing works with them. Each takes 20 to 40 MB.
const MAX_UNUSED: usize = 6;

/// Between two looks whether a collection is still in use.
const CLOSING_POLL: Duration = Duration::from_millis(5);
/// The time that a caller who wants to close a collection waits until it is unused, before newcomers wait as well.
const COURTESY: Duration = Duration::from_secs(3);
/// The time that newcomers wait then, and the time that they do not before it is tried again: one of them may be needed by a user of the collection,
/// who would otherwise never end.
const HELD_BACK: Duration = Duration::from_secs(2);
const LET_IN: Duration = Duration::from_secs(1);

/// A collection, and its derived data in memory while it is open.
pub struct OpenCollection {
    collection: Collection,
    derived: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl OpenCollection {
    pub fn new(collection: Collection) -> Self {
        Self { collection, derived: Mutex::default() }
    }

    /// The data derived from the collection, one of each type; empty at first. The data goes when the collection is closed.
    pub fn derived<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut derived = lock(&self.derived);
        let of_type = derived.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(of_type).downcast::<T>().unwrap_or_default()
    }
}

impl Deref for OpenCollection {
    type Target = Collection;

    fn deref(&self) -> &Collection {
        &self.collection
    }
}

/// True if another client of the store gave it another name, state or models since it was opened. One that others use at this moment stays as it is
/// until they are done; its user finds out by itself that a server is away.
fn is_outdated(open: &mut Arc<OpenCollection>) -> bool {
    Arc::get_mut(open).is_some_and(|open| matches!(open.collection.is_current(), Ok(false)))
}

/// A collection that is opened at most once; the lock is held only while it is being opened or closed.
type Slot = Arc<Mutex<Option<Arc<OpenCollection>>>>;

/// A slot, and when its collection was asked for last.
struct Opened {
    slot: Slot,
    used: Instant,
    /// Until then newcomers wait: a caller wants to close it.
    held_back: Option<Instant>,
}

impl Default for Opened {
    fn default() -> Self {
        Self { slot: Slot::default(), used: Instant::now(), held_back: None }
    }
}

pub struct OpenCollections {
    open: Mutex<HashMap<CollectionId, Opened>>,
    changes: Changes,
}

impl OpenCollections {
    pub(super) fn new(changes: Changes) -> Self {
        Self { open: Mutex::default(), changes }
    }

    /// Opens a collection, or returns it if it is open already. One that could not be written, or that another client described again, is closed and
    /// opened again. `adopt_models` is called with one that was just opened, and with one that has no other user at this moment.
    pub(super) fn get(
        &self,
        id: CollectionId,
        registry: &Registry,
        store: &dyn Store,
        adopt_models: impl Fn(&mut Collection) -> Result<()>,
    ) -> Result<Arc<OpenCollection>> {
        self.close_unused(id);
        self.wait_for_closing(id);
        // One that was locked may still be open.
        registry.key(id)?;
        let slot = self.slot(id);
        let mut collection = lock(&slot);
        let is_outdated = collection.as_mut().is_some_and(is_outdated);
        match collection.as_mut() {
            Some(open) if !open.has_failed() && !is_outdated => {
                // The model may have come since. Where others use the collection at this moment it can wait.
                if let Some(Err(error)) = Arc::get_mut(open).map(|open| adopt_models(&mut open.collection)) {
                    // The reason was logged when it was opened.
                    tracing::debug!(%error, "a collection stays without learned-sparse vectors");
                }
                return Ok(Arc::clone(open));
            }
            Some(failed) if failed.has_failed() && Arc::strong_count(failed) > 1 => {
                let message = format!("\"{}\" could not be written and must be opened again.", failed.meta().name);
                return Err(Error::new(ErrorCode::InUse, message)
                    .with_hint("Other work with it is just ending: try again in a moment."));
            }
            _ => *collection = None,
        }
        check_readable(&store.meta(id)?)?;
        let mut opened = store.open_collection(id)?;
        if let Err(error) = adopt_models(&mut opened) {
            tracing::warn!(%error, collection = opened.meta().name, "a collection stays without learned-sparse vectors");
        }
        self.changes.follow(&opened);
        let opened = Arc::new(OpenCollection::new(opened));
        *collection = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn slot(&self, id: CollectionId) -> Slot {
        let mut open = lock(&self.open);
        let opened = open.entry(id).or_default();
        opened.used = Instant::now();
        Arc::clone(&opened.slot)
    }

    /// Closes the collections that are unused for the longest time, if more than [`MAX_UNUSED`] are open besides `wanted` and nothing works with
    /// them.
    fn close_unused(&self, wanted: CollectionId) {
        let mut others: Vec<(Instant, Slot)> = lock(&self.open)
            .iter()
            .filter(|(id, _)| **id != wanted)
            .map(|(_, opened)| (opened.used, Arc::clone(&opened.slot)))
            .collect();
        others.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        let mut unused = 0;
        for (_, slot) in &others {
            // Another thread takes care of one that is being opened or closed.
            let Ok(mut collection) = slot.try_lock() else { continue };
            if collection.as_ref().is_none_or(|open| Arc::strong_count(open) > 1) {
                continue;
            }
            unused += 1;
            if unused > MAX_UNUSED {
                *collection = None;
            }
        }
    }

    pub fn ids(&self) -> Vec<CollectionId> {
        let slots: Vec<_> = lock(&self.open).iter().map(|(id, opened)| (*id, Arc::clone(&opened.slot))).collect();
        // Another thread takes care of one that is being opened or closed.
        slots
            .into_iter()
            .filter(|(_, slot)| slot.try_lock().is_ok_and(|open| open.is_some()))
            .map(|(id, _)| id)
            .collect()
    }

    /// Takes a collection that is open already, without opening it.
    pub fn if_open(&self, id: CollectionId) -> Option<Arc<OpenCollection>> {
        let slot = Arc::clone(&lock(&self.open).get(&id)?.slot);
        lock(&slot).clone()
    }

    /// Keeps a newly created collection open.
    pub fn adopt(&self, collection: Collection) -> Arc<OpenCollection> {
        self.changes.follow(&collection);
        let collection = Arc::new(OpenCollection::new(collection));
        self.close_unused(collection.meta().id);
        *lock(&self.slot(collection.meta().id)) = Some(Arc::clone(&collection));
        self.changes.notify(Change::Collection(collection.meta().id));
        collection
    }

    /// Closes a collection, so that its directory can go; [`ErrorCode::InUse`] while something works with it.
    pub fn close(&self, id: CollectionId) -> Result<()> {
        let slot = self.slot(id);
        let mut collection = lock(&slot);
        if let Some(busy) = collection.as_ref().filter(|open| Arc::strong_count(open) > 1) {
            let message = format!("\"{}\" is being used at this moment.", busy.meta().name);
            return Err(Error::new(ErrorCode::InUse, message)
                .with_hint("Try again when the ingestion or search that uses it has ended."));
        }
        *collection = None;
        Ok(())
    }

    /// Waits, for a moment at most, for a caller that wants to close a collection.
    fn wait_for_closing(&self, id: CollectionId) {
        let is_held_back = || {
            let until = lock(&self.open).get(&id).and_then(|opened| opened.held_back);
            until.is_some_and(|until| Instant::now() < until)
        };
        while is_held_back() {
            std::thread::sleep(CLOSING_POLL);
        }
    }

    fn hold_back(&self, id: CollectionId, until: Option<Instant>) {
        if let Some(opened) = lock(&self.open).get_mut(&id) {
            opened.held_back = until;
        }
    }

    /// Closes a collection as soon as it is idle, and keeps it closed during `work`: new callers wait. If it is used all the time, newcomers wait
    /// after some seconds, again and again, until it is closed.
    ///
    /// Errors: [`ErrorCode::InUse`] if something works with it for longer than `patience`.
    pub fn while_closed<T>(
        &self,
        id: CollectionId,
        patience: Duration,
        cancel: &Cancel,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let (slot, deadline) = (self.slot(id), Instant::now() + patience);
        let _let_in = LetIn { open: self, id };
        let mut next_try = Instant::now() + COURTESY;
        let mut collection = lock(&slot);
        while let Some(busy) = collection.as_ref().filter(|open| Arc::strong_count(open) > 1) {
            let name = busy.meta().name.clone();
            cancel.check()?;
            if Instant::now() > deadline {
                let message = format!("\"{name}\" was in use the whole time.");
                return Err(Error::new(ErrorCode::InUse, message).with_hint("Try again: finished work is kept."));
            }
            // Without the lock, which those who work with it may need to end.
            drop(collection);
            if Instant::now() > next_try {
                self.hold_back(id, Some(Instant::now() + HELD_BACK));
                next_try = Instant::now() + HELD_BACK + LET_IN;
            }
            std::thread::sleep(CLOSING_POLL);
            collection = lock(&slot);
        }
        *collection = None;
        work()
    }
}

/// Those who come no longer wait once this is dropped.
struct LetIn<'o> {
    open: &'o OpenCollections,
    id: CollectionId,
}

impl Drop for LetIn<'_> {
    fn drop(&mut self) {
        self.open.hold_back(self.id, None);
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{CollectionMeta, CollectionStatus, CollectionType, Timestamp};
    use casetrack_store::VectorModels;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::{EngineConfig, Host};

    fn host() -> (tempfile::TempDir, Host) {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::new(EngineConfig::new(dir.path().to_owned())).unwrap();
        (dir, host)
    }

    fn make(host: &Host, n: usize) -> Arc<OpenCollection> {
        let meta = CollectionMeta {
            id: CollectionId::random(),
            name: format!("Matter {n}"),
            reference: None,
            collection_type: CollectionType::default(),
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        };
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        host.open_collections().adopt(host.store().create(&meta, &models).unwrap())
    }

    #[test]
    fn collections_that_nothing_works_with_are_closed_when_there_are_many() {
        let (_dir, host) = host();
        let held = make(&host, 0);
        let ids: Vec<CollectionId> = (1..MAX_UNUSED + 4).map(|n| make(&host, n).meta().id).collect();
        let is_open = |id: &CollectionId| host.open_collections().if_open(*id).is_some();
        assert!(is_open(&held.meta().id), "it is in use");
        let open: Vec<bool> = ids.iter().map(is_open).collect();
        assert_eq!(open.iter().filter(|open| **open).count(), MAX_UNUSED + 1, "{open:?}");
        assert!(!open[0] && open[ids.len() - 1], "{open:?}");
        // One that was closed opens again.
        assert_eq!(host.collection(ids[0]).unwrap().meta().id, ids[0]);
    }

    #[test]
    fn one_that_is_used_all_the_time_is_closed_all_the_same() {
        let (_dir, host) = host();
        let id = make(&host, 0).meta().id;
        let (ended, cancel) = (AtomicBool::new(false), Cancel::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !ended.load(Ordering::Relaxed) {
                        let held = host.collection(id).unwrap();
                        std::thread::sleep(Duration::from_millis(20));
                        drop(held);
                    }
                });
            }
            let closed = host
                .open_collections()
                .while_closed(id, Duration::from_secs(120), &cancel, || host.store().open_collection(id).map(drop));
            ended.store(true, Ordering::Relaxed);
            closed.unwrap();
        });
        // A caller that already uses it and requests it again is finally let in.
        let held = host.collection(id).unwrap();
        host.open_collections().hold_back(id, Some(Instant::now() + Duration::from_millis(50)));
        assert_eq!(host.collection(id).unwrap().meta().id, held.meta().id);
    }

    #[test]
    fn what_is_derived_from_a_collection_is_kept_until_it_is_closed() {
        let (_dir, host) = host();
        let id = make(&host, 0).meta().id;
        let derived = |host: &Host| host.collection(id).unwrap().derived::<Mutex<u32>>();
        *lock(&derived(&host)) += 1;
        assert_eq!(*lock(&derived(&host.with_config(host.config().clone()))), 1);
        host.open_collections().close(id).unwrap();
        assert_eq!(*lock(&derived(&host)), 0);
    }
}
