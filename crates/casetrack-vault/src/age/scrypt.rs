//! The stanza of a passphrase.

use std::fmt;

use casetrack_core::Result;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};
use scrypt::Params;

use crate::errors::{changed, refused};
use crate::secret::Secret;

use super::WHAT;

pub(super) const SALT: usize = 16;
const LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
/// The block size and the parallelism that age always has.
const R: u32 = 8;
const P: u32 = 1;

/// The cost of trying a passphrase: memory and time are proportional to 2 to this power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work(u8);

impl Work {
    /// The value of `age`: 256 MiB, about a second.
    pub const DEFAULT: Self = Self(18);
    pub const LEAST: Self = Self(1);
    /// 2 GiB. A file that asks for more is refused.
    const MOST: u8 = 21;

    /// Reads the number of a header: decimal, without sign and zeros before it.
    pub(super) fn from_header(text: &str) -> Result<Self> {
        let digits = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        let work = text.parse().ok().filter(|work| digits && (1..=Self::MOST).contains(work));
        work.map(Self).ok_or_else(|| changed(WHAT))
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The cipher that wraps the key of a file.
pub(super) fn wrapping(passphrase: &str, salt: &[u8; SALT], work: Work) -> Result<ChaCha20Poly1305> {
    let params = Params::new(work.0, R, P).map_err(|_| refused("Choosing the cost of a passphrase"))?;
    let salt = [LABEL, salt].concat();
    let key = Secret::filled(|key| {
        scrypt::scrypt(passphrase.as_bytes(), &salt, &params, key).map_err(|_| refused("Deriving a key"))
    })?;
    Ok(ChaCha20Poly1305::new(key.reveal().into()))
}
