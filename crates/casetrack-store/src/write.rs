//! Changes of documents as batches: everything a document consists of, its log entry and the counters go in together.

use std::collections::HashSet;

use casetrack_core::marks::Marks;
use casetrack_core::{
    Annotations, Chunk, ChunkId, DocumentId, DocumentMeta, Error, ErrorCode, Page, Result, Timestamp,
};
use rocksdb::WriteBatch;

use crate::batch::Batch;
use crate::codec::{decode, encode, encode_json, encode_raw, encode_vector};
use crate::error::corrupt;
use crate::invariants::{self, Violation};
use crate::manifest::VectorModels;
use crate::reader::Reader;
use crate::records::sparse_vector::SparseVector;
use crate::records::{
    AnnotationsRecord, ChunkPlace, ChunkRecord, DocumentRecord, LayoutRecord, Op, PageRecord, SlotRange, SlotRecord,
    State, TokenModel,
};
use crate::schema::{
    SEGMENT_BYTES, STATE_KEY, VALUE_VERSION, cf, document_range, hash_key, numbered_key, parse_chunk_id, path_key,
    sequence_key, text_key,
};

#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    pub meta: DocumentMeta,
    pub pages: Vec<Page>,
    /// All chunks, in order, with `index` from 0.
    pub chunks: Vec<Chunk>,
    /// The vector of each chunk: of length 1, with as many components as the collection's model gives. Stored in half
    /// precision.
    pub vectors: Vec<Vec<f32>>,
    /// The model that made the vectors.
    pub dense_model: String,
    /// The learned-sparse vector of each chunk, or none at all if no model has made them. Stored quantised, see
    /// [`SparseVector`].
    pub sparse_vectors: Vec<SparseVector>,
    /// The model that made the learned-sparse vectors, if there are any.
    pub sparse_model: Option<String>,
    /// The signs of the token vectors of each chunk, or none at all if no model has made them: for each token that
    /// counts a bit a component, filled up to whole bytes.
    pub token_vectors: Vec<Vec<u8>>,
    /// The model that made the token vectors, if there are any.
    pub token_model: Option<TokenModel>,
    /// The annotations that analysis made; `None` if the document is stored without analysis.
    pub annotations: Option<Annotations>,
}

/// A new path and name for a stored document, which is otherwise unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    pub document: DocumentId,
    pub path: String,
    pub name: String,
}

/// A batch that makes one change, and the state after it.
pub(crate) struct Change {
    pub batch: WriteBatch,
    pub state: State,
    /// Its entries of the operation log; the last one has the sequence number of the state.
    pub ops: Vec<Op>,
}

/// Refuses a document that does not fit into a collection of these models, or breaks an invariant: stored documents can
/// be cited forever. Errors: [`ErrorCode::ModelMismatch`] if another model made the vectors; [`ErrorCode::Internal`].
pub fn check_fits(document: &StoredDocument, models: &VectorModels) -> Result<()> {
    let VectorModels { dense, dense_dimension, sparse, tokens } = models;
    if document.dense_model != *dense {
        let whose = format!("The vectors of {}", document.meta.path);
        return Err(mismatch(&whose, &document.dense_model, "vectors", dense));
    }
    if !document.sparse_vectors.is_empty() && (sparse.is_none() || document.sparse_model != *sparse) {
        let name = |model: &Option<String>| model.clone().unwrap_or_else(|| "no model".to_owned());
        let whose = format!("The learned-sparse vectors of {}", document.meta.path);
        return Err(mismatch(&whose, &name(&document.sparse_model), "learned-sparse vectors", &name(sparse)));
    }
    if !document.token_vectors.is_empty() && (tokens.is_none() || document.token_model != *tokens) {
        let name = |model: &Option<TokenModel>| match model {
            Some(TokenModel { id, dimension }) => format!("{id} ({dimension} dimensions)"),
            None => "no model".to_owned(),
        };
        let whose = format!("The token vectors of {}", document.meta.path);
        return Err(mismatch(&whose, &name(&document.token_model), "token vectors", &name(tokens)));
    }
    tracing::debug_span!("check").in_scope(|| check(document, *dense_dimension))
}

/// The error for vectors of one model in place of those of another one.
pub fn mismatch(whose: &str, made_by: &str, what: &str, holds: &str) -> Error {
    Error::new(
        ErrorCode::ModelMismatch,
        format!("{whose} were made by {made_by}, but this collection holds {what} of {holds}."),
    )
    .with_hint("Use the collection's model, or make a new collection for the other one.")
}

