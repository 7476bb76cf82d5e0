//! Agile encryption ([MS-OFFCRYPTO] 2.3.4.10 to 2.3.4.15): AES in chained blocks, with a key that the password only
//! unlocks, as Office 2010 and later write it.

use casetrack_pages::container::xml::{Element, XmlReader};
use casetrack_pages::text::encoding;

use super::attempt::{Attempt, DecryptedFile, Refusal};
use super::crypto::{AES_BLOCK_BYTES, Hash, aes_cbc, utf16};
use super::package::{SIZE_BYTES, without_size};

/// The most that 2.3.4.10 allows; some seconds of hashing.
const MAX_ROUNDS: u32 = 10_000_000;
/// Each piece of the package has its own initialisation vector (2.3.4.15).
const SEGMENT_BYTES: usize = 4096;

/// The kinds of encrypted data: a part of the input for their keys (2.3.4.13) or initialisation vectors (2.3.4.14).
const VERIFIER: [u8; 8] = [0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79];
const VERIFIER_HASH: [u8; 8] = [0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E];
const KEY: [u8; 8] = [0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6];
const HMAC_KEY: [u8; 8] = [0x5F, 0xB2, 0xAD, 0x01, 0x0C, 0xB9, 0xE1, 0xF6];
const HMAC_VALUE: [u8; 8] = [0xA0, 0x67, 0x7F, 0x02, 0xB2, 0x2C, 0x84, 0x33];

const NOT_WHOLE: Refusal = Refusal::Damaged("the description of its encryption is missing or incomplete");

pub(super) struct Description {
    data: Cipher,
    password: PasswordKey,
    /// Key and value of the HMAC of the package, encrypted.
    integrity: Option<(Vec<u8>, Vec<u8>)>,
}

struct Cipher {
    salt: Vec<u8>,
    key_bytes: usize,
    hash: Hash,
    hash_bytes: usize,
}

struct PasswordKey {
    cipher: Cipher,
    rounds: u32,
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
    key: Vec<u8>,
}

impl Description {
    pub fn parse(xml: &[u8]) -> Attempt<Self> {
        let xml = encoding::decode_xml(xml);
        let mut xml = XmlReader::new(&xml);
        let (mut data, mut password, mut integrity) = (None, None, None);
        while let Ok(Some(element)) = xml.next_start(0) {
            match element.name() {
                "keyData" => data = Some(Cipher::parse(&element)?),
                "dataIntegrity" => {
                    integrity = element.bytes("encryptedHmacKey").zip(element.bytes("encryptedHmacValue"));
                }
                // Those for certificates have another name space, and no spinCount.
                "encryptedKey" if element.attribute("spinCount").is_some() => {
                    password = Some(PasswordKey::parse(&element)?);
                }
                _ => {}
            }
        }
        let (Some(data), Some(password)) = (data, password) else { return Err(NOT_WHOLE) };
        Ok(Self { data, password, integrity })
    }

    /// The key of the package, if the password is right (2.3.4.11, 2.3.4.13).
    pub fn key(&self, password: &str) -> Attempt<Vec<u8>> {
        let PasswordKey { cipher, rounds, verifier, verifier_hash, key } = &self.password;
        let hash = cipher.hash;
        let spun = hash.spun(&hash.of(&[&cipher.salt, &utf16(password)]), *rounds);
        let decrypted = |purpose: &[u8], data: &[u8]| {
            let key = padded(hash.of(&[&spun, purpose]), cipher.key_bytes);
            cipher.decrypted(&key, &padded(cipher.salt.clone(), AES_BLOCK_BYTES), data)
        };
        let verifier = decrypted(&VERIFIER, verifier)?;
        let expected = decrypted(&VERIFIER_HASH, verifier_hash)?;
        // Padded to a whole block, as the salt is, which has the size of the verifier.
        let found = hash.of(&[&verifier[..verifier.len().min(cipher.salt.len())]]);
        if found.is_empty() || !expected.starts_with(&found) {
            return Err(Refusal::WrongPassword);
        }
        let mut key = decrypted(&KEY, key)?;
        if key.len() < self.data.key_bytes {
            return Err(NOT_WHOLE);
        }
        key.truncate(self.data.key_bytes);
        Ok(key)
    }

