//! An archive that is encrypted as a whole: a file of age, which the program `age` decrypts as well.
//!
//! It is read twice: once from beginning to end, which shows that nothing was changed or cut off, and then as any other
//! archive, in any order, one block of 64 KiB in memory.

use std::fs::File;
use std::io::{BufReader, Seek, Write};
use std::path::Path;

use casetrack_core::{Action, Error, ErrorCode, Password, Result, hint};
use casetrack_vault::age::{self, Encryptor, Identity, Lock, RandomDecryptor, Recipient, Work};

use super::{Archive, refused};

#[derive(Debug, Clone)]
pub enum Encryption {
    /// To each of these; there must be one.
    Recipients(Vec<Recipient>),
    Passphrase(Password),
}

#[derive(Debug, Clone)]
pub enum ArchiveKey {
    Identity(Identity),
    Passphrase(Password),
}

impl Encryption {
    pub(super) fn begin<W: Write>(&self, to: W) -> Result<Encryptor<W>> {
        match self {
            Self::Recipients(recipients) => Encryptor::new(&recipients.iter().collect::<Vec<_>>(), to),
            Self::Passphrase(passphrase) => Encryptor::with_passphrase(passphrase.reveal(), Work::DEFAULT, to),
        }
    }
}

/// The lock of an archive, by its header; `None` if it is not encrypted. Errors: [`ErrorCode::UnreadableFile`] if it
/// begins as an encrypted one and continues as none.
pub fn archive_lock(path: &Path) -> Result<Option<Lock>> {
    let file = File::open(path).map_err(|error| Error::io(path.display(), error))?;
    age::lock_of(BufReader::new(file)).map_err(|error| unreadable(path, error))
}

impl Archive {
    /// As [`open`](Self::open), for one that is encrypted. All of it is decrypted and checked first. Errors:
    /// [`ErrorCode::WrongKey`] if it is not encrypted with this key; [`ErrorCode::UnreadableFile`] if it was changed,
    /// was cut off, or is not an archive.
    pub fn open_encrypted(path: &Path, key: &ArchiveKey) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::io(path.display(), error))?;
        let (key, what) = match key {
            ArchiveKey::Identity(identity) => (age::Key::Identity(identity), "identity"),
            ArchiveKey::Passphrase(passphrase) => (age::Key::Passphrase(passphrase.reveal()), "passphrase"),
        };
        let opened = RandomDecryptor::new(key, BufReader::new(file)).map_err(|error| unreadable(path, error))?;
        let mut decryptor = opened.ok_or_else(|| {
            Error::new(ErrorCode::WrongKey, format!("{} does not open with this {what}.", path.display()))
                .with_hint("Check it, and try again. Nothing was changed.")
        })?;
        let read = std::io::copy(&mut decryptor, &mut std::io::sink()).and_then(|_| decryptor.rewind());
        read.map_err(|error| match error.downcast::<Error>() {
            Ok(error) => unreadable(path, error),
            Err(error) => Error::io(path.display(), error),
        })?;
        // The reader of an archive's directory reads a few bytes at a time.
        Self::read_from(path, Box::new(BufReader::new(decryptor)))
    }
}

/// Damage of an encrypted archive, in the words for archives.
fn unreadable(path: &Path, error: Error) -> Error {
    match error.code {
        ErrorCode::Corrupt => {
            refused(path, "it was changed or cut off since it was encrypted, or is not an encrypted export")
                .with_source(error)
        }
        _ => error,
    }
}

/// The error for an archive that has to be decrypted first.
pub(super) fn is_encrypted(path: &Path, lock: Lock) -> Error {
    let what = match lock {
        Lock::Passphrase => "a passphrase, and none was given",
        Lock::Recipients => "the identity of a recipient, and none was given",
    };
    Error::invalid(format!("{} is encrypted: it opens with {what}.", path.display()))
        .with_hint(hint![Action::GiveArchiveKey, " Nothing was changed."])
}
