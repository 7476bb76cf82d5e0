//! Entities: their list, their mentions, and the entities mentioned with them.

use casetrack_core::{Action, CollectionId, EntityType, Error, ErrorCode, Feature, Result, hint};
use schemars::JsonSchema;
use serde::Serialize;

use super::roles::{self, ContractRole};
use super::snippet::{self, Snippet};
use super::words;
use casetrack_graph::{
    EntityGraph, EntityGraphRequest, EntityList, EntitySort, EntityView, GraphNode, ListEntities, MAX_DEPTH, known,
    resolve,
};
use casetrack_host::Host;
use casetrack_host::documents::document_named;
use casetrack_host::paging::{Paging, Part, check_range};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EntityListReport {
    pub collection: String,
    #[serde(flatten)]
    pub list: EntityList,
    /// The offset to continue with; absent at the end.
    pub next_offset: Option<u64>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MentionsReport {
    pub collection: String,
    pub entity: EntityView,
    /// Where contracts name it as a party or signatory; ten at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<ContractRole>,
    /// The passages that mention it most, first.
    pub mentions: Vec<MentionReport>,
    /// The offset to continue with; absent at the end.
    pub next_offset: Option<u64>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MentionReport {
    pub mentions: u32,
    /// Its role in the document, such as "Chief Executive Officer".
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
    /// Names of documents that mention all of them, if no passage does.
    pub documents: Vec<String>,
    pub notices: Vec<String>,
}

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
    pub example: Option<Snippet>,
}

/// The entities that the documents, or one of them, mention; counts cover the whole collection. `named`: only those with a name that has
/// these letters.
pub fn list_entities(
    host: &Host,
    collection: CollectionId,
    entity_type: Option<EntityType>,
    document: Option<&str>,
    named: Option<&str>,
    sort_by: EntitySort,
    paging: Paging,
) -> Result<EntityListReport> {
    let Paging { offset, limit } = paging;
    check_range("top_k", limit, 1..=500)?;
    let known = known(host, collection)?;
    let document = document.map(|name| document_named(&known.collection, name)).transpose()?.map(|meta| meta.id);
    let request = ListEntities {
        entity_type,
        document,
        named,
        sort_by,
        skip: offset as usize,
        top_k: limit as usize,
        ..ListEntities::default()
    };
    let list = known.graph().list_entities(&request);
    let next = u64::from(offset) + list.entities.len() as u64;
    let next_offset = Some(next).filter(|next| *next < list.total && !list.entities.is_empty());
    Ok(EntityListReport { collection: known.name(), list, next_offset, notices: known.notices()? })
}

/// The passages that mention the entity with this name, with an alias of it, or with a similar name.
pub fn entity_mentions(
    host: &Host,
    collection: CollectionId,
    name: &str,
    entity_type: Option<EntityType>,
    paging: Paging,
) -> Result<MentionsReport> {
    check_range("top_k", paging.limit, 1..=100)?;
    let known = known(host, collection)?;
    let (found, documents) = {
        let graph = known.graph();
        let id = match resolve(&graph, name, entity_type) {
            Err(error)
                if error.code == ErrorCode::NotFound && matches!(entity_type, None | Some(EntityType::Concept)) =>
            {
                drop(graph);
                return words::mentions(host, &known, name, paging)?.ok_or(error);
            }
            resolved => resolved?,
        };
        let found = graph.mentions(id, paging.end() + 1).ok_or_else(|| gone(name))?;
        let documents = roles::mentioning(&graph, id, &found.entity);
        (found, documents)
    };
    let contracts = roles::of(&known.collection, &found.entity, &documents)?;
    let Part { items: chunks, next_offset, .. } = paging.of(found.chunks);
    let mut mentions = Vec::new();
    for chunk in chunks {
        if let Some(snippet) = snippet::at(&known.collection, &chunk.place, snippet::AROUND, &host.config().citations)?
        {
            mentions.push(MentionReport { mentions: chunk.mentions, roles: chunk.roles, snippet });
        }
    }
    let (collection, notices) = (known.name(), known.notices()?);
    Ok(MentionsReport { collection, entity: found.entity, contracts, mentions, next_offset, notices })
}

/// Like [`entity_mentions`], for the use case of the Pro tier.
pub fn find_entity(
    host: &Host,
    collection: CollectionId,
    name: &str,
    entity_type: Option<EntityType>,
    paging: Paging,
) -> Result<MentionsReport> {
    host.config().tier.check(Feature::FindEntity)?;
    entity_mentions(host, collection, name, entity_type, paging)
}

/// The passages that mention all of 2–5 entities.
pub fn entity_relationships(
    host: &Host,
    collection: CollectionId,
    names: &[String],
    top_k: u32,
) -> Result<TogetherReport> {
    host.config().tier.check(Feature::EntityRelationships)?;
    check_range("top_k", top_k, 1..=100)?;
    let known = known(host, collection)?;
    let found = {
        let graph = known.graph();
        let ids: Vec<_> = names.iter().map(|name| resolve(&graph, name, None)).collect::<Result<_>>()?;
        graph.together(&ids, top_k as usize)?
    };
    let mut passages = Vec::new();
    for chunk in &found.chunks {
        if let Some(place) = chunk.places.first() {
            passages.extend(snippet::at(&known.collection, place, snippet::AROUND, &host.config().citations)?);
        }
    }
    let (collection, notices) = (known.name(), known.notices()?);
    let documents = found.documents.into_iter().map(|document| document.name).collect();
    Ok(TogetherReport { collection, entities: found.entities, total: found.total, passages, documents, notices })
}

/// The entities around one of this name and type (`depth` 1–4 steps), or the people, organizations and places with most links; at most `top_k` (1–100).
pub fn entity_graph(
    host: &Host,
    collection: CollectionId,
    name: Option<&str>,
    entity_type: Option<EntityType>,
    depth: u32,
    top_k: u32,
) -> Result<EntityNetwork> {
    host.config().tier.check(Feature::EntityGraph)?;
    check_range("top_k", top_k, 1..=100)?;
    check_range("depth", depth, 1..=MAX_DEPTH)?;
    let known = known(host, collection)?;
    let found = {
        let graph = known.graph();
        let center = name.map(|name| resolve(&graph, name, entity_type)).transpose()?;
        let mut request = EntityGraphRequest { center, depth, top_k: top_k as usize, ..Default::default() };
        if center.is_none() {
            // Common concepts have the most links and the least meaning.
            request.types.retain(|entity_type| *entity_type != EntityType::Concept);
        }
        graph.entity_graph(&request)
    };
    let name = |node: usize| found.nodes[node].entity.name.clone();
    let mut edges = Vec::new();
    for edge in &found.edges {
        let (source, target) = (name(edge.source), name(edge.target));
        let example = snippet::at(&known.collection, &edge.example, snippet::AROUND, &host.config().citations)?;
        edges.push(EdgeReport { source, target, chunks: edge.chunks, weight: edge.weight, example });
    }
    let (nodes, notices) = (found.nodes.clone(), known.notices()?);
    Ok(EntityNetwork { collection: known.name(), nodes, edges, notices, graph: found })
}

fn gone(name: &str) -> Error {
    let hint = hint!["See the entities with ", Action::ListEntities, "."];
    Error::new(ErrorCode::NotFound, format!("Entity not found: \"{name}\".")).with_hint(hint)
}
