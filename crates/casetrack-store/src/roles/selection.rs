use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use casetrack_core::{BatesNumber, BatesRange, DocumentId, PageOrigin, Result, is_exhibit, numbers_within};

use crate::bm25::{Expression, WordConditions};
use crate::records::{ChunkSpan, PageRecord, SlotRange};
use crate::slots::{SlotMap, SlotSet};

/// Conditions on the chunks that a search may find. All that are given must hold.
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
    /// True if it admits the chunk of the page with this index.
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
    /// True if there is a condition on pages.
    pub fn is_about_pages(&self) -> bool {
        !self.pages.is_empty() || self.min_confidence.is_some()
    }

    pub fn slots_of_documents(&self, all: &SlotMap) -> SlotSet {
        self.documents.as_ref().map_or_else(|| all.all(), |documents| all.select(documents))
    }

    /// Those of some slots that are of the chunks that are admitted.
    pub fn of_chunks(&self, slots: SlotSet, all: &SlotMap) -> SlotSet {
        let Some(chunks) = &self.chunks else { return slots };
        let mut chosen: Vec<u64> = chunks.iter().filter_map(|&(document, index)| all.slot(document, index)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        slots.intersection(&chosen)
    }

    /// The slots on pages that fulfil the conditions, of ranges that are those of whole documents; `places` gives the
    /// beginnings of the pages of one.
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
    /// The selection of slots that fulfil `words`.
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

    /// The chunks that both select.
    pub fn within(&self, other: &Self) -> Self {
        let others: Vec<u64> = other.slots.iter().collect();
        Self { slots: self.slots.intersection(&others), words: other.words.clone() }
    }

    /// The chunks that either selects, without a condition on words.
    pub fn or(&self, other: &Self) -> Self {
        Self { slots: self.slots.union(&other.slots), words: WordConditions::default() }
    }

    /// The number of selected chunks of each document: none of a document that has no chunks and was not excluded.
    /// Others of which none is selected are left out.
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
    /// The index of the first one; the page ends at the start of the next.
    pub first: u32,
    /// 1 if there was no OCR.
    confidence: f32,
    printed: Option<Box<Printed>>,
    /// Of chunks of numbered paragraphs, by their index: the first and the last number.
    numbers: Vec<(u32, (u32, u32))>,
}

impl PagePlace {
    /// The beginnings of the pages of a document, from the places of its chunks and the records of its pages.
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

    /// The indexes of the chunks on some pages, from the places of a document with `count` chunks.
    pub fn chunks_on(places: &[Self], pages: &RangeInclusive<u32>, count: u32) -> Range<u32> {
        let first = places.partition_point(|place| place.page < *pages.start());
        let end = places.partition_point(|place| place.page <= *pages.end());
        let begin = |place: usize| places.get(place).map_or(count, |place| place.first);
        begin(first)..begin(end)
    }
}

#[derive(Debug, Clone)]
struct Printed {
    label: Option<String>,
    bates: Option<BatesNumber>,
    exhibits: Vec<String>,
}

impl Printed {
    /// `None` if the page has nothing of this.
    fn of(origin: PageOrigin) -> Option<Box<Self>> {
        let PageOrigin { label, bates, exhibits, .. } = origin;
        let bates = bates.and_then(|number| number.parse().ok());
        let has_any = label.is_some() || bates.is_some() || !exhibits.is_empty();
        has_any.then(|| Box::new(Self { label, bates, exhibits }))
    }
}
