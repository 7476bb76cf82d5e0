use argon2::{Algorithm, Argon2, Params, Version};
use casetrack_core::{Error, Result};
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use crate::errors::refused;
use crate::secret::Secret;

/// Longer passphrases are refused: no one types them, and normalising them takes memory.
const MAX_BYTES: usize = 1024;

/// A passphrase. It is overwritten in memory when it is dropped.
#[derive(Clone)]
pub struct Passphrase(Zeroizing<String>);

impl Passphrase {
    /// Normalises the text (NFKC), so that the same letters typed on another system are the same passphrase. Nothing is
    /// trimmed. Errors: [`casetrack_core::ErrorCode::InvalidArgument`] if it is empty or longer than 1,024 bytes.
    pub fn new(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::invalid("The passphrase is empty.").with_hint("Choose one that no one can guess."));
        }
        if text.len() > MAX_BYTES {
            return Err(Error::invalid(format!("The passphrase is longer than {MAX_BYTES} bytes.")));
        }
        // With room for all of it: a string that grows leaves copies behind. NFKC makes no text more than 18 times as
        // long.
        let mut normalised = Zeroizing::new(String::with_capacity(18 * text.len()));
        normalised.extend(text.nfkc());
        Ok(Self(normalised))
    }

    /// Argon2id (RFC 9106) over the passphrase.
    pub(crate) fn derive(&self, cost: Cost, salt: &[u8; 16]) -> Result<Secret> {
        let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32));
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.map_err(|_| refused("Argon2"))?);
        Secret::filled(|key| argon2.hash_password_into(self.0.as_bytes(), salt, key).map_err(|_| refused("Argon2")))
    }
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// The cost of trying one passphrase: the parameters of Argon2id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// KiB of memory.
    pub memory_kib: u32,
    pub passes: u32,
    /// Parts that could be worked on at once. Ours are worked on one after the other.
    pub lanes: u32,
}

impl Cost {
    /// Passes and lanes of the second recommendation of RFC 9106, section 4, with four times its memory: about half a
    /// second.
    pub const DEFAULT: Self = Self { memory_kib: 256 << 10, passes: 3, lanes: 4 };
    /// The least that Argon2 takes: a test of a passphrase costs next to nothing. For tests of programs.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };

    /// More memory is refused, so that a header from elsewhere cannot fill a machine …
    const MOST_MEMORY_KIB: u32 = 2 << 20;
    /// … and more memory times passes, so that it cannot keep it busy: about 15 seconds.
    const MOST_WORK_KIB: u64 = 8 << 20;

    /// True if Argon2 takes it and it is within the bounds above.
    pub(crate) fn is_acceptable(self) -> bool {
        let Self { memory_kib, passes, lanes } = self;
        (1..=16).contains(&lanes)
            && passes >= 1
            && (8 * lanes..=Self::MOST_MEMORY_KIB).contains(&memory_kib)
            && u64::from(memory_kib) * u64::from(passes) <= Self::MOST_WORK_KIB
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_letters_are_the_same_passphrase() {
        let key = |text: &str| *Passphrase::new(text).unwrap().derive(Cost::LEAST, &[7; 16]).unwrap().reveal();
        assert_eq!(key("Gr\u{f6}\u{df}e \u{fb01}x"), key("Gro\u{308}\u{df}e fix"));
        assert_ne!(key("Groesse"), key("groesse"));
        assert_ne!(key("a"), key("a "));
        assert_ne!(key("a"), *Passphrase::new("a").unwrap().derive(Cost::LEAST, &[8; 16]).unwrap().reveal());
        assert!(Passphrase::new("").is_err() && Passphrase::new(&"x".repeat(1025)).is_err());
        // The most that NFKC makes of a character: 18 of them.
        assert!(Passphrase::new(&"\u{fdfa}".repeat(300)).is_ok());
        assert_eq!(format!("{:?}", Passphrase::new("secret").unwrap()), "***");
    }

    #[test]
    fn costs_that_would_stop_the_machine_are_refused() {
        assert!(Cost::DEFAULT.is_acceptable() && Cost::LEAST.is_acceptable());
        let refused = [
            Cost { memory_kib: u32::MAX, ..Cost::DEFAULT },
            Cost { passes: u32::MAX, ..Cost::DEFAULT },
            Cost { lanes: 17, ..Cost::DEFAULT },
            Cost { lanes: 0, ..Cost::DEFAULT },
            Cost { passes: 0, ..Cost::DEFAULT },
            Cost { memory_kib: 31, ..Cost::DEFAULT },
        ];
        assert!(refused.iter().all(|cost| !cost.is_acceptable()));
    }

    /// RFC 9106, section 5.3.
    #[test]
    fn argon2_is_that_of_the_rfc() {
        let data = argon2::AssociatedData::new(&[4; 12]).unwrap();
        let params =
            argon2::ParamsBuilder::new().m_cost(32).t_cost(3).p_cost(4).data(data).output_len(32).build().unwrap();
        let argon2 = Argon2::new_with_secret(&[3; 8], Algorithm::Argon2id, Version::V0x13, params).unwrap();
        let mut tag = [0; 32];
        argon2.hash_password_into(&[1; 32], &[2; 16], &mut tag).unwrap();
        let expected = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659";
        assert_eq!(tag.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), expected);
    }
}
