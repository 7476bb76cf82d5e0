//! The entities of a collection.

use std::cmp::Reverse;
use std::collections::HashSet;

use casetrack_core::{DocumentId, EntityType, EntityValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fold::fold;
use super::items::Item;
use super::{EntityId, Graph};

/// An entity over all documents.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EntityView {
    pub entity_type: EntityType,
    /// Identifies it in every document, together with the type.
    pub key: String,
    /// As most documents name it.
    pub name: String,
    /// As the others do, by the alphabet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    pub mentions: u64,
    /// Documents that mention it.
    pub documents: u64,
    /// Chunks that mention it; one in the overlap of two chunks is mentioned by both.
    pub chunks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<EntityValue>,
    /// 0–1: the share of entities found in this way that are correct.
    pub confidence: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntitySort {
    /// Most mentions first.
    #[default]
    Mentions,
    /// Most documents first.
    Documents,
    /// By the alphabet, small and capital letters alike.
    Name,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct ListEntities<'a> {
    /// Of all types if there is none.
    pub entity_type: Option<EntityType>,
    /// Only those that this document mentions.
    pub document: Option<DocumentId>,
    /// Only those with a name that has these letters; case, accents and punctuation aside.
    pub named: Option<&'a str>,
    pub sort_by: EntitySort,
    /// The least confidence of the entities, in percent.
    pub least_confidence: u8,
    /// The number of entities to leave out at the beginning.
    pub skip: usize,
    pub top_k: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EntityList {
    /// Entities of the type, also those that are not listed.
    pub total: u64,
    pub entities: Vec<EntityView>,
}

impl Graph {
    /// `top_k` entities from the one at `skip`; ties are broken by mentions, then by type and key.
    pub fn list_entities(&self, request: &ListEntities<'_>) -> EntityList {
        let wanted = |item: &Item<EntityType>| {
            request.entity_type.is_none_or(|wanted| wanted == item.kind)
                && item.confidence() >= request.least_confidence
        };
        let slot = request.document.map(|id| self.document(id).map(|(slot, _)| slot));
        let is_here = |item: &Item<EntityType>| match slot {
            Some(slot) => slot.is_some_and(|slot| item.documents.get(slot).is_some()),
            None => true,
        };
        let named: Option<HashSet<u32>> = request.named.map(fold).map(|letters| {
            let has_them = |(name, ids): (&str, _)| name.contains(&letters).then_some(ids);
            self.entities.names().filter_map(has_them).flatten().collect()
        });
        let is_named = |id: &u32| named.as_ref().is_none_or(|named| named.contains(id));
        let mut all: Vec<_> =
            self.entities.iter().filter(|(id, item)| is_named(id) && wanted(item) && is_here(item)).collect();
        let total = all.len() as u64;
        match request.sort_by {
            EntitySort::Mentions => all.sort_unstable_by_key(|(_, item)| (Reverse(item.count), item.kind, &*item.key)),
            EntitySort::Documents => all.sort_unstable_by_key(|(_, item)| {
                (Reverse(item.documents.len()), Reverse(item.count), item.kind, &*item.key)
            }),
            EntitySort::Name => all.sort_by_cached_key(|(_, item)| {
                (item.name().to_lowercase(), Reverse(item.count), item.kind, item.key.to_string())
            }),
        }
        let entities = all
            .into_iter()
            .skip(request.skip)
            .take(request.top_k)
            .filter_map(|(id, _)| self.entity(EntityId(id)))
            .collect();
        EntityList { total, entities }
    }

    /// `None` if the entity has gone since its id was given.
    pub fn entity(&self, id: EntityId) -> Option<EntityView> {
        let item = self.entities.get(id.0)?;
        Some(EntityView {
            entity_type: item.kind,
            key: item.key.to_string(),
            name: item.name().to_owned(),
            aliases: item.aliases(),
            mentions: item.count,
            documents: item.documents.len() as u64,
            chunks: item.chunks,
            value: item.value().cloned(),
            confidence: f64::from(item.confidence()) / 100.0,
        })
    }
}
