//! Storages of a compound file as compound files of their own.

use std::collections::HashSet;
use std::io::{Cursor, Write};
use std::path::Path;
use std::time::SystemTime;

use super::{CompoundFile, Entry};

/// Storages inside each other; a message inside another takes two.
const MAX_DEPTH: usize = 200;

/// An object inside as a file of its own; `None` if its directory is damaged. The same object gives the same bytes.
/// `change` may change the streams in its root, given their names.
pub fn copied(
    file: &CompoundFile,
    object: &Entry,
    max_bytes: u64,
    mut change: impl FnMut(&str, &mut Vec<u8>),
) -> Option<Vec<u8>> {
    let mut copy = cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new())).ok()?;
    let mut bytes_left = max_bytes;
    let mut open = vec![(Path::new("/").to_owned(), file.entries(object).into_iter())];
    let mut seen = HashSet::from([object.number]);
    while let Some((folder, entries)) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            continue;
        };
        let target = folder.join(&entry.name);
        // A damaged directory may run in a circle.
        if !seen.insert(entry.number) || open.len() > MAX_DEPTH {
            return None;
        }
        if entry.is_storage {
            copy.create_storage(&target).ok()?;
            copy.set_created_time(&target, SystemTime::UNIX_EPOCH).ok()?;
            copy.set_modified_time(&target, SystemTime::UNIX_EPOCH).ok()?;
            open.push((target, file.entries(&entry).into_iter()));
            continue;
        }
        let mut bytes = file.content(&entry);
        bytes.truncate(usize::try_from(bytes_left).unwrap_or(usize::MAX));
        bytes_left -= bytes.len() as u64;
        if open.len() == 1 {
            change(&entry.name, &mut bytes);
        }
        copy.create_stream(&target).ok()?.write_all(&bytes).ok()?;
    }
    copy.flush().ok()?;
    Some(copy.into_inner().into_inner())
}
