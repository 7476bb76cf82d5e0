//! A document's own words for names, and what they mean.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use casetrack_core::EntityType;

use super::Alias;
use super::definitions::Found;
use super::document::Draft;
use crate::words::{Class, Gap, Shape, Word, fold, is_party_word, surface};

/// Fewest times that a document writes a party word with a capital in a sentence, for it to be a party without a definition.
const PARTY_MENTIONS: usize = 3;

/// Terms by their first word: the words of the term, and its meaning.
pub(super) struct Aliases<'t> {
    terms: HashMap<String, Vec<AliasTerm<'t>>>,
}

pub(super) struct AliasTerm<'t> {
    pub words: Vec<&'t str>,
    pub entity_type: EntityType,
    pub alias: Alias,
    /// A party word.
    pub party: bool,
}

impl<'t> Aliases<'t> {
    pub fn of(drafts: &[Draft<'t>]) -> Self {
        let mut terms: HashMap<String, Vec<AliasTerm<'t>>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut add = |words: Vec<&'t str>, entity_type, alias| {
            let key = fold(words[0]);
            if seen.insert(fold(&words.join(" "))) {
                let party = is_party_word(&words.join(" "));
                terms.entry(key).or_default().push(AliasTerm { words, entity_type, alias, party });
            }
        };
        // "Telway" for Telway Partnership, "Servicer" for Telway: a term may be defined by another.
        let mut targets: HashMap<String, (EntityType, String)> = HashMap::new();
        let named = |definition: &Found, draft: &Draft<'t>| {
            definition
                .name
                .map(|i| (draft.names[i].entity_type, surface(&draft.words, draft.names[i].first, draft.names[i].last)))
        };
        let terms_of = |draft: &Draft<'t>, found: &Found| surface(&draft.words, found.term.start, found.term.end);
        for draft in drafts {
            for definition in &draft.definitions {
                if let Some(target) = named(definition, draft) {
                    targets.entry(terms_of(draft, definition)).or_insert(target);
                }
            }
        }
        for draft in drafts {
            for definition in &draft.definitions {
                let term: Vec<&str> = draft.words[definition.term.clone()].iter().map(|word| word.text).collect();
                let Some((entity_type, name)) = named(definition, draft) else { continue };
                let (entity_type, name) = targets.get(&name).cloned().unwrap_or((entity_type, name));
                add(term, entity_type, Alias::Of(name));
            }
        }
        // A party word whose definition names nobody ('[*] ("Distributor")'), or that has none here.
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for draft in drafts {
            for definition in &draft.definitions {
                let term = &draft.words[definition.term.clone()];
                if definition.name.is_none()
                    && is_party_word(&surface(&draft.words, definition.term.start, definition.term.end))
                {
                    add(term.iter().map(|word| word.text).collect(), EntityType::Organization, Alias::Unnamed);
                }
            }
            for pair in draft.words.windows(2).filter(|pair| pair[0].shape == Shape::Lower && pair[1].is_capital()) {
                let word = &pair[1];
                if word.has(Class::PLAIN_PARTY) {
                    *counts.entry(word.text).or_default() += 1;
                }
            }
        }
        let mut counted: Vec<_> = counts.into_iter().filter(|(_, count)| *count >= PARTY_MENTIONS).collect();
        counted.sort_unstable();
        for (word, _) in counted {
            add(vec![word], EntityType::Organization, Alias::Unnamed);
        }
        for of_word in terms.values_mut() {
            of_word.sort_by_key(|term| Reverse(term.words.len()));
        }
        Self { terms }
    }

    /// The term at word `at`: as it is defined, or all in capitals.
    pub fn at(&self, words: &[Word<'_>], at: usize) -> Option<&AliasTerm<'t>> {
        let word = &words[at];
        if !word.is_capital() && word.shape != Shape::Number {
            return None;
        }
        self.terms.get(&word.folded())?.iter().find(|term| {
            words.len() - at >= term.words.len()
                && term.words.iter().zip(&words[at..]).enumerate().all(|(i, (named, word))| {
                    (i == 0 || word.gap < Gap::Blank)
                        && (*named == word.text
                            || word.shape == Shape::Upper && named.eq_ignore_ascii_case(word.text)
                            || term.party && named.eq_ignore_ascii_case(word.text) && word.is_capital())
                })
        })
    }
}
