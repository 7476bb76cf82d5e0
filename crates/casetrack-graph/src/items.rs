//! Items that documents have in common: entities and references. Both are interned, counted and found by name alike.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;

use casetrack_core::EntityValue;

use super::fold::fold;
use super::sorted_map::Sorted;

/// An entity (`T` is its type) or something that documents refer to (`T` is its kind), over all documents.
#[derive(Debug)]
pub(super) struct Item<T> {
    pub kind: T,
    pub key: Arc<str>,
    /// The number of documents by the name they use.
    names: BTreeMap<Arc<str>, u32>,
    /// The same of the other names that they use.
    aliases: BTreeMap<Arc<str>, u32>,
    values: BTreeMap<EntityValue, u32>,
    /// The number of documents by their confidence in it, in percent.
    confidences: BTreeMap<u8, u32>,
    /// The place in the document's own list, by the document's slot.
    pub documents: Sorted<u32>,
    /// Mentions or citations in all documents.
    pub count: u64,
    /// Chunks with a mention or citation.
    pub chunks: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share<T> {
    pub kind: T,
    pub key: Arc<str>,
    pub name: Arc<str>,
    pub aliases: Vec<Arc<str>>,
    pub value: Option<Box<EntityValue>>,
    pub confidence: u8,
    pub count: u32,
    pub chunks: u32,
}

/// The part of a [`Share`] that the graph keeps, besides the number of its item.
#[derive(Debug)]
pub(super) struct Part<T> {
    pub kind: T,
    pub name: Arc<str>,
    pub aliases: Vec<Arc<str>>,
    pub value: Option<Box<EntityValue>>,
    pub confidence: u8,
    pub count: u32,
    pub chunks: u32,
}

impl<T> Item<T> {
    /// The name that most documents use; of those, one with small letters, without a point at its end, the longest; of those, the first by the alphabet.
    pub fn name(&self) -> &str {
        // All capitals mean a heading, and a point may be the end of a sentence.
        let written = |name: &str| (name.chars().any(char::is_lowercase), !name.ends_with('.'), name.chars().count());
        let best = self.names.iter().max_by(|(a, m), (b, n)| (m, written(a), b).cmp(&(n, written(b), a)));
        best.map_or(&self.key, |(name, _)| name)
    }

    /// The other names, by the alphabet.
    pub fn aliases(&self) -> Vec<String> {
        let name = self.name();
        let all: BTreeSet<&Arc<str>> = self.names.keys().chain(self.aliases.keys()).collect();
        all.into_iter().filter(|alias| &***alias != name).map(|alias| alias.to_string()).collect()
    }

    /// The number of documents in which this name, folded as `wanted`, refers to the item.
    pub fn written(&self, wanted: &str) -> u32 {
        let named = self.names.iter().chain(&self.aliases).filter(|(name, _)| fold(name) == wanted);
        named.map(|(_, documents)| documents).sum()
    }

    /// In percent, of the document that is surest.
    pub fn confidence(&self) -> u8 {
        self.confidences.last_key_value().map_or(0, |(confidence, _)| *confidence)
    }

    /// The value that most documents give it.
    pub fn value(&self) -> Option<&EntityValue> {
        self.values.iter().rev().max_by_key(|(_, documents)| **documents).map(|(value, _)| value)
    }
}

/// All items of a collection, by a number that stays theirs while a document has them.
#[derive(Debug)]
pub(super) struct Items<T> {
    items: Vec<Option<Item<T>>>,
    free: Vec<u32>,
    by_key: HashMap<(T, Arc<str>), u32>,
    /// By folded key and name, with how many of them fold to the same.
    by_name: HashMap<Box<str>, Sorted<u32>>,
}

// Derived, it would ask for `T: Default`.
impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: Vec::new(), by_key: HashMap::new(), by_name: HashMap::new() }
    }
}

impl<T: Copy + Ord + Hash> Items<T> {
    pub fn get(&self, id: u32) -> Option<&Item<T>> {
        self.items.get(id as usize)?.as_ref()
    }

