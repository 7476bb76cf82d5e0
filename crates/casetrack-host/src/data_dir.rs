//! The folder of collections when the user names no place.
//!
//! `casetrack/data` in the platform's folder for local application data, next to the models: `~/.local/share` on Linux, `~/Library/Application
//! Support` on macOS, `%LOCALAPPDATA%` on Windows. It is the local one because the other is copied between the machines of a Windows domain. Earlier
//! versions used `CaseTrack` in the documents folder, which cloud services often synchronize: plain texts would leave the machine, and an index that
//! is copied while it changes is damaged. If that folder exists, it stays in use.

use std::path::{Path, PathBuf};

use casetrack_core::{Action, Error, ErrorCode, Result};

pub fn default() -> Result<PathBuf> {
    choose(local(), documents().map(|documents| documents.join("CaseTrack"))).ok_or_else(|| {
        Error::new(ErrorCode::MissingDependency, "This user has no home directory to keep collections in.")
            .with_hint(Action::NameDataDirectory)
    })
}

/// A notice to the user, with advice, if a cloud service may synchronize the data directory.
pub fn notice(data_dir: &Path) -> Option<String> {
    if !documents().is_some_and(|documents| data_dir.starts_with(documents)) {
        return None;
    }
    let place = match local() {
        Some(local) if default().is_ok_and(|default| default == data_dir) => local.display().to_string(),
        _ => "a folder that is not synchronized".to_owned(),
    };
    Some(format!(
        "The data directory is in the documents folder. If a cloud service synchronizes that folder, texts of your \
         documents leave this machine, and the indexes may be damaged. To move it, stop CaseTrack, then move {} to {place}.",
        data_dir.display()
    ))
}

fn choose(local: Option<PathBuf>, earlier: Option<PathBuf>) -> Option<PathBuf> {
    let is_used = |directory: &PathBuf| directory.join("collections").is_dir();
    match (local, earlier) {
        (Some(local), Some(earlier)) if is_used(&earlier) && !is_used(&local) => Some(earlier),
        (local, earlier) => local.or(earlier),
    }
}

fn local() -> Option<PathBuf> {
    dirs::data_local_dir().map(|data| data.join("casetrack").join("data"))
}

fn documents() -> Option<PathBuf> {
    dirs::document_dir().or_else(|| dirs::home_dir().map(|home| home.join("Documents")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_already_is_kept() {
        let temp = tempfile::tempdir().unwrap();
        let [local, earlier] = ["local", "earlier"].map(|name| temp.path().join(name));
        let chosen = || choose(Some(local.clone()), Some(earlier.clone())).unwrap();
        assert_eq!(chosen(), local);
        std::fs::create_dir_all(&earlier).unwrap();
        assert_eq!(chosen(), local, "an empty folder of that name is somebody else's");
        std::fs::create_dir_all(earlier.join("collections")).unwrap();
        assert_eq!(chosen(), earlier);
        std::fs::create_dir_all(local.join("collections")).unwrap();
        assert_eq!(chosen(), local);
        assert_eq!(choose(None, Some(earlier.clone())), Some(earlier));
        assert_eq!(choose(None, None), None);
    }
}
