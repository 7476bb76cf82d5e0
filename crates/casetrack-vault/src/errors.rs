//! The errors of this crate in the words that users read.

use casetrack_core::{Error, ErrorCode};

/// Something that was sealed is not what was written.
pub(crate) fn changed(what: &str) -> Error {
    Error::new(ErrorCode::Corrupt, format!("{what} was changed, cut off or exchanged since it was encrypted."))
        .with_hint("Restore it from a backup.")
}

/// Something of a format that came later.
pub(crate) fn newer(what: &str, found: u32, known: u32) -> Error {
    let message = format!("{what} has format {found}; this version of CaseTrack knows format {known}.");
    Error::new(ErrorCode::NewerSchema, message).with_hint("Update CaseTrack, then try again.")
}

/// A primitive refused what it never refuses for inputs of ours.
pub(crate) fn refused(what: &str) -> Error {
    Error::internal(format!("{what} failed."))
}
