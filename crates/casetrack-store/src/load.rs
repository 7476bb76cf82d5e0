//! A stored document as a whole, for what copies or mends documents.

use casetrack_core::Result;

use crate::error::corrupt;
use crate::reader::Reader;
use crate::records::{DocumentRecord, Identity};
use crate::sparse::SparseVector;
use crate::write::{self, StoredDocument};

/// Reads everything that is stored of a document and checks it as [`write::check`] does: what comes back can be stored again.
/// All of it is held in memory.
///
/// Errors: [`casetrack_core::ErrorCode::Corrupt`], in words that name the document, where something is missing, cannot be read
/// or breaks an invariant.
pub(crate) fn document(reader: &Reader<'_>, record: &DocumentRecord, identity: &Identity) -> Result<StoredDocument> {
    let meta = record.meta.clone();
    let mut pages = Vec::new();
    for number in 1..=meta.page_count {
        let page = reader.page(meta.id, number)?;
        pages.push(page.ok_or_else(|| corrupt(format!("{}: page {number} is missing.", meta.path)))?);
    }
    let mut chunks = Vec::new();
    reader.for_each_chunk(meta.id, 0..u32::MAX, |chunk| {
        chunks.push(chunk);
        Ok(())
    })?;
    let mut vectors = Vec::new();
    reader.for_each_vector(meta.id, identity.dense_dimension as usize, |index, vector| {
        if index as usize != vectors.len() {
            return Err(corrupt(format!("{}: the vector of chunk {} is missing.", meta.path, vectors.len())));
        }
        vectors.push(vector.iter().map(|x| x.to_f32()).collect());
        Ok(())
    })?;
    let mut sparse_vectors = Vec::new();
    reader.for_each_sparse_vector(meta.id, |index, impacts| {
        if index as usize != sparse_vectors.len() {
            let missing = sparse_vectors.len();
            return Err(corrupt(format!("{}: the learned-sparse vector of chunk {missing} is missing.", meta.path)));
        }
        sparse_vectors.push(SparseVector::from_impacts(impacts));
        Ok(())
    })?;
    let (dense_model, sparse_model) = (identity.dense_model.clone(), identity.sparse_model.clone());
    let document = StoredDocument { meta, pages, chunks, vectors, dense_model, sparse_vectors, sparse_model };
    write::check(&document, identity.dense_dimension).map_err(|error| {
        let what = error.message.replacen(" was not stored: ", " is damaged: ", 1);
        corrupt(what).with_source(error)
    })?;
    Ok(document)
}
