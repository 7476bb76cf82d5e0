//! Blocks of 64 KiB, each sealed by itself: the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár, 2015) as age
//! has it.
//!
//! The nonce of a block is its number (11 bytes, big endian) and 1 for the last block, else 0. So a block that is
//! changed, exchanged, repeated or left out does not open, nor does a file that ends early or continues after its last
//! block. Only the last block may be shorter than 64 KiB, and only an empty file has an empty one.

use std::io::{self, Read, Seek, SeekFrom, Write};

use casetrack_core::{Error, Result};
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce, Tag};

use crate::errors::{changed, refused};
use crate::secret::Secret;

/// Bytes of plain text in a block.
pub(crate) const BLOCK: usize = 64 << 10;
/// Bytes that sealing adds to a block.
pub(crate) const TAG: usize = 16;

struct Blocks {
    cipher: ChaCha20Poly1305,
    associated: Vec<u8>,
    number: u64,
}

impl Blocks {
    fn new(key: &Secret, associated: &[u8]) -> Self {
        Self { cipher: ChaCha20Poly1305::new(key.reveal().into()), associated: associated.to_vec(), number: 0 }
    }

    /// The nonce of the next block.
    fn nonce(&mut self, last: bool) -> Nonce {
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&self.number.to_be_bytes());
        nonce[11] = u8::from(last);
        self.number += 1;
        nonce.into()
    }

    /// Opens the next block; `None` if it is not the one that belongs here.
    fn open(&mut self, mut block: Vec<u8>, last: bool) -> Option<Vec<u8>> {
        let first = self.number == 0;
        let nonce = self.nonce(last);
        let length = block.len().checked_sub(TAG)?;
        let (plain, tag) = block.split_at_mut(length);
        if plain.is_empty() && !first {
            return None;
        }
        let tag = Tag::try_from(&*tag).ok()?;
        self.cipher.decrypt_inout_detached(&nonce, &self.associated, plain.into(), &tag).ok()?;
        block.truncate(length);
        Some(block)
    }
}

/// Seals the bytes that are written to it. A stream that was not [finished](Self::finish) does not open.
pub(crate) struct Sealer<W> {
    to: W,
    blocks: Blocks,
    waiting: Vec<u8>,
}

impl<W: Write> Sealer<W> {
    pub fn new(key: &Secret, associated: &[u8], to: W) -> Self {
        Self { to, blocks: Blocks::new(key, associated), waiting: Vec::with_capacity(BLOCK + TAG) }
    }

    /// Writes the last block.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_block(true)?;
        Ok(self.to)
    }

    fn write_block(&mut self, last: bool) -> io::Result<()> {
        let nonce = self.blocks.nonce(last);
        let block = self.waiting.as_mut_slice();
        let tag = self.blocks.cipher.encrypt_inout_detached(&nonce, &self.blocks.associated, block.into());
        let tag = tag.map_err(|_| io::Error::other(refused("Encrypting a block")))?;
        self.waiting.extend_from_slice(&tag);
        self.to.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Only when more follows: the last block may be full, too.
        if self.waiting.len() == BLOCK && !bytes.is_empty() {
            self.write_block(false)?;
        }
        let taken = bytes.len().min(BLOCK - self.waiting.len());
        self.waiting.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Bytes that do not fill a block wait in memory.
    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Reads the output of a [`Sealer`]. A block is verified before any of it is returned; a stream that ends early is
/// noticed at the end of reading.
pub(crate) struct Opener<R> {
    from: R,
    blocks: Blocks,
    /// The bytes that were read and not opened: at most a block with its tag, and one byte that shows that another
    /// block follows.
    ahead: Vec<u8>,
    plain: Vec<u8>,
    given: usize,
    ended: bool,
    failed: bool,
    what: String,
}

impl<R: Read> Opener<R> {
    /// `what` names it in errors.
    pub fn new(key: &Secret, associated: &[u8], from: R, what: String) -> Self {
        let blocks = Blocks::new(key, associated);
        Self { from, blocks, ahead: Vec::new(), plain: Vec::new(), given: 0, ended: false, failed: false, what }
    }

    fn open_block(&mut self) -> io::Result<()> {
        let missing = BLOCK + TAG + 1 - self.ahead.len();
        self.from.by_ref().take(missing as u64).read_to_end(&mut self.ahead)?;
        let last = self.ahead.len() <= BLOCK + TAG;
        let opened = self.decrypt(last);
        self.failed = opened.is_none();
        self.ended = last;
        opened.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, changed(&self.what)))
    }

    /// Opens the block in `ahead`; `None` if it is not the one that belongs here.
    fn decrypt(&mut self, last: bool) -> Option<()> {
        let rest = self.ahead.split_off(self.ahead.len().min(BLOCK + TAG));
        let block = std::mem::replace(&mut self.ahead, rest);
        (self.plain, self.given) = (self.blocks.open(block, last)?, 0);
        Some(())
    }
}

