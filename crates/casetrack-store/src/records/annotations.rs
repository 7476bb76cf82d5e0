//! Value of `annotations`: what analysis found in a document.
//!
//! Roles and names of references are stored once each. A place is stored as the distance from the one before it, which
//! is mostly small: postcard gives numbers below 128 one byte.

use std::collections::HashMap;

use casetrack_core::{
    Annotations, EntityType, EntityValue, Error, LocalEntity, PlacedMention, PlacedReference, Reference, ReferenceKind,
    Relation, Result,
};
use serde::{Deserialize, Serialize};

use crate::error::corrupt;

/// An entity's type has the lowest bits of its byte.
const TYPE_BITS: u32 = 3;
/// Doubt is kept in steps of this many percent: at most 31 steps, 93 %.
const DOUBT_STEP: u8 = 3;

/// By the numbers that represent them on disk: a new one goes to the end.
const RELATIONS: [Option<Relation>; 5] =
    [None, Some(Relation::Amends), Some(Relation::Supersedes), Some(Relation::RespondsTo), Some(Relation::Attaches)];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotationsRecord {
    analysis: String,
    entities: Vec<EntityRecord>,
    texts: Vec<String>,
    mentions: Vec<OnPage<MentionRecord>>,
    references: Vec<OnPage<ReferenceRecord>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct EntityRecord {
    /// The type in the lowest three bits, and the doubt in the others: 0 in records that were written without it.
    entity_type: u8,
    key: String,
    name: String,
    aliases: Vec<String>,
    value: Option<EntityValue>,
}

/// The annotations of a page, in order of place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OnPage<T> {
    /// From the page before that has any, or from 0.
    step: u32,
    items: Vec<T>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct MentionRecord {
    /// Characters from the start of the mention before on this page, or of the page.
    step: u32,
    length: u32,
    entity: u32,
    /// 0 for none, else one more than its place among the texts.
    role: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ReferenceRecord {
    step: u32,
    length: u32,
    kind: ReferenceKind,
    /// Place among the texts.
    name: u32,
    relation: u8,
}

impl AnnotationsRecord {
    /// Of annotations without a [problem](crate::invariants::annotations_problem).
    pub fn new(annotations: &Annotations) -> Result<Self> {
        let mut texts = Texts::default();
        let mentions = by_page(
            &annotations.mentions,
            |mention| mention.page,
            |mention, places| {
                Ok(MentionRecord {
                    step: places.step_to(mention.char_start)?,
                    length: distance(mention.char_start, mention.char_end)?,
                    entity: mention.entity,
                    role: mention.role.as_deref().map_or(0, |role| texts.place_of(role) + 1),
                })
            },
        )?;
        let references = by_page(
            &annotations.references,
            |placed| placed.page,
            |PlacedReference { reference, .. }, places| {
                Ok(ReferenceRecord {
                    step: places.step_to(reference.char_start)?,
                    length: distance(reference.char_start, reference.char_end)?,
                    kind: reference.kind,
                    name: texts.place_of(&reference.name),
                    relation: relation_number(reference.relation)?,
                })
            },
        )?;
        Ok(Self {
            analysis: annotations.analysis.clone(),
            entities: annotations.entities.iter().map(EntityRecord::new).collect(),
            texts: texts.in_order,
            mentions,
            references,
        })
    }

    /// The annotations, which have still to be compared with the pages.
    pub fn into_annotations(self) -> Result<Annotations> {
        let text = |place: u32| self.texts.get(place as usize).cloned().ok_or_else(|| damaged("names a text it lacks"));
        let (mut mentions, mut references) = (Vec::new(), Vec::new());
        let mut pages = Steps::default();
        for on_page in &self.mentions {
            let (page, mut places) = (pages.after(on_page.step)?, Steps::default());
            for item in &on_page.items {
                let char_start = places.after(item.step)?;
                mentions.push(PlacedMention {
                    entity: item.entity,
                    page,
                    char_start,
                    char_end: sum(char_start, item.length)?,
                    role: item.role.checked_sub(1).map(text).transpose()?,
                });
            }
        }
        let mut pages = Steps::default();
        for on_page in &self.references {
            let (page, mut places) = (pages.after(on_page.step)?, Steps::default());
            for item in &on_page.items {
                let char_start = places.after(item.step)?;
                let reference = Reference {
                    kind: item.kind,
                    char_start,
                    char_end: sum(char_start, item.length)?,
                    name: text(item.name)?,
                    relation: *RELATIONS
                        .get(usize::from(item.relation))
                        .ok_or_else(|| damaged(&format!("has the unknown kind {}", item.relation)))?,
                };
                references.push(PlacedReference { page, reference });
            }
        }
        let entities = self.entities.into_iter().map(EntityRecord::into_entity).collect::<Result<_>>()?;
        Ok(Annotations { analysis: self.analysis, entities, mentions, references })
    }
}

impl EntityRecord {
    fn new(entity: &LocalEntity) -> Self {
        let LocalEntity { entity_type, key, name, aliases, value, confidence } = entity.clone();
        let doubt = 100u8.saturating_sub(confidence) / DOUBT_STEP;
        Self { entity_type: entity_type as u8 | doubt << TYPE_BITS, key, name, aliases, value }
    }

    fn into_entity(self) -> Result<LocalEntity> {
        let Self { entity_type, key, name, aliases, value } = self;
        let confidence = 100 - (entity_type >> TYPE_BITS) * DOUBT_STEP;
        let entity_type = EntityType::ALL.get(usize::from(entity_type & ((1 << TYPE_BITS) - 1)));
        let entity_type = *entity_type.ok_or_else(|| damaged("has an entity of an unknown type"))?;
        Ok(LocalEntity { entity_type, key, name, aliases, value, confidence })
    }
}

/// Texts, each with the place of its first use.
#[derive(Default)]
struct Texts<'a> {
    in_order: Vec<String>,
    places: HashMap<&'a str, u32>,
}

impl<'a> Texts<'a> {
    fn place_of(&mut self, text: &'a str) -> u32 {
        *self.places.entry(text).or_insert_with(|| {
            self.in_order.push(text.to_owned());
            self.in_order.len() as u32 - 1
        })
    }
}

/// Goes through pages, or places on a page, by the distances between them.
#[derive(Default)]
struct Steps {
    at: u32,
}

impl Steps {
    fn step_to(&mut self, place: u32) -> Result<u32> {
        let step = distance(self.at, place)?;
        self.at = place;
        Ok(step)
    }

    fn after(&mut self, step: u32) -> Result<u32> {
        self.at = sum(self.at, step)?;
        Ok(self.at)
    }
}

fn by_page<'a, T, R>(
    placed: &'a [T],
    page: impl Fn(&T) -> u32,
    mut record: impl FnMut(&'a T, &mut Steps) -> Result<R>,
) -> Result<Vec<OnPage<R>>> {
    let mut pages = Steps::default();
    let mut all = Vec::new();
    for group in placed.chunk_by(|a, b| page(a) == page(b)) {
        let (step, mut places) = (pages.step_to(page(&group[0]))?, Steps::default());
        let items = group.iter().map(|item| record(item, &mut places)).collect::<Result<_>>()?;
        all.push(OnPage { step, items });
    }
    Ok(all)
}

fn distance(from: u32, to: u32) -> Result<u32> {
    to.checked_sub(from).ok_or_else(|| Error::internal("Annotations were to be stored that are not in order."))
}

fn sum(place: u32, step: u32) -> Result<u32> {
    place.checked_add(step).ok_or_else(|| damaged("has a place beyond any text"))
}

fn relation_number(relation: Option<Relation>) -> Result<u8> {
    let number = (0..).zip(RELATIONS).find(|(_, known)| *known == relation).map(|(number, _)| number);
    number.ok_or_else(|| Error::internal("Annotations were to be stored with a relation that the store does not know."))
}

fn damaged(what: &str) -> Error {
    corrupt(format!("A stored annotation {what}."))
}

#[cfg(test)]
mod tests {
    use casetrack_core::{AmountValue, DatePrecision, DateValue, EntityType, EntityValue};
    use proptest::prelude::*;

    use super::*;
    use crate::codec::{decode, encode};

    const PRECISIONS: [DatePrecision; 6] = [
        DatePrecision::Day,
        DatePrecision::Month,
        DatePrecision::Quarter,
        DatePrecision::Year,
        DatePrecision::Range,
        DatePrecision::Ambiguous,
    ];

    fn entities() -> impl Strategy<Value = LocalEntity> {
        let precision = prop::sample::select(PRECISIONS.to_vec());
        let value =
            prop_oneof![
                ("\\PC{0,10}", "\\PC{0,10}", precision)
                    .prop_map(|(first, last, precision)| EntityValue::Date(DateValue { first, last, precision })),
                ("\\PC{0,10}", "\\PC{0,3}").prop_map(|(value, unit)| EntityValue::Amount(AmountValue { value, unit })),
            ];
        let entity_type = prop::sample::select(EntityType::ALL.to_vec());
        let aliases = prop::collection::vec("\\PC{0,10}", 0..3);
        (entity_type, "\\PC{0,10}", "\\PC{0,10}", aliases, prop::option::of(value)).prop_map(
            |(entity_type, key, name, aliases, value)| {
                let confidence = 100 - 3 * (key.len() % 32) as u8;
                LocalEntity { entity_type, key, name, aliases, value, confidence }
            },
        )
    }

    /// Page, start and end of things in order.
    fn places() -> impl Strategy<Value = Vec<(u32, u32, u32)>> {
        prop::collection::vec((0u32..3, 0u32..1_000_000, 1u32..300), 0..20).prop_map(|mut places| {
            let mut page = 1;
            for place in &mut places {
                page += place.0;
                *place = (page, place.1, place.1 + place.2);
            }
            places.sort();
            places
        })
    }

    fn annotations() -> impl Strategy<Value = Annotations> {
        let mention = (any::<u32>(), prop::option::of("[ab]{0,2}"));
        let kind = prop::sample::select(ReferenceKind::ALL.to_vec());
        let reference = (kind, "[ab]{0,2}", prop::sample::select(RELATIONS.to_vec()));
        let mentions = (places(), prop::collection::vec(mention, 20));
        let references = (places(), prop::collection::vec(reference, 20));
        ("\\PC{0,10}", prop::collection::vec(entities(), 0..5), mentions, references).prop_map(
            |(analysis, entities, mentions, references)| Annotations {
                analysis,
                entities,
                mentions: std::iter::zip(mentions.0, mentions.1)
                    .map(|((page, char_start, char_end), (entity, role))| PlacedMention {
                        entity,
                        page,
                        char_start,
                        char_end,
                        role,
                    })
                    .collect(),
                references: std::iter::zip(references.0, references.1)
                    .map(|((page, char_start, char_end), (kind, name, relation))| PlacedReference {
                        page,
                        reference: Reference { kind, char_start, char_end, name, relation },
                    })
                    .collect(),
            },
        )
    }

    proptest! {
        #[test]
        fn annotations_come_back_as_they_were(annotations in annotations()) {
            let bytes = encode(&AnnotationsRecord::new(&annotations).unwrap()).unwrap();
            let record: AnnotationsRecord = decode("annotation", &bytes).unwrap();
            prop_assert_eq!(record.into_annotations().unwrap(), annotations);
        }

        #[test]
        fn damaged_bytes_never_panic(annotations in annotations(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = encode(&AnnotationsRecord::new(&annotations).unwrap()).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = decode::<AnnotationsRecord>("annotation", &bytes).and_then(AnnotationsRecord::into_annotations);
        }
    }

    #[test]
    fn every_kind_keeps_its_number() {
        let types = [
            EntityType::Person,
            EntityType::Organization,
            EntityType::Date,
            EntityType::Amount,
            EntityType::Location,
            EntityType::Concept,
        ];
        assert_eq!(EntityType::ALL, types);
        assert_eq!(encode(&types).unwrap(), [1, 0, 1, 2, 3, 4, 5]);
        assert_eq!(encode(&PRECISIONS).unwrap(), [1, 0, 1, 2, 3, 4, 5]);
        let kinds = [
            ReferenceKind::Internal,
            ReferenceKind::Document,
            ReferenceKind::Standard,
            ReferenceKind::Regulation,
            ReferenceKind::Report,
            ReferenceKind::LegalCase,
            ReferenceKind::Hyperlink,
        ];
        assert_eq!(ReferenceKind::ALL, kinds);
        assert_eq!(encode(&kinds).unwrap(), [1, 0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(RELATIONS.map(|relation| relation_number(relation).unwrap()), [0, 1, 2, 3, 4]);
    }

    /// The bytes of released values: see the test of the same kind in `records`.
    #[test]
    fn annotations_of_schema_3_are_read_for_ever() {
        let entity = |entity_type, key: &str, value| LocalEntity {
            entity_type,
            key: key.into(),
            name: "N".into(),
            aliases: vec!["L".into()],
            value,
            confidence: 100,
        };
        let day = DateValue { first: "D".into(), last: "E".into(), precision: DatePrecision::Quarter };
        let price = AmountValue { value: "5".into(), unit: "EUR".into() };
        let mention = |entity, page, char_start, char_end, role: Option<&str>| PlacedMention {
            entity,
            page,
            char_start,
            char_end,
            role: role.map(Into::into),
        };
        let reference = |page, kind, char_start, char_end, name: &str, relation| PlacedReference {
            page,
            reference: Reference { kind, char_start, char_end, name: name.into(), relation },
        };
        let annotations = Annotations {
            analysis: "A".into(),
            entities: vec![
                entity(EntityType::Person, "p", None),
                entity(EntityType::Date, "d", Some(EntityValue::Date(day))),
                entity(EntityType::Amount, "a", Some(EntityValue::Amount(price))),
            ],
            mentions: vec![
                mention(1, 2, 300, 304, None),
                mention(0, 2, 305, 307, Some("R")),
                mention(2, 9, 0, 1, Some("R")),
            ],
            references: vec![
                reference(1, ReferenceKind::Internal, 5, 9, "S", None),
                reference(1, ReferenceKind::Hyperlink, 7, 8, "R", Some(Relation::Attaches)),
            ],
        };
        let bytes = [
            &[1, 1, b'A'][..],
            // Entities.
            &[3, 0, 1, b'p', 1, b'N', 1, 1, b'L', 0],
            &[2, 1, b'd', 1, b'N', 1, 1, b'L', 1, 0, 1, b'D', 1, b'E', 2],
            &[3, 1, b'a', 1, b'N', 1, 1, b'L', 1, 1, 1, b'5', 3, b'E', b'U', b'R'],
            // Texts.
            &[2, 1, b'R', 1, b'S'],
            // Mentions.
            &[2, 2, 2, 0xac, 0x02, 4, 1, 0, 5, 2, 0, 1, 7, 1, 0, 1, 2, 1],
            // References.
            &[1, 1, 2, 5, 4, 0, 1, 0, 2, 1, 6, 0, 4],
        ]
        .concat();
        assert_eq!(encode(&AnnotationsRecord::new(&annotations).unwrap()).unwrap(), bytes);
        let record: AnnotationsRecord = decode("annotation", &bytes).unwrap();
        assert_eq!(record.into_annotations().unwrap(), annotations);
    }
}
