//! Everything about one document: names, dates, amounts, topics and references, each with its entity.

use std::collections::HashMap;

use casetrack_core::{
    Annotations, Cancel, DatePrecision, EntityType, EntityValue, LocalEntity, Mention, PlacedMention, PlacedReference,
    Result, single_spaced,
};

use crate::concepts::concept_candidates;
use crate::dates::DateOrder;
use crate::entities::{DocumentMention, EntityKey, EntityNames, Resolved, key_of_value, resolve};
use crate::facts::date_order;
use crate::findings::{PageFindings, overlap};
use crate::languages::{self, Language, Ruleset};
use crate::names::{Alias, NameMention, Page, PageNames, names};
use crate::plain_page::PlainPage;
use crate::recognizer::{NamedSpan, Recognizer};
use crate::rules;

/// Name and version of the analysis of documents in a language, by its BCP 47 tag; `None` if it is not known. Documents
/// that were annotated by another one can be annotated again. Each language has a version of its own, so that a change
/// of its rules concerns only its documents.
pub fn analysis_of(language: Option<&str>) -> &'static str {
    match Ruleset::of(language) {
        Ruleset::English => "en-8",
        Ruleset::Own(language) => language.analysis(),
        Ruleset::Other => "other-5",
    }
}

/// Confidence in topics, which are any phrases that a document repeats, and in dates, amounts and numbers, which have a form of their own.
const TOPIC: u8 = 70;
const FORMED: u8 = 95;

/// Most aliases kept of an entity.
const MAX_ALIASES: usize = 8;

/// The entities and references of a document, by the texts of its pages in order and its language, a BCP 47 tag.
/// Depends only on them; linear in their length. Only documents in English, or without a language, have names and
/// topics; others do not need the recognizer. Fails with `Cancelled` soon after `cancel` is set.
pub fn annotate(
    recognizer: &dyn Recognizer,
    pages: &[&str],
    language: Option<&str>,
    cancel: &Cancel,
) -> Result<Annotations> {
    let plain: Vec<Option<PlainPage>> = pages.iter().map(|page| PlainPage::of(page)).collect();
    let both = pages.iter().zip(&plain);
    let texts: Vec<&str> = both.map(|(page, plain)| plain.as_ref().map_or(*page, |plain| &plain.text)).collect();
    let ruleset = Ruleset::of(language);
    let (named, topics) = if ruleset.has_names() {
        let spans: Vec<Vec<NamedSpan>> =
            texts.iter().map(|page| recognizer.recognize(page, cancel)).collect::<Result<_>>()?;
        let with_spans: Vec<Page<'_>> = texts.iter().zip(&spans).map(|(text, spans)| Page { text, spans }).collect();
        let named = names(&with_spans);
        cancel.check()?;
        let topics = concept_candidates(&texts, &named);
        (named, topics)
    } else {
        (texts.iter().map(|_| PageNames::default()).collect(), texts.iter().map(|_| Vec::new()).collect())
    };
    cancel.check()?;
    let found = found(&texts, language, DateOrder::Unknown)?;
    cancel.check()?;

    let mut placed: Vec<UnresolvedMention> = Vec::new();
    let mut references = Vec::new();
    for (page, ((named, topics), found)) in (1..).zip(named.into_iter().zip(topics).zip(found)) {
        placed.extend(on_page(page, named, topics, found.mentions));
        references.extend(found.references.into_iter().map(|reference| PlacedReference { page, reference }));
    }
    // From here on, places refer to the pages.
    let on_page = |page: u32, start: &mut u32, end: &mut u32| {
        if let Some(Some(plain)) = plain.get((page as usize).wrapping_sub(1)) {
            (*start, *end) = plain.on_page(*start, *end);
        }
    };
    for UnresolvedMention { page, mention, .. } in &mut placed {
        on_page(*page, &mut mention.char_start, &mut mention.char_end);
    }
    for PlacedReference { page, reference } in &mut references {
        on_page(*page, &mut reference.char_start, &mut reference.char_end);
    }

    let surfaces = surfaces(pages, &placed);
    let mentions: Vec<DocumentMention<'_>> = placed
        .iter()
        .zip(&surfaces)
        .map(|(UnresolvedMention { mention, alias, .. }, surface)| DocumentMention {
            entity_type: mention.entity_type,
            surface,
            value: mention.value.as_ref(),
            alias: alias.as_ref(),
        })
        .collect();
    let resolved = resolve(&mentions);
    Ok(assemble(analysis_of(language), placed, surfaces, resolved, references))
}

