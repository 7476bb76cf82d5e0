use casetrack_pages::container::ole::u32_at;

use super::super::crypto::{Hash, utf16};
use super::super::tests::{PASSWORD, assert_opens, assert_survives_damage, extract, header};
use super::*;
use crate::test_files::compound_file_of;
use ::rc4::{KeyInit, Rc4, StreamCipher};

const PLAIN: &[u8] = include_bytes!("../../tests/fixtures/sheets.xls");

/// A workbook with the record FilePass behind its beginning. `encrypt` changes the bytes that may be encrypted; it gets
/// the stream, the range to encrypt and the length of its record.
fn workbook(file_pass: &[u8], mut encrypt: impl FnMut(&mut [u8], Range<usize>, usize)) -> Vec<u8> {
    let mut stream = CompoundFile::open(PLAIN).unwrap().stream(&["Workbook"]).unwrap();
    let (_, first) = record(&stream, 0).unwrap();
    let inserted = [&FILE_PASS.to_le_bytes()[..], &(file_pass.len() as u16).to_le_bytes(), file_pass].concat();
    stream.splice(first.end..first.end, inserted.iter().copied());
    let mut at = 0;
    while let Some((id, data)) = record(&stream, at) {
        at = data.end;
        let mut start = data.start;
        if id == BOUND_SHEET {
            let position = u32_at(&stream, start).unwrap() + inserted.len() as u32;
            stream[start..start + 4].copy_from_slice(&position.to_le_bytes());
            start += 4;
        }
        if !NEVER_ENCRYPTED.contains(&id) {
            encrypt(&mut stream, start..data.end, data.len());
        }
    }
    // The parser refuses a container of the newer version without a short stream.
    compound_file_of(&[("/Workbook", &stream), ("/Short", b"-")])
}

fn rc4_workbook(file_pass: &[u8], key_of_block: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    workbook(file_pass, |stream, range, _| {
        for at in range {
            let mut mask = [0; BLOCK_BYTES];
            let block = (at / BLOCK_BYTES) as u32;
            Rc4::new_from_slice(&key_of_block(block)).unwrap().apply_keystream(&mut mask);
            stream[at] ^= mask[at % BLOCK_BYTES];
        }
    })
}

fn assert_is_whole(file: &[u8], password: &str) {
    let plain = extract(PLAIN, None).unwrap();
    assert_eq!(assert_opens(file, password).pages, plain.pages);
    assert_survives_damage(file, password, 211);
}

#[test]
fn rc4_opens() {
    // Made by Excel for this password.
    let salt = b"\xe8w,\x1d\x91\xc5j7\x96Ga\xb2\x80\x182\x17";
    let verifier = b"\xc9\xe9\x97\xd4T\x97=1\x0b\xb1\xbap\x14&\x83~";
    let hash = b"\xb1\xde\x17\x8f\x07\xe9\x89\xc4M\xae^L\xf9j\xc4\x07";
    let file_pass = [&[1, 0, 1, 0, 1, 0], &salt[..], verifier, hash].concat();
    let md5 = Hash::MD5;
    let start = md5.of(&[&[&md5.of(&[&utf16("password1")])[..5], salt].concat().repeat(16)]);
    let key = |block: u32| md5.of(&[&start[..5], &block.to_le_bytes()]);
    assert_eq!(key(0), b" \xbf2\xdd\xf5@\x85\x8cQ7D\xaf\x0f$\xe0<");
    assert_is_whole(&rc4_workbook(&file_pass, key), "password1");
}

#[test]
fn rc4_cryptoapi_opens() {
    for (bits, key_bytes) in [(128, 16), (56, 7), (40, 5), (0, 5)] {
        let (salt, verifier) = ([8; 16], [9; 16]);
        let sha1 = Hash::SHA1;
        let start = sha1.of(&[&salt, &utf16(PASSWORD)]);
        let key = |block: u32| {
            let mut key = sha1.of(&[&start, &block.to_le_bytes()])[..key_bytes].to_vec();
            key.resize(if key_bytes == 5 { 16 } else { key_bytes }, 0);
            key
        };
        let mut checked = [&verifier[..], &sha1.of(&[&verifier])].concat();
        Rc4::new_from_slice(&key(0)).unwrap().apply_keystream(&mut checked);
        let file_pass = [
            &[1, 0][..],
            &header(2, 4, 0x6801, bits),
            &[16, 0, 0, 0],
            &salt,
            &checked[..16],
            &[20, 0, 0, 0],
            &checked[16..],
        ]
        .concat();
        assert_is_whole(&rc4_workbook(&file_pass, key), PASSWORD);
    }
}

#[test]
fn xor_obfuscation_opens() {
    // The verifier of this password is that of an example in the documentation of several readers.
    let (password, verifier) = ("VelvetSweatshop", 0x9A0Au16);
    let key = (0..=u16::MAX).find(|key| XorKey::of_excel(password, *key, verifier).is_ok()).unwrap();
    let scheme = XorKey::of_excel(password, key, verifier).unwrap();
    // For each place in the key, the byte that each byte was before.
    let encoded: Vec<Vec<u8>> = (0..16)
        .map(|place| {
            let mut table = vec![0; 256];
            for byte in 0..=u8::MAX {
                let mut decoded = [byte];
                scheme.decode_excel(&mut decoded, place);
                table[usize::from(decoded[0])] = byte;
            }
            table
        })
        .collect();
    let encrypt = |stream: &mut [u8], range: Range<usize>, length: usize| {
        for at in range {
            stream[at] = encoded[(at + length) % 16][usize::from(stream[at])];
        }
    };
    let fields = [key.to_le_bytes(), verifier.to_le_bytes()].concat();
    let plain = extract(PLAIN, None).unwrap();
    // With the kind of encryption before key and verifier, and as in Excel 95, without.
    for file_pass in [[&[0, 0], &fields[..]].concat(), fields.clone()] {
        let file = workbook(&file_pass, encrypt);
        assert_eq!(extract(&file, None).unwrap().pages, plain.pages);
        assert_survives_damage(&file, password, 211);
    }
}

#[test]
fn a_description_that_is_cut_short_is_damage() {
    for file_pass in
        [&[][..], &[1], &[1, 0], &[1, 0, 1, 0, 1, 0, 7], &[1, 0, 2, 0, 2, 0, 0, 0, 0, 0, 255, 255, 255, 255]]
    {
        let error = extract(&workbook(file_pass, |_, _, _| {}), Some(PASSWORD)).unwrap_err();
        assert!(error.message.contains("its encryption is incomplete"), "{}", error.message);
    }
    let error = extract(&workbook(&[7, 0, 0, 0, 0, 0], |_, _, _| {}), Some(PASSWORD)).unwrap_err();
    assert!(error.message.contains("kind 7"), "{}", error.message);
}
