//! The outcome of trying a password.

use casetrack_core::Error;
use casetrack_pages::model::Source;

pub(crate) struct DecryptedFile {
    pub bytes: Vec<u8>,
    pub warning: Option<&'static str>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Refusal {
    WrongPassword,
    /// Completes "encrypted in a way that is not supported".
    Unsupported(String),
    /// Completes "could not be read".
    Damaged(&'static str),
}

pub(super) type Attempt<T> = Result<T, Refusal>;

impl Refusal {
    pub fn into_error(self, source: &Source) -> Error {
        match self {
            Self::WrongPassword => source.needs_password(),
            Self::Unsupported(how) => source.unsupported_encryption(how),
            Self::Damaged(what) => source.unreadable(what),
        }
    }
}

/// The result of `open` for the first password that it does not refuse as wrong.
pub(super) fn first_right<T>(passwords: &[&str], mut open: impl FnMut(&str) -> Attempt<T>) -> Attempt<T> {
    passwords
        .iter()
        .map(|password| open(password))
        .find(|opened| !matches!(opened, Err(Refusal::WrongPassword)))
        .unwrap_or(Err(Refusal::WrongPassword))
}
