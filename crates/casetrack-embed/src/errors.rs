use std::fmt::Display;
use std::path::Path;

use casetrack_core::{Error, ErrorCode, Result};

/// Advice for a model file that is missing or damaged.
pub const RESTORE_HINT: &str =
    "Restore the models folder: reinstall CaseTrack, or run scripts/setup/fetch_models.py in its source folder.";

/// The error of an unusable model file; `problem` gives the reason.
pub fn damaged(path: &Path, problem: impl Display) -> Error {
    Error::new(ErrorCode::Corrupt, format!("Model file {} is damaged: {problem}", path.display()))
        .with_hint(RESTORE_HINT)
}

pub fn unreadable(path: &Path, error: std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        let message = format!("Model file {} is missing", path.display());
        return Error::new(ErrorCode::MissingDependency, message).with_hint(RESTORE_HINT);
    }
    Error::io(path.display(), error)
}

/// The value that `text` names; an error lists the names.
pub fn choose<T: Copy>(what: &str, text: &str, choices: &[(&str, T)]) -> Result<T> {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    choices
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, value)| *value)
        .ok_or_else(|| Error::invalid(format!("\"{text}\" is not a {what}: choose one of {}", names.join(", "))))
}
