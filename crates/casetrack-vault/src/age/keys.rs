//! Recipients and identities, as age writes them: X25519 keys in Bech32.

use std::fmt;
use std::str::FromStr;

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use casetrack_core::{Error, Result};
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::errors::refused;
use crate::secret::Secret;

const RECIPIENT: &str = "age";
const IDENTITY: &str = "age-secret-key-";
/// Neither is longer than 74 letters.
const MAX_BYTES: usize = 128;

/// A recipient's public key. Not secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient(pub(super) PublicKey);

impl FromStr for Recipient {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let key = decoded(RECIPIENT, text).map(|key| PublicKey::from(*key));
        key.map(Self).ok_or_else(|| {
            Error::invalid(format!("\"{text}\" is not a recipient of age."))
                .with_hint("One begins with \"age1\" and has 62 letters and digits; `age-keygen` makes it. Other kinds are not supported.")
        })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hrp = Hrp::parse(RECIPIENT).map_err(|_| fmt::Error)?;
        f.write_str(&bech32::encode_lower::<Bech32>(hrp, self.0.as_bytes()).map_err(|_| fmt::Error)?)
    }
}

/// The key that decrypts files that were encrypted to a recipient. It is overwritten in memory when it is dropped.
#[derive(Clone)]
pub struct Identity(pub(super) StaticSecret);

impl Identity {
    pub fn random() -> Result<Self> {
        Secret::random().map(|secret| Self(StaticSecret::from(*secret.reveal())))
    }

    /// Reads the line of a file of identities that begins with `AGE-SECRET-KEY-1`; other lines may be there, too.
    /// Errors: [`casetrack_core::ErrorCode::InvalidArgument`] unless there is exactly one. The message does not repeat
    /// the text.
    pub fn from_text(text: &str) -> Result<Self> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let only = lines.next().filter(|_| lines.next().is_none());
        let key = only.and_then(|line| decoded(IDENTITY, line));
        key.map(|key| Self(StaticSecret::from(*key))).ok_or_else(|| {
            Error::invalid("This is not one identity of age.").with_hint(
                "One begins with \"AGE-SECRET-KEY-1\"; `age-keygen` makes it. Other kinds are not supported.",
            )
        })
    }

    pub fn recipient(&self) -> Recipient {
        Recipient(PublicKey::from(&self.0))
    }

    /// As a file of identities has it.
    pub fn text(&self) -> Result<Zeroizing<String>> {
        let text =
            Hrp::parse(IDENTITY).ok().and_then(|hrp| bech32::encode_upper::<Bech32>(hrp, self.0.as_bytes()).ok());
        text.map(Zeroizing::new).ok_or_else(|| refused("Writing an identity"))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The 32 bytes of a key with this prefix.
fn decoded(prefix: &str, text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let text = (text.len() <= MAX_BYTES).then_some(text)?;
    let parsed = CheckedHrpstring::new::<Bech32>(text).ok()?;
    let mut key = Zeroizing::new([0; 32]);
    let mut bytes = parsed.byte_iter();
    for byte in key.iter_mut() {
        *byte = bytes.next()?;
    }
    let own = parsed.hrp().as_str().eq_ignore_ascii_case(prefix);
    (own && bytes.next().is_none()).then_some(key)
}
