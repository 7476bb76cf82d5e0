//! Changes in the collections of a data directory, and the clients that are notified.

use std::sync::{Arc, Mutex, Weak};

use casetrack_core::{CollectionId, DocumentId};
use casetrack_store::Collection;
pub use casetrack_store::DocumentChange;

use super::lock;

/// Something that has happened. It is durable, and reading shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// A collection was made, imported, repaired or deleted.
    Collection(CollectionId),
    Document {
        collection: CollectionId,
        document: DocumentId,
        change: DocumentChange,
    },
    /// Evidence was collected, changed or removed.
    Evidence(CollectionId),
    /// A change of the space browser.
    Space(SpaceChange),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpaceChange {
    /// Files and folders of the catalogue.
    Entries,
    Sets,
    Jobs,
    Plans,
    Metadata,
}

type Listener = Arc<dyn Fn(Change) + Send + Sync>;

/// The listeners, which the engines of a data directory share.
#[derive(Clone, Default)]
pub struct Changes(Arc<Mutex<Listeners>>);

#[derive(Default)]
struct Listeners {
    next: u64,
    all: Vec<(u64, Listener)>,
}

/// Ends the listening when it is dropped.
#[must_use]
pub struct Listening {
    listeners: Weak<Mutex<Listeners>>,
    number: u64,
}

impl Changes {
    pub fn notify(&self, change: Change) {
        // Called without the lock: a listener may end its listening.
        let listeners: Vec<Listener> = lock(&self.0).all.iter().map(|(_, listener)| Arc::clone(listener)).collect();
        listeners.iter().for_each(|listener| listener(change));
    }

    /// Notifies of the changes of documents in a collection that was just opened.
    pub fn follow(&self, collection: &Collection) {
        let (changes, id) = (self.clone(), collection.meta().id);
        // Just opened, so it has no other observer.
        collection.observe(Box::new(move |document, change| {
            changes.notify(Change::Document { collection: id, document, change });
        }));
    }

    /// Calls `listener` after every change until the result is dropped.
    pub fn listen(&self, listener: impl Fn(Change) + Send + Sync + 'static) -> Listening {
        let mut listeners = lock(&self.0);
        let number = listeners.next;
        listeners.next += 1;
        listeners.all.push((number, Arc::new(listener)));
        Listening { listeners: Arc::downgrade(&self.0), number }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(listeners) = self.listeners.upgrade() {
            lock(&listeners).all.retain(|(number, _)| *number != self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_hears_what_happens_until_it_is_dropped() {
        let changes = Changes::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listen = || {
            let heard = Arc::clone(&heard);
            changes.listen(move |change| heard.lock().unwrap().push(change))
        };
        let (first, second) = (listen(), listen());
        let change = Change::Collection(CollectionId::random());
        changes.notify(change);
        drop(first);
        changes.notify(change);
        drop(second);
        changes.notify(change);
        assert_eq!(*heard.lock().unwrap(), [change; 3]);
    }
}
