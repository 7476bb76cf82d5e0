//! XOR obfuscation ([MS-OFFCRYPTO] 2.3.7): the password makes 16 bytes that are laid over the file again and again.

use super::attempt::{Attempt, Refusal};

const KEY_BYTES: usize = 16;
/// Longer passwords are clipped by the programs that write these files.
const MAX_PASSWORD_BYTES: usize = 15;
/// Follows the password in the key (2.3.7.2).
const PADDING: [u8; 15] = [0xBB, 0xFF, 0xFF, 0xBA, 0xFF, 0xFF, 0xB9, 0x80, 0, 0xBE, 0x0F, 0, 0xBF, 0x0F, 0];

pub(super) struct XorKey([u8; KEY_BYTES]);

impl XorKey {
    /// For a password whose key and verifier are those that the file has.
    fn derived(password: &str, key: u16, verifier: u16) -> Attempt<[u8; KEY_BYTES]> {
        // One byte of each character (2.3.7.4).
        let password: Vec<u8> = password
            .encode_utf16()
            .map(|unit| unit.to_le_bytes())
            .map(|[low, high]| if low == 0 { high } else { low })
            .take(MAX_PASSWORD_BYTES)
            .collect();
        if (key_of(&password), verifier_of(&password)) != (key, verifier) {
            return Err(Refusal::WrongPassword);
        }
        let mut bytes = [0; KEY_BYTES];
        let filled = password.iter().chain(&PADDING).zip(key.to_le_bytes().into_iter().cycle());
        bytes.iter_mut().zip(filled).for_each(|(byte, (from, key))| *byte = from ^ key);
        Ok(bytes)
    }

    /// As Excel uses it (2.3.7.2).
    pub fn of_excel(password: &str, key: u16, verifier: u16) -> Attempt<Self> {
        Ok(Self(Self::derived(password, key, verifier)?.map(|byte| byte.rotate_left(2))))
    }

    /// As Word uses it (2.3.7.5).
    pub fn of_word(password: &str, key: u16, verifier: u16) -> Attempt<Self> {
        Ok(Self(Self::derived(password, key, verifier)?.map(|byte| byte.rotate_right(1))))
    }

    /// Part of a record; `position` is the place of its first byte in the stream plus the length of the record (2.3.7.3).
    pub fn decode_excel(&self, bytes: &mut [u8], position: usize) {
        let start = position % KEY_BYTES;
        bytes
            .iter_mut()
            .zip(self.0.iter().cycle().skip(start))
            .for_each(|(byte, key)| *byte = byte.rotate_left(3) ^ key);
    }

    /// Part of a stream from `position` on. Bytes that are zero, or would become zero, were left as they are (2.3.7.6).
    pub fn decode_word(&self, bytes: &mut [u8], position: usize) {
        let start = position % KEY_BYTES;
        for (byte, key) in bytes.iter_mut().zip(self.0.iter().cycle().skip(start)) {
            if *byte != 0 && *byte != *key {
                *byte ^= key;
            }
        }
    }
}

/// CreateXorKey_Method1 (2.3.7.2). Its tables of initial codes and of the matrix are the states of this shift register.
fn key_of(password: &[u8]) -> u16 {
    const FEEDBACK: u16 = 0x1020;
    let step = |state: u16| {
        let rotated = state.rotate_left(1);
        if rotated & 1 == 1 { rotated ^ FEEDBACK } else { rotated }
    };
    let (mut element, mut initial, mut key) = (0x8000u16, 0xFFFFu16, 0u16);
    for byte in password.iter().rev() {
        // Seven bits of the character count; the register steps eight times.
        for bit in 0..8 {
            element = step(element);
            initial = step(initial);
            if byte & 0x7F & (1 << bit) != 0 {
                key ^= element;
            }
        }
    }
    if password.is_empty() { 0 } else { key ^ initial }
}

/// CreatePasswordVerifier_Method1 (2.3.7.1).
fn verifier_of(password: &[u8]) -> u16 {
    let rotated = |verifier: u16| (verifier << 1 | verifier >> 14) & 0x7FFF;
    let sum = password.iter().rev().fold(0, |sum, byte| rotated(sum) ^ u16::from(*byte));
    if password.is_empty() { 0 } else { rotated(sum) ^ password.len() as u16 ^ 0xCE4B }
}
