//! Everything about one document: names, dates, amounts, topics and references, each with its entity.

use std::collections::HashMap;

use casetrack_core::{
    Annotations, Cancel, EntityType, Error, LocalEntity, Mention, PlacedMention, PlacedReference, Result,
};

use crate::concepts::concept_candidates;
use crate::merging::{DocumentMention, EntityKey, EntityNames, Resolved, key_of_value, resolve};
use crate::names::{Alias, NameMention, Page, names};
use crate::recognizer::{NamedSpan, Recognizer};
use crate::rules;

/// Name and version of the analysis. Documents that were annotated by another one can be annotated again.
pub const ANALYSIS: &str = "en-4";

/// Confidence in topics, which are any phrases that a document repeats, and in dates, amounts and numbers, which have a form of their own.
const TOPIC: u8 = 70;
const FORMED: u8 = 95;

/// Most aliases kept of an entity.
const MAX_ALIASES: usize = 8;

/// What a document says of entities and references, by the texts of its pages in order. Depends on them alone; linear in their length.
/// Fails with `Cancelled` soon after `cancel` is set.
pub fn annotate(recognizer: &dyn Recognizer, pages: &[&str], cancel: &Cancel) -> Result<Annotations> {
    let go_on = || if cancel.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) };
    let spans: Vec<Vec<NamedSpan>> =
        pages.iter().map(|page| recognizer.recognize(page, cancel)).collect::<Result<_>>()?;
    let with_spans: Vec<Page<'_>> = pages.iter().zip(&spans).map(|(text, spans)| Page { text, spans }).collect();
    let named = names(&with_spans);
    go_on()?;
    let topics = concept_candidates(pages, &named);
    go_on()?;
    let found = rules::find(pages);
    go_on()?;

    let mut placed: Vec<Placed> = Vec::new();
    let mut references = Vec::new();
    for (number, ((named, topics), found)) in (1..).zip(named.into_iter().zip(topics).zip(found)) {
        let first = placed.len();
        let mut add = |mention: Mention, alias, confidence| {
            placed.push(Placed { page: number, mention, alias, confidence });
        };
        // What has a form of its own is that, whatever the recognizer takes it for: "May 2019" is nobody's name.
        let formed = found.mentions.into_iter().filter(|mention| {
            mention.value.is_some() || !matches!(mention.entity_type, EntityType::Date | EntityType::Amount)
        });
        let formed: Vec<Mention> = formed.collect();
        let clear_of_formed = |mention: &Mention| !formed.iter().any(|other| overlap(mention, other));
        named
            .mentions
            .into_iter()
            .filter(|named| clear_of_formed(&named.mention))
            .for_each(|NameMention { mention, alias, confidence }| add(mention, alias, confidence));
        topics.into_iter().filter(clear_of_formed).for_each(|mention| add(mention, None, TOPIC));
        formed.into_iter().for_each(|mention| add(mention, None, FORMED));
        placed[first..].sort_by_key(|placed| (placed.mention.char_start, placed.mention.char_end));
        references.extend(found.references.into_iter().map(|reference| PlacedReference { page: number, reference }));
    }

    let surfaces = surfaces(pages, &placed);
    let mentions: Vec<DocumentMention<'_>> = placed
        .iter()
        .zip(&surfaces)
        .map(|(Placed { mention, alias, .. }, surface)| DocumentMention {
            entity_type: mention.entity_type,
            surface,
            value: mention.value.as_ref(),
            alias: alias.as_ref(),
        })
        .collect();
    let resolved = resolve(&mentions);
    Ok(assemble(placed, surfaces, resolved, references))
}

/// Type and key of the date or amount that makes up a whole text, in any notation: "$1.2 million", "5 May 2019".
pub fn value_key(text: &str) -> Option<(EntityType, String)> {
    let text = text.trim();
    let found = rules::find(&[text]).pop()?;
    let whole = |mention: &&Mention| mention.char_start == 0 && mention.char_end as usize == text.chars().count();
    let mention = found.mentions.iter().find(whole)?;
    Some((mention.entity_type, key_of_value(mention.value.as_ref()?)))
}

/// Key of the first date or amount in a text, as [`value_key`] gives it.
pub fn first_value(text: &str, entity_type: EntityType) -> Option<String> {
    let found = rules::find(&[text]).pop()?;
    let of_type = found.mentions.iter().filter(|mention| mention.entity_type == entity_type);
    of_type.min_by_key(|mention| mention.char_start)?.value.as_ref().map(key_of_value)
}

/// A mention before its entity is known.
struct Placed {
    page: u32,
    mention: Mention,
    alias: Option<Alias>,
    confidence: u8,
}

fn overlap(a: &Mention, b: &Mention) -> bool {
    a.char_start < b.char_end && b.char_start < a.char_end
}

/// The text of the pages at the mentions, which are in order, without line breaks.
fn surfaces(pages: &[&str], placed: &[Placed]) -> Vec<String> {
    let mut surfaces = Vec::with_capacity(placed.len());
    for of_page in placed.chunk_by(|a, b| a.page == b.page) {
        let page = pages[of_page[0].page as usize - 1];
        let mut bytes: Vec<usize> = page.char_indices().map(|(at, _)| at).collect();
        bytes.push(page.len());
        surfaces.extend(of_page.iter().map(|Placed { mention, .. }| {
            let written = &page[bytes[mention.char_start as usize]..bytes[mention.char_end as usize]];
            written.split_whitespace().collect::<Vec<_>>().join(" ")
        }));
    }
    surfaces
}

