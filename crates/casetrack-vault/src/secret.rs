//! 32 secret bytes, and the random bytes that they come from.

use std::fmt;

use casetrack_core::{Error, ErrorCode, Result};
use zeroize::Zeroizing;

/// A key of 256 bits. It lies in one place of the heap, is overwritten when it is dropped, and does not show in logs.
#[derive(Clone)]
pub struct Secret(Box<Zeroizing<[u8; 32]>>);

impl Secret {
    /// A new one from the system's generator.
    pub fn random() -> Result<Self> {
        Self::filled(fill)
    }

    /// One that `fill` writes in place, so that no other copy is made.
    pub(crate) fn filled(fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Self> {
        let mut secret = Box::new(Zeroizing::new([0; 32]));
        fill(secret.as_mut_slice())?;
        Ok(Self(secret))
    }

    /// A copy of `bytes`, which must be 32.
    pub(crate) fn copied(bytes: &[u8]) -> Option<Self> {
        let mut secret = Box::new(Zeroizing::new([0; 32]));
        (bytes.len() == secret.len()).then(|| secret.copy_from_slice(bytes))?;
        Some(Self(secret))
    }

    /// The bytes themselves.
    pub fn reveal(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| {
        Error::new(ErrorCode::MissingDependency, format!("The system gives no random numbers: {error}"))
            .with_hint("Nothing was encrypted. Restart the machine, then try again.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_do_not_show() {
        let (a, b) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_ne!(a.reveal(), b.reveal());
        assert_eq!(format!("{a:?} {:#?}", Some(&b)), "*** Some(\n    ***,\n)");
        assert_eq!(Secret::copied(a.reveal()).unwrap().reveal(), a.reveal());
        assert!(Secret::copied(&[0; 31]).is_none());
    }
}
