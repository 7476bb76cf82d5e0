//! The place of a passage in a page, and in a document that may have changed.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use casetrack_core::evidence::EvidenceItem;
use casetrack_core::{DocumentId, DocumentMeta, Page, Result};

use casetrack_host::OpenCollection;

/// Pages that are searched for a passage that has moved, from its page outwards.
const MOST_PAGES: u32 = 200;

pub(super) struct Sources<'c> {
    pub collection: &'c OpenCollection,
    /// The last one: items of a page often follow each other.
    last: HashMap<(DocumentId, u32), Arc<Page>>,
}

impl<'c> Sources<'c> {
    pub fn new(collection: &'c OpenCollection) -> Self {
        Self { collection, last: HashMap::new() }
    }

    fn page(&mut self, document: DocumentId, number: u32) -> Result<Option<Arc<Page>>> {
        if let Some(page) = self.last.get(&(document, number)) {
            return Ok(Some(Arc::clone(page)));
        }
        let Some(page) = self.collection.page(document, number)?.map(Arc::new) else { return Ok(None) };
        self.last = HashMap::from([((document, number), Arc::clone(&page))]);
        Ok(Some(page))
    }

    /// The place of an item's text in the document: at its place, else nearest to it.
    pub fn find(&mut self, meta: &DocumentMeta, item: &EvidenceItem) -> Result<Option<(Arc<Page>, Range<u32>)>> {
        for number in outwards(item.page, meta.page_count) {
            let Some(page) = self.page(meta.id, number)? else { continue };
            let place = item.char_start..item.char_end;
            if number == item.page && slice(&page.text, &place).as_deref() == Some(&item.text) {
                return Ok(Some((page, place)));
            }
            if let Some(range) = verbatim(&page.text, &item.text, item.char_start) {
                return Ok(Some((page, range)));
            }
        }
        Ok(None)
    }
}

/// The pages of a document, those nearest to one first.
fn outwards(from: u32, count: u32) -> impl Iterator<Item = u32> {
    let from = from.clamp(1, count.max(1));
    let around = (0..=count).flat_map(move |step| {
        let before = from.checked_sub(step).filter(|_| step > 0);
        [Some(from.saturating_add(step)), before].into_iter().flatten()
    });
    around.filter(move |page| (1..=count).contains(page)).take(MOST_PAGES as usize)
}

pub(super) fn slice(text: &str, range: &Range<u32>) -> Option<String> {
    let length = range.end.checked_sub(range.start)? as usize;
    let found: String = text.chars().skip(range.start as usize).take(length).collect();
    (found.chars().count() == length).then_some(found)
}

/// The place of a text, word for word, in a page: of several places the nearest to `near`.
fn verbatim(page: &str, text: &str, near: u32) -> Option<Range<u32>> {
    let length = text.chars().count() as u32;
    // Counting continues from one place to the next.
    let (mut bytes, mut chars) = (0, 0);
    let starts = page.match_indices(text).filter_map(|(at, _)| {
        chars += page.get(bytes..at)?.chars().count() as u32;
        bytes = at;
        Some(chars)
    });
    let start = starts.min_by_key(|start| start.abs_diff(near))?;
    Some(start..start + length)
}

/// The place of these words in a page, with any white space between or inside them: of several places the nearest to `near`. Costs time and
/// memory in proportion to the page.
pub(super) fn quoted(page: &str, quote: &str, near: u32) -> Option<Range<u32>> {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (squeezed, wanted) = (bare(page), bare(quote));
    if wanted.is_empty() {
        return None;
    }
    // The index in the page of each remaining character.
    let places: Vec<u32> = (0..).zip(page.chars()).filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| at).collect();
    let length = wanted.chars().count();
    let (mut bytes, mut chars) = (0, 0);
    let found = squeezed.match_indices(&wanted).filter_map(|(at, _)| {
        chars += squeezed.get(bytes..at)?.chars().count();
        bytes = at;
        Some(*places.get(chars)?..*places.get(chars + length - 1)? + 1)
    });
    found.min_by_key(|range| range.start.abs_diff(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_several_places_is_meant() {
        let page = "Péage due. Rent. Rent is due.\nRent";
        assert_eq!(verbatim(page, "Rent", 0), Some(11..15));
        assert_eq!(verbatim(page, "Rent", 40), Some(30..34));
        assert_eq!(verbatim(page, "rent", 0), None);
        assert_eq!(slice(page, &(0..5)).as_deref(), Some("Péage"));
        assert_eq!(slice(page, &(30..40)), None);
    }

    #[test]
    fn white_space_makes_no_difference_to_a_quotation() {
        let page = "1.\nThe Ten\u{a0}ant  shall\npay é rent. The Tenant shall pay.";
        assert_eq!(quoted(page, "Tenant shall pay", 0), Some(7..25));
        assert_eq!(quoted(page, "the tenant", 0), None);
        assert_eq!(quoted(page, "Tenant\tshall   pay", 60), Some(38..54));
        assert_eq!(quoted(page, " \n", 0), None);
    }

    #[test]
    fn pages_are_searched_from_the_nearest_on() {
        assert_eq!(outwards(3, 5).collect::<Vec<_>>(), [3, 4, 2, 5, 1]);
        assert_eq!(outwards(9, 2).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(outwards(1, 0).count(), 0);
        assert_eq!(outwards(500, 1000).count(), MOST_PAGES as usize);
    }
}
