//! A stored document as a whole, for code that copies or repairs documents.

use casetrack_core::{Annotations, Result};

use crate::codec::{decode_vector, payload};
use crate::error::corrupt;
use crate::invariants::annotations_problem;
use crate::reader::Reader;
use crate::records::sparse_vector::{SparseVector, decode_into};
use crate::records::{DocumentRecord, Identity};
use crate::schema::{cf, numbered_key};
use crate::write::{self, StoredDocument};

/// Reads everything that is stored of a document and checks it as [`write::check`] does, so that it can be stored
/// again. All of it is held in memory. Errors: [`casetrack_core::ErrorCode::Corrupt`], with the name of the document,
/// if something is missing, cannot be read or breaks an invariant.
pub(crate) fn document(reader: &Reader<'_>, record: &DocumentRecord, identity: &Identity) -> Result<StoredDocument> {
    let mut document = without_annotations(reader, record, identity)?;
    document.annotations = annotations(reader, &document)?;
    Ok(document)
}

/// The annotations of a document that was read without them.
pub(crate) fn annotations(reader: &Reader<'_>, document: &StoredDocument) -> Result<Option<Annotations>> {
    let Some(annotations) = reader.annotations(document.meta.id)? else { return Ok(None) };
    match annotations_problem(&annotations, &write::page_chars(&document.pages)) {
        Some(problem) => Err(corrupt(format!("{} is damaged: in its annotations, {problem}.", document.meta.path))),
        None => Ok(Some(annotations)),
    }
}

/// As [`document`], without the annotations, which analysis can make again.
pub(crate) fn without_annotations(
    reader: &Reader<'_>,
    record: &DocumentRecord,
    identity: &Identity,
) -> Result<StoredDocument> {
    let meta = record.meta.clone();
    let mut pages = Vec::new();
    for number in 1..=meta.page_count {
        let page = reader.page(meta.id, number)?;
        pages.push(page.ok_or_else(|| corrupt(format!("{}: page {number} is missing.", meta.path)))?);
    }
    // One by one: a scan would also look into blocks next to the document's, which may be damaged.
    let (mut chunks, mut vectors) = (Vec::new(), Vec::<Vec<f32>>::new());
    let (mut sparse_vectors, mut impacts, mut token_vectors) = (Vec::new(), Vec::new(), Vec::new());
    for index in 0..meta.chunk_count {
        let missing = |what: &str| corrupt(format!("{}: the {what} {index} is missing.", meta.path));
        let record = reader.chunk_record(meta.id, index)?.ok_or_else(|| missing("chunk"))?;
        let chunk = record
            .into_chunk_of(&pages, index)
            .ok_or_else(|| corrupt(format!("{}: chunk {index} is not in the text of its page.", meta.path)))?;
        chunks.push(chunk);
        let vector = reader.get(cf::VECTORS, &numbered_key(meta.id, index))?;
        let vector = vector.ok_or_else(|| missing("vector of chunk"))?;
        let vector = decode_vector(&vector, identity.dense_dimension as usize)?;
        vectors.push(vector.iter().map(|x| x.to_f32()).collect());
        // All chunks have one, or none: that is checked below.
        if let Some(value) = reader.get(cf::SPARSE_VECTORS, &numbered_key(meta.id, index))? {
            decode_into(payload("learned-sparse vector", &value)?, &mut impacts)?;
            sparse_vectors.push(SparseVector::from_impacts(&impacts));
        }
        token_vectors.extend(reader.token_vectors(meta.id, index)?);
    }
    let document = StoredDocument {
        meta,
        pages,
        chunks,
        vectors,
        dense_model: identity.dense_model.clone(),
        sparse_vectors,
        sparse_model: identity.sparse_model.clone(),
        token_vectors,
        token_model: identity.token_model.clone(),
        annotations: None,
    };
    write::check(&document, identity.dense_dimension).map_err(|error| {
        let what = error.message.replacen(" was not stored: ", " is damaged: ", 1);
        corrupt(what).with_source(error)
    })?;
    Ok(document)
}
