//! Clients and the server are killed while documents are stored: acknowledged documents are there, and nothing is there
//! in part.
//!
//! `CASETRACK_KILLS=200` kills so many times instead of a few.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use casetrack_conformance::samples::{assert_clean, collection_meta, models, with_id};
use casetrack_core::{CollectionId, DocumentId};
use casetrack_postgres::PostgresStore;
use casetrack_store::{Collection, Store, StoredDocument};
use postgres::{Client, NoTls};

use crate::own_server::OwnServer;
use crate::server::backend;

const DOCUMENTS: u64 = 12;
const CLIENTS: u64 = 2;
const KILLS: u64 = 6;
/// Address, collection, client and the first change, for the client that is started as a process of its own.
const CLIENT: &str = "CASETRACK_KILLED_CLIENT";

/// The document that a client stores with a change. Every fifth change removes it.
fn stored(client: u64, change: u64) -> (DocumentId, Option<StoredDocument>) {
    let (number, mut bytes) = (change % DOCUMENTS, [0x4b; 16]);
    (bytes[0], bytes[1]) = (client as u8, number as u8);
    let id = DocumentId::from_bytes(bytes);
    let paragraphs: Vec<String> = (0..2 + change % 5)
        .map(|n| format!("Clause {n} of change {change} of client {client}, word{change}."))
        .collect();
    let document =
        with_id(id, &format!("/data/{client}/{number}.txt"), &[&paragraphs.join("\n\n"), "The second page."]);
    (id, (!change.is_multiple_of(5)).then_some(document))
}

#[test]
#[ignore = "the client that the test of kills starts"]
fn client_that_is_killed() {
    let Ok(given) = std::env::var(CLIENT) else { return };
    let [address, collection, client, first] = given.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let (client, first) = (client.parse().unwrap(), first.parse::<u64>().unwrap());
    let files = tempfile::tempdir().unwrap();
    let opened = || {
        PostgresStore::connect(address, files.path())
            .and_then(|store| store.open_collection(collection.parse().unwrap()))
    };
    let opened = loop {
        // The server may be starting.
        match opened() {
            Ok(opened) => break opened,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(50)),
        }
    };
    for change in first.. {
        let done = match stored(client, change) {
            (_, Some(document)) => opened.put_document(&document).is_ok(),
            (id, None) => opened.delete_document(id).is_ok(),
        };
        println!("{} {change}", if done { "acknowledged" } else { "refused" });
    }
}

/// A client, and its last message.
pub struct Running {
    client: u64,
    pub process: Child,
    lines: BufReader<ChildStdout>,
}

/// The known changes of a client.
#[derive(Default)]
pub struct Told {
    /// The last change that was acknowledged, of each document.
    pub acknowledged: BTreeMap<u64, u64>,
    /// Changes after this one were not tried.
    pub tried: u64,
}

