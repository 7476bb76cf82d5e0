//! Encryption of the files of a collection: keys, their slots, and the three forms of sealed data.
//!
//! | module | content |
//! |---|---|
//! | [`secret`] | 32 secret bytes, and the random bytes that they come from |
//! | [`key`] | the key of a collection, and the subkeys made from it |
//! | [`passphrase`], [`recovery`], [`age`], [`keychain`] | the secret of a slot: a passphrase, 24 words, the identity of a recipient, a secret in a keychain |
//! | [`header`] | the file with the slots; each holds the key, wrapped |
//! | [`values`] | single values, bound to their place |
//! | [`names`] | ids and digests within keys of a database |
//! | [`files`] | files of any length, in blocks of 64 KiB |
//!
//! The formats are documented to the byte in docs/dev/vault-formats.md. All primitives come from other crates:
//! XChaCha20-Poly1305 and ChaCha20-Poly1305, HKDF and HMAC over SHA-256, Argon2id, AES-256, X25519.
//!
//! Sealed data is read back as it was written, or gives an error:
//! [`ErrorCode::Corrupt`](casetrack_core::ErrorCode::Corrupt) for changed, missing or exchanged data,
//! [`ErrorCode::WrongKey`](casetrack_core::ErrorCode::WrongKey) for a passphrase that opens no slot,
//! [`ErrorCode::NewerSchema`](casetrack_core::ErrorCode::NewerSchema) for a later format. Every reader accepts any
//! bytes: it does not panic, and memory stays in proportion to its input.

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
