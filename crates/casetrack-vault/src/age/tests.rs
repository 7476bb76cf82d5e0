use base64::Engine;
use casetrack_core::ErrorCode;
use proptest::prelude::*;

use super::*;

fn identity() -> Identity {
    Identity::random().unwrap()
}

#[test]
fn files_come_back_to_each_recipient() {
    let identities = [identity(), identity(), identity()];
    let recipients = identities.each_ref().map(Identity::recipient);
    for length in [0, 1, 65_535, 65_536, 65_537, 140_000] {
        let bytes = vec![7; length];
        let file = encrypt(&[&recipients[0], &recipients[1]], &bytes).unwrap();
        assert!(decrypt(&identities[0], &file).unwrap().unwrap() == bytes);
        assert!(decrypt(&identities[1], &file).unwrap().unwrap() == bytes);
        assert!(decrypt(&identities[2], &file).unwrap().is_none());
    }
    assert_eq!(encrypt(&[], b"text").unwrap_err().code, ErrorCode::InvalidArgument);
}

#[test]
fn every_changed_byte_and_every_length_is_noticed() {
    let identity = identity();
    let file = encrypt(&[&identity.recipient()], b"The key of a vault, for example").unwrap();
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut changed = file.clone();
            changed[at] ^= 1 << bit;
            // A changed stanza counts as another recipient's.
            match decrypt(&identity, &changed) {
                Ok(found) => assert_eq!(found, None, "bit {bit} of byte {at}"),
                Err(error) => assert_eq!(error.code, ErrorCode::Corrupt),
            }
        }
        assert_eq!(decrypt(&identity, &file[..at]).unwrap_err().code, ErrorCode::Corrupt, "cut off at {at}");
    }
    assert!(decrypt(&identity, &[file.as_slice(), b"x"].concat()).is_err());
}

#[test]
fn keys_are_written_and_read() {
    let identity = identity();
    let (text, recipient) = (identity.text().unwrap(), identity.recipient());
    assert!(text.starts_with("AGE-SECRET-KEY-1"));
    assert_eq!(recipient.to_string().parse::<Recipient>().unwrap(), recipient);
    let file = format!("# created: today\n# public key: {recipient}\n{}\n", *text);
    assert_eq!(Identity::from_text(&file).unwrap().recipient(), recipient);
    let mut mistyped = recipient.to_string().into_bytes();
    mistyped[20] = if mistyped[20] == b'q' { b'p' } else { b'q' };
    for wrong in ["", "age1", "age1qqqq", &text, &String::from_utf8(mistyped).unwrap(), &"age1".repeat(100)] {
        assert!(wrong.parse::<Recipient>().is_err(), "{wrong}");
    }
    for wrong in [String::new(), recipient.to_string(), format!("{}\n{}", *text, *text)] {
        let error = Identity::from_text(&wrong).unwrap_err();
        assert!(!error.message.contains("AGE-SECRET-KEY"));
    }
    assert_eq!(format!("{identity:?}"), "***");
}

/// `x25519` of the test vectors of age (<https://c2sp.org/CCTV/age>): the header gives the key of the file.
#[test]
fn a_header_of_the_test_vectors_of_age_opens() {
    let identity =
        Identity::from_text("AGE-SECRET-KEY-1XMWWC06LY3EE5RYTXM9MFLAZ2U56JJJ36S0MYPDRWSVLUL66MV4QX3S7F6").unwrap();
    let header = "age-encryption.org/v1\n\
        -> X25519 TEiF0ypqr+bpvcqXNyCVJpL7OuwPdVwPL7KQEbFDOCc\n\
        EmECAEcKN+n/Vs9SbWiV+Hu0r+E8R77DdWYyd83nw7U\n\
        --- Vn+54jqiiUCE+WZcEVY3f1sqHjlu/z1LCQ/T7Xm7qI0\n";
    assert_eq!(
        header::open(Key::Identity(&identity), &mut header.as_bytes()).unwrap().unwrap().reveal(),
        b"YELLOW SUBMARINE"
    );
}

