//! A sound RocksDB that holds data against an invariant: such documents and entries that belong to none are moved out,
//! and lookups and counters are rebuilt, in one batch.

use std::collections::HashMap;

use casetrack_core::evidence::EvidenceTray;
use casetrack_core::{DocumentId, ErrorCode, ErrorKind, Result, Timestamp};

use super::{LostDocument, Repair};
use crate::batch::Batch;
use crate::codec::{decode, decode_json, encode, encode_json};
use crate::error::corrupt;
use crate::manifest::Manifest;
use crate::reader::Reader;
use crate::records::{ChunkPlace, ChunkRecord, DocumentRecord, SlotRecord, State};
use crate::schema::{
    EVIDENCE_KEY, IDENTITY_KEY, MEMO_KEY, STATE_KEY, VALUE_VERSION, cf, hash_key, leading_document, numbered_key,
    parse_chunk_id, parse_sequence_key, path_key, sequence_key,
};
use crate::truth::Truth;
use crate::verify::has_key;

/// A document that stays, and the bytes of each page's text.
struct DocumentState {
    record: DocumentRecord,
    page_bytes: Vec<u32>,
    sparse_chunks: u64,
    token_chunks: u64,
    annotated: bool,
}

type Documents = HashMap<DocumentId, DocumentState>;

