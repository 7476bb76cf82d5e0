//! Entities: which there are, where they are mentioned, and with whom.

use std::collections::{BTreeMap, BTreeSet};

use casetrack_core::{Action, CollectionId, DocumentId, EntityType, Error, Result, hint};
use casetrack_nlp::value_key;
use schemars::JsonSchema;
use serde::Serialize;

use super::snippet::{self, Snippet};
use crate::documents::find_document;
use crate::engine::Engine;
use crate::graph::{
    EntityGraph, EntityGraphRequest, EntityId, EntityList, EntitySort, EntityView, Graph, GraphNode, ListEntities,
};

/// Entities that two passages share at least to be related by them.
const MIN_SHARED: usize = 2;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityListReport {
    pub collection: String,
    #[serde(flatten)]
    pub list: EntityList,
    pub notices: Vec<String>,
}

/// Where an entity is mentioned.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MentionsReport {
    pub collection: String,
    pub entity: EntityView,
    /// The passages that mention it most, first.
    pub mentions: Vec<MentionReport>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MentionReport {
    /// In this passage.
    pub mentions: u32,
    /// What the document says it is, such as "Chief Executive Officer".
    pub roles: Vec<String>,
    #[serde(flatten)]
    pub snippet: Snippet,
}

/// Passages that mention several entities.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TogetherReport {
    pub collection: String,
    pub entities: Vec<EntityView>,
    /// Passages that mention all of them, also those that are not listed.
    pub total: u64,
    pub passages: Vec<Snippet>,
    /// Names of documents that mention all of them, where no passage does.
    pub documents: Vec<String>,
    pub notices: Vec<String>,
}

/// Entities that are mentioned together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityNetwork {
    pub collection: String,
    /// The entity asked for first, then by steps from it; without one, those with most links first.
    pub nodes: Vec<GraphNode>,
    /// All edges between these nodes, heaviest first.
    pub edges: Vec<EdgeReport>,
    pub notices: Vec<String>,
    #[serde(skip)]
    pub graph: EntityGraph,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EdgeReport {
    pub source: String,
    pub target: String,
    /// Passages that mention both.
    pub chunks: u32,
    /// 0–1: how much more often than by chance (normalised pointwise mutual information).
    pub weight: f64,
    /// One of the passages.
    pub example: Option<Snippet>,
}

impl Engine {
    /// The chunks that mention an entity of each list of names that has any; `None` where none has. A name that fits several
    /// entities means any of them, and a notice names those.
    pub(crate) fn chunks_with_entities(
        &self,
        collection: CollectionId,
        lists: &[&[String]],
        notices: &mut Vec<String>,
    ) -> Result<Option<Vec<(DocumentId, u32)>>> {
        let mut left: Option<BTreeSet<(DocumentId, u32)>> = None;
        for names in lists.iter().filter(|names| !names.is_empty()) {
            let known = self.known(collection)?;
            let graph = known.graph();
            let mut chunks = BTreeSet::new();
            for name in *names {
                let meant = match value(&graph, name, None) {
                    Some(id) => vec![id],
                    None => graph.entities_named(name)?,
                };
                notices.extend(several(&graph, name, &meant));
                chunks.extend(meant.into_iter().flat_map(|id| graph.chunks_with(id)));
            }
            left = Some(match left {
                Some(before) => before.intersection(&chunks).copied().collect(),
                None => chunks,
            });
        }
        Ok(left.map(|chunks| chunks.into_iter().collect()))
    }

    /// The chunks of other documents that share most entities with a chunk, dates and amounts aside: at least [`MIN_SHARED`], those
    /// in few chunks counting more (inverse document frequency). Best first, with the names of what they share.
    pub(crate) fn chunks_sharing_entities(
        &self,
        collection: CollectionId,
        document: DocumentId,
        chunk: u32,
        count: usize,
    ) -> Result<Vec<(DocumentId, u32, Vec<String>)>> {
        let known = self.known(collection)?;
        let graph = known.graph();
        let chunks = known.collection.counts()?.chunks.max(1) as f64;
        let mut shared: BTreeMap<(DocumentId, u32), (f64, Vec<String>)> = BTreeMap::new();
        for id in graph.entities_in(document, chunk) {
            let Some(entity) = graph.entity(id) else { continue };
            if matches!(entity.entity_type, EntityType::Date | EntityType::Amount) {
                continue;
            }
            let weight = (chunks / entity.chunks.max(1) as f64).ln();
            for place in graph.chunks_with(id).into_iter().filter(|(other, _)| *other != document) {
                let (sum, names) = shared.entry(place).or_default();
                *sum += weight;
                names.push(entity.name.clone());
            }
        }
        let mut best: Vec<_> = shared.into_iter().filter(|(_, (_, names))| names.len() >= MIN_SHARED).collect();
        // Stable: equal ones by place.
        best.sort_by(|(_, (a, _)), (_, (b, _))| b.total_cmp(a));
        Ok(best.into_iter().take(count).map(|((document, chunk), (_, names))| (document, chunk, names)).collect())
    }

    /// The entities that the documents, or one of them, mention; counts are those of the whole collection.
    pub fn list_entities(
        &self,
        collection: CollectionId,
        entity_type: Option<EntityType>,
        document: Option<&str>,
        sort_by: EntitySort,
        top_k: u32,
    ) -> Result<EntityListReport> {
        check(top_k, 500)?;
        let known = self.known(collection)?;
        let document = document.map(|name| find_document(&known.collection, name)).transpose()?.map(|meta| meta.id);
        let request = ListEntities { entity_type, document, sort_by, top_k: top_k as usize };
        let list = known.graph().list_entities(&request);
        Ok(EntityListReport { collection: known.name(), list, notices: known.notices()? })
    }

