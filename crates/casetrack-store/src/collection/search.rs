//! Searches, and which chunks they may find.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::{DocumentId, Result};
use casetrack_keyword::Bm25Query;

use super::LocalCollection;
use crate::bm25::WordConditions;
use crate::derived_index::{DerivedIndex, Handle};
use crate::indexes::{self, IndexHandle};
use crate::reader::Reader;
use crate::records::SlotRange;
use crate::records::sparse_vector::SparseVector;
use crate::roles::{Conditions, Filter, Hit, PagePlace, SearchChunks, Selection, VisitLexicon};
use crate::slots::SlotSet;

/// The beginnings of the pages of documents, by the first slots of the documents, which no other document ever gets.
/// They are kept once they were read, with labels and Bates numbers if a page has them; about 20 bytes a page.
#[derive(Default)]
pub(super) struct PagePlaces(Mutex<HashMap<u64, Arc<[PagePlace]>>>);

impl SearchChunks for LocalCollection {
    fn search_keywords(&self, query: Bm25Query, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let k = k.min(self.slots().chunks() as usize);
        if k == 0 {
            return Ok(Vec::new());
        }
        let selected = filter.slots(&self.slots());
        let none = WordConditions::default();
        let words = filter.selection.as_ref().map_or(&none, |selection| &selection.words);
        let found = self.ask(&self.indexes.bm25, |index| index.search(&query, k, selected.as_deref(), words))?;
        Ok(Hit::of_slots(&self.slots(), found))
    }

    fn search_dense(&self, vector: &[f32], k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let mut selected = filter.slots(&self.slots());
        if selected.is_none() && k >= usize::try_from(self.slots().chunks()).unwrap_or(usize::MAX) {
            selected = Some(Cow::Owned(self.slots().all()));
        }
        let found = self.ask(&self.indexes.dense, |index| index.search(vector, k, selected.as_deref()))?;
        Ok(Hit::of_slots(&self.slots(), found))
    }

    fn search_sparse(&self, query: &SparseVector, k: usize, filter: &Filter) -> Result<Vec<Hit>> {
        let selected = filter.slots(&self.slots());
        let found = self.ask(&self.indexes.sparse, |index| index.search(query, k, selected.as_deref()))?;
        Ok(Hit::of_slots(&self.slots(), found))
    }

    fn select(&self, conditions: &Conditions) -> Result<Selection> {
        let mut slots = conditions.slots_of_documents(&self.slots());
        if conditions.is_about_pages() {
            slots = self.on_pages(&slots, conditions)?;
        }
        slots = conditions.of_chunks(slots, &self.slots());
        let words = conditions.words.clone();
        if !words.is_empty() {
            slots = slots.intersection(&self.ask(&self.indexes.bm25, |index| index.matching(&words))?);
        }
        if let Some(expression) = &conditions.expression {
            slots = slots.intersection(&self.ask(&self.indexes.bm25, |index| index.fulfilling(expression))?);
        }
        Ok(Selection { slots, words })
    }

    fn places(&self, selection: &Selection) -> Vec<(DocumentId, u32)> {
        let slots = self.slots();
        selection.slots.iter().filter_map(|slot| slots.resolve(slot)).collect()
    }

    fn with_lexicon(&self, visit: &mut VisitLexicon<'_>) -> Result<()> {
        let document_of = |slot| self.slots().resolve(slot).map(|(document, _)| document);
        // It may be called twice, and never by two threads.
        let visit = RefCell::new(visit);
        self.ask(&self.indexes.bm25, |index| index.with_lexicon(|lexicon| visit.borrow_mut()(lexicon, &document_of)))
    }
}

impl LocalCollection {
    fn ask<I: DerivedIndex, T>(&self, handle: &Handle<I>, question: impl Fn(&I) -> Result<T>) -> Result<T> {
        let recover = || self.with_origin(&self.writer(), |origin| handle.recover(origin));
        indexes::ask(handle, recover, question)
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
