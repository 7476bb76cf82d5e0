//! Hashes and ciphers whose kind a file names at run time.

use aes::cipher::{Array, Block, BlockCipherDecrypt, BlockModeDecrypt, KeyInit, KeyIvInit};
use aes::{Aes128, Aes192, Aes256};
use hmac::{EagerHash, Hmac, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

pub(super) const AES_BLOCK_BYTES: usize = 16;

#[derive(Clone, Copy)]
pub(super) struct Hash {
    pub name: &'static str,
    of: fn(&[&[u8]]) -> Vec<u8>,
    spun: fn(&[u8], u32) -> Vec<u8>,
    keyed: fn(&[u8], &[u8]) -> Vec<u8>,
}

impl Hash {
    pub const MD5: Self = Self::with::<Md5>("MD5");
    pub const SHA1: Self = Self::with::<Sha1>("SHA1");
    pub const SHA256: Self = Self::with::<Sha256>("SHA256");
    pub const SHA384: Self = Self::with::<Sha384>("SHA384");
    pub const SHA512: Self = Self::with::<Sha512>("SHA512");

    const fn with<D: Digest + EagerHash>(name: &'static str) -> Self
    where
        Hmac<D>: Mac + KeyInit,
    {
        Self { name, of: hash::<D>, spun: spun::<D>, keyed: keyed::<D> }
    }

    /// By its name in [MS-OFFCRYPTO] 2.3.4.10, whose hyphen some producers write and others do not.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.replace('-', "").to_ascii_uppercase();
        [Self::MD5, Self::SHA1, Self::SHA256, Self::SHA384, Self::SHA512].into_iter().find(|hash| hash.name == name)
    }

    pub fn of(self, parts: &[&[u8]]) -> Vec<u8> {
        (self.of)(parts)
    }

    /// Hashes the number of the round and the last hash, `rounds` times ([MS-OFFCRYPTO] 2.3.4.7 and 2.3.4.11).
    pub fn spun(self, start: &[u8], rounds: u32) -> Vec<u8> {
        (self.spun)(start, rounds)
    }

    pub fn keyed(self, key: &[u8], data: &[u8]) -> Vec<u8> {
        (self.keyed)(key, data)
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

pub(super) fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Decrypts the whole blocks of `data` in place, each on its own; `None` for a key that is not an AES key.
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

/// Decrypts the whole blocks of `data` in place, chained; `None` for a key or initialisation vector that does not fit AES.
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
