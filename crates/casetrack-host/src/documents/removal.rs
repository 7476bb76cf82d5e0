//! Documents that were removed because their files were gone, for 30 days. When such a file comes back, at its path or with its content, its
//! document gets its id, tags and fields again, and the name that the user gave it. Evidence and custom columns name documents by id, so
//! they lead to it again.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use casetrack_core::marks::Marks;
use casetrack_core::{DocumentId, DocumentMeta, Error, Result, Sha256, Timestamp};
use casetrack_store::Collection;
use serde::{Deserialize, Serialize};

use super::former;
use crate::lock;

/// The name of the note in the collection.
pub(super) const NOTE: &str = "removed";
/// 30 days.
const KEPT_MS: i64 = 30 * 24 * 3600 * 1000;

/// The parts of a removed document that are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemovedDocument {
    pub id: DocumentId,
    pub path: String,
    pub sha256: Sha256,
    /// The name, if the user gave it one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Marks::is_empty")]
    pub marks: Marks,
    pub removed_at: Timestamp,
}

impl RemovedDocument {
    fn of(meta: &DocumentMeta, removed_at: Timestamp) -> Self {
        let DocumentMeta { id, path, sha256, marks, .. } = meta.clone();
        // A name of a file, or of a file inside a container, is the end of the path.
        let is_own =
            path.strip_suffix(&meta.name).is_some_and(|folder| folder.is_empty() || folder.ends_with(['/', '\\']));
        Self { id, path, sha256, name: (!is_own).then(|| meta.name.clone()), marks, removed_at }
    }
}

/// Keeps the data with which documents can be restored. Call it before the documents are deleted, so that a kill in between loses nothing.
pub fn remember_removed<'d>(collection: &Collection, documents: impl Iterator<Item = &'d DocumentMeta>) -> Result<()> {
    let now = Timestamp::now();
    let new: HashMap<DocumentId, RemovedDocument> =
        documents.map(|meta| (meta.id, RemovedDocument::of(meta, now))).collect();
    if new.is_empty() {
        return Ok(());
    }
    let mut removed = read(collection, now);
    removed.retain(|document| !new.contains_key(&document.id));
    former::forget(collection, |id| new.contains_key(&id))?;
    removed.extend(new.into_values());
    write(collection, removed)
}

/// The removed documents of a collection, while files are ingested.
pub struct RestorableDocuments {
    removed: Vec<RemovedDocument>,
    /// The path that each document was restored for.
    claims: Mutex<HashMap<DocumentId, String>>,
}

impl RestorableDocuments {
    /// Reads them, and purges those whose time is over.
    pub fn of(collection: &Collection) -> Result<Self> {
        let all = read(collection, Timestamp(i64::MIN));
        let known = read(collection, Timestamp::now());
        if known.len() < all.len() {
            write(collection, known.clone())?;
        }
        let mut removed = Vec::new();
        for document in known {
            if collection.document(document.id)?.is_none() {
                removed.push(document);
            }
        }
        Ok(Self { removed, claims: Mutex::default() })
    }

    /// The removed document that matches a new file: the one that was at its path, or else one with its content whose own file is not back. It belongs to
    /// this path from then on.
    pub fn claim(&self, path: &str, sha256: Sha256) -> Option<&RemovedDocument> {
        if self.removed.is_empty() {
            return None;
        }
        let is_away = |removed: &RemovedDocument| !Path::new(&removed.path).ancestors().any(Path::is_file);
        let mut claims = lock(&self.claims);
        let mut is_free =
            |removed: &&RemovedDocument| claims.entry(removed.id).or_insert_with(|| path.to_owned()).as_str() == path;
        let at_path = self.removed.iter().filter(|removed| removed.path == path).find(&mut is_free);
        at_path.or_else(|| {
            let same = self.removed.iter().filter(|removed| removed.sha256 == sha256 && is_away(removed));
            same.into_iter().find(&mut is_free)
        })
    }

