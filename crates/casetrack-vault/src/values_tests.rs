use casetrack_core::{CollectionId, ErrorCode};
use proptest::prelude::*;

use super::*;
use crate::key::VaultKey;

fn values() -> Values {
    VaultKey::random(CollectionId::random()).unwrap().values().unwrap()
}

fn code(result: Result<Vec<u8>>) -> ErrorCode {
    result.unwrap_err().code
}

proptest! {
    #[test]
    fn values_come_back(
        value in prop::collection::vec(0u8..4, 0..3000), key in prop::collection::vec(any::<u8>(), 0..40), compress in any::<bool>(),
    ) {
        let values = values();
        let packing = if compress { Packing::Compressed } else { Packing::AsItIs };
        let sealed = values.seal("chunks", &key, &value, packing).unwrap();
        prop_assert!(sealed.len() <= value.len() + OVERHEAD);
        prop_assert_eq!(&values.open("chunks", &key, &sealed).unwrap(), &value);
        // The same value is never sealed alike twice.
        prop_assert_ne!(values.seal("chunks", &key, &value, packing).unwrap(), sealed);
    }

    #[test]
    fn any_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(values().open("chunks", b"key", &bytes).is_err());
    }

    #[test]
    fn any_bytes_that_claim_to_be_compressed_are_read_within_bounds(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(value) = unpack(&bytes) {
            prop_assert!(value.len() <= LZ4_MOST * bytes.len());
        }
    }
}

#[test]
fn every_changed_byte_and_every_length_is_noticed() {
    let values = values();
    let value = "The tenant pays the rent in advance. ".repeat(8);
    for packing in [Packing::Compressed, Packing::AsItIs] {
        let sealed = values.seal("page_text", b"0123", value.as_bytes(), packing).unwrap();
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                let expected =
                    if at == 0 && changed[0] > VERSION { ErrorCode::NewerSchema } else { ErrorCode::Corrupt };
                assert_eq!(code(values.open("page_text", b"0123", &changed)), expected, "bit {bit} of byte {at}");
            }
            assert_eq!(code(values.open("page_text", b"0123", &sealed[..at])), ErrorCode::Corrupt, "cut off at {at}");
        }
        assert_eq!(code(values.open("page_text", b"0123", &[sealed.as_slice(), &[0]].concat())), ErrorCode::Corrupt);
    }
}

#[test]
fn a_value_opens_in_its_own_place_only() {
    let (own, other) = (values(), values());
    let sealed = own.seal("pages", b"ab", b"value", Packing::AsItIs).unwrap();
    assert_eq!(own.open("pages", b"ab", &sealed).unwrap(), b"value");
    assert_eq!(code(own.open("pages", b"ac", &sealed)), ErrorCode::Corrupt);
    assert_eq!(code(own.open("page", b"sab", &sealed)), ErrorCode::Corrupt);
    assert_eq!(code(own.open("chunks", b"ab", &sealed)), ErrorCode::Corrupt);
    assert_eq!(code(other.open("pages", b"ab", &sealed)), ErrorCode::Corrupt);
    assert!(own.seal(&"x".repeat(256), b"", b"", Packing::AsItIs).is_err());
}

#[test]
fn text_is_compressed_and_hidden() {
    let text = "Meyer against Miller, ".repeat(100);
    let sealed = values().seal("page_text", b"k", text.as_bytes(), Packing::Compressed).unwrap();
    assert!(sealed.len() < 200, "{}", sealed.len());
    let plain = values().seal("page_text", b"k", text.as_bytes(), Packing::AsItIs).unwrap();
    assert!(!plain.windows(5).any(|window| window == b"Meyer"));
}
