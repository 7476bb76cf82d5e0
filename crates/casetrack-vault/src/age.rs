//! Files of age (<https://age-encryption.org/v1>), encrypted to X25519 recipients or with a passphrase, so that escrow
//! copies and exports also open with the program `age`.
//!
//! A file is a header in text, a nonce of 16 bytes, and blocks of 64 KiB ([`stream`](crate::stream)). The header names
//! the format, has a stanza for each recipient, or one for a passphrase, and ends with an HMAC. Stanzas of other kinds
//! are skipped.

mod header;
mod keys;
mod scrypt;

use std::io::{self, Read, Seek, Write};

use casetrack_core::{Error, Result};
use hkdf::Hkdf;
use sha2::Sha256;

pub use self::header::Lock;
pub use self::keys::{Identity, Recipient};
pub use self::scrypt::Work;
use crate::errors::{changed, refused};
use crate::secret::{Secret, random};
use crate::stream::{Opener, RandomOpener, Sealer, explained, read_all};

pub(crate) const VERSION_LINE: &str = "age-encryption.org/v1";
const WHAT: &str = "The file of age";
const NONCE: usize = 16;

/// The key that decrypts a file.
#[derive(Debug, Clone, Copy)]
pub enum Key<'k> {
    Identity(&'k Identity),
    /// As it was typed; nothing of it is changed, since `age` changes nothing either.
    Passphrase(&'k str),
}

/// Encrypts the bytes that are written to it. A file that was not [finished](Self::finish) does not decrypt.
pub struct Encryptor<W>(Sealer<W>);

impl<W: Write> Encryptor<W> {
    /// Begins a file that each of the recipients can decrypt; there must be one.
    pub fn new(recipients: &[&Recipient], to: W) -> Result<Self> {
        if recipients.is_empty() {
            return Err(Error::invalid("No recipient was given.").with_hint("Name a recipient."));
        }
        let file_key = header::FileKey::random()?;
        let header = file_key.header(recipients)?;
        Self::begin(&file_key, header, to)
    }

    pub fn with_passphrase(passphrase: &str, work: Work, to: W) -> Result<Self> {
        if passphrase.is_empty() {
            return Err(Error::invalid("The passphrase is empty.").with_hint("Choose one that no one can guess."));
        }
        let file_key = header::FileKey::random()?;
        let header = file_key.header_for_passphrase(passphrase, work)?;
        Self::begin(&file_key, header, to)
    }

    fn begin(file_key: &header::FileKey, mut head: Vec<u8>, mut to: W) -> Result<Self> {
        let nonce: [u8; NONCE] = random()?;
        head.extend_from_slice(&nonce);
        to.write_all(&head).map_err(|error| explained(WHAT, error))?;
        Ok(Self(Sealer::new(&payload_key(file_key, &nonce)?, &[], to)))
    }

    /// Writes the rest and the end of the file. The caller syncs it.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for Encryptor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Decrypts a file from its beginning. Every byte that it returns is verified; a file that ends early is noticed at the
/// end of reading.
pub struct Decryptor<R>(Opener<R>);

impl<R: Read> Decryptor<R> {
    /// Reads the header; `None` if the file is not encrypted to this identity, or with this passphrase. Errors:
    /// [`casetrack_core::ErrorCode::Corrupt`] for a damaged or missing header, and errors of `from`. Later reads give
    /// `io::ErrorKind::InvalidData` for changed or missing bytes. A header of more than 64 KiB is refused.
    pub fn new(key: Key<'_>, mut from: R) -> Result<Option<Self>> {
        let Some(key) = begun(key, &mut from)? else { return Ok(None) };
        Ok(Some(Self(Opener::new(&key, &[], from, WHAT.to_owned()))))
    }
}

impl<R: Read> Read for Decryptor<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.0.read(to)
    }
}

/// As [`Decryptor`], for reading in any order. The end of the file is verified when it is made.
pub struct RandomDecryptor<R>(RandomOpener<R>);

impl<R: Read + Seek> RandomDecryptor<R> {
    pub fn new(key: Key<'_>, mut from: R) -> Result<Option<Self>> {
        let Some(key) = begun(key, &mut from)? else { return Ok(None) };
        RandomOpener::new(&key, &[], from, WHAT.to_owned()).map(|opener| Some(Self(opener)))
    }
}

impl<R: Read + Seek> Read for RandomDecryptor<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.0.read(to)
    }
}

impl<R: Read + Seek> Seek for RandomDecryptor<R> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// The key of the blocks, which follow.
fn begun(key: Key<'_>, from: &mut impl Read) -> Result<Option<Secret>> {
    let Some(file_key) = header::open(key, from)? else { return Ok(None) };
    let mut nonce = [0; NONCE];
    from.read_exact(&mut nonce).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => changed(WHAT),
        _ => explained(WHAT, error),
    })?;
    payload_key(&file_key, &nonce).map(Some)
}

/// The lock of a file, by its header, which is not checked; `None` if it is no file of age.
pub fn lock_of(mut from: impl Read) -> Result<Option<Lock>> {
    let mut start = [0; VERSION_LINE.len()];
    let mut read = 0;
    while read < start.len() {
        match from.read(&mut start[read..]).map_err(|error| explained(WHAT, error))? {
            0 => return Ok(None),
            more => read += more,
        }
    }
    if start != *VERSION_LINE.as_bytes() { Ok(None) } else { header::lock(&mut start.as_slice().chain(from)).map(Some) }
}

pub fn encrypt(recipients: &[&Recipient], bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encryptor = Encryptor::new(recipients, Vec::new())?;
    encryptor.write_all(bytes).and_then(|()| encryptor.finish()).map_err(|error| explained(WHAT, error))
}

/// The content of a whole file; `None` if it is not encrypted to this identity.
pub fn decrypt(identity: &Identity, file: &[u8]) -> Result<Option<Vec<u8>>> {
    let decryptor = Decryptor::new(Key::Identity(identity), file)?;
    decryptor.map(|decryptor| read_all(decryptor, WHAT, file.len())).transpose()
}

fn payload_key(file_key: &header::FileKey, nonce: &[u8; NONCE]) -> Result<Secret> {
    expand(Some(nonce), file_key.reveal(), b"payload")
}

/// HKDF-SHA256.
fn expand(salt: Option<&[u8]>, from: &[u8], info: &[u8]) -> Result<Secret> {
    let hkdf = Hkdf::<Sha256>::new(salt, from);
    Secret::filled(|key| hkdf.expand(info, key).map_err(|_| refused("Deriving a key")))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
