//! Which names of the recognizer a document supports.
//!
//! A contract writes its terms with capitals, and the recognizer takes many of them for people and organizations. In a
//! document with defined terms these therefore need support: a title, a signature or a position near the name, a given
//! name or surname of the lists, or words that are not the document's own.

use std::collections::{HashMap, HashSet};

use casetrack_core::EntityType;

use super::document::Draft;
use super::organizations::is_head;
use super::{Name, Source, persons, roles};
use crate::places;
use crate::words::{Class, Gap, Shape, Word, fold};

/// A document with this many definitions writes its terms with capitals.
const DEFINITIONS: usize = 3;

word_lists! {
    ACRONYMS: set = "words/known-acronyms.txt";
}

/// Makes the people who begin or equal an organization that organization, and drops names without support.
pub(super) fn settle(drafts: &mut [Draft<'_>]) {
    let formal = drafts.iter().map(|draft| draft.definitions.len()).sum::<usize>() >= DEFINITIONS;
    let organizations = organizations(drafts);
    let things = Things::of(drafts);
    let people = People::of(drafts, &things);
    let small = written_small(drafts);
    for draft in drafts {
        let Draft { words, names, definitions, .. } = &mut *draft;
        let defined: HashSet<usize> = definitions.iter().filter_map(|definition| definition.name).collect();
        let mut supported = |(i, name): (usize, &mut Name)| {
            let weak = match name.entity_type {
                EntityType::Person => name.source < Source::Person,
                EntityType::Organization => name.source == Source::Recognizer,
                EntityType::Location if name.source == Source::Recognizer => {
                    return !is_word(&words[name.first..name.last], &small);
                }
                _ => false,
            };
            if !weak {
                return true;
            }
            let own = folded(&words[name.first..name.last]);
            let begins = || organizations.iter().any(|organization| organization.starts_with(&own));
            if !people.certain.contains(&own) && begins() {
                name.entity_type = EntityType::Organization;
                name.source = Source::Hint;
                return true;
            }
            let written = &words[name.first..name.last];
            let clear = match name.entity_type {
                EntityType::Person => people.support(&own),
                _ => is_headed(written),
            };
            if clear {
                name.source = name.source.max(Source::Hint);
            } else if is_code(written, name.entity_type) || is_word(written, &small) {
                return false;
            }
            let possible = || match name.entity_type {
                EntityType::Person => defined.contains(&i),
                _ => {
                    let named = defined.contains(&i) && written.iter().any(|word| word.is_capital() && !is_plain(word));
                    named || !things.contain(&own) && looks_like_organization(written)
                }
            };
            clear || !formal || possible()
        };
        let keep: Vec<bool> = names.iter_mut().enumerate().map(&mut supported).collect();
        draft.retain(&keep);
    }
}

fn folded(words: &[Word<'_>]) -> Vec<String> {
    let letters = words.iter().filter(|word| !word.is_mark() && !word.has(Class::FORM));
    letters.map(|word| fold(word.text)).collect()
}

/// The organizations known by their form.
fn organizations(drafts: &[Draft<'_>]) -> HashSet<Vec<String>> {
    let mut organizations = HashSet::new();
    for Draft { words, names, .. } in drafts {
        for name in names.iter().filter(|name| name.source >= Source::Form) {
            if name.entity_type == EntityType::Organization {
                organizations.insert(folded(&words[name.first..name.last]));
            }
        }
    }
    organizations
}

/// The words that the document writes with a small letter.
fn written_small<'t>(drafts: &[Draft<'t>]) -> HashSet<&'t str> {
    let words = drafts.iter().flat_map(|draft| &draft.words);
    words.filter(|word| word.shape == Shape::Lower).map(|word| word.text).collect()
}

