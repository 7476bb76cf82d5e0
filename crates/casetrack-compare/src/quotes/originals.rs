//! Quotations of documents before their tracked changes: a draft's deletion is quoted easily as if it had been agreed.

use std::collections::HashSet;
use std::ops::Range;

use casetrack_core::{Change, DocumentId, DocumentMeta, OriginalPiece, Page, Result, original_pieces};
use casetrack_store::Collection;

use super::candidates::phrases;
use super::parts::Pattern;
use super::symbols::{Row, symbols};
use casetrack_host::documents::tracked_changes::{CitedChange, known_spans, pages_with_changes, placed};

/// Most changes that are named.
const MAX_CHANGES: usize = 3;

/// The pages with tracked changes, as they were before.
pub(super) struct Originals {
    pages: Vec<Original>,
}

struct Original {
    document: DocumentMeta,
    number: u32,
    changes: Vec<Change>,
    chars: Vec<char>,
    /// The text that each change deleted or, as an empty range, the point of its addition; by place. A text that
    /// was both inserted and deleted is behind the page, by itself.
    changed: Vec<(Range<usize>, usize)>,
}

impl Originals {
    /// Reads all pages with tracked changes. Takes memory and time in proportion to them.
    pub fn read(collection: &Collection) -> Result<Self> {
        let mut pages = Vec::new();
        for document in collection.documents()?.into_iter().filter(|document| document.tracked_changes > 0) {
            for number in pages_with_changes(&document) {
                let changes = collection.page_changes(document.id, number)?;
                if !changes.is_empty()
                    && let Some(page) = collection.page(document.id, number)?
                {
                    pages.push(Original::new(document.clone(), &page, changes));
                }
            }
        }
        Ok(Self { pages })
    }

    /// The changes that took a quotation out of the text; at most three, of the first page that had it. Empty if none did.
    pub fn find(
        &self,
        collection: &Collection,
        quotation: &str,
        documents: Option<&[DocumentId]>,
    ) -> Result<Vec<CitedChange>> {
        let readings = Pattern::readings(quotation);
        let Some(reading) = readings.iter().max_by_key(|reading| reading.parts.len()) else { return Ok(Vec::new()) };
        let phrases = phrases(reading);
        let words: HashSet<&str> = phrases.iter().flat_map(|phrase| phrase.split_whitespace()).collect();
        let asked = |page: &&Original| documents.is_none_or(|documents| documents.contains(&page.document.id));
        for page in self.pages.iter().filter(asked) {
            let changes = page.changes_of(&readings, &words);
            if !changes.is_empty() {
                let mut spans = None;
                let spans = known_spans(collection, &page.document, &mut spans)?;
                let placed =
                    placed(collection, &page.document, page.number, changes.into_iter().take(MAX_CHANGES), spans)?;
                return Ok(placed.into_iter().map(|placed| placed.change).collect());
            }
        }
        Ok(Vec::new())
    }
}

impl Original {
    fn new(document: DocumentMeta, page: &Page, changes: Vec<Change>) -> Self {
        let text: Vec<char> = page.text.chars().collect();
        let mut chars = Vec::new();
        let mut changed = Vec::new();
        let index_of = |change: &Change| changes.iter().position(|one| std::ptr::eq(one, change));
        for piece in original_pieces(0, text.len() as u32, &changes) {
            let start = chars.len();
            let change = match piece {
                OriginalPiece::Kept(kept) => {
                    chars.extend(text.get(kept.start as usize..kept.end as usize).unwrap_or_default());
                    continue;
                }
                OriginalPiece::Removed(change) => {
                    chars.extend(change.text.chars());
                    change
                }
                OriginalPiece::Added(change) => change,
            };
            changed.extend(index_of(change).map(|index| (start..chars.len(), index)));
        }
        for (index, change) in changes.iter().enumerate().filter(|(_, change)| change.of_insertion) {
            chars.push('\n');
            let start = chars.len();
            chars.extend(change.text.chars());
            changed.push((start..chars.len(), index));
        }
        Self { document, number: page.number, changes, chars, changed }
    }

    /// The changes inside the first place that has the quotation; `words` are some of its words.
    fn changes_of(&self, readings: &[Pattern], words: &HashSet<&str>) -> Vec<&Change> {
        let text: String = self.chars.iter().collect();
        if !words.iter().all(|word| text.contains(word)) {
            return Vec::new();
        }
        let symbols = symbols(&self.chars, &[]);
        let row = Row { chars: &self.chars, symbols: &symbols };
        let fits = readings.iter().flat_map(|reading| reading.fits(&row));
        let touched = fits.map(|fit| {
            let place =
                match (symbols.get(fit.place.start), fit.place.end.checked_sub(1).and_then(|last| symbols.get(last))) {
                    (Some(first), Some(last)) => first.start as usize..last.end as usize,
                    _ => 0..0,
                };
            self.touched(&place)
        });
        touched.into_iter().find(|changes| !changes.is_empty()).unwrap_or_default()
    }

    fn touched(&self, place: &Range<usize>) -> Vec<&Change> {
        let inside = |range: &Range<usize>| match range.is_empty() {
            true => place.start < range.start && range.start < place.end,
            false => range.start < place.end && place.start < range.end,
        };
        self.changed.iter().filter(|(range, _)| inside(range)).map(|(_, index)| &self.changes[*index]).collect()
    }
}
