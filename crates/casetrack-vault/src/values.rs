//! Single values, bound to their place.
//!
//! | bytes | |
//! |---|---|
//! | 1 | version: [`VERSION`] |
//! | 24 | nonce, random |
//! | n | how the value is packed (1 byte: 0 as it is, 1 LZ4) and the value, encrypted |
//! | 16 | tag |
//!
//! XChaCha20-Poly1305; the associated data is `casetrack value`, the version, the length of the family's name (1 byte),
//! the name, and the key. A value that was moved to another key or family, or comes from another collection, does not
//! open.

use casetrack_core::Result;
use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

use crate::errors::{changed, newer, refused};
use crate::secret::{Secret, random};

/// First byte of a sealed value.
pub const VERSION: u8 = 1;

const NONCE: usize = 24;
const TAG: usize = 16;
/// Bytes that sealing adds to a value that is not compressed.
pub const OVERHEAD: usize = 1 + NONCE + 1 + TAG;

const AS_IT_IS: u8 = 0;
const LZ4: u8 = 1;
/// LZ4 cannot make more of a byte.
const LZ4_MOST: usize = 255;

/// True if a value is worth compressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Compressed if that makes it smaller. docs/dev/vault-formats.md describes what the length of a value then reveals.
    Compressed,
    /// For data that looks random, such as components of vectors.
    AsItIs,
}

/// Seals and opens the values of one collection.
pub struct Values(XChaCha20Poly1305);

impl Values {
    pub(crate) fn new(key: &Secret) -> Self {
        Self(XChaCha20Poly1305::new(key.reveal().into()))
    }

    /// Seals the value to be stored under `key` in the column family `family`, whose name has at most 255 bytes.
    pub fn seal(&self, family: &str, key: &[u8], value: &[u8], packing: Packing) -> Result<Vec<u8>> {
        self.seal_with(random()?, family, key, value, packing)
    }

    pub(crate) fn seal_with(
        &self,
        nonce: [u8; NONCE],
        family: &str,
        key: &[u8],
        value: &[u8],
        packing: Packing,
    ) -> Result<Vec<u8>> {
        let compressed = match packing {
            Packing::Compressed => Some(lz4_flex::block::compress_prepend_size(value)),
            Packing::AsItIs => None,
        };
        let (method, packed) = match &compressed {
            Some(compressed) if compressed.len() < value.len() => (LZ4, compressed.as_slice()),
            _ => (AS_IT_IS, value),
        };
        let mut sealed = Vec::with_capacity(OVERHEAD + packed.len());
        sealed.push(VERSION);
        sealed.extend_from_slice(&nonce);
        sealed.push(method);
        sealed.extend_from_slice(packed);
        let tag = self.0.encrypt_inout_detached(
            &XNonce::from(nonce),
            &place(family, key)?,
            (&mut sealed[1 + NONCE..]).into(),
        );
        sealed.extend_from_slice(&tag.map_err(|_| refused("Encrypting a value"))?);
        Ok(sealed)
    }

    /// The value that was sealed for this place. Errors: [`casetrack_core::ErrorCode::Corrupt`] for anything other than the
    /// output of [`seal`](Self::seal) for this family and key, [`casetrack_core::ErrorCode::NewerSchema`] for a later
    /// format.
    pub fn open(&self, family: &str, key: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let damaged = || changed(&format!("A value of \"{family}\""));
        let (&version, rest) = sealed.split_first().ok_or_else(damaged)?;
        if version > VERSION {
            return Err(newer(&format!("A value of \"{family}\""), version.into(), VERSION.into()));
        }
        let (nonce, rest) = rest.split_first_chunk::<NONCE>().ok_or_else(damaged)?;
        let (packed, tag) = rest.split_last_chunk::<TAG>().ok_or_else(damaged)?;
        if version != VERSION {
            return Err(damaged());
        }
        let mut packed = packed.to_vec();
        let opened = self.0.decrypt_inout_detached(
            &XNonce::from(*nonce),
            &place(family, key)?,
            packed.as_mut_slice().into(),
            tag.into(),
        );
        opened.map_err(|_| damaged())?;
        match packed.first() {
            Some(&AS_IT_IS) => {
                packed.remove(0);
                Ok(packed)
            }
            Some(&LZ4) => unpack(&packed[1..]).ok_or_else(damaged),
            _ => Err(damaged()),
        }
    }
}

/// The compressed bytes, after their original length (`u32`, little endian).
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (length, compressed) = packed.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    // Else a few bytes could claim gigabytes.
    (length <= compressed.len().saturating_mul(LZ4_MOST)).then_some(())?;
    let value = lz4_flex::block::decompress(compressed, length).ok()?;
    (value.len() == length).then_some(value)
}

/// The associated data.
fn place(family: &str, key: &[u8]) -> Result<Vec<u8>> {
    let length = u8::try_from(family.len()).map_err(|_| refused("Naming a family of values"))?;
    Ok([b"casetrack value", [VERSION, length].as_slice(), family.as_bytes(), key].concat())
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Values(***)")
    }
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
