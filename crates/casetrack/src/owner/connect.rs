//! How a client finds the owner, or starts one.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::{Error, ErrorCode, Result};
use interprocess::local_socket::Stream;
use interprocess::local_socket::traits::Stream as _;

use super::address::{Address, directory, take_lock};
use super::wire::{self, FromOwner, Greeting, Request};
use crate::options::{Global, STORE};

/// How long to look for an owner. One that is exiting saves its indexes first.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between the first two attempts, and the longest pause.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Longest wait for an owner's first message. It answers at once, unless the machine is overloaded.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection to the owner, which has sent its greeting.
pub struct Connection {
    pub reader: BufReader<Reading>,
    pub writer: Arc<Stream>,
}

/// The readable side of a shared stream.
pub struct Reading(Arc<Stream>);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Connection {
    /// Sends a value. Fails if the owner has gone.
    pub fn send(&self, value: &impl serde::Serialize) -> std::io::Result<()> {
        wire::send(&mut &*self.writer, value)
    }

    /// The owner's next message, or `None` if it has gone.
    pub fn receive(&mut self) -> Option<FromOwner> {
        wire::receive(&mut self.reader).ok().flatten()
    }
}

/// Connects to the owner of a data directory, and starts one if there is none, with the store and the verbosity of these options.
///
/// Errors: [`ErrorCode::InUse`] if the owner is a different build and has clients, or does not answer; any error that prevents a
/// new owner from starting.
pub fn connect(global: &Global) -> Result<Connection> {
    let data_dir = &*global.data_dir()?;
    let build = wire::build()?;
    let deadline = Instant::now() + PATIENCE;
    let mut pause = PAUSE;
    loop {
        if let Some((greeting, connection)) = attempt(data_dir)? {
            if greeting.build == build {
                return Ok(connection);
            }
            retire(connection)?;
        } else if !start(data_dir, global)? {
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
        if Instant::now() > deadline {
            return Err(not_answering(data_dir));
        }
    }
}

/// Stops the owner of a data directory and waits until its collections are saved and closed. Returns whether there was one.
///
/// Errors: [`ErrorCode::InUse`] while it has other clients, or if it does not answer.
pub fn stop(data_dir: &Path) -> Result<bool> {
    let deadline = Instant::now() + PATIENCE;
    let mut unanswered = 0;
    let connection = loop {
        let is_published = Address::read(data_dir).is_some();
        if let Some((_, connection)) = attempt(data_dir)? {
            break connection;
        }
        if !is_owned(data_dir)? {
            return Ok(false);
        }
        // One without an address is just beginning or ending. One with an address hangs, unless that is of an earlier one.
        unanswered += u32::from(is_published);
        if unanswered > 1 || Instant::now() > deadline {
            return Err(not_answering(data_dir));
        }
        std::thread::sleep(LONGEST_PAUSE);
    };
    retire(connection)?;
    while take_lock(data_dir)?.is_none() {
        if Instant::now() > deadline {
            return Err(not_answering(data_dir));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(true)
}

/// True if an owner of a data directory answers. None is started.
pub fn answers(data_dir: &Path) -> bool {
    attempt(data_dir).is_ok_and(|found| found.is_some())
}

/// True if a process owns a data directory, whether or not it answers. Creates nothing if the directory does not exist.
fn is_owned(data_dir: &Path) -> Result<bool> {
    Ok(directory(data_dir).exists() && take_lock(data_dir)?.is_none())
}

fn not_answering(data_dir: &Path) -> Error {
    let owner = Address::read(data_dir).map_or_else(String::new, |address| format!(" (process {})", address.pid));
    let message = format!("The process that has {} open{owner} does not answer.", data_dir.display());
    Error::new(ErrorCode::InUse, message).with_hint("End that process, then try again.")
}

/// Connects to the owner, or returns `None` without an answer.
fn attempt(data_dir: &Path) -> Result<Option<(Greeting, Connection)>> {
    let Some(address) = Address::read(data_dir) else { return Ok(None) };
    let Ok(stream) = Stream::connect(address.name()?) else { return Ok(None) };
    let _ = stream.set_recv_timeout(Some(GREETING_TIMEOUT));
    let writer = Arc::new(stream);
    let mut reader = BufReader::new(Reading(Arc::clone(&writer)));
    let Ok(Some(greeting)) = wire::receive(&mut reader) else { return Ok(None) };
    let _ = writer.set_recv_timeout(None);
    Ok(Some((greeting, Connection { reader, writer })))
}

/// Requests the owner to exit, for another build or for `casetrack stop`.
fn retire(mut connection: Connection) -> Result<()> {
    // It is fine if it has just gone.
    let _ = connection.send(&Request::Retire);
    match connection.receive() {
        Some(FromOwner::Failed(error)) => Err(error),
        _ => Ok(()),
    }
}

/// The line that a new owner prints on its standard output once it is listening or cannot listen.
pub const LISTENING: &str = "listening";
pub const REFUSED: &str = "refused";

/// Starts an owner and waits until it listens. Returns false if another process owns the directory.
fn start(data_dir: &Path, global: &Global) -> Result<bool> {
    let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
    let mut command = Command::new(&program);
    command.arg("--data-dir").arg(data_dir).args(global.verbosity()).args(["owner", "--detach"]);
    if let Some(store) = &global.store {
        // Not as an option: others may list the arguments of processes.
        command.env(STORE, store.reveal());
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().map_err(|error| Error::io(program.display(), error))?;
    let mut word = String::new();
    if let Some(stdout) = child.stdout.take() {
        // Without a word the owner exited at once; the next attempt finds out why.
        let _ = BufReader::new(stdout).read_line(&mut word);
    }
    let _ = child.wait();
    match word.trim_end() {
        LISTENING => Ok(true),
        REFUSED | "" => Ok(false),
        failure => Err(wire::decode(failure.as_bytes()).unwrap_or_else(|_| {
            Error::internal(format!(
                "The new owner process of the data directory reported \
                \"{failure}\"."
            ))
        })),
    }
}
