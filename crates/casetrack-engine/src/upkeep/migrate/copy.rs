//! Copying a collection, document by document and in their order, by which equal scores are ordered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{Cancel, CollectionMeta, DocumentMeta, Error, Progress, ProgressSink, Result};
use casetrack_store::{Collection, StoredDocument};
use serde_json::Value;
use walkdir::WalkDir;

use casetrack_host::documents::{self, originals};
use casetrack_host::sha256;

/// The change of paths: uploads are in the folder of their collection.
pub(super) struct Way {
    from: PathBuf,
    to: PathBuf,
}

impl Way {
    /// `folder` is the collection's folder in the other store, once it is seen.
    pub fn new(source: &Collection, folder: &Path) -> Self {
        let from = source.uploads_dir();
        let to = folder.join(from.file_name().unwrap_or_default());
        Self { from, to }
    }

    /// A document as it is described in the other store.
    pub fn described(&self, meta: &DocumentMeta) -> DocumentMeta {
        let moved = Path::new(&meta.path).strip_prefix(&self.from).ok();
        let moved = moved.and_then(|inside| Some(self.to.join(inside).to_str()?.to_owned()));
        DocumentMeta { path: moved.unwrap_or_else(|| meta.path.clone()), ..meta.clone() }
    }
}

/// Values that change with every change of a collection, and the parts that were copied.
pub(crate) struct State {
    meta: CollectionMeta,
    documents: Vec<DocumentMeta>,
    columns: Option<Value>,
    evidence: EvidenceTray,
    uploads_there: BTreeMap<PathBuf, u64>,
    pub copied_before: u64,
    pub originals: u64,
    pub uploads: u64,
    pub left_out: Vec<String>,
}

impl State {
    pub fn of(collection: &Collection) -> Result<Self> {
        Ok(Self {
            meta: collection.meta().clone(),
            documents: collection.documents_as_stored()?,
            columns: collection.columns()?,
            evidence: collection.evidence()?,
            uploads_there: uploads(collection)?,
            copied_before: 0,
            originals: 0,
            uploads: 0,
            left_out: Vec::new(),
        })
    }

    pub fn is_that_of(&self, collection: &Collection) -> Result<bool> {
        let now = Self::of(collection)?;
        let parts = |state: &Self| (state.meta.clone(), state.columns.clone(), state.evidence.clone());
        Ok(parts(self) == parts(&now) && self.documents == now.documents && self.uploads_there == now.uploads_there)
    }

    pub fn found(mut self, target: &Collection) -> Result<Self> {
        let documents = target.documents_as_stored()?;
        self.copied_before = documents.len() as u64;
        self.originals = documents.iter().filter(|meta| meta.original_stored).count() as u64;
        self.uploads = uploads(target)?.len() as u64;
        for (own, there) in self.documents.iter().zip(&documents) {
            if own.original_stored && !there.original_stored {
                self.left_out.push(format!("{}: its copy is not in the other store.", own.path));
            }
        }
        Ok(self)
    }
}

