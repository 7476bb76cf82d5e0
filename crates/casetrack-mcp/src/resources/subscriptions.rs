//! Notifying clients of changes: to resources they subscribed to, and to the list of resources.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use casetrack_core::{CollectionId, DocumentId, Error, Result, TextView};
use casetrack_engine::changes::{Change, DocumentChange, Listening, SpaceChange};
use casetrack_engine::{Engine, collections, documents, space};
use tokio::sync::Notify;

use super::{Target, synthesis};

/// Changes are collected for this long: the ingestion of a thousand files sends a few notifications, and a resource is not notified more often.
const GATHERED: Duration = Duration::from_millis(500);
/// Most resources one client can subscribe to.
const MAX_WATCHED: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Collections,
    Collection(CollectionId),
    Evidence(CollectionId),
    Document(CollectionId, DocumentId),
    Space(&'static [SpaceChange]),
}

impl Scope {
    /// The scope of a URI. Names in it are resolved now; later renames do not matter. `roots` are those of the session.
    pub fn of(engine: &Engine, roots: &[PathBuf], uri: &str) -> Result<Self> {
        if synthesis::is_one(uri) {
            return synthesis::shown(engine, &space::for_space(engine.host(), roots), uri).map(Self::Space);
        }
        let find = |name: &str| collections::find_collection(engine.host(), name).map(|meta| meta.id);
        Ok(match Target::parse(uri)? {
            Target::Collections => Self::Collections,
            Target::Documents { collection } => Self::Collection(find(&collection)?),
            Target::Evidence { collection } => Self::Evidence(find(&collection)?),
            Target::Document { collection, document }
            | Target::Page { collection, document, .. }
            | Target::Picture { collection, document, .. } => {
                let collection = find(&collection)?;
                Self::Document(collection, documents::find_document(engine.host(), collection, &document)?.id)
            }
            Target::Chunk { collection, chunk } => {
                let collection = find(&collection)?;
                Self::Document(
                    collection,
                    documents::chunk(engine.host(), collection, &chunk, TextView::Final)?.provenance.document_id,
                )
            }
        })
    }

    fn shows(self, change: &Change) -> bool {
        match (self, *change) {
            (Self::Space(parts), Change::Space(change)) => parts.contains(&change),
            (Self::Space(_), _) | (_, Change::Space(_)) => false,
            (Self::Evidence(own), Change::Evidence(collection)) => own == collection,
            (_, Change::Evidence(_)) => false,
            (Self::Collections, _) => true,
            (Self::Collection(own) | Self::Evidence(own) | Self::Document(own, _), Change::Collection(changed)) => {
                own == changed
            }
            (Self::Collection(own) | Self::Evidence(own), Change::Document { collection, .. }) => own == collection,
            (Self::Document(own, document), Change::Document { collection, document: changed, .. }) => {
                (own, document) == (collection, changed)
            }
        }
    }
}

/// The resources that a client has subscribed to, by the URIs it used.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<BTreeMap<String, Scope>>);

impl Subscriptions {
    /// Subscriptions to these URIs, except those that name nothing.
    pub fn to(engine: &Engine, roots: &[PathBuf], uris: &[String]) -> Self {
        let known = |uri: &String| Some((uri.clone(), Scope::of(engine, roots, uri).ok()?));
        Self(Mutex::new(uris.iter().take(MAX_WATCHED).filter_map(known).collect()))
    }

    pub fn add(&self, uri: String, scope: Scope) -> Result<()> {
        let mut watched = lock(&self.0);
        if watched.len() >= MAX_WATCHED && !watched.contains_key(&uri) {
            return Err(Error::invalid(format!(
                "This client is already subscribed to {MAX_WATCHED} resources, which is the limit."
            ))
            .with_hint("Unsubscribe from some, or subscribe to the list of documents of a collection."));
        }
        watched.insert(uri, scope);
        Ok(())
    }

