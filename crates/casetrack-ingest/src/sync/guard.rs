//! The guard against removals by mistake: an unmounted drive and an emptied or renamed folder look as if every file were deleted.
//!
//! A sync removes nothing without confirmation if
//!
//! - a folder lost the files of all its documents and is empty, or had at least [`FEWEST`] of them, or
//! - more than half of the documents of the synced folder are gone, and at least [`FEWEST`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use walkdir::{DirEntry, WalkDir};

use casetrack_host::documents::former::FEWEST;

/// Folders and documents named.
const MOST_NAMED: usize = 10;

/// A removal that a sync did not make, because it needs to be confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WithheldRemoval {
    /// Documents that a confirmed sync removes. Those inside a container count with it.
    pub documents: u64,
    /// Documents of the synced folder, in the same way.
    pub of: u64,
    /// Folders that lost the files of all their documents, without those inside another; at most ten. Empty if only the share was too large.
    pub folders: Vec<String>,
    /// Paths of documents that a confirmed sync removes; at most ten.
    pub examples: Vec<String>,
}

impl WithheldRemoval {
    /// The reason, for people.
    pub fn reason(&self) -> String {
        let Self { documents, of, folders, .. } = self;
        let documents = if *documents == 1 { "1 document".to_owned() } else { format!("{documents} documents") };
        match folders.as_slice() {
            [] => format!("The files of {documents} of {of} are gone at once, so no document was removed."),
            [folder] => format!("All files of {folder} are gone, so no document was removed ({documents} would be)."),
            [folder, more @ ..] => format!(
                "All files of {folder} and of {} are gone, so no document was removed ({documents} would be).",
                if more.len() == 1 { "1 other folder".to_owned() } else { format!("{} other folders", more.len()) }
            ),
        }
    }
}

/// The documents of a folder, and those that are gone.
#[derive(Default)]
struct Tally {
    documents: usize,
    gone: usize,
}

/// Decides whether removals need to be confirmed. `documents` are the paths of the documents below `root` that a sync may remove, without those
/// inside containers, each with whether its file is gone. Looks into the folders that lost all files.
pub(super) fn withheld(root: &Path, documents: &[(&Path, bool)]) -> Option<WithheldRemoval> {
    let mut folders: BTreeMap<PathBuf, Tally> = BTreeMap::new();
    for (path, is_gone) in documents {
        for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(root)) {
            let tally = folders.entry(folder.to_owned()).or_default();
            tally.documents += 1;
            tally.gone += usize::from(*is_gone);
        }
    }
    let all = folders.get(root)?;
    let is_lost = |(folder, tally): &(&PathBuf, &Tally)| {
        tally.gone == tally.documents && (tally.gone >= FEWEST || !has_files(folder))
    };
    let mut lost: Vec<&PathBuf> = Vec::new();
    // Folders come before those inside them.
    for (folder, _) in folders.iter().filter(is_lost) {
        if !lost.iter().any(|outer| folder.starts_with(outer)) {
            lost.push(folder);
        }
    }
    if lost.is_empty() && (all.gone < FEWEST || all.gone * 2 <= all.documents) {
        return None;
    }
    let gone = documents.iter().filter(|(_, is_gone)| *is_gone);
    Some(WithheldRemoval {
        documents: all.gone as u64,
        of: all.documents as u64,
        folders: lost.iter().take(MOST_NAMED).map(|folder| folder.display().to_string()).collect(),
        examples: gone.take(MOST_NAMED).map(|(path, _)| path.display().to_string()).collect(),
    })
}

/// Files that systems leave in folders, besides hidden ones.
const LEFT_BY_SYSTEMS: [&str; 2] = ["Thumbs.db", "desktop.ini"];

/// True if a folder holds a file of a user, at any depth. One that cannot be read may hold some.
pub(super) fn has_files(folder: &Path) -> bool {
    let is_shown = |entry: &DirEntry| {
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        entry.depth() == 0 || !is_hidden && LEFT_BY_SYSTEMS.iter().all(|left| name != *left)
    };
    if folder.is_file() {
        return false;
    }
    let entries = WalkDir::new(folder).into_iter().filter_entry(is_shown);
    entries.into_iter().any(|entry| match entry {
        Ok(entry) => !entry.file_type().is_dir(),
        Err(error) => error.io_error().is_some_and(|error| error.kind() != std::io::ErrorKind::NotFound),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folders named, where the removal is withheld. Files that end in "-" are gone.
    fn held(present: &[&str], documents: &[&str]) -> Option<Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for file in present.iter().chain(documents.iter().filter(|path| !path.ends_with('-'))) {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let paths: Vec<(PathBuf, bool)> =
            documents.iter().map(|path| (root.join(path.trim_end_matches('-')), path.ends_with('-'))).collect();
        let paths: Vec<(&Path, bool)> = paths.iter().map(|(path, is_gone)| (path.as_path(), *is_gone)).collect();
        let short = |folder: &String| Path::new(folder).strip_prefix(root).unwrap().display().to_string();
        withheld(root, &paths).map(|held| held.folders.iter().map(short).collect())
    }

    #[test]
    fn a_folder_that_lost_all_files_is_confirmed_first() {
        assert_eq!(held(&[], &["a.txt-"]), Some(vec![String::new()]), "the root");
        assert_eq!(held(&[], &["a.txt", "b.txt", "in/c.txt-"]), Some(vec!["in".to_owned()]));
        assert_eq!(held(&[], &["a.txt", "in/deep/b.txt-", "in/c.txt-"]), Some(vec!["in".to_owned()]));
        for left in ["in/.DS_Store", "in/Thumbs.db", "in"] {
            let held = held(&[left], &["a.txt", "b.txt", "in/c.txt-"]);
            assert_eq!(held, Some(vec!["in".to_owned()]), "{left}");
        }
        // Another drive in its place.
        let other = ["a.txt-", "b.txt-", "c.txt-", "d.txt-", "e.txt-"];
        assert_eq!(held(&["other.txt"], &other), Some(vec![String::new()]));
    }

    #[test]
    fn a_large_share_is_confirmed_first() {
        let half = ["a-", "b-", "c-", "d-", "e-", "f", "g", "h", "i", "j"];
        assert_eq!(held(&[], &half), None);
        assert_eq!(held(&[], &half[..9]), Some(Vec::new()));
        assert_eq!(held(&[], &["a-", "b-", "c-", "d-", "e"]), None, "fewer than five");
    }

    #[test]
    fn files_that_are_deleted_one_by_one_need_no_confirmation() {
        assert_eq!(held(&[], &["a.txt-", "b.txt"]), None);
        assert_eq!(held(&[], &["in/a.txt-", "in/b.txt", "c.txt"]), None);
        // Saved under another name, or in a format that is not read.
        assert_eq!(held(&["in/a v2.txt"], &["in/a.txt-", "b.txt"]), None);
        assert_eq!(held(&[], &["a.txt", "b.txt"]), None);
        assert_eq!(held(&[], &[]), None);
    }

    #[test]
    fn the_reason_names_the_folders_and_the_number_of_documents() {
        let held = |folders: &[&str]| WithheldRemoval {
            documents: 3,
            of: 4,
            folders: folders.iter().map(|folder| (*folder).to_owned()).collect(),
            examples: Vec::new(),
        };
        assert_eq!(held(&[]).reason(), "The files of 3 documents of 4 are gone at once, so no document was removed.");
        let one = "All files of /m are gone, so no document was removed (3 documents would be).";
        assert_eq!(held(&["/m"]).reason(), one);
        assert!(held(&["/m", "/n"]).reason().starts_with("All files of /m and of 1 other folder are gone"));
    }
}
