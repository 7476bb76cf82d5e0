//! The secret that a keychain of the system keeps for a slot: 256 random bits, as text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use casetrack_core::{CollectionId, Error, Result};
use zeroize::Zeroizing;

use crate::key::wrapping_key;
use crate::secret::Secret;

/// Letters of the text.
const LETTERS: usize = 44;

/// A secret that a keychain holds and that opens one slot.
#[derive(Debug, Clone)]
pub struct KeychainSecret(Secret);

impl KeychainSecret {
    pub fn random() -> Result<Self> {
        Secret::random().map(Self)
    }

    /// Reads the output of [`text`](Self::text). Errors: [`casetrack_core::ErrorCode::InvalidArgument`] for anything else.
    pub fn from_text(text: &str) -> Result<Self> {
        let other = || Error::invalid("The keychain entry is not a CaseTrack vault key.");
        if text.len() != LETTERS {
            return Err(other());
        }
        Secret::filled(|bytes| match STANDARD.decode_slice(text, bytes) {
            Ok(written) if written == bytes.len() => Ok(()),
            _ => Err(other()),
        })
        .map(Self)
    }

    /// The 32 bytes in base64 with padding: 44 letters.
    pub fn text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(LETTERS));
        STANDARD.encode_string(self.0.reveal(), &mut text);
        text
    }

    /// The key of a slot. The bits are random, so nothing has to be slow.
    pub(crate) fn derive(&self, collection: CollectionId, salt: &[u8; 16]) -> Result<Secret> {
        wrapping_key(&self.0, b"casetrack-vault-1 keychain", collection, salt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_gives_the_secret_back_and_any_other_text_is_refused() {
        let secret = KeychainSecret::random().unwrap();
        let text = secret.text();
        assert_eq!(text.len(), LETTERS);
        assert_eq!(KeychainSecret::from_text(&text).unwrap().0.reveal(), secret.0.reveal());
        let zeros = format!("{}=", "A".repeat(43));
        assert_eq!(KeychainSecret::from_text(&zeros).unwrap().0.reveal(), &[0; 32]);
        // Not canonical, cut off, longer, of another kind.
        let not_canonical = format!("{}B=", "A".repeat(42));
        for other in
            ["", &not_canonical, &zeros[..43], &zeros[1..], &format!("{zeros}\n"), &"=".repeat(44), &"!".repeat(44)]
        {
            assert!(KeychainSecret::from_text(other).is_err(), "{other:?}");
        }
    }
}
