//! Features of tables that are distributed over machines. They are tested if `CASETRACK_TEST_CITUS_WORKERS` names some.
//!
//! `CASETRACK_TEST_CITUS_KILL` is a command that ends the worker whose number, from 1, it is given, with SIGKILL, and
//! starts it again. It is given each worker in turn, `CASETRACK_KILLS` times. Run only this test.

use std::collections::HashSet;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use casetrack_conformance::samples::{assert_clean, collection_meta, models, vector, with_id};
use casetrack_core::{CollectionId, DocumentId, ErrorCode};
use casetrack_postgres::PostgresStore;
use casetrack_store::{Collection, Filter, Right, SharedStore, Store, StoredDocument};
use postgres::{Client, NoTls};

use crate::on_postgres;
use crate::server::{Database, workers};

const CLIENTS: u64 = 2;
/// Each client stores these again and again.
const DOCUMENTS: u64 = 12;
const KILLS: usize = 6;

#[test]
fn workers_have_rows_and_are_refused() {
    if workers().is_empty() {
        return;
    }
    let (store, (database, files)) = on_postgres().unwrap();
    for address in database.on_workers() {
        let refused = PostgresStore::connect(&address, files.path()).err().expect("refused");
        assert_eq!(refused.code, ErrorCode::WrongState, "{refused}");
    }
    // Rows are in their places.
    let collection = store.create(&collection_meta("Test"), &models()).unwrap();
    (0..9).for_each(|change| collection.put_document(&stored(0, change).1.unwrap_or_else(|| empty(change))).unwrap());
    let mut client = Client::connect(&database.address, NoTls).unwrap();
    let here: i64 = client.query_one("SELECT count(*) FROM casetrack.documents", &[]).unwrap().get(0);
    let row = client.query_one(
        "SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'casetrack.documents'::regclass",
        &[],
    );
    assert_eq!((here, row.unwrap().get::<_, i64>(0)), (9, workers().len() as i64));
}

/// The chunks that a role sees in the tables of the workers themselves: of a collection, and of others.
fn seen(database: &Database, role: &str, collection: CollectionId) -> (i64, i64) {
    let mut coordinator = Client::connect(&database.address, NoTls).unwrap();
    let shards = "SELECT nodename || ':' || nodeport, shard_name FROM citus_shards WHERE table_name = 'casetrack.chunks'::regclass";
    let shards: HashSet<(String, String)> =
        coordinator.query(shards, &[]).unwrap().iter().map(|row| (row.get(0), row.get(1))).collect();
    assert!(!shards.is_empty());
    let (mut own, mut others) = (0, 0);
    for (worker, address) in workers().iter().zip(database.on_workers()) {
        let (_, server) = address.split_once('@').unwrap();
        let mut client = Client::connect(&format!("postgres://{role}:casetrack@{server}"), NoTls).unwrap();
        let at = format!("{}:{}", worker.0, worker.1);
        for (_, shard) in shards.iter().filter(|(on, _)| *on == at) {
            let counted = format!(
                "SELECT count(*) FILTER (WHERE collection = '{collection}'), count(*) FILTER (WHERE collection <> '{collection}') FROM {shard}"
            );
            let row = client.query_one(&counted, &[]).unwrap();
            own += row.get::<_, i64>(0);
            others += row.get::<_, i64>(1);
        }
    }
    (own, others)
}

#[test]
fn rights_hold_on_the_workers() {
    if workers().is_empty() {
        return;
    }
    let (store, (database, _files)) = on_postgres().unwrap();
    let matters = ["Own", "Other"].map(|name| store.create(&collection_meta(name), &models()).unwrap());
    for (change, collection) in (1..9).flat_map(|change| matters.each_ref().map(|collection| (change, collection))) {
        stored(0, change).1.iter().for_each(|document| collection.put_document(document).unwrap());
    }
    let (own, chunks) = (matters[0].meta().id, matters[0].counts().unwrap().chunks as i64);
    let (role, _) = database.role("anna");
    store.admit(&role, false).unwrap();
    assert_eq!(seen(&database, &role, own), (0, 0));
    store.grant(own, &role, Right::Reader).unwrap();
    assert_eq!(seen(&database, &role, own), (chunks, 0));
    // Shards that are moved are guarded as they were.
    let (from, to) = (&workers()[0], &workers()[1]);
    database.run(&format!(
        "SELECT citus_move_shard_placement(shardid, '{}', {}, '{}', {}, 'block_writes') FROM citus_shards \
         WHERE table_name = 'casetrack.documents'::regclass AND nodeport = {1}",
        from.0, from.1, to.0, to.1
    ));
    assert_eq!(seen(&database, &role, own), (chunks, 0));
    // Another role that has the name of one that is gone has none of its rights.
    database.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}; CREATE ROLE {role} LOGIN PASSWORD 'casetrack'"));
    store.admit(&role, false).unwrap();
    assert_eq!(seen(&database, &role, own), (0, 0));
    store.grant(own, &role, Right::Editor).unwrap();
    store.revoke(own, &role).unwrap();
    assert_eq!(seen(&database, &role, own), (0, 0));
    let gone = matters[1].meta().id;
    store.grant(gone, &role, Right::Owner).unwrap();
    store.delete(gone).unwrap();
    let left = Client::connect(&database.address, NoTls)
        .unwrap()
        .query_one("SELECT count(*) FROM casetrack.shared WHERE role = $1::text::name", &[&role]);
    assert_eq!(left.unwrap().get::<_, i64>(0), 0);
}

