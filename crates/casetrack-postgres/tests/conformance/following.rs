//! A subscriber to a store is notified of the changes of others in any collection, once, and not of the store's own.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use casetrack_conformance::samples::{collection_meta, document, many, models};
use casetrack_core::CollectionId;
use casetrack_core::evidence::EvidenceTray;
use casetrack_postgres::PostgresStore;
use casetrack_store::DocumentChange::{Added, Deleted, Replaced};
use casetrack_store::{Right, SharedStore, Store, StoreChange, Subscription};
use postgres::{Client, NoTls};

use crate::on_postgres;
use crate::server::{Database, administrator};

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(600);

/// Another client of a database, and its notifications.
struct Other {
    store: PostgresStore,
    heard: Receiver<StoreChange>,
    _following: Box<dyn Subscription>,
}

impl Other {
    fn new(address: &str, files: &tempfile::TempDir) -> Self {
        let store = PostgresStore::connect(address, files.path()).unwrap();
        let (told, heard) = channel();
        let following = store.subscribe(Box::new(move |news| _ = told.send(news))).unwrap();
        following.wait_until_begun(LONG);
        Self { store, heard, _following: following }
    }

    fn hears(&self, news: &[StoreChange]) {
        for news in news {
            assert_eq!(self.heard.recv_timeout(LONG).unwrap(), *news);
        }
    }
}

/// Ends all connections to a database, as an administrator of the server may.
fn disconnect(database: &Database) {
    let name = database.address.rsplit('/').next().unwrap().to_owned();
    administrator()
        .execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", &[&name])
        .unwrap();
}

#[test]
fn changes_of_others_are_told_once_and_own_ones_are_not() {
    let Some((store, (database, files))) = on_postgres() else { return };
    let (meta, second) = (collection_meta("Test"), collection_meta("Second"));
    let collection = store.create(&meta, &models()).unwrap();
    let documents = many(6, 2);
    let ids: Vec<_> = documents.iter().map(|document| document.meta.id).collect();
    collection.put_document(&documents[0]).unwrap();
    let other = Other::new(&database.address, &files);
    assert!(other.store.subscribe(Box::new(|_| {})).is_err(), "one follows at a time");
    let of = |n: usize, change| StoreChange::Document(meta.id, ids[n], change);
    collection.put_document(&documents[1]).unwrap();
    other.hears(&[of(1, Added)]);
    // Own changes next to those of others.
    let theirs = other.store.open_collection(meta.id).unwrap();
    theirs.put_document(&documents[2]).unwrap();
    theirs.delete_document(ids[2]).unwrap();
    theirs.change_marks(&[ids[1]], |_, marks| marks.add_tag("own")).unwrap();
    collection.put_document(&documents[0]).unwrap();
    other.hears(&[of(0, Replaced)]);
    collection.delete_document(ids[1]).unwrap();
    other.hears(&[of(1, Deleted)]);
    // The connection is lost, and changes come in the meantime.
    disconnect(&database);
    collection.put_document(&documents[3]).unwrap();
    other.hears(&[of(3, Added)]);

    let change = |tray: &mut EvidenceTray| {
        tray.last_id += 1;
        Ok(())
    };
    collection.change_evidence(change).unwrap();
    other.hears(&[StoreChange::Evidence(meta.id)]);
    // A new collection is found by itself; changes of this store are not reported, except those that others make to it.
    let own = collection_meta("Own");
    other.store.create(&own, &models()).unwrap().put_document(&documents[4]).unwrap();
    store.create(&second, &models()).unwrap().put_document(&documents[5]).unwrap();
    other.hears(&[StoreChange::Collection(second.id)]);
    store.open_collection(own.id).unwrap().delete_document(ids[4]).unwrap();
    other.hears(&[StoreChange::Document(own.id, ids[4], Deleted)]);
    other.store.delete(own.id).unwrap();
    drop(collection);
    drop(theirs);
    store.delete(meta.id).unwrap();
    other.hears(&[StoreChange::Collection(meta.id)]);
    store.delete(second.id).unwrap();
    other.hears(&[StoreChange::Collection(second.id)]);
    assert!(other.heard.try_recv().is_err());
}