/// Refuses a document that breaks an invariant. `dimension` is the number of components of a vector.
pub(crate) fn check(document: &StoredDocument, dimension: u32) -> Result<()> {
    let meta = &document.meta;
    let refuse = |what: String| Err(Error::internal(format!("{} was not stored: {what}.", meta.path)));
    let (pages, chunks) = (document.pages.len(), document.chunks.len());
    if meta.page_count as usize != pages || meta.chunk_count as usize != chunks || document.vectors.len() != chunks {
        let (page_count, chunk_count, vectors) = (meta.page_count, meta.chunk_count, document.vectors.len());
        return refuse(format!(
            "it has {pages} pages, {chunks} chunks and {vectors} vectors, but claims {page_count} pages and {chunk_count} \
             chunks"
        ));
    }
    if let Some((n, _)) = document.pages.iter().enumerate().find(|(n, page)| page.number as usize != n + 1) {
        return refuse(format!("its pages are not numbered from 1 without gaps (at place {})", n + 1));
    }
    if let Some((n, _)) = document.chunks.iter().enumerate().find(|(n, chunk)| chunk.index as usize != *n) {
        return refuse(format!("its chunks are not numbered from 0 without gaps (at place {n})"));
    }
    let mut page = 1;
    for chunk in &document.chunks {
        if chunk.page < page || chunk.page as usize > pages {
            let Chunk { index, page, .. } = chunk;
            return refuse(format!("chunk {index} is on page {page}, which does not exist or comes before"));
        }
        page = chunk.page;
    }
    let page_chars = page_chars(&document.pages);
    let chars: u64 = page_chars.iter().sum();
    if chars != meta.char_count {
        return refuse(format!("its pages have {chars} characters, but it claims {}", meta.char_count));
    }
    let mut chunks = document.chunks.as_slice();
    let mut first: Option<Violation> = None;
    for page in &document.pages {
        let (of_page, rest) = chunks.split_at(chunks.partition_point(|chunk| chunk.page <= page.number));
        chunks = rest;
        invariants::check_page(meta.id, page, of_page, &mut |violation| {
            first.get_or_insert(violation);
        });
    }
    if let Some(violation) = first {
        return refuse(violation.to_string());
    }
    let in_annotations = || {
        let annotations = document.annotations.as_ref()?;
        let problem = invariants::annotations_problem(annotations, &page_chars)?;
        Some(format!("in its annotations, {problem}"))
    };
    vectors_problem(document, dimension).or_else(in_annotations).map_or(Ok(()), refuse)
}

fn vectors_problem(document: &StoredDocument, dimension: u32) -> Option<String> {
    for (index, vector) in document.vectors.iter().enumerate() {
        if let Some(problem) = invariants::vector_problem(vector.iter().copied(), dimension) {
            return Some(format!("the vector of chunk {index} {problem}"));
        }
    }
    let sparse = document.sparse_vectors.len();
    if sparse != 0 && sparse != document.chunks.len() {
        return Some(format!("it has {} chunks and {sparse} learned-sparse vectors", document.chunks.len()));
    }
    for (index, vector) in document.sparse_vectors.iter().enumerate() {
        if let Some(problem) = vector.problem() {
            return Some(format!("the learned-sparse vector of chunk {index} {problem}"));
        }
    }
    let tokens = document.token_vectors.len();
    if tokens != 0 && tokens != document.chunks.len() {
        return Some(format!("{tokens} of its {} chunks have token vectors", document.chunks.len()));
    }
    for (index, signs) in document.token_vectors.iter().enumerate() {
        if let Some(problem) = document.token_model.as_ref().and_then(|model| model.problem(signs)) {
            return Some(format!("the token vectors of chunk {index} {problem}"));
        }
    }
    None
}

pub(crate) fn page_chars(pages: &[Page]) -> Vec<u64> {
    pages.iter().map(|page| page.text.chars().count() as u64).collect()
}

