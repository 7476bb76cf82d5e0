//! The topics of documents, from the concepts that they mention.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use casetrack_core::EntityType;

use super::fold::{fold, words};
use super::items::Item;
use super::{Document, Graph};

/// A single word counts less than a phrase.
const ONE_WORD: f64 = 0.6;

/// True if a concept is a topic or a defined term, and not an address, a number or a link.
pub(super) fn is_topic(item: &Item<EntityType>) -> bool {
    let letters = item.key.chars().filter(|c| c.is_alphabetic()).count();
    let others = item.key.chars().filter(|c| !c.is_alphabetic() && !c.is_whitespace() && *c != '-').count();
    item.kind == EntityType::Concept
        && letters > 2
        && letters > 2 * others
        && !item.key.contains('@')
        && !item.key.contains("://")
        && !item.key.starts_with("www.")
}

impl Graph {
    /// The topics of the collection, best first: concepts by their weight as terms, (1 + ln tf) · idf summed over
    /// documents, phrases before single words. In collections of several documents, one that a single document mentions
    /// is not a topic of the collection. If one topic is a longer form of another, only the better is kept.
    pub(super) fn topics(&self, top_k: usize) -> Vec<u32> {
        let least = if self.slots.len() > 3 { 2 } else { 1 };
        let mut weights = vec![0.0_f64; self.entities.bound()];
        for (_, document) in self.walk() {
            for (id, share) in document.entities.iter().filter(|(_, share)| share.kind == EntityType::Concept) {
                weights[*id as usize] += 1.0 + f64::from(share.count).ln();
            }
        }
        let mut ranked: Vec<(f64, u32, &Item<EntityType>)> = Vec::new();
        for (id, item) in self.entities.iter().filter(|(_, item)| item.documents.len() >= least && is_topic(item)) {
            let by_length = if item.key.contains(' ') { 1.0 } else { ONE_WORD };
            ranked.push((weights[id as usize] * self.rarity(item.documents.len()) * by_length, id, item));
        }
        ranked.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| (Reverse(a.2.count), &a.2.key).cmp(&(Reverse(b.2.count), &b.2.key)))
        });
        let mut taken: Vec<(u32, BTreeSet<String>)> = Vec::new();
        for (_, id, item) in ranked {
            if taken.len() >= top_k {
                break;
            }
            let said: BTreeSet<String> = words(&fold(&item.key)).map(str::to_owned).collect();
            if !taken.iter().any(|(_, other)| other.is_subset(&said) || said.is_subset(other)) {
                taken.push((id, said));
            }
        }
        taken.into_iter().map(|(id, _)| id).collect()
    }

    /// Up to `top_k` terms that distinguish groups of documents, for each group: class-based TF-IDF (Grootendorst,
    /// "BERTopic", 2022) with the documents of a group that have a term as its frequency, so that a long document
    /// counts no more than a short one, and for its rarity the logarithm of how much more common it is in the group
    /// than in all, so that a term of all groups names none. Terms are topics, organizations, people and places of the
    /// documents, and the words of their titles.
    pub(super) fn terms(&self, groups: &[Vec<u32>], top_k: usize) -> Vec<Vec<String>> {
        let mut counts: Vec<BTreeMap<Term<'_>, u32>> = Vec::new();
        let mut overall: HashMap<Term<'_>, u32> = HashMap::new();
        for group in groups {
            let mut of_group: BTreeMap<Term<'_>, u32> = BTreeMap::new();
            for document in group.iter().filter_map(|slot| self.at(*slot)) {
                self.terms_of(document).into_iter().for_each(|term| *of_group.entry(term).or_default() += 1);
            }
            of_group.iter().for_each(|(term, count)| *overall.entry(*term).or_default() += count);
            counts.push(of_group);
        }
        let documents: usize = groups.iter().map(Vec::len).sum();
        let best = counts.into_iter().zip(groups).map(|(of_group, group)| {
            // A term of one document of many does not name a group.
            let least = if group.len() > 3 { 2 } else { 1 };
            let mut ranked: Vec<(f64, String)> = Vec::new();
            for (term, count) in of_group.into_iter().filter(|(_, count)| *count >= least) {
                let share = f64::from(count) / group.len() as f64;
                let rarity = match groups.len() {
                    1 => 1.0,
                    _ => (share * documents as f64 / f64::from(overall[&term])).ln(),
                };
                if rarity <= 0.0 {
                    continue;
                }
                let Some((name, is_phrase)) = self.term_name(term) else { continue };
                ranked.push((share * rarity * if is_phrase { 1.0 } else { ONE_WORD }, name.to_owned()));
            }
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let mut terms: Vec<String> = Vec::new();
            for (_, term) in ranked {
                let says = |other: &String| fold(other).contains(&fold(&term)) || fold(&term).contains(&fold(other));
                if terms.len() < top_k && !terms.iter().any(says) {
                    terms.push(term);
                }
            }
            terms
        });
        best.collect()
    }

    fn terms_of<'a>(&self, document: &'a Document) -> BTreeSet<Term<'a>> {
        use EntityType::{Location, Organization, Person};
        let mut terms = BTreeSet::new();
        for name in &document.info.names {
            let telling = words(&name.base).filter(|word| word.len() > 3 && word.chars().all(char::is_alphabetic));
            terms.extend(telling.map(Term::Word));
        }
        let items = document.entities.iter().filter_map(|(id, _)| Some((*id, self.entities.get(*id)?)));
        let telling = items.filter(|(_, item)| is_topic(item) || matches!(item.kind, Organization | Person | Location));
        terms.extend(telling.map(|(id, _)| Term::Entity(id)));
        terms
    }

    /// With true for a phrase, which is more distinctive than a word or a word of a title.
    fn term_name<'a>(&'a self, term: Term<'a>) -> Option<(&'a str, bool)> {
        match term {
            Term::Word(word) => Some((word, false)),
            Term::Entity(id) => self.entities.get(id).map(|item| (item.name(), item.name().contains(' '))),
        }
    }
}

/// A term that may name a group of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Term<'a> {
    Entity(u32),
    /// A word of a title or a file name.
    Word(&'a str),
}
