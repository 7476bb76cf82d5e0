//! Work that clients share is done by one of them at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use casetrack_conformance::samples::{collection_meta, models};
use casetrack_core::ErrorCode;
use casetrack_postgres::{PostgresStore, Right};
use casetrack_store::Store;

use crate::on_postgres;
use crate::server::workers;

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn work_is_taken_once_and_again_when_its_time_is_over() {
    let Some((store, (database, files))) = on_postgres() else { return };
    let meta = collection_meta("Test");
    store.create(&meta, &models()).unwrap();
    let names: BTreeSet<String> = (0..60).map(|n| format!("/data/{n:02}.pdf")).collect();
    for name in &names {
        assert!(store.offer(meta.id, name, name.as_bytes()).unwrap());
        assert!(!store.offer(meta.id, name, b"again").unwrap());
    }
    // The oldest is given first, and comes again where its time is over.
    let lost = store.take(meta.id, Duration::ZERO).unwrap().unwrap();
    assert_eq!((lost.name.as_str(), lost.content.as_slice(), lost.taken), ("/data/00.pdf", &b"/data/00.pdf"[..], 1));
    let again = store.take(meta.id, LONG).unwrap().unwrap();
    assert_eq!((&again.name, again.taken), (&lost.name, 2));
    for late in [store.finish(&lost), store.keep(&lost, LONG), store.put_back(&lost)] {
        assert_eq!(late.unwrap_err().code, ErrorCode::WrongState);
    }
    store.keep(&again, LONG).unwrap();
    assert_ne!(store.take(meta.id, Duration::ZERO).unwrap().unwrap().name, again.name);
    store.put_back(&again).unwrap();
    // Four clients at once do each piece once.
    let clients: Vec<PostgresStore> =
        (0..4).map(|_| PostgresStore::connect(&database.address, files.path()).unwrap()).collect();
    let done: Vec<String> = std::thread::scope(|scope| {
        let work = |store: &PostgresStore| {
            let mut done = Vec::new();
            while let Some(lease) = store.take(meta.id, LONG).unwrap() {
                store.finish(&lease).unwrap();
                done.push(lease.name);
            }
            done
        };
        let threads: Vec<_> = clients.iter().map(|store| scope.spawn(move || work(store))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(done.len(), names.len());
    assert_eq!(done.into_iter().collect::<BTreeSet<_>>(), names);
    // Only editors take part.
    if !workers().is_empty() {
        return;
    }
    let (role, address) = database.role("frida");
    store.admit(&role, false).unwrap();
    let other = PostgresStore::connect(&address, files.path()).unwrap();
    assert_eq!(other.offer(meta.id, "a", b"").unwrap_err().code, ErrorCode::NotFound);
    store.grant(meta.id, &role, Right::Reader).unwrap();
    assert_eq!(other.take(meta.id, LONG).unwrap_err().code, ErrorCode::PermissionDenied);
    store.grant(meta.id, &role, Right::Editor).unwrap();
    assert!(other.offer(meta.id, "a", b"").unwrap());
    assert_eq!(other.take(meta.id, LONG).unwrap().unwrap().name, "a");
}
