//! The places at which entities are mentioned, separately and together.

use std::cmp::Reverse;

use casetrack_core::{DocumentId, Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::node::{Span, find};
use super::{DocumentRef, EntityId, EntityView, Graph, Place};

/// Entities that one question may ask to be together.
pub const TOGETHER: std::ops::RangeInclusive<usize> = 2..=5;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EntityMentions {
    pub entity: EntityView,
    /// Most mentions first, then by path and chunk. A chunk whose mentions are all in its overlap with the one before
    /// is left out.
    pub chunks: Vec<ChunkMentions>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChunkMentions {
    pub document_name: String,
    #[serde(flatten)]
    pub place: Place,
    pub mentions: u32,
    /// The roles that the document gives the entity, the most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TogetherChunks {
    pub entities: Vec<EntityView>,
    /// Chunks that mention all of them, also those that are not listed.
    pub total: u64,
    /// Those with most mentions of the least mentioned one first, then by all mentions, path and chunk.
    pub chunks: Vec<TogetherChunk>,
    /// Documents that mention all of them, in one chunk or not, by path.
    pub documents: Vec<DocumentRef>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TogetherChunk {
    pub document_name: String,
    /// The first mention of each entity, in the order of the entities; all in the same chunk.
    pub places: Vec<Place>,
}

impl Graph {
    /// The `top_k` chunks that mention an entity most; `None` if the entity has gone. Cost: in proportion to the
    /// documents that mention it and their chunks.
    pub fn mentions(&self, id: EntityId, top_k: usize) -> Option<EntityMentions> {
        let item = self.entities.get(id.0)?;
        let mut found = Vec::new();
        for (slot, document) in self.walk_some(item.documents.keys()) {
            let Some(&local) = item.documents.get(slot) else { continue };
            for (chunk, posting) in document.postings.of(local).filter(|(_, posting)| posting.count > 0) {
                found.push((posting.count, document, local, chunk, posting));
            }
        }
        // Stable: by path and chunk if the counts are the same.
        found.sort_by_key(|(count, ..)| Reverse(*count));
        let chunks = found.into_iter().take(top_k).map(|(count, document, local, chunk, posting)| {
            let mut roles: Vec<_> = document.roles.iter().filter(|note| note.entity == local).collect();
            roles.sort_by_key(|note| Reverse(note.count));
            ChunkMentions {
                document_name: document.info.name.clone(),
                place: document.place(Span { chunk, start: posting.start, length: posting.length }),
                mentions: u32::from(count),
                roles: roles.into_iter().map(|note| note.role.clone()).collect(),
            }
        });
        Some(EntityMentions { chunks: chunks.collect(), entity: self.entity(id)? })
    }

    /// The chunks that mention all of 2–5 different entities.
    pub fn together(&self, ids: &[EntityId], top_k: usize) -> Result<TogetherChunks> {
        let mut distinct = ids.to_vec();
        distinct.sort_unstable_by_key(|id| id.0);
        distinct.dedup();
        if !TOGETHER.contains(&distinct.len()) || distinct.len() < ids.len() {
            let message = format!("{} different entities were given; it must be 2 to 5, each once.", distinct.len());
            return Err(Error::invalid(message));
        }
        let items: Vec<_> = ids.iter().filter_map(|id| self.entities.get(id.0)).collect();
        let rarest = items.iter().min_by_key(|item| item.documents.len());
        let shared = rarest.into_iter().flat_map(|item| item.documents.keys());
        let shared = shared.filter(|slot| items.iter().all(|item| item.documents.get(*slot).is_some()));
        let documents = if items.len() < ids.len() { Vec::new() } else { self.walk_some(shared) };
        let mut found = Vec::new();
        for (slot, document) in &documents {
            let locals: Vec<u32> = items.iter().filter_map(|item| item.documents.get(*slot).copied()).collect();
            for (chunk, postings) in document.postings.iter() {
                let all: Option<Vec<_>> = locals.iter().map(|local| find(postings, *local)).collect();
                let Some(all) = all else { continue };
                let counts = || all.iter().map(|posting| u32::from(posting.count.max(1)));
                found.push((Reverse(counts().min()), Reverse(counts().sum::<u32>()), *document, chunk, all));
            }
        }
        found.sort_by_key(|(least, sum, ..)| (*least, *sum));
        let total = found.len() as u64;
        let chunks = found.into_iter().take(top_k).map(|(_, _, document, chunk, all)| TogetherChunk {
            document_name: document.info.name.clone(),
            places: all
                .iter()
                .map(|posting| document.place(Span { chunk, start: posting.start, length: posting.length }))
                .collect(),
        });
        Ok(TogetherChunks {
            total,
            chunks: chunks.collect(),
            entities: ids.iter().filter_map(|id| self.entity(*id)).collect(),
            documents: documents.iter().map(|(_, document)| document.named()).collect(),
        })
    }

    /// The chunks of each document that mention an entity, for filters: by document id, then chunk.
    pub fn chunks_with(&self, id: EntityId) -> Vec<(DocumentId, u32)> {
        let Some(item) = self.entities.get(id.0) else { return Vec::new() };
        let mut chunks = Vec::with_capacity(item.chunks as usize);
        for (slot, local) in item.documents.iter() {
            let Some(document) = self.at(slot) else { continue };
            chunks.extend(document.postings.of(*local).map(|(chunk, _)| (document.info.id, chunk)));
        }
        chunks.sort_unstable();
        chunks
    }

    /// The entities that a chunk mentions, by type and key.
    pub fn entities_in(&self, document: DocumentId, chunk: u32) -> Vec<EntityId> {
        let Some((_, document)) = self.document(document) else { return Vec::new() };
        if chunk as usize >= document.postings.chunks() {
            return Vec::new();
        }
        let postings = document.postings.chunk(chunk as usize);
        postings.iter().map(|posting| EntityId(document.entities[posting.entity as usize].0)).collect()
    }
}