    /// The passages that mention the entity of this name, an alias of it or something like it.
    pub fn entity_mentions(
        &self,
        collection: CollectionId,
        name: &str,
        entity_type: Option<EntityType>,
        top_k: u32,
    ) -> Result<MentionsReport> {
        check(top_k, 100)?;
        let known = self.known(collection)?;
        let found = {
            let graph = known.graph();
            let id = resolve(&graph, name, entity_type)?;
            graph.mentions(id, top_k as usize).ok_or_else(|| gone(name))?
        };
        let mut mentions = Vec::new();
        for chunk in found.chunks {
            if let Some(snippet) = snippet::at(&known.collection, &chunk.place)? {
                mentions.push(MentionReport { mentions: chunk.mentions, roles: chunk.roles, snippet });
            }
        }
        Ok(MentionsReport { collection: known.name(), entity: found.entity, mentions, notices: known.notices()? })
    }

    /// The passages that mention all of 2–5 entities.
    pub fn entity_relationships(
        &self,
        collection: CollectionId,
        names: &[String],
        top_k: u32,
    ) -> Result<TogetherReport> {
        check(top_k, 100)?;
        let known = self.known(collection)?;
        let found = {
            let graph = known.graph();
            let ids: Vec<_> = names.iter().map(|name| resolve(&graph, name, None)).collect::<Result<_>>()?;
            graph.together(&ids, top_k as usize)?
        };
        let mut passages = Vec::new();
        for chunk in &found.chunks {
            if let Some(place) = chunk.places.first() {
                passages.extend(snippet::at(&known.collection, place)?);
            }
        }
        Ok(TogetherReport {
            collection: known.name(),
            entities: found.entities,
            total: found.total,
            passages,
            documents: found.documents.into_iter().map(|document| document.name).collect(),
            notices: known.notices()?,
        })
    }

    /// The entities around one (`depth` 1–4 steps), or the people, organizations and places with most links; at most `top_k` (1–100).
    pub fn entity_graph(
        &self,
        collection: CollectionId,
        name: Option<&str>,
        depth: u32,
        top_k: u32,
    ) -> Result<EntityNetwork> {
        check(top_k, 100)?;
        if !(1..=crate::graph::MAX_DEPTH).contains(&depth) {
            return Err(Error::invalid(format!("depth is {depth}; it must be between 1 and 4.")));
        }
        let known = self.known(collection)?;
        let found = {
            let graph = known.graph();
            let center = name.map(|name| resolve(&graph, name, None)).transpose()?;
            let mut request = EntityGraphRequest { center, depth, top_k: top_k as usize, ..Default::default() };
            if center.is_none() {
                // Common concepts have most links, and say least.
                request.types.retain(|entity_type| *entity_type != EntityType::Concept);
            }
            graph.entity_graph(&request)
        };
        let name = |node: usize| found.nodes[node].entity.name.clone();
        let mut edges = Vec::new();
        for edge in &found.edges {
            edges.push(EdgeReport {
                source: name(edge.source),
                target: name(edge.target),
                chunks: edge.chunks,
                weight: edge.weight,
                example: snippet::at(&known.collection, &edge.example)?,
            });
        }
        let (nodes, notices) = (found.nodes.clone(), known.notices()?);
        Ok(EntityNetwork { collection: known.name(), nodes, edges, notices, graph: found })
    }
}

/// The entity that a name means; a date or an amount in any way to write it.
fn resolve(graph: &Graph, name: &str, entity_type: Option<EntityType>) -> Result<EntityId> {
    value(graph, name, entity_type).map_or_else(|| graph.resolve_entity(name, entity_type), Ok)
}

/// The date or amount that is written as `name`.
fn value(graph: &Graph, name: &str, entity_type: Option<EntityType>) -> Option<EntityId> {
    let (of_type, key) = value_key(name).filter(|(of_type, _)| entity_type.is_none_or(|wanted| wanted == *of_type))?;
    graph.entity_by_key(of_type, &key)
}

/// Says which entities a name was taken for, where it is not that of one.
fn several(graph: &Graph, name: &str, meant: &[EntityId]) -> Option<String> {
    const SHOWN: usize = 5;
    let known: Vec<_> = meant.iter().filter_map(|id| graph.entity(*id)).collect();
    if known.len() < 2 {
        return None;
    }
    let mut shown: Vec<String> =
        known.iter().take(SHOWN).map(|entity| format!("{} ({})", entity.name, entity.entity_type.name())).collect();
    if known.len() > SHOWN {
        shown.push(format!("and {} more", known.len() - SHOWN));
    }
    Some(format!("“{name}” can mean {} entities, and any of them counts: {}.", known.len(), shown.join(", ")))
}

pub(super) fn check(top_k: u32, most: u32) -> Result<()> {
    if (1..=most).contains(&top_k) {
        return Ok(());
    }
    Err(Error::invalid(format!("top_k is {top_k}; it must be between 1 and {most}.")))
}

fn gone(name: &str) -> Error {
    Error::new(casetrack_core::ErrorCode::NotFound, format!("Entity not found: \"{name}\".")).with_hint(hint![
        "See the entities with ",
        Action::ListEntities,
        "."
    ])
}
