//! The context graph of a collection: the entities and references of its documents, and how they relate. In memory and
//! without texts: an answer names places (document, chunk, characters of its page), which the caller reads. Only
//! `known` reads the store.
//!
//! | question | file |
//! |---|---|
//! | which entities are there | `entities` |
//! | which one a name means | `find` |
//! | the places that mention them, separately or together | `mentions` |
//! | the entities that are mentioned together | `network`, written out by `export` |
//! | the references, and their places | `references`; which document that is: `resolve` |
//! | which documents belong together | `related`, `clusters`, `versions` |
//! | the events by date | `timeline` |
//! | all of it at a glance | `summary`, `statistics` |
//! | the graph of a collection, brought up to date | `known` |
//!
//! A [`DocumentNode`] is a pure function of one document and its annotations. [`Graph::add`] and [`Graph::remove`] cost
//! in proportion to that document, and no answer depends on the order of additions or on earlier documents: sums of
//! fractions run in the order of the documents' paths, and ties are broken by keys, paths and ids, never by internal
//! numbers.
//!
//! Memory: 12 bytes for each chunk that an entity is mentioned in, 56 for each document, and some 400 for the entity
//! and its names; 45 MB for 1,000 documents with 250,000 mentions of 25,000 entities.

mod clusters;
mod entities;
mod export;
mod find;
mod fold;
mod items;
mod kmeans;
mod known;
mod mentions;
mod network;
mod node;
mod references;
mod related_documents;
mod resolve;
mod sorted_map;
mod statistics;
mod summary;
mod timeline;
mod topics;
mod versions;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod scale_tests;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use casetrack_core::{DocumentId, EntityType, ReferenceKind};
use schemars::JsonSchema;
use serde::Serialize;

pub use clusters::{Cluster, ClusterRequest, ClusterStrategy, Clusters};
pub use entities::{EntityList, EntitySort, EntityView, ListEntities};
pub use export::{to_dot, to_graphml};
pub use find::{EntityId, ReferenceId};
pub use known::{CollectionGraph, chunks_sharing_entities, chunks_with_entities, known, resolve};
pub use network::{EntityGraph, EntityGraphRequest, GraphNode, MAX_DEPTH};
pub use node::{ChunkRange, DocumentNode, centroid};
pub use references::{ListReferences, ReferenceList, ReferenceSort, ReferenceView};
pub use related_documents::{RelatedDocument, RelatedRequest, Relationship};
pub use statistics::GraphStatistics;
pub use summary::{DocumentGroup, GraphSummary, Stakeholder, Topic};
pub use timeline::{AmbiguousDate, TimelineEvent, TimelineRequest};
pub use versions::VersionName;

use items::{Items, Part, Share};
use node::{Citation, DocumentInfo, Postings, RoleNote, Span};

#[derive(Debug, Default)]
pub struct Graph {
    documents: Vec<Option<Document>>,
    free: Vec<u32>,
    slots: BTreeMap<DocumentId, u32>,
    /// The order of every walk over documents.
    by_path: BTreeMap<(Arc<str>, DocumentId), u32>,
    entities: Items<EntityType>,
    references: Items<ReferenceKind>,
    chunks: u64,
}

/// A node whose entities and references are numbered as in the graph.
#[derive(Debug)]
struct Document {
    version: u64,
    info: DocumentInfo,
    /// By type and key.
    entities: Vec<(u32, Part<EntityType>)>,
    postings: Postings,
    roles: Vec<RoleNote>,
    /// By kind and key.
    references: Vec<(u32, Part<ReferenceKind>)>,
    citations: Vec<Citation>,
    centroid: Option<Vec<f32>>,
}

/// A place that supports an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    pub document: DocumentId,
    /// The chunk's place in its document, from 0.
    pub chunk: u32,
    /// Characters of the chunk's page, half-open.
    pub char_start: u32,
    pub char_end: u32,
}

/// A document as answers name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentRef {
    pub id: DocumentId,
    pub name: String,
}

/// The steps after which a graph has the documents of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// To be added, or added again in another version.
    pub add: Vec<DocumentId>,
    pub remove: Vec<DocumentId>,
}