/// The number of these documents, from the first on, that have neither an id nor a path in common with each other,
/// those that they leave included: putting them in one batch is the same as one after another.
pub(crate) fn independent<'d>(
    reader: &Reader<'_>,
    documents: impl Iterator<Item = &'d StoredDocument>,
) -> Result<usize> {
    let (mut ids, mut paths) = (HashSet::new(), HashSet::new());
    let mut count = 0;
    for StoredDocument { meta, .. } in documents {
        let left = reader.document(meta.id)?.map(|record| record.meta.path).filter(|path| *path != meta.path);
        let is_apart = ids.insert(meta.id) && paths.insert(meta.path.clone());
        if !is_apart || left.is_some_and(|path| !paths.insert(path)) {
            break;
        }
        count += 1;
    }
    Ok(count)
}

/// Inserts documents that have passed [`check`] and are [`independent`], or replaces those with the same ids.
pub(crate) fn put(reader: &Reader<'_>, documents: &[&StoredDocument], state: &State) -> Result<Change> {
    let bytes = documents.iter().map(|document| bytes_about(document)).sum();
    let (mut batch, mut state) = (reader.truth().batch_for(bytes), *state);
    let ops = documents.iter().map(|document| put_one(reader, document, &mut batch, &mut state));
    let ops = ops.collect::<Result<Vec<_>>>()?;
    finish(batch, state, ops)
}

/// The bytes of a document in a batch, rounded up: bytes that are not written take no memory.
fn bytes_about(document: &StoredDocument) -> usize {
    let pages = document.pages.iter().map(|page| page.text.len() + 24 * page.blocks.len() + 20 * page.line_boxes.len());
    let chunks = document.chunks.iter().map(|chunk| 400 + chunk.context.len() + 20 * chunk.bounding_boxes.len());
    let vectors = document.vectors.iter().map(|vector| 64 + 2 * vector.len());
    let sparse = document.sparse_vectors.iter().map(|vector| 64 + 4 * vector.terms.len());
    let tokens = document.token_vectors.iter().map(|signs| 64 + signs.len());
    4096 + pages.sum::<usize>() + chunks.sum::<usize>() + vectors.chain(sparse).chain(tokens).sum::<usize>()
}

fn put_one(reader: &Reader<'_>, document: &StoredDocument, batch: &mut Batch<'_>, state: &mut State) -> Result<Op> {
    let mut meta = document.meta.clone();
    let id = meta.id;
    if let Some(other) = reader.document_at_path(&meta.path)?
        && other != id
    {
        let message = format!("{} is already stored as document {other}.", meta.path);
        return Err(Error::new(ErrorCode::AlreadyExists, message)
            .with_hint("Give it the id it has, or delete that document first."));
    }
    let old = reader.document(id)?;
    if let Some(old) = old.as_ref().filter(|_| meta.marks.is_empty()) {
        // They are the user's, not the file's.
        meta.marks.clone_from(&old.meta.marks);
    }
    let removed = old.map(|old| remove(reader, &old, batch, state)).transpose()?;

    let record = DocumentRecord { first_slot: state.next_slot, meta };
    let (added, meta) = (record.slots(), &record.meta);
    batch.put(cf::DOCUMENTS, id.as_bytes(), encode_json(&record)?)?;
    batch.put(cf::PATH_INDEX, path_key(&meta.path), encode(&id)?)?;
    batch.put(cf::HASH_INDEX, hash_key(meta.sha256, id), [VALUE_VERSION])?;
    let slots = SlotRecord { document: id, count: added.count };
    batch.put(cf::SLOTS, sequence_key(added.first), encode(&slots)?)?;
    for page in &document.pages {
        put_page(batch, id, page)?;
    }
    put_chunks(batch, document)?;
    if let Some(annotations) = &document.annotations {
        let record = AnnotationsRecord::new(annotations)?;
        batch.put(cf::ANNOTATIONS, id.as_bytes(), encode(&record)?)?;
        state.annotated_documents += 1;
    }

    state.last_seq += 1;
    // A document without chunks takes a slot too, so that no two have the same key in `slots`.
    state.next_slot += u64::from(added.count).max(1);
    state.documents += 1;
    state.pages += u64::from(meta.page_count);
    state.chunks += u64::from(meta.chunk_count);
    state.sparse_chunks += document.sparse_vectors.len() as u64;
    state.token_chunks += document.token_vectors.len() as u64;
    Ok(Op { removed, added: Some(added) })
}

