//! A server for the tests of this process.

use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};

use crate::own_server::OwnServer;

/// Makes an address of the name of a database.
type Address = Box<dyn Fn(&str) -> String + Send + Sync>;

static SERVER: LazyLock<Option<Address>> = LazyLock::new(|| match std::env::var("CASETRACK_TEST_POSTGRES") {
    Ok(address) => Some(Box::new(move |database| {
        let (server, _) = address.rsplit_once('/').expect("postgres://user@host:port/database");
        format!("{server}/{database}")
    })),
    Err(_) => match OwnServer::start(crate::SERVER_OPTIONS) {
        Ok(server) => Some(Box::new(move |database| server.address(database))),
        Err(why) => {
            // Past what keeps the output of tests back.
            let _ = writeln!(
                std::io::stderr(),
                "There is no PostgreSQL server, so casetrack-postgres is not tested: {why}"
            );
            None
        }
    },
});

/// A database of its own, which goes with it.
pub struct Database {
    name: String,
    pub address: String,
}

impl Database {
    pub fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let server = SERVER.as_ref()?;
        let name = format!("casetrack_test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        administrator().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        Some(Self { address: server(&name), name })
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
    }
}

/// A connection of one who may do everything.
pub fn administrator() -> Client {
    let server = SERVER.as_ref().expect("there is a server");
    Client::connect(&server("postgres"), NoTls).unwrap()
}
