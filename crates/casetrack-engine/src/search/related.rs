//! Passages that are related to results, though the query may not find them.

use std::collections::HashSet;

use casetrack_core::Result;
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::Serialize;

use super::SearchResult;
use crate::chunks::ChunkView;
use crate::similar::{self, Wanted};

/// The results whose relations are followed, best first.
const FROM_RESULTS: usize = 3;
/// Most related passages of one result.
const OF_EACH: usize = 2;
/// Least cosine of chunks of different documents that counts as a relation (DESIGN §7).
const MIN_SIMILARITY: f32 = 0.8;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelatedPassage {
    /// Rank of the result that it is related to.
    pub of_rank: u32,
    pub relation: Relation,
    /// Cosine of the two passages' vectors (E1), 0.8–1.
    pub similarity: f32,
    #[serde(flatten)]
    pub chunk: ChunkView,
}

/// How a passage is related to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Another document says something similar.
    SimilarPassage,
}

/// The passages related to the best results, by result, each once.
pub(super) fn to(collection: &Collection, results: &[SearchResult]) -> Result<Vec<RelatedPassage>> {
    let repeated = results.iter().flat_map(|result| &result.repeated_in).map(|repetition| repetition.chunk_id);
    let mut known: HashSet<_> = results.iter().map(|result| result.chunk.chunk_id).chain(repeated).collect();
    let mut related = Vec::new();
    for result in results.iter().take(FROM_RESULTS) {
        let place = &result.chunk.provenance;
        let count = OF_EACH + known.len();
        let wanted = Wanted { exclude_same_document: true, min_similarity: MIN_SIMILARITY, count };
        let similar = similar::to(collection, place.document_id, place.chunk_index, wanted)?;
        let new = similar.into_iter().filter(|passage| known.insert(passage.chunk.chunk_id)).take(OF_EACH);
        related.extend(new.map(|passage| RelatedPassage {
            of_rank: result.rank,
            relation: Relation::SimilarPassage,
            similarity: passage.similarity,
            chunk: passage.chunk,
        }));
    }
    Ok(related)
}
