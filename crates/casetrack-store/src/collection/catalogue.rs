//! The properties of documents that filters test, in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::Result;

use crate::roles::CatalogueEntry;
use crate::truth::Truth;

/// Ordered by path.
type Entries = Arc<[Arc<CatalogueEntry>]>;

/// The entries with the number of the last change in them, once they were read.
#[derive(Default)]
pub(super) struct Catalogue(Mutex<Option<(u64, Entries)>>);

impl Catalogue {
    /// After documents got new paths, names or marks, which an entry's slots do not show.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Ordered by path. Some 350 bytes a document; reads only the documents that changed.
    pub(super) fn entries(&self, truth: &Truth) -> Result<Entries> {
        let seq = truth.state()?.last_seq;
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = match current.as_ref() {
            // Another thread may have read newer entries in the meantime.
            Some((as_of, entries)) if *as_of >= seq => return Ok(Arc::clone(entries)),
            Some((_, entries)) => entries.iter().map(|entry| (entry.id, Arc::clone(entry))).collect(),
            None => HashMap::new(),
        };
        // The snapshot is not older than `seq`; if it is newer, this is repeated.
        let reader = truth.reader();
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
