//! A server for the tests of this process, and others for those that need their own.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use postgres::{Client, NoTls};

use crate::own_server::OwnServer;

/// Where databases are: the common server, or one that a test has for itself.
enum TestServer {
    Named(String),
    Own(OwnServer),
}

static COMMON: LazyLock<Option<TestServer>> = LazyLock::new(|| match std::env::var("CASETRACK_TEST_POSTGRES") {
    Ok(address) => Some(TestServer::Named(address)),
    Err(_) => OwnServer::for_tests(crate::SERVER_OPTIONS).map(TestServer::Own),
});

/// The address of a database of the common server.
fn common(database: &str) -> Option<String> {
    Some(match COMMON.as_ref()? {
        TestServer::Named(address) => {
            let (server, _) = address.rsplit_once('/').expect("postgres://user@host:port/database");
            format!("{server}/{database}")
        }
        TestServer::Own(server) => server.address(database),
    })
}

/// The hosts and ports of the workers of Citus, if the common server is their coordinator.
pub fn workers() -> Vec<(String, u16)> {
    let named = std::env::var("CASETRACK_TEST_CITUS_WORKERS").unwrap_or_default();
    let parts = named.split(',').filter(|part| !part.is_empty());
    let worker = |part: &str| {
        let (host, port) = part.rsplit_once(':').expect("host:port");
        (host.to_owned(), port.parse().expect("a port"))
    };
    parts.map(worker).collect()
}

/// The address of a database on another host.
fn at(address: &str, (host, port): &(String, u16)) -> String {
    let (user, place) = address.split_once('@').expect("postgres://user@host:port/database");
    let (_, database) = place.split_once('/').expect("postgres://user@host:port/database");
    format!("{user}@{host}:{port}/{database}")
}

fn run(address: &str, statements: &str) {
    Client::connect(address, NoTls).unwrap().batch_execute(statements).unwrap();
}

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
        let database = Self { address, name, roles: Mutex::default() };
        let create = format!("CREATE DATABASE {}", database.name);
        administrator().batch_execute(&create).unwrap();
        database.distribute(&create);
        Some(database)
    }

    /// Makes it one of several machines, where workers are named.
    fn distribute(&self, create: &str) {
        let workers = workers();
        if workers.is_empty() {
            return;
        }
        let _one = roles_alone();
        run(&self.address, "CREATE EXTENSION citus");
        for (worker, own) in workers.iter().zip(self.on_workers()) {
            run(&at(&common("postgres").expect("there is a server"), worker), create);
            run(&own, "CREATE EXTENSION citus");
        }
        let config: postgres::Config = self.address.parse().unwrap();
        let [postgres::config::Host::Tcp(host)] = config.get_hosts() else { panic!("one host") };
        let mut nodes = format!("SELECT citus_set_coordinator_host('{host}', {})", config.get_ports()[0]);
        workers.iter().for_each(|(host, port)| nodes += &format!("; SELECT citus_add_node('{host}', {port})"));
        run(&self.address, &nodes);
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn on_workers(&self) -> Vec<String> {
        workers().iter().map(|worker| at(&self.address, worker)).collect()
    }

    /// A new role, which may do nothing, and the address with which it connects.
    pub fn role(&self, name: &str) -> (String, String) {
        let role = format!("{name}_{}", self.name);
        let _one = roles_alone();
        let address = make_role(&self.address, &role);
        self.roles.lock().unwrap().push(role.clone());
        (role, address)
    }

    pub fn run(&self, statements: &str) {
        run(&self.address, statements);
    }
}

/// Makes a role, on the workers of Citus as well, which may do nothing: the address with which it connects.
pub fn make_role(address: &str, role: &str) -> String {
    run(address, &format!("CREATE ROLE {role} LOGIN PASSWORD 'casetrack'"));
    let (_, at) = address.split_once('@').expect("postgres://user@host:port/database");
    format!("postgres://{role}:casetrack@{at}")
}

/// Roles are those of all databases of a server, and each is changed by one at a time.
fn roles_alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Database {
    fn drop(&mut self) {
        // The remains of a failed test go with the server.
        let _one = roles_alone();
        let server = common("postgres").expect("there is a server");
        let on_workers = workers().into_iter().map(|worker| at(&server, &worker));
        let roles: Vec<String> = self.roles.lock().unwrap().drain(..).collect();
        for address in std::iter::once(server.clone()).chain(on_workers) {
            let Ok(mut client) = Client::connect(&address, NoTls) else { continue };
            let _ = client.batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
            for role in &roles {
                let _ = client.batch_execute(&format!("DROP ROLE {role}"));
            }
        }
    }
}

/// A connection of one who may do everything.
pub fn administrator() -> Client {
    Client::connect(&common("postgres").expect("there is a server"), NoTls).unwrap()
}

/// A process of a server that clients talk to: that of a new connection.
pub fn backend(server: &OwnServer) -> u32 {
    let mut client = Client::connect(&server.address("postgres"), NoTls).unwrap();
    let pid: i32 = client.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0);
    // It stays for as long as the connection.
    std::mem::forget(client);
    pid.cast_unsigned()
}
