//! The key of a collection, and the subkeys made from it.

use casetrack_core::{CollectionId, Result};
use hkdf::Hkdf;
use sha2::Sha256;

use crate::errors::refused;
use crate::files::Files;
use crate::names::Names;
use crate::secret::Secret;
use crate::values::Values;

/// The key of one collection. It encrypts nothing itself: subkeys are derived from it, and slots contain it.
#[derive(Debug, Clone)]
pub struct VaultKey {
    collection: CollectionId,
    master: Secret,
}

/// The purpose of a subkey. Subkeys are independent: none of them reveals anything about another or about the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Values,
    Ids,
    Files,
    Header,
}

impl Purpose {
    fn info(self) -> &'static [u8] {
        match self {
            Self::Values => b"casetrack-vault-1 values",
            Self::Ids => b"casetrack-vault-1 ids",
            Self::Files => b"casetrack-vault-1 files",
            Self::Header => b"casetrack-vault-1 header",
        }
    }
}

impl VaultKey {
    pub fn random(collection: CollectionId) -> Result<Self> {
        Secret::random().map(|master| Self::from_secret(collection, master))
    }

    pub(crate) fn from_secret(collection: CollectionId, master: Secret) -> Self {
        Self { collection, master }
    }

    /// The collection that it belongs to.
    pub fn collection(&self) -> CollectionId {
        self.collection
    }

    pub(crate) fn master(&self) -> &Secret {
        &self.master
    }

    pub fn values(&self) -> Result<Values> {
        self.subkey(Purpose::Values).map(|key| Values::new(&key))
    }

    /// The function that hides ids and digests in keys of a database.
    pub fn names(&self) -> Result<Names> {
        self.subkey(Purpose::Ids).map(|key| Names::new(&key))
    }

    pub fn files(&self) -> Result<Files> {
        self.subkey(Purpose::Files).map(|key| Files::new(&key))
    }

    /// The key of the HMAC of the header.
    pub(crate) fn header(&self) -> Result<Secret> {
        self.subkey(Purpose::Header)
    }

    /// HKDF-SHA256 (RFC 5869) over the key, with the collection's id as salt.
    fn subkey(&self, purpose: Purpose) -> Result<Secret> {
        let hkdf = Hkdf::<Sha256>::new(Some(self.collection.as_bytes()), self.master.reveal());
        Secret::filled(|key| hkdf.expand(purpose.info(), key).map_err(|_| refused("Deriving a key")))
    }
}

/// The key that wraps the vault's key in a slot whose secret is 256 random bits: HKDF-SHA256 over them, with the slot's
/// salt, and the collection's id in the info.
pub(crate) fn wrapping_key(
    secret: &Secret,
    purpose: &[u8],
    collection: CollectionId,
    salt: &[u8; 16],
) -> Result<Secret> {
    let hkdf = Hkdf::<Sha256>::new(Some(salt), secret.reveal());
    let info = [purpose, collection.as_bytes().as_slice()].concat();
    Secret::filled(|key| hkdf.expand(&info, key).map_err(|_| refused("Deriving a key")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_purpose_and_collection_has_keys_of_its_own() {
        let key = VaultKey::random(CollectionId::random()).unwrap();
        let elsewhere = VaultKey::from_secret(CollectionId::random(), key.master.clone());
        let purposes = [Purpose::Values, Purpose::Ids, Purpose::Files, Purpose::Header];
        let of = |key: &VaultKey| purposes.map(|purpose| *key.subkey(purpose).unwrap().reveal()).to_vec();
        let mut all = [of(&key), of(&elsewhere), vec![*key.master.reveal()]].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 9);
        assert_eq!(of(&key), of(&key.clone()));
    }

    /// RFC 5869, test case 1: the primitive that all subkeys come from is the one of the standard.
    #[test]
    fn hkdf_is_that_of_the_rfc() {
        let salt: Vec<u8> = (0..=0x0c).collect();
        let info: Vec<u8> = (0xf0..=0xf9).collect();
        let mut okm = [0; 42];
        Hkdf::<Sha256>::new(Some(&salt), &[0x0b; 22]).expand(&info, &mut okm).unwrap();
        let expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
        assert_eq!(okm.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), expected);
    }
}