/// The mentions of a page in text order. Dates and amounts keep their type, regardless of the recognizer's label:
/// "May 2019" is never a person.
fn on_page(page: u32, named: PageNames, topics: Vec<Mention>, found: Vec<Mention>) -> Vec<UnresolvedMention> {
    let is_formed = |mention: &Mention| {
        mention.value.is_some() || !matches!(mention.entity_type, EntityType::Date | EntityType::Amount)
    };
    let formed: Vec<Mention> = found.into_iter().filter(is_formed).collect();
    let is_clear = |mention: &Mention| !formed.iter().any(|other| overlap(mention, other));
    let names = named.mentions.into_iter().filter(|named| is_clear(&named.mention));
    let names =
        names.map(|NameMention { mention, alias, confidence }| UnresolvedMention { page, mention, alias, confidence });
    let of_form = |mention, confidence| UnresolvedMention { page, mention, alias: None, confidence };
    let topics = topics.into_iter().filter(is_clear).map(|mention| of_form(mention, TOPIC));
    let mut placed: Vec<UnresolvedMention> = names.chain(topics).collect();
    placed.extend(formed.into_iter().map(|mention| of_form(mention, FORMED)));
    placed.sort_by_key(|placed| (placed.mention.char_start, placed.mention.char_end));
    placed
}

/// The findings of the rules of a language, page by page. A language without rules gets those of English. If the language is unknown, the words
/// decide.
/// If the order of dates is unknown, the pages decide.
fn found(pages: &[&str], language: Option<&str>, order: DateOrder) -> Result<Vec<PageFindings>> {
    let of_tag = Ruleset::of(language).rules();
    let own = of_tag.or_else(|| if language.is_none() { languages::of_words(pages) } else { None });
    let order = match order {
        DateOrder::Unknown => date_order(pages, own.map(Language::tag).or(language)),
        known => known,
    };
    match own {
        Some(own) => languages::find(own, pages, order),
        None => rules::find(pages, order),
    }
}

/// Type and key of the date or amount that makes up a whole text, in any notation of a language: "$1.2 million", "5 May
/// 2019". The reading of "1.500 USD" depends on the language, and of "05/06/2021" on the order of dates in its document: a
/// date with two readings has no key.
pub fn value_key(text: &str, language: Option<&str>, order: DateOrder) -> Option<(EntityType, String)> {
    let (of_type, value) = whole_value(text, language, order)?;
    is_certain(&value).then(|| (of_type, key_of_value(&value)))
}

/// The same by the rules of English (`None`), which come first, and of these languages. A date with two readings has a key of its own.
pub fn value_keys(
    text: &str,
    languages: impl IntoIterator<Item = Language>,
) -> Vec<(Option<Language>, EntityType, String)> {
    let all = std::iter::once(None).chain(languages.into_iter().map(Some));
    let key = |language: Option<Language>| {
        let (of_type, value) = whole_value(text, Some(language.map_or("en", Language::tag)), DateOrder::Unknown)?;
        Some((language, of_type, key_of_value(&value)))
    };
    all.filter_map(key).collect()
}

/// False for a date with two readings.
fn is_certain(value: &EntityValue) -> bool {
    !matches!(value, EntityValue::Date(date) if date.precision == DatePrecision::Ambiguous)
}

fn whole_value(text: &str, language: Option<&str>, order: DateOrder) -> Option<(EntityType, EntityValue)> {
    let text = text.trim();
    let found = found(&[text], language, order).ok()?.pop()?;
    let whole = |mention: &&Mention| mention.char_start == 0 && mention.char_end as usize == text.chars().count();
    let mention = found.mentions.iter().find(whole)?;
    Some((mention.entity_type, mention.value.clone()?))
}

