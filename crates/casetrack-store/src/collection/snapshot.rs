//! The collection as of one moment, for an archive.

use std::path::PathBuf;

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{CollectionId, CollectionMeta, DocumentId, DocumentMeta, Error, Result};
use serde_json::Value;

use super::LocalCollection;
use crate::error::corrupt;
use crate::manifest::VectorModels;
use crate::originals::{LINKS_PREFIX, OriginalFile};
use crate::reader::Reader;
use crate::records::State;
use crate::roles::{CollectionFiles, CollectionSnapshot, DescribeCollection};
use crate::write::StoredDocument;
use crate::{fs, load, originals};

pub(super) struct Snapshot<'c> {
    collection: &'c LocalCollection,
    reader: Reader<'c>,
    state: State,
    links: Option<Links>,
}

impl<'c> Snapshot<'c> {
    /// With the copies of source files if `originals`.
    pub fn of(collection: &'c LocalCollection, originals: bool) -> Result<Self> {
        // Under the lock that changes take, so that the originals are those of the snapshot's documents.
        let state = collection.writer();
        let reader = collection.truth.reader();
        let links = if originals { Some(Links::make(collection, &reader)?) } else { None };
        Ok(Self { collection, reader, state: *state, links })
    }
}

impl CollectionSnapshot for Snapshot<'_> {
    fn meta(&self) -> &CollectionMeta {
        self.collection.meta()
    }

    fn models(&self) -> &VectorModels {
        self.collection.models()
    }

    fn counts(&self) -> Result<(u64, u64, u64)> {
        Ok((self.state.documents, self.state.pages, self.state.chunks))
    }

    fn columns(&self) -> Result<Option<Value>> {
        self.collection.columns()
    }

    fn evidence(&self) -> Result<EvidenceTray> {
        self.reader.evidence()
    }

    fn documents(&self) -> Result<Vec<DocumentId>> {
        self.reader.slot_ranges()?.map(|range| Ok(range?.document)).collect()
    }

    fn whole(&self, id: DocumentId) -> Result<StoredDocument> {
        let record = self.reader.document(id)?.ok_or_else(|| corrupt(format!("Document {id} is missing.")))?;
        load::document(&self.reader, &record, self.collection.identity())
    }

    fn original(&self, meta: &DocumentMeta) -> Option<OriginalFile> {
        let links = self.links.as_ref()?;
        let name = originals::name(&self.collection.original_path(meta));
        Some(OriginalFile::sealed(links.path(meta), name, self.collection.seal()))
    }
}

/// The originals of a snapshot under names of their own, so that they stay when their documents are deleted or
/// replaced: links if the file system has them, else copies. Removed when dropped.
struct Links {
    dir: PathBuf,
}

impl Links {
    fn make(collection: &LocalCollection, reader: &Reader<'_>) -> Result<Self> {
        let name = format!("{LINKS_PREFIX}{}", CollectionId::random());
        let links = Self { dir: collection.dir().join(name) };
        for range in reader.slot_ranges()? {
            let id = range?.document;
            let record = reader.document(id)?.ok_or_else(|| corrupt(format!("Document {id} is missing.")))?;
            if !record.meta.original_stored {
                continue;
            }
            fs::create_dir(&links.dir)?;
            let (from, to) = (collection.original_path(&record.meta), links.path(&record.meta));
            // One that is missing is reported when it is read.
            if from.exists() && std::fs::hard_link(&from, &to).is_err() {
                std::fs::copy(&from, &to).map_err(|error| Error::io(to.display(), error))?;
            }
        }
        Ok(links)
    }

    fn path(&self, meta: &DocumentMeta) -> PathBuf {
        self.dir.join(meta.id.to_string())
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.dir) {
            tracing::warn!(%error, "links to originals are left; they go when the collection is opened again");
        }
    }
}
