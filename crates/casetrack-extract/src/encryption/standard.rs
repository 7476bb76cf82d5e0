//! Standard encryption ([MS-OFFCRYPTO] 2.3.4.5 to 2.3.4.9): AES without chaining, as Office 2007 writes it.

use casetrack_pages::container::ole::u32_at;

use super::attempt::{Attempt, Refusal};
use super::crypto::{AES_BLOCK_BYTES, Hash, aes_ecb, utf16};

/// Rounds of hashing the password (2.3.4.7).
const ROUNDS: u32 = 50_000;

pub(super) struct Description {
    salt: Vec<u8>,
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
    key_bytes: usize,
}

impl Description {
    /// From the stream EncryptionInfo (2.3.4.5); `None` when it ends early.
    pub fn parse(info: &[u8]) -> Option<Attempt<Self>> {
        /// Of EncryptionHeader.AlgID (2.3.2), with the size of their keys in bits.
        const ALGORITHMS: [(u32, u32); 3] = [(0x660E, 128), (0x660F, 192), (0x6610, 256)];
        const AES: u32 = 0x20;

        // Version and flags, the size of the header, the header, the verifier.
        let header_bytes = u32_at(info, 8)? as usize;
        let header = info.get(12..)?.get(..header_bytes)?;
        let verifier = info.get(12 + header_bytes..)?;
        let (flags, algorithm, key_bits) = (u32_at(header, 0)?, u32_at(header, 8)?, u32_at(header, 16)?);
        // For algorithm 0 the flags decide, and keys have 128 bits unless stated otherwise.
        let key_bits = match (ALGORITHMS.iter().find(|(id, _)| *id == algorithm), algorithm, key_bits) {
            (Some((_, bits)), ..) => *bits,
            (None, 0, 0) if flags & AES != 0 => 128,
            (None, 0, bits @ (128 | 192 | 256)) if flags & AES != 0 => bits,
            _ => return Some(Err(Refusal::Unsupported(format!("algorithm {algorithm:#x} in an Office file")))),
        };
        Some(Ok(Self {
            salt: verifier.get(4..20)?.to_vec(),
            verifier: verifier.get(20..36)?.to_vec(),
            verifier_hash: verifier.get(40..72)?.to_vec(),
            key_bytes: key_bits as usize / 8,
        }))
    }

    /// The key, if the password is right (2.3.4.7, 2.3.4.9).
    pub fn key(&self, password: &str) -> Attempt<Vec<u8>> {
        let hash = Hash::SHA1;
        let last = hash.spun(&hash.of(&[&self.salt, &utf16(password)]), ROUNDS);
        let last = hash.of(&[&last, &0u32.to_le_bytes()]);
        let derived = |filler: u8| {
            let mut buffer = [filler; 64];
            buffer.iter_mut().zip(&last).for_each(|(target, byte)| *target ^= byte);
            hash.of(&[&buffer])
        };
        let mut key = [derived(0x36), derived(0x5C)].concat();
        key.truncate(self.key_bytes);

        let (mut verifier, mut expected) = (self.verifier.clone(), self.verifier_hash.clone());
        decrypt_blocks(&key, &mut verifier)?;
        decrypt_blocks(&key, &mut expected)?;
        let found = hash.of(&[&verifier]);
        if expected.starts_with(&found) { Ok(key) } else { Err(Refusal::WrongPassword) }
    }
}

pub(super) fn decrypt_blocks(key: &[u8], data: &mut [u8]) -> Attempt<()> {
    let whole = data.len() / AES_BLOCK_BYTES * AES_BLOCK_BYTES;
    aes_ecb(key, &mut data[..whole]).ok_or_else(|| Refusal::Unsupported(format!("a key of {} bytes", key.len())))
}
