//! A server for the tests of this process, and others for those that need their own.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};

use postgres::{Client, NoTls};

use crate::own_server::OwnServer;

/// Where databases are: the common server, or one that a test has for itself.
enum Place {
    Named(String),
    Own(OwnServer),
}

static COMMON: LazyLock<Option<Place>> = LazyLock::new(|| match std::env::var("CASETRACK_TEST_POSTGRES") {
    Ok(address) => Some(Place::Named(address)),
    Err(_) => own(crate::SERVER_OPTIONS).map(Place::Own),
});

/// The address of a database of the common server.
fn common(database: &str) -> Option<String> {
    Some(match COMMON.as_ref()? {
        Place::Named(address) => {
            let (server, _) = address.rsplit_once('/').expect("postgres://user@host:port/database");
            format!("{server}/{database}")
        }
        Place::Own(server) => server.address(database),
    })
}

/// A database of its own, which goes with it.
pub struct Database {
    name: String,
    pub address: String,
    roles: Mutex<Vec<String>>,
}

impl Database {
    pub fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("casetrack_test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let address = common(&name)?;
        administrator().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        Some(Self { address, name, roles: Mutex::default() })
    }

    /// A new role, which may do nothing, and the address with which it connects.
    pub fn role(&self, name: &str) -> (String, String) {
        let role = format!("{name}_{}", self.name);
        administrator().batch_execute(&format!("CREATE ROLE {role} LOGIN PASSWORD 'casetrack'")).unwrap();
        self.roles.lock().unwrap().push(role.clone());
        let (_, at) = self.address.split_once('@').expect("postgres://user@host:port/database");
        let address = format!("postgres://{role}:casetrack@{at}");
        (role, address)
    }

    /// Runs statements in it.
    pub fn run(&self, statements: &str) {
        Client::connect(&self.address, NoTls).unwrap().batch_execute(statements).unwrap();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // What is left of a failed test goes with the server.
        let _ = administrator().batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
        for role in self.roles.lock().unwrap().drain(..) {
            let _ = administrator().batch_execute(&format!("DROP ROLE {role}"));
        }
    }
}

/// A connection of one who may do everything.
pub fn administrator() -> Client {
    Client::connect(&common("postgres").expect("there is a server"), NoTls).unwrap()
}

/// A server for one test. `None`, after it was said why, where there is none.
pub fn own(settings: &str) -> Option<OwnServer> {
    let started = OwnServer::start(settings);
    if let Err(why) = &started {
        // Past what keeps the output of tests back.
        let _ =
            writeln!(std::io::stderr(), "There is no PostgreSQL server, so casetrack-postgres is not tested: {why}");
    }
    started.ok()
}

/// A process of a server that clients talk to: that of a new connection.
pub fn backend(server: &OwnServer) -> u32 {
    let mut client = Client::connect(&server.address("postgres"), NoTls).unwrap();
    let pid: i32 = client.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0);
    // It stays for as long as the connection.
    std::mem::forget(client);
    pid.cast_unsigned()
}
