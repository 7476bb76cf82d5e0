//! The errors of this crate in the words that users read.

use casetrack_core::{Error, ErrorCode};

/// The error for sealed data that was changed.
pub(crate) fn changed(what: &str) -> Error {
    Error::new(ErrorCode::Corrupt, format!("{what} was changed, cut off or exchanged since it was encrypted."))
        .with_hint("Restore it from a backup.")
}

pub(crate) fn newer(what: &str, found: u32, known: u32) -> Error {
    let message = format!("{what} has format {found}; this version of CaseTrack knows format {known}.");
    Error::new(ErrorCode::NewerSchema, message).with_hint("Update CaseTrack, then try again.")
}

/// The error for a primitive that refuses inputs of ours, which never happens.
pub(crate) fn refused(what: &str) -> Error {
    Error::internal(format!("{what} failed."))
}
