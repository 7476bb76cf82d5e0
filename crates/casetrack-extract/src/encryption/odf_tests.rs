use std::io::Read;

use aes::cipher::KeyInit;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use casetrack_core::ErrorCode;
use flate2::Compression;
use flate2::read::DeflateEncoder;

use super::super::tests::{PASSWORD, aes_cbc_encrypted, assert_opens, assert_survives_damage, extract};
use super::*;
use crate::test_files::zip_file;

const CONTENT: &str = "<office:document-content><office:body><office:spreadsheet><table:table table:name='Plan'>\
    <table:table-row><table:table-cell office:value-type='string'><text:p>Rent</text:p></table:table-cell>\
    </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>";

/// A sheet whose content is encrypted by `encrypt` after compression; `{sum}` in the description is its check sum.
fn sheet(description: &str, hash: Hash, encrypt: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut compressed = Vec::new();
    DeflateEncoder::new(CONTENT.as_bytes(), Compression::best()).read_to_end(&mut compressed).unwrap();
    let sum = BASE64_STANDARD.encode(hash.of(&[&compressed[..compressed.len().min(SUMMED_BYTES)]]));
    let manifest = format!(
        "<manifest:manifest><manifest:file-entry manifest:full-path='/'/><manifest:file-entry manifest:full-path='content.xml' \
         manifest:size='{}'>{}</manifest:file-entry></manifest:manifest>",
        CONTENT.len(),
        description.replace("{sum}", &sum)
    );
    zip_file(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", &encrypt(&compressed)),
        ("META-INF/manifest.xml", manifest.as_bytes()),
    ])
}

fn key(hash: Hash, rounds: u32, bytes: usize) -> Vec<u8> {
    let mut key = vec![0; bytes];
    pbkdf2::pbkdf2_hmac::<Sha1>(&hash.of(&[PASSWORD.as_bytes()]), &[1; 16], rounds, &mut key);
    key
}

fn aes_sheet(rounds: &str) -> Vec<u8> {
    let description = format!(
        "<manifest:encryption-data manifest:checksum-type='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k' \
         manifest:checksum='{{sum}}'><manifest:algorithm manifest:algorithm-name='http://www.w3.org/2001/04/xmlenc#aes256-cbc' \
         manifest:initialisation-vector='{vector}'/><manifest:key-derivation manifest:key-derivation-name='PBKDF2' \
         manifest:key-size='32' manifest:iteration-count='{rounds}' manifest:salt='{salt}'/><manifest:start-key-generation \
         manifest:start-key-generation-name='http://www.w3.org/2000/09/xmldsig#sha256' manifest:key-size='32'/>\
         </manifest:encryption-data>",
        vector = BASE64_STANDARD.encode([2; 16]),
        salt = BASE64_STANDARD.encode([1; 16]),
    );
    sheet(&description, Hash::SHA256, |compressed| {
        let padding = 16 - compressed.len() % 16;
        let mut padded = compressed.to_vec();
        padded.resize(compressed.len() + padding, padding as u8);
        aes_cbc_encrypted(&key(Hash::SHA256, 1000, 32), &[2; 16], &padded)
    })
}

#[test]
fn aes_opens() {
    let file = aes_sheet("1000");
    assert_eq!(assert_opens(&file, PASSWORD).pages[0].text, "Rent");
    assert_survives_damage(&file, PASSWORD, 7);
}

#[test]
fn blowfish_opens() {
    let description = format!(
        "<manifest:encryption-data manifest:checksum-type='SHA1/1K' manifest:checksum='{{sum}}'><manifest:algorithm \
         manifest:algorithm-name='Blowfish CFB' manifest:initialisation-vector='{}'/><manifest:key-derivation \
         manifest:key-derivation-name='PBKDF2' manifest:iteration-count='1024' manifest:salt='{}'/>\
         </manifest:encryption-data>",
        BASE64_STANDARD.encode([3; 8]),
        BASE64_STANDARD.encode([1; 16])
    );
    let file = sheet(&description, Hash::SHA1, |compressed| {
        let cipher: Blowfish = Blowfish::new_from_slice(&key(Hash::SHA1, 1024, 16)).unwrap();
        let mut last = [3; 8];
        let mut encrypted = Vec::new();
        for block in compressed.chunks(8) {
            let mut mask = Array(last);
            cipher.encrypt_block(&mut mask);
            let block: Vec<u8> = block.iter().zip(mask).map(|(byte, mask)| byte ^ mask).collect();
            last[..block.len()].copy_from_slice(&block);
            encrypted.extend(block);
        }
        encrypted
    });
    assert_eq!(assert_opens(&file, PASSWORD).pages[0].text, "Rent");
}

#[test]
fn hostile_and_unknown_descriptions_are_refused() {
    let error = extract(&aes_sheet("4000000000"), Some(PASSWORD)).unwrap_err();
    assert!(error.message.contains("4000000000 rounds"), "{}", error.message);
    let part = "<manifest:encryption-data><manifest:algorithm manifest:algorithm-name='http://x#aes256-gcm' \
        manifest:initialisation-vector='AA=='/></manifest:encryption-data>";
    let error = extract(&sheet(part, Hash::SHA1, <[u8]>::to_vec), Some(PASSWORD)).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnreadableFile);
    assert!(error.message.contains("aes256-gcm"), "{}", error.message);
}
