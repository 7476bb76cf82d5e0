//! The header of a vault in a collection's directory: two copies, so that no single damaged file makes all of it unreadable.
//!
//! `vault.header` is written first, then `vault.header.copy`, each in one step. Who reads takes the one that is whole, and of two the one
//! of the later generation. A kill between the two steps leaves the new header in the first.

use std::path::Path;

use casetrack_core::{Action, CollectionId, Error, ErrorCode, Result};
use casetrack_vault::header::{Header, MAX_BYTES};

use crate::fs;

const HEADER: &str = "vault.header";
const COPY: &str = "vault.header.copy";
/// What a vault has instead of `collection.json`; what it holds is the same.
pub(crate) const SEALED_MANIFEST: &str = "collection.sealed";

/// Its files that the store of a collection knows nothing of.
pub(crate) const HEADERS: [&str; 2] = [HEADER, COPY];

/// Whether there is a vault in this directory, be it one whose header is lost.
pub(crate) fn is_one(dir: &Path) -> bool {
    [HEADER, COPY, SEALED_MANIFEST].iter().any(|name| dir.join(name).exists())
}

/// What everything answers that would need the key of this vault, whose name is sealed.
pub fn locked(id: CollectionId) -> Error {
    Error::new(ErrorCode::Locked, format!("Collection {id} is a vault, and it is locked."))
        .with_hint(Action::Unlock(Some(id.short())))
}

/// As [`locked`], for the vault in this directory.
pub(crate) fn locked_at(dir: &Path) -> Error {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    name.parse().map_or_else(
        |_| Error::new(ErrorCode::Locked, format!("{} is a vault, and it is locked.", dir.display())),
        locked,
    )
}

/// Reads the header of a vault.
///
/// Errors: [`ErrorCode::NotFound`] where the collection is no vault, [`ErrorCode::Corrupt`] where both copies are damaged,
/// [`ErrorCode::NewerSchema`].
pub(crate) fn read(dir: &Path) -> Result<Header> {
    let mut problem = None;
    let mut newest: Option<Header> = None;
    for name in HEADERS {
        match read_one(&dir.join(name)) {
            Ok(header) if newest.as_ref().is_none_or(|other| other.generation() < header.generation()) => {
                newest = Some(header);
            }
            Ok(_) => {}
            Err(error) if error.code == ErrorCode::FileNotFound => {}
            Err(error) => {
                tracing::warn!(dir = %dir.display(), file = name, %error, "one of the two headers of a vault cannot be used");
                problem.get_or_insert(error);
            }
        }
    }
    newest.ok_or_else(|| {
        problem.unwrap_or_else(|| Error::new(ErrorCode::NotFound, format!("There is no vault at {}.", dir.display())))
    })
}

fn read_one(path: &Path) -> Result<Header> {
    let error = |error| Error::io(path.display(), error);
    let file = std::fs::File::open(path).map_err(error)?;
    let mut bytes = Vec::new();
    // One byte more than a header may have, so that a longer file is refused.
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_BYTES as u64 + 1), &mut bytes).map_err(error)?;
    Header::decode(&bytes)
}

/// Replaces both copies. Durable when it returns.
pub(crate) fn write(dir: &Path, header: &Header) -> Result<()> {
    let bytes = header.encode();
    HEADERS.iter().try_for_each(|name| fs::write_atomically(&dir.join(name), &bytes))
}