impl Repair<'_> {
    pub(super) fn mend(&mut self, truth: &Truth, manifest: &Manifest) -> Result<()> {
        let reader = truth.reader();
        let mut batch = truth.batch();
        let mut changed = 0;
        if truth.identity().is_err() {
            batch.put(cf::META, IDENTITY_KEY, manifest.identity().encode()?)?;
            changed += 1;
        }
        let mut kept = self.whole_documents(&reader, manifest, &mut batch, &mut changed)?;
        let state = truth.state().ok();
        let next_slot = settle_slots(&mut kept, state.as_ref(), &mut batch, &mut changed)?;

        let (taken, memos) = self.sweep(&reader, &kept, &mut batch, &mut changed)?;

        let old = state.unwrap_or_default();
        let counted = counted(&kept, State { next_slot, ..old });
        let without_sparse: u64 = kept
            .values()
            .filter(|kept| kept.sparse_chunks == 0)
            .map(|kept| u64::from(kept.record.meta.chunk_count))
            .sum();
        if manifest.models.sparse.is_some() {
            let had = state.map_or(u64::MAX, |state| state.sparse_chunks);
            self.note_missing_sparse_vectors(without_sparse.min(had.saturating_sub(counted.sparse_chunks)));
        }
        self.note_missing_token_vectors(&manifest.identity(), state.as_ref(), &counted);
        self.note_missing_annotations(state.as_ref(), &counted);
        if taken == 0 && changed == 0 && state == Some(counted) && log_is_whole(&reader, &counted)? {
            return Ok(());
        }
        // The log has changes that are undone now: it starts empty, and the indexes are rebuilt.
        let mut last = old.last_seq;
        for entry in reader.scan_all(cf::OPLOG)? {
            let (key, _) = entry?;
            last = last.max(parse_sequence_key(&key).unwrap_or_default());
            batch.delete(cf::OPLOG, &key)?;
        }
        // They refer to versions, whose numbers documents may get again. Their content is derived again.
        for memo in memos {
            batch.delete(cf::META, &memo)?;
        }
        let changed_at = Some(Timestamp::now());
        let state = State { last_seq: last + 1, trimmed_seq: last + 1, changed_at, ..counted };
        batch.put(cf::META, STATE_KEY, state.encode()?)?;
        // The report names the place of the data before it leaves the collection.
        self.quarantine.write_report(&self.report)?;
        truth.write_durably(batch)?;
        if taken > 0 {
            self.found(format!("{taken} stored entries are damaged or belong to no document that is whole."));
            self.done(format!("{taken} stored entries were moved to quarantine (entries.bin)."));
        }
        if self.report.lost.is_empty() && taken == 0 {
            self.found("Lookups, counters or the operation log did not match the documents.");
        }
        self.done("Lookups, counters and the operation log were rebuilt.");
        self.discard_indexes()
    }

    /// Takes out the entries that belong to no document that stays, and adds the lookups that are missing. Returns the
    /// number of those taken out, and the keys of the memos, which stay.
    fn sweep(
        &self,
        reader: &Reader<'_>,
        kept: &Documents,
        batch: &mut Batch<'_>,
        changed: &mut u64,
    ) -> Result<(u64, Vec<Vec<u8>>)> {
        let mut entries = self.quarantine.entries();
        let mut memos = Vec::new();
        for family in cf::ALL {
            let lookups = expected(family, kept)?;
            let mut present = 0;
            for entry in reader.scan_all(family)? {
                let (key, value) = entry?;
                let belongs = match family {
                    cf::META if key[..] == EVIDENCE_KEY => {
                        let tray = decode::<EvidenceTray>("evidence", &value).and_then(|tray| tray.check());
                        // One of a newer version is not ours to judge.
                        tray.map_or_else(|error| error.code == ErrorCode::NewerSchema, |()| true)
                    }
                    cf::META if key.first() == Some(&MEMO_KEY) => {
                        memos.push(key.to_vec());
                        true
                    }
                    cf::META | cf::OPLOG => true,
                    cf::DOCUMENTS => leading_document(&key).is_some_and(|id| key.len() == 16 && kept.contains_key(&id)),
                    cf::CHUNK_IDS => leads_to_chunk(reader, kept, &key, &value)?,
                    cf::PATH_INDEX | cf::HASH_INDEX | cf::SLOTS => {
                        let belongs = lookups.get(&key[..]).is_some_and(|expected| expected[..] == value[..]);
                        present += u64::from(belongs);
                        belongs
                    }
                    _ => belongs_to_document(family, kept, &key)?,
                };
                if !belongs {
                    entries.put(family, &key, &value)?;
                    batch.delete(family, &key)?;
                }
            }
            if present < lookups.len() as u64 {
                *changed += lookups.len() as u64 - present;
                for (key, value) in lookups {
                    batch.put(family, key, value)?;
                }
            }
        }
        Ok((entries.finish()?, memos))
    }

    /// The documents that are whole. The others are noted as lost. Chunk ids that do not lead to their chunks are put right.
    fn whole_documents(
        &mut self,
        reader: &Reader<'_>,
        manifest: &Manifest,
        batch: &mut Batch<'_>,
        changed: &mut u64,
    ) -> Result<Documents> {
        let identity = manifest.identity();
        let mut kept = Documents::new();
        let mut paths: HashMap<String, DocumentId> = HashMap::new();
        let mut records = Vec::new();
        for entry in reader.scan_all(cf::DOCUMENTS)? {
            let (key, value) = entry?;
            match (leading_document(&key), decode_json::<DocumentRecord>("document", &value)) {
                (Some(id), Ok(record)) if record.meta.id == id && key.len() == 16 => records.push(record),
                (Some(id), Ok(_)) => self.lose(LostDocument::unknown(id, "Its record belongs to another document.")),
                (Some(id), Err(error)) => self.lose(LostDocument::unknown(id, error.message)),
                (None, _) => {}
            }
        }
        // If two documents have one path, the one that was stored later stays.
        records.sort_by_key(|record| std::cmp::Reverse(record.first_slot));
        for record in records {
            let id = record.meta.id;
            let loaded = self.load(reader, &record, &identity).and_then(|document| {
                match paths.insert(record.meta.path.clone(), id) {
                    Some(newer) => Err(corrupt(format!("A newer document ({newer}) has the same path."))),
                    None => Ok(document),
                }
            });
            let document = match loaded {
                Ok(document) => document,
                Err(error) if error.kind() == ErrorKind::Environment => return Err(error),
                Err(error) => {
                    self.lose(LostDocument::known(&record.meta, &error));
                    continue;
                }
            };
            for chunk in &document.chunks {
                let place = ChunkPlace { document: id, index: chunk.index };
                if reader.chunk_place(chunk.id).ok().flatten() != Some(place) {
                    batch.put(cf::CHUNK_IDS, chunk.id.as_bytes(), encode(&place)?)?;
                    *changed += 1;
                }
            }
            let page_bytes = document.pages.iter().map(|page| page.text.len() as u32).collect();
            let sparse_chunks = document.sparse_vectors.len() as u64;
            let token_chunks = document.token_vectors.len() as u64;
            let annotated = document.annotations.is_some();
            kept.insert(id, DocumentState { record, page_bytes, sparse_chunks, token_chunks, annotated });
        }
        Ok(kept)
    }

    pub(super) fn lose(&mut self, lost: LostDocument) {
        let who = lost.path.clone().unwrap_or_else(|| format!("Document {}", lost.id));
        self.found(format!("{who}: {}", lost.reason));
        self.report.lost.push(lost);
    }
}

