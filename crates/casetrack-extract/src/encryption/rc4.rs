//! RC4 and RC4 CryptoAPI ([MS-OFFCRYPTO] 2.3.6 and 2.3.5): each block of a stream has a key of its own.

use casetrack_pages::container::ole::{u16_at, u32_at};
use rc4::{KeyInit, Rc4, StreamCipher};

use super::attempt::{Attempt, Refusal};
use super::crypto::{Hash, utf16};

/// RC4's 40 bits of the hashed password (2.3.6.2).
const SHORT_KEY_BYTES: usize = 5;

pub(super) enum Description {
    Rc4 { salt: Vec<u8>, verifier: Vec<u8> },
    CryptoApi { salt: Vec<u8>, verifier: Vec<u8>, key_bytes: usize },
}

pub(super) struct Keys {
    hash: Hash,
    start: Vec<u8>,
    key_bytes: usize,
}

impl Description {
    /// From the version on. `None` when it ends early.
    pub fn parse(header: &[u8]) -> Option<Attempt<Self>> {
        /// EncryptionHeader.AlgID (2.3.2).
        const RC4: u32 = 0x6801;

        let (major, minor) = (u16_at(header, 0)?, u16_at(header, 2)?);
        Some(match (major, minor) {
            // Salt, then the encrypted verifier and its encrypted hash (2.3.6.1).
            (1, 1) => Ok(Self::Rc4 { salt: header.get(4..20)?.to_vec(), verifier: header.get(20..52)?.to_vec() }),
            (2..=4, 2) => {
                // Version and flags, the size of EncryptionHeader, EncryptionHeader, EncryptionVerifier (2.3.5.1).
                let size = u32_at(header, 8)? as usize;
                let fields = header.get(12..)?.get(..size)?;
                let verifier = header.get(12 + size..)?;
                let (algorithm, key_bits) = (u32_at(fields, 8)?, u32_at(fields, 16)?);
                // 0 means the size that the cryptographic provider takes by default.
                let key_bits = if key_bits == 0 { 40 } else { key_bits };
                if ![0, RC4].contains(&algorithm) || !(40..=128).contains(&key_bits) || key_bits % 8 != 0 {
                    let how = format!("algorithm {algorithm:#x} with {key_bits} bits");
                    return Some(Err(Refusal::Unsupported(how)));
                }
                Ok(Self::CryptoApi {
                    salt: verifier.get(4..20)?.to_vec(),
                    // The size of the hash is between the two.
                    verifier: [verifier.get(20..36)?, verifier.get(40..60)?].concat(),
                    key_bytes: key_bits as usize / 8,
                })
            }
            _ => Err(Refusal::Unsupported(format!("version {major}.{minor} of Office encryption"))),
        })
    }

    /// The keys, if the password is right (2.3.6.4, 2.3.5.6).
    pub fn keys(&self, password: &str) -> Attempt<Keys> {
        let (keys, verifier) = match self {
            Self::Rc4 { salt, verifier } => {
                let hash = Hash::MD5;
                let password = hash.of(&[&utf16(password)]);
                let start = hash.of(&[&[&password[..SHORT_KEY_BYTES], salt].concat().repeat(16)]);
                let start = start[..SHORT_KEY_BYTES].to_vec();
                (Keys { hash, start, key_bytes: 16 }, verifier)
            }
            Self::CryptoApi { salt, verifier, key_bytes } => {
                let hash = Hash::SHA1;
                let start = hash.of(&[salt, &utf16(password)]);
                (Keys { hash, start, key_bytes: *key_bytes }, verifier)
            }
        };
        let mut verifier = verifier.clone();
        let length = verifier.len();
        keys.decrypt(&mut verifier, length);
        let (verifier, expected) = verifier.split_at(16);
        if keys.hash.of(&[verifier]) == expected { Ok(keys) } else { Err(Refusal::WrongPassword) }
    }
}

impl Keys {
    fn of_block(&self, block: u32) -> Vec<u8> {
        let mut key = self.hash.of(&[&self.start, &block.to_le_bytes()]);
        key.truncate(self.key_bytes);
        if self.key_bytes == SHORT_KEY_BYTES {
            // Of RC4 CryptoAPI; filled up with zeros (2.3.5.2).
            key.resize(16, 0);
        }
        key
    }

    pub fn decrypt(&self, stream: &mut [u8], block_bytes: usize) {
        for (bytes, block) in stream.chunks_mut(block_bytes).zip(0..) {
            // A key has 1 to 256 bytes.
            if let Ok(mut cipher) = Rc4::new_from_slice(&self.of_block(block)) {
                cipher.apply_keystream(bytes);
            }
        }
    }
}
