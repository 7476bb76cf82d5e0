//! The header of a vault in a collection's directory: two copies, so that no single damaged file makes all of it
//! unreadable.
//!
//! `vault.header` is written first, then `vault.header.copy`, each in one step. A kill between the two steps leaves the
//! new header in the first. Without a key, a reader takes the whole one, and of two the one of the later generation,
//! which may be forged. With the key, the latest one that was written with it counts, and replaces the other
//! ([`open`]).

use std::cmp::Reverse;
use std::path::Path;

use casetrack_core::{Action, CollectionId, Error, ErrorCode, Result, hint};
use casetrack_vault::header::{Header, MAX_BYTES};
use casetrack_vault::key::VaultKey;

use crate::fs;

const HEADER: &str = "vault.header";
const COPY: &str = "vault.header.copy";
/// The file that a vault has instead of `collection.json`, with the same content.
pub(crate) const SEALED_MANIFEST: &str = "collection.sealed";

/// Its files that the store of a collection does not manage.
pub(crate) const HEADERS: [&str; 2] = [HEADER, COPY];

/// True if there is a vault in this directory, be it one whose header is lost.
pub(crate) fn is_one(dir: &Path) -> bool {
    [HEADER, COPY, SEALED_MANIFEST].iter().any(|name| dir.join(name).exists())
}

/// The error of everything that needs the key of this vault, whose name is sealed.
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

struct HeaderFiles {
    /// Those that can be read, each once, the latest first.
    headers: Vec<Header>,
    /// True if both copies are there, whole and the same.
    agree: bool,
    /// Why one cannot be read.
    problem: Option<Error>,
}

fn find(dir: &Path) -> HeaderFiles {
    let mut found = HeaderFiles { headers: Vec::new(), agree: true, problem: None };
    for name in HEADERS {
        match read_one(&dir.join(name)) {
            Ok(header) if found.headers.contains(&header) => {}
            Ok(header) => found.headers.push(header),
            Err(error) => {
                found.agree = false;
                if error.code != ErrorCode::FileNotFound {
                    tracing::warn!(dir = %dir.display(), file = name, %error, "one of the two headers of a vault cannot be used");
                    found.problem.get_or_insert(error);
                }
            }
        }
    }
    found.agree &= found.headers.len() == 1;
    found.headers.sort_by_key(|header| Reverse(header.generation()));
    found
}

/// Reads the header of a vault. It is not verified yet. Errors: [`ErrorCode::NotFound`] if the collection is no vault,
/// [`ErrorCode::Corrupt`] if both copies are damaged, [`ErrorCode::NewerSchema`].
pub(crate) fn read(dir: &Path) -> Result<Header> {
    let HeaderFiles { headers, problem, .. } = find(dir);
    headers.into_iter().next().ok_or_else(|| {
        problem.unwrap_or_else(|| Error::new(ErrorCode::NotFound, format!("There is no vault at {}.", dir.display())))
    })
}

/// Finds the key of a vault. `try_one` looks for it in a header, and vouches for that header. A copy that is damaged,
/// older or forged is replaced by the valid one. Errors: those of [`read`] and of `try_one`; also if only a
/// header opens that is older than another one of the same key.
pub(crate) fn open<T>(dir: &Path, try_one: impl Fn(&Header) -> Result<(VaultKey, T)>) -> Result<(Header, VaultKey, T)> {
    let HeaderFiles { headers, agree, problem } = find(dir);
    let (mut refusal, mut unproven): (Option<Error>, _) = (None, None);
    for header in &headers {
        match try_one(header) {
            Ok((key, with)) => {
                let latest = headers.iter().find(|other| other.check(&key).is_ok()).unwrap_or(header);
                // A forged header can hold a key of its forger's, for a recipient whose public key is known.
                let proven = opens_manifest(dir, &key);
                if proven && !agree {
                    tracing::warn!(dir = %dir.display(), "the two headers of a vault were not the same; both are written again");
                    if let Err(error) = write(dir, latest) {
                        tracing::warn!(dir = %dir.display(), %error, "a header of a vault could not be written");
                    }
                }
                match latest == header {
                    true if proven => return Ok((header.clone(), key, with)),
                    true => unproven = unproven.or(Some((header.clone(), key, with))),
                    // What opened it was removed since; the copy was written before.
                    false => {}
                }
            }
            // A changed header is worth more as an error than another one that does not open.
            Err(error) if refusal.is_none() || error.code == ErrorCode::Corrupt => refusal = Some(error),
            Err(_) => {}
        }
    }
    if let Some(opened) = unproven {
        return Ok(opened);
    }
    Err(refusal
        .or(problem)
        .unwrap_or_else(|| Error::new(ErrorCode::NotFound, format!("There is no vault at {}.", dir.display()))))
}

/// True if the name of the collection was sealed with this key.
fn opens_manifest(dir: &Path, key: &VaultKey) -> bool {
    let sealed = std::fs::read(dir.join(SEALED_MANIFEST)).unwrap_or_default();
    key.files().and_then(|files| files.open_bytes(SEALED_MANIFEST, &sealed)).is_ok()
}

/// The latest header that was written with this key, if there is one.
pub(crate) fn vouched(dir: &Path, key: &VaultKey) -> Option<Header> {
    find(dir).headers.into_iter().find(|header| header.check(key).is_ok())
}

/// The problems of the two copies, one sentence each.
pub(crate) fn problems(dir: &Path, key: &VaultKey) -> Vec<String> {
    let latest = vouched(dir, key).map_or(0, |header| header.generation());
    let problem = |name: &&str| match read_one(&dir.join(name)) {
        Err(error) => Some(format!("{name}: {}", error.message)),
        Ok(header) if header.check(key).is_err() => {
            Some(format!("{name} was changed by someone who did not have the key of the vault."))
        }
        Ok(header) if header.generation() < latest => Some(format!("{name} is an earlier one.")),
        Ok(_) => None,
    };
    HEADERS.iter().filter_map(problem).collect()
}

/// Advice for users who did not do it themselves.
const WHO_ELSE: &str =
    " Otherwise find out who can write to its folder: a passphrase or a document that was removed may be there again.";

/// The error for a header, or for a whole vault, that is older than its last seen state.
pub(crate) fn earlier(what: &str) -> Error {
    Error::new(ErrorCode::WrongState, format!("{what} was put back to an earlier state.")).with_hint(hint![
        "If you restored it from a backup yourself: ",
        Action::AcceptRestored,
        WHO_ELSE
    ])
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
