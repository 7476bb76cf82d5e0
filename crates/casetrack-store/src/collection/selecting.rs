//! Which chunks a search may find.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::{BatesNumber, BatesRange, DocumentId, PageOrigin, Result, is_exhibit, numbers_within};

use super::LocalCollection;
use crate::bm25::{Expression, WordConditions};
use crate::reader::Reader;
use crate::records::{ChunkSpan, PageRecord, SlotRange};
use crate::slots::SlotSet;

/// What a chunk must be like to be found. All that is given must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conditions {
    /// Of one of these documents.
    pub documents: Option<Vec<DocumentId>>,
    /// One of these, by document and index.
    pub chunks: Option<Vec<(DocumentId, u32)>>,
    /// For each list: on a page that passes one of its tests.
    pub pages: Vec<Vec<PageTest>>,
    /// On a page whose mean OCR confidence (0–1) is at least this, or that was not read by OCR.
    pub min_confidence: Option<f32>,
    pub words: WordConditions,
    pub expression: Option<Expression>,
}

/// What a page must be to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageTest {
    /// The file counts it as one of these, from 1.
    Numbered(RangeInclusive<u32>),
    /// This label is printed on it; case does not matter.
    Labelled(String),
    /// It has one of these Bates numbers.
    Stamped(BatesRange),
    /// It has the stamp of this exhibit, as [`is_exhibit`] compares them.
    Exhibit(String),
    /// The chunk is part of one of these numbered paragraphs.
    Paragraph(RangeInclusive<u32>),
}

impl PageTest {
    /// Whether it admits the chunk of the page with this index.
    fn admits(&self, place: &PagePlace, chunk: u32) -> bool {
        let printed = place.printed.as_deref();
        match self {
            Self::Numbered(range) => range.contains(&place.page),
            Self::Labelled(label) => printed
                .and_then(|printed| printed.label.as_ref())
                .is_some_and(|own| own.to_lowercase() == label.to_lowercase()),
            Self::Stamped(range) => {
                printed.and_then(|printed| printed.bates.as_ref()).is_some_and(|number| range.contains(number))
            }
            Self::Exhibit(meant) => {
                printed.is_some_and(|printed| printed.exhibits.iter().any(|stamp| is_exhibit(stamp, meant)))
            }
            Self::Paragraph(range) => place
                .numbers
                .iter()
                .any(|&(of, (first, last))| of == chunk && first <= *range.end() && last >= *range.start()),
        }
    }
}

impl Conditions {
    /// Whether anything is asked of pages.
    pub fn is_about_pages(&self) -> bool {
        !self.pages.is_empty() || self.min_confidence.is_some()
    }

    /// The slots on pages that fulfil the conditions, of ranges that are those of whole documents; `places` gives where the pages of one begin.
    pub fn on_pages(
        &self,
        slots: &SlotSet,
        places: impl Fn(&SlotRange) -> Result<Arc<[PagePlace]>>,
    ) -> Result<SlotSet> {
        let mut kept = Vec::new();
        let admits = |place: &PagePlace, chunk: u32| {
            self.pages.iter().all(|tests| tests.iter().any(|test| test.admits(place, chunk)))
                && self.min_confidence.is_none_or(|least| place.confidence >= least)
        };
        let of_paragraphs = self.pages.iter().flatten().any(|test| matches!(test, PageTest::Paragraph(_)));
        for range in slots.ranges() {
            let places = places(range)?;
            for (n, place) in places.iter().enumerate() {
                let end = places.get(n + 1).map_or(range.count, |next| next.first).min(range.count);
                let part = |from: u32, count: u32| SlotRange { first: range.first + u64::from(from), count, ..*range };
                if of_paragraphs {
                    kept.extend((place.first..end).filter(|chunk| admits(place, *chunk)).map(|chunk| part(chunk, 1)));
                } else if place.first < end && admits(place, place.first) {
                    kept.push(part(place.first, end - place.first));
                }
            }
        }
        Ok(SlotSet::of(kept))
    }
}

/// The chunks that fulfil [`Conditions`], as of when they were selected: those that are added later are not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub(crate) slots: SlotSet,
    pub(crate) words: WordConditions,
}

impl Selection {
    /// Of slots that fulfil `words`.
    pub fn of(slots: SlotSet, words: WordConditions) -> Self {
        Self { slots, words }
    }

    pub fn slots(&self) -> &SlotSet {
        &self.slots
    }

    pub fn chunks(&self) -> u64 {
        self.slots.len()
    }

    pub fn documents(&self) -> u64 {
        self.document_ids().count() as u64
    }

    /// What both select.
    pub fn within(&self, other: &Self) -> Self {
        let others: Vec<u64> = other.slots.iter().collect();
        Self { slots: self.slots.intersection(&others), words: other.words.clone() }
    }

    /// What either selects, without a condition on words.
    pub fn or(&self, other: &Self) -> Self {
        Self { slots: self.slots.union(&other.slots), words: WordConditions::default() }
    }

    /// How many chunks of each document are selected: none of a document that has no chunks and was not excluded. Others of which none is
    /// selected are left out.
    pub fn chunks_by_document(&self) -> impl Iterator<Item = (DocumentId, u64)> {
        let ranges = self.slots.ranges().chunk_by(|a, b| a.document == b.document);
        ranges.map(|ranges| (ranges[0].document, ranges.iter().map(|range| u64::from(range.count)).sum()))
    }