/// Key of the first date or amount in a text, as [`value_key`] gives it.
pub fn first_value(text: &str, entity_type: EntityType, language: Option<&str>, order: DateOrder) -> Option<String> {
    let found = found(&[text], language, order).ok()?.pop()?;
    let of_type = found.mentions.iter().filter(|mention| mention.entity_type == entity_type);
    let first = of_type.min_by_key(|mention| mention.char_start)?;
    first.value.as_ref().filter(|value| is_certain(value)).map(key_of_value)
}

/// A mention before its entity is known.
struct UnresolvedMention {
    page: u32,
    mention: Mention,
    alias: Option<Alias>,
    confidence: u8,
}

/// The text of the pages at the mentions, which are in order, without line breaks.
fn surfaces(pages: &[&str], placed: &[UnresolvedMention]) -> Vec<String> {
    let mut surfaces = Vec::with_capacity(placed.len());
    for of_page in placed.chunk_by(|a, b| a.page == b.page) {
        let page = pages[of_page[0].page as usize - 1];
        let mut bytes: Vec<usize> = page.char_indices().map(|(at, _)| at).collect();
        bytes.push(page.len());
        surfaces.extend(of_page.iter().map(|UnresolvedMention { mention, .. }| {
            let written = &page[bytes[mention.char_start as usize]..bytes[mention.char_end as usize]];
            single_spaced(written)
        }));
    }
    surfaces
}

/// Gives each entity a number in order of its first mention, and its mentions that number. Parties without a name are left out.
fn assemble(
    analysis: &str,
    placed: Vec<UnresolvedMention>,
    surfaces: Vec<String>,
    resolved: Vec<Option<Resolved>>,
    references: Vec<PlacedReference>,
) -> Annotations {
    let mut numbers: HashMap<EntityKey, usize> = HashMap::new();
    let mut entities: Vec<(LocalEntity, EntityNames)> = Vec::new();
    let mut mentions = Vec::new();
    for ((UnresolvedMention { page, mention, confidence, .. }, surface), resolved) in
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
    Annotations { analysis: analysis.to_owned(), entities, mentions, references }
}

#[cfg(test)]
mod tests {
    use casetrack_core::{Error, ReferenceKind};

    use super::*;
    use crate::recognizer::Label;

    struct TwoNames;

    impl Recognizer for TwoNames {
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
        let found = annotate(&TwoNames, &pages, None, &Cancel::default()).unwrap();
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
        // A date is never a person's name.
        let date = found.entities.iter().position(|entity| entity.entity_type == EntityType::Date).unwrap();
        assert_eq!(written(date as u32), ["May 5, 2019"]);
        assert!(found.mentions.is_sorted_by_key(|mention| (mention.page, mention.char_start, mention.char_end)));
        let [reference] = &found.references[..] else { panic!("{:?}", found.references) };
        assert_eq!((reference.page, reference.reference.kind), (2, ReferenceKind::Internal));
        assert_eq!(reference.reference.name, "Section 4.2(b)");
        assert_eq!(annotate(&TwoNames, &pages, None, &Cancel::default()).unwrap(), found);

        let key = |text: &str| value_key(text, None, DateOrder::Unknown).map(|(_, key)| key);
        assert_eq!(key("5 May 2019"), Some(found.entities[date].key.clone()));
        assert_eq!(key("USD 1.25 million"), key("$1,250,000"));
        assert_eq!((key("Acme"), key("about $5")), (None, None));
        let text = "It pays $5 by 5 May 2019 and $7 by 1 June 2020.";
        let first = |of_type| first_value(text, of_type, None, DateOrder::Unknown);
        assert_eq!((first(EntityType::Date), first(EntityType::Amount)), (key("May 5, 2019"), key("$5")));
        assert_eq!(first(EntityType::Person), None);
    }

