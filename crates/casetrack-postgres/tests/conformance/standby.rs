//! A server is killed while documents are stored, and its standby takes over: acknowledged documents are there, and
//! nothing is there in part.

use std::time::{Duration, Instant};

use casetrack_conformance::samples::{assert_clean, collection_meta, models};
use casetrack_postgres::PostgresStore;
use casetrack_store::Store;

use crate::kills::{Running, Told, check, kill};
use crate::own_server::OwnServer;

const CLIENTS: u64 = 2;
/// Documents of each client, of twelve, that are stored before the server is killed, and again after its standby took
/// over.
const DOCUMENTS: u64 = 6;
const ROUNDS: u32 = 2;
/// Longest wait for anything. It only ends a hang.
const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until a server answers with something.
fn wait_until(server: &OwnServer, question: &str, is_so: impl Fn(u64) -> bool) -> Result<(), String> {
    let end = Instant::now() + PATIENCE;
    loop {
        let answer = server.sql("postgres", question)?;
        if answer.trim().parse().is_ok_and(&is_so) {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(format!("{question}: {answer}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until each client has stored some documents from now on.
fn wait_for_documents(server: &OwnServer) -> Result<(), String> {
    let last = server.sql("postgres", "SELECT last FROM casetrack.numbers")?;
    (0..CLIENTS).try_for_each(|client| {
        let own = format!(
            "SELECT count(*) FROM casetrack.documents WHERE changed > {} AND get_byte(uuid_send(document), 0) = {client}",
            last.trim()
        );
        wait_until(server, &own, |count| count >= DOCUMENTS)
    })
}

fn host(server: &OwnServer) -> String {
    let address = server.address("");
    address.split_once('@').unwrap().1.trim_end_matches('/').to_owned()
}

#[test]
fn a_standby_takes_over_with_all_that_was_acknowledged() {
    let Some(mut primary) = OwnServer::for_tests("-c fsync=off -c synchronous_commit=on") else { return };
    let files = tempfile::tempdir().unwrap();
    let meta = collection_meta("Test");
    PostgresStore::connect(&primary.address("postgres"), files.path()).unwrap().create(&meta, &models()).unwrap();
    // The first change of each is tried before anything is heard of it.
    let mut told: Vec<Told> = (0..CLIENTS).map(|_| Told { tried: 1, ..Told::default() }).collect();
    for _ in 0..ROUNDS {
        let standby = primary.standby().unwrap();
        // From now on, clients are answered after the standby has their changes.
        primary.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'").unwrap();
        primary.sql("postgres", "SELECT pg_reload_conf()").unwrap();
        let in_step = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        wait_until(&primary, in_step, |count| count == 1).unwrap();
        let theirs = format!(
            "postgres://casetrack@{},{}/postgres?target_session_attrs=read-write&application_name=killed",
            host(&primary),
            host(&standby)
        );
        let start = |(client, told): (u64, &Told)| Running::start(&theirs, meta.id, client, told.tried);
        let mut running: Vec<Running> = (0..CLIENTS).zip(&told).map(start).collect();
        let pids: Vec<u32> = running.iter().map(|running| running.process.id()).collect();
        let went_on = std::thread::scope(|scope| {
            for (running, told) in running.iter_mut().zip(&mut told) {
                scope.spawn(move || while running.hear(told) {});
            }
            let went_on = wait_for_documents(&primary).and_then(|()| {
                primary.die();
                standby.promote();
                wait_for_documents(&standby)
            });
            pids.into_iter().for_each(kill);
            went_on
        });
        went_on.unwrap();
        for mut running in running {
            running.process.wait().unwrap();
        }
        // Their last statements are still being done.
        let theirs = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'killed'";
        wait_until(&standby, theirs, |count| count == 0).unwrap();
        let store = PostgresStore::connect(&standby.address("postgres"), files.path()).unwrap();
        let collection = store.open_collection(meta.id).unwrap();
        (0..CLIENTS).zip(&told).for_each(|(client, told)| check(&collection, client, told));
        assert_clean(&collection);
        told.iter_mut().for_each(|told| told.tried += 1);
        primary = standby;
    }
}
