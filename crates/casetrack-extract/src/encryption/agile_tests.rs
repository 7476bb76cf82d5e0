use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use casetrack_core::ErrorCode;

use super::super::tests::{PASSWORD, aes_cbc_encrypted, assert_opens, assert_survives_damage, docx, extract};
use super::*;
use crate::test_files::compound_file_of;

fn streams(package: &[u8], password: &str, hash: Hash, key_bytes: usize) -> (String, Vec<u8>) {
    let (salt, key_salt, key, verifier, mac_key) = ([1; 16], [2; 16], vec![3; key_bytes], [4; 16], vec![5; 20]);
    let (rounds, hash_name) = (1000, hash.name);
    let vector = |purpose: &[u8]| padded(hash.of(&[&salt, purpose]), 16);
    let mut content = (package.len() as u64).to_le_bytes().to_vec();
    for (segment, number) in package.chunks(SEGMENT_BYTES).zip(0u32..) {
        content.extend(aes_cbc_encrypted(&key, &vector(&number.to_le_bytes()), segment));
    }
    let spun = hash.spun(&hash.of(&[&key_salt, &utf16(password)]), rounds);
    let locked = |purpose: &[u8], plain: &[u8]| {
        let key = padded(hash.of(&[&spun, purpose]), key_bytes);
        BASE64_STANDARD.encode(aes_cbc_encrypted(&key, &key_salt, plain))
    };
    let sealed =
        |purpose: &[u8], plain: &[u8]| BASE64_STANDARD.encode(aes_cbc_encrypted(&key, &vector(purpose), plain));
    let mut whole_mac_key = mac_key.clone();
    whole_mac_key.resize(hash.of(&[]).len(), 6);
    let cipher = |salt: &[u8]| {
        format!(
            "saltSize='16' blockSize='16' keyBits='{}' hashSize='{}' cipherAlgorithm='AES' \
             cipherChaining='ChainingModeCBC' hashAlgorithm='{hash_name}' saltValue='{}'",
            8 * key_bytes,
            hash.of(&[]).len(),
            BASE64_STANDARD.encode(salt)
        )
    };
    let xml = format!(
        "<?xml version='1.0' encoding='UTF-8'?><encryption xmlns='e' xmlns:p='p' xmlns:c='c'><keyData {}/>\
         <dataIntegrity encryptedHmacKey='{}' encryptedHmacValue='{}'/><keyEncryptors>\
         <keyEncryptor uri='c'><c:encryptedKey encryptedKeyValue='AA=='/></keyEncryptor>\
         <keyEncryptor uri='p'><p:encryptedKey spinCount='{rounds}' {} encryptedVerifierHashInput='{}' \
         encryptedVerifierHashValue='{}' encryptedKeyValue='{}'/></keyEncryptor></keyEncryptors></encryption>",
        cipher(&salt),
        sealed(&HMAC_KEY, &whole_mac_key),
        sealed(&HMAC_VALUE, &hash.keyed(&whole_mac_key, &content)),
        cipher(&key_salt),
        locked(&VERIFIER, &verifier),
        locked(&VERIFIER_HASH, &hash.of(&[&verifier])),
        locked(&KEY, &key),
    );
    (xml, content)
}

fn file(xml: &str, content: &[u8]) -> Vec<u8> {
    let info = [&[4, 0, 4, 0, 0x40, 0, 0, 0], xml.as_bytes()].concat();
    compound_file_of(&[("/EncryptionInfo", &info), ("/EncryptedPackage", content)])
}

#[test]
fn every_hash_and_key_size_opens() {
    let package = docx("Agile.");
    for (hash, key_bytes) in [
        (Hash::SHA1, 16),
        (Hash::SHA256, 32),
        (Hash::SHA384, 32),
        (Hash::SHA512, 32),
        (Hash::SHA512, 16),
        (Hash::MD5, 16),
    ] {
        let (xml, content) = streams(&package, PASSWORD, hash, key_bytes);
        let extraction = assert_opens(&file(&xml, &content), PASSWORD);
        assert_eq!(extraction.pages[0].text, "Agile.");
        assert!(extraction.warnings.is_empty(), "{}: {:?}", hash.name, extraction.warnings);
    }
}

#[test]
fn changes_to_the_package_are_reported() {
    let (xml, mut content) = streams(&docx("Agile."), PASSWORD, Hash::SHA256, 32);
    // In the picture, which is not read.
    content[6000] ^= 1;
    let extraction = extract(&file(&xml, &content), Some(PASSWORD)).unwrap();
    assert_eq!(extraction.pages[0].text, "Agile.");
    assert!(extraction.warnings[0].contains("HMAC"), "{:?}", extraction.warnings);
    content.truncate(5000);
    assert_eq!(extract(&file(&xml, &content), Some(PASSWORD)).unwrap_err().code, ErrorCode::UnreadableFile);
}

#[test]
fn hostile_descriptions_are_refused() {
    let (xml, content) = streams(&docx("Agile."), PASSWORD, Hash::SHA256, 32);
    for (from, to, what) in [
        ("spinCount='1000'", "spinCount='4294967295'", "4294967295 rounds"),
        ("spinCount='1000'", "spinCount='-1'", "incomplete"),
        ("keyBits='256'", "keyBits='99999999999999999999'", "incomplete"),
        ("keyBits='256'", "keyBits='40'", "40 bits"),
        ("cipherAlgorithm='AES'", "cipherAlgorithm='DES'", "DES"),
        ("ChainingModeCBC", "ChainingModeCFB", "CFB"),
        ("hashAlgorithm='SHA256'", "hashAlgorithm='WHIRLPOOL'", "WHIRLPOOL"),
        ("saltValue='AQ", "saltValue='!", "incomplete"),
        ("<p:encryptedKey", "<p:other", "incomplete"),
    ] {
        let error = extract(&file(&xml.replace(from, to), &content), Some(PASSWORD)).unwrap_err();
        assert_eq!(error.code, ErrorCode::UnreadableFile);
        assert!(error.message.contains(what), "{}", error.message);
    }
    assert_survives_damage(&file(&xml, &content), PASSWORD, 503);
}
