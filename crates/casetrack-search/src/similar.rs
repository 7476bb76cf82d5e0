//! Passages similar to a given one.

use casetrack_core::{CitationStyle, CollectionId, DocumentId, Error, Notice, Result};
use casetrack_store::{Collection, Conditions, Filter};
use schemars::JsonSchema;
use serde::Serialize;

use super::Excerpt;
use super::excerpt::{self, Extent};
use super::results::{self, PageBlocks};
use super::worth::Question;
use casetrack_host::Host;
use casetrack_host::documents::chunks::{self, ChunkView, find_chunk};

/// Most passages of one answer.
pub const MAX_SIMILAR: u32 = 50;

/// Passages similar to `chunk`, most similar first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SimilarChunks {
    pub chunk: ChunkView,
    pub similar: Vec<SimilarChunk>,
    #[schemars(with = "Vec<String>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SimilarChunk {
    /// Cosine of the vectors (E1), 0–1.
    pub similarity: f32,
    #[serde(flatten)]
    pub chunk: ChunkView,
    /// The sentences with most words of the given passage.
    pub excerpt: Excerpt,
}

/// The similar passages to find.
#[derive(Debug, Clone, Copy)]
pub struct SimilarRequest {
    /// Leave out the document of the passage itself.
    pub exclude_same_document: bool,
    /// Least cosine, 0–1.
    pub min_similarity: f32,
    pub count: usize,
}

/// The passages most similar to the passage with this id, by the cosine of their dense vectors. The passage itself is left
/// out. `wanted.count` is 1–[`MAX_SIMILAR`](similar::MAX_SIMILAR).
pub fn similar_chunks(
    host: &Host,
    collection: CollectionId,
    id: &str,
    wanted: SimilarRequest,
) -> Result<SimilarChunks> {
    if !(1..=MAX_SIMILAR as usize).contains(&wanted.count) {
        let message = format!("top_k is {}; it must be between 1 and {MAX_SIMILAR}.", wanted.count);
        return Err(Error::invalid(message));
    }
    if !(0.0..=1.0).contains(&wanted.min_similarity) {
        let message = format!("min_similarity is {}; it must be between 0 and 1.", wanted.min_similarity);
        return Err(Error::invalid(message));
    }
    let collection = host.collection(collection)?;
    let passage = find_chunk(&mut collection.passages(), id)?;
    let style = &host.config().citations;
    let found = to(&collection, passage.document.meta.id, passage.chunk.index, wanted, style)?;
    let chunk = chunks::view(passage, style);
    let (mut pages, question) = (PageBlocks::new(), Question::of(&chunk.text));
    let similar = found.into_iter().map(|(similarity, mut found)| {
        let excerpt = results::shown(&collection, &mut found, &mut pages, |found, blocks| {
            excerpt::excerpt(&question, found, blocks, Extent::Short)
        })?;
        Ok(SimilarChunk { similarity, chunk: found, excerpt })
    });
    let similar = similar.collect::<Result<_>>()?;
    Ok(SimilarChunks { chunk, similar, notices: Vec::new() })
}

/// The passages most similar to chunk `index` of a document, each with its cosine. Costs one dense search.
pub fn to(
    collection: &Collection,
    document: DocumentId,
    index: u32,
    wanted: SimilarRequest,
    style: &CitationStyle,
) -> Result<Vec<(f32, ChunkView)>> {
    // It was deleted meanwhile.
    let Some(vector) = collection.vector_at(document, index)? else { return Ok(Vec::new()) };
    let mut filter = Filter::default();
    if wanted.exclude_same_document {
        let others = collection.catalogue()?.iter().map(|entry| entry.id).filter(|&id| id != document).collect();
        let selection = collection.select(&Conditions { documents: Some(others), ..Conditions::default() })?;
        filter.selection = Some(selection.into());
    }
    let (mut similar, mut passages) = (Vec::new(), collection.passages());
    // The passage finds itself.
    for hit in collection.search_dense(&vector, wanted.count + 1, &filter)? {
        let itself = (hit.document, hit.index) == (document, index);
        if itself || hit.score < wanted.min_similarity || similar.len() == wanted.count {
            continue;
        }
        let Some(passage) = passages.at(hit.document, hit.index)? else { continue };
        // Rounding to half precision can lift it above 1.
        similar.push((hit.score.min(1.0), chunks::view(passage, style)));
    }
    Ok(similar)
}