/// Removes a document with everything that belongs to it.
pub(crate) fn delete(reader: &Reader<'_>, id: DocumentId, state: &State) -> Result<Option<Change>> {
    let Some(old) = reader.document(id)? else { return Ok(None) };
    let mut batch = reader.truth().batch();
    let mut state = State { last_seq: state.last_seq + 1, ..*state };
    let removed = remove(reader, &old, &mut batch, &mut state)?;
    finish(batch, state, vec![Op { removed: Some(removed), added: None }]).map(Some)
}

/// Gives documents new paths and names; they may take each other's. The slots stay. The derived indexes have no paths,
/// and get each document that has another name.
pub(crate) fn relocate(reader: &Reader<'_>, relocations: &[Relocation], state: &State) -> Result<Change> {
    let truth = reader.truth();
    let mut records = Vec::with_capacity(relocations.len());
    for Relocation { document, .. } in relocations {
        let Some(record) = reader.document(*document)? else {
            let message = format!("Document {document} was deleted before it could be moved.");
            return Err(Error::new(ErrorCode::NotFound, message));
        };
        records.push(record);
    }
    let moved: HashSet<DocumentId> = relocations.iter().map(|relocation| relocation.document).collect();
    let taken: HashSet<&str> = relocations.iter().map(|relocation| relocation.path.as_str()).collect();
    if moved.len() < relocations.len() || taken.len() < relocations.len() {
        return Err(Error::internal("A document was to be moved twice, or two to the same path."));
    }
    let mut batch = truth.batch();
    // All old paths go before any new one is put, because a new path may be the old path of another document.
    for record in &records {
        batch.delete(cf::PATH_INDEX, path_key(&record.meta.path))?;
    }
    let mut ops = Vec::new();
    for (mut record, Relocation { document, path, name }) in records.into_iter().zip(relocations) {
        if let Some(other) = reader.document_at_path(path)?
            && !moved.contains(&other)
        {
            return Err(Error::new(ErrorCode::AlreadyExists, format!("{path} is already stored as document {other}."))
                .with_hint("Delete that document first, or leave the other at its place."));
        }
        if record.meta.name != *name {
            ops.push(Op::renamed(record.slots()));
        }
        (record.meta.path, record.meta.name) = (path.clone(), name.clone());
        batch.put(cf::DOCUMENTS, document.as_bytes(), encode_json(&record)?)?;
        batch.put(cf::PATH_INDEX, path_key(path), encode(document)?)?;
    }
    if ops.is_empty() {
        ops.push(Op { removed: None, added: None });
    }
    finish(batch, State { last_seq: state.last_seq + ops.len() as u64, ..*state }, ops)
}

/// Changes the marks of documents that are there; `None` if none of them changes. Nothing else of a document changes,
/// so that the derived indexes have nothing to do. Also the documents that change.
pub(crate) fn mark(
    reader: &Reader<'_>,
    documents: &[DocumentId],
    change: &dyn Fn(DocumentId, &mut Marks) -> Result<()>,
    state: &State,
) -> Result<(Option<Change>, Vec<DocumentId>)> {
    let truth = reader.truth();
    let mut batch = truth.batch();
    let mut changed = Vec::new();
    for &document in documents {
        let Some(mut record) = reader.document(document)? else { continue };
        let before = record.meta.marks.clone();
        change(document, &mut record.meta.marks)?;
        if record.meta.marks != before {
            batch.put(cf::DOCUMENTS, document.as_bytes(), encode_json(&record)?)?;
            changed.push(document);
        }
    }
    if changed.is_empty() {
        return Ok((None, changed));
    }
    let state = State { last_seq: state.last_seq + 1, ..*state };
    Ok((Some(finish(batch, state, vec![Op { removed: None, added: None }])?), changed))
}

/// Adds the state, with the time, and the log entries that lead to it, `ops`.
fn finish(mut batch: Batch<'_>, state: State, ops: Vec<Op>) -> Result<Change> {
    let state = State { changed_at: Some(Timestamp::now()), ..state };
    for (before, op) in ops.iter().rev().enumerate() {
        batch.put(cf::OPLOG, sequence_key(state.last_seq - before as u64), encode(op)?)?;
    }
    batch.put(cf::META, STATE_KEY, state.encode()?)?;
    Ok(Change { batch: batch.into(), state, ops })
}