    /// Each document once.
    pub fn document_ids(&self) -> impl Iterator<Item = DocumentId> {
        self.slots.documents()
    }
}

/// Chunks of one page.
#[derive(Debug, Clone)]
pub struct PagePlace {
    pub page: u32,
    /// The index of the first one; the page ends where the next begins.
    pub first: u32,
    /// 1 where there was no OCR.
    confidence: f32,
    printed: Option<Box<Printed>>,
    /// Of chunks of numbered paragraphs, by their index: the first and the last number.
    numbers: Vec<(u32, (u32, u32))>,
}

impl PagePlace {
    /// Where the pages of a document begin, from where its chunks are and the records of its pages.
    pub fn all(spans: &[ChunkSpan], record: impl Fn(u32) -> Result<PageRecord>) -> Result<Vec<Self>> {
        let mut places: Vec<Self> = Vec::new();
        let mut numbered = Vec::new();
        for &ChunkSpan { index, page, char_start, char_end, .. } in spans {
            if places.last().is_none_or(|place| place.page != page) {
                let mut record = record(page)?;
                numbered = std::mem::take(&mut record.notes.numbered);
                let origin = record.into_origin();
                let confidence = origin.ocr_confidence.unwrap_or(1.0);
                places.push(Self { page, first: index, confidence, printed: Printed::of(origin), numbers: Vec::new() });
            }
            let numbers = numbers_within(&numbered, char_start, char_end);
            if let Some((place, numbers)) = places.last_mut().zip(numbers) {
                place.numbers.push((index, numbers));
            }
        }
        Ok(places)
    }

    /// The indexes of the chunks on some pages, of the places of a document with so many chunks.
    pub fn chunks_on(places: &[Self], pages: &RangeInclusive<u32>, count: u32) -> Range<u32> {
        let first = places.partition_point(|place| place.page < *pages.start());
        let end = places.partition_point(|place| place.page <= *pages.end());
        let begin = |place: usize| places.get(place).map_or(count, |place| place.first);
        begin(first)..begin(end)
    }
}

/// What a page is called besides its number.
#[derive(Debug, Clone)]
struct Printed {
    label: Option<String>,
    bates: Option<BatesNumber>,
    exhibits: Vec<String>,
}

impl Printed {
    /// `None` where the page has nothing of this.
    fn of(origin: PageOrigin) -> Option<Box<Self>> {
        let PageOrigin { label, bates, exhibits, .. } = origin;
        let bates = bates.and_then(|number| number.parse().ok());
        let has_any = label.is_some() || bates.is_some() || !exhibits.is_empty();
        has_any.then(|| Box::new(Self { label, bates, exhibits }))
    }
}

/// Where the pages of documents begin, by their first slots, which no other document ever gets: about 20 bytes a page, and its label and Bates number where it has them, kept once
/// they have been asked for.
#[derive(Default)]
pub(super) struct PagePlaces(Mutex<HashMap<u64, Arc<[PagePlace]>>>);

impl LocalCollection {
    /// The chunks that fulfil conditions. Takes well under a millisecond for documents, some for words, and reads where the
    /// pages of a document begin once (about 10 µs a page).
    pub fn select(&self, conditions: &Conditions) -> Result<Selection> {
        let mut slots = match &conditions.documents {
            Some(documents) => self.slots().select(documents),
            None => self.slots().all(),
        };
        if conditions.is_about_pages() {
            slots = self.on_pages(&slots, conditions)?;
        }
        if let Some(chunks) = &conditions.chunks {
            let known = self.slots();
            let mut chosen: Vec<u64> =
                chunks.iter().filter_map(|&(document, index)| known.slot(document, index)).collect();
            drop(known);
            chosen.sort_unstable();
            chosen.dedup();
            slots = slots.intersection(&chosen);
        }
        let words = conditions.words.clone();
        if !words.is_empty() {
            slots = slots.intersection(&self.ask(&self.indexes.bm25, |index| index.matching(&words))?);
        }
        if let Some(expression) = &conditions.expression {
            slots = slots.intersection(&self.ask(&self.indexes.bm25, |index| index.fulfilling(expression))?);
        }
        Ok(Selection { slots, words })
    }

    /// The document and index of each selected chunk that is still there.
    pub fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)> {
        let slots = self.slots();
        selection.slots.iter().filter_map(|slot| slots.resolve(slot)).collect()
    }

    fn on_pages(&self, slots: &SlotSet, conditions: &Conditions) -> Result<SlotSet> {
        let reader = self.truth.reader();
        conditions.on_pages(slots, |range| self.page_places(&reader, range))
    }

    pub(super) fn page_places(&self, reader: &Reader<'_>, range: &SlotRange) -> Result<Arc<[PagePlace]>> {
        let lock = || self.page_places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&range.first) {
            return Ok(Arc::clone(known));
        }
        let spans = reader.chunk_spans(range.document)?;
        let places = PagePlace::all(&spans, |page| reader.known_page(range.document, page))?;
        let places: Arc<[PagePlace]> = places.into();
        let mut known = lock();
        let slots = self.slots();
        if known.len() > 1000 + 2 * slots.documents() {
            known.retain(|&first, _| slots.resolve(first).is_some());
        }
        known.insert(range.first, Arc::clone(&places));
        Ok(places)
    }
}
