//! The files of a vault, to the last tag.

use std::io::Read;
use std::path::{Path, PathBuf};

use casetrack_core::Result;

use super::{Check, Findings};
use crate::seal::Seal;
use crate::truth::Truth;
use crate::{fs, vault};

/// Opens every sealed file to its end: `files` of the directory and those in its `folders`. Compares the records of the
/// latest header; `problem` is that of other files. `None` if it is no vault.
///
/// Files that a repair put aside are left out: they are damaged.
pub(crate) fn sealed_files(
    dir: &Path,
    truth: &Truth,
    files: &[&str],
    folders: &[&str],
    problem: Option<String>,
) -> Result<Option<Check>> {
    let seal = truth.seal();
    let Some(key) = seal.vault_key() else { return Ok(None) };
    let mut findings =
        Findings::new("sealed_files", "Every file of the vault is as it was written, and none is an earlier one.");
    findings.check.checked += vault::HEADERS.len() as u64;
    vault::problems(dir, key).into_iter().for_each(|problem| findings.problem(problem));
    let latest = vault::vouched(dir, key).map_or(0, |header| header.generation());
    if truth.generation()?.is_some_and(|seen| seen > latest) {
        findings.problem("The header was put back to an earlier state.".into());
    }
    problem.into_iter().for_each(|problem| findings.problem(problem));
    let mut paths: Vec<PathBuf> = files.iter().map(|name| dir.join(name)).filter(|path| path.exists()).collect();
    for folder in folders {
        below(&dir.join(folder), &mut paths)?;
    }
    for path in paths {
        findings.check.checked += 1;
        if let Some(problem) = problem_of(dir, &path, seal) {
            findings.problem(problem);
        }
    }
    Ok(Some(findings.finish()))
}

fn problem_of(dir: &Path, path: &Path, seal: &Seal) -> Option<String> {
    let relative = path.strip_prefix(dir).unwrap_or(path);
    let name = relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    let read = seal.open(path, &name).and_then(|mut file| {
        let mut buffer = vec![0; 1 << 18];
        while file.read(&mut buffer)? > 0 {}
        Ok(())
    });
    match read {
        // An index was saved again in the meantime.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => Some(format!("{name}: {error}")),
        Ok(()) => None,
    }
}

/// The files below a folder, except for locks and for files that are being written or were when the process ended.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::dir_entries_or_none(folder)? {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            below(&path, files)?;
        } else if !name.ends_with(".lock") && !name.ends_with(".partial") && !fs::is_temporary(&entry.file_name()) {
            files.push(path);
        }
    }
    Ok(())
}
