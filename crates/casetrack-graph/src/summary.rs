//! A briefing on a collection: facts from the annotations of its documents, nothing else.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use casetrack_core::{DocumentType, EntityType};
use casetrack_nlp::is_institution;
use schemars::JsonSchema;
use serde::Serialize;

use super::entities::{EntityView, ListEntities};
use super::items::Item;
use super::references::{ListReferences, ReferenceView};
use super::timeline::{TimelineEvent, TimelineRequest};
use super::{EntityId, Graph, GraphStatistics, Place};

/// The number of each in a summary.
const ORGANIZATIONS: usize = 8;
const PEOPLE: usize = 8;
const DATES: usize = 10;
const TOPICS: usize = 8;
const REFERENCES: usize = 5;
const TOP_ENTITIES: usize = 10;
/// Entities of each type that are considered for them.
const CANDIDATES: usize = 100;
const EXAMPLES: usize = 4;
/// Percent: less sure entities are left out.
const LEAST_CONFIDENCE: u8 = 60;
/// Roles that a stakeholder is shown with.
const ROLES: usize = 3;
/// The factor of a name's weight if a text states its role.
const WITH_ROLE: f64 = 3.0;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphSummary {
    /// Those whose role a document states ("Vendor") count three times; then by documents and mentions.
    pub organizations: Vec<Stakeholder>,
    /// Likewise: "Chief Executive Officer".
    pub people: Vec<Stakeholder>,
    /// Those that matter most, by time.
    pub key_dates: Vec<TimelineEvent>,
    /// Best first.
    pub topics: Vec<Topic>,
    /// Most documents first.
    pub documents: Vec<DocumentGroup>,
    /// Most cited first.
    pub references: Vec<ReferenceView>,
    /// Most mentioned first, without dates, amounts and concepts of one word.
    pub top_entities: Vec<EntityView>,
    pub statistics: GraphStatistics,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stakeholder {
    #[serde(flatten)]
    pub entity: EntityView,
    /// The roles that documents give it, the most frequent first.
    pub roles: Vec<Role>,
    /// For a person, the organization that chunks mention most often with that person, compared with chance. They need
    /// not belong together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mentioned_with: Option<Companion>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Companion {
    pub name: String,
    /// Chunks that mention both.
    pub chunks: u32,
    /// As in an entity graph.
    pub weight: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Role {
    /// As most documents write it.
    pub name: String,
    pub mentions: u64,
    pub documents: u64,
    /// The first place that gives it, in the order of paths.
    pub example: Place,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Topic {
    pub name: String,
    pub documents: u64,
    pub chunks: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DocumentGroup {
    pub document_type: DocumentType,
    pub documents: u64,
    /// Titles, else names, of the first of them by path.
    pub examples: Vec<String>,
}

/// An entity's roles in small letters, with how often each spelling is used.
type Roles<'a> = BTreeMap<String, (Role, BTreeMap<&'a str, u64>)>;

impl Graph {
    /// Cost: in proportion to the mentions in all documents.
    pub fn summary(&self) -> GraphSummary {
        let key_dates = TimelineRequest { top_k: DATES, with_role_only: true, ..TimelineRequest::default() };
        let references = ListReferences { top_k: REFERENCES, ..ListReferences::default() };
        let topics = self.topics(TOPICS).into_iter().filter_map(|id| self.entity(EntityId(id)));
        GraphSummary {
            organizations: self.stakeholders(EntityType::Organization, ORGANIZATIONS),
            people: self.stakeholders(EntityType::Person, PEOPLE),
            key_dates: self.timeline(&key_dates).events,
            topics: topics
                .map(|topic| Topic { name: topic.name, documents: topic.documents, chunks: topic.chunks })
                .collect(),
            documents: self.groups(),
            references: self.list_references(&references).references,
            top_entities: self.top_entities(),
            statistics: self.statistics(),
        }
    }

    /// Institutions that administer, such as arbitration bodies, are not stakeholders unless a text states their role.
    fn stakeholders(&self, entity_type: EntityType, top_k: usize) -> Vec<Stakeholder> {
        let mut roles: HashMap<u32, Roles<'_>> = HashMap::new();
        for (_, document) in self.walk() {
            let of_type = |entity: u32| document.entities[entity as usize].1.kind == entity_type;
            for note in document.roles.iter().filter(|note| of_type(note.entity)) {
                let id = document.entities[note.entity as usize].0;
                let role = roles.entry(id).or_default().entry(note.role.to_lowercase());
                let (role, spellings) = role.or_insert_with(|| {
                    let example = document.place(note.first);
                    (Role { name: String::new(), mentions: 0, documents: 0, example }, BTreeMap::new())
                });
                role.mentions += u64::from(note.count);
                role.documents += 1;
                *spellings.entry(&note.role).or_default() += u64::from(note.count);
            }
        }
        let sure = |item: &Item<EntityType>| item.kind == entity_type && item.confidence() >= LEAST_CONFIDENCE;
        let of_type = self.entities.iter().filter(|(_, item)| sure(item));
        let mut ranked: Vec<(f64, u32, &str)> = Vec::new();
        for (id, item) in of_type {
            if is_institution(item.name()) && !roles.contains_key(&id) {
                continue;
            }
            let by_role = if roles.contains_key(&id) { WITH_ROLE } else { 1.0 };
            ranked.push((by_role * item.documents.len() as f64 * (1.0 + (item.count as f64).ln()), id, &item.key));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(b.2)));
        let stakeholders = ranked.into_iter().take(top_k).filter_map(|(_, id, _)| {
            let mut of_entity: Vec<Role> = Vec::new();
            for (mut role, spellings) in roles.remove(&id).unwrap_or_default().into_values() {
                // The first by the alphabet of those as frequent.
                let name = spellings.iter().rev().max_by_key(|(_, mentions)| **mentions);
                role.name = name.map_or_else(String::new, |(name, _)| (*name).to_owned());
                of_entity.push(role);
            }
            of_entity.sort_by_key(|role| (Reverse(role.documents), Reverse(role.mentions)));
            of_entity.truncate(ROLES);
            let companion = (entity_type == EntityType::Person).then(|| self.companion(id)).flatten();
            Some(Stakeholder { entity: self.entity(EntityId(id))?, roles: of_entity, mentioned_with: companion })
        });
        stakeholders.collect()
    }

    fn companion(&self, person: u32) -> Option<Companion> {
        let (name, chunks, weight) = self.closest(person, EntityType::Organization)?;
        Some(Companion { name, chunks, weight })
    }

    fn groups(&self) -> Vec<DocumentGroup> {
        let mut groups: BTreeMap<DocumentType, DocumentGroup> = BTreeMap::new();
        for (_, document) in self.walk() {
            let document_type = document.info.document_type;
            let new = || DocumentGroup { document_type, documents: 0, examples: Vec::new() };
            let group = groups.entry(document_type).or_insert_with(new);
            group.documents += 1;
            if group.examples.len() < EXAMPLES {
                let title = document.info.title.as_ref().filter(|title| !title.trim().is_empty());
                group.examples.push(title.unwrap_or(&document.info.name).clone());
            }
        }
        let mut groups: Vec<DocumentGroup> = groups.into_values().collect();
        groups.sort_by_key(|group| Reverse(group.documents));
        groups
    }

    fn top_entities(&self) -> Vec<EntityView> {
        use EntityType::{Concept, Location, Organization, Person};
        let mut top = Vec::new();
        for entity_type in [Person, Organization, Location, Concept] {
            let most = ListEntities {
                entity_type: Some(entity_type),
                least_confidence: LEAST_CONFIDENCE,
                top_k: CANDIDATES,
                ..ListEntities::default()
            };
            // A collection is not about a single common noun, such as "transfer".
            let telling = |entity: &EntityView| entity_type != Concept || entity.name.contains(' ');
            top.extend(self.list_entities(&most).entities.into_iter().filter(telling).take(TOP_ENTITIES));
        }
        top.sort_by(|a, b| {
            let order = |entity: &EntityView| (Reverse(entity.mentions), entity.entity_type);
            order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key))
        });
        top.truncate(TOP_ENTITIES);
        top
    }
}
