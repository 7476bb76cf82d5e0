//! The changes that this client made itself: they are reported at once, and left out of the changes of others.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use casetrack_core::CollectionId;

/// The time between two looks whether the waiting caller still needs the result.
const LOOK: Duration = Duration::from_millis(250);

/// Nothing is kept while no one follows the changes.
#[derive(Default)]
pub(crate) struct OwnChanges {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    is_followed: bool,
    next: u64,
    /// Changes under way: the server may show them to others before they are known here.
    open: BTreeMap<u64, CollectionId>,
    /// Numbers of changes that were made.
    numbers: HashMap<CollectionId, BTreeSet<u64>>,
    collections: HashSet<(CollectionId, CollectionChange)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CollectionChange {
    Made,
    Deleted,
}

/// A change under way, until it is dropped.
pub(crate) struct Writing<'o> {
    own: &'o OwnChanges,
    collection: CollectionId,
    ticket: u64,
}

impl OwnChanges {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `false` if they are followed already.
    pub fn follow(&self) -> bool {
        !std::mem::replace(&mut self.lock().is_followed, true)
    }

    pub fn unfollow(&self) {
        let mut state = self.lock();
        state.is_followed = false;
        state.numbers.clear();
        state.collections.clear();
    }

    pub fn begin(&self, collection: CollectionId) -> Writing<'_> {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.open.insert(ticket, collection);
        Writing { own: self, collection, ticket }
    }

    /// Notes a coming change of a collection here, and forgets it if it is not made.
    pub fn with_collection<T, E>(
        &self,
        collection: CollectionId,
        became: CollectionChange,
        change: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut state = self.lock();
        if state.is_followed {
            state.collections.insert((collection, became));
        }
        drop(state);
        change().inspect_err(|_| {
            self.take_collection(collection, became);
        })
    }

    /// True if this was done here with a collection since it was asked last.
    pub fn take_collection(&self, collection: CollectionId, became: CollectionChange) -> bool {
        self.lock().collections.remove(&(collection, became))
    }

    /// Takes the numbers of own changes of a collection up to one that the server has shown; waits until those that
    /// were under way by then are known. `None` if that is no longer wanted.
    pub fn take(&self, collection: CollectionId, through: u64, is_wanted: impl Fn() -> bool) -> Option<BTreeSet<u64>> {
        let mut state = self.lock();
        let before = state.next;
        while state.open.range(..before).any(|(_, own)| *own == collection) {
            if !is_wanted() {
                return None;
            }
            state = self.ended.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let Some(numbers) = state.numbers.get_mut(&collection) else { return Some(BTreeSet::new()) };
        let later = numbers.split_off(&through.saturating_add(1));
        Some(std::mem::replace(numbers, later))
    }
}

impl Writing<'_> {
    /// These are the numbers of the change, which was made.
    pub fn made(self, numbers: Vec<i64>) {
        let mut state = self.own.lock();
        if state.is_followed {
            state.numbers.entry(self.collection).or_default().extend(numbers.into_iter().map(i64::cast_unsigned));
        }
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.own.lock().open.remove(&self.ticket);
        self.own.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_changes_are_known_once_those_under_way_have_ended() {
        let (own, id) = (OwnChanges::default(), CollectionId::random());
        own.begin(id).made(vec![1]);
        assert!(own.follow() && !own.follow());
        assert_eq!(own.take(id, 9, || true).unwrap(), BTreeSet::new(), "nobody followed");
        own.begin(id).made(vec![2, 3]);
        drop(own.begin(id));
        let elsewhere = own.begin(CollectionId::random());
        let under_way = own.begin(id);
        assert_eq!(own.take(id, 2, || false), None);
        std::thread::scope(|scope| {
            let taken = scope.spawn(|| own.take(id, 4, || true));
            under_way.made(vec![4]);
            assert_eq!(taken.join().unwrap().unwrap(), BTreeSet::from([2, 3, 4]));
        });
        drop(elsewhere);
        let is_noted = |became| own.take_collection(id, became);
        own.with_collection(id, CollectionChange::Made, || Ok::<_, ()>(())).unwrap();
        assert!(
            !is_noted(CollectionChange::Deleted)
                && is_noted(CollectionChange::Made)
                && !is_noted(CollectionChange::Made)
        );
        own.with_collection(id, CollectionChange::Deleted, || Err::<(), _>(())).unwrap_err();
        assert!(!is_noted(CollectionChange::Deleted));
        own.unfollow();
        assert!(own.follow());
    }
}
