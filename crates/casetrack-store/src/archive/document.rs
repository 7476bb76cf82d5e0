//! One document in an archive: a sequence of sections, each a tag (one byte), a number (`u32`), the length of its value
//! (`u32`) and the value; numbers are little endian.
//!
//! | tag | number | value |
//! |---|---|---|
//! | 1 | 0 | JSON: `DocumentMeta` |
//! | 2 | page, from 1 | page without text and layout |
//! | 3 | page | blocks, and boxes of the lines |
//! | 4 | page | the page's text, UTF-8 |
//! | 5 | chunk, from 0 | chunk without its text, which is a slice of the page's |
//! | 6 | chunk | the E1 vector, IEEE 754 half precision, little endian |
//! | 7 | chunk | the E6 vector, as the store keeps it; all chunks of a document have one, or none |
//! | 9 | chunk | the signs of the E12 vectors of its tokens; all chunks of a document have them, or none; since format 3 |
//! | 8 | 0 | entities, mentions and references, if the document was analysed; since format 2 |
//!
//! Values are those of [`schema`](crate::schema), each with its version byte, except for the text, which has none.
//! Sections follow the order of the table, all of a page together, and chunk and vectors together. A tag that is not
//! known is refused.

use std::io::Read;

use casetrack_core::{DocumentMeta, Error, Result};

use crate::codec::{decode, decode_json, decode_vector, encode, encode_json, encode_raw, encode_vector, payload};
use crate::error::corrupt;
use crate::manifest::VectorModels;
use crate::records::sparse_vector::{SparseVector, decode_into};
use crate::records::{AnnotationsRecord, ChunkRecord, LayoutRecord, PageRecord};
use crate::write::StoredDocument;

const META: u8 = 1;
const PAGE: u8 = 2;
const LAYOUT: u8 = 3;
const TEXT: u8 = 4;
const CHUNK: u8 = 5;
const VECTOR: u8 = 6;
const SPARSE_VECTOR: u8 = 7;
const ANNOTATIONS: u8 = 8;
const TOKEN_VECTORS: u8 = 9;

/// Writes a document that has passed [`write::check`](crate::write::check).
pub(crate) fn write(document: &StoredDocument, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut section = |tag: u8, number: u32, value: &[u8]| {
        let length = u32::try_from(value.len()).map_err(|_| Error::invalid("A part of a document exceeds 4 GiB."))?;
        let mut header = [tag, 0, 0, 0, 0, 0, 0, 0, 0];
        header[1..5].copy_from_slice(&number.to_le_bytes());
        header[5..].copy_from_slice(&length.to_le_bytes());
        put(&header)?;
        put(value)
    };
    section(META, 0, &encode_json(&document.meta)?)?;
    for page in &document.pages {
        section(PAGE, page.number, &PageRecord::new(page)?.encode()?)?;
        section(LAYOUT, page.number, &encode(&LayoutRecord::new(page))?)?;
        section(TEXT, page.number, page.text.as_bytes())?;
    }
    for (chunk, vector) in document.chunks.iter().zip(&document.vectors) {
        section(CHUNK, chunk.index, &encode(&ChunkRecord(chunk.clone()))?)?;
        section(VECTOR, chunk.index, &encode_vector(vector))?;
        if let Some(sparse) = document.sparse_vectors.get(chunk.index as usize) {
            section(SPARSE_VECTOR, chunk.index, &encode_raw(&sparse.encode()))?;
        }
        if let Some(signs) = document.token_vectors.get(chunk.index as usize) {
            section(TOKEN_VECTORS, chunk.index, &encode_raw(signs))?;
        }
    }
    if let Some(annotations) = &document.annotations {
        section(ANNOTATIONS, 0, &encode(&AnnotationsRecord::new(annotations)?)?)?;
    }
    Ok(())
}

