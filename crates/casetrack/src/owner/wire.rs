//! The messages between the owner and its clients: one JSON value per line. Both are the same build ([`build`]), so the format
//! can change freely.
//!
//! The owner sends a [`Greeting`], the client a [`Request`]; then [`FromClient`] and [`FromOwner`] follow until either closes.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::net::SocketAddr;

use casetrack_core::{CollectionId, Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::commands::CollectionCommand;
use crate::console::Output;
use crate::options::{Global, ToolOptions};

/// The owner's first message. A client that has received it is being served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    pub build: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    Run(Box<Run>),
    Mcp(Box<SessionOptions>),
    #[cfg(feature = "serve")]
    Http(Box<Http>),
    #[cfg(feature = "serve")]
    Open(Box<Open>),
    /// Exit, unless other clients are being served: another build takes over.
    Retire,
}

/// A command. Paths in it are relative to `directory`. They are `OsString`s, which also carry names that are not Unicode.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run {
    pub global: Global,
    pub command: CollectionCommand,
    pub directory: OsString,
    /// The permissions withheld from files that the user requested.
    pub umask: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionOptions {
    pub global: Global,
    pub offered: ToolOptions,
    pub collection: Option<String>,
    /// The collection that was active before the owner changed.
    pub active: Option<CollectionId>,
}

/// Sessions of the protocol over HTTP, for as long as the client stays.
#[cfg(feature = "serve")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Http {
    pub options: SessionOptions,
    pub address: SocketAddr,
    /// The token that HTTP clients must send.
    pub token: Option<String>,
}

/// The workbench, for a browser. The listener stays after the client disconnects.
#[cfg(feature = "serve")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Open {
    pub options: SessionOptions,
    /// The document or passage to show first.
    pub target: Option<String>,
    /// The token that clients of the protocol send to the same listener.
    pub token: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum FromClient {
    Line(String),
    EndOfInput,
    Cancel,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum FromOwner {
    Show(Output),
    Line(String),
    Active(Option<CollectionId>),
    Listening(SocketAddr),
    /// The address for the browser, good for one use.
    Opened(String),
    Failed(Error),
    /// The end, with the exit status.
    Exit(u8),
}

/// Identifies this build of the program: an owner and clients of different builds do not understand each other.
pub fn build() -> Result<String> {
    let program = std::env::current_exe().map_err(|error| Error::io("the program's own file", error))?;
    let metadata = program.metadata().map_err(|error| Error::io(program.display(), error))?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(format!("{} {} {}", env!("CARGO_PKG_VERSION"), metadata.len(), modified.unwrap_or_default().as_nanos()))
}

pub fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

pub fn decode<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(line)?)
}

pub fn send(writer: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    writer.write_all(&encode(value)?)?;
    writer.flush()
}

/// The next value, or `None` if the other side has closed, even in the middle of a line.
pub fn receive<T: DeserializeOwned>(reader: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') { Ok(None) } else { decode(&line).map(Some) }
}
