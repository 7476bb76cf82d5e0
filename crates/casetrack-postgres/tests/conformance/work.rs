//! Work that clients share is done by one of them at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use casetrack_conformance::samples::{collection_meta, models};
use casetrack_core::{CollectionId, ErrorCode};
use casetrack_postgres::PostgresStore;
use casetrack_store::{Lease, Right, SharedStore, Store, WorkCounts, WorkFilter};

use crate::on_postgres;
use crate::server::workers;

const LONG: Duration = Duration::from_secs(3600);

fn all() -> WorkFilter {
    WorkFilter { prefixes: vec![String::new()], ..WorkFilter::default() }
}

fn take(store: &PostgresStore, collection: CollectionId, lasting: Duration) -> Option<Lease> {
    store.take(collection, &all(), 1, lasting).unwrap().pop()
}

fn offer(store: &PostgresStore, collection: CollectionId, names: &[&str]) -> u64 {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    store.offer(collection, &names, &|name, count| Ok(format!("{name} of {count}").into_bytes())).unwrap()
}

#[test]
fn work_is_taken_once_and_again_when_its_time_is_over() {
    let Some((store, (database, files))) = on_postgres() else { return };
    let meta = collection_meta("Test");
    store.create(&meta, &models()).unwrap();
    let names: BTreeSet<String> = (0..60).map(|n| format!("/data/{n:02}.pdf")).collect();
    let offered: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!((offer(&store, meta.id, &offered), offer(&store, meta.id, &offered)), (60, 0));
    // The oldest is given first, and comes again where its time is over.
    let lost = take(&store, meta.id, Duration::ZERO).unwrap();
    assert_eq!(
        (lost.name.as_str(), lost.content.as_slice(), lost.taken),
        ("/data/00.pdf", &b"/data/00.pdf of 60"[..], 1)
    );
    let mut again = take(&store, meta.id, LONG).unwrap();
    assert_eq!((&again.name, again.taken), (&lost.name, 2));
    for late in [store.finish(&lost), store.prolong(&lost, LONG), store.put_back(&lost)] {
        assert_eq!(late.unwrap_err().code, ErrorCode::WrongState);
    }
    store.prolong(&again, LONG).unwrap();
    assert_ne!(take(&store, meta.id, Duration::ZERO).unwrap().name, again.name);
    assert_eq!(store.work_left(meta.id, &all()).unwrap(), WorkCounts { all: 60, held: 1 });
    // Work that is put back has another content, and is offered again.
    again.content = b"not there".to_vec();
    store.put_back(&again).unwrap();
    let mut known = take(&store, meta.id, LONG).unwrap();
    assert_eq!((&known.name, &known.content, known.taken), (&again.name, &again.content, 3));
    assert_eq!(offer(&store, meta.id, &offered), 0, "somebody has it");
    known.content.clear();
    store.put_back(&known).unwrap();
    assert_eq!(offer(&store, meta.id, &offered), 1);
    // Only the wanted work.
    let wanted = |names: &[&str], prefixes: &[&str], except: &[&str]| {
        let owned = |of: &[&str]| of.iter().map(|one| (*one).to_owned()).collect::<Vec<String>>();
        WorkFilter { names: owned(names), prefixes: owned(prefixes), except: owned(except) }
    };
    let some = wanted(&["/data/30.pdf", "/elsewhere"], &["/data/1"], &["/data/11.pdf"]);
    let taken = store.take(meta.id, &some, 100, Duration::ZERO).unwrap();
    let found: Vec<&str> = taken.iter().map(|lease| lease.name.as_str()).collect();
    let expected: Vec<String> =
        [10, 12, 13, 14, 15, 16, 17, 18, 19, 30].iter().map(|n| format!("/data/{n}.pdf")).collect();
    assert_eq!(found, expected);
    assert!(store.take(meta.id, &wanted(&[], &["data", "/data%"], &[]), 9, LONG).unwrap().is_empty());
    // Four clients at once do each piece once.
    let clients: Vec<PostgresStore> =
        (0..4).map(|_| PostgresStore::connect(&database.address, files.path()).unwrap()).collect();
    let done: Vec<String> = std::thread::scope(|scope| {
        let work = |store: &PostgresStore| {
            let mut done = Vec::new();
            loop {
                let taken = store.take(meta.id, &all(), 3, LONG).unwrap();
                if taken.is_empty() {
                    break done;
                }
                for lease in taken {
                    store.finish(&lease).unwrap();
                    done.push(lease.name);
                }
            }
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
    let refused = other.offer(meta.id, &["a".to_owned()], &|_, _| Ok(Vec::new()));
    assert_eq!(refused.unwrap_err().code, ErrorCode::NotFound);
    store.grant(meta.id, &role, Right::Reader).unwrap();
    assert_eq!(other.take(meta.id, &all(), 1, LONG).unwrap_err().code, ErrorCode::PermissionDenied);
    store.grant(meta.id, &role, Right::Editor).unwrap();
    assert_eq!(offer(&other, meta.id, &["a"]), 1);
    assert_eq!(take(&other, meta.id, LONG).unwrap().name, "a");
}