    /// Decrypts the stream EncryptedPackage. Damage to it is only a warning: its zip container decides what can still be read.
    pub fn open(&self, key: &[u8], mut package: Vec<u8>) -> Attempt<DecryptedFile> {
        let is_whole = self.is_whole(key, &package)?;
        for (segment, number) in package[SIZE_BYTES..].chunks_mut(SEGMENT_BYTES).zip(0u32..) {
            let vector = self.data.vector(&number.to_le_bytes());
            aes_cbc(key, &vector, segment).ok_or(NOT_WHOLE)?;
        }
        let mut plain = without_size(package);
        if !is_whole && plain.warning.is_none() {
            plain.warning = Some("The encrypted file was damaged or changed: its checksum (HMAC) does not match.");
        }
        Ok(plain)
    }

    /// True if the HMAC matches the package (2.3.4.14); true if there is none.
    fn is_whole(&self, key: &[u8], package: &[u8]) -> Attempt<bool> {
        let Some((mac_key, mac)) = &self.integrity else { return Ok(true) };
        let decrypted = |purpose: &[u8], data: &[u8]| {
            let mut plain = self.data.decrypted(key, &self.data.vector(purpose), data)?;
            plain.truncate(self.data.hash_bytes);
            Ok(plain)
        };
        let (mac_key, mac) = (decrypted(&HMAC_KEY, mac_key)?, decrypted(&HMAC_VALUE, mac)?);
        Ok(self.data.hash.keyed(&mac_key, package) == mac)
    }
}

impl Cipher {
    fn parse(element: &Element) -> Attempt<Self> {
        let named = |name: &str| element.attribute(name).unwrap_or_default();
        let (cipher, chaining, hash) = (named("cipherAlgorithm"), named("cipherChaining"), named("hashAlgorithm"));
        let unsupported = |what: &str| Refusal::Unsupported(what.chars().take(40).collect());
        if cipher != "AES" {
            return Err(unsupported(&cipher));
        }
        if chaining != "ChainingModeCBC" {
            return Err(unsupported(&chaining));
        }
        let hash = Hash::named(&hash).ok_or_else(|| unsupported(&hash))?;
        let key_bits: usize = named("keyBits").parse().map_err(|_| NOT_WHOLE)?;
        if ![128, 192, 256].contains(&key_bits) {
            return Err(unsupported(&format!("AES with {key_bits} bits")));
        }
        Ok(Self {
            salt: element.bytes("saltValue").ok_or(NOT_WHOLE)?,
            key_bytes: key_bits / 8,
            hash,
            hash_bytes: hash.of(&[]).len(),
        })
    }

    fn decrypted(&self, key: &[u8], vector: &[u8], data: &[u8]) -> Attempt<Vec<u8>> {
        let mut plain = data.to_vec();
        aes_cbc(key, vector, &mut plain).ok_or(NOT_WHOLE)?;
        Ok(plain)
    }

    /// The initialisation vector of a segment or of the HMAC (2.3.4.12).
    fn vector(&self, purpose: &[u8]) -> Vec<u8> {
        padded(self.hash.of(&[&self.salt, purpose]), AES_BLOCK_BYTES)
    }
}

impl PasswordKey {
    fn parse(element: &Element) -> Attempt<Self> {
        let rounds = element.number("spinCount").ok_or(NOT_WHOLE)?;
        if rounds > MAX_ROUNDS {
            return Err(Refusal::Unsupported(format!("{rounds} rounds of hashing the password")));
        }
        let of = |name: &str| element.bytes(name).ok_or(NOT_WHOLE);
        Ok(Self {
            cipher: Cipher::parse(element)?,
            rounds,
            verifier: of("encryptedVerifierHashInput")?,
            verifier_hash: of("encryptedVerifierHashValue")?,
            key: of("encryptedKeyValue")?,
        })
    }
}

/// Of this length: clipped, or filled up with 0x36 (2.3.4.11, 2.3.4.12).
fn padded(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length, 0x36);
    bytes
}

#[cfg(test)]
#[path = "agile_tests.rs"]
mod tests;
