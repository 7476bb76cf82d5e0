use casetrack_core::ErrorCode;
use proptest::prelude::*;

use super::slot::{ShortSlotId, SlotId};
use super::*;
use crate::age::Identity;
use crate::keychain::KeychainSecret;
use crate::passphrase::{Cost, Passphrase};
use crate::recovery::RecoveryKey;

fn key() -> VaultKey {
    VaultKey::random(CollectionId::random()).unwrap()
}

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(text).unwrap()
}

fn header(key: &VaultKey) -> Header {
    Header::create(key, &Protector::Passphrase(&passphrase("right"), Cost::LEAST)).unwrap()
}

fn opens(header: &Header, text: &str) -> Result<VaultKey> {
    header.unlock(&Credential::Passphrase(&passphrase(text)))
}

/// A header as an attacker without the key can make it: with a right checksum.
fn with_checksum(bytes: &[u8]) -> Vec<u8> {
    let summed = &bytes[..bytes.len() - CHECKSUM];
    [summed, &Sha256::digest(summed)[..CHECKSUM]].concat()
}

#[test]
fn every_kind_of_slot_gives_the_key() {
    let (key, recovery, identity) = (key(), RecoveryKey::random().unwrap(), Identity::random().unwrap());
    let (secret, own) = (KeychainSecret::random().unwrap(), SlotId::random().unwrap());
    let header = header(&key);
    let (header, _) = header.with_slot(&key, &Protector::RecoveryKey(&recovery)).unwrap();
    let (header, _) = header.with_slot(&key, &Protector::Recipient(&identity.recipient())).unwrap();
    let (header, added) = header.with_slot(&key, &Protector::Keychain(&secret, own)).unwrap();
    assert_eq!(added, own);
    let header = Header::decode(&header.encode()).unwrap();
    assert_eq!((header.collection(), header.generation()), (key.collection(), 4));
    let kinds: Vec<_> = header.slots().map(|slot| slot.kind).collect();
    assert_eq!(kinds, [SlotKind::Passphrase, SlotKind::RecoveryKey, SlotKind::Recipient, SlotKind::Keychain]);
    let right = passphrase("right");
    for credential in [
        Credential::Passphrase(&right),
        Credential::RecoveryKey(&recovery),
        Credential::Identity(&identity),
        Credential::Keychain(&secret),
    ] {
        assert_eq!(header.unlock(&credential).unwrap().master().reveal(), key.master().reveal(), "{credential:?}");
    }
}

#[test]
fn what_is_wrong_is_told_from_what_is_damaged() {
    let (key, recovery, identity) = (key(), RecoveryKey::random().unwrap(), Identity::random().unwrap());
    let header = header(&key);
    let error = opens(&header, "wrong").unwrap_err();
    assert_eq!((error.code, error.message.contains("passphrase")), (ErrorCode::WrongKey, true));
    for credential in [Credential::RecoveryKey(&recovery), Credential::Identity(&identity)] {
        let error = header.unlock(&credential).unwrap_err();
        assert!(error.code == ErrorCode::WrongKey && error.message.contains("no slot"), "{error}");
    }
    let (header, _) = header.with_slot(&key, &Protector::Recipient(&Identity::random().unwrap().recipient())).unwrap();
    assert_eq!(header.unlock(&Credential::Identity(&identity)).unwrap_err().code, ErrorCode::WrongKey);
}