/// Makes `target` equal to `source`. The documents that `target` already has, from the first one on, stay.
pub(super) fn copy(
    source: &Collection,
    target: &mut Collection,
    way: &Way,
    state: &mut State,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<()> {
    if source.models_are_open() && !target.models_are_open() {
        target.leave_models_open()?;
    }
    let has_removed = copy_documents(source, target, way, state, progress, cancel)?;
    for own in state.documents.iter().filter(|meta| meta.original_stored) {
        match target.document(own.id)?.is_some_and(|meta| meta.original_stored) {
            true => state.originals += 1,
            false => state.left_out.push(format!("{}: its copy cannot be read, or has other content.", own.path)),
        }
    }
    state.uploads = take_uploads(source, target, &state.uploads_there, cancel)?;
    if let Some(columns) = &state.columns {
        target.set_columns(columns)?;
    }
    let evidence = state.evidence.clone();
    target.change_evidence(|tray| {
        *tray = evidence;
        Ok(())
    })?;
    for name in documents::NOTES {
        if let Some(note) = source.note(name)? {
            target.set_note(name, &note)?;
        }
    }
    if *target.meta() != state.meta {
        target.describe(state.meta.clone())?;
    }
    // Removed documents count in the scores of keyword search until their space is reclaimed.
    if has_removed { target.compact() } else { Ok(()) }
}

/// True if documents that `target` had were removed.
fn copy_documents(
    source: &Collection,
    target: &Collection,
    way: &Way,
    state: &mut State,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<bool> {
    let wanted: Vec<DocumentMeta> = state.documents.iter().map(|meta| way.described(meta)).collect();
    let there = target.documents_as_stored()?;
    let same = wanted.iter().zip(&there).take_while(|(wanted, there)| is_same(wanted, there)).count();
    // Documents are ordered by when they were stored: documents after a different one are stored again.
    for meta in there.iter().skip(same) {
        target.delete_document(meta.id)?;
        originals::remove(target, meta)?;
    }
    state.copied_before = same as u64;
    progress(Progress::Discovered { files: wanted.len() as u64 });
    let (mut files, mut chunks) = (same as u64, 0);
    for (own, described) in state.documents.iter().zip(&wanted).skip(same) {
        cancel.check()?;
        progress(Progress::Reading { path: described.path.clone().into() });
        // One that was deleted meanwhile is missed by the comparison.
        if let Some(mut whole) = source.whole(own.id)? {
            whole.meta = way.described(&whole.meta);
            take_original(source, target, own, &mut whole)?;
            target.put_document(&whole)?;
            chunks += whole.chunks.len() as u64;
        }
        files += 1;
        progress(Progress::FileDone { path: described.path.clone().into(), problem: None, files, chunks });
    }
    Ok(there.len() > same)
}

/// True if two documents have the same description, except for the copies of their files.
pub(super) fn is_same(wanted: &DocumentMeta, there: &DocumentMeta) -> bool {
    DocumentMeta { original_stored: there.original_stored, ..wanted.clone() } == *there
}

/// Copies the kept copy of a document's file, before the document. One that is missing or damaged stays behind.
fn take_original(
    source: &Collection,
    target: &Collection,
    own: &DocumentMeta,
    whole: &mut StoredDocument,
) -> Result<()> {
    if !whole.meta.original_stored {
        return Ok(());
    }
    let bytes = source.read_kept(&source.original_path(own)).ok().filter(|bytes| sha256(bytes) == whole.meta.sha256);
    whole.meta.original_stored = bytes.is_some();
    bytes.map_or(Ok(()), |bytes| target.write_kept(&target.new_original_path(&whole.meta), &bytes))
}

/// The uploads of a collection and their lengths, by their paths in the folder.
pub(super) fn uploads(collection: &Collection) -> Result<BTreeMap<PathBuf, u64>> {
    let folder = collection.uploads_dir();
    let mut found = BTreeMap::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in WalkDir::new(&folder).min_depth(1) {
        let entry = entry.map_err(|error| Error::io(folder.display(), error.into()))?;
        // One that is being uploaded has a name of its own until it is whole.
        let is_whole = !entry.file_name().to_string_lossy().starts_with('.');
        if entry.file_type().is_file()
            && is_whole
            && let Ok(inside) = entry.path().strip_prefix(&folder)
        {
            let length = entry.metadata().map_err(|error| Error::io(entry.path().display(), error.into()))?.len();
            found.insert(inside.to_owned(), length);
        }
    }
    Ok(found)
}

fn take_uploads(
    source: &Collection,
    target: &Collection,
    wanted: &BTreeMap<PathBuf, u64>,
    cancel: &Cancel,
) -> Result<u64> {
    let there = uploads(target)?;
    for (inside, length) in wanted {
        cancel.check()?;
        if there.get(inside) != Some(length) {
            let bytes = source.read_kept(&source.uploads_dir().join(inside))?;
            target.write_kept(&target.uploads_dir().join(inside), &bytes)?;
        }
    }
    for inside in there.keys().filter(|inside| !wanted.contains_key(*inside)) {
        let gone = target.uploads_dir().join(inside);
        std::fs::remove_file(&gone).map_err(|error| Error::io(gone.display(), error))?;
    }
    Ok(wanted.len() as u64)
}