    /// Forgets the documents that are in the collection again. Returns how many.
    pub fn settle(self, collection: &Collection) -> Result<u64> {
        let claims = self.claims.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut restored = Vec::new();
        for id in claims.into_keys() {
            if collection.document(id)?.is_some() {
                restored.push(id);
            }
        }
        if !restored.is_empty() {
            let mut removed = read(collection, Timestamp::now());
            removed.retain(|document| !restored.contains(&document.id));
            write(collection, removed)?;
        }
        Ok(restored.len() as u64)
    }
}

/// Those that were removed in the 30 days before `now`, or after it. Without a readable note there are none.
fn read(collection: &Collection, now: Timestamp) -> Vec<RemovedDocument> {
    let note = collection.note(NOTE).and_then(|bytes| {
        let parse = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| Error::internal(error.to_string()));
        bytes.map_or_else(|| Ok(Vec::new()), parse)
    });
    let mut removed: Vec<RemovedDocument> = note.unwrap_or_else(|error| {
        tracing::warn!(%error, "the tags of removed documents cannot be read");
        Vec::new()
    });
    removed.retain(|document| now.0.saturating_sub(document.removed_at.0) < KEPT_MS);
    removed
}

fn write(collection: &Collection, mut removed: Vec<RemovedDocument>) -> Result<()> {
    removed.sort_by(|a, b| a.path.cmp(&b.path).then(b.removed_at.cmp(&a.removed_at)));
    let bytes = serde_json::to_vec(&removed).map_err(|error| Error::internal(error.to_string()))?;
    collection.set_note(NOTE, &bytes)
}

#[cfg(test)]
mod tests {
    use casetrack_conformance::samples;

    use super::*;
    use crate::{EngineConfig, Host};

    #[test]
    fn a_document_is_restored_by_path_then_by_content_and_once() {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::new(EngineConfig::new(dir.path().join("home"))).unwrap();
        let meta = samples::collection_meta("Leases");
        host.store().create(&meta, &samples::models()).unwrap();
        let collection = host.collection(meta.id).unwrap();
        let mut metas: Vec<DocumentMeta> =
            ["a.txt", "b.txt", "c.txt"].map(|name| samples::document(name, &[name]).meta).into();
        metas[0].marks.add_tag("hot").unwrap();
        metas[1].name = "The lease".to_owned();
        remember_removed(&collection, metas.iter()).unwrap();

        let restorable = RestorableDocuments::of(&collection).unwrap();
        let other = Sha256([9; 32]);
        let at_path = restorable.claim(&metas[0].path, other).unwrap();
        assert_eq!((at_path.id, &at_path.marks, &at_path.name), (metas[0].id, &metas[0].marks, &None));
        let moved = restorable.claim("/new/b.txt", metas[1].sha256).unwrap();
        assert_eq!((moved.id, moved.name.as_deref()), (metas[1].id, Some("The lease")));
        // A thread may ask twice for one file, but no other file gets the same document.
        assert!(restorable.claim("/new/b.txt", metas[1].sha256).is_some());
        assert!(restorable.claim("/copy/b.txt", metas[1].sha256).is_none());
        assert!(restorable.claim(&metas[1].path, other).is_none());
        assert!(restorable.claim("/new/d.txt", other).is_none());

        // One that is in the collection again is forgotten; the others can still be restored.
        let mut back = samples::with_id(metas[1].id, "/new/b.txt", &["b.txt"]);
        back.meta.name = "The lease".to_owned();
        collection.put_document(&back).unwrap();
        assert_eq!(restorable.settle(&collection).unwrap(), 1);
        let left: Vec<DocumentId> = read(&collection, Timestamp::now()).iter().map(|document| document.id).collect();
        assert_eq!(left.len(), 2);
        assert!(!left.contains(&metas[1].id), "{left:?}");

        // After 30 days nothing is left.
        let later = Timestamp(Timestamp::now().0 + KEPT_MS);
        assert_eq!(read(&collection, later), []);
    }
}
