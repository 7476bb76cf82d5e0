//! The copy of the data of users next to its database, from which a damaged one is rebuilt.
//!
//! A thread writes it some seconds after a change, and when the sets are closed. Members are named by their current paths.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use casetrack_core::{Error, ErrorCode, Result};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::schema::{self, failed};
use super::{Image, Space, transfer};
use crate::catalog::lock;

/// Name of the file in the folder of the catalogue.
pub(super) const FILE: &str = "sets.json";
/// Its name while it is taken over.
const RESTORING: &str = "sets.restoring.json";
/// The new name of a copy that cannot be read.
const DAMAGED: &str = "sets.damaged.json";
/// Shortest time between a change and the copy, so that many changes are one. Writing it takes about a second for a million members, and at
/// most a tenth of the time.
const DELAY: Duration = if cfg!(test) { Duration::from_millis(50) } else { Duration::from_secs(5) };

#[derive(Default)]
struct Signals {
    has_changed: bool,
    is_over: bool,
}

/// Writes the copy. Dropping it writes pending changes.
pub(super) struct BackupWriter {
    signals: Arc<(Mutex<Signals>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl BackupWriter {
    pub fn start(folder: &Path) -> Self {
        let signals = Arc::<(Mutex<Signals>, Condvar)>::default();
        let (folder, of_thread) = (folder.to_owned(), Arc::clone(&signals));
        let thread = std::thread::Builder::new().name("keep sets".to_owned()).spawn(move || keep(&folder, &of_thread));
        let thread = thread.inspect_err(|error| tracing::warn!(%error, "resource sets are not copied to {FILE}")).ok();
        Self { signals, thread }
    }

    pub fn changed(&self) {
        lock(&self.signals.0).has_changed = true;
        self.signals.1.notify_one();
    }
}

impl Drop for BackupWriter {
    fn drop(&mut self) {
        lock(&self.signals.0).is_over = true;
        self.signals.1.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(folder: &Path, (signals, news): &(Mutex<Signals>, Condvar)) {
    let (mut delay, mut kept) = (DELAY, None);
    loop {
        let signals = news.wait_while(lock(signals), |signals| !signals.has_changed && !signals.is_over);
        let signals = signals.unwrap_or_else(PoisonError::into_inner);
        let waited = news.wait_timeout_while(signals, delay, |signals| !signals.is_over);
        let mut signals = waited.unwrap_or_else(PoisonError::into_inner).0;
        let (has_changed, is_over) = (std::mem::take(&mut signals.has_changed), signals.is_over);
        drop(signals);
        if has_changed {
            let started = Instant::now();
            match write(folder, kept) {
                Ok(state) => kept = state,
                Err(error) => tracing::warn!(%error, "resource sets are not copied to {FILE}"),
            }
            delay = DELAY.max(started.elapsed() * 10);
        }
        if is_over {
            return;
        }
    }
}

/// Writes the copy, unless the state of the data is `kept`. Returns the new state.
fn write(folder: &Path, kept: Option<u64>) -> Result<Option<u64>> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut connection = schema::connect(folder)?;
    // One state of both databases for all that follows.
    let transaction = connection.transaction().map_err(failed)?;
    const IS_BOUND: &str = "SELECT catalog_key IS (SELECT digest_key FROM files.state) FROM state";
    // After a rebuild of the catalogue, the next change binds the members again.
    if !transaction.query_row(IS_BOUND, [], |row| row.get(0)).map_err(failed)? {
        return Ok(kept);
    }
    let state = Some(state(&transaction).map_err(failed)?);
    if state == kept {
        return Ok(state);
    }
    let path = folder.join(FILE);
    const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM sets) AND NOT EXISTS (SELECT 1 FROM sources)
        AND NOT EXISTS (SELECT 1 FROM plans) AND NOT EXISTS (SELECT 1 FROM queries)";
    if !path.exists() && transaction.query_row(IS_EMPTY, [], |row| row.get(0)).map_err(failed)? {
        return Ok(state);
    }
    let partial = folder.join(format!("{FILE}.{}.new", COUNT.fetch_add(1, Ordering::Relaxed)));
    let write = || -> Result<()> {
        let io = |error| Error::io(partial.display(), error);
        let mut file = BufWriter::new(File::create(&partial).map_err(io)?);
        transfer::write(&transaction, &mut file)?;
        file.flush().map_err(io)?;
        file.get_ref().sync_all().map_err(io)?;
        // Renamed into place, so that it is whole at any time.
        std::fs::rename(&partial, &path).map_err(io)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&partial)))?;
    Ok(state)
}

