//! Passages that are related to results, even if they do not match the query.

use std::collections::HashSet;

use casetrack_core::Result;
use casetrack_store::Collection;
use schemars::JsonSchema;
use serde::Serialize;

use super::excerpt::{self, Extent};
use super::results::{self, PageBlocks};
use super::similar::{self, SimilarRequest};
use super::worth::Question;
use super::{Excerpt, SearchResult};
use casetrack_graph::chunks_sharing_entities;
use casetrack_host::Host;
use casetrack_host::documents::chunks::{self, ChunkView};

/// The results whose relations are followed, best first.
const FROM_RESULTS: usize = 3;
/// Most related passages of one result in each way.
const OF_EACH: usize = 2;
/// Least cosine of chunks of different documents that counts as a relation.
const MIN_SIMILARITY: f32 = 0.8;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelatedPassage {
    /// Rank of the result that it is related to.
    pub of_rank: u32,
    pub relation: Relation,
    /// Cosine of the two passages' vectors (E1), 0.8–1; of a similar passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
    /// Names of the entities that both mention; of a passage that is related by them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared_entities: Vec<String>,
    #[serde(flatten)]
    pub chunk: ChunkView,
    /// The sentences that answer the query best.
    pub excerpt: Excerpt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// A similar passage of another document.
    SimilarPassage,
    /// A passage of another document mentions the same people, organizations, places or concepts.
    SharedEntities,
}

/// The passages related to the best results, by result, each once: similar ones, then those with the same entities. `asked` is the query in words.
pub(super) fn to(
    host: &Host,
    collection: &Collection,
    asked: &str,
    results: &[SearchResult],
) -> Result<Vec<RelatedPassage>> {
    let repeated = results.iter().flat_map(|result| &result.repeated_in).map(|repetition| repetition.chunk_id);
    let mut known: HashSet<_> = results.iter().map(|result| result.chunk.chunk_id).chain(repeated).collect();
    let mut related = Vec::new();
    let style = &host.config().citations;
    let (mut passages, mut pages, question) = (collection.passages(), PageBlocks::new(), Question::of(asked));
    let mut excerpt = |chunk: &mut ChunkView| {
        results::shown(collection, chunk, &mut pages, |chunk, blocks| {
            excerpt::excerpt(&question, chunk, blocks, Extent::Short)
        })
    };
    for result in results.iter().take(FROM_RESULTS) {
        let (of_rank, place) = (result.rank, &result.chunk.provenance);
        let count = OF_EACH + known.len();
        let wanted = SimilarRequest { exclude_same_document: true, min_similarity: MIN_SIMILARITY, count };
        let similar = similar::to(collection, place.document_id, place.chunk_index, wanted, style)?;
        for (similarity, mut chunk) in
            similar.into_iter().filter(|(_, passage)| known.insert(passage.chunk_id)).take(OF_EACH)
        {
            related.push(RelatedPassage {
                of_rank,
                relation: Relation::SimilarPassage,
                similarity: Some(similarity),
                shared_entities: Vec::new(),
                excerpt: excerpt(&mut chunk)?,
                chunk,
            });
        }
        let id = collection.meta().id;
        let sharing = chunks_sharing_entities(host, id, place.document_id, place.chunk_index, count)?;
        let mut taken = 0;
        for (document, index, shared_entities) in sharing {
            let Some(passage) = passages.at(document, index)? else { continue };
            if taken == OF_EACH || !known.insert(passage.chunk.id) {
                continue;
            }
            taken += 1;
            let (relation, mut chunk) = (Relation::SharedEntities, chunks::view(passage, style));
            let excerpt = excerpt(&mut chunk)?;
            related.push(RelatedPassage { of_rank, relation, similarity: None, shared_entities, chunk, excerpt });
        }
    }
    Ok(related)
}
