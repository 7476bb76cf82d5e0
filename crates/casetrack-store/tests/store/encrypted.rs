use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use casetrack_core::{ErrorCode, Password, Result};
use casetrack_store::{Archive, ArchiveKey, Collection, Encryption, ExportOptions, archive_lock};
use casetrack_vault::age::{self, Decryptor, Identity, Lock};
use casetrack_vault::header::{Header, Protector};
use casetrack_vault::key::VaultKey;
use casetrack_vault::passphrase::Cost;

use crate::portable::{everything, matter};
use crate::support::*;
use crate::vault::{leaks, passphrase};

fn import(file: &Path, key: &ArchiveKey, place: &Path) -> Result<Collection> {
    local::import(place, &mut Archive::open_encrypted(file, key)?, &collection_meta("Imported"))
}

#[test]
fn an_encrypted_export_opens_with_each_identity_and_holds_the_same() {
    let (temp, collection, documents) = matter();
    let identities = [Identity::random().unwrap(), Identity::random().unwrap(), Identity::random().unwrap()];
    let to = Encryption::Recipients(identities[..2].iter().map(Identity::recipient).collect());
    let file = temp.path().join("matter.ctcollection");
    let report = collection.export_encrypted(&file, &ExportOptions::default(), &to).unwrap();
    assert_eq!((report.documents, report.originals, report.left_out.len()), (documents.len() as u64, 1, 0));
    assert_eq!(report.bytes, file.metadata().unwrap().len());
    assert_eq!(archive_lock(&file).unwrap(), Some(Lock::Recipients));
    for (number, identity) in identities[..2].iter().enumerate() {
        let key = ArchiveKey::Identity(identity.clone());
        let imported = import(&file, &key, &temp.path().join(format!("imported{number}"))).unwrap();
        assert_eq!(everything(&imported), everything(&collection));
        assert_eq_results(&imported, &results(&collection), "imported");
        assert_clean(&imported);
    }
    let code = |key: &ArchiveKey| import(&file, key, &temp.path().join("none")).err().unwrap().code;
    assert_eq!(code(&ArchiveKey::Identity(identities[2].clone())), ErrorCode::WrongKey);
    assert_eq!(code(&ArchiveKey::Passphrase(Password::from("any".to_owned()))), ErrorCode::WrongKey);
    let error = Archive::open(&file).err().unwrap();
    assert!(error.code == ErrorCode::InvalidArgument && error.message.contains("is encrypted"), "{error}");

    // As the program age decrypts it, it is an export as any other.
    let mut plain = Vec::new();
    let encrypted = std::fs::File::open(&file).unwrap();
    Decryptor::new(age::Key::Identity(&identities[0]), encrypted).unwrap().unwrap().read_to_end(&mut plain).unwrap();
    let decrypted = temp.path().join("decrypted.ctcollection");
    std::fs::write(&decrypted, &plain).unwrap();
    assert_eq!(archive_lock(&decrypted).unwrap(), None);
    assert_eq!(Archive::open(&decrypted).unwrap().manifest().documents, documents.len() as u64);
    assert_eq!(
        collection.export_encrypted(&file, &ExportOptions::default(), &to).unwrap_err().code,
        ErrorCode::AlreadyExists
    );
    let nobody = Encryption::Recipients(Vec::new());
    let other = temp.path().join("other");
    assert!(collection.export_encrypted(&other, &ExportOptions::default(), &nobody).is_err() && !other.exists());
}

#[test]
fn what_was_changed_or_cut_off_is_refused_and_leaves_nothing() {
    let (temp, collection, _) = matter();
    let identity = Identity::random().unwrap();
    let to = Encryption::Recipients(vec![identity.recipient()]);
    let file = temp.path().join("matter.ctcollection");
    collection.export_encrypted(&file, &ExportOptions::default(), &to).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let key = ArchiveKey::Identity(identity);
    let place = temp.path().join("elsewhere/imported");
    std::fs::create_dir(place.parent().unwrap()).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        std::fs::write(&file, bytes).unwrap();
        let code = import(&file, &key, &place).err().unwrap().code;
        // A changed stanza counts as another recipient's.
        assert!(matches!(code, ErrorCode::UnreadableFile | ErrorCode::WrongKey), "{what}: {code:?}");
        assert_eq!(std::fs::read_dir(place.parent().unwrap()).unwrap().count(), 0, "{what}");
    };
    for at in (25..whole.len()).step_by(whole.len() / 40) {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        refused(&changed, &format!("byte {at} of {}", whole.len()));
        refused(&whole[..at], &format!("cut off at {at}"));
    }
    refused(&whole[..whole.len() - 1], "without its last byte");
    refused(&[&whole, &b"x"[..]].concat(), "with a byte more");
    std::fs::write(&file, &whole).unwrap();
    assert_clean(&import(&file, &key, &place).unwrap());
}

#[test]
fn a_passphrase_opens_an_export_and_a_vault_is_made_of_it() {
    let (temp, collection, _) = matter();
    let password = |text: &str| Password::from(text.to_owned());
    let file = temp.path().join("matter.ctcollection");
    let to = Encryption::Passphrase(password("correct horse"));
    collection.export_encrypted(&file, &ExportOptions::default(), &to).unwrap();
    assert_eq!(archive_lock(&file).unwrap(), Some(Lock::Passphrase));
    let wanted = [b"common matters".to_vec(), b"/data/".to_vec()];
    let other = tempfile::tempdir().unwrap();
    std::fs::copy(&file, other.path().join("copy")).unwrap();
    assert_eq!(leaks(other.path(), &wanted), BTreeSet::new());
    assert_eq!(
        Archive::open_encrypted(&file, &ArchiveKey::Passphrase(password("correct hors"))).err().unwrap().code,
        ErrorCode::WrongKey
    );

    let mut archive = Archive::open_encrypted(&file, &ArchiveKey::Passphrase(password("correct horse"))).unwrap();
    let meta = collection_meta("Imported");
    let key = VaultKey::random(meta.id).unwrap();
    let header = Header::create(&key, &Protector::Passphrase(&passphrase("right"), Cost::LEAST)).unwrap();
    let place = other.path().join("vault");
    let imported = local::import_vault(&place, &mut archive, &meta, &key, &header).unwrap();
    assert!(imported.is_vault());
    assert_eq!(everything(&imported), everything(&collection));
    assert_eq_results(&imported, &results(&collection), "imported into a vault");
    drop(imported);
    assert_eq!(leaks(other.path(), &wanted), BTreeSet::new());
    assert_clean(&local::open_vault(&place, &key).unwrap());
}