/// Another number once a user has changed something. Sets have a number that rises with each change.
fn state(connection: &Connection) -> rusqlite::Result<u64> {
    let mut hasher = DefaultHasher::new();
    for sql in [
        "SELECT id, revision, name, description FROM sets ORDER BY id",
        "SELECT parent, child FROM edges ORDER BY parent, child",
        "SELECT name, kind, target_set, config, update_mode FROM sources ORDER BY name",
        "SELECT name, description, mode, status, sources, conditions, outcomes FROM plans ORDER BY name",
        "SELECT name, arguments FROM queries ORDER BY name",
    ] {
        let mut rows = connection.prepare(sql)?;
        let columns = rows.column_count();
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                match row.get_ref(column)? {
                    ValueRef::Integer(number) => (1, number).hash(&mut hasher),
                    ValueRef::Text(text) => (2, text).hash(&mut hasher),
                    _ => 0.hash(&mut hasher),
                }
            }
        }
        0.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

impl Space {
    /// Restores the copy into a new database, which has no sets yet. Continues the restoration of a killed process. A copy that cannot be read is
    /// kept under another name, with an error in the log.
    pub(super) fn restore(&self) -> Result<()> {
        const IS_NEW: &str = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_sequence) AND NOT EXISTS (SELECT 1 FROM queries)";
        let restoring = self.folder.join(RESTORING);
        if !restoring.exists() {
            let is_there = self.folder.join(FILE).exists();
            if !is_there || !self.read(|connection| connection.query_row(IS_NEW, [], |row| row.get(0)))? {
                return Ok(());
            }
            begin_restoring(&self.folder)?;
        }
        let io = |error| Error::io(restoring.display(), error);
        let file = File::open(&restoring).map_err(io)?;
        let taken = transfer::read(BufReader::new(file)).and_then(|exported| self.take_over(exported));
        match taken {
            Ok(taken) => {
                tracing::warn!(?taken, "the resource sets were restored from {FILE}");
                std::fs::remove_file(&restoring).map_err(io)
            }
            Err(error) if error.code == ErrorCode::InvalidArgument => {
                tracing::error!(%error, "{FILE} cannot be read; it is kept as {DAMAGED}");
                std::fs::rename(&restoring, self.folder.join(DAMAGED)).map_err(io)
            }
            Err(error) => Err(error),
        }
    }

    /// Rebuilds the database from the copy if the damage is in it, and not in the catalogue.
    pub(super) fn repair(&self) -> Result<()> {
        let mut writer = lock(&self.writer);
        if !self.damaged.swap(false, Ordering::AcqRel) || !is_damaged(&self.folder) {
            return Ok(());
        }
        *writer = Connection::open_in_memory().map_err(failed)?;
        lock(&self.readers).waiting.clear();
        // Before there is an empty database that could be copied in its place.
        begin_restoring(&self.folder)?;
        schema::set_aside(&self.folder)?;
        *writer = schema::open(&self.folder)?;
        drop(writer);
        *lock(&self.image) = Image::default();
        lock(&self.members).clear();
        self.restore()
    }
}

fn begin_restoring(folder: &Path) -> Result<()> {
    match std::fs::rename(folder.join(FILE), folder.join(RESTORING)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(folder.join(FILE).display(), error)),
        _ => Ok(()),
    }
}

fn is_damaged(folder: &Path) -> bool {
    let check =
        |path: PathBuf| Connection::open(path)?.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match check(folder.join(schema::FILE)) {
        Ok(verdict) => verdict != "ok",
        Err(error) => failed(error).code == ErrorCode::Corrupt,
    }
}