/// Gives each entity a number in order of its first mention, and its mentions that number. Parties without a name are left out.
fn assemble(
    placed: Vec<Placed>,
    surfaces: Vec<String>,
    resolved: Vec<Option<Resolved>>,
    references: Vec<PlacedReference>,
) -> Annotations {
    let mut numbers: HashMap<EntityKey, usize> = HashMap::new();
    let mut entities: Vec<(LocalEntity, EntityNames)> = Vec::new();
    let mut mentions = Vec::new();
    for ((Placed { page, mention, confidence, .. }, surface), resolved) in
        placed.into_iter().zip(surfaces).zip(resolved)
    {
        let Some(Resolved { key, own_word }) = resolved else { continue };
        let number = *numbers.entry(key.clone()).or_insert_with(|| {
            let EntityKey { entity_type, key } = key;
            let entity = LocalEntity {
                entity_type,
                key,
                name: String::new(),
                aliases: Vec::new(),
                value: mention.value.clone(),
                confidence: 0,
            };
            entities.push((entity, EntityNames::default()));
            entities.len() - 1
        });
        let (entity, names) = &mut entities[number];
        names.add(&surface, own_word, 1);
        entity.confidence = entity.confidence.max(confidence);
        mentions.push(PlacedMention {
            entity: number as u32,
            page,
            char_start: mention.char_start,
            char_end: mention.char_end,
            role: mention.role,
        });
    }
    let entities = entities
        .into_iter()
        .map(|(entity, names)| {
            let aliases = names.aliases().take(MAX_ALIASES).map(str::to_owned).collect();
            LocalEntity { name: names.canonical().unwrap_or_default().to_owned(), aliases, ..entity }
        })
        .collect();
    Annotations { analysis: ANALYSIS.to_owned(), entities, mentions, references }
}

#[cfg(test)]
mod tests {
    use casetrack_core::ReferenceKind;

    use super::*;
    use crate::recognizer::Label;

    /// Recognizes two names.
    struct Known;

    impl Recognizer for Known {
        fn recognize(&self, text: &str, _: &Cancel) -> Result<Vec<NamedSpan>> {
            let known = [("John Smith", Label::Person), ("May 5, 2019", Label::Person)];
            let spans = known.iter().filter_map(|(name, label)| {
                let start = text[..text.find(name)?].chars().count() as u32;
                Some(NamedSpan { char_start: start, char_end: start + name.len() as u32, label: *label })
            });
            Ok(spans.collect())
        }
    }

    #[test]
    fn a_document_gives_entities_their_mentions_in_order_and_references() {
        let pages = [
            "This Agreement is dated as of May 5, 2019 between Acme Foods, Inc. (the \u{201c}Company\u{201d}) and John Smith.",
            "The Company pays Mr. Smith $1,250,000 under Section 4.2(b). Acme Foods Inc. is not liable.",
        ];
        let found = annotate(&Known, &pages, &Cancel::default()).unwrap();
        let entity = |key: &str| found.entities.iter().position(|entity| entity.key == key).unwrap() as u32;
        let written = |entity: u32| -> Vec<String> {
            let of_entity = found.mentions.iter().filter(|mention| mention.entity == entity);
            let text = |mention: &PlacedMention| {
                let page = pages[mention.page as usize - 1].chars();
                page.skip(mention.char_start as usize).take((mention.char_end - mention.char_start) as usize).collect()
            };
            of_entity.map(text).collect()
        };
        assert_eq!(written(entity("acme foods")), ["Acme Foods, Inc.", "Company", "Company", "Acme Foods Inc."]);
        assert_eq!(found.entities[entity("acme foods") as usize].aliases, ["Acme Foods Inc.", "Company"]);
        assert_eq!(written(entity("john smith")), ["John Smith", "Smith"]);
        // What reads as a date is nobody's name.
        let date = found.entities.iter().position(|entity| entity.entity_type == EntityType::Date).unwrap();
        assert_eq!(written(date as u32), ["May 5, 2019"]);
        assert!(found.mentions.is_sorted_by_key(|mention| (mention.page, mention.char_start, mention.char_end)));
        let [reference] = &found.references[..] else { panic!("{:?}", found.references) };
        assert_eq!((reference.page, reference.reference.kind), (2, ReferenceKind::Internal));
        assert_eq!(reference.reference.name, "Section 4.2(b)");
        assert_eq!(annotate(&Known, &pages, &Cancel::default()).unwrap(), found);

        let key = |text: &str| value_key(text).map(|(_, key)| key);
        assert_eq!(key("5 May 2019"), Some(found.entities[date].key.clone()));
        assert_eq!(key("USD 1.25 million"), key("$1,250,000"));
        assert_eq!((key("Acme"), key("about $5")), (None, None));
        let first = |of_type| first_value("It pays $5 by 5 May 2019 and $7 by 1 June 2020.", of_type);
        assert_eq!((first(EntityType::Date), first(EntityType::Amount)), (key("May 5, 2019"), key("$5")));
        assert_eq!(first(EntityType::Person), None);
    }
}
