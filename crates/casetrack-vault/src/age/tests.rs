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
            // A stanza that was changed is for somebody else.
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
    assert_eq!(header::open(&identity, &mut header.as_bytes()).unwrap().unwrap().reveal(), b"YELLOW SUBMARINE");
}

/// Made with `age` 1.1.1: `printf 'Kept in escrow.\n' | age -r age1gexl…`.
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
    }

    #[test]
    fn any_text_is_no_key(text in "\\PC{0,100}") {
        prop_assert!(text.parse::<Recipient>().is_err());
        prop_assert!(Identity::from_text(&text).is_err());
    }
}

#[test]
fn a_header_without_end_is_refused() {
    let endless = VERSION_LINE.bytes().chain(*b"\n-> X25519 a\n").chain(std::iter::repeat_n(b'a', 1 << 20));
    let endless: Vec<u8> = endless.collect();
    assert_eq!(decrypt(&identity(), &endless).unwrap_err().code, ErrorCode::Corrupt);
}
