//! The entity or reference that a name typed by a person or an assistant means.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use casetrack_core::{Action, EntityType, Error, ErrorCode, ReferenceKind, Result, hint, same_text};
use casetrack_nlp::languages::Language;

use super::Graph;
use super::fold::{fold, words};
use super::items::{Item, Items};

/// Jaro–Winkler similarity (0–1) from which a name is taken for a misspelling of another. 0.92 lets one letter in ten differ.
const MISSPELT: f64 = 0.92;
/// The lead in similarity that a misspelling needs over the next to be accepted.
const LEAD: f64 = 0.03;
/// Names less similar than this are not suggested.
const SIMILAR: f64 = 0.72;
const MAX_SUGGESTIONS: usize = 5;
/// Most candidates of a name that fits several.
const MAX_CANDIDATES: usize = 20;
/// If several items have the same name, the name refers to one that is mentioned this many times as often as the next.
const DOMINANT: u64 = 5;
/// Longer texts are not names.
const MAX_NAME_CHARS: usize = 500;

/// An entity of a graph, until the graph changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntityId(pub(super) u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReferenceId(pub(super) u32);

/// The fit of a name to the items found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// It is the name, an alias or the key, except for case, accents and punctuation. The first item is chosen; others with
    /// the same name are mentioned far less.
    Exact,
    /// It is part of one name or longer than it by some words, or is spelt almost like it.
    Fuzzy,
    /// It fits several equally well, most mentioned first.
    Ambiguous,
    /// It fits none; the most similar names are suggested.
    None,
}

impl Graph {
    /// The one entity that `name` means; in quotation marks, a surname is the whole name. Fails, with candidates or
    /// suggestions, if it fits several or none.
    pub fn resolve_entity(&self, name: &str, entity_type: Option<EntityType>) -> Result<EntityId> {
        let (fit, ids) = self.entity_candidates(name, entity_type);
        one("Entity", Action::ListEntities, name, fit, &ids, &self.entities, |kind| kind.name().to_owned())
            .map(EntityId)
    }

    /// All entities that `name` can mean, most mentioned first, as a condition of a search takes it. Fails if it fits none.
    pub fn entities_named(&self, name: &str) -> Result<Vec<EntityId>> {
        match self.entity_candidates(name, None) {
            (Match::Ambiguous, ids) => Ok(ids.into_iter().map(EntityId).collect()),
            _ => self.resolve_entity(name, None).map(|id| vec![id]),
        }
    }

    /// The entity with this identity.
    pub fn entity_by_key(&self, entity_type: EntityType, key: &str) -> Option<EntityId> {
        self.entities.by_key(entity_type, key).map(EntityId)
    }

    /// The languages by whose rules documents are read, but English.
    pub fn languages(&self) -> BTreeSet<Language> {
        self.walk().filter_map(|(_, document)| document.info.language).collect()
    }

    /// True if a document that is read by the rules of a language, or of English, mentions an entity.
    pub fn is_mentioned_in(&self, entity: EntityId, language: Option<Language>) -> bool {
        let by_language = |slot| self.at(slot).is_some_and(|document| document.info.language == language);
        self.entities.get(entity.0).is_some_and(|entity| entity.documents.keys().any(by_language))
    }

    /// As [`Graph::resolve_entity`].
    pub fn resolve_reference(&self, name: &str, kind: Option<ReferenceKind>) -> Result<ReferenceId> {
        let (fit, ids) = self.reference_candidates(name, kind);
        let label = |kind: ReferenceKind| kind.label().to_owned();
        one("Reference", Action::ListReferences, name, fit, &ids, &self.references, label).map(ReferenceId)
    }

    /// The items that `name` can mean. Cost: a few milliseconds for 10,000 names if none is the same.
    pub(super) fn entity_candidates(&self, name: &str, entity_type: Option<EntityType>) -> (Match, Vec<u32>) {
        let is_whole = name.len() > 1 && name.starts_with('"') && name.ends_with('"');
        let surname = |item: &Item<EntityType>| !is_whole && item.kind == EntityType::Person;
        find(&self.entities, name, |kind| entity_type.is_none_or(|wanted| wanted == kind), surname)
    }

    /// As for entities; references to parts of the same document are found only if `kind` asks for them.
    pub(super) fn reference_candidates(&self, name: &str, kind: Option<ReferenceKind>) -> (Match, Vec<u32>) {
        let wanted = |of| kind.map_or(of != ReferenceKind::Internal, |kind| kind == of);
        find(&self.references, name, wanted, |_| false)
    }
}

