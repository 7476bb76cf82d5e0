//! What filters ask of documents, in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::marks::Marks;
use casetrack_core::{DocumentId, DocumentMeta, DocumentType, FileFormat, Result, Sha256, Timestamp};

use super::LocalCollection;
use crate::records::SlotRange;

/// The part of a document's [`DocumentMeta`] that documents are chosen by, and by which a file is known again.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogueEntry {
    pub id: DocumentId,
    pub name: String,
    pub path: String,
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub format: FileFormat,
    /// As [`DocumentMeta::is_container`] says.
    pub is_container: bool,
    pub document_type: DocumentType,
    /// As in [`Properties`](casetrack_core::Properties).
    pub created: Option<String>,
    pub modified: Option<String>,
    pub ingested_at: Timestamp,
    pub marks: Marks,
    slots: SlotRange,
}

/// Ordered by path.
type Entries = Arc<[Arc<CatalogueEntry>]>;

/// The entries with the last change they know of, once they have been asked for.
#[derive(Default)]
pub(super) struct Catalogue(Mutex<Option<(u64, Entries)>>);

impl Catalogue {
    /// After documents got new paths, names or marks, which an entry's slots do not show.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl LocalCollection {
    /// What filters ask of each document, ordered by path. Kept in memory, some 350 bytes a document; reads only what changed.
    pub fn catalogue(&self) -> Result<Arc<[Arc<CatalogueEntry>]>> {
        let seq = self.truth.state()?.last_seq;
        let mut current = self.catalogue.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match current.as_ref() {
            // What another thread has read meanwhile may be newer.
            Some((as_of, entries)) if *as_of >= seq => return Ok(Arc::clone(entries)),
            Some((_, entries)) => entries.iter().map(|entry| (entry.id, Arc::clone(entry))).collect(),
            None => HashMap::new(),
        };
        // The snapshot is not older than `seq`; if it is newer, this is done once more.
        let reader = self.truth.reader();
        let mut entries: Vec<Arc<CatalogueEntry>> = Vec::new();
        for slots in reader.slot_ranges()? {
            let slots = slots?;
            match known.get(&slots.document).filter(|entry| entry.slots == slots) {
                Some(entry) => entries.push(Arc::clone(entry)),
                None => {
                    let record = reader.document(slots.document)?;
                    entries.extend(record.map(|record| Arc::new(CatalogueEntry::new(record.meta, slots))));
                }
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let entries: Arc<[Arc<CatalogueEntry>]> = entries.into();
        *current = Some((seq, Arc::clone(&entries)));
        Ok(entries)
    }
}

impl CatalogueEntry {
    /// Of a document that is stored under these slots.
    pub fn new(meta: DocumentMeta, slots: SlotRange) -> Self {
        Self {
            is_container: meta.is_container(),
            id: meta.id,
            name: meta.name,
            path: meta.path,
            sha256: meta.sha256,
            size_bytes: meta.size_bytes,
            format: meta.format,
            document_type: meta.document_type,
            created: meta.properties.created,
            modified: meta.properties.modified,
            ingested_at: meta.ingested_at,
            marks: meta.marks,
            slots,
        }
    }
}
