//! Comparing two collections as wholes.

use casetrack_core::{Cancel, DocumentMeta, Progress, ProgressSink, Result};
use casetrack_store::{Collection, StoredDocument};

use super::copy::{Way, is_same, uploads};
use casetrack_host::sha256;

/// The first thing in which two collections differ, as a sentence. Reads everything in both.
pub(super) fn difference(
    source: &Collection,
    target: &Collection,
    way: &Way,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<Option<String>> {
    let differs = |what: &str| Ok(Some(format!("{what} not the same.")));
    if source.models() != target.models() || source.models_are_open() != target.models_are_open() {
        return differs("The models of their vectors are");
    }
    if source.meta() != target.meta() {
        return differs("Name, type or state of the two are");
    }
    let (own, there) = (source.documents_as_stored()?, target.documents_as_stored()?);
    if source.counts()? != target.counts()? || own.len() != there.len() {
        return differs("The numbers of their documents, pages and passages are");
    }
    progress(Progress::Discovered { files: own.len() as u64 });
    for ((own, there), files) in own.iter().zip(&there).zip(1..) {
        cancel.check()?;
        progress(Progress::Reading { path: own.path.clone().into() });
        let whole = (source.whole(own.id)?, target.whole(there.id)?);
        let (Some(mut own), Some(there)) = whole else {
            return differs(&format!("{}: it is", own.path));
        };
        own.meta = way.described(&own.meta);
        let path = there.meta.path.clone();
        if !is_same(&own.meta, &there.meta) || parts(own) != parts(there.clone()) {
            return differs(&format!("{path}: its parts are"));
        }
        if !has_its_copy(target, &there.meta) {
            return differs(&format!("{path}: the copies of its file are"));
        }
        progress(Progress::FileDone { path: path.into(), problem: None, files, chunks: 0 });
    }
    if source.columns()? != target.columns()? {
        return differs("The columns of their sheets are");
    }
    if source.evidence()? != target.evidence()? {
        return differs("The passages collected as evidence are");
    }
    let (own, there) = (uploads(source)?, uploads(target)?);
    if own != there {
        return differs("Their uploads are");
    }
    for inside in own.keys() {
        cancel.check()?;
        let digest = |collection: &Collection| {
            collection.read_kept(&collection.uploads_dir().join(inside)).map(|bytes| sha256(&bytes))
        };
        if digest(source)? != digest(target)? {
            return differs(&format!("The upload {} is", inside.display()));
        }
    }
    Ok(None)
}

/// The stored parts of a document besides its description. Stores name models also if a document has no vectors of them.
fn parts(mut document: StoredDocument) -> StoredDocument {
    document.meta = DocumentMeta { path: String::new(), original_stored: false, ..document.meta };
    document.sparse_model = document.sparse_model.filter(|_| !document.sparse_vectors.is_empty());
    document.token_model = document.token_model.filter(|_| !document.token_vectors.is_empty());
    document
}

/// True if the copy of a document's file that its description lists exists, and is the copy of this file.
fn has_its_copy(collection: &Collection, meta: &DocumentMeta) -> bool {
    !meta.original_stored
        || collection.read_kept(&collection.original_path(meta)).is_ok_and(|bytes| sha256(&bytes) == meta.sha256)
}
