use super::super::DEFAULT_PASSWORDS;
use super::*;
use crate::test_files::compound_file_of;

/// The streams of a document of this version, with fields that describe the encryption.
fn streams(magic: u16, version: u16, flags: u16, key: u32) -> [Vec<u8>; 3] {
    let bytes = |seed: usize| (0..5000).map(|at| (at * seed / 3) as u8).collect::<Vec<_>>();
    let mut document = bytes(5);
    document[..2].copy_from_slice(&magic.to_le_bytes());
    document[2..4].copy_from_slice(&version.to_le_bytes());
    document[FLAGS_AT..FLAGS_AT + 2].copy_from_slice(&flags.to_le_bytes());
    document[KEY_AT..KEY_AT + 4].copy_from_slice(&key.to_le_bytes());
    [document, bytes(7), bytes(11)]
}

fn file(streams: &[Vec<u8>; 3]) -> Vec<u8> {
    compound_file_of(&[("/WordDocument", &streams[0]), ("/1Table", &streams[1]), ("/Data", &streams[2])])
}

fn read(file: &[u8], passwords: &[&str]) -> Attempt<[Vec<u8>; 3]> {
    let plain = decrypted(&CompoundFile::open(file).unwrap(), file, passwords)?.unwrap();
    let plain = CompoundFile::open(&plain.bytes).unwrap();
    Ok(["WordDocument", "1Table", "Data"].map(|name| plain.stream(&[name]).unwrap()))
}

#[test]
fn rc4_opens_all_streams() {
    // Made by Office for this password.
    let header = [
        &[1, 0, 1, 0],
        &b"\xe8w,\x1d\x91\xc5j7\x96Ga\xb2\x80\x182\x17"[..],
        b"\xc9\xe9\x97\xd4T\x97=1\x0b\xb1\xbap\x14&\x83~",
        b"\xb1\xde\x17\x8f\x07\xe9\x89\xc4M\xae^L\xf9j\xc4\x07",
    ]
    .concat();
    let plain = streams(0xA5EC, 193, ENCRYPTED | SECOND_TABLE, header.len() as u32);
    let keys = Description::parse(&header).unwrap().unwrap().keys("password1").unwrap();
    let mut encrypted = plain.clone();
    encrypted.iter_mut().for_each(|stream| keys.decrypt(stream, BLOCK_BYTES));
    encrypted[0][..HEADER_BYTES].copy_from_slice(&plain[0][..HEADER_BYTES]);
    encrypted[1][..header.len()].copy_from_slice(&header);
    let file = file(&encrypted);

    let read_streams = read(&file, &["wrong", "password1"]).unwrap();
    assert_eq!(u16_at(&read_streams[0], FLAGS_AT), Some(SECOND_TABLE));
    assert_eq!(read_streams[0][KEY_AT + 4..], plain[0][KEY_AT + 4..]);
    assert_eq!(read_streams[1][header.len()..], plain[1][header.len()..]);
    assert_eq!(read_streams[2], plain[2]);
    assert_eq!(read(&file, &["wrong"]), Err(Refusal::WrongPassword));
    // The header would end beyond the table.
    encrypted[0][KEY_AT..KEY_AT + 4].fill(0xFF);
    assert_eq!(read(&super::tests::file(&encrypted), &["password1"]), Err(SHORT));
}

#[test]
fn xor_obfuscation_opens_new_and_old_documents() {
    let password = DEFAULT_PASSWORDS[0];
    let verifier = 0x9A0Au16;
    let key = (0..=u16::MAX).find(|key| XorKey::of_word(password, *key, verifier).is_ok()).unwrap();
    let fields = u32::from(key) << 16 | u32::from(verifier);
    for (magic, version, flags, header_bytes, count) in [
        (0xA5EC, 193, ENCRYPTED | OBFUSCATED | SECOND_TABLE, HEADER_BYTES, 3),
        (0xA5DC, 104, ENCRYPTED, OLD_HEADER_BYTES, 1),
    ] {
        let plain = streams(magic, version, flags, fields);
        let mut encrypted = plain.clone();
        let scheme = XorKey::of_word(password, key, verifier).unwrap();
        encrypted.iter_mut().take(count).for_each(|stream| scheme.decode_word(stream, 0));
        encrypted[0][..header_bytes].copy_from_slice(&plain[0][..header_bytes]);
        let read_streams = read(&file(&encrypted), &[password]).unwrap();
        assert_eq!(read_streams[0][KEY_AT + 4..], plain[0][KEY_AT + 4..]);
        assert_eq!(read_streams[1..], plain[1..]);
        assert_eq!(read(&file(&encrypted), &["other"]), Err(Refusal::WrongPassword));
    }
}

#[test]
fn short_and_plain_documents_are_left_alone() {
    let plain = streams(0xA5EC, 193, SECOND_TABLE, 0);
    let encrypted = streams(0xA5EC, 193, ENCRYPTED, 0xFFFF_FFFF);
    for length in 0..KEY_AT + 8 {
        for stream in [&plain[0][..length], &encrypted[0][..length]] {
            let file = compound_file_of(&[("/WordDocument", stream)]);
            let opened = decrypted(&CompoundFile::open(&file).unwrap(), &file, &["any"]);
            assert!(opened.is_err() || opened.is_ok_and(|plain| plain.is_none()));
        }
    }
}