fn empty(change: u64) -> StoredDocument {
    with_id(DocumentId::from_bytes([change as u8; 16]), &format!("/data/{change}.txt"), &["Nothing."])
}

/// The document that a client stores with a change. Every fifth change removes it.
fn stored(client: u64, change: u64) -> (DocumentId, Option<StoredDocument>) {
    let (number, mut bytes) = (change % DOCUMENTS, [0x57; 16]);
    (bytes[0], bytes[1]) = (client as u8, number as u8);
    let id = DocumentId::from_bytes(bytes);
    let paragraphs: Vec<String> = (0..2 + change % 5)
        .map(|n| format!("Clause {n} of change {change} of client {client}, word{change}."))
        .collect();
    let document =
        with_id(id, &format!("/data/{client}/{number}.txt"), &[&paragraphs.join("\n\n"), "The second page."]);
    (id, (!change.is_multiple_of(5)).then_some(document))
}

type Tried = Vec<bool>;

fn go_on(collection: &Collection, client: u64, tried: &mut Tried, until: &AtomicBool) {
    while !until.load(Ordering::Relaxed) {
        let done = match stored(client, tried.len() as u64) {
            (_, Some(document)) => collection.put_document(&document).is_ok(),
            (id, None) => collection.delete_document(id).is_ok(),
        };
        tried.push(done);
    }
}

/// Every document is whole, as the last change left it that was acknowledged, or as a later one would.
fn check(collection: &Collection, client: u64, tried: &Tried) {
    for number in 0..DOCUMENTS {
        let own = (0..tried.len() as u64).filter(|change| change % DOCUMENTS == number);
        let changes: Vec<u64> = own.collect();
        let last = changes.iter().rposition(|change| tried[*change as usize]);
        let id = stored(client, number).0;
        let is = |change: &u64| match stored(client, *change).1 {
            None => collection.document(id).unwrap().is_none(),
            Some(document) => {
                collection.document(id).unwrap().as_ref() == Some(&document.meta)
                    && collection.chunks(id).unwrap() == document.chunks
                    && collection.page(id, 1).unwrap().as_ref() == document.pages.first()
                    && collection.page(id, 2).unwrap().as_ref() == document.pages.last()
                    && collection.vectors(id).unwrap().len() == document.chunks.len()
            }
        };
        let is_absent = last.is_none() && collection.document(id).unwrap().is_none();
        let possible = &changes[last.unwrap_or(0)..];
        assert!(is_absent || possible.iter().any(is), "client {client}, document {number}: none of {possible:?}");
    }
}

