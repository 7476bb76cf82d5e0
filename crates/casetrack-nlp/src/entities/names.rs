//! The names of an entity over the documents of a collection.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use casetrack_core::single_spaced;

/// How often an entity's surfaces occur. Documents are added and taken away one by one; the result depends on the
/// documents that are there, not on the order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityNames {
    /// By surface with white space folded: mentions as a name, and as a word of the document's own.
    counts: BTreeMap<String, (u64, u64)>,
}

impl EntityNames {
    /// Counts `mentions` more with this surface; `own_word` as [`super::Resolved`] has it.
    pub fn add(&mut self, surface: &str, own_word: bool, mentions: u64) {
        let (names, own) = self.counts.entry(single_spaced(surface)).or_default();
        let count = if own_word { own } else { names };
        *count = count.saturating_add(mentions);
    }

    pub fn remove(&mut self, surface: &str, own_word: bool, mentions: u64) {
        let surface = single_spaced(surface);
        if let Some((names, own)) = self.counts.get_mut(&surface) {
            let count = if own_word { &mut *own } else { &mut *names };
            *count = count.saturating_sub(mentions);
            if (*names, *own) == (0, 0) {
                self.counts.remove(&surface);
            }
        }
    }

    /// True if no mention is left, so that the entity no longer exists.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub fn mentions(&self) -> u64 {
        self.counts.values().map(|(names, own)| names + own).sum()
    }

    /// The name to show: the most frequent surface that is a name, in lower case if there is one (only capitals are a
    /// heading's); of these one without a point at its end, the longest, then the first by its letters.
    pub fn canonical(&self) -> Option<&str> {
        let rank = |(surface, (names, own)): &(&String, &(u64, u64))| {
            let (is_name, is_mixed) = (*names > 0, surface.chars().any(char::is_lowercase));
            (
                is_name,
                is_mixed,
                *names,
                *own,
                !surface.ends_with('.'),
                surface.chars().count(),
                Reverse((*surface).clone()),
            )
        };
        self.counts.iter().max_by_key(rank).map(|(surface, _)| surface.as_str())
    }

    /// The other surfaces, in alphabetical order.
    pub fn aliases(&self) -> impl Iterator<Item = &str> {
        let canonical = self.canonical();
        self.counts.keys().map(String::as_str).filter(move |surface| Some(*surface) != canonical)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use casetrack_core::EntityType;
    use proptest::prelude::*;

    use super::*;
    use crate::entities::{DocumentMention, EntityKey, resolve};

    #[test]
    fn the_most_frequent_name_is_shown_and_never_a_documents_own_word() {
        let mut names = EntityNames::default();
        names.add("the Company", true, 50);
        names.add("Acme Corp.", false, 2);
        names.add("Acme Corporation", false, 2);
        assert_eq!(names.canonical(), Some("Acme Corporation"));
        assert_eq!(names.aliases().collect::<Vec<_>>(), ["Acme Corp.", "the Company"]);
        names.remove("Acme Corporation", false, 2);
        assert_eq!(names.canonical(), Some("Acme Corp."));
    }

    type Collection = BTreeMap<EntityKey, EntityNames>;

    fn change(collection: &mut Collection, document: &[(EntityType, &str)], add: bool) {
        let mentions: Vec<_> = document
            .iter()
            .map(|&(entity_type, surface)| DocumentMention { entity_type, surface, value: None, alias: None })
            .collect();
        for (mention, resolved) in mentions.iter().zip(resolve(&mentions)) {
            let Some(resolved) = resolved else { continue };
            let names = collection.entry(resolved.key.clone()).or_default();
            if add {
                names.add(mention.surface, false, 1)
            } else {
                names.remove(mention.surface, false, 1)
            }
            if names.is_empty() {
                collection.remove(&resolved.key);
            }
        }
    }

    fn document() -> impl Strategy<Value = Vec<(EntityType, &'static str)>> {
        let people = [
            "John Smith",
            "J. Smith",
            "Smith",
            "Jane Smith",
            "Smith, John",
            "John A. Smith",
            "John B. Smith",
            "John",
            "Ann Lee",
        ];
        let companies =
            ["Acme", "Acme Corp.", "Acme Foods, Inc.", "ACME CORPORATION", "Acme Fuels LLC", "AF", "Beta plc"];
        let person = prop::sample::select(people.to_vec()).prop_map(|name| (EntityType::Person, name));
        let company = prop::sample::select(companies.to_vec()).prop_map(|name| (EntityType::Organization, name));
        prop::collection::vec(prop_oneof![person, company], 0..8)
    }

    proptest! {
        #[test]
        fn the_order_of_documents_and_mentions_does_not_matter(
            documents in prop::collection::vec(document(), 0..6), removed in document(), turn in 0usize..8,
        ) {
            let mut one = Collection::new();
            for document in &documents {
                change(&mut one, document, true);
            }
            let mut other = Collection::new();
            change(&mut other, &removed, true);
            for document in documents.iter().rev() {
                let mut document = document.clone();
                let turn = turn.min(document.len());
                document.rotate_left(turn);
                change(&mut other, &document, true);
            }
            change(&mut other, &removed, false);
            prop_assert_eq!(one, other);
        }
    }
}