/// `is_surname`: whether an item whose name is a single word may be any of those with that word in their names.
fn find<T: Copy + Ord + Hash>(
    items: &Items<T>,
    wanted: &str,
    kinds: impl Fn(T) -> bool,
    is_surname: impl Fn(&Item<T>) -> bool,
) -> (Match, Vec<u32>) {
    let given: String = wanted.chars().take(MAX_NAME_CHARS).collect();
    let wanted = fold(&given);
    let known = |id: &u32| items.get(*id).is_some_and(|item| kinds(item.kind));
    let asked: Vec<&str> = words(&wanted).collect();
    if asked.is_empty() {
        return (Match::None, Vec::new());
    }
    let mut exact: Vec<u32> = items.named(&wanted).filter(known).collect();
    by_mentions(items, &mut exact);
    let whole_surname =
        asked.len() == 1 && !exact.is_empty() && exact.iter().all(|id| items.get(*id).is_some_and(&is_surname));
    if !exact.is_empty() && !whole_surname {
        let is_clear = is_clear(items, &wanted, spelt(&given).as_deref(), &mut exact);
        return (if is_clear { Match::Exact } else { Match::Ambiguous }, exact);
    }

    let (mut containing, mut similar): (BTreeSet<u32>, HashMap<u32, f64>) = Default::default();
    for (name, ids) in items.names() {
        let contains = {
            let of_name: Vec<&str> = words(name).collect();
            let within = |some: &[&str], all: &[&str]| some.iter().all(|word| all.contains(word));
            // A single common word of a longer name is not the name.
            within(&asked, &of_name) || of_name.len() > 1 && within(&of_name, &asked)
        };
        let similarity = if contains { 1.0 } else { strsim::jaro_winkler(&wanted, name) };
        if similarity < SIMILAR {
            continue;
        }
        for id in ids.filter(known) {
            if contains {
                containing.insert(id);
            }
            let best = similar.entry(id).or_default();
            *best = best.max(similarity);
        }
    }
    if whole_surname {
        let mut all: Vec<u32> = containing.into_iter().filter(|id| items.get(*id).is_some_and(&is_surname)).collect();
        by_mentions(items, &mut all);
        all.retain(|id| !exact.contains(id));
        exact.extend(all);
        exact.truncate(MAX_CANDIDATES);
        return (if exact.len() == 1 { Match::Exact } else { Match::Ambiguous }, exact);
    }
    let mut containing: Vec<u32> = containing.into_iter().collect();
    by_mentions(items, &mut containing);
    containing.truncate(MAX_CANDIDATES);
    match containing.len() {
        0 => misspelt(items, similar),
        1 => (Match::Fuzzy, containing),
        _ => (Match::Ambiguous, containing),
    }
}

fn misspelt<T: Copy + Ord + Hash>(items: &Items<T>, similar: HashMap<u32, f64>) -> (Match, Vec<u32>) {
    let mut similar: Vec<(u32, f64)> = similar.into_iter().collect();
    similar.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| order(items, *a).cmp(&order(items, *b))));
    let close = similar.iter().take_while(|(_, similarity)| *similarity >= MISSPELT).count();
    let leads = close == 1 || close > 1 && similar[0].1 - similar[1].1 >= LEAD;
    let (fit, taken) = match close {
        0 => (Match::None, MAX_SUGGESTIONS),
        _ if leads => (Match::Fuzzy, 1),
        _ => (Match::Ambiguous, close.min(MAX_CANDIDATES)),
    };
    (fit, similar.into_iter().take(taken).map(|(id, _)| id).collect())
}

/// A name with its umlauts spelt out, as keys have it; `None` if it has none. "Müller" is Mueller rather than Muller.
fn spelt(name: &str) -> Option<String> {
    same_text::with_umlauts_spelt_out(&same_text::folded(name)).map(|spelt| fold(&spelt))
}

/// True if the first of the items with the same name is the clear choice: only that one is known by the name more than by others,
/// or it is mentioned far more. Puts that one first.
fn is_clear<T: Copy + Ord + Hash>(
    items: &Items<T>,
    wanted: &str,
    spelt_out: Option<&str>,
    exact: &mut Vec<u32>,
) -> bool {
    let name = spelt_out.unwrap_or(wanted);
    let is_its_name = |id: u32| {
        items.get(id).is_some_and(|item| {
            spelt(item.name()).unwrap_or_else(|| fold(item.name())) == name || fold(&item.key) == name
        })
    };
    let own: Vec<usize> = (0..exact.len()).filter(|&at| is_its_name(exact[at])).collect();
    if let [one] = own[..] {
        let one = exact.remove(one);
        exact.insert(0, one);
        return true;
    }
    if own.is_empty() {
        // An alias refers to the item that most documents call by it.
        let written = |id: &u32| items.get(*id).map_or(0, |item| item.written(wanted));
        let mut by_written = exact.clone();
        by_written.sort_by_key(|id| Reverse(written(id)));
        if let [first, second, ..] = by_written[..]
            && written(&first) > written(&second)
        {
            *exact = by_written;
            return true;
        }
    }
    let count = |at: usize| exact.get(at).and_then(|id| items.get(*id)).map_or(0, |item| item.count);
    count(0) >= DOMINANT * count(1)
}

/// Most mentioned first.
fn by_mentions<T: Copy + Ord + Hash>(items: &Items<T>, ids: &mut [u32]) {
    ids.sort_unstable_by(|a, b| order(items, *a).cmp(&order(items, *b)));
}

fn order<T: Copy + Ord + Hash>(items: &Items<T>, id: u32) -> Option<(Reverse<u64>, T, &str)> {
    items.get(id).map(|item| (Reverse(item.count), item.kind, &*item.key))
}

fn one<T: Copy + Ord + Hash>(
    what: &str,
    list: Action,
    wanted: &str,
    fit: Match,
    ids: &[u32],
    items: &Items<T>,
    label: impl Fn(T) -> String,
) -> Result<u32> {
    let wanted: String = wanted.trim().chars().take(200).collect();
    let lines = || -> String {
        let found = ids.iter().filter_map(|id| items.get(*id));
        found.map(|item| format!("\n  - {} ({}, {} times)", item.name(), label(item.kind), item.count)).collect()
    };
    let not_found = |message: String| Error::new(ErrorCode::NotFound, message);
    match (fit, ids) {
        (Match::Exact | Match::Fuzzy, [first, ..]) => Ok(*first),
        (Match::Ambiguous, _) => Err(not_found(format!(
            "{what} name is ambiguous: \"{wanted}\". It could be:{}\nUse the full name, or give its type.",
            lines()
        ))),
        (_, []) => {
            Err(not_found(format!("{what} not found: \"{wanted}\".")).with_hint(hint!["List them with ", list, "."]))
        }
        _ => Err(not_found(format!("{what} not found: \"{wanted}\". Did you mean:{}", lines()))),
    }
}
