//! One file from the hub to the disk, in as many attempts as it takes.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::thread;

use casetrack_core::{Error, ErrorCode, Result};

use super::hub::{Failure, FailureKind, Hub, RemoteFile, header};

const BUFFER: usize = 128 << 10;
/// The longest pause is the first one doubled this often.
const MAX_DOUBLINGS: u32 = 5;

pub enum TransferEvent<'a> {
    /// This many bytes of the file are on the disk.
    Received(u64),
    /// The connection broke and will be tried again.
    Retrying(&'a Error),
}

/// Downloads a file to `part`, beginning after the bytes it already has, and returns how many came over the network.
/// On an error the bytes received so far stay.
pub fn fetch(
    hub: &Hub,
    file: &RemoteFile,
    what: &str,
    part: &Path,
    report: &mut dyn FnMut(TransferEvent<'_>),
) -> Result<u64> {
    let patience = hub.patience();
    let mut furthest = length(part);
    let mut gained = false;
    let mut failures = 0;
    let mut received = 0;
    loop {
        if file.expected.size.is_some_and(|size| length(part) > size) {
            remove(part)?;
        }
        if length(part) > 0 && file.expected.size == Some(length(part)) {
            return Ok(received);
        }
        let failure = match attempt(hub, file, what, part, &mut received, report) {
            Ok(()) => return Ok(received),
            Err(failure) => failure,
        };
        let reached = length(part);
        if reached > furthest {
            (furthest, gained, failures) = (reached, true, 0);
        }
        let passing = match failure.kind {
            FailureKind::Passing => true,
            // Within a download the network comes back; before it, it is not there.
            FailureKind::Unreachable => gained,
            FailureKind::Lasting => false,
        };
        if !passing || failures >= patience.retries {
            return Err(failure.error);
        }
        report(TransferEvent::Retrying(&failure.error));
        thread::sleep(patience.pause * 2u32.pow(failures.min(MAX_DOUBLINGS)));
        failures += 1;
    }
}

fn attempt(
    hub: &Hub,
    file: &RemoteFile,
    what: &str,
    part: &Path,
    received: &mut u64,
    report: &mut dyn FnMut(TransferEvent<'_>),
) -> Result<(), Failure> {
    let offset = length(part);
    let response = hub.open(&file.url, what, offset)?;
    let resumed = response.status() == 206
        && header(response.headers(), "content-range")
            .is_some_and(|range| range.trim().starts_with(&format!("bytes {offset}-")));
    if response.status() != 200 && !resumed {
        if offset == 0 {
            return Err(hub.no_hub(&file.url, &response));
        }
        remove(part).map_err(lasting)?;
        return Err(hub.broken_off(what, &"the server cannot continue in the middle"));
    }
    let mut position = if resumed { offset } else { 0 };
    let mut out = open(part, resumed).map_err(|error| lasting(writing(part, what, error)))?;
    let mut body = response.into_body().into_reader();
    let mut buffer = vec![0; BUFFER];
    report(TransferEvent::Received(position));
    loop {
        let read = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => return Err(hub.broken_off(what, &error)),
        };
        out.write_all(&buffer[..read]).map_err(|error| lasting(writing(part, what, error)))?;
        position += read as u64;
        *received += read as u64;
        report(TransferEvent::Received(position));
        if file.expected.size.is_some_and(|size| position > size) {
            break; // the check says what is wrong
        }
    }
    out.sync_all().map_err(|error| lasting(writing(part, what, error)))?;
    match file.expected.size {
        Some(size) if position < size => Err(hub.broken_off(what, &format!("{position} of {size} bytes arrived"))),
        _ => Ok(()),
    }
}

fn open(part: &Path, append: bool) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(append).write(true).truncate(!append).open(part)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(|error| Error::io(path.display(), error))
}

fn lasting(error: Error) -> Failure {
    Failure { error, kind: FailureKind::Lasting }
}

/// An error while writing; a full disk has its own words.
fn writing(part: &Path, what: &str, error: std::io::Error) -> Error {
    let folder = part.parent().unwrap_or(part).display();
    let error = Error::io(part.display(), error);
    if error.code != ErrorCode::DiskFull {
        return error;
    }
    Error::new(ErrorCode::DiskFull, format!("The disk of {folder} is full; {what} does not fit")).with_hint(
        "Free some space there and run the same command again: the download resumes. The models of the quality \
         profile take about 550 MB.",
    )
}
