//! The redline between two documents: the changes of the second, paragraph by paragraph, with citations of both.

use std::ops::Range;

use casetrack_core::{Action, CollectionId, DocumentId, DocumentMeta, Error, ErrorCode, Feature, Page, Result, hint};
use schemars::JsonSchema;
use serde::Serialize;

use super::alignment::{Match, align};
use super::paragraphs::{Paragraph, paragraphs};
use super::words::{Vocabulary, Words, marked};
use casetrack_host::documents::document_named;
use casetrack_host::documents::facts::{CitedPlace, pages};
use casetrack_host::paging::{Paging, Part};
use casetrack_host::{Host, OpenCollection};

/// Most paragraphs of a document in a redline.
pub const MAX_PARAGRAPHS: usize = 200_000;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Redline {
    pub collection: String,
    /// Names of the documents.
    pub old_document: String,
    pub new_document: String,
    pub counts: RedlineCounts,
    /// Changes of the whole document, also those that are not listed.
    pub total: u64,
    /// In the order of the new document; deleted text comes before the text that follows it there.
    pub changes: Vec<RedlineChange>,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Paragraphs by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RedlineCounts {
    pub unchanged: u64,
    pub changed: u64,
    pub inserted: u64,
    pub deleted: u64,
    pub moved: u64,
    pub moved_and_changed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Changed,
    Inserted,
    Deleted,
    Moved,
    MovedAndChanged,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RedlineChange {
    pub kind: ChangeKind,
    /// Absent if it was inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<RedlineSide>,
    /// Absent if it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<RedlineSide>,
    /// Where words changed: the new text with `[-deleted-]` and `{+inserted+}` words. Of long stretches that are the
    /// same only the words next to changes are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marked: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RedlineSide {
    /// Its text in one line, without running lines.
    pub quote: String,
    #[serde(flatten)]
    pub place: CitedPlace,
    /// Its further places: after the end of a page, or in the next paragraphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub continued: Vec<CitedPlace>,
}

struct Side {
    pages: Vec<Page>,
    unpaged: bool,
    paragraphs: Vec<Paragraph>,
    words: Vec<Words>,
}

impl Side {
    fn read(collection: &OpenCollection, document: DocumentId, vocabulary: &mut Vocabulary) -> Result<Self> {
        let (pages, unpaged) = pages(collection, document)?;
        let paragraphs = paragraphs(&pages);
        let words = paragraphs.iter().map(|paragraph| vocabulary.words(&paragraph.text)).collect();
        Ok(Self { pages, unpaged, paragraphs, words })
    }

    fn cited(&self, range: &Range<usize>) -> Option<RedlineSide> {
        let paragraphs = self.paragraphs.get(range.clone())?;
        let mut places = paragraphs.iter().flat_map(|paragraph| &paragraph.places).filter_map(|place| {
            let page = self.pages.get(place.page)?;
            Some(CitedPlace::new(page, self.unpaged, place.chars.clone()))
        });
        Some(RedlineSide { quote: joined(paragraphs), place: places.next()?, continued: places.collect() })
    }
}

fn joined(paragraphs: &[Paragraph]) -> String {
    let texts: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
    texts.join(" ")
}

impl Match {
    fn kind(&self) -> Option<ChangeKind> {
        match (self.old.is_empty(), self.new.is_empty(), self.is_same, self.is_moved) {
            (true, ..) => Some(ChangeKind::Inserted),
            (_, true, ..) => Some(ChangeKind::Deleted),
            (_, _, true, true) => Some(ChangeKind::Moved),
            (_, _, false, true) => Some(ChangeKind::MovedAndChanged),
            (_, _, false, false) => Some(ChangeKind::Changed),
            (_, _, true, false) => None,
        }
    }
}

struct Compared {
    vocabulary: Vocabulary,
    old: Side,
    new: Side,
    matches: Vec<Match>,
}

impl Compared {
    fn read(collection: &OpenCollection, old: &DocumentMeta, new: &DocumentMeta) -> Result<Self> {
        let mut vocabulary = Vocabulary::default();
        let mut read = |document: &DocumentMeta| -> Result<Side> {
            let side = Side::read(collection, document.id, &mut vocabulary)?;
            if side.paragraphs.len() > MAX_PARAGRAPHS {
                return Err(Error::invalid(format!(
                    "{} has {} paragraphs; a redline takes at most {MAX_PARAGRAPHS}.",
                    document.name,
                    side.paragraphs.len()
                ))
                .with_hint("Compare passages of both documents about a topic instead."));
            }
            Ok(side)
        };
        let (old, new) = (read(old)?, read(new)?);
        let matches = align(&vocabulary, &old.words, &new.words);
        Ok(Self { vocabulary, old, new, matches })
    }

    fn counts(&self) -> RedlineCounts {
        let mut counts = RedlineCounts::default();
        for matched in &self.matches {
            let count = match matched.kind() {
                None => &mut counts.unchanged,
                Some(ChangeKind::Changed) => &mut counts.changed,
                Some(ChangeKind::Inserted) => &mut counts.inserted,
                Some(ChangeKind::Deleted) => &mut counts.deleted,
                Some(ChangeKind::Moved) => &mut counts.moved,
                Some(ChangeKind::MovedAndChanged) => &mut counts.moved_and_changed,
            };
            *count += 1;
        }
        counts
    }

    fn change(&mut self, kind: ChangeKind, matched: &Match) -> RedlineChange {
        let (old, new) = (self.old.cited(&matched.old), self.new.cited(&matched.new));
        let marked = match (&old, &new, kind) {
            (Some(old), Some(new), ChangeKind::Changed | ChangeKind::MovedAndChanged) => {
                let (a, b) = (self.vocabulary.words(&old.quote), self.vocabulary.words(&new.quote));
                Some(marked((&old.quote, &a), (&new.quote, &b)))
            }
            _ => None,
        };
        RedlineChange { kind, old, new, marked }
    }
}

impl RedlineCounts {
    pub fn changes(&self) -> u64 {
        self.changed + self.inserted + self.deleted + self.moved + self.moved_and_changed
    }
}

/// The number of paragraphs of two documents that differ; `None` if one has gone, or has too many.
pub(super) fn count_changes(collection: &OpenCollection, old: DocumentId, new: DocumentId) -> Result<Option<u64>> {
    let (Some(old), Some(new)) = (collection.document(old)?, collection.document(new)?) else { return Ok(None) };
    match Compared::read(collection, &old, &new) {
        Ok(compared) => Ok(Some(compared.counts().changes())),
        Err(error) if error.code == ErrorCode::InvalidArgument => Ok(None),
        Err(error) => Err(error),
    }
}

/// The changes from the first document to the second, paragraph by paragraph: two versions of a contract, in any formats. Breaks between
/// pages and paragraphs, white space, running heads and feet, and the shapes of quotation marks and dashes are no changes. Takes some 100 ms for 100 pages.
///
/// Errors: [`ErrorCode::NotFound`](casetrack_core::ErrorCode::NotFound) for documents that do not exist;
/// [`ErrorCode::InvalidArgument`](casetrack_core::ErrorCode::InvalidArgument) if both are one, and if one has more than
/// [`MAX_PARAGRAPHS`] paragraphs.
pub fn redline(host: &Host, collection: CollectionId, documents: [&str; 2], paging: Paging) -> Result<Redline> {
    host.config().tier.check(Feature::CompareDocuments)?;
    let collection = host.collection(collection)?;
    let [old, new] = [document_named(&collection, documents[0])?, document_named(&collection, documents[1])?];
    if old.id == new.id {
        return Err(Error::invalid(format!("Both names mean the same document, {}.", old.name)).with_hint(hint![
            "Name two different documents. List them with ",
            Action::ListDocuments,
            "."
        ]));
    }
    let mut compared = Compared::read(&collection, &old, &new)?;
    let counts = compared.counts();
    let matches = compared.matches.iter().filter_map(|matched| Some((matched.kind()?, matched.clone())));
    let Part { items, total, next_offset } = paging.of(matches.collect());
    let changes = items.into_iter().map(|(kind, matched)| compared.change(kind, &matched)).collect();
    let mut notices = Vec::new();
    for document in [&old, &new] {
        notices.extend(document.warnings.iter().map(|warning| format!("{}: {warning}", document.name)));
    }
    Ok(Redline {
        collection: collection.meta().name.clone(),
        old_document: old.name,
        new_document: new.name,
        counts,
        total,
        changes,
        next_offset,
        notices,
    })
}
