//! Helpers for the tests of the schemes, and tests of their common behaviour.

use std::path::Path;

use aes::cipher::{Array, BlockCipherEncrypt, BlockModeEncrypt, KeyInit, KeyIvInit};
use aes::{Aes128, Aes256};
use casetrack_core::{ErrorCode, Password, Result};

use super::crypto::{Hash, utf16};
use super::standard;
use crate::test_files::{compound_file_of, zip_file};
use crate::{ExtractOptions, Extraction};

pub const PASSWORD: &str = "Pässwörd 1";

pub fn extract(bytes: &[u8], password: Option<&str>) -> Result<Extraction> {
    let password = password.map(|password| Password::from(password.to_owned()));
    crate::extract(Path::new("file"), bytes, &ExtractOptions { password, ..ExtractOptions::default() })
}

/// Opens with the right password; without one or with another, the error names the problem.
pub fn assert_opens(bytes: &[u8], password: &str) -> Extraction {
    let missing = extract(bytes, None).unwrap_err();
    assert_eq!((missing.code, missing.message.as_str()), (ErrorCode::NeedsPassword, "file needs a password."));
    assert!(format!("{:?}", missing.hint).contains("GivePassword"));
    let wrong = extract(bytes, Some("secret")).unwrap_err();
    assert_eq!(wrong.code, ErrorCode::NeedsPassword);
    assert!(wrong.message.contains("password is wrong") && !wrong.message.contains("secret"), "{}", wrong.message);
    extract(bytes, Some(password)).unwrap()
}

/// A file that is cut off anywhere or has changed bytes may give any result, but it ends and does not panic.
pub fn assert_survives_damage(bytes: &[u8], password: &str, step: usize) {
    for at in (0..bytes.len()).step_by(step) {
        let _ = extract(&bytes[..at], Some(password));
        let mut changed = bytes.to_vec();
        changed[at] = !changed[at];
        let _ = extract(&changed, Some(password));
    }
}

pub fn docx(text: &str) -> Vec<u8> {
    let body = format!("<w:document><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>");
    // Hardly compressible, so that the package has several segments.
    let random = |at: u64| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(at | 1) >> 40) as u8;
    let filler: Vec<u8> = (0..10_000).map(random).collect();
    zip_file(&[("word/document.xml", body.as_bytes()), ("word/media/image1.bin", &filler)])
}

/// Encrypts whole blocks with AES of 128 or 256 bits, chained.
pub fn aes_cbc_encrypted(key: &[u8], vector: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut data = plain.to_vec();
    data.resize(data.len().next_multiple_of(16), 0);
    let (blocks, _) = Array::slice_as_chunks_mut(&mut data);
    match key.len() {
        16 => cbc::Encryptor::<Aes128>::new_from_slices(key, vector).unwrap().encrypt_blocks(blocks),
        _ => cbc::Encryptor::<Aes256>::new_from_slices(key, vector).unwrap().encrypt_blocks(blocks),
    }
    data
}

/// An EncryptionHeader ([MS-OFFCRYPTO] 2.3.2) behind version and flags.
pub fn header(major: u16, flags: u32, algorithm: u32, key_bits: u32) -> Vec<u8> {
    let fields = [flags, 0, algorithm, 0x8004, key_bits, 0x18, 0, 0].map(u32::to_le_bytes).concat();
    let provider = utf16("Provider\0");
    let size = (fields.len() + provider.len()) as u32;
    [&major.to_le_bytes()[..], &2u16.to_le_bytes(), &flags.to_le_bytes(), &size.to_le_bytes(), &fields, &provider]
        .concat()
}

/// A file in standard encryption with a key of 128 bits.
fn standard_file(package: &[u8], password: &str) -> Vec<u8> {
    let (salt, verifier) = ([7; 16], [9; 16]);
    let hash = Hash::SHA1;
    let spun = hash.spun(&hash.of(&[&salt, &utf16(password)]), 50_000);
    let last = hash.of(&[&spun, &[0; 4]]);
    let mut buffer = [0x36; 64];
    buffer.iter_mut().zip(&last).for_each(|(byte, hashed)| *byte ^= hashed);
    let key = hash.of(&[&buffer])[..16].to_vec();
    let encrypted = |plain: &[u8]| {
        let mut data = plain.to_vec();
        data.resize(data.len().next_multiple_of(16), 0);
        let (blocks, _) = Array::slice_as_chunks_mut(&mut data);
        Aes128::new_from_slice(&key).unwrap().encrypt_blocks(blocks);
        data
    };
    let verifier_hash = encrypted(&hash.of(&[&verifier]));
    let info = [
        &header(4, 0x24, 0x660E, 128)[..],
        &16u32.to_le_bytes(),
        &salt,
        &encrypted(&verifier),
        &20u32.to_le_bytes(),
        &verifier_hash,
    ]
    .concat();
    let content = [&(package.len() as u64).to_le_bytes()[..], &encrypted(package)].concat();
    compound_file_of(&[("/EncryptionInfo", &info), ("/EncryptedPackage", &content)])
}

#[test]
fn standard_encryption_opens() {
    let file = standard_file(&docx("The standard."), PASSWORD);
    assert_eq!(assert_opens(&file, PASSWORD).pages[0].text, "The standard.");
    assert_survives_damage(&file, PASSWORD, 997);
}

#[test]
fn files_protected_against_changes_open_without_a_password() {
    for password in super::DEFAULT_PASSWORDS {
        let file = standard_file(&docx("Read only."), password);
        assert_eq!(extract(&file, None).unwrap().pages[0].text, "Read only.");
        assert_eq!(extract(&file, Some("of other files")).unwrap().pages[0].text, "Read only.");
    }
}

#[test]
fn a_known_key_of_standard_encryption_is_derived() {
    // Made by Office.
    let salt = b"\xe8\x82fI\x0c[\xd1\xee\xbd+C\x94\xe3\xf80\xef";
    let verifier = b"Qos.\x96o\xac\x17\xb1\xc5\xd7\xd8\xcc6\xc9(";
    let hash = b"+ah\xda\xbe)\x11\xad+\xd3|\x17Ft\\\x14\xd3\xcf\x1b\xb1@\xa4\x8fNo=#\x88\x08r\xb1j";
    let info = [&header(3, 0x24, 0x660E, 128)[..], &[16, 0, 0, 0], salt, verifier, &[20, 0, 0, 0], hash].concat();
    let Some(Ok(description)) = standard::Description::parse(&info) else { panic!() };
    let key = b"@\xb1:q\xf9\x0b\x96n7T\x08\xf2\xd1\x81\xa1\xaa";
    assert_eq!(description.key("Password1234_").unwrap(), key);
    assert_eq!(description.key("Password1234"), Err(super::attempt::Refusal::WrongPassword));
}

#[test]
fn unknown_kinds_of_encryption_are_named() {
    for (info, what) in [
        (&[3, 0, 3, 0, 0, 0, 0, 0][..], "version 3.3"),
        (&header(4, 0x24, 0x6601, 56), "0x6601"),
        (&[4, 0, 4, 0, 0, 0, 0, 0, b'<'], "incomplete"),
        (&[2, 0], "incomplete"),
    ] {
        let file =
            compound_file_of(&[("/EncryptionInfo", &[info, &[0; 72]].concat()), ("/EncryptedPackage", &[0; 64])]);
        let file = if info.len() > 2 { file } else { compound_file_of(&[("/EncryptionInfo", info)]) };
        let error = extract(&file, Some("any")).unwrap_err();
        assert_eq!(error.code, ErrorCode::UnreadableFile);
        assert!(error.message.contains(what), "{}", error.message);
    }
}
