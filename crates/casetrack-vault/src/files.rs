//! Sealed files: any length, in blocks of 64 KiB, with a random key for each file.
//!
//! | bytes | |
//! |---|---|
//! | 7 | `CTVFILE` |
//! | 1 | version: [`VERSION`] |
//! | 16 | id of the file, random |
//! | 24 | nonce, random |
//! | 48 | the key of the file, random, sealed with the subkey for files (XChaCha20-Poly1305); the associated data is the 24 bytes from the beginning and the name of the file |
//! | … | blocks of 65,536 bytes and a tag of 16, the last one shorter ([`stream`](crate::stream)); the associated data is the id of the file |
//!
//! The name is that by which the file is known in its collection, such as `dense/manifest.json`. A file that takes the
//! place of another, or comes from another collection, does not open. An earlier state of the same file does; its id
//! differs.

use std::fmt;
use std::io::{self, Read, Write};

use casetrack_core::Result;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::errors::{changed, newer, refused};
use crate::secret::{Secret, random};
use crate::stream::{BLOCK, Opener, Sealer, TAG, explained, read_all};

pub const VERSION: u8 = 1;
/// Bytes before the first block.
pub const HEAD: usize = MAGIC.len() + 1 + 16 + 24 + 48;

const MAGIC: &[u8; 7] = b"CTVFILE";
const VOUCHED: usize = MAGIC.len() + 1 + 16;
const NONCE: usize = 24;

/// Distinguishes sealed files, and a file from its earlier states. Not secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId(pub [u8; 16]);

/// Seals and opens the files of one collection.
pub struct Files(XChaCha20Poly1305);

impl Files {
    pub(crate) fn new(key: &Secret) -> Self {
        Self(XChaCha20Poly1305::new(key.reveal().into()))
    }

    /// Begins a file. Everything is written in order; nothing is read or sought.
    pub fn create<W: Write>(&self, name: &str, to: W) -> Result<FileWriter<W>> {
        self.create_with(random()?, random()?, &Secret::random()?, name, to)
    }

    fn create_with<W: Write>(
        &self,
        id: [u8; 16],
        nonce: [u8; NONCE],
        key: &Secret,
        name: &str,
        mut to: W,
    ) -> Result<FileWriter<W>> {
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(MAGIC);
        head.push(VERSION);
        head.extend_from_slice(&id);
        let payload = Payload { msg: key.reveal(), aad: &[head.as_slice(), name.as_bytes()].concat() };
        let wrapped = self.0.encrypt(&XNonce::from(nonce), payload).map_err(|_| refused("Encrypting a file's key"))?;
        head.extend_from_slice(&nonce);
        head.extend_from_slice(&wrapped);
        to.write_all(&head).map_err(|error| explained(name, error))?;
        Ok(FileWriter { id: FileId(id), sealer: Sealer::new(key, &id, to) })
    }

    /// Reads the head of a file that was sealed under this name. Errors: [`casetrack_core::ErrorCode::Corrupt`] if it
    /// is no such file, [`casetrack_core::ErrorCode::NewerSchema`] for a later format, and errors of `from`. Later
    /// reads give `io::ErrorKind::InvalidData` for changed or missing bytes.
    pub fn open<R: Read>(&self, name: &str, mut from: R) -> Result<FileReader<R>> {
        let damaged = || changed(name);
        let mut head = Vec::with_capacity(HEAD);
        from.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(|error| explained(name, error))?;
        let (magic, rest) = head.split_first_chunk::<{ MAGIC.len() }>().ok_or_else(damaged)?;
        let &version = rest.first().ok_or_else(damaged)?;
        if magic == MAGIC && version > VERSION {
            return Err(newer(name, version.into(), VERSION.into()));
        }
        let (vouched, rest) = head.split_at_checked(VOUCHED).ok_or_else(damaged)?;
        let (nonce, wrapped) = rest.split_first_chunk::<NONCE>().ok_or_else(damaged)?;
        if magic != MAGIC || version != VERSION {
            return Err(damaged());
        }
        let payload = Payload { msg: wrapped, aad: &[vouched, name.as_bytes()].concat() };
        let key = Zeroizing::new(self.0.decrypt(&XNonce::from(*nonce), payload).map_err(|_| damaged())?);
        let key = Secret::copied(&key).ok_or_else(damaged)?;
        let id: [u8; 16] = vouched[MAGIC.len() + 1..].try_into().map_err(|_| damaged())?;
        Ok(FileReader { id: FileId(id), opener: Opener::new(&key, &id, from, name.to_owned()) })
    }

    pub fn seal_bytes(&self, name: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let sealed = Vec::with_capacity(usize::try_from(sealed_bytes(bytes.len() as u64)).unwrap_or_default());
        let mut writer = self.create(name, sealed)?;
        writer.write_all(bytes).and_then(|()| writer.finish()).map_err(|error| explained(name, error))
    }

    /// Opens the bytes that [`seal_bytes`](Self::seal_bytes) sealed; all of them are known to be whole.
    pub fn open_bytes(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        read_all(self.open(name, sealed)?, name, sealed.len())
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files(***)")
    }
}

/// The bytes of a sealed file with this many bytes of content.
pub fn sealed_bytes(plain: u64) -> u64 {
    HEAD as u64 + plain + plain.div_ceil(BLOCK as u64).max(1) * TAG as u64
}

/// The bytes of the content of a sealed file with this many bytes; 0 if that cannot be.
pub fn plain_bytes(sealed: u64) -> u64 {
    let body = sealed.saturating_sub(HEAD as u64);
    body.saturating_sub(body.div_ceil((BLOCK + TAG) as u64) * TAG as u64)
}

/// Seals the bytes that are written to it. A file that was not [finished](Self::finish) does not open.
pub struct FileWriter<W> {
    id: FileId,
    sealer: Sealer<W>,
}

impl<W: Write> FileWriter<W> {
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Writes the rest and the end of the file. The caller syncs it.
    pub fn finish(self) -> io::Result<W> {
        self.sealer.finish()
    }
}

impl<W: Write> Write for FileWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sealer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sealer.flush()
    }
}

/// Reads a sealed file from its beginning. Every byte that it returns is verified; a file that ends early is noticed at
/// the end of reading.
pub struct FileReader<R> {
    id: FileId,
    opener: Opener<R>,
}

impl<R: Read> FileReader<R> {
    pub fn id(&self) -> FileId {
        self.id
    }
}

impl<R: Read> Read for FileReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.opener.read(to)
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;

#[cfg(test)]
impl Files {
    pub(crate) fn seal_bytes_with(
        &self,
        id: [u8; 16],
        nonce: [u8; 24],
        key: [u8; 32],
        name: &str,
        bytes: &[u8],
    ) -> Vec<u8> {
        let key = Secret::copied(&key).unwrap();
        let mut writer = self.create_with(id, nonce, &key, name, Vec::new()).unwrap();
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }
}
