//! Access to the workbench: one-time codes, and the secrets that browsers get for them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::CollectionId;
use subtle::ConstantTimeEq;

/// The time for which a code is valid.
const CODE_LIFE: Duration = Duration::from_secs(60);
/// Most codes and browsers at the same time. The oldest are dropped first.
const MOST: usize = 32;

/// The codes and secrets of one listener. They are kept only in memory, and so end with the owner.
#[derive(Debug, Default)]
pub struct Keys(Mutex<KeyStore>);

#[derive(Debug, Default)]
struct KeyStore {
    codes: Vec<Code>,
    secrets: Vec<String>,
}

#[derive(Debug)]
struct Code {
    code: String,
    made: Instant,
    secret: Option<String>,
}

impl Keys {
    /// A new code, good for one exchange within 60 seconds. 244 random bits, in hexadecimal digits.
    pub fn code(&self) -> String {
        let code = random();
        let mut known = self.known();
        if known.codes.len() == MOST {
            known.codes.remove(0);
        }
        known.codes.push(Code { code: code.clone(), made: Instant::now(), secret: None });
        code
    }

    /// The secret of a browser, for a code. A code that is used twice was seen by someone else: its first session ends, too.
    pub(super) fn exchange(&self, given: &str) -> Option<String> {
        self.exchange_at(given, Instant::now())
    }

    fn exchange_at(&self, given: &str, now: Instant) -> Option<String> {
        let mut known = self.known();
        known.codes.retain(|code| now.saturating_duration_since(code.made) < CODE_LIFE);
        let found = known.codes.iter_mut().find(|code| code.code.as_bytes().ct_eq(given.as_bytes()).into())?;
        if let Some(taken) = found.secret.take() {
            known.codes.retain(|code| code.code != given);
            known.secrets.retain(|secret| *secret != taken);
            tracing::warn!("a code for the workbench was used twice; the first session is closed");
            return None;
        }
        let secret = random();
        found.secret = Some(secret.clone());
        if known.secrets.len() == MOST {
            known.secrets.remove(0);
        }
        known.secrets.push(secret.clone());
        Some(secret)
    }

    /// True if the secret is that of a browser. Takes constant time.
    pub(super) fn admits(&self, given: &str) -> bool {
        self.known().secrets.iter().any(|secret| secret.as_bytes().ct_eq(given.as_bytes()).into())
    }

    fn known(&self) -> MutexGuard<'_, KeyStore> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn random() -> String {
    format!("{}{}", CollectionId::random(), CollectionId::random()).replace('-', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_once() {
        let keys = Keys::default();
        let code = keys.code();
        assert_eq!(keys.exchange(&code[1..]), None);
        let secret = keys.exchange(&code).unwrap();
        assert!(keys.admits(&secret) && secret != code);
        for wrong in ["", &secret[1..], &code] {
            assert!(!keys.admits(wrong), "{wrong}");
        }
        let other = keys.exchange(&keys.code()).unwrap();
        // The first user of the code may have been someone else.
        assert_eq!(keys.exchange(&code), None);
        assert!(!keys.admits(&secret) && keys.admits(&other));
    }

    #[test]
    fn a_code_is_good_for_a_minute() {
        let keys = Keys::default();
        let code = keys.code();
        assert_eq!(keys.exchange_at(&code, Instant::now() + CODE_LIFE), None);
        assert_eq!(keys.exchange(&code), None);
    }

    #[test]
    fn the_oldest_codes_and_browsers_go_first() {
        let keys = Keys::default();
        let codes: Vec<String> = (0..=MOST).map(|_| keys.code()).collect();
        assert_eq!(keys.exchange(&codes[0]), None);
        let secrets: Vec<String> = (0..=MOST).map(|_| keys.exchange(&keys.code()).unwrap()).collect();
        assert!(!keys.admits(&secrets[0]) && keys.admits(&secrets[1]) && keys.admits(&secrets[MOST]));
    }
}
