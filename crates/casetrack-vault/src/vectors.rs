//! Data that `scripts/make/vault_vectors.py`, a second implementation over other libraries, sealed.

use std::io::Read;

use casetrack_core::CollectionId;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::age::{Decryptor, Key};
use crate::header::{Credential, Header};
use crate::key::VaultKey;
use crate::keychain::KeychainSecret;
use crate::passphrase::Passphrase;
use crate::recovery::RecoveryKey;
use crate::secret::Secret;
use crate::values::Packing;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../tests/vectors.json")).unwrap()
}

fn text(vectors: &Value, name: &str) -> String {
    vectors[name].as_str().unwrap().to_owned()
}

fn bytes(vectors: &Value, name: &str) -> Vec<u8> {
    let text = text(vectors, name);
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn key() -> VaultKey {
    let range = |from: u8| std::array::from_fn::<u8, 32, _>(|at| from + at as u8);
    let collection: [u8; 16] = range(0x10)[..16].try_into().unwrap();
    VaultKey::from_secret(CollectionId::from_bytes(collection), Secret::copied(&range(0x40)).unwrap())
}

#[test]
fn a_header_of_the_second_implementation_opens() {
    let vectors = vectors();
    let header = Header::decode(&bytes(&vectors, "header")).unwrap();
    assert_eq!((header.generation(), header.collection()), (3, key().collection()));
    assert!(header.slots().all(|slot| slot.created_at.0 == 1_700_000_000_123));
    let passphrase = Passphrase::new(&text(&vectors, "passphrase")).unwrap();
    let recovery = RecoveryKey::from_words(&text(&vectors, "words")).unwrap();
    let secret = KeychainSecret::from_text(&text(&vectors, "keychain")).unwrap();
    assert_eq!(*secret.text(), text(&vectors, "keychain"));
    for credential in
        [Credential::Passphrase(&passphrase), Credential::RecoveryKey(&recovery), Credential::Keychain(&secret)]
    {
        assert_eq!(header.unlock(&credential).unwrap().master().reveal(), key().master().reveal());
    }
}

#[test]
fn values_of_the_second_implementation_open() {
    let (vectors, values) = (vectors(), key().values().unwrap());
    let (family, place) = (text(&vectors, "family"), bytes(&vectors, "key"));
    let value = bytes(&vectors, "value");
    for name in ["value_as_it_is", "value_compressed"] {
        assert_eq!(values.open(&family, &place, &bytes(&vectors, name)).unwrap(), value, "{name}");
    }
    let sealed = values.seal_with([0x11; 24], &family, &place, &value, Packing::AsItIs).unwrap();
    assert_eq!(sealed, bytes(&vectors, "value_as_it_is"));
}

#[test]
fn files_of_the_second_implementation_are_ours() {
    let (vectors, files) = (vectors(), key().files().unwrap());
    let name = text(&vectors, "file_name");
    let (empty, short) = (bytes(&vectors, "file_empty"), bytes(&vectors, "file_short"));
    assert_eq!(files.open_bytes(&name, &empty).unwrap(), b"");
    assert_eq!(files.open_bytes(&name, &short).unwrap(), bytes(&vectors, "value"));
    let long: Vec<u8> = (0..vectors["file_long_bytes"].as_u64().unwrap()).map(|at| (at * 31 % 251) as u8).collect();
    let seal = |number: u8, bytes: &[u8]| {
        files.seal_bytes_with([0xd0 + number; 16], [0xf0 + number; 24], [0xe0 + number; 32], &name, bytes)
    };
    assert_eq!(seal(2, b""), empty);
    assert_eq!(seal(3, &bytes(&vectors, "value")), short);
    let digest = Sha256::digest(seal(1, &long));
    assert_eq!(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), text(&vectors, "file_long_sha256"));
}

#[test]
fn an_export_of_the_second_implementation_opens() {
    let (vectors, mut content) = (vectors(), Vec::new());
    let (passphrase, file) = (text(&vectors, "passphrase"), bytes(&vectors, "export"));
    let opened = Decryptor::new(Key::Passphrase(&passphrase), file.as_slice()).unwrap();
    opened.unwrap().read_to_end(&mut content).unwrap();
    assert_eq!(content, bytes(&vectors, "value"));
}

#[test]
fn names_are_those_of_the_second_implementation() {
    let (vectors, names) = (vectors(), key().names().unwrap());
    let id: [u8; 16] = bytes(&vectors, "id").try_into().unwrap();
    assert_eq!(names.mask(&id).to_vec(), bytes(&vectors, "id_masked"));
}