impl Running {
    pub fn start(address: &str, collection: CollectionId, client: u64, first: u64) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kills::client_that_is_killed", "--ignored", "--nocapture"])
            .env(CLIENT, format!("{address} {collection} {client} {first}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        Self { client, process, lines }
    }

    /// Takes its next message; `false` at the end.
    pub fn hear(&mut self, told: &mut Told) -> bool {
        let mut line = String::new();
        if self.lines.read_line(&mut line).unwrap() == 0 {
            return false;
        }
        // A line that was cut off by the end is no acknowledgement.
        if let Some((what, change)) = line.strip_suffix('\n').and_then(|line| line.rsplit_once(' '))
            && let Ok(change) = change.parse::<u64>()
        {
            if what.ends_with("acknowledged") {
                told.acknowledged.insert(change % DOCUMENTS, change);
            }
            if what.ends_with("acknowledged") || what.ends_with("refused") {
                // The next one is tried at once.
                told.tried = change + 1;
            }
        }
        true
    }

    fn kill(mut self, told: &mut Told) {
        self.process.kill().unwrap();
        while self.hear(told) {}
        self.process.wait().unwrap();
    }
}

/// Every document is as the last change left it that was acknowledged, or as a later one would that was tried.
pub fn check(collection: &Collection, client: u64, told: &Told) {
    for number in 0..DOCUMENTS {
        let acknowledged = told.acknowledged.get(&number).copied();
        let first = acknowledged.unwrap_or(number);
        let possible: Vec<u64> = (first.max(1)..=told.tried).filter(|change| change % DOCUMENTS == number).collect();
        let (id, _) = stored(client, number);
        let is = |change: &u64| match stored(client, *change).1 {
            None => collection.document(id).unwrap().is_none(),
            Some(document) => {
                collection.document(id).unwrap().as_ref() == Some(&document.meta)
                    && collection.chunks(id).unwrap() == document.chunks
                    && collection.page(id, 1).unwrap().as_ref() == document.pages.first()
                    && collection.page(id, 2).unwrap().as_ref() == document.pages.last()
                    && collection.vectors(id).unwrap().len() == document.chunks.len()
                    && collection.annotations(id).unwrap() == document.annotations
            }
        };
        let is_absent = acknowledged.is_none() && collection.document(id).unwrap().is_none();
        assert!(
            is_absent || possible.iter().any(is),
            "client {client}, document {number}: none of the changes {possible:?} ({acknowledged:?} acknowledged)"
        );
    }
}

pub fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

#[test]
fn what_was_acknowledged_survives_kills_and_nothing_is_there_in_part() {
    let Some(server) = OwnServer::for_tests("-c fsync=off -c synchronous_commit=on") else { return };
    let (address, files) = (server.address("postgres"), tempfile::tempdir().unwrap());
    // The name of the clients for the server.
    let theirs = format!("{address}?application_name=killed");
    drop(PostgresStore::connect(&address, files.path()).unwrap());
    // Postings are brought together all the time.
    Client::connect(&address, NoTls).unwrap().batch_execute("UPDATE casetrack.layout SET block_chunks = 9").unwrap();
    let store = PostgresStore::connect(&address, files.path()).unwrap();
    let meta = collection_meta("Test");
    let collection = store.create(&meta, &models()).unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let mut told: Vec<Told> = (0..CLIENTS).map(|_| Told::default()).collect();
    let rounds = std::env::var("CASETRACK_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number of kills"));
    let (mut kinds, mut changes) = ([0; 3], 0);
    for round in 0..rounds {
        let before: u64 = told.iter().map(|told| told.tried).sum();
        // Its first change is tried before anything is heard of it.
        told.iter_mut().for_each(|told| told.tried += 1);
        let start = |(client, told): (u64, &Told)| Running::start(&theirs, meta.id, client, told.tried);
        let mut running: Vec<Running> = (0..CLIENTS).zip(&told).map(start).collect();
        for running in &mut running {
            let (told, goal) = (&mut told[running.client as usize], random.u64(1..12));
            let start = told.tried;
            while told.tried < start + goal {
                assert!(running.hear(told), "a client ended by itself");
            }
        }
        // The clients continue during this.
        std::thread::sleep(std::time::Duration::from_micros(random.u64(0..40_000)));
        let kind = round % 3;
        let mut own = Client::connect(&address, NoTls).unwrap();
        match kind {
            0 => {}
            1 => {
                let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'killed' AND state <> 'idle'";
                let pids: Vec<i32> = own.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect();
                match random.choice(&pids) {
                    Some(pid) => kill(pid.cast_unsigned()),
                    None => kill(backend(&server)),
                }
            }
            _ => kill(server.postmaster()),
        }
        kinds[kind as usize] += 1;
        if kind > 0 {
            // The server ends all connections, soon.
            while own.simple_query("SELECT 1").is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            // Clients find the server again, or learn that a change was not made.
            for running in &mut running {
                let told = &mut told[running.client as usize];
                let start = told.tried;
                while told.tried < start + 3 {
                    assert!(running.hear(told), "a client ended by itself");
                }
            }
        }
        running.into_iter().for_each(|running| {
            let told = &mut told[running.client as usize];
            running.kill(told);
        });
        server.wait().unwrap();
        // Their last statements are still being done.
        let mut own = Client::connect(&address, NoTls).unwrap();
        while !own.query("SELECT FROM pg_stat_activity WHERE application_name = 'killed'", &[]).unwrap().is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        (0..CLIENTS).zip(&told).for_each(|(client, told)| check(&collection, client, told));
        assert_clean(&collection);
        changes += told.iter().map(|told| told.tried).sum::<u64>() - before;
    }
    let [clients, backends, postmasters] = kinds;
    println!(
        "{rounds} times: all clients were killed, {clients} times only they, {backends} times a backend of the server before them, \
         {postmasters} times its postmaster; {changes} changes were tried"
    );
}