#[test]
fn a_file_that_age_made_opens() {
    let identity =
        Identity::from_text("AGE-SECRET-KEY-139EYSY4NLE8YQWZ3XMQE6DWHUVU3MG97GV2C64CRM29YWW2JED0Q99CKJY").unwrap();
    let recipient = "age1gexljp6qs5tauqz738gyrw88vl2h3rv2znlkmnfz5gd3yzph294qdn33we";
    assert_eq!(identity.recipient().to_string(), recipient);
    let file = "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSAyZXZBOXhsZUF3d2cxN3AzVVoxeVBkN1JVRlBpT09odGtxYnhaRzArUWlF\
        CjZFUlpRL2JxVVBFYVVXM2tJR2djSUZsTk5YNS9IYyt5ZFpPTkpEMXFsUncKLS0tIEhCZkkzYUI2eWM0L3ducTRiVDZhdmt1QW1R\
        cys4TDRiZ2V3cEw4ZHR3V28K2h+me35aYJuJ6y9ArHKiVFFPI+bfokGzl+KZPchSQW50reZEvegKUVcV1/O2AIHe";
    let file = base64::prelude::BASE64_STANDARD.decode(file).unwrap();
    assert_eq!(decrypt(&identity, &file).unwrap().unwrap(), b"Kept in escrow.\n");
}

proptest! {
    #[test]
    fn any_bytes_are_no_file(bytes in prop::collection::vec(any::<u8>(), 0..300), tail in "[ -~\n]{0,300}") {
        let identity = identity();
        prop_assert!(decrypt(&identity, &bytes).is_err());
        let begun = format!("{VERSION_LINE}\n-> X25519 {tail}");
        prop_assert!(!matches!(decrypt(&identity, begun.as_bytes()), Ok(Some(_))));
        let _ = lock_of(begun.as_bytes());
    }

    #[test]
    fn any_text_is_no_key(text in "\\PC{0,100}") {
        prop_assert!(text.parse::<Recipient>().is_err());
        prop_assert!(Identity::from_text(&text).is_err());
    }
}

fn opened(key: Key<'_>, file: &[u8]) -> Option<Vec<u8>> {
    let read = |opened: Result<Option<Box<dyn Read + '_>>>| {
        let mut content = Vec::new();
        opened.ok()??.read_to_end(&mut content).ok().map(|_| content)
    };
    let in_order = read(Decryptor::new(key, file).map(|found| found.map(|reader| Box::new(reader) as _)));
    let any = RandomDecryptor::new(key, io::Cursor::new(file));
    let in_any = read(any.map(|found| found.map(|reader| Box::new(reader) as _)));
    assert!(in_order == in_any);
    in_order
}

fn with_passphrase(text: &str, bytes: &[u8]) -> Vec<u8> {
    let mut encryptor = Encryptor::with_passphrase(text, Work::LEAST, Vec::new()).unwrap();
    encryptor.write_all(bytes).unwrap();
    encryptor.finish().unwrap()
}

#[test]
fn a_passphrase_opens_its_file_and_no_other_does() {
    for length in [0, 1, 65_536, 65_537, 140_000] {
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let file = with_passphrase("Größe", &bytes);
        assert!(opened(Key::Passphrase("Größe"), &file).unwrap() == bytes);
        assert!(opened(Key::Passphrase("Gro\u{308}ße"), &file).is_none(), "it is taken as it was typed");
        assert_eq!(lock_of(file.as_slice()).unwrap(), Some(Lock::Passphrase));
        assert!(decrypt(&identity(), &file).unwrap().is_none());
    }
    assert_eq!(Encryptor::with_passphrase("", Work::LEAST, Vec::new()).err().unwrap().code, ErrorCode::InvalidArgument);
    let recipient = encrypt(&[&identity().recipient()], b"text").unwrap();
    assert_eq!(lock_of(recipient.as_slice()).unwrap(), Some(Lock::Recipients));
    for none in [&b""[..], b"PK\x03\x04", b"age-encryption.org/v", b"age-encryption.org/w1\n"] {
        assert_eq!(lock_of(none).unwrap(), None);
    }
    assert_eq!(lock_of(&b"age-encryption.org/v1\n-> X25519"[..]).unwrap_err().code, ErrorCode::Corrupt);
}

