//! The graph of an open collection, brought up to date when it is needed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use casetrack_core::{Annotations, CollectionId, DocumentId, EntityType, Result};
use casetrack_nlp::languages::Language;
use casetrack_nlp::value_keys;
use casetrack_store::Collection;

use super::{ChunkRange, DocumentNode, EntityId, Graph, centroid};
use casetrack_host::{Host, OpenCollection};

/// Entities that two passages share at least to be related by them.
const MIN_SHARED: usize = 2;

/// A collection with its graph, as of now.
pub struct CollectionGraph {
    pub collection: Arc<OpenCollection>,
    graph: Arc<RwLock<Graph>>,
}

/// Opens a collection and brings its graph up to date: reads the changes since the last use, which takes about a
/// millisecond a document; all documents the first time.
pub fn known(host: &Host, id: CollectionId) -> Result<CollectionGraph> {
    let collection = host.collection(id)?;
    let graph = collection.derived::<RwLock<Graph>>();
    let changes = graph.read().unwrap_or_else(PoisonError::into_inner).changes(collection.versions());
    if !(changes.add.is_empty() && changes.remove.is_empty()) {
        // Held while documents are read: another caller needs them too, and would read them again.
        let mut graph = graph.write().unwrap_or_else(PoisonError::into_inner);
        // Taken before the documents are read, so that one that changes during this is outdated and read again next
        // time.
        let versions: HashMap<DocumentId, u64> = collection.versions().into_iter().collect();
        let changes = graph.changes(versions.iter().map(|(&document, &version)| (document, version)));
        for document in changes.remove {
            graph.remove(document);
        }
        for document in changes.add {
            let version = versions.get(&document).copied().unwrap_or_default();
            match node(&collection, document)? {
                Some(node) => graph.add(node, version),
                None => drop(graph.remove(document)),
            }
        }
    }
    Ok(CollectionGraph { collection, graph })
}

impl CollectionGraph {
    pub fn graph(&self) -> RwLockReadGuard<'_, Graph> {
        self.graph.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn name(&self) -> String {
        self.collection.meta().name.clone()
    }

    /// Notices to the user about the answer: documents that were stored without analysis.
    pub fn notices(&self) -> Result<Vec<String>> {
        let counts = self.collection.counts()?;
        let missing = counts.documents.saturating_sub(counts.annotated_documents);
        let mut notices = Vec::new();
        if missing > 0 {
            notices.push(format!(
                "{missing} of {} documents were stored without analysis and have no entities or references here. Reindex \
                 them to add them.",
                counts.documents
            ));
        }
        Ok(notices)
    }
}

/// The chunks that mention an entity of each list of names that has any; `None` if none has. A name that fits several
/// entities means any of them, and a notice names those.
pub fn chunks_with_entities(
    host: &Host,
    collection: CollectionId,
    lists: &[&[String]],
    notices: &mut Vec<String>,
) -> Result<Option<Vec<(DocumentId, u32)>>> {
    let mut left: Option<BTreeSet<(DocumentId, u32)>> = None;
    for names in lists.iter().filter(|names| !names.is_empty()) {
        let known = known(host, collection)?;
        let graph = known.graph();
        let mut chunks = BTreeSet::new();
        for name in *names {
            let meant = match values(&graph, name, None) {
                values if values.is_empty() => graph.entities_named(name)?,
                values => values,
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

/// The chunks of other documents that share most entities with a chunk, dates and amounts aside: at least
/// [`MIN_SHARED`], those in few chunks counting more (inverse document frequency). Best first, with the names of the
/// shared entities.
pub fn chunks_sharing_entities(
    host: &Host,
    collection: CollectionId,
    document: DocumentId,
    chunk: u32,
    count: usize,
) -> Result<Vec<(DocumentId, u32, Vec<String>)>> {
    let known = known(host, collection)?;
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

/// The entity that a name means; a date or an amount in any way to write it.
pub fn resolve(graph: &Graph, name: &str, entity_type: Option<EntityType>) -> Result<EntityId> {
    values(graph, name, entity_type).first().map_or_else(|| graph.resolve_entity(name, entity_type), |value| Ok(*value))
}

/// The dates or amounts that are written as `name`: "1.500 USD" is 1.5 in English documents and 1500 in German ones. If
/// no document in the language of a reading mentions it, the first that any mentions.
fn values(graph: &Graph, name: &str, entity_type: Option<EntityType>) -> Vec<EntityId> {
    let keys = value_keys(name, graph.languages()).into_iter();
    let wanted = keys.filter(|(_, of_type, _)| entity_type.is_none_or(|wanted| wanted == *of_type));
    let known: Vec<(Option<Language>, EntityId)> =
        wanted.filter_map(|(language, of_type, key)| Some((language, graph.entity_by_key(of_type, &key)?))).collect();
    let mut meant: Vec<EntityId> = Vec::new();
    for &(language, id) in &known {
        if graph.is_mentioned_in(id, language) && !meant.contains(&id) {
            meant.push(id);
        }
    }
    if meant.is_empty() { known.first().map(|(_, id)| *id).into_iter().collect() } else { meant }
}

/// Lists the entities that a name was taken for, if there are several.
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

/// A document as the graph sees it; `None` if it has gone.
fn node(collection: &Collection, document: DocumentId) -> Result<Option<DocumentNode>> {
    let Some(meta) = collection.document(document)? else { return Ok(None) };
    let chunks = collection.chunk_spans(document)?;
    let ranges: Vec<ChunkRange> = chunks
        .iter()
        .map(|chunk| ChunkRange { page: chunk.page, char_start: chunk.char_start, char_end: chunk.char_end })
        .collect();
    // One that was stored without analysis is a document with its type and vectors all the same.
    let annotations = collection.annotations(document)?.unwrap_or_else(Annotations::default);
    let vectors = collection.vectors(document)?;
    let centroid = centroid(vectors.iter().map(|(_, vector)| vector.as_slice()));
    Ok(Some(DocumentNode::new(&meta, &ranges, &annotations, centroid)))
}