/// One slot for each computer: each opens with its own secret only, and none may be the last slot of a vault.
#[test]
fn slots_for_keychains_open_with_their_own_secrets_and_are_never_the_last() {
    let (key, here, there) = (key(), KeychainSecret::random().unwrap(), KeychainSecret::random().unwrap());
    let (own, other) = (SlotId::random().unwrap(), SlotId::random().unwrap());
    let first = header(&key);
    let passphrase = first.slots().next().unwrap().id;
    let (one, _) = first.with_slot(&key, &Protector::Keychain(&here, own)).unwrap();
    assert_eq!(one.unlock(&Credential::Keychain(&there)).unwrap_err().code, ErrorCode::WrongKey);
    let same = one.with_slot(&key, &Protector::Keychain(&there, own)).unwrap_err();
    assert!(same.code == ErrorCode::InvalidArgument && same.message.contains("already"), "{same}");
    let (both, _) = one.with_slot(&key, &Protector::Keychain(&there, other)).unwrap();
    assert_eq!(both.open(&Credential::Keychain(&here)).unwrap().1, own);
    assert_eq!(both.open(&Credential::Keychain(&there)).unwrap().1, other);
    let refused = both.without_slot(&key, passphrase).unwrap_err();
    assert!(refused.code == ErrorCode::InvalidArgument && refused.message.contains("keychain"), "{refused}");
    let removed = both.without_slot(&key, own).unwrap();
    assert_eq!(removed.unlock(&Credential::Keychain(&here)).unwrap_err().code, ErrorCode::WrongKey);
    assert!(removed.unlock(&Credential::Keychain(&there)).is_ok() && opens(&removed, "right").is_ok());
    // A secret opens no slot that was copied from another collection.
    let elsewhere = VaultKey::from_secret(CollectionId::random(), key.master().clone());
    let foreign = Header::create(&elsewhere, &Protector::Keychain(&here, own)).unwrap();
    assert!(foreign.slots[0].unwrap(one.place(), &Credential::Keychain(&here)).unwrap().is_none());
}

#[test]
fn a_passphrase_is_changed_by_another_slot() {
    let key = key();
    let old = header(&key);
    let old_slot = old.slots().next().unwrap().id;
    let (both, new_slot) = old.with_slot(&key, &Protector::Passphrase(&passphrase("new"), Cost::LEAST)).unwrap();
    assert!(opens(&both, "right").is_ok() && opens(&both, "new").is_ok());
    let new = both.without_slot(&key, old_slot).unwrap();
    assert_eq!(opens(&new, "right").unwrap_err().code, ErrorCode::WrongKey);
    assert_eq!(opens(&new, "new").unwrap().master().reveal(), key.master().reveal());
    assert_eq!(new.generation(), 3);

    assert_eq!(new.without_slot(&key, old_slot).unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(new.without_slot(&key, new_slot).unwrap_err().code, ErrorCode::InvalidArgument);
    let short: ShortSlotId = new_slot.to_string().parse().unwrap();
    assert!(short.is_of(new_slot) && !short.is_of(old_slot));
    assert!("0123456".parse::<ShortSlotId>().is_err() && "+1234567".parse::<ShortSlotId>().is_err());
}

#[test]
fn only_who_has_the_key_changes_slots() {
    let (key, other) = (key(), key());
    let header = header(&key);
    let protector = passphrase("mine");
    let protector = Protector::Passphrase(&protector, Cost::LEAST);
    let slot = header.slots().next().unwrap().id;
    assert_eq!(header.with_slot(&other, &protector).unwrap_err().code, ErrorCode::WrongKey);
    assert_eq!(header.without_slot(&other, slot).unwrap_err().code, ErrorCode::WrongKey);
    let elsewhere = VaultKey::from_secret(CollectionId::random(), key.master().clone());
    assert_eq!(header.with_slot(&elsewhere, &protector).unwrap_err().code, ErrorCode::WrongKey);
}

#[test]
fn there_are_bounds() {
    let (key, recovery) = (key(), RecoveryKey::random().unwrap());
    let mut header = header(&key);
    for _ in 1..MAX_SLOTS {
        header = header.with_slot(&key, &Protector::RecoveryKey(&recovery)).unwrap().0;
    }
    let error = header.with_slot(&key, &Protector::RecoveryKey(&recovery)).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert_eq!(Header::decode(&header.encode()).unwrap(), header);
    let costly = Cost { memory_kib: u32::MAX, ..Cost::DEFAULT };
    assert!(Header::create(&key, &Protector::Passphrase(&passphrase("x"), costly)).is_err());
}

#[test]
fn damage_is_noticed_without_a_key() {
    let key = key();
    let bytes = header(&key).with_slot(&key, &Protector::Recipient(&Identity::random().unwrap().recipient())).unwrap();
    let bytes = bytes.0.encode();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let newer = at == MAGIC.len() && changed[at] > VERSION;
            let expected = if newer { ErrorCode::NewerSchema } else { ErrorCode::Corrupt };
            assert_eq!(Header::decode(&changed).unwrap_err().code, expected, "bit {bit} of byte {at}");
        }
        assert_eq!(Header::decode(&bytes[..at]).unwrap_err().code, ErrorCode::Corrupt, "cut off at {at}");
    }
    assert!(Header::decode(&[bytes.as_slice(), &[0]].concat()).is_err());
}