/// A file of three blocks and a bit: the places of its blocks, and its content.
fn of_four_blocks() -> (Identity, Vec<u8>, usize, Vec<u8>) {
    let identity = identity();
    let bytes: Vec<u8> = (0..3 * 65_536 + 1000).map(|at| (at % 253) as u8).collect();
    let file = encrypt(&[&identity.recipient()], &bytes).unwrap();
    let start = file.len() - bytes.len() - 4 * 16;
    (identity, file, start, bytes)
}

#[test]
fn what_is_changed_cut_off_or_exchanged_does_not_open() {
    let (identity, file, start, bytes) = of_four_blocks();
    let key = Key::Identity(&identity);
    assert!(opened(key, &file).unwrap() == bytes);
    let block = 65_536 + 16;
    let borders: Vec<usize> = (0..4).map(|number| start + number * block).chain([file.len()]).collect();
    // A byte of the first line, of a stanza and its body, of the HMAC, of the nonce; of each block the first, one
    // within, and both ends of the tag.
    let header = file.windows(3).position(|window| window == b"---").unwrap();
    let in_header = [0, 10, 22, 30, 60, header - 2, header, header + 5, header + 30, start - 17, start - 16, start - 1];
    let in_blocks = borders.windows(2).flat_map(|ends| [ends[0], ends[0] + 500, ends[1] - 16, ends[1] - 1]);
    for at in in_header.into_iter().chain(in_blocks) {
        for bit in [1, 128] {
            let mut changed = file.clone();
            changed[at] ^= bit;
            assert!(opened(key, &changed).is_none(), "bit {bit} of byte {at}");
        }
    }
    for border in &borders {
        for at in [border.saturating_sub(16), border - 1, *border, border + 1, border + 15, border + 16, border + 17] {
            if at < file.len() {
                assert!(opened(key, &file[..at]).is_none(), "cut off at {at}");
            }
        }
    }
    for longer in [&b"x"[..], &file[borders[1]..borders[2]], &file[borders[3]..]] {
        assert!(opened(key, &[&file, longer].concat()).is_none(), "{} bytes more", longer.len());
    }
    let blocks: Vec<&[u8]> = borders.windows(2).map(|ends| &file[ends[0]..ends[1]]).collect();
    for order in [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 1, 3], [3, 1, 2, 0], [2, 1, 0, 3]] {
        let blocks: Vec<u8> = order.iter().flat_map(|number| blocks[*number]).copied().collect();
        assert!(opened(key, &[&file[..start], &blocks].concat()).is_none(), "{order:?}");
    }
    assert!(opened(key, &[&file[..borders[1]], &file[borders[2]..]].concat()).is_none(), "one left out");
    // A block of another file with the same key.
    let other = encrypt(&[&identity.recipient()], &bytes).unwrap();
    let mixed = [&file[..borders[1]], &other[borders[1]..borders[2]], &file[borders[2]..]].concat();
    assert!(opened(key, &mixed).is_none(), "of another file");
}

#[test]
fn a_file_is_read_in_any_order() {
    use io::{Seek, SeekFrom};
    let (identity, file, _, bytes) = of_four_blocks();
    let mut reader = RandomDecryptor::new(Key::Identity(&identity), io::Cursor::new(file)).unwrap().unwrap();
    let random = &mut fastrand::Rng::with_seed(7);
    for _ in 0..200 {
        let at = random.usize(..bytes.len() + 10);
        let length = random.usize(..70_000).min(bytes.len().saturating_sub(at));
        let place = match random.u8(..3) {
            0 => SeekFrom::Start(at as u64),
            1 => SeekFrom::End(at as i64 - bytes.len() as i64),
            _ => SeekFrom::Current(at as i64 - reader.stream_position().unwrap() as i64),
        };
        assert_eq!(reader.seek(place).unwrap(), at as u64);
        let mut read = vec![0; length];
        reader.read_exact(&mut read).unwrap();
        assert!(read == bytes[at.min(bytes.len())..][..length], "{length} bytes at {at}");
    }
    assert!(reader.seek(SeekFrom::End(-(bytes.len() as i64) - 1)).is_err());
}

#[test]
fn a_header_without_end_is_refused() {
    let endless = VERSION_LINE.bytes().chain(*b"\n-> X25519 a\n").chain(std::iter::repeat_n(b'a', 1 << 20));
    let endless: Vec<u8> = endless.collect();
    assert_eq!(decrypt(&identity(), &endless).unwrap_err().code, ErrorCode::Corrupt);
}
