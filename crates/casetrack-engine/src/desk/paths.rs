//! Completion of file paths that a person types.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use casetrack_core::Result;
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_host::Host;

/// Most entries of a folder that are read, and most that are returned.
const MOST_READ: usize = 20_000;
const MOST: usize = 50;

/// A file or folder that a typed path may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathEntry {
    /// Absolute.
    pub path: String,
    pub is_directory: bool,
}

/// The files and folders whose paths begin with the typed text, folders first, then by name; case makes no difference. `~` is the home
/// folder. Names that begin with a dot are left out unless the dot was typed; so are files that the rules of access deny. A folder that
/// cannot be read has no entries.
pub fn complete_path(host: &Host, typed: &str) -> Result<Vec<PathEntry>> {
    let typed = match typed.strip_prefix('~').zip(dirs::home_dir()) {
        Some((rest, home)) if rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR]) => {
            format!("{}{rest}", home.display())
        }
        _ => typed.to_owned(),
    };
    let split = typed.rfind(['/', MAIN_SEPARATOR]).map_or(0, |at| at + 1);
    let (folder, begun) = typed.split_at(split);
    let folder = Path::new(folder);
    if !folder.is_absolute() {
        return Ok(Vec::new());
    }
    let access = &host.config().access;
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
    let begun = begun.to_lowercase();
    let mut found: Vec<(bool, String, PathBuf)> = Vec::new();
    for entry in entries.take(MOST_READ).flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let hidden = name.starts_with('.') && !begun.starts_with('.');
        if hidden || !name.to_lowercase().starts_with(&begun) {
            continue;
        }
        let path = entry.path();
        // Folders around the allowed ones lead to them.
        let leads = access.roots().iter().any(|root| root.starts_with(&path));
        if access.check_name(&path).is_ok() && (leads || access.check(&path).is_ok()) {
            found.push((!path.is_dir(), name, path));
        }
    }
    found.sort_by_cached_key(|(is_file, name, _)| (*is_file, name.to_lowercase(), name.clone()));
    found.truncate(MOST);
    let entry = |(is_file, _, path): (bool, String, PathBuf)| PathEntry {
        path: path.to_string_lossy().into_owned(),
        is_directory: !is_file,
    };
    Ok(found.into_iter().map(entry).collect())
}
