//! Documents for tests.

use std::collections::BTreeSet;

use casetrack_core::{
    Annotations, DateValue, DocumentId, DocumentMeta, DocumentType, EntityType, EntityValue, ExtractionMethod,
    FileFormat, LocalEntity, PlacedMention, PlacedReference, Properties, Reference, ReferenceKind, Relation, Sha256,
    Timestamp,
};

use super::find::Match;
use super::{ChunkRange, DocumentNode, EntityId, EntityView, Graph, ReferenceId, ReferenceView};

#[derive(Debug, Clone, PartialEq)]
pub struct EntityMatch {
    pub fit: Match,
    pub entities: Vec<EntityView>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceMatch {
    pub fit: Match,
    pub references: Vec<ReferenceView>,
}

impl Graph {
    pub fn find_entity(&self, name: &str, entity_type: Option<EntityType>) -> EntityMatch {
        let (fit, ids) = self.entity_candidates(name, entity_type);
        EntityMatch { fit, entities: ids.into_iter().filter_map(|id| self.entity(EntityId(id))).collect() }
    }

    pub fn find_reference(&self, name: &str, kind: Option<ReferenceKind>) -> ReferenceMatch {
        let (fit, ids) = self.reference_candidates(name, kind);
        ReferenceMatch { fit, references: ids.into_iter().filter_map(|id| self.reference(ReferenceId(id))).collect() }
    }

    pub fn documents(&self) -> BTreeSet<DocumentId> {
        self.slots.keys().copied().collect()
    }

    /// True if nothing is in it: no document, and no entity, reference or name that one has left behind.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
            && self.by_path.is_empty()
            && self.documents.iter().all(Option::is_none)
            && self.chunks == 0
            && self.entities.is_empty()
            && self.references.is_empty()
    }
}

/// Characters of a chunk, and of the overlap with the next.
pub const CHUNK: u32 = 2000;
pub const OVERLAP: u32 = 200;

/// A document of one page whose mentions are 20 characters apart, 80 to a chunk.
pub struct Doc {
    meta: DocumentMeta,
    chunks: u32,
    annotations: Annotations,
    centroid: Option<Vec<f32>>,
    /// The next free character of each chunk.
    next: Vec<u32>,
}

pub fn id(name: &str) -> DocumentId {
    // FNV-1a.
    let prime = 0x0000_0000_0100_0000_0000_0000_0000_013b_u128;
    let start = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let hash = name.bytes().fold(start, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(prime));
    DocumentId::from_bytes(hash.to_be_bytes())
}

pub fn meta(name: &str) -> DocumentMeta {
    DocumentMeta {
        id: id(name),
        name: name.to_owned(),
        path: format!("/files/{name}"),
        sha256: Sha256([0; 32]),
        size_bytes: 0,
        format: FileFormat::Text,
        document_type: DocumentType::Contract,
        title: None,
        properties: Properties::default(),
        extraction_method: ExtractionMethod::Native,
        page_count: 1,
        unpaged: false,
        holds_files: false,
        chunk_count: 0,
        char_count: 0,
        tracked_changes: 0,
        hidden_texts: 0,
        unread_parts: Vec::new(),
        warnings: Vec::new(),
        original_stored: false,
        ingested_at: Timestamp(0),
        embedded_at: None,
        marks: Default::default(),
    }
}

pub fn doc(name: &str, chunks: u32) -> Doc {
    let meta = meta(name);
    let next = (0..chunks).map(|chunk| chunk * (CHUNK - OVERLAP) + OVERLAP).collect();
    Doc { meta, chunks, annotations: Annotations::default(), centroid: None, next }
}

impl Doc {
    pub fn of_type(mut self, document_type: DocumentType) -> Self {
        self.meta.document_type = document_type;
        self
    }

    pub fn titled(mut self, title: &str) -> Self {
        self.meta.title = Some(title.to_owned());
        self
    }

    pub fn centred(mut self, centroid: &[f32]) -> Self {
        self.centroid = Some(centroid.to_vec());
        self
    }

    pub fn with(self, chunk: u32, entity_type: EntityType, name: &str) -> Self {
        self.full(chunk, entity_type, &name.to_lowercase(), name, None)
    }

    pub fn person(self, chunk: u32, name: &str) -> Self {
        self.with(chunk, EntityType::Person, name)
    }

    pub fn organization(self, chunk: u32, name: &str) -> Self {
        self.with(chunk, EntityType::Organization, name)
    }

    pub fn concept(self, chunk: u32, name: &str) -> Self {
        self.with(chunk, EntityType::Concept, name)
    }

    pub fn date(self, chunk: u32, day: &str, role: Option<&str>) -> Self {
        self.full(chunk, EntityType::Date, day, day, role)
    }

    pub fn full(mut self, chunk: u32, entity_type: EntityType, key: &str, name: &str, role: Option<&str>) -> Self {
        let value = (entity_type == EntityType::Date).then(|| {
            EntityValue::Date(DateValue {
                first: key.to_owned(),
                last: key.to_owned(),
                precision: casetrack_core::DatePrecision::Day,
            })
        });
        let entities = &mut self.annotations.entities;
        let known = entities.iter().position(|entity| entity.entity_type == entity_type && entity.key == key);
        let entity = known.unwrap_or_else(|| {
            entities.push(LocalEntity {
                entity_type,
                key: key.to_owned(),
                name: name.to_owned(),
                aliases: Vec::new(),
                value,
                confidence: 90,
            });
            entities.len() - 1
        });
        let (char_start, char_end) = self.take(chunk);
        let role = role.map(str::to_owned);
        self.annotations.mentions.push(PlacedMention { entity: entity as u32, page: 1, char_start, char_end, role });
        self
    }

    /// With this confidence, in percent, in its last entity.
    pub fn sure(mut self, confidence: u8) -> Self {
        self.annotations.entities.last_mut().unwrap().confidence = confidence;
        self
    }

    pub fn cites(mut self, chunk: u32, kind: ReferenceKind, name: &str, relation: Option<Relation>) -> Self {
        let (char_start, char_end) = self.take(chunk);
        let reference = Reference { kind, char_start, char_end, name: name.to_owned(), relation };
        self.annotations.references.push(PlacedReference { page: 1, reference });
        self
    }

    pub fn node(self) -> DocumentNode {
        let chunks: Vec<ChunkRange> = (0..self.chunks)
            .map(|chunk| {
                let char_start = chunk * (CHUNK - OVERLAP);
                ChunkRange { page: 1, char_start, char_end: char_start + CHUNK }
            })
            .collect();
        DocumentNode::new(&self.meta, &chunks, &self.annotations, self.centroid)
    }

    /// A place in the part of the chunk that no other has.
    fn take(&mut self, chunk: u32) -> (u32, u32) {
        let next = &mut self.next[chunk as usize];
        *next += 20;
        (*next - 20, *next - 10)
    }
}