#[test]
fn a_header_that_somebody_without_the_key_changed_gives_no_key() {
    let bytes = header(&key()).encode();
    // Memory and passes of Argon2id come after 60 bytes: their upper halves would make a test of gigabytes.
    let costly = |at: &usize| [62, 63, 66, 67].contains(at);
    for at in (0..bytes.len() - CHECKSUM).filter(|at| !costly(at)) {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            if let Ok(header) = Header::decode(&with_checksum(&changed)) {
                let error = opens(&header, "right").unwrap_err();
                let expected = matches!(error.code, ErrorCode::WrongKey | ErrorCode::Corrupt);
                assert!(expected, "bit {bit} of byte {at}: {error}");
            }
        }
    }
}

#[test]
fn slots_that_were_added_or_taken_from_elsewhere_are_noticed() {
    let (key, other) = (key(), key());
    let own = header(&key);
    // The attacker's passphrase opens the attacker's slot, which holds another key.
    let mut added = own.clone();
    let foreign = Header::create(&other, &Protector::Passphrase(&passphrase("attacker"), Cost::LEAST)).unwrap();
    added.slots.extend(foreign.slots.clone());
    assert_eq!(opens(&added, "attacker").unwrap_err().code, ErrorCode::WrongKey);
    assert_eq!(opens(&added, "right").unwrap_err().code, ErrorCode::Corrupt);
    // An own slot that was removed is put back.
    let (both, _) = own.with_slot(&key, &Protector::Passphrase(&passphrase("new"), Cost::LEAST)).unwrap();
    let mut after = both.without_slot(&key, own.slots[0].id).unwrap();
    after.slots.push(own.slots[0].clone());
    assert_eq!(opens(&after, "right").unwrap_err().code, ErrorCode::Corrupt);
    assert_eq!(opens(&after, "new").unwrap_err().code, ErrorCode::Corrupt);
    // A lower generation is claimed.
    let mut earlier = both.clone();
    earlier.generation = 1;
    assert_eq!(opens(&earlier, "right").unwrap_err().code, ErrorCode::Corrupt);
}

#[test]
fn slots_of_later_versions_are_kept() {
    let key = key();
    let mut header = header(&key);
    let (kind, own) = (SlotKind::Unknown(9), header.slots[0].id);
    let (later, _) = Slot::decode(&[&[9][..], &[5; 16], &[0; 8], &[2, 0, 7, 7]].concat()).unwrap();
    header.slots.push(later);
    let header = header.changed(&key, header.slots.clone()).unwrap();
    let header = Header::decode(&header.encode()).unwrap();
    assert_eq!(header.slots().map(|slot| slot.kind).collect::<Vec<_>>(), [SlotKind::Passphrase, kind]);
    assert!(opens(&header, "right").is_ok());
    // After that, no one could open it with this version.
    assert_eq!(header.without_slot(&key, own).unwrap_err().code, ErrorCode::InvalidArgument);
}

proptest! {
    #[test]
    fn any_bytes_are_an_error_or_open_nothing(
        tail in prop::collection::vec(any::<u8>(), 0..300), kind in 0u8..6, slots in 0u8..4, body in 0u16..200,
    ) {
        prop_assert!(Header::decode(&tail).is_err());
        let head = [MAGIC.as_slice(), &[VERSION], &[1; 16], &[2; 8], &[slots]].concat();
        let slot = [&[kind][..], &[3; 16], &[4; 8], &body.to_le_bytes()].concat();
        let bytes = with_checksum(&[head, slot, tail, vec![0; CHECKSUM]].concat());
        if let Ok(header) = Header::decode(&bytes) {
            prop_assert_eq!(header.encode(), bytes);
            prop_assert!(opens(&header, "right").is_err());
            prop_assert!(header.unlock(&Credential::RecoveryKey(&RecoveryKey::random().unwrap())).is_err());
            prop_assert!(header.unlock(&Credential::Identity(&Identity::random().unwrap())).is_err());
            prop_assert!(header.unlock(&Credential::Keychain(&KeychainSecret::random().unwrap())).is_err());
        }
    }
}
