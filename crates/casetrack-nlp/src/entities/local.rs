use std::collections::{BTreeMap, BTreeSet};

use casetrack_core::{EntityType, EntityValue};

use super::keys::{self, EntityKey, PersonName};
use crate::names::Alias;

#[derive(Debug, Clone, Copy)]
pub struct DocumentMention<'a> {
    pub entity_type: EntityType,
    pub surface: &'a str,
    pub value: Option<&'a EntityValue>,
    pub alias: Option<&'a Alias>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resolved {
    pub key: EntityKey,
    /// The surface is this document's own word for the entity ("the Company"): an alias, and never the name to show.
    pub own_word: bool,
}

/// The entities of all mentions of one document, in the order given. The result of a mention depends on which mentions there are, not on
/// their order. None for a mention that names nothing outside its document: a party without a name, only marks.
///
/// A short form belongs to the one name in the document that it fits: "Acme" for "Acme Foods, Inc.", "IBM" for "International
/// Business Machines", "J. Smith", "Mr. Smith" and "Smith" for "John A. Smith". If two fit, a short form is an entity of its own; so two
/// people are never one because of a surname. Cost: linear in the mentions, times the names that share a first word or a surname.
pub fn resolve(mentions: &[DocumentMention<'_>]) -> Vec<Option<Resolved>> {
    let organizations = Organizations::of(named(mentions, EntityType::Organization));
    let persons = Persons::of(named(mentions, EntityType::Person));
    let key = |entity_type: EntityType, surface: &str, value: Option<&EntityValue>| {
        let key = match (entity_type, value) {
            (_, Some(value)) => keys::value(value),
            (EntityType::Person, _) => persons.key(surface)?,
            (EntityType::Organization, _) => organizations.key(surface),
            (EntityType::Location, _) => keys::location(surface),
            (EntityType::Concept, _) => keys::concept(surface),
            (EntityType::Date | EntityType::Amount, _) => keys::plain(surface),
        };
        (!key.is_empty()).then_some(EntityKey { entity_type, key })
    };
    mentions
        .iter()
        .map(|mention| match mention.alias {
            None => Some(Resolved { key: key(mention.entity_type, mention.surface, mention.value)?, own_word: false }),
            Some(Alias::Of(name)) => Some(Resolved { key: key(mention.entity_type, name, None)?, own_word: true }),
            Some(Alias::Unnamed) => None,
        })
        .collect()
}

/// The names of one type, including those that aliases refer to.
fn named<'a>(mentions: &'a [DocumentMention<'a>], entity_type: EntityType) -> impl Iterator<Item = &'a str> {
    mentions.iter().filter(move |mention| mention.entity_type == entity_type).filter_map(|mention| {
        match mention.alias {
            None => Some(mention.surface),
            Some(Alias::Of(name)) => Some(name.as_str()),
            Some(Alias::Unnamed) => None,
        }
    })
}

/// A document's organizations by key, and by their possible short forms.
#[derive(Default)]
struct Organizations {
    by_first_word: BTreeMap<String, BTreeSet<Vec<String>>>,
    by_initials: BTreeMap<String, BTreeSet<Vec<String>>>,
    /// Written with a form of incorporation, and so no short form of another.
    whole: BTreeSet<Vec<String>>,
}

impl Organizations {
    fn of<'a>(surfaces: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for (words, formed) in surfaces.map(keys::organization).collect::<BTreeSet<_>>() {
            if formed {
                all.whole.insert(words.clone());
            }
            let Some(first) = words.first().cloned() else { continue };
            if words.len() > 1 {
                let initials = words
                    .iter()
                    .filter(|word| !matches!(word.as_str(), "of" | "and" | "the" | "for"))
                    .filter_map(|word| word.chars().next());
                all.by_initials.entry(initials.collect()).or_default().insert(words.clone());
            }
            all.by_first_word.entry(first).or_default().insert(words);
        }
        all
    }

    fn key(&self, surface: &str) -> String {
        let (words, _) = keys::organization(surface);
        self.whole(&words).unwrap_or(&words).join(" ")
    }

    /// The one longer name that begins with these words, or has them as its initials.
    fn whole(&self, words: &[String]) -> Option<&Vec<String>> {
        if self.whole.contains(words) {
            return None;
        }
        let longer: Vec<_> = self
            .by_first_word
            .get(words.first()?)
            .into_iter()
            .flatten()
            .filter(|other| other.len() > words.len() && other.starts_with(words))
            .collect();
        match (longer.as_slice(), words) {
            ([whole], _) => Some(whole),
            ([], [word]) if (2..=6).contains(&word.chars().count()) => {
                let fitting = self.by_initials.get(word)?;
                fitting.first().filter(|_| fitting.len() == 1)
            }
            _ => None,
        }
    }
}

/// A document's persons by surname and by given name.
#[derive(Default)]
struct Persons {
    by_surname: BTreeMap<String, BTreeSet<PersonName>>,
    by_given: BTreeMap<String, BTreeSet<PersonName>>,
}

