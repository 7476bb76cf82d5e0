//! The size of a graph.

use std::collections::BTreeMap;

use casetrack_core::{DocumentType, EntityType, ReferenceKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::Graph;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphStatistics {
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    /// Most documents first.
    pub documents_by_type: Vec<TypeCount>,
    /// Counts of every type, zeros included.
    pub entities: Vec<EntityCount>,
    /// Counts of every kind, zeros included.
    pub references: Vec<ReferenceCount>,
    /// Entities in chunks: the edges between them.
    pub entity_chunk_edges: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TypeCount {
    pub document_type: DocumentType,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityCount {
    pub entity_type: EntityType,
    pub entities: u64,
    pub mentions: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReferenceCount {
    pub kind: ReferenceKind,
    pub references: u64,
    pub citations: u64,
}

impl Graph {
    /// Cost: in proportion to the documents, entities and references.
    pub fn statistics(&self) -> GraphStatistics {
        let mut by_type: BTreeMap<DocumentType, TypeCount> = BTreeMap::new();
        for (_, document) in self.walk() {
            let document_type = document.info.document_type;
            let new = || TypeCount { document_type, documents: 0, pages: 0, chunks: 0 };
            let count = by_type.entry(document_type).or_insert_with(new);
            count.documents += 1;
            count.pages += u64::from(document.info.pages);
            count.chunks += document.postings.chunks() as u64;
        }
        let mut documents_by_type: Vec<TypeCount> = by_type.into_values().collect();
        documents_by_type.sort_by_key(|count| std::cmp::Reverse(count.documents));
        let entities = EntityType::ALL.iter().map(|&entity_type| {
            let of_type = self.entities.iter().filter(|(_, item)| item.kind == entity_type);
            let (entities, mentions) = of_type.fold((0, 0), |(n, sum), (_, item)| (n + 1, sum + item.count));
            EntityCount { entity_type, entities, mentions }
        });
        let references = ReferenceKind::ALL.iter().map(|&kind| {
            let of_kind = self.references.iter().filter(|(_, item)| item.kind == kind);
            let (references, citations) = of_kind.fold((0, 0), |(n, sum), (_, item)| (n + 1, sum + item.count));
            ReferenceCount { kind, references, citations }
        });
        GraphStatistics {
            documents: self.slots.len() as u64,
            pages: documents_by_type.iter().map(|count| count.pages).sum(),
            chunks: self.chunks,
            entities: entities.collect(),
            references: references.collect(),
            entity_chunk_edges: self.walk().map(|(_, document)| document.postings.len() as u64).sum(),
            documents_by_type,
        }
    }
}
