//! The plan of a sync: a pure function of the files of a folder and the documents of a collection.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use casetrack_core::{DocumentMeta, Sha256};

#[derive(Debug, Clone)]
pub(super) struct DiskFile {
    pub path: String,
    /// `None` if it could not or should not be read.
    pub sha256: Option<Sha256>,
}

/// Places in the lists of files and documents. Every file is in one of `unchanged`, `duplicates`, `fresh` and `changed`, or moved.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Files, with the documents that they are.
    pub unchanged: Vec<(usize, usize)>,
    /// Documents, with the files that they became.
    pub moved: Vec<(usize, usize)>,
    /// Files, with documents that have their content and stay.
    pub duplicates: Vec<(usize, usize)>,
    /// Files to be ingested that the collection has no document for.
    pub fresh: Vec<usize>,
    /// Files to be ingested that replace the contents of their documents.
    pub changed: Vec<usize>,
    /// Documents without a file.
    pub gone: Vec<usize>,
}

/// A plan for `files`, which were found below `root`. Documents are ordered by path.
///
/// `is_gone`: the file of a document, which is not among `files`, no longer exists. It is called for documents of files only: those inside
/// containers go with their container. `remove`: documents without files will be removed, so that no file is the duplicate of one.
///
/// A document has moved to a file with its SHA-256 where its own file is gone or holds other content. A file whose path has a
/// document takes another one only if that document moves away too; else the path decides, and its document is changed.
pub(super) fn plan(
    root: &Path,
    files: &[DiskFile],
    documents: &[DocumentMeta],
    is_gone: impl Fn(&DocumentMeta) -> bool,
    remove: bool,
) -> Plan {
    let by_path: HashMap<&str, usize> = documents.iter().enumerate().map(|(d, meta)| (meta.path.as_str(), d)).collect();
    let file_at: HashMap<&str, usize> = files.iter().enumerate().map(|(f, file)| (file.path.as_str(), f)).collect();
    let inside = |meta: &DocumentMeta| {
        let holds =
            |path: &str| file_at.contains_key(path) || by_path.get(path).is_some_and(|&d| documents[d].is_container());
        Path::new(&meta.path).ancestors().skip(1).filter_map(Path::to_str).any(holds)
    };

    let mut plan = Plan::default();
    let (mut fresh, mut changed) = (Vec::new(), Vec::new());
    for (f, file) in files.iter().enumerate() {
        match (by_path.get(file.path.as_str()), file.sha256) {
            (Some(&d), Some(sha256)) if documents[d].sha256 == sha256 => plan.unchanged.push((f, d)),
            (Some(_), Some(_)) => changed.push(f),
            (Some(_), None) => plan.changed.push(f),
            (None, Some(_)) => fresh.push(f),
            (None, None) => plan.fresh.push(f),
        }
    }

    // Documents that are no longer where they were, by content.
    let wanted: HashSet<Sha256> = fresh.iter().chain(&changed).filter_map(|&f| files[f].sha256).collect();
    let mut homeless: BTreeMap<Sha256, Vec<usize>> = BTreeMap::new();
    let mut gone: HashSet<usize> = HashSet::new();
    for (d, meta) in documents.iter().enumerate() {
        let (is_wanted, is_below) = (wanted.contains(&meta.sha256), Path::new(&meta.path).starts_with(root));
        if !is_wanted && !is_below || inside(meta) {
            continue;
        }
        let displaced = match file_at.get(meta.path.as_str()) {
            Some(&f) => files[f].sha256.is_some_and(|sha256| sha256 != meta.sha256),
            None => {
                let is_gone = is_gone(meta);
                if is_gone && is_below {
                    gone.insert(d);
                }
                is_gone
            }
        };
        if displaced && is_wanted {
            homeless.entry(meta.sha256).or_default().push(d);
        }
    }

    // Files without a document come first, then those whose document may move away as well.
    let mut moved_to: BTreeMap<usize, usize> = BTreeMap::new();
    for &f in fresh.iter().chain(&changed) {
        let Some(candidates) = files[f].sha256.and_then(|sha256| homeless.get_mut(&sha256)) else { continue };
        let name = file_name(&files[f].path);
        let same_name = candidates.iter().position(|&d| file_name(&documents[d].path) == name);
        if !candidates.is_empty() {
            moved_to.insert(f, candidates.remove(same_name.unwrap_or(0)));
        }
    }
    loop {
        let leaving: HashSet<usize> = moved_to.values().copied().collect();
        let stays = |f: &usize| by_path.get(files[*f].path.as_str()).is_some_and(|d| !leaving.contains(d));
        let kept = moved_to.len();
        moved_to.retain(|f, _| !stays(f));
        if moved_to.len() == kept {
            break;
        }
    }

    let leaving: HashSet<usize> = moved_to.values().copied().collect();
    plan.gone = gone.difference(&leaving).copied().collect();
    plan.gone.sort_unstable();
    // The contents of the collection when moves and removals are done and before anything is ingested.
    let mut kept: HashMap<Sha256, usize> = HashMap::new();
    let removed: HashSet<&str> = plan.gone.iter().filter(|_| remove).map(|&d| documents[d].path.as_str()).collect();
    for (d, meta) in documents.iter().enumerate().filter(|(_, meta)| wanted.contains(&meta.sha256)) {
        let goes = Path::new(&meta.path).ancestors().filter_map(Path::to_str).any(|path| removed.contains(path));
        let replaced = file_at.get(meta.path.as_str()).is_some_and(|&f| files[f].sha256 != Some(meta.sha256));
        if leaving.contains(&d) || !goes && !replaced {
            kept.entry(meta.sha256).or_insert(d);
        }
    }
    for f in fresh.into_iter().chain(changed) {
        let resident = by_path.get(files[f].path.as_str()).filter(|d| !leaving.contains(d));
        match (moved_to.get(&f), resident, files[f].sha256.and_then(|sha256| kept.get(&sha256))) {
            (Some(&d), ..) => plan.moved.push((d, f)),
            (None, Some(_), _) => plan.changed.push(f),
            (None, None, Some(&d)) => plan.duplicates.push((f, d)),
            (None, None, None) => plan.fresh.push(f),
        }
    }
    plan.moved.sort_unstable();
    plan.fresh.sort_unstable();
    plan.changed.sort_unstable();
    plan.duplicates.sort_unstable();
    plan
}

fn file_name(path: &str) -> Option<&std::ffi::OsStr> {
    Path::new(path).file_name()
}