    /// In no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Item<T>)> {
        self.items.iter().enumerate().filter_map(|(id, item)| Some((id as u32, item.as_ref()?)))
    }

    pub fn by_key(&self, kind: T, key: &str) -> Option<u32> {
        self.by_key.get(&(kind, Arc::from(key))).copied()
    }

    /// Those with this folded key or name.
    pub fn named(&self, folded: &str) -> impl Iterator<Item = u32> {
        self.by_name.get(folded).into_iter().flat_map(Sorted::keys)
    }

    /// All folded keys and names with the items they stand for, in no order that means anything.
    pub fn names(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = u32>)> {
        self.by_name.iter().map(|(name, ids)| (&**name, ids.keys()))
    }

    /// One more than the greatest number in use may be.
    pub fn bound(&self) -> usize {
        self.items.len()
    }

    #[cfg(test)]
    /// True if nothing is left, not even a name.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty() && self.by_name.is_empty() && self.items.iter().all(Option::is_none)
    }

    /// Adds the facts of the document at `slot` about an item, which is number `local` in its list; the result takes
    /// them back.
    pub fn add(&mut self, share: Share<T>, slot: u32, local: u32) -> (u32, Part<T>) {
        let id = self.by_key.get(&(share.kind, Arc::clone(&share.key))).copied().unwrap_or_else(|| self.intern(&share));
        let Share { kind, mut name, aliases, value, confidence, count, chunks, .. } = share;
        if let Some(item) = &mut self.items[id as usize] {
            item.count += u64::from(count);
            item.chunks += u64::from(chunks);
            item.documents.insert(slot, local);
            *item.confidences.entry(confidence).or_default() += 1;
            if let Some(value) = &value {
                *item.values.entry((**value).clone()).or_default() += 1;
            }
            if let Some((known, _)) = item.names.get_key_value(&name) {
                name = Arc::clone(known);
            }
            let mut new = Vec::new();
            let documents = item.names.entry(Arc::clone(&name)).or_default();
            *documents += 1;
            if *documents == 1 {
                new.push(Arc::clone(&name));
            }
            for alias in &aliases {
                let documents = item.aliases.entry(Arc::clone(alias)).or_default();
                *documents += 1;
                if *documents == 1 {
                    new.push(Arc::clone(alias));
                }
            }
            for name in new {
                self.add_name(id, &name);
            }
        }
        (id, Part { kind, name, aliases, value, confidence, count, chunks })
    }

    /// Reverses [`Items::add`].
    pub fn remove(&mut self, id: u32, share: &Part<T>, slot: u32) {
        let Some(item) = &mut self.items[id as usize] else { return };
        item.count -= u64::from(share.count);
        item.chunks -= u64::from(share.chunks);
        item.documents.remove(slot);
        take_one(&mut item.confidences, &share.confidence);
        if let Some(value) = &share.value {
            take_one(&mut item.values, &**value);
        }
        let key = item.documents.is_empty().then(|| Arc::clone(&item.key));
        let mut gone: Vec<&Arc<str>> = Vec::new();
        if take_one(&mut item.names, &share.name) {
            gone.push(&share.name);
        }
        gone.extend(share.aliases.iter().filter(|alias| take_one(&mut item.aliases, *alias)));
        for name in gone {
            self.remove_name(id, name);
        }
        if let Some(key) = key {
            self.items[id as usize] = None;
            self.remove_name(id, &key);
            self.by_key.remove(&(share.kind, key));
            self.free.push(id);
        }
    }

    fn intern(&mut self, share: &Share<T>) -> u32 {
        let item = Item {
            kind: share.kind,
            key: Arc::clone(&share.key),
            names: BTreeMap::new(),
            aliases: BTreeMap::new(),
            values: BTreeMap::new(),
            confidences: BTreeMap::new(),
            documents: Sorted::default(),
            count: 0,
            chunks: 0,
        };
        let id = self.free.pop().unwrap_or(self.items.len() as u32);
        match self.items.get_mut(id as usize) {
            Some(place) => *place = Some(item),
            None => self.items.push(Some(item)),
        }
        self.by_key.insert((share.kind, Arc::clone(&share.key)), id);
        self.add_name(id, &share.key);
        id
    }

    fn add_name(&mut self, id: u32, name: &str) {
        let ids = self.by_name.entry(fold(name).into()).or_default();
        let count = ids.get(id).copied().unwrap_or_default();
        ids.insert(id, count + 1);
    }

    fn remove_name(&mut self, id: u32, name: &str) {
        let folded = fold(name);
        if let Some(ids) = self.by_name.get_mut(&*folded) {
            match ids.get_mut(id) {
                Some(count) if *count > 1 => *count -= 1,
                _ => ids.remove(id),
            }
            if ids.is_empty() {
                self.by_name.remove(&*folded);
            }
        }
    }
}

/// Counts one down; whether none is left.
fn take_one<K: Ord>(counts: &mut BTreeMap<K, u32>, key: &K) -> bool {
    let Some(count) = counts.get_mut(key) else { return false };
    *count -= 1;
    let none = *count == 0;
    if none {
        counts.remove(key);
    }
    none
}
