//! A server crashes before it has heard that a transaction is to be committed, and gives the number of that transaction
//! to another one, which is: that acknowledges nothing.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use casetrack_conformance::samples::{assert_clean, collection_meta, document, models};
use casetrack_postgres::PostgresStore;
use casetrack_store::Store;
use postgres::{Client, NoTls};

use crate::kills::kill;
use crate::own_server::OwnServer;
use crate::server::backend;

/// Passes on the messages of clients, except a `COMMIT` if it is to `keep` one: it reports that, and ends the
/// connection on request.
struct Between {
    server: PathBuf,
    keeps: AtomicBool,
    has_kept: Sender<()>,
    may_end: Mutex<Receiver<()>>,
}

impl Between {
    fn serve(self: &Arc<Self>, client: UnixStream) {
        let server = UnixStream::connect(&self.server).unwrap();
        let (mut from_server, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from_server, &mut to_client);
            let _ = to_client.shutdown(Shutdown::Both);
        });
        let own = Arc::clone(self);
        std::thread::spawn(move || own.pass_on(client, server));
    }

    fn pass_on(&self, mut client: UnixStream, mut server: UnixStream) {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(count @ 1..) = client.read(&mut bytes) {
            let sent = &bytes[..count];
            if sent.windows(6).any(|part| part == b"COMMIT") && self.keeps.swap(false, Ordering::SeqCst) {
                self.has_kept.send(()).unwrap();
                // A test that failed sends nothing more.
                let _ = self.may_end.lock().unwrap().recv();
                break;
            }
            if server.write_all(sent).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    }
}

#[test]
fn a_number_that_is_given_again_acknowledges_nothing() {
    // The rows of the transaction are only in memory.
    let Some(server) = OwnServer::for_tests("-c fsync=off -c synchronous_commit=on -c wal_writer_delay=10s") else {
        return;
    };
    let (files, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let meta = collection_meta("Test");
    let direct = PostgresStore::connect(&server.address("postgres"), files.path()).unwrap();
    direct.create(&meta, &models()).unwrap();
    let (has_kept, kept) = channel();
    let (end, may_end) = channel();
    let between = Arc::new(Between {
        server: server.socket(),
        keeps: AtomicBool::new(false),
        has_kept,
        may_end: Mutex::new(may_end),
    });
    let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    let serving = Arc::clone(&between);
    std::thread::spawn(move || listener.incoming().for_each(|client| serving.serve(client.unwrap())));
    let address = format!("postgres://casetrack@{}/postgres", folder.path().display().to_string().replace('/', "%2F"));
    let collection = PostgresStore::connect(&address, files.path()).unwrap().open_collection(meta.id).unwrap();
    let stored = document("/data/a.txt", &["The only document."]);
    between.keeps.store(true, Ordering::SeqCst);
    std::thread::scope(|scope| {
        let end = end;
        let storing = scope.spawn(|| collection.put_document(&stored));
        kept.recv().unwrap();
        let mut own = Client::connect(&server.address("postgres"), NoTls).unwrap();
        kill(backend(&server));
        while own.simple_query("SELECT 1").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        server.wait().unwrap();
        let mut own = Client::connect(&server.address("postgres"), NoTls).unwrap();
        own.batch_execute("CREATE TABLE others (n int)").unwrap();
        for n in 0..9 {
            own.execute("INSERT INTO others VALUES ($1)", &[&n]).unwrap();
        }
        end.send(()).unwrap();
        storing.join().unwrap().unwrap();
    });
    let collection = direct.open_collection(meta.id).unwrap();
    assert_eq!(collection.document(stored.meta.id).unwrap().as_ref(), Some(&stored.meta));
    assert_clean(&collection);
}
