//! Hashes and ciphers whose kind a file names at run time.

use aes::cipher::{Array, Block, BlockCipherDecrypt, BlockModeDecrypt, KeyInit, KeyIvInit};
use aes::{Aes128, Aes192, Aes256};
use hmac::{EagerHash, Hmac, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The block of AES in bytes.
pub(super) const AES_BLOCK_BYTES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// By its name in [MS-OFFCRYPTO] 2.3.4.10, whose hyphen some producers write and others do not.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.replace('-', "").to_ascii_uppercase().as_str() {
            "MD5" => Self::Md5,
            "SHA1" => Self::Sha1,
            "SHA256" => Self::Sha256,
            "SHA384" => Self::Sha384,
            "SHA512" => Self::Sha512,
            _ => return None,
        })
    }

    /// The hash of the parts, one behind the other.
    pub fn of(self, parts: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::Md5 => hash::<Md5>(parts),
            Self::Sha1 => hash::<Sha1>(parts),
            Self::Sha256 => hash::<Sha256>(parts),
            Self::Sha384 => hash::<Sha384>(parts),
            Self::Sha512 => hash::<Sha512>(parts),
        }
    }

    /// Hashes the number of the round and the last hash, `rounds` times ([MS-OFFCRYPTO] 2.3.4.7 and 2.3.4.11).
    pub fn spun(self, start: &[u8], rounds: u32) -> Vec<u8> {
        match self {
            Self::Md5 => spun::<Md5>(start, rounds),
            Self::Sha1 => spun::<Sha1>(start, rounds),
            Self::Sha256 => spun::<Sha256>(start, rounds),
            Self::Sha384 => spun::<Sha384>(start, rounds),
            Self::Sha512 => spun::<Sha512>(start, rounds),
        }
    }

    /// HMAC of `data` (RFC 2104).
    pub fn keyed(self, key: &[u8], data: &[u8]) -> Vec<u8> {
        match self {
            Self::Md5 => keyed::<Md5>(key, data),
            Self::Sha1 => keyed::<Sha1>(key, data),
            Self::Sha256 => keyed::<Sha256>(key, data),
            Self::Sha384 => keyed::<Sha384>(key, data),
            Self::Sha512 => keyed::<Sha512>(key, data),
        }
    }
}

fn hash<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
    let mut digest = D::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().to_vec()
}

fn spun<D: Digest>(start: &[u8], rounds: u32) -> Vec<u8> {
    let mut last = start.to_vec();
    for round in 0..rounds {
        let mut digest = D::new();
        digest.update(round.to_le_bytes());
        digest.update(&last);
        last.clear();
        last.extend_from_slice(&digest.finalize());
    }
    last
}

fn keyed<D: EagerHash>(key: &[u8], data: &[u8]) -> Vec<u8>
where
    Hmac<D>: Mac + KeyInit,
{
    // Keys of any length are taken.
    let Ok(mut mac) = <Hmac<D> as KeyInit>::new_from_slice(key) else { return Vec::new() };
    mac.update(data);
    mac.finalize().into_bytes().to_vec()
}

/// Text as Office hashes it.
pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Decrypts the whole blocks of `data` in place, each by itself; `None` for a key that is none of AES.
pub(super) fn aes_ecb(key: &[u8], data: &mut [u8]) -> Option<()> {
    fn decrypt<C: BlockCipherDecrypt + KeyInit>(key: &[u8], data: &mut [u8]) -> Option<()> {
        let (blocks, _) = Array::slice_as_chunks_mut(data);
        C::new_from_slice(key).ok()?.decrypt_blocks(blocks);
        Some(())
    }
    match key.len() {
        16 => decrypt::<Aes128>(key, data),
        24 => decrypt::<Aes192>(key, data),
        32 => decrypt::<Aes256>(key, data),
        _ => None,
    }
}

/// Decrypts the whole blocks of `data` in place, chained; `None` for a key or initialisation vector that is none of AES.
pub(super) fn aes_cbc(key: &[u8], vector: &[u8], data: &mut [u8]) -> Option<()> {
    fn decrypt<C: BlockCipherDecrypt + KeyInit>(key: &[u8], vector: &[u8], data: &mut [u8]) -> Option<()> {
        let (blocks, _): (&mut [Block<C>], _) = Array::slice_as_chunks_mut(data);
        cbc::Decryptor::<C>::new_from_slices(key, vector).ok()?.decrypt_blocks(blocks);
        Some(())
    }
    match key.len() {
        16 => decrypt::<Aes128>(key, vector, data),
        24 => decrypt::<Aes192>(key, vector, data),
        32 => decrypt::<Aes256>(key, vector, data),
        _ => None,
    }
}
