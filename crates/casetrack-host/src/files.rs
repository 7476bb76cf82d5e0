//! Reading the user's files.

use std::path::Path;

use casetrack_core::{Action, Error, ErrorCode, FileLimit, Limits, Result, Sha256, hint};
use casetrack_store::Collection;
use sha2::Digest;

use super::config::EngineConfig;

/// A file that a collection keeps, see [`Collection::read_kept`].
#[derive(Clone, Copy)]
pub struct KeptCopy<'a> {
    pub collection: &'a Collection,
    pub path: &'a Path,
}

/// The bytes of a whole file and their digest, if the rules of access allow it, or of the copy to read instead. Paths that are
/// not UTF-8 are refused: a citation could not name them.
pub fn read(path: &Path, copy: Option<KeptCopy<'_>>, config: &EngineConfig) -> Result<(Vec<u8>, Sha256)> {
    if copy.is_none() {
        config.access.check(path)?;
    }
    if path.to_str().is_none() {
        return Err(Error::invalid(format!("The path {} is not valid UTF-8.", path.display()))
            .with_hint("Rename the file, or the folder it is in; citations have to be able to name it."));
    }
    let bytes = match copy {
        Some(KeptCopy { collection, path: place }) => {
            check_size(path, collection.kept_bytes(place)?, &config.limits)?;
            collection.read_kept(place)?
        }
        None => {
            readable(path, &config.limits)?;
            std::fs::read(path).map_err(|error| Error::io(path.display(), error))?
        }
    };
    let sha256 = sha256(&bytes);
    Ok((bytes, sha256))
}

pub fn sha256(bytes: &[u8]) -> Sha256 {
    Sha256(sha2::Sha256::digest(bytes).into())
}

/// Refuses a path that is not a file, and a file that is too large, before the file is read.
pub fn readable(path: &Path, limits: &Limits) -> Result<std::fs::Metadata> {
    let shown = path.display().to_string();
    let metadata = std::fs::metadata(path).map_err(|error| Error::io(&shown, error))?;
    if !metadata.is_file() {
        return Err(Error::invalid(format!("{shown} is not a regular file.")));
    }
    check_size(path, metadata.len(), limits)?;
    Ok(metadata)
}

fn check_size(path: &Path, bytes: u64, limits: &Limits) -> Result<()> {
    if bytes <= limits.max_file_bytes {
        return Ok(());
    }
    let shown = path.display();
    Err(Error::new(
        ErrorCode::FileTooLarge,
        format!("{shown} has {} MB; the limit is {} MB.", bytes >> 20, limits.max_file_bytes >> 20),
    )
    .with_hint(hint!["Split the file. Or ", Action::RaiseLimit(FileLimit::FileSize), "."]))
}
