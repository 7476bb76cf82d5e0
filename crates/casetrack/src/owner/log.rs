//! The owner's log: a file next to its lock, and the standard error of connected clients.
//!
//! The file is not encrypted. Once a vault is unlocked, the values of fields are left out of it, except ids and numbers: they may be texts,
//! names or paths. Messages are fixed texts. Clients see everything.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use casetrack_core::{Error, Result};
use tokio::sync::mpsc::UnboundedSender;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use super::wire::FromOwner;
use crate::console::Output;
use crate::options::Global;
use crate::redaction::unmarked;

/// Size from which the log is rotated when an owner starts, in bytes. One old log is kept.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Clone)]
pub struct OwnerLog(Arc<Shared>);

struct Shared {
    file: Mutex<File>,
    clients: Mutex<Vec<Listener>>,
}

struct Listener {
    /// The least severe level the client wants to see.
    level: Level,
    frames: UnboundedSender<FromOwner>,
}

impl OwnerLog {
    pub fn open(directory: &Path) -> Result<Self> {
        let path = directory.join("log");
        let error = |error| Error::io(path.display(), error);
        if path.metadata().is_ok_and(|metadata| metadata.len() > MAX_BYTES) {
            std::fs::rename(&path, path.with_extension("old")).map_err(error)?;
        }
        let file = File::options().create(true).append(true).open(&path).map_err(error)?;
        Ok(Self(Arc::new(Shared { file: Mutex::new(file), clients: Mutex::new(Vec::new()) })))
    }

    /// Shows a client new log messages as long as it is connected.
    pub fn show_to(&self, global: &Global, frames: UnboundedSender<FromOwner>) {
        let level = match (global.quiet, global.verbose) {
            (true, _) => Level::ERROR,
            (false, 0) => Level::WARN,
            (false, 1) => Level::INFO,
            (false, _) => Level::DEBUG,
        };
        lock(&self.0.clients).push(Listener { level, frames });
    }
}

impl<'w> MakeWriter<'w> for OwnerLog {
    type Writer = Line<'w>;

    fn make_writer(&'w self) -> Line<'w> {
        Line { log: &self.0, level: Level::ERROR, text: Vec::new() }
    }

    fn make_writer_for(&'w self, metadata: &Metadata<'_>) -> Line<'w> {
        Line { log: &self.0, level: *metadata.level(), text: Vec::new() }
    }
}

/// A line being written; it is sent when it is dropped.
pub struct Line<'w> {
    log: &'w Shared,
    level: Level,
    text: Vec<u8>,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        // A log that cannot be written, for example on a full disk, must not stop the work.
        let line = String::from_utf8_lossy(&self.text);
        let _ = lock(&self.log.file).write_all(unmarked(&line, casetrack_engine::had_a_vault()).as_bytes());
        let text = unmarked(&line, false).trim_end().to_owned();
        lock(&self.log.clients).retain(|client| {
            // More verbose levels are greater.
            if self.level <= client.level {
                let _ = client.frames.send(FromOwner::Show(Output::Log(text.clone())));
            }
            !client.frames.is_closed()
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
