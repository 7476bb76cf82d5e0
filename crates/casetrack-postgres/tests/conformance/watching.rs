//! Other clients are notified of changes, also after a connection was lost; those without the right to read are not.

use std::time::Duration;

use casetrack_conformance::samples::{collection_meta, document, many, models, relocation};
use casetrack_core::ErrorCode;
use casetrack_postgres::{Changes, PostgresStore};
use casetrack_store::{Right, SharedStore, Store};

use crate::on_postgres;
use crate::server::administrator;

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn changes_are_told_to_other_clients() {
    let Some((store, (database, files))) = on_postgres() else { return };
    let meta = collection_meta("Test");
    let collection = store.create(&meta, &models()).unwrap();
    let documents = many(6, 2);
    collection.put_document(&documents[0]).unwrap();
    let other = PostgresStore::connect(&database.address, files.path()).unwrap();
    let mut watcher = other.watch(meta.id, None).unwrap();
    assert_eq!(watcher.wait(Duration::ZERO).unwrap(), None);
    let of = |changed: &[usize], gone: &[usize]| {
        let ids = |of: &[usize]| {
            let mut ids: Vec<_> = of.iter().map(|n| documents[*n].meta.id).collect();
            ids.sort_unstable();
            ids
        };
        Some(Changes::Of { changed: ids(changed), gone: ids(gone) })
    };
    // It waits before there is anything, and is woken: it would look by itself only after a while.
    let (ready, is_ready) = std::sync::mpsc::channel();
    let first = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            ready.send(()).unwrap();
            watcher.wait(LONG)
        });
        is_ready.recv().unwrap();
        collection.put_document(&documents[1]).unwrap();
        waiting.join().unwrap()
    });
    assert_eq!(first.unwrap(), of(&[1], &[]));
    collection.relocate_documents(&[relocation(documents[0].meta.id, "/elsewhere.txt")]).unwrap();
    collection.delete_document(documents[1].meta.id).unwrap();
    assert_eq!(watcher.wait(LONG).unwrap(), of(&[0], &[1]));
    collection.change_marks(&[documents[0].meta.id], |_, marks| marks.add_tag("tag")).unwrap();
    assert_eq!(watcher.wait(LONG).unwrap(), of(&[0], &[]));
    let seen = watcher.seen();

    // The connection is lost, and changes come in the meantime.
    let name = database.address.rsplit('/').next().unwrap().to_owned();
    administrator()
        .execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", &[&name])
        .unwrap();
    collection.put_document(&documents[2]).unwrap();
    collection.put_document(&documents[2]).unwrap();
    collection.put_document(&documents[3]).unwrap();
    collection.delete_document(documents[3].meta.id).unwrap();
    assert_eq!(watcher.wait(LONG).unwrap(), of(&[2], &[3]));
    // One that comes later continues after the changes that another has seen.
    assert_eq!(other.watch(meta.id, Some(seen)).unwrap().wait(LONG).unwrap(), of(&[2], &[3]));
    collection.compact().unwrap();
    assert_eq!(other.watch(meta.id, Some(seen)).unwrap().wait(LONG).unwrap(), Some(Changes::All));
    assert_eq!(watcher.wait(Duration::ZERO).unwrap(), None);
    store.delete(meta.id).unwrap();
    assert_eq!(watcher.wait(LONG).unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn who_may_not_read_is_told_nothing() {
    let Some((store, (database, files))) = on_postgres() else { return };
    let meta = collection_meta("Test");
    let collection = store.create(&meta, &models()).unwrap();
    let (role, address) = database.role("emil");
    store.admit(&role, false).unwrap();
    let other = PostgresStore::connect(&address, files.path()).unwrap();
    assert_eq!(other.watch(meta.id, None).err().unwrap().code, ErrorCode::NotFound);
    store.grant(meta.id, &role, Right::Reader).unwrap();
    let mut watcher = other.watch(meta.id, None).unwrap();
    assert_eq!(watcher.wait(Duration::ZERO).unwrap(), None);
    let channel = || -> String {
        let mut client = postgres::Client::connect(&database.address, postgres::NoTls).unwrap();
        client.query_one("SELECT channel FROM casetrack.collections", &[]).unwrap().get(0)
    };
    let known = channel();
    collection.put_document(&document("/a.txt", &["A text."])).unwrap();
    assert!(watcher.wait(LONG).unwrap().is_some());
    store.revoke(meta.id, &role).unwrap();
    assert_eq!(watcher.wait(LONG).unwrap_err().code, ErrorCode::NotFound);
    assert_ne!(channel(), known, "who knew the channel no longer hears of changes");
    store.grant(meta.id, &role, Right::Editor).unwrap();
    let known = channel();
    store.dismiss(&role).unwrap();
    assert_ne!(channel(), known);
}
