//! The lexicon of lists, and the places of words in them.

use std::sync::Arc;

use casetrack_core::{Error, Result};
use casetrack_keyword::{Analysis, Lexicon, TextField};
use tantivy::DocId;

use super::{Keywords, List, PostingLists};
use crate::bm25::{Matches, Occurrences, Slot};

impl<L: PostingLists> Lexicon for Keywords<'_, L> {
    fn chunks(&self) -> u64 {
        self.0.chunks().into()
    }

    fn analyses(&self) -> Result<Vec<Analysis>> {
        let mut marks = self.0.languages();
        marks.sort_unstable();
        marks.dedup();
        let own = marks.iter().filter_map(|mark| Analysis::with_mark(mark));
        Ok([Analysis::Usual].into_iter().chain(own).collect())
    }

    fn frequencies(&self, field: TextField, terms: &[&str]) -> Result<Vec<u64>> {
        self.0.frequencies(field, terms)
    }

    fn slots(&self, field: TextField, term: &str, most: usize) -> Result<Vec<u64>> {
        let lists = self.0.lists(&[(field, term)], false)?;
        let chunks = lists.iter().flat_map(|list| &list.chunks);
        Ok(chunks.take(most).map(|&chunk| self.0.slot(chunk)).collect())
    }

    fn near(&self, word: &str, edits: u8) -> Result<Vec<(String, u64)>> {
        let (characters, wide) = (word.chars().count(), usize::from(edits));
        let mut terms = self.0.with_characters(characters.saturating_sub(wide)..=characters + wide)?;
        // Neighbouring letters that are exchanged are one edit, as for the automaton.
        terms.retain(|(term, _)| strsim::osa_distance(word, term) <= wide);
        Ok(terms)
    }
}

impl<L: PostingLists> Keywords<'_, L> {
    /// The chunks that have words one after the other, in any of the forms that they have in the index; `None` if there
    /// is no word.
    pub(super) fn with_phrase(&self, words: &str) -> Result<Option<Vec<u32>>> {
        let mut found: Option<Vec<u32>> = None;
        for mut form in self.forms()?.into_iter().filter(|form| form.differs(words)) {
            let tokens = form.terms(words);
            if tokens.is_empty() {
                continue;
            }
            let terms: Vec<(TextField, &str)> =
                tokens.iter().map(|token| (TextField::Text, token.text.as_str())).collect();
            let lists = self.0.lists(&terms, tokens.len() > 1)?;
            let offsets: Vec<u32> = tokens.iter().map(|token| token.position as u32).collect();
            found.get_or_insert_default().extend(phrase(&lists, &offsets));
        }
        if let Some(found) = &mut found {
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    /// The lists of the terms that a slot stands for.
    fn lists_of(&self, slot: &Slot, with_positions: bool) -> Result<Vec<Arc<List>>> {
        match slot {
            Slot::Never => Ok(Vec::new()),
            Slot::Term { term, .. } => self.0.lists(&[(TextField::Text, term)], with_positions),
            Slot::Pattern(pattern) => {
                let mut terms = self.0.beginning_with(pattern.prefix())?;
                terms.retain(|term| pattern.matches(term));
                let terms: Vec<_> = terms.iter().map(|term| (TextField::Exact, term.as_str())).collect();
                self.0.lists(&terms, with_positions)
            }
        }
    }
}

/// The chunks that have each term at its offset from one place.
fn phrase(lists: &[Arc<List>], offsets: &[u32]) -> Vec<u32> {
    let Some(rarest) = (0..lists.len()).min_by_key(|&n| lists[n].chunks.len()) else { return Vec::new() };
    if lists.len() == 1 {
        return lists[rarest].chunks.clone();
    }
    let is_there = |chunk: u32, start: u32| {
        lists.iter().zip(offsets).all(|(list, offset)| list.places(chunk).binary_search(&(start + offset)).is_ok())
    };
    let mut found = Vec::new();
    for &chunk in &lists[rarest].chunks {
        let mut starts = lists[rarest].places(chunk).iter().filter_map(|at| at.checked_sub(offsets[rarest]));
        if starts.any(|start| is_there(chunk, start)) {
            found.push(chunk);
        }
    }
    found
}

impl<L: PostingLists> Occurrences for Keywords<'_, L> {
    type Error = Error;

    fn all(&self) -> Vec<DocId> {
        (0..self.0.chunks()).collect()
    }

    fn count(&self, slot: &Slot) -> Result<u64> {
        Ok(self.lists_of(slot, true)?.iter().map(|list| list.chunks.len() as u64).sum())
    }

    fn chunks_with(&self, slot: &Slot) -> Result<Vec<DocId>> {
        Ok(self.lists_of(slot, false)?.iter().flat_map(|list| list.chunks.iter().copied()).collect())
    }

    fn places(&self, slot: &Slot, within: Option<&[DocId]>) -> Result<Matches> {
        let mut found = Vec::new();
        for list in self.lists_of(slot, true)? {
            let is_wanted = |chunk: &u32| within.is_none_or(|within| within.binary_search(chunk).is_ok());
            for (at, &chunk) in list.chunks.iter().enumerate().filter(|(_, chunk)| is_wanted(chunk)) {
                found.push((chunk, slot.spans(list.places_at(at))));
            }
        }
        Ok(found)
    }
}