impl Persons {
    fn of<'a>(surfaces: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for name in surfaces.filter_map(keys::person).filter(|name| name.given.is_some()) {
            if let Some(given) = name.given.clone().filter(|_| name.is_full()) {
                all.by_given.entry(given).or_default().insert(name.clone());
            }
            all.by_surname.entry(name.surname.clone()).or_default().insert(name);
        }
        all
    }

    fn key(&self, surface: &str) -> Option<String> {
        let name = keys::person(surface)?;
        let full = match &name.given {
            // John A. and John B. are two; John without an initial is then neither.
            Some(_) if name.is_full() => return Some(self.full_key(&name)),
            Some(_) => Some(self.key_of_initials(&name)),
            None => {
                // Initials count as a person here, unless they fit the full name.
                let same_surname = self.by_surname.get(&name.surname).into_iter().flatten();
                let any: BTreeSet<String> = same_surname
                    .map(|other| if other.is_full() { self.full_key(other) } else { self.key_of_initials(other) })
                    .collect();
                match any.len() {
                    0 => self.one(self.by_given.get(&name.surname).into_iter().flatten()),
                    1 => any.into_iter().next(),
                    _ => None,
                }
            }
        };
        full.or_else(|| Some(name.key(false)))
    }

    fn key_of_initials(&self, name: &PersonName) -> String {
        let initial = name.given.as_deref().unwrap_or_default();
        let fitting = self.by_surname.get(&name.surname).into_iter().flatten().filter(|other| {
            other.is_full()
                && other.given.as_ref().is_some_and(|given| given.starts_with(initial))
                && may_be_one(&name.initials(), &other.initials())
        });
        self.one(fitting).unwrap_or_else(|| name.key(false))
    }

    /// The key that all the names share.
    fn one<'a>(&self, names: impl Iterator<Item = &'a PersonName>) -> Option<String> {
        let keys: BTreeSet<String> = names.map(|name| self.full_key(name)).collect();
        if keys.len() == 1 { keys.into_iter().next() } else { None }
    }

    /// Initials are left out, unless the document has two people who differ only in them.
    fn full_key(&self, name: &PersonName) -> String {
        let key = name.key(false);
        let initials: BTreeSet<String> = self
            .by_surname
            .get(&name.surname)
            .into_iter()
            .flatten()
            .filter(|other| other.key(false) == key)
            .map(PersonName::initials)
            .filter(|initials| !initials.is_empty())
            .collect();
        let conflict = initials.iter().any(|one| initials.iter().any(|other| !may_be_one(one, other)));
        if conflict { name.key(true) } else { key }
    }
}

/// One is the other's beginning: "A." and "A. B." may be one person's, "A." and "B." not.
fn may_be_one(one: &str, other: &str) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_of(entity_type: EntityType, surfaces: &[&str]) -> Vec<String> {
        let mentions: Vec<_> = surfaces
            .iter()
            .map(|&surface| DocumentMention { entity_type, surface, value: None, alias: None })
            .collect();
        resolve(&mentions).into_iter().map(|resolved| resolved.unwrap().key.key).collect()
    }

    #[test]
    fn short_forms_of_an_organization_go_to_the_one_that_fits() {
        let keys = keys_of(
            EntityType::Organization,
            &["Acme Foods, Inc.", "Acme", "ACME FOODS", "AF", "Beta One LLC", "Beta Two LLC", "Beta"],
        );
        assert_eq!(keys, ["acme foods", "acme foods", "acme foods", "acme foods", "beta one", "beta two", "beta"]);
    }

    #[test]
    fn a_name_with_its_form_is_no_short_form() {
        let keys = keys_of(EntityType::Organization, &["Acme, Inc.", "Acme Media", "Acme"]);
        assert_eq!(keys, ["acme", "acme media", "acme"]);
    }

    #[test]
    fn forms_of_a_person_go_to_the_one_that_fits() {
        let keys =
            keys_of(EntityType::Person, &["John A. Smith", "Smith, John", "Mr. Smith", "J. Smith", "John", "Ann Lee"]);
        assert_eq!(keys, ["john smith", "john smith", "john smith", "john smith", "john smith", "ann lee"]);
    }

    #[test]
    fn a_surname_alone_never_makes_two_people_one() {
        let keys = keys_of(EntityType::Person, &["John Smith", "Jane Smith", "Smith", "J. Smith", "Jo. Smith"]);
        assert_eq!(keys, ["john smith", "jane smith", "smith", "j smith", "jo smith"]);
        let keys = keys_of(EntityType::Person, &["John A. Smith", "John B. Smith", "John Smith", "John Smith, Jr."]);
        assert_eq!(keys, ["john a smith", "john b smith", "john smith", "john smith jr"]);
    }

    #[test]
    fn a_documents_own_word_has_the_key_of_its_name() {
        let of = Alias::Of("Acme Corp.".to_owned());
        let mention =
            |surface, alias| DocumentMention { entity_type: EntityType::Organization, surface, value: None, alias };
        let resolved = resolve(&[
            mention("Acme Corp.", None),
            mention("Company", Some(&of)),
            mention("Buyer", Some(&Alias::Unnamed)),
        ]);
        assert_eq!(resolved[0].as_ref().map(|r| &r.key), resolved[1].as_ref().map(|r| &r.key));
        assert!(resolved[1].as_ref().unwrap().own_word);
        assert_eq!(resolved[2], None);
    }
}