    /// Removing a subscription that does not exist changes nothing.
    pub fn remove(&self, uri: &str) {
        lock(&self.0).remove(uri);
    }

    pub fn affected(&self, changes: &HashSet<Change>) -> Vec<String> {
        let watched = lock(&self.0);
        let affected = watched.iter().filter(|(_, scope)| changes.iter().any(|change| scope.shows(change)));
        affected.map(|(uri, _)| uri.clone()).collect()
    }
}

pub(crate) fn list_changed(changes: &HashSet<Change>) -> bool {
    changes.iter().any(|change| match change {
        Change::Collection(_) => true,
        Change::Document { change, .. } => *change != DocumentChange::Replaced,
        // These are in no list, or in one that is always the same.
        Change::Evidence(_) | Change::Space(_) => false,
    })
}

pub(crate) struct Watcher {
    gathered: Arc<Gathered>,
    _listening: Listening,
}

#[derive(Default)]
struct Gathered {
    changes: Mutex<HashSet<Change>>,
    news: Notify,
}

impl Watcher {
    pub fn new(engine: &Engine) -> Self {
        let gathered = Arc::new(Gathered::default());
        let theirs = Arc::clone(&gathered);
        let listening = engine.on_change(move |change| {
            lock(&theirs.changes).insert(change);
            theirs.news.notify_one();
        });
        Self { gathered, _listening: listening }
    }

    /// Waits for a change and returns those of the next half second.
    pub async fn next(&self) -> HashSet<Change> {
        loop {
            self.gathered.news.notified().await;
            tokio::time::sleep(GATHERED).await;
            let changes = std::mem::take(&mut *lock(&self.gathered.changes));
            if !changes.is_empty() {
                return changes;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_reported_to_subscriptions_it_affects() {
        let (own, other) = (CollectionId::random(), CollectionId::random());
        let (document, another) = (DocumentId::random(), DocumentId::random());
        let subscriptions = Subscriptions::default();
        for (uri, scope) in [
            ("all", Scope::Collections),
            ("documents", Scope::Collection(own)),
            ("document", Scope::Document(own, document)),
            ("elsewhere", Scope::Document(other, document)),
        ] {
            subscriptions.add(uri.to_owned(), scope).unwrap();
        }
        let of = |collection, document, change| HashSet::from([Change::Document { collection, document, change }]);
        let replaced = of(own, document, DocumentChange::Replaced);
        assert_eq!(subscriptions.affected(&replaced), ["all", "document", "documents"]);
        assert!(!list_changed(&replaced));
        let added = of(own, another, DocumentChange::Added);
        assert_eq!(subscriptions.affected(&added), ["all", "documents"]);
        assert!(list_changed(&added));
        let deleted = HashSet::from([Change::Collection(other)]);
        assert_eq!(subscriptions.affected(&deleted), ["all", "elsewhere"]);
        assert!(list_changed(&deleted));
        subscriptions.add("sets".to_owned(), Scope::Space(&[SpaceChange::Sets, SpaceChange::Entries])).unwrap();
        let space = HashSet::from([Change::Space(SpaceChange::Entries)]);
        assert_eq!(subscriptions.affected(&space), ["sets"]);
        assert!(!list_changed(&space));
        assert!(subscriptions.affected(&HashSet::from([Change::Space(SpaceChange::Jobs)])).is_empty());
        subscriptions.add("evidence".to_owned(), Scope::Evidence(own)).unwrap();
        let collected = HashSet::from([Change::Evidence(own)]);
        assert_eq!(subscriptions.affected(&collected), ["evidence"]);
        assert!(
            !list_changed(&collected) && subscriptions.affected(&HashSet::from([Change::Evidence(other)])).is_empty()
        );
        assert!(
            subscriptions.affected(&replaced).contains(&"evidence".to_owned()),
            "its source may say something else"
        );
        subscriptions.remove("all");
        subscriptions.remove("never there");
        assert_eq!(subscriptions.affected(&deleted), ["elsewhere"]);
    }
}
