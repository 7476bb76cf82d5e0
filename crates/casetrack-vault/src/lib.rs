//! Encryption of what a collection leaves on disk: keys, how they are kept, and the three forms of what is sealed with them.
//!
//! | module | what is in it |
//! |---|---|
//! | [`secret`] | 32 secret bytes, and the random bytes that they come from |
//! | [`key`] | the key of a collection, and the subkeys made from it |
//! | [`passphrase`], [`recovery`], [`age`], [`keychain`] | what opens a slot: a passphrase, 24 words, the identity of a recipient, what a keychain keeps |
//! | [`header`] | the file with the slots; each holds the key, wrapped |
//! | [`values`] | single values, bound to the place where they lie |
//! | [`names`] | ids and digests within keys of a database |
//! | [`files`] | files of any length, in blocks of 64 KiB |
//!
//! The formats are written down to the byte in docs/dev/vault-formats.md. All primitives come from other crates: XChaCha20-Poly1305 and
//! ChaCha20-Poly1305, HKDF and HMAC over SHA-256, Argon2id, AES-256, X25519.
//!
//! Sealed data is either read back as it was written, or is an error: [`ErrorCode::Corrupt`](casetrack_core::ErrorCode::Corrupt)
//! for what was changed, cut off or exchanged, [`ErrorCode::WrongKey`](casetrack_core::ErrorCode::WrongKey) for a passphrase that
//! opens no slot, [`ErrorCode::NewerSchema`](casetrack_core::ErrorCode::NewerSchema) for a later format. Bytes of any kind can be passed to what reads: none of it
//! panics, and memory stays in proportion to what was passed.

pub mod age;
mod errors;
pub mod files;
pub mod header;
pub mod key;
pub mod keychain;
pub mod names;
pub mod passphrase;
pub mod recovery;
pub mod secret;
mod stream;
pub mod values;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod standards;
#[cfg(test)]
mod vectors;