fn put_page(batch: &mut Batch<'_>, document: DocumentId, page: &Page) -> Result<()> {
    let key = numbered_key(document, page.number);
    batch.put(cf::PAGES, key, PageRecord::new(page)?.encode()?)?;
    batch.put(cf::PAGE_LAYOUT, key, encode(&LayoutRecord::new(page))?)?;
    for (number, segment) in (0..).zip(page.text.as_bytes().chunks(SEGMENT_BYTES as usize)) {
        batch.put(cf::PAGE_TEXT, text_key(document, page.number, number), encode_raw(segment))?;
    }
    Ok(())
}

fn put_chunks(batch: &mut Batch<'_>, document: &StoredDocument) -> Result<()> {
    let id = document.meta.id;
    for (chunk, vector) in document.chunks.iter().zip(&document.vectors) {
        let key = numbered_key(id, chunk.index);
        batch.put(cf::CHUNKS, key, encode(&ChunkRecord(chunk.clone()))?)?;
        let place = ChunkPlace { document: id, index: chunk.index };
        batch.put(cf::CHUNK_IDS, chunk.id.as_bytes(), encode(&place)?)?;
        batch.put(cf::VECTORS, key, encode_vector(vector))?;
    }
    for (index, vector) in (0..).zip(&document.sparse_vectors) {
        batch.put(cf::SPARSE_VECTORS, numbered_key(id, index), encode_raw(&vector.encode()))?;
    }
    for (index, signs) in (0..).zip(&document.token_vectors) {
        batch.put(cf::TOKEN_VECTORS, numbered_key(id, index), encode_raw(signs))?;
    }
    Ok(())
}

/// Adds the removal of a stored document to a batch. Later additions to the same batch stay.
fn remove(reader: &Reader<'_>, old: &DocumentRecord, batch: &mut Batch<'_>, state: &mut State) -> Result<SlotRange> {
    let id = old.meta.id;
    for chunk in chunk_ids(reader, id)? {
        batch.delete(cf::CHUNK_IDS, chunk.as_bytes())?;
    }
    let entries_of = |family| reader.numbered(family, id, 0..u32::MAX)?.try_fold(0, |n, entry| entry.map(|_| n + 1));
    let (sparse, tokens) = (entries_of(cf::SPARSE_VECTORS)?, entries_of(cf::TOKEN_VECTORS)?);
    let annotated = reader.get(cf::ANNOTATIONS, id.as_bytes())?.is_some();
    let (start, end) = document_range(id);
    for family in cf::BY_DOCUMENT {
        batch.delete_range(family, &start, &end)?;
    }
    batch.delete(cf::DOCUMENTS, id.as_bytes())?;
    batch.delete(cf::PATH_INDEX, path_key(&old.meta.path))?;
    batch.delete(cf::HASH_INDEX, hash_key(old.meta.sha256, id))?;
    batch.delete(cf::SLOTS, sequence_key(old.first_slot))?;
    let less = |count: u64, by: u32| {
        count.checked_sub(by.into()).ok_or_else(|| corrupt("The collection's counters are lower than its contents."))
    };
    state.documents = less(state.documents, 1)?;
    state.pages = less(state.pages, old.meta.page_count)?;
    state.chunks = less(state.chunks, old.meta.chunk_count)?;
    state.sparse_chunks = less(state.sparse_chunks, sparse)?;
    state.token_chunks = less(state.token_chunks, tokens)?;
    state.annotated_documents = less(state.annotated_documents, annotated.into())?;
    Ok(old.slots())
}

/// The ids that lead to a document's chunks. If a chunk cannot be decoded, `chunk_ids` is searched instead, so that a
/// damaged document can still be replaced or deleted without a trace.
fn chunk_ids(reader: &Reader<'_>, document: DocumentId) -> Result<Vec<ChunkId>> {
    let own: Result<Vec<ChunkId>> = reader
        .numbered(cf::CHUNKS, document, 0..u32::MAX)?
        .map(|entry| Ok(decode::<ChunkRecord>("chunk", &entry?.1)?.0.id))
        .collect();
    own.or_else(|error| {
        tracing::warn!(%document, %error, "a damaged document is being removed");
        let mut ids = Vec::new();
        for entry in reader.scan_all(cf::CHUNK_IDS)? {
            let (key, value) = entry?;
            let place: Result<ChunkPlace> = decode("chunk id", &value);
            if place.is_ok_and(|place| place.document == document) {
                ids.extend(parse_chunk_id(&key));
            }
        }
        Ok(ids)
    })
}
