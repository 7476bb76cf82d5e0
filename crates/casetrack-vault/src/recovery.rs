//! Recovery keys: 256 random bits that people keep on paper, as the 24 English words of BIP 39.

use bip39::{Language, Mnemonic};
use casetrack_core::{CollectionId, Error, Result};
use zeroize::Zeroizing;

use crate::errors::refused;
use crate::key::wrapping_key;
use crate::secret::Secret;

const WORDS: usize = 24;
/// A longer text is not read; the longest word of the list has 8 letters.
const MAX_BYTES: usize = 1024;

/// A key that opens a vault when the passphrase is lost.
#[derive(Debug, Clone)]
pub struct RecoveryKey(Secret);

impl RecoveryKey {
    pub fn random() -> Result<Self> {
        Secret::random().map(Self)
    }

    /// Reads the 24 words, in capitals or not, with any space between them. The last one holds a checksum of 8 bits.
    /// Errors: [`casetrack_core::ErrorCode::InvalidArgument`], with a hint at the wrong word or length.
    pub fn from_words(text: &str) -> Result<Self> {
        let wrong = |what: String| Error::invalid(what).with_hint("Compare the words with what you wrote down.");
        if text.len() > MAX_BYTES {
            return Err(wrong(format!("A recovery key has {WORDS} words.")));
        }
        let words = Zeroizing::new(text.to_lowercase());
        let count = words.split_whitespace().count();
        if count != WORDS {
            return Err(wrong(format!("A recovery key has {WORDS} words; these are {count}.")));
        }
        let mnemonic = Mnemonic::parse_in_normalized(Language::English, &words).map_err(|error| match error {
            bip39::Error::UnknownWord(place) => {
                wrong(format!("Word {} of the recovery key is not in the list of words.", place + 1))
            }
            _ => wrong(
                "The words are all known, but they do not belong together: one is wrong, or two are exchanged.".into(),
            ),
        })?;
        let entropy = Zeroizing::new(mnemonic.to_entropy());
        Secret::copied(&entropy).map(Self).ok_or_else(|| refused("Reading a recovery key"))
    }

    /// The 24 words, separated by spaces.
    pub fn words(&self) -> Result<Zeroizing<String>> {
        let mnemonic = Mnemonic::from_entropy_in(Language::English, self.0.reveal());
        let mnemonic = mnemonic.map_err(|_| refused("Writing a recovery key"))?;
        let mut text = Zeroizing::new(String::with_capacity(9 * WORDS));
        for word in mnemonic.words() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
        Ok(text)
    }

    /// The key of a slot. The bits are random, so nothing has to be slow.
    pub(crate) fn derive(&self, collection: CollectionId, salt: &[u8; 16]) -> Result<Secret> {
        wrapping_key(&self.0, b"casetrack-vault-1 recovery", collection, salt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_give_the_key_back() {
        let key = RecoveryKey::random().unwrap();
        let words = key.words().unwrap();
        assert_eq!(words.split(' ').count(), 24);
        let written = words.to_uppercase().replace(' ', "\n  ");
        assert_eq!(RecoveryKey::from_words(&written).unwrap().0.reveal(), key.0.reveal());
    }

    /// A test vector of BIP 39.
    #[test]
    fn the_words_are_those_of_bip_39() {
        let key = RecoveryKey(Secret::copied(&[0; 32]).unwrap());
        let expected = format!("{}art", "abandon ".repeat(23));
        assert_eq!(*key.words().unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |text: &str| RecoveryKey::from_words(text).unwrap_err().message;
        assert!(message("abandon art").contains("these are 2"));
        assert!(message(&format!("{}arrt", "abandon ".repeat(23))).contains("Word 24"));
        assert!(message(&"abandon ".repeat(24)).contains("do not belong together"));
        assert!(message(&"abandon ".repeat(1000)).contains("24 words"));
    }
}