impl<R: Read> Read for Opener<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Err(io::Error::new(io::ErrorKind::InvalidData, changed(&self.what)));
        }
        while self.given == self.plain.len() {
            if self.ended {
                return Ok(0);
            }
            self.open_block()?;
        }
        let rest = &self.plain[self.given..];
        let taken = rest.len().min(to.len());
        to[..taken].copy_from_slice(&rest[..taken]);
        self.given += taken;
        Ok(taken)
    }
}

/// As [`Opener`], in any order. The end of the stream is verified when it is made.
pub(crate) struct RandomOpener<R> {
    from: R,
    /// The place of the first block.
    start: u64,
    blocks: Blocks,
    /// Number of blocks.
    count: u64,
    /// Bytes of the sealed stream, and of its content.
    sealed: u64,
    plain: u64,
    position: u64,
    /// The block that was read last, and its number.
    current: Option<(u64, Vec<u8>)>,
    what: String,
}

impl<R: Read + Seek> RandomOpener<R> {
    /// The blocks begin at the place of `from`. Errors: [`casetrack_core::ErrorCode::Corrupt`] if the last block is not
    /// one.
    pub fn new(key: &Secret, associated: &[u8], mut from: R, what: String) -> Result<Self> {
        let start = from.stream_position().map_err(|error| explained(&what, error))?;
        let end = from.seek(SeekFrom::End(0)).map_err(|error| explained(&what, error))?;
        let sealed = end.saturating_sub(start);
        let count = sealed.div_ceil((BLOCK + TAG) as u64);
        let plain = sealed.checked_sub(count * TAG as u64).filter(|_| count > 0).ok_or_else(|| changed(&what))?;
        let blocks = Blocks::new(key, associated);
        let mut opener = Self { from, start, blocks, count, sealed, plain, position: 0, current: None, what };
        opener.load(count - 1).map_err(|error| explained(&opener.what, error))?;
        Ok(opener)
    }

    /// Reads a block, unless it is at hand.
    fn load(&mut self, number: u64) -> io::Result<()> {
        if self.current.as_ref().is_some_and(|(at, _)| *at == number) {
            return Ok(());
        }
        let offset = number * (BLOCK + TAG) as u64;
        let length = self.sealed.saturating_sub(offset).min((BLOCK + TAG) as u64);
        self.from.seek(SeekFrom::Start(self.start + offset))?;
        let mut block = Vec::with_capacity(BLOCK + TAG);
        self.from.by_ref().take(length).read_to_end(&mut block)?;
        self.blocks.number = number;
        let opened = self.blocks.open(block, number + 1 == self.count);
        let opened = opened.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, changed(&self.what)))?;
        self.current = Some((number, opened));
        Ok(())
    }
}

impl<R: Read + Seek> Read for RandomOpener<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.plain || to.is_empty() {
            return Ok(0);
        }
        self.load(self.position / BLOCK as u64)?;
        let within = (self.position % BLOCK as u64) as usize;
        let block = self.current.as_ref().map(|(_, block)| block.as_slice()).unwrap_or_default();
        let rest = block.get(within..).unwrap_or_default();
        let taken = rest.len().min(to.len());
        to[..taken].copy_from_slice(&rest[..taken]);
        self.position += taken as u64;
        Ok(taken)
    }
}

impl<R: Read + Seek> Seek for RandomOpener<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.plain.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// All that is left to read.
pub(crate) fn read_all(mut from: impl Read, what: &str, capacity: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(capacity);
    from.read_to_end(&mut bytes).map_err(|error| explained(what, error))?;
    Ok(bytes)
}

/// The error of ours in an error of reading or writing, or one that names the file that could not be accessed.
pub(crate) fn explained(what: &str, error: io::Error) -> Error {
    error.downcast::<Error>().unwrap_or_else(|error| Error::io(what, error))
}