/// Reads the output of [`write`] from `input`, which ends with the document. The result has still to be checked.
/// `models` are those of the archive's vectors. Errors: [`casetrack_core::ErrorCode::Corrupt`] if the bytes are no
/// document, and errors of reading.
pub(crate) fn read(input: &mut dyn Read, models: &VectorModels) -> Result<StoredDocument> {
    let (tag, _, value) = section(input)?.ok_or_else(|| corrupt("it is empty"))?;
    if tag != META {
        return Err(corrupt("it does not begin with the document's metadata"));
    }
    let meta: DocumentMeta = decode_json("document", &value)?;
    let (mut pages, mut chunks, mut vectors) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sparse_vectors, mut token_vectors, mut annotations) = (Vec::new(), Vec::new(), None);
    while let Some((tag, number, value)) = section(input)? {
        match tag {
            PAGE => {
                let page = PageRecord::decode(&value)?;
                let layout: LayoutRecord = decode("page layout", &expect(input, LAYOUT, number)?)?;
                let text = String::from_utf8(expect(input, TEXT, number)?)
                    .map_err(|_| corrupt(format!("page {number} is not text")))?;
                pages.push(page.into_page(number, text, layout));
            }
            CHUNK => {
                let record: ChunkRecord = decode("chunk", &value)?;
                let chunk = record.into_chunk_of(&pages, number);
                chunks.push(chunk.ok_or_else(|| corrupt(format!("chunk {number} is not in the text of its page")))?);
                let vector = decode_vector(&expect(input, VECTOR, number)?, models.dense_dimension as usize)?;
                vectors.push(vector.iter().map(|x| x.to_f32()).collect());
            }
            SPARSE_VECTOR if number as usize == sparse_vectors.len() => {
                let mut impacts = Vec::new();
                decode_into(payload("learned-sparse vector", &value)?, &mut impacts)?;
                sparse_vectors.push(SparseVector::from_impacts(&impacts));
            }
            TOKEN_VECTORS if number as usize == token_vectors.len() => {
                token_vectors.push(payload("token vectors", &value)?.to_vec());
            }
            ANNOTATIONS if annotations.is_none() => {
                annotations = Some(decode::<AnnotationsRecord>("annotation", &value)?.into_annotations()?);
            }
            unknown => return Err(corrupt(format!("it holds a section of the unknown kind {unknown}"))),
        }
    }
    let VectorModels { dense: dense_model, sparse: sparse_model, tokens: token_model, .. } = models.clone();
    Ok(StoredDocument {
        meta,
        pages,
        chunks,
        vectors,
        dense_model,
        sparse_vectors,
        sparse_model,
        token_vectors,
        token_model,
        annotations,
    })
}

/// The next section; `None` at the end. Memory is taken as bytes arrive, not as they are announced.
fn section(input: &mut dyn Read) -> Result<Option<(u8, u32, Vec<u8>)>> {
    let mut header = Vec::with_capacity(9);
    input.take(9).read_to_end(&mut header).map_err(unread)?;
    let Some((&tag, rest)) = header.split_first() else { return Ok(None) };
    let (Some(number), Some(length)) =
        (rest.first_chunk::<4>(), rest.get(4..).and_then(|rest| rest.first_chunk::<4>()))
    else {
        return Err(corrupt("it ends within a section"));
    };
    let length = u64::from(u32::from_le_bytes(*length));
    let mut value = Vec::with_capacity(length.min(1 << 20) as usize);
    input.take(length).read_to_end(&mut value).map_err(unread)?;
    if value.len() as u64 != length {
        return Err(corrupt("it ends within a section"));
    }
    Ok(Some((tag, u32::from_le_bytes(*number), value)))
}

fn expect(input: &mut dyn Read, tag: u8, number: u32) -> Result<Vec<u8>> {
    match section(input)? {
        Some((found, of, value)) if (found, of) == (tag, number) => Ok(value),
        _ => Err(corrupt(format!("section {tag} of number {number} is missing"))),
    }
}

fn unread(error: std::io::Error) -> Error {
    if super::is_damage(&error) { corrupt(error.to_string()) } else { Error::io("an entry", error) }
}
