//! The records of a vault outside of its folder.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use casetrack_core::{CollectionId, Error, Result};
use casetrack_store::owner;
use serde_json::Value;

use super::Check;
use casetrack_host::Host;

/// Jobs, watches, the last search and the last seen state of a vault: they are sealed with its key, and open.
pub(super) fn check(host: &Host, id: CollectionId) -> Result<Check> {
    let mut check = Check {
        name: "sealed_records".into(),
        description: "Jobs, watches and the last search of the vault are sealed with its key and unchanged.".into(),
        checked: 0,
        problems: Vec::new(),
    };
    let data_dir = &host.config().data_dir;
    for (name, stored) in
        files(&data_dir.join("jobs"))?.into_iter().map(|(name, stored)| (format!("jobs/{name}"), stored))
    {
        let plain = || serde_json::from_slice::<Value>(&stored).is_ok_and(|value| is_of(&value, id));
        if owner(&stored) == Some(id) || plain() {
            note(&mut check, host.registry().open_owned_of(id, &name, stored));
        }
    }
    for entry in watches(data_dir)?.into_iter().filter(|entry| is_of(entry, id)) {
        let name = format!("watches/{}", entry["id"].as_str().unwrap_or_default());
        // One that is not sealed is nothing that opens.
        let stored = entry["sealed"].as_str().and_then(|text| BASE64.decode(text).ok()).unwrap_or_default();
        note(&mut check, host.registry().open_owned_of(id, &name, stored));
    }
    let last = "last-search.json";
    if let Some(stored) = read(&data_dir.join(last))?.filter(|stored| owner(stored) == Some(id)) {
        note(&mut check, host.registry().open_owned(last, stored));
    }
    check.checked += 1;
    check.problems.extend(host.registry().seen_problem(id)?);
    Ok(check)
}

fn note<T>(check: &mut Check, opened: Result<T>) {
    check.checked += 1;
    check.problems.extend(opened.err().map(|error| error.message));
}

fn is_of(value: &Value, id: CollectionId) -> bool {
    value["collection_id"].as_str() == Some(id.to_string().as_str())
}

/// The content of a file; `None` if it is gone.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| Error::io(path.display(), error)),
    }
}

/// The files of a folder by name; none if it is not there.
fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Error::io(folder.display(), error))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Error::io(folder.display(), error))?.path();
        // A job that is being written has another name until it is whole.
        let known = path.extension().is_some_and(|extension| extension == "json" || extension == "report");
        if let (true, Some(name), Some(stored)) = (known, path.file_name(), read(&path)?) {
            files.push((name.to_string_lossy().into_owned(), stored));
        }
    }
    files.sort();
    Ok(files)
}

fn watches(data_dir: &Path) -> Result<Vec<Value>> {
    let file = read(&data_dir.join("watches.json"))?.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    Ok(file.and_then(|file| file["watches"].as_array().cloned()).unwrap_or_default())
}
