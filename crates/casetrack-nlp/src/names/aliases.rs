//! A document's own words for names, and their meaning.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use casetrack_core::EntityType;

use super::Alias;
use super::definitions::WordDefinition;
use super::document::Draft;
use crate::words::{Class, Gap, Shape, Word, fold, is_party_word, surface};

/// Fewest times that a document writes a party word with a capital in a sentence, for it to be a party without a definition.
const PARTY_MENTIONS: usize = 3;

/// Terms by their first word: the words of the term, and its meaning.
pub(super) struct Aliases<'t> {
    terms: HashMap<String, Vec<AliasTerm<'t>>>,
    seen: HashSet<String>,
}

pub(super) struct AliasTerm<'t> {
    pub words: Vec<&'t str>,
    pub entity_type: EntityType,
    pub alias: Alias,
    /// A party word.
    pub party: bool,
}

fn definitions<'d, 't>(drafts: &'d [Draft<'t>]) -> impl Iterator<Item = (&'d Draft<'t>, &'d WordDefinition)> {
    drafts.iter().flat_map(|draft| draft.definitions.iter().map(move |definition| (draft, definition)))
}

/// The name that a definition refers to, and its type.
fn named(draft: &Draft<'_>, definition: &WordDefinition) -> Option<(EntityType, String)> {
    let name = &draft.names[definition.name?];
    Some((name.entity_type, surface(&draft.words, name.first, name.last)))
}

fn surface_of(draft: &Draft<'_>, definition: &WordDefinition) -> String {
    surface(&draft.words, definition.term.start, definition.term.end)
}

fn words_of<'t>(draft: &Draft<'t>, definition: &WordDefinition) -> Vec<&'t str> {
    draft.words[definition.term.clone()].iter().map(|word| word.text).collect()
}

/// Party words that have a capital in enough sentences, in alphabetical order.
fn frequent_party_words<'t>(drafts: &[Draft<'t>]) -> Vec<&'t str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for pair in drafts.iter().flat_map(|draft| draft.words.windows(2)) {
        if pair[0].shape == Shape::Lower && pair[1].is_capital() && pair[1].has(Class::PLAIN_PARTY) {
            *counts.entry(pair[1].text).or_default() += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count >= PARTY_MENTIONS).map(|(word, _)| word).collect()
}

impl<'t> Aliases<'t> {
    pub fn of(drafts: &[Draft<'t>]) -> Self {
        let mut aliases = Self { terms: HashMap::new(), seen: HashSet::new() };
        // "Telway" for Telway Partnership, "Servicer" for Telway: a term may be defined by another.
        let mut targets: HashMap<String, (EntityType, String)> = HashMap::new();
        for (draft, definition) in definitions(drafts) {
            if let Some(target) = named(draft, definition) {
                targets.entry(surface_of(draft, definition)).or_insert(target);
            }
        }
        for (draft, definition) in definitions(drafts) {
            let Some((entity_type, name)) = named(draft, definition) else { continue };
            let (entity_type, name) = targets.get(&name).cloned().unwrap_or((entity_type, name));
            aliases.add(words_of(draft, definition), entity_type, Alias::Of(name));
        }
        // A party word whose definition names no one ('[*] ("Distributor")'), or that has none here.
        for (draft, definition) in definitions(drafts) {
            if definition.name.is_none() && is_party_word(&surface_of(draft, definition)) {
                aliases.add(words_of(draft, definition), EntityType::Organization, Alias::Unnamed);
            }
        }
        for word in frequent_party_words(drafts) {
            aliases.add(vec![word], EntityType::Organization, Alias::Unnamed);
        }
        for of_word in aliases.terms.values_mut() {
            of_word.sort_by_key(|term| Reverse(term.words.len()));
        }
        aliases
    }

    /// The first meaning of a term counts.
    fn add(&mut self, words: Vec<&'t str>, entity_type: EntityType, alias: Alias) {
        let term = words.join(" ");
        if self.seen.insert(fold(&term)) {
            let party = is_party_word(&term);
            self.terms.entry(fold(words[0])).or_default().push(AliasTerm { words, entity_type, alias, party });
        }
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