#[test]
fn what_was_acknowledged_survives_kills_of_workers() {
    let (Ok(command), false) = (std::env::var("CASETRACK_TEST_CITUS_KILL"), workers().is_empty()) else { return };
    let (_, (database, files)) = on_postgres().unwrap();
    database.run("UPDATE casetrack.layout SET block_chunks = 9, fanout = 6");
    let store = PostgresStore::connect(&database.address, files.path()).unwrap();
    let collection = store.create(&collection_meta("Test"), &models()).unwrap();
    let mut tried: Vec<Tried> = (0..CLIENTS).map(|_| Tried::new()).collect();
    // The second client is that of a role, whose rows are stored otherwise.
    let (role, address) = database.role("anna");
    store.admit(&role, false).unwrap();
    store.grant(collection.meta().id, &role, Right::Editor).unwrap();
    let of_role = PostgresStore::connect(&address, files.path()).unwrap();
    let of_role = of_role.open_collection(collection.meta().id).unwrap();
    let kills = std::env::var("CASETRACK_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    for kill in 0..kills {
        let until = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for (client, tried) in (0..CLIENTS).zip(&mut tried) {
                let (collection, until) = (if client == 0 { &collection } else { &of_role }, &until);
                scope.spawn(move || go_on(collection, client, tried, until));
            }
            std::thread::sleep(Duration::from_millis(300 + 37 * (kill as u64 % 10)));
            let worker = (kill % workers().len() + 1).to_string();
            assert!(Command::new("bash").args(["-c", &format!("{command} {worker}")]).status().unwrap().success());
            // It may still be starting.
            while connected(&database.address).query("SELECT FROM casetrack.buckets", &[]).is_err() {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(300));
            until.store(true, Ordering::Relaxed);
        });
        // As Citus does by itself, once a minute.
        connected(&database.address).execute("SELECT recover_prepared_transactions()", &[]).unwrap();
        (0..CLIENTS).zip(&tried).for_each(|(client, tried)| check(&collection, client, tried));
        assert_clean(&collection);
    }
    let all = tried.iter().flatten().count();
    let refused = tried.iter().flatten().filter(|done| !**done).count();
    println!("workers were killed {kills} times; {all} changes were tried, {refused} of them refused");
}

#[test]
fn changes_and_searches_go_on_while_a_worker_comes_and_goes() {
    if workers().is_empty() {
        return;
    }
    let (database, files) = (Database::new().unwrap(), tempfile::tempdir().unwrap());
    // Each move takes a second or two.
    database.run(&format!("ALTER DATABASE {} SET citus.shard_count = 6", database.name()));
    let store = PostgresStore::connect(&database.address, files.path()).unwrap();
    let (until, (host, port)) = (AtomicBool::new(false), &workers()[0]);
    let mut client = connected(&database.address);
    let mut shards_after = |step: &str| {
        client.batch_execute(step)?;
        let there = "SELECT count(*) FROM citus_shards WHERE nodename = $1 AND nodeport = $2 AND table_name = 'casetrack.chunks'::regclass";
        client.query_one(there, &[&host, &i32::from(*port)])?.try_get::<_, i64>(0)
    };
    let drain = format!("SELECT citus_drain_node('{host}', {port})");
    assert_eq!(shards_after(&drain).unwrap(), 0);
    shards_after(&format!("SELECT citus_remove_node('{host}', {port})")).unwrap();

    let collection = store.create(&collection_meta("Test"), &models()).unwrap();
    let (role, address) = database.role("anna");
    store.admit(&role, false).unwrap();
    store.grant(collection.meta().id, &role, Right::Editor).unwrap();
    let of_role = PostgresStore::connect(&address, files.path()).unwrap();
    let of_role = of_role.open_collection(collection.meta().id).unwrap();
    collection.put_document(&empty(0)).unwrap();
    let mut tried: Vec<Tried> = (0..CLIENTS).map(|_| Tried::new()).collect();
    let mut searches = 0;
    std::thread::scope(|scope| {
        for (client, tried) in (0..CLIENTS).zip(&mut tried) {
            let (collection, until) = (if client == 0 { &collection } else { &of_role }, &until);
            scope.spawn(move || go_on(collection, client, tried, until));
        }
        let (of_role, until, searches) = (&of_role, &until, &mut searches);
        scope.spawn(move || {
            while !until.load(Ordering::Relaxed) {
                let all = Filter::default();
                assert!(!of_role.search_bm25("nothing", 50, &all).unwrap().is_empty());
                assert!(!of_role.search_dense(&vector("nothing"), 50, &all).unwrap().is_empty());
                *searches += 1;
            }
        });
        let come = shards_after(&format!("SELECT citus_add_node('{host}', {port})"))
            .and_then(|_| shards_after("SELECT rebalance_table_shards('casetrack.documents')"));
        let gone = shards_after(&drain);
        until.store(true, Ordering::Relaxed);
        assert!(come.unwrap() > 0 && gone.unwrap() == 0);
    });
    assert!(tried.iter().flatten().all(|done| *done), "{tried:?}");
    (0..CLIENTS).zip(&tried).for_each(|(client, tried)| check(&collection, client, tried));
    assert_clean(&collection);
    let changes = tried.iter().flatten().count();
    println!("{changes} changes and {searches} searches while a worker came and went");
}

fn connected(address: &str) -> Client {
    Client::connect(address, NoTls).unwrap()
}
