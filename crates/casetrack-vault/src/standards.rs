//! Tests of the primitives against known answers from the standards. Those of HKDF, Argon2id and BIP 39 are next to the
//! code that uses them.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, XChaCha20Poly1305};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use x25519_dalek::x25519;

/// The plain text and the associated data of both standards of ChaCha20-Poly1305.
const SUNSCREEN: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
const ASSOCIATED: &str = "50515253c0c1c2c3c4c5c6c7";

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).unwrap() as u8;
    hex.as_bytes().as_chunks::<2>().0.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}

fn key() -> [u8; 32] {
    std::array::from_fn(|place| 0x80 + place as u8)
}

/// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
#[test]
fn xchacha20_poly1305_is_that_of_the_draft() {
    let nonce: [u8; 24] = std::array::from_fn(|place| 0x40 + place as u8);
    let payload = Payload { msg: SUNSCREEN, aad: &bytes(ASSOCIATED) };
    let sealed = XChaCha20Poly1305::new(&key().into()).encrypt(&nonce.into(), payload).unwrap();
    let expected = "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c670\
                    8c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9\
                    768812f615c68b13b52ec0875924c1c7987947deafd8780acf49";
    assert_eq!(sealed, bytes(expected));
}

/// RFC 8439, section 2.8.2.
#[test]
fn chacha20_poly1305_is_that_of_the_rfc() {
    let nonce: [u8; 12] = bytes("070000004041424344454647").try_into().unwrap();
    let payload = Payload { msg: SUNSCREEN, aad: &bytes(ASSOCIATED) };
    let sealed = ChaCha20Poly1305::new(&key().into()).encrypt(&nonce.into(), payload).unwrap();
    let expected = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a\
                    9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9d\
                    e576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691";
    assert_eq!(sealed, bytes(expected));
}

/// RFC 7914, section 12.
#[test]
fn scrypt_is_that_of_the_rfc() {
    for (passphrase, salt, log_n, r, p, expected) in [
        (
            "",
            "",
            4,
            1,
            1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d36\
             28cf35e20c38d18906",
        ),
        (
            "password",
            "NaCl",
            10,
            8,
            16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee\
             6d8360cbdfa2cc0640",
        ),
    ] {
        let mut key = [0; 64];
        let params = scrypt::Params::new(log_n, r, p).unwrap();
        scrypt::scrypt(passphrase.as_bytes(), salt.as_bytes(), &params, &mut key).unwrap();
        assert_eq!(key.to_vec(), bytes(expected));
    }
}

/// RFC 7748, sections 5.2 and 6.1.
#[test]
fn x25519_is_that_of_the_rfc() {
    for (scalar, point, expected) in [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
            "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
            "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
        ),
    ] {
        let [scalar, point, expected]: [[u8; 32]; 3] =
            [scalar, point, expected].map(|hex| bytes(hex).try_into().unwrap());
        assert_eq!(x25519(scalar, point), expected);
    }
}

/// RFC 4231, test cases 1 and 2.
#[test]
fn hmac_is_that_of_the_rfc() {
    for (key, data, expected) in [
        (&[0x0b; 20][..], "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (b"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    ] {
        let mut hmac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        hmac.update(data.as_bytes());
        assert_eq!(hmac.finalize().into_bytes().to_vec(), bytes(expected));
    }
}