    #[test]
    fn a_name_has_one_entity_in_all_forms_of_its_letters() {
        let pages = [
            "We pay Müller GmbH, then Mu\u{308}ller GmbH, then Mueller GmbH and then Muller GmbH today.",
            "At noon Smith\u{2013}Jones Ltd pays in Zu\u{308}rich.\n\nAt night Smith-Jones Ltd pays Mu\u{308}ller GmbH today.",
        ];
        let found = annotate(&TwoNames, &pages, None, &Cancel::default()).unwrap();
        let written = |key: &str| -> Vec<String> {
            let entity = found.entities.iter().position(|entity| entity.key == key).map(|at| at as u32);
            let of_entity = found.mentions.iter().filter(|mention| Some(mention.entity) == entity);
            let text = |mention: &PlacedMention| {
                let page = pages[mention.page as usize - 1].chars();
                page.skip(mention.char_start as usize).take((mention.char_end - mention.char_start) as usize).collect()
            };
            of_entity.map(text).collect()
        };
        let composed = "Mu\u{308}ller GmbH";
        assert_eq!(written("mueller"), ["Müller GmbH", composed, "Mueller GmbH", composed]);
        assert_eq!(written("muller"), ["Muller GmbH"]);
        assert_eq!(written("smith-jones"), ["Smith\u{2013}Jones Ltd", "Smith-Jones Ltd"]);
    }

    struct FailingRecognizer;

    impl Recognizer for FailingRecognizer {
        fn recognize(&self, text: &str, _: &Cancel) -> Result<Vec<NamedSpan>> {
            Err(Error::internal(text))
        }
    }

    #[test]
    fn the_recognizer_is_asked_in_english_alone() {
        let pages = ["Am 5.4.2023 zahlt John Smith 1.500 EUR nach § 433 Abs. 2 BGB."];
        for language in [None, Some("en"), Some("en-US")] {
            assert!(annotate(&FailingRecognizer, &pages, language, &Cancel::default()).is_err(), "{language:?}");
            assert_eq!(annotate(&TwoNames, &pages, language, &Cancel::default()).unwrap().analysis, "en-8");
        }
        for language in ["de", "fr", "es", "it", "nl"] {
            let found = annotate(&FailingRecognizer, &pages, Some(language), &Cancel::default()).unwrap();
            assert_eq!(found.analysis, analysis_of(Some(language)));
            assert!(found.entities.iter().all(|entity| entity.entity_type != EntityType::Person), "{language}");
        }
        let found = annotate(&FailingRecognizer, &pages, Some("de-AT"), &Cancel::default()).unwrap();
        let keys: Vec<&str> = found.entities.iter().map(|entity| entity.key.as_str()).collect();
        assert_eq!(keys, ["2023-04-05", "1500 EUR"]);
        assert_eq!(found.references[0].reference.name, "BGB § 433 Abs. 2");
    }

    #[test]
    fn what_a_number_is_depends_on_the_language() {
        let key = |text: &str, language| value_key(text, language, DateOrder::Unknown).map(|(_, key)| key);
        assert_eq!(key("1.500 USD", None).as_deref(), Some("1.5 USD"));
        assert_eq!(key("1.500 USD", Some("de")).as_deref(), Some("1500 USD"));
        assert_eq!(key("1.500 USD", Some("nl")), key("1.500 USD", None));
        assert_eq!(key("1 500,00 €", Some("fr")).as_deref(), Some("1500 EUR"));
        assert_eq!(key("3.4.2023", Some("de")).as_deref(), Some("2023-04-03"));
        let all: Vec<String> = value_keys("1.500 USD", [Language::German]).into_iter().map(|(.., key)| key).collect();
        assert_eq!(all, ["1.5 USD", "1500 USD"]);
        let first = |text, of_type, language| first_value(text, of_type, language, DateOrder::Unknown);
        let text = "Bis zum 1. März 2024 sind 15.000 Euro zu zahlen.";
        assert_eq!(first(text, EntityType::Date, Some("de")).as_deref(), Some("2024-03-01"));
        assert_eq!(first(text, EntityType::Amount, Some("de")).as_deref(), Some("15000 EUR"));
    }
}
