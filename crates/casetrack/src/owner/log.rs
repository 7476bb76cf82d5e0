//! The owner's log: a file next to its lock, and the standard error of connected clients.
//!
//! The file is not encrypted. From the moment on at which a vault is unlocked, the values of fields are left out of it, but for ids and
//! numbers: they may be texts, names or paths. Messages are fixed texts. Clients see everything.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use casetrack_core::{Error, Result};
use tokio::sync::mpsc::UnboundedSender;
use tracing::field::Field;
use tracing::{Level, Metadata};
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::fmt::{FormatFields, MakeWriter};

use super::wire::FromOwner;
use crate::console::Shown;
use crate::options::Global;

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

    /// Shows a client what is logged from now on, as long as it is connected.
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

/// Around the value of a field that may tell something.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];
/// What is there instead of one that is left out.
const LEFT_OUT: &str = "(left out)";
/// Fields whose values are constants of the program.
const CONSTANTS: [&str; 4] = ["index", "model", "place", "tool"];

/// Writes fields as usual, with [`MARKS`] around values that may tell something.
pub fn marked_fields() -> impl for<'w> FormatFields<'w> + Send + Sync + 'static {
    let field = |to: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug| {
        let value = format!("{value:?}").replace(MARKS, " ");
        match field.name() {
            "message" => write!(to, "{value}"),
            name if CONSTANTS.contains(&name) || tells_nothing(&value) => write!(to, "{name}={value}"),
            name => write!(to, "{name}={}{value}{}", MARKS[0], MARKS[1]),
        }
    };
    debug_fn(field).delimited(" ")
}

/// Numbers, ids and truth values.
fn tells_nothing(value: &str) -> bool {
    let is_id = value.len() == 36 && value.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    is_id || value.parse::<f64>().is_ok_and(f64::is_finite) || value.parse::<bool>().is_ok()
}

/// A line without the marks, and without what is between them where that is to be left out. A mark that is not closed is, too.
fn unmarked(line: &str, without_values: bool) -> String {
    if !without_values {
        return line.replace(MARKS, "");
    }
    let mut parts = line.split(MARKS[0]);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(LEFT_OUT);
        out.push_str(part.split_once(MARKS[1]).map_or("\n", |(_, rest)| rest));
    }
    out
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
                let _ = client.frames.send(FromOwner::Show(Shown::Log(text.clone())));
            }
            !client.frames.is_closed()
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_may_tell_something_are_left_out() {
        let [from, to] = MARKS;
        let line = format!("WARN a job is left out job=12 path={from}/a/Secret.pdf{to} n=3 error={from}cut off\n");
        assert_eq!(unmarked(&line, true), "WARN a job is left out job=12 path=(left out) n=3 error=(left out)\n");
        assert_eq!(unmarked(&line, false), "WARN a job is left out job=12 path=/a/Secret.pdf n=3 error=cut off\n");
        for (value, nothing) in [
            ("12", true),
            ("-0.5", true),
            ("true", true),
            ("6f1d2c3a-0000-4000-8000-00000000000a", true),
            ("/a", false),
            ("NaN", false),
            ("Secret", false),
            ("deadbeef", false),
        ] {
            assert_eq!(tells_nothing(value), nothing, "{value}");
        }
    }
}
