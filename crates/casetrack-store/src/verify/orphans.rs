//! Up from everything that belongs to a document: nothing may be left that no document claims.

use casetrack_core::{DocumentId, DocumentMeta, Result};

use super::documents::OptionalParts;
use super::{Documents, Findings, damage, has_key, named};
use crate::codec::decode;
use crate::reader::Reader;
use crate::records::{ChunkPlace, SlotRecord, State};
use crate::schema::{cf, leading_document, parse_chunk_id, parse_hash_key, parse_sequence_key, path_key};

/// `found` holds the counts of the documents.
pub(super) fn check(
    reader: &Reader<'_>,
    documents: &Documents,
    found: OptionalParts,
    chain: &mut Findings,
) -> Result<()> {
    for family in cf::BY_DOCUMENT {
        by_document(reader, documents, family, chain)?;
    }
    path_index(reader, documents, chain)?;
    hash_index(reader, documents, chain)?;
    chunk_ids(reader, chain)?;
    // The state is of the same moment as everything else: nothing changes while verify runs.
    match damage(reader.truth().state())? {
        Ok(state) => {
            slots(reader, documents, &state, chain)?;
            log(reader, &state, chain)?;
            counts(documents, found, &state, chain);
        }
        Err(error) => chain.problem(error.message),
    }
    Ok(())
}

/// Pages, texts, chunks, vectors and annotations whose key names no document, or a number the document does not have.
fn by_document(reader: &Reader<'_>, documents: &Documents, family: &'static str, chain: &mut Findings) -> Result<()> {
    for entry in reader.scan_all(family)? {
        let (key, _) = entry?;
        let Some(id) = leading_document(&key) else {
            chain.problem(format!("A key in \"{family}\" is too short."));
            continue;
        };
        let Some(record) = documents.get(&id) else {
            chain.problem(format!("\"{family}\" has an entry of document {id}, which does not exist."));
            continue;
        };
        let page_bytes = |page| Ok(damage(reader.page_record(id, page))?.ok().flatten().map(|record| record.byte_len));
        if !has_key(&record.meta, family, &key, page_bytes)? {
            chain.problem(format!("\"{family}\" has an entry that {} does not have.", named(record)));
        }
    }
    Ok(())
}

fn path_index(reader: &Reader<'_>, documents: &Documents, chain: &mut Findings) -> Result<()> {
    for entry in reader.scan_all(cf::PATH_INDEX)? {
        let (key, value) = entry?;
        chain.check.checked += 1;
        let document: Option<DocumentId> = decode("path index entry", &value).ok();
        let record = document.and_then(|id| documents.get(&id));
        if record.is_none_or(|record| path_key(&record.meta.path)[..] != key[..]) {
            let id = document.map_or("that cannot be read".to_owned(), |id| id.to_string());
            chain.problem(format!("A path leads to document {id}, which is not at that path."));
        }
    }
    Ok(())
}

fn hash_index(reader: &Reader<'_>, documents: &Documents, chain: &mut Findings) -> Result<()> {
    for entry in reader.scan_all(cf::HASH_INDEX)? {
        let (key, _) = entry?;
        chain.check.checked += 1;
        let Some((sha256, id)) = parse_hash_key(&key) else {
            chain.problem("A key in \"hash_index\" has the wrong length.".to_owned());
            continue;
        };
        if documents.get(&id).is_none_or(|record| record.meta.sha256 != sha256) {
            chain.problem(format!("SHA-256 {sha256} leads to document {id}, which does not have it."));
        }
    }
    Ok(())
}

fn chunk_ids(reader: &Reader<'_>, chain: &mut Findings) -> Result<()> {
    for entry in reader.scan_all(cf::CHUNK_IDS)? {
        let (key, value) = entry?;
        chain.check.checked += 1;
        let Some(id) = parse_chunk_id(&key) else {
            chain.problem("A key in \"chunk_ids\" has the wrong length.".to_owned());
            continue;
        };
        let found = match decode::<ChunkPlace>("chunk id", &value) {
            Ok(place) => damage(reader.chunk_record(place.document, place.index))?.ok().flatten(),
            Err(_) => None,
        };
        if found.is_none_or(|record| record.0.id != id) {
            chain.problem(format!("Chunk id {id} leads to no chunk that has it."));
        }
    }
    Ok(())
}

fn slots(reader: &Reader<'_>, documents: &Documents, state: &State, chain: &mut Findings) -> Result<()> {
    let mut free = 0;
    for entry in reader.scan_all(cf::SLOTS)? {
        let (key, value) = entry?;
        chain.check.checked += 1;
        let (Some(first), Ok(slots)) = (parse_sequence_key(&key), decode::<SlotRecord>("slot range", &value)) else {
            chain.problem("An entry of \"slots\" cannot be read.".to_owned());
            continue;
        };
        if documents.get(&slots.document).is_none_or(|record| record.first_slot != first) {
            chain.problem(format!("Slot {first} leads to document {}, which is not there.", slots.document));
        }
        if first < free {
            chain.problem(format!("Slot {first} belongs to two documents, {} among them.", slots.document));
        }
        free = first.saturating_add(slots.count.into());
    }
    if free > state.next_slot {
        chain.problem(format!("Slots up to {free} are taken, but {} would be given out next.", state.next_slot));
    }
    Ok(())
}

fn log(reader: &Reader<'_>, state: &State, chain: &mut Findings) -> Result<()> {
    let mut last = state.trimmed_seq;
    for entry in reader.ops_after(0)? {
        chain.check.checked += 1;
        match damage(entry)? {
            Ok((seq, _)) => {
                if seq != last + 1 {
                    chain.problem(format!("Entry {seq} of the operation log follows entry {last}."));
                }
                last = seq;
            }
            Err(error) => chain.problem(error.message),
        }
    }
    if last != state.last_seq {
        chain.problem(format!("The operation log ends with entry {last}; the last change was {}.", state.last_seq));
    }
    Ok(())
}

fn counts(documents: &Documents, optional: OptionalParts, state: &State, chain: &mut Findings) {
    let sum = |count: fn(&DocumentMeta) -> u32| documents.values().map(|record| u64::from(count(&record.meta))).sum();
    for (what, found, counted) in [
        ("documents", documents.len() as u64, state.documents),
        ("pages", sum(|meta| meta.page_count), state.pages),
        ("chunks", sum(|meta| meta.chunk_count), state.chunks),
        ("learned-sparse vectors", optional.sparse_chunks, state.sparse_chunks),
        ("chunks with token vectors", optional.token_chunks, state.token_chunks),
        ("documents with annotations", optional.annotated_documents, state.annotated_documents),
    ] {
        if found != counted {
            chain.problem(format!("There are {found} {what}, but the collection counts {counted}."));
        }
    }
}