/// Gives documents whose slots overlap with others new ones at the end. The slot that comes next.
fn settle_slots(kept: &mut Documents, state: Option<&State>, batch: &mut Batch<'_>, changed: &mut u64) -> Result<u64> {
    let ends = kept.values().map(|kept| kept.record.slots().end().max(kept.record.first_slot.saturating_add(1)));
    let mut next = ends.max().unwrap_or_default().max(state.map_or(0, |state| state.next_slot));
    let mut in_order: Vec<&mut DocumentState> = kept.values_mut().collect();
    in_order.sort_by_key(|kept| (kept.record.first_slot, kept.record.meta.id));
    let mut free = 0;
    for kept in in_order {
        let record = &mut kept.record;
        if record.first_slot < free {
            record.first_slot = next;
            next += u64::from(record.meta.chunk_count).max(1);
            batch.put(cf::DOCUMENTS, record.meta.id.as_bytes(), encode_json(&*record)?)?;
            *changed += 1;
        } else {
            free = record.first_slot + u64::from(record.meta.chunk_count).max(1);
        }
    }
    Ok(next)
}

/// The state with the counts of these documents.
fn counted(kept: &Documents, state: State) -> State {
    let count = |number: fn(&DocumentRecord) -> u32| kept.values().map(|kept| u64::from(number(&kept.record))).sum();
    State {
        documents: kept.len() as u64,
        pages: count(|record| record.meta.page_count),
        chunks: count(|record| record.meta.chunk_count),
        sparse_chunks: kept.values().map(|kept| kept.sparse_chunks).sum(),
        token_chunks: kept.values().map(|kept| kept.token_chunks).sum(),
        annotated_documents: kept.values().filter(|kept| kept.annotated).count() as u64,
        ..state
    }
}

/// Keys and values that a family of lookups should hold; none for other families.
fn expected(family: &str, kept: &Documents) -> Result<HashMap<Vec<u8>, Vec<u8>>> {
    let records = kept.values().map(|kept| &kept.record);
    records
        .filter_map(|record| {
            let (meta, id) = (&record.meta, record.meta.id);
            let entry = match family {
                cf::PATH_INDEX => encode(&id).map(|value| (path_key(&meta.path).to_vec(), value)),
                cf::HASH_INDEX => Ok((hash_key(meta.sha256, id).to_vec(), vec![VALUE_VERSION])),
                cf::SLOTS => encode(&SlotRecord { document: id, count: meta.chunk_count })
                    .map(|value| (sequence_key(record.first_slot).to_vec(), value)),
                _ => return None,
            };
            Some(entry)
        })
        .collect()
}

/// True if a key of a family by document is one that a document which stays should have.
fn belongs_to_document(family: &str, kept: &Documents, key: &[u8]) -> Result<bool> {
    let Some(own) = leading_document(key).and_then(|id| kept.get(&id)) else { return Ok(false) };
    let page_bytes = |page: u32| Ok(own.page_bytes.get((page as usize).wrapping_sub(1)).copied());
    Ok((family != cf::ANNOTATIONS || own.annotated) && has_key(&own.record.meta, family, key, page_bytes)?)
}

fn leads_to_chunk(reader: &Reader<'_>, kept: &Documents, key: &[u8], value: &[u8]) -> Result<bool> {
    let (Some(id), Ok(place)) = (parse_chunk_id(key), decode::<ChunkPlace>("chunk id", value)) else {
        return Ok(false);
    };
    if !kept.contains_key(&place.document) {
        return Ok(false);
    }
    let value = reader.get(cf::CHUNKS, &numbered_key(place.document, place.index))?;
    let record = value.and_then(|value| decode::<ChunkRecord>("chunk", &value).ok());
    Ok(record.is_some_and(|record| record.0.id == id))
}

fn log_is_whole(reader: &Reader<'_>, state: &State) -> Result<bool> {
    let mut last = state.trimmed_seq;
    for entry in reader.ops_after(0)? {
        match entry {
            Ok((seq, _)) if seq == last + 1 => last = seq,
            Err(error) if error.kind() == ErrorKind::Environment => return Err(error),
            _ => return Ok(false),
        }
    }
    Ok(last == state.last_seq)
}