impl Graph {
    /// Adds a document in a version, in place of any version of it there was. Cost: in proportion to the document.
    pub fn add(&mut self, node: DocumentNode, version: u64) {
        let DocumentNode { info, entities, postings, roles, references, citations, centroid } = node;
        self.remove(info.id);
        let slot = self.free.pop().unwrap_or(self.documents.len() as u32);
        let entities = share(&mut self.entities, entities, slot);
        let references = share(&mut self.references, references, slot);
        self.chunks += postings.chunks() as u64;
        self.slots.insert(info.id, slot);
        self.by_path.insert((Arc::clone(&info.path), info.id), slot);
        let document = Document { version, info, entities, postings, roles, references, citations, centroid };
        match self.documents.get_mut(slot as usize) {
            Some(place) => *place = Some(document),
            None => self.documents.push(Some(document)),
        }
    }

    /// Removes a document with all that only it has; whether it was there. Cost: in proportion to the document.
    pub fn remove(&mut self, document: DocumentId) -> bool {
        let Some(slot) = self.slots.remove(&document) else { return false };
        let Some(removed) = self.documents[slot as usize].take() else { return false };
        for (id, share) in &removed.entities {
            self.entities.remove(*id, share, slot);
        }
        for (id, share) in &removed.references {
            self.references.remove(*id, share, slot);
        }
        self.chunks -= removed.postings.chunks() as u64;
        self.by_path.remove(&(removed.info.path, document));
        self.free.push(slot);
        true
    }

    /// The version in which the graph has a document.
    pub fn version(&self, document: DocumentId) -> Option<u64> {
        self.document(document).map(|(_, document)| document.version)
    }

    /// The documents that are missing, outdated or too much when the collection has `current`. Both lists are ordered by id.
    pub fn changes(&self, current: impl IntoIterator<Item = (DocumentId, u64)>) -> Changes {
        let current: BTreeMap<DocumentId, u64> = current.into_iter().collect();
        let outdated = current.iter().filter(|(id, version)| self.version(**id) != Some(**version));
        Changes {
            add: outdated.map(|(id, _)| *id).collect(),
            remove: self.slots.keys().filter(|id| !current.contains_key(id)).copied().collect(),
        }
    }

    fn walk(&self) -> impl Iterator<Item = (u32, &Document)> {
        self.by_path.values().filter_map(|&slot| Some((slot, self.at(slot)?)))
    }

    fn walk_some(&self, slots: impl IntoIterator<Item = u32>) -> Vec<(u32, &Document)> {
        let mut some: Vec<_> = slots.into_iter().filter_map(|slot| Some((slot, self.at(slot)?))).collect();
        some.sort_unstable_by(|(_, a), (_, b)| a.order().cmp(&b.order()));
        some
    }

    fn at(&self, slot: u32) -> Option<&Document> {
        self.documents.get(slot as usize)?.as_ref()
    }

    fn document(&self, id: DocumentId) -> Option<(u32, &Document)> {
        let slot = *self.slots.get(&id)?;
        Some((slot, self.at(slot)?))
    }
}

fn share<T: Copy + Ord + std::hash::Hash>(
    items: &mut Items<T>,
    shares: Vec<Share<T>>,
    slot: u32,
) -> Vec<(u32, Part<T>)> {
    let numbered = shares.into_iter().enumerate();
    numbered.map(|(local, share)| items.add(share, slot, local as u32)).collect()
}

impl Document {
    fn order(&self) -> (&str, DocumentId) {
        (&self.info.path, self.info.id)
    }

    fn named(&self) -> DocumentRef {
        DocumentRef { id: self.info.id, name: self.info.name.clone() }
    }

    fn place(&self, span: Span) -> Place {
        let Span { chunk, start, length } = span;
        Place { document: self.info.id, chunk, char_start: start, char_end: start.saturating_add(u32::from(length)) }
    }

    fn first_mention(&self, local: u32) -> Option<Place> {
        let (chunk, posting) = self.postings.of(local).next()?;
        Some(self.place(Span { chunk, start: posting.start, length: posting.length }))
    }

    fn first_citation(&self, local: u32) -> Option<Place> {
        self.citations_of(local).first().map(|citation| self.place(citation.place))
    }

    /// In order of place.
    fn citations_of(&self, local: u32) -> &[Citation] {
        let start = self.citations.partition_point(|citation| citation.reference < local);
        let end = self.citations.partition_point(|citation| citation.reference <= local);
        &self.citations[start..end]
    }
}
