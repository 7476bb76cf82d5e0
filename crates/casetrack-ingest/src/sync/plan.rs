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
    let places = Places::of(files, documents);
    let mut plan = Plan::default();
    let (mut fresh, mut changed) = (Vec::new(), Vec::new());
    for (f, file) in files.iter().enumerate() {
        match (places.documents_at.get(file.path.as_str()), file.sha256) {
            (Some(&d), Some(sha256)) if documents[d].sha256 == sha256 => plan.unchanged.push((f, d)),
            (Some(_), Some(_)) => changed.push(f),
            (Some(_), None) => plan.changed.push(f),
            (None, Some(_)) => fresh.push(f),
            (None, None) => plan.fresh.push(f),
        }
    }
    // Files without a document come first, then those whose document may move away as well.
    let unmatched: Vec<usize> = fresh.into_iter().chain(changed).collect();
    let wanted: HashSet<Sha256> = unmatched.iter().filter_map(|&f| files[f].sha256).collect();
    let (homeless, gone) = places.displaced(root, &wanted, is_gone);
    let moved_to = places.moves(&unmatched, homeless);

    let leaving: HashSet<usize> = moved_to.values().copied().collect();
    plan.gone = gone.difference(&leaving).copied().collect();
    plan.gone.sort_unstable();
    let removed: HashSet<&str> = plan.gone.iter().filter(|_| remove).map(|&d| documents[d].path.as_str()).collect();
    let kept = places.kept(&wanted, &leaving, &removed);
    for f in unmatched {
        let resident = places.documents_at.get(files[f].path.as_str()).filter(|d| !leaving.contains(d));
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

/// Files and documents, also by path.
struct Places<'p> {
    files: &'p [DiskFile],
    documents: &'p [DocumentMeta],
    files_at: HashMap<&'p str, usize>,
    documents_at: HashMap<&'p str, usize>,
}

impl<'p> Places<'p> {
    fn of(files: &'p [DiskFile], documents: &'p [DocumentMeta]) -> Self {
        Self {
            files,
            documents,
            files_at: files.iter().enumerate().map(|(f, file)| (file.path.as_str(), f)).collect(),
            documents_at: documents.iter().enumerate().map(|(d, meta)| (meta.path.as_str(), d)).collect(),
        }
    }

    /// True for a document inside a container.
    fn is_inside(&self, meta: &DocumentMeta) -> bool {
        let is_container = |path: &str| self.documents_at.get(path).is_some_and(|&d| self.documents[d].is_container());
        let holds = |path: &str| self.files_at.contains_key(path) || is_container(path);
        Path::new(&meta.path).ancestors().skip(1).filter_map(Path::to_str).any(holds)
    }

    /// The documents with `wanted` contents that are no longer where they were, by content; and those below `root` without a file.
    fn displaced(
        &self,
        root: &Path,
        wanted: &HashSet<Sha256>,
        is_gone: impl Fn(&DocumentMeta) -> bool,
    ) -> (BTreeMap<Sha256, Vec<usize>>, HashSet<usize>) {
        let mut homeless: BTreeMap<Sha256, Vec<usize>> = BTreeMap::new();
        let mut gone: HashSet<usize> = HashSet::new();
        for (d, meta) in self.documents.iter().enumerate() {
            let (is_wanted, is_below) = (wanted.contains(&meta.sha256), Path::new(&meta.path).starts_with(root));
            if !is_wanted && !is_below || self.is_inside(meta) {
                continue;
            }
            let displaced = match self.files_at.get(meta.path.as_str()) {
                Some(&f) => self.files[f].sha256.is_some_and(|sha256| sha256 != meta.sha256),
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
        (homeless, gone)
    }

    /// The homeless documents that move, by the file that each becomes.
    fn moves(&self, files: &[usize], mut homeless: BTreeMap<Sha256, Vec<usize>>) -> BTreeMap<usize, usize> {
        let mut moved_to: BTreeMap<usize, usize> = BTreeMap::new();
        for &f in files {
            let Some(candidates) = self.files[f].sha256.and_then(|sha256| homeless.get_mut(&sha256)) else { continue };
            let name = file_name(&self.files[f].path);
            let same_name = candidates.iter().position(|&d| file_name(&self.documents[d].path) == name);
            if !candidates.is_empty() {
                moved_to.insert(f, candidates.remove(same_name.unwrap_or(0)));
            }
        }
        loop {
            let leaving: HashSet<usize> = moved_to.values().copied().collect();
            let kept = moved_to.len();
            moved_to.retain(|f, _| {
                let resident = self.documents_at.get(self.files[*f].path.as_str());
                resident.is_none_or(|d| leaving.contains(d))
            });
            if moved_to.len() == kept {
                return moved_to;
            }
        }
    }

    /// The documents with `wanted` contents that the collection has when moves and removals are done and before anything is ingested.
    fn kept(
        &self,
        wanted: &HashSet<Sha256>,
        leaving: &HashSet<usize>,
        removed: &HashSet<&str>,
    ) -> HashMap<Sha256, usize> {
        let mut kept: HashMap<Sha256, usize> = HashMap::new();
        for (d, meta) in self.documents.iter().enumerate().filter(|(_, meta)| wanted.contains(&meta.sha256)) {
            let goes = Path::new(&meta.path).ancestors().filter_map(Path::to_str).any(|path| removed.contains(path));
            let file = self.files_at.get(meta.path.as_str());
            let replaced = file.is_some_and(|&f| self.files[f].sha256 != Some(meta.sha256));
            if leaving.contains(&d) || !goes && !replaced {
                kept.entry(meta.sha256).or_insert(d);
            }
        }
        kept
    }
}

fn file_name(path: &str) -> Option<&std::ffi::OsStr> {
    Path::new(path).file_name()
}