#[test]
fn a_role_is_told_of_what_it_may_read() {
    let Some((store, (database, files))) = on_postgres() else { return };
    let [hidden, seen] = ["Hidden", "Seen"].map(collection_meta);
    let [into_hidden, into_seen] = [&hidden, &seen].map(|meta| store.create(meta, &models()).unwrap());
    let (role, address) = database.role("emil");
    store.admit(&role, false).unwrap();
    store.grant(seen.id, &role, Right::Reader).unwrap();
    let emil = Other::new(&address, &files);
    let put = |at: &casetrack_store::Collection, path: &str| {
        let document = document(path, &["A text."]);
        at.put_document(&document).unwrap();
        document.meta.id
    };
    let first = put(&into_seen, "/1.txt");
    emil.hears(&[StoreChange::Document(seen.id, first, Added)]);
    put(&into_hidden, "/2.txt");
    // A look at everything, after which that would have been reported.
    disconnect(&database);
    let third = put(&into_seen, "/3.txt");
    emil.hears(&[StoreChange::Document(seen.id, third, Added)]);
    store.grant(hidden.id, &role, Right::Reader).unwrap();
    emil.hears(&[StoreChange::Collection(hidden.id)]);
    store.revoke(hidden.id, &role).unwrap();
    emil.hears(&[StoreChange::Collection(hidden.id)]);
    put(&into_hidden, "/4.txt");
    store.delete(hidden.id).unwrap();
    let fifth = put(&into_seen, "/5.txt");
    emil.hears(&[StoreChange::Document(seen.id, fifth, Added)]);
    store.dismiss(&role).unwrap();
    put(&into_seen, "/6.txt");
    assert!(emil.heard.recv_timeout(Duration::from_secs(2)).is_err());
}

#[test]
fn clients_of_the_administrator_make_the_indexes_of_everybody() {
    let Some((store, (database, files))) = on_postgres() else { return };
    database.run("UPDATE casetrack.layout SET exact_chunks = 10");
    let (role, address) = database.role("anna");
    store.admit(&role, true).unwrap();
    let anna = PostgresStore::connect(&address, files.path()).unwrap();
    let make = |name: &str| {
        let meta = collection_meta(name);
        let collection = anna.create(&meta, &models()).unwrap();
        many(12, 2).iter().for_each(|document| collection.put_document(document).unwrap());
        collection.flush().unwrap();
        (meta, collection)
    };
    let (meta, collection) = make("Large");
    let has_index = |id: CollectionId| {
        let mut client = Client::connect(&database.address, NoTls).unwrap();
        let sql = "SELECT (SELECT dense_index FROM casetrack.collections WHERE collection::text = $1), EXISTS \
                   (SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = 'vectors_' || replace($1, '-', '') AND i.indisvalid)";
        let row = client.query_one(sql, &[&id.to_string()]).unwrap();
        (row.get::<_, Option<bool>>(0).unwrap_or_default(), row.get::<_, bool>(1))
    };
    let until = |id: CollectionId, expected: (bool, bool)| {
        let since = Instant::now();
        while has_index(id) != expected {
            assert!(since.elapsed() < LONG, "the index should be {expected:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    // Neither her flush nor what she follows makes it.
    let her = Other::new(&address, &files);
    assert_eq!(has_index(meta.id), (false, false));
    let _administrator = Other::new(&database.address, &files);
    until(meta.id, (true, true));
    let vector = many(12, 2)[3].vectors[0].clone();
    let found = collection.search_dense(&vector, 3, &casetrack_store::Filter::default()).unwrap();
    assert_eq!(found.len(), 3);
    drop(collection);
    // Over machines, the index of what she deletes is left to the administrator's client as well.
    anna.delete(meta.id).unwrap();
    let (next, _collection) = make("Next");
    until(next.id, (true, true));
    until(meta.id, (false, false));
    drop(her);
}
