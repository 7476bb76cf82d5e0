//! Changed and random bytes for everything that reads: none of it may panic, and nothing that was changed may be given
//! out.
//!
//! `CASETRACK_FUZZ_SECONDS=600 scripts/test.sh fuzz` runs it for longer.

use std::io::{Cursor, Read, Write};
use std::time::{Duration, Instant};

use casetrack_core::CollectionId;
use sha2::{Digest, Sha256};

use crate::age::{self, Encryptor, Identity, Key, RandomDecryptor, Work};
use crate::header::{Credential, Header, Protector, SlotId};
use crate::key::VaultKey;
use crate::keychain::KeychainSecret;
use crate::recovery::RecoveryKey;
use crate::values::Packing;

const ROUNDS: u32 = 3_000;

/// Some of the bytes changed, cut out, doubled or moved.
fn mutated(bytes: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.usize(1..4) {
        if bytes.is_empty() {
            return bytes;
        }
        let (at, other) = (random.usize(..bytes.len()), random.usize(..bytes.len()));
        match random.u8(..6) {
            0 => bytes[at] ^= 1 << random.u8(..8),
            1 => bytes[at] = [0, 1, 0x7f, 0xff][random.usize(..4)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at.min(other)..at.max(other))),
            4 => bytes.extend_from_within(at.min(other)..at.max(other)),
            _ => bytes.swap(at, other),
        }
    }
    bytes
}

/// The end of a header that was changed by an attacker who knows how its checksum is made.
fn summed(mut header: Vec<u8>) -> Vec<u8> {
    if let Some(end) = header.len().checked_sub(8) {
        header.truncate(end);
        let sum = Sha256::digest(&header);
        header.extend_from_slice(&sum[..8]);
    }
    header
}

fn decrypted(key: Key<'_>, file: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    RandomDecryptor::new(key, Cursor::new(file)).ok()??.read_to_end(&mut content).ok()?;
    Some(content)
}

#[test]
fn fuzz_what_reads_headers_slots_values_and_files() {
    let seconds = std::env::var("CASETRACK_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let seed = std::env::var("CASETRACK_SEED").ok().map_or_else(|| fastrand::u64(..), |text| text.parse().unwrap());
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);

    let key = VaultKey::random(CollectionId::random()).unwrap();
    let (recovery, identity) = (RecoveryKey::random().unwrap(), Identity::random().unwrap());
    let header = Header::create(&key, &Protector::RecoveryKey(&recovery)).unwrap();
    let (header, _) = header.with_slot(&key, &Protector::Recipient(&identity.recipient())).unwrap();
    let secret = KeychainSecret::random().unwrap();
    let (header, _) = header.with_slot(&key, &Protector::Keychain(&secret, SlotId::random().unwrap())).unwrap();
    let header = header.encode();
    let (files, values) = (key.files().unwrap(), key.values().unwrap());
    let text: Vec<u8> = (0..70_000u32).flat_map(u32::to_le_bytes).collect();
    let file = files.seal_bytes("a", &text).unwrap();
    let value = values.seal("pages", b"key", &text[..500], Packing::Compressed).unwrap();
    let sealed_to = age::encrypt(&[&identity.recipient()], &text[..500]).unwrap();

    let mut encryptor = Encryptor::with_passphrase("right", Work::LEAST, Vec::new()).unwrap();
    encryptor.write_all(&text[..70_000]).unwrap();
    let with_passphrase = encryptor.finish().unwrap();

    let mut rounds = 0;
    while until.map_or(rounds < ROUNDS, |until| Instant::now() < until) {
        rounds += 1;
        let changed = mutated(&header, &mut random);
        for bytes in [summed(changed.clone()), changed] {
            let Ok(read) = Header::decode(&bytes) else { continue };
            assert_eq!(read.encode(), bytes);
            for credential in
                [Credential::RecoveryKey(&recovery), Credential::Identity(&identity), Credential::Keychain(&secret)]
            {
                if let Ok((opened, _)) = read.open(&credential) {
                    // Its HMAC holds, so it is the header that was written.
                    assert_eq!(bytes, header);
                    assert_eq!(opened.master().reveal(), key.master().reveal());
                }
            }
        }
        let changed = mutated(&file, &mut random);
        assert!(changed == file || files.open_bytes("a", &changed).is_err());
        let changed = mutated(&value, &mut random);
        assert!(changed == value || values.open("pages", b"key", &changed).is_err());
        let changed = mutated(&sealed_to, &mut random);
        assert!(changed == sealed_to || !matches!(age::decrypt(&identity, &changed), Ok(Some(_))));
        for (file, key) in [(&sealed_to, Key::Identity(&identity)), (&with_passphrase, Key::Passphrase("right"))] {
            let changed = mutated(file, &mut random);
            assert!(decrypted(key, &changed).is_none() || changed == *file);
            let _ = age::lock_of(changed.as_slice());
        }
        let mut noise = vec![0; random.usize(..300)];
        random.fill(&mut noise);
        assert!(Header::decode(&noise).is_err() && files.open_bytes("a", &noise).is_err());
        assert!(values.open("pages", b"key", &noise).is_err() && age::decrypt(&identity, &noise).is_err());
    }
    println!("{rounds} rounds");
}
