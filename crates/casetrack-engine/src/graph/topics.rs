//! What documents are about, from the concepts that they mention.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use casetrack_core::EntityType;

use super::fold::{fold, words};
use super::items::Item;
use super::{Document, Graph};

/// A single word says less than a phrase.
const ONE_WORD: f64 = 0.6;

/// Whether a concept is a topic or a defined term, and not an address, a number or a link.
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
    /// The topics of the collection, best first: concepts by their weight as terms, (1 + ln tf) · idf summed over documents, phrases
    /// before single words. In collections of several documents, one that a single document mentions is none of the collection. Of
    /// topics of which one says the other with more words, only the better is kept.
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

    /// Up to `top_k` terms that tell groups of documents apart, for each group: class-based TF-IDF (Grootendorst, "BERTopic", 2022)
    /// with the documents of a group that have a term as its frequency, so that a long document says no more than a short one.
    /// Terms are topics, organizations, people and places of the documents, and the words of their titles.
    pub(super) fn terms(&self, groups: &[Vec<u32>], top_k: usize) -> Vec<Vec<String>> {
        use std::collections::BTreeMap;
        let mut counts: Vec<BTreeMap<String, (u32, bool)>> = Vec::new();
        let mut overall: BTreeMap<String, u32> = BTreeMap::new();
        for group in groups {
            let mut of_group: BTreeMap<String, (u32, bool)> = BTreeMap::new();
            for document in group.iter().filter_map(|slot| self.at(*slot)) {
                for (term, in_title) in self.terms_of(document) {
                    let count = of_group.entry(term).or_insert((0, in_title));
                    count.0 += 1;
                    count.1 &= in_title;
                }
            }
            for (term, (count, _)) in &of_group {
                *overall.entry(term.clone()).or_default() += count;
            }
            counts.push(of_group);
        }
        let average = overall.values().map(|count| f64::from(*count)).sum::<f64>() / groups.len().max(1) as f64;
        let best = counts.into_iter().zip(groups).map(|(of_group, group)| {
            // What one document of many has does not name a group.
            let least = if group.len() > 3 { 2 } else { 1 };
            let mut ranked: Vec<(f64, String)> = Vec::new();
            for (term, (count, in_title)) in of_group.into_iter().filter(|(_, (count, _))| *count >= least) {
                let share = f64::from(count) / group.len() as f64;
                let by_length = if in_title || !term.contains(' ') { ONE_WORD } else { 1.0 };
                let rarity = (1.0 + average / f64::from(overall[&term])).ln();
                ranked.push((share * rarity * by_length, term));
            }
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let mut terms: Vec<String> = Vec::new();
            for (_, term) in ranked {
                let said = |other: &String| fold(other).contains(&fold(&term)) || fold(&term).contains(&fold(other));
                if terms.len() < top_k && !terms.iter().any(said) {
                    terms.push(term);
                }
            }
            terms
        });
        best.collect()
    }

    /// Each once, with whether it is only a word of the title.
    fn terms_of(&self, document: &Document) -> std::collections::BTreeMap<String, bool> {
        use EntityType::{Location, Organization, Person};
        let mut terms = std::collections::BTreeMap::new();
        for name in &document.info.names {
            let telling = words(&name.base).filter(|word| word.len() > 3 && word.chars().all(char::is_alphabetic));
            terms.extend(telling.map(|word| (word.to_owned(), true)));
        }
        for (id, _) in &document.entities {
            let Some(item) = self.entities.get(*id) else { continue };
            if is_topic(item) || matches!(item.kind, Organization | Person | Location) {
                terms.insert(item.name().to_owned(), false);
            }
        }
        terms
    }
}