/// "Revised", "Copies": one word that no list of names has, and that the document also writes with a small letter.
fn is_word(own: &[Word<'_>], small: &HashSet<&str>) -> bool {
    let [word] = own else { return false };
    let known = persons::is_given_name(word) || word.has(Class::RARE_GIVEN_NAME) || word.has(Class::SURNAME);
    word.shape == Shape::Title && !known && small.contains(word.text.to_lowercase().as_str())
}

/// "HP-2025-014", "RFI 088": letters in capitals and at least two digits. No person has digits at all.
fn is_code(own: &[Word<'_>], entity_type: EntityType) -> bool {
    let text = || own.iter().flat_map(|word| word.text.chars());
    let digits = text().filter(char::is_ascii_digit).count();
    match entity_type {
        EntityType::Person => digits > 0,
        _ => digits > 1 && !text().any(char::is_lowercase),
    }
}

/// How often each name is mentioned, and how often as a thing.
struct Things(HashMap<Vec<String>, (u32, u32)>);

impl Things {
    fn of(drafts: &[Draft<'_>]) -> Self {
        let mut things: HashMap<Vec<String>, (u32, u32)> = HashMap::new();
        for Draft { words, names, .. } in drafts {
            for name in names.iter().filter(|name| name.entity_type != EntityType::Location) {
                let (mentions, as_thing) = things.entry(folded(&words[name.first..name.last])).or_default();
                *mentions += 1;
                *as_thing += u32::from(is_thing(words, name));
            }
        }
        Self(things)
    }

    /// A third of the mentions is enough.
    fn contain(&self, own: &[String]) -> bool {
        self.0.get(own).is_some_and(|(mentions, as_thing)| as_thing * 3 >= *mentions)
    }
}

/// "the Flix Exporter", "BodyTite®", "Moore Sams Field".
fn is_thing(words: &[Word<'_>], name: &Name) -> bool {
    let known = name.last - name.first == 1 && ACRONYMS.contains(words[name.first].text);
    let article = !known
        && name.first.checked_sub(1).is_some_and(|before| {
            let word = words[before].text.to_lowercase();
            words[name.first].gap <= Gap::Line
                && matches!(word.as_str(), "the" | "a" | "an" | "this" | "each" | "any" | "such" | "all" | "every")
        });
    article
        || words.get(name.last).is_some_and(|word| {
            let goes_on = word.shape == Shape::Title && word.gap == Gap::Space && !word.is_common();
            matches!(word.shape, Shape::Mark('®' | '™'))
                || goes_on && !word.has(Class::POSITION) && !persons::is_given_name(word)
        })
}

/// The people of a document by what supports them, as folded words.
#[derive(Default)]
struct People {
    /// By a title or a signature.
    certain: HashSet<Vec<String>>,
    /// By these, a position, or their own words.
    supported: HashSet<Vec<String>>,
    /// Given names and surnames of the supported.
    parts: HashSet<String>,
    /// Surnames after a title or in a signature.
    surnames: HashSet<String>,
}

impl People {
    fn of(drafts: &[Draft<'_>], things: &Things) -> Self {
        let mut people = Self::default();
        for Draft { words, names, .. } in drafts {
            for name in names.iter().filter(|name| name.entity_type == EntityType::Person) {
                let own = folded(&words[name.first..name.last]);
                let certain = name.source >= Source::Person;
                if certain || !things.contain(&own) && looks_like_person(words, name) {
                    let parts = own.first().into_iter().chain(own.last()).filter(|part| part.len() > 2);
                    people.parts.extend(parts.cloned());
                    if certain {
                        people.surnames.extend(own.last().cloned());
                        people.certain.insert(own.clone());
                    }
                    people.supported.insert(own);
                }
            }
        }
        people
    }

    fn support(&self, own: &[String]) -> bool {
        self.supported.contains(own)
            || matches!(own, [part] if self.parts.contains(part))
            || own.last().is_some_and(|last| own.len() > 1 && self.surnames.contains(last))
    }
}

/// Two words or more, none of them a contract's own, that begin with a given name, end with a surname or have an
/// initial between; or a position near the name.
fn looks_like_person(words: &[Word<'_>], name: &Name) -> bool {
    let own = &words[name.first..name.last];
    let letters: Vec<_> = own.iter().filter(|word| !word.is_mark()).collect();
    let [first, .., last] = &letters[..] else { return false };
    let given = |word: &Word<'_>| persons::is_given_name(word) || word.has(Class::RARE_GIVEN_NAME);
    let known = |word: &Word<'_>| given(word) || word.has(Class::SURNAME);
    let plain = |word: &&Word<'_>| {
        word.is_common() && !known(word)
            || [Class::FORM, Class::PARTY, Class::POSITION_HEAD].into_iter().any(|class| word.has(class))
            || word.shape == Shape::Number
    };
    if letters.iter().any(plain) || persons::ends_no_person(last) {
        return false;
    }
    let place = places::place_at(words, name.first).is_some_and(|place| place.last >= name.last);
    let initial = letters[1..].iter().any(|word| word.shape == Shape::Initial) && last.shape != Shape::Initial;
    let hinted = given(first) || initial || last.has(Class::SURNAME) && first.shape == Shape::Title;
    !place && (hinted || roles::of_person(words, name.first, name.last).is_some())
}

/// Initials that are known, or a name that does not end with a number or a word of the document's own, such as "Snap Content".
fn looks_like_organization(own: &[Word<'_>]) -> bool {
    let letters: Vec<_> = own.iter().filter(|word| !word.is_mark()).collect();
    let Some(last) = letters.last() else { return false };
    if letters.len() == 1 && last.shape == Shape::Upper {
        return ACRONYMS.contains(last.text.replace('.', "").as_str());
    }
    // "Products and Trainers"
    let things = letters[0].is_common() && letters.iter().any(|word| matches!(word.text, "and" | "or"));
    last.is_capital() && !is_plain(last) && !things
}

/// A head at the end or before "of", and a word that is not the document's own: "Federal Reserve Board of Governors".
fn is_headed(own: &[Word<'_>]) -> bool {
    let head = own.last().is_some_and(is_head) || own.windows(2).any(|pair| is_head(&pair[0]) && pair[1].text == "of");
    head && own.iter().any(|word| word.is_capital() && !is_plain(word))
}

fn is_plain(word: &Word<'_>) -> bool {
    word.is_common() || word.has(Class::PARTY) || word.has(Class::POSITION_HEAD)
}
