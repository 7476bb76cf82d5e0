//! The dense index on disk: a usearch file, named and vouched for by `manifest.json`.
//!
//! usearch writes a whole file at a time. A new one is written under a new name and synced; then the manifest, which names
//! it with its checksum and the last log entry it contains, is replaced atomically: that is the commit. What the manifest
//! does not name is left over from a crash and removed.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use casetrack_core::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use usearch::Index;

use crate::error::derived;
use crate::fs;

const MANIFEST: &str = "manifest.json";

/// What the manifest says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// Format, collection and model.
    pub identity: String,
    /// The last log entry in the file.
    pub applied: u64,
    pub vectors: u64,
    pub file: String,
    pub bytes: u64,
    pub crc32: u32,
}

/// Writes the index and commits it; file name, size and checksum of `saved` are filled in.
pub(crate) fn save(dir: &Path, index: &Index, mut saved: Saved) -> Result<()> {
    fs::create_dir(dir)?;
    saved.file = format!("{:020}.usearch", saved.applied);
    let path = dir.join(&saved.file);
    let partial = fs::partial_path(&path);
    let name = partial.to_str().ok_or_else(|| Error::invalid(format!("{} is not valid Unicode.", dir.display())))?;
    index.save(name).map_err(|error| unsaved(&partial, &error))?;
    File::open(&partial).and_then(|file| file.sync_all()).map_err(|error| Error::io(partial.display(), error))?;
    (saved.bytes, saved.crc32) = checksum(&partial)?;
    // usearch does not notice when closing the file fails.
    let expected = index.serialized_length() as u64;
    if saved.bytes != expected {
        return Err(unsaved(&partial, &format!("{} of {expected} bytes were written", saved.bytes)));
    }
    fs::rename_durably(&partial, &path)?;
    let manifest = serde_json::to_vec_pretty(&saved).map_err(|error| derived(dir, error))?;
    fs::write_atomically(&dir.join(MANIFEST), &manifest)?;
    remove_others(dir, &saved.file)
}

/// Loads what was committed into `index`, which must be empty. Anything missing or wrong is [`ErrorCode::Corrupt`].
pub(crate) fn load(dir: &Path, identity: &str, index: &Index) -> Result<Saved> {
    let (saved, path) = check(dir, identity)?;
    let name = path.to_str().ok_or_else(|| Error::invalid(format!("{} is not valid Unicode.", dir.display())))?;
    let (dimensions, scalar) = (index.dimensions(), index.scalar_kind());
    index.load(name).map_err(|error| derived(dir, error))?;
    if (index.dimensions(), index.scalar_kind(), index.size() as u64) != (dimensions, scalar, saved.vectors) {
        return Err(derived(dir, format!("{} holds other vectors than its manifest says", saved.file)));
    }
    remove_others(dir, &saved.file)?;
    Ok(saved)
}

/// Compares the file with its manifest. Reads all of it.
pub(crate) fn check(dir: &Path, identity: &str) -> Result<(Saved, PathBuf)> {
    let manifest = match std::fs::read(dir.join(MANIFEST)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(dir.display(), error)),
        manifest => manifest.map_err(|_| derived(dir, "it has no manifest"))?,
    };
    let saved: Saved = serde_json::from_slice(&manifest).map_err(|error| derived(dir, error))?;
    if saved.identity != identity {
        return Err(derived(dir, format!("it is marked \"{}\", not \"{identity}\"", saved.identity)));
    }
    let path = dir.join(&saved.file);
    let found = match checksum(&path) {
        Err(error) if error.code == ErrorCode::FileNotFound => return Err(derived(dir, error)),
        found => found?,
    };
    if found != (saved.bytes, saved.crc32) {
        return Err(derived(dir, format!("the checksum of {} does not match", saved.file)));
    }
    Ok((saved, path))
}

/// Length and CRC-32 of a file.
fn checksum(path: &Path) -> Result<(u64, u32)> {
    let error = |error| Error::io(path.display(), error);
    let mut file = File::open(path).map_err(error)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer).map_err(error)? {
            0 => return Ok((bytes, hasher.finalize())),
            n => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
        }
    }
}

fn remove_others(dir: &Path, keep: &str) -> Result<()> {
    let error = |error| Error::io(dir.display(), error);
    for entry in std::fs::read_dir(dir).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name();
        if name != keep && name != MANIFEST {
            std::fs::remove_file(entry.path()).map_err(error)?;
        }
    }
    Ok(())
}

fn unsaved(path: &Path, error: &dyn std::fmt::Display) -> Error {
    let full = error.to_string().to_ascii_lowercase().contains("no space left");
    let code = if full { ErrorCode::DiskFull } else { ErrorCode::Io };
    Error::new(code, format!("Could not write {}: {error}", path.display()))
        .with_hint("Free some disk space, then try again. No document is lost: the index is made from what is stored.")
}
