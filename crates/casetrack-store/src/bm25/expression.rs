//! The chunks that fulfil an expression of words, phrases, wildcards and proximity with AND, OR and NOT.
//!
//! Everything is decided by the positions of terms in the index, so that it is exact and no text is read. Words are
//! terms of the field `text`, without their endings, in each language that documents have; words with a wildcard are
//! looked up in the dictionary of the field `exact`, as they are written. A word has the same position in both.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use casetrack_keyword::{Form, Lexicon};
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, InvertedIndexReader, Searcher, SegmentReader, TERMINATED, Term};

use super::Bm25Index;
use super::lexicon::IndexLexicon;
use super::wildcard::{Slot, slots};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    Words(Words),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
}

/// Words with a place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// One or more words, one after the other. Compared as in keyword search: without case, accents and endings. A word
    /// with `*` after its first character stands for every word that has any letters or digits, or none, in the place
    /// of the `*`; its ending counts.
    Phrase(String),
    Any(Vec<Words>),
    /// Both, with at most this many words from the last one of the first to the first one of the second: 1 for
    /// neighbours. The order does not matter. The same words do not count as both.
    Near {
        left: Box<Words>,
        right: Box<Words>,
        words: u32,
    },
}

/// Positions of words in a chunk, half-open.
pub(crate) type Span = (u32, u32);
/// Chunks of a segment, ascending, with the places in each.
pub(crate) type Matches = Vec<(DocId, Vec<Span>)>;

impl Bm25Index {
    /// The slots of the chunks that fulfil an expression, in ascending order.
    pub fn fulfilling(&self, expression: &Expression) -> casetrack_core::Result<Vec<u64>> {
        self.commit_pending()?;
        let searcher = self.reader.searcher();
        let forms = RefCell::new(IndexLexicon { index: self, searcher: &searcher }.forms()?);
        self.find_fulfilling(&searcher, &forms, expression).map_err(|error| self.error(error))
    }

    fn find_fulfilling(
        &self,
        searcher: &Searcher,
        forms: &RefCell<Vec<Form>>,
        expression: &Expression,
    ) -> tantivy::Result<Vec<u64>> {
        let mut found = Vec::new();
        for segment in searcher.segment_readers() {
            let (text, exact) = (segment.inverted_index(self.fields.text)?, segment.inverted_index(self.fields.exact)?);
            let chunks = Segment { segment, text_field: self.fields.text, text, exact };
            let slots = segment.fast_fields().u64("slot")?;
            let alive = segment.alive_bitset();
            let docs = Evaluation { chunks: &chunks, forms }.fulfilling(expression)?;
            let live = docs.into_iter().filter(|&doc| alive.is_none_or(|alive| alive.is_alive(doc)));
            found.extend(live.filter_map(|doc| slots.first(doc)));
        }
        found.sort_unstable();
        Ok(found)
    }
}

/// The places of words in some chunks.
pub(crate) trait Occurrences {
    type Error;

    /// All of these chunks, ascending.
    fn all(&self) -> Vec<DocId>;

    /// The number of chunks that match a slot of a phrase, counted once for each term.
    fn count(&self, slot: &Slot) -> Result<u64, Self::Error>;

    /// Those chunks, in any order.
    fn chunks_with(&self, slot: &Slot) -> Result<Vec<DocId>, Self::Error>;

    /// Its places in each of them, or of those `within`, in any order.
    fn places(&self, slot: &Slot, within: Option<&[DocId]>) -> Result<Matches, Self::Error>;
}

/// Finds the chunks that fulfil expressions.
pub(crate) struct Evaluation<'e, O> {
    pub chunks: &'e O,
    /// Analyzers have a state of their own while they read a text.
    pub forms: &'e RefCell<Vec<Form>>,
}

impl<O: Occurrences> Evaluation<'_, O> {
    /// Ascending.
    pub fn fulfilling(&self, expression: &Expression) -> Result<Vec<DocId>, O::Error> {
        match expression {
            Expression::Words(words) => self.with(words),
            Expression::Any(any) => {
                let mut docs = Vec::new();
                for one in any {
                    docs.extend(self.fulfilling(one)?);
                }
                Ok(sorted(docs))
            }
            Expression::All(all) => {
                let (without, with): (Vec<_>, Vec<_>) = all.iter().partition(|one| matches!(one, Expression::Not(_)));
                let mut docs = None;
                for one in with {
                    let found = self.fulfilling(one)?;
                    docs = Some(docs.map_or_else(|| found.clone(), |docs| kept(docs, |doc| has(&found, doc))));
                }
                let mut docs = docs.unwrap_or_else(|| self.chunks.all());
                for one in without {
                    if let Expression::Not(one) = one {
                        let found = self.fulfilling(one)?;
                        docs = kept(docs, |doc| !has(&found, doc));
                    }
                }
                Ok(docs)
            }
            Expression::Not(one) => {
                let found = self.fulfilling(one)?;
                Ok(kept(self.chunks.all(), |doc| !has(&found, doc)))
            }
        }
    }

    fn with(&self, words: &Words) -> Result<Vec<DocId>, O::Error> {
        if let Words::Phrase(phrase) = words {
            let forms = self.forms_of(phrase);
            if forms.iter().all(|form| form.len() == 1) {
                // If no place is needed, none is read.
                let mut docs = Vec::new();
                for slot in forms.iter().flatten() {
                    docs.extend(self.chunks.chunks_with(slot)?);
                }
                return Ok(sorted(docs));
            }
        }
        Ok(self.places(words, None)?.into_iter().map(|(doc, _)| doc).collect())
    }

    /// The places of the words, in all chunks or those `within`.
    fn places(&self, words: &Words, within: Option<&[DocId]>) -> Result<Matches, O::Error> {
        match words {
            Words::Phrase(phrase) => {
                let mut forms = self.forms_of(phrase).into_iter();
                let first = forms.next().map_or_else(|| Ok(Vec::new()), |form| self.phrase(&form, within))?;
                forms.try_fold(first, |mut found, form| {
                    found.extend(self.phrase(&form, within)?);
                    Ok(merged(found))
                })
            }
            Words::Any(any) => {
                let mut all = Vec::new();
                for one in any {
                    all.extend(self.places(one, within)?);
                }
                Ok(merged(all))
            }
            Words::Near { left, right, words } => {
                let left = self.places(left, within)?;
                let docs: Vec<DocId> = left.iter().map(|(doc, _)| *doc).collect();
                let right = self.places(right, Some(&docs))?;
                Ok(joined(left, &right, |left, right| near(left, right, *words)))
            }
        }
    }

    /// A phrase in each of the forms that its words have in the index, each once.
    fn forms_of(&self, phrase: &str) -> Vec<Vec<Slot>> {
        let mut found: Vec<Vec<Slot>> = Vec::new();
        for form in self.forms.borrow_mut().iter_mut().filter(|form| form.differs(phrase)) {
            let slots = slots(phrase, form);
            if !found.contains(&slots) {
                found.push(slots);
            }
        }
        found
    }

    /// Reads the rarest word first, and the others only in the chunks that have it.
    fn phrase(&self, slots: &[Slot], within: Option<&[DocId]>) -> Result<Matches, O::Error> {
        let mut order = Vec::new();
        for (n, slot) in slots.iter().enumerate() {
            order.push((self.chunks.count(slot)?, n));
        }
        order.sort_unstable();
        let mut docs: Option<Vec<DocId>> = within.map(<[DocId]>::to_vec);
        let mut found: Vec<Matches> = vec![Vec::new(); slots.len()];
        for (_, n) in order {
            found[n] = merged(self.chunks.places(&slots[n], docs.as_deref())?);
            docs = Some(found[n].iter().map(|(doc, _)| *doc).collect());
        }
        let mut found = found.into_iter();
        let Some(first) = found.next() else { return Ok(Vec::new()) };
        Ok(found.fold(first, |before, after| joined(before, &after, following)))
    }
}

/// The chunks of one segment, deleted ones among them.
struct Segment<'s> {
    segment: &'s SegmentReader,
    text_field: tantivy::schema::Field,
    text: Arc<InvertedIndexReader>,
    exact: Arc<InvertedIndexReader>,
}

impl Occurrences for Segment<'_> {
    type Error = io::Error;

    fn all(&self) -> Vec<DocId> {
        (0..self.segment.max_doc()).collect()
    }

    fn count(&self, slot: &Slot) -> io::Result<u64> {
        let mut chunks = 0u64;
        self.postings(slot, IndexRecordOption::Basic, |postings| chunks += u64::from(postings.doc_freq()))?;
        Ok(chunks)
    }

    fn chunks_with(&self, slot: &Slot) -> io::Result<Vec<DocId>> {
        let mut docs = Vec::new();
        self.postings(slot, IndexRecordOption::Basic, |mut postings| {
            while postings.doc() != TERMINATED {
                docs.push(postings.doc());
                postings.advance();
            }
        })?;
        Ok(docs)
    }

    fn places(&self, slot: &Slot, within: Option<&[DocId]>) -> io::Result<Matches> {
        let mut found = Vec::new();
        let mut positions = Vec::new();
        self.postings(slot, IndexRecordOption::WithFreqsAndPositions, |mut postings| {
            let mut read = |postings: &mut SegmentPostings| {
                postings.positions(&mut positions);
                found.push((postings.doc(), slot.spans(&positions)));
            };
            match within {
                Some(docs) => {
                    for &doc in docs {
                        if postings.doc() < doc {
                            postings.seek(doc);
                        }
                        match postings.doc() {
                            TERMINATED => break,
                            at if at == doc => read(&mut postings),
                            _ => {}
                        }
                    }
                }
                None => {
                    while postings.doc() != TERMINATED {
                        read(&mut postings);
                        postings.advance();
                    }
                }
            }
        })?;
        Ok(found)
    }
}

impl Segment<'_> {
    fn postings(
        &self,
        slot: &Slot,
        option: IndexRecordOption,
        mut visit: impl FnMut(SegmentPostings),
    ) -> io::Result<()> {
        match slot {
            Slot::Never => {}
            Slot::Term { term, .. } => {
                let term = Term::from_field_text(self.text_field, term);
                if let Some(postings) = self.text.read_postings(&term, option)? {
                    visit(postings);
                }
            }
            Slot::Pattern(pattern) => {
                let mut terms = self.exact.terms().range().ge(pattern.prefix().as_bytes()).into_stream()?;
                while terms.advance() {
                    if !terms.key().starts_with(pattern.prefix().as_bytes()) {
                        break;
                    }
                    if std::str::from_utf8(terms.key()).is_ok_and(|term| pattern.matches(term)) {
                        visit(self.exact.read_postings_from_terminfo(terms.value(), option)?);
                    }
                }
            }
        }
        Ok(())
    }
}

fn has(docs: &[DocId], doc: DocId) -> bool {
    docs.binary_search(&doc).is_ok()
}

fn kept(mut docs: Vec<DocId>, keep: impl Fn(DocId) -> bool) -> Vec<DocId> {
    docs.retain(|&doc| keep(doc));
    docs
}

fn sorted(mut docs: Vec<DocId>) -> Vec<DocId> {
    docs.sort_unstable();
    docs.dedup();
    docs
}

/// Each chunk once, ascending, with its places in order.
fn merged(mut found: Matches) -> Matches {
    found.sort_by_key(|(doc, _)| *doc);
    let mut merged: Matches = Vec::with_capacity(found.len());
    for (doc, spans) in found {
        match merged.last_mut() {
            Some((last, known)) if *last == doc => known.extend(spans),
            _ => merged.push((doc, spans)),
        }
    }
    for (_, spans) in &mut merged {
        spans.sort_unstable();
        spans.dedup();
    }
    merged
}

/// The places that `join` makes of those of both, in each chunk that has both; chunks for which it makes none are left out.
fn joined(left: Matches, right: &Matches, join: impl Fn(&[Span], &[Span]) -> Vec<Span>) -> Matches {
    let mut found = Vec::new();
    for (doc, spans) in left {
        let Ok(at) = right.binary_search_by_key(&doc, |(doc, _)| *doc) else { continue };
        let mut spans = join(&spans, &right[at].1);
        if !spans.is_empty() {
            spans.sort_unstable();
            spans.dedup();
            found.push((doc, spans));
        }
    }
    found
}

/// Places of both, the second right after the first.
fn following(before: &[Span], after: &[Span]) -> Vec<Span> {
    let mut found = Vec::new();
    for &(start, end) in before {
        let from = after.partition_point(|next| next.0 < end);
        found.extend(after[from..].iter().take_while(|next| next.0 == end).map(|next| (start, next.1)));
    }
    found
}

/// The stretches from one to the other if they are at most `words` apart. Of several on one side the nearest is enough:
/// a stretch to any other one contains it.
fn near(left: &[Span], right: &[Span], words: u32) -> Vec<Span> {
    let mut found = Vec::new();
    for (ones, others) in [(left, right), (right, left)] {
        for &one in ones {
            let after = others.partition_point(|other| other.0 < one.0);
            let before = others[..after].iter().rev().take(2);
            // The same words count once, so that the next one is looked at too.
            for &other in others[after..].iter().take(2).chain(before) {
                let (first, second) = (one.min(other), one.max(other));
                let apart = (second.0 + 1).saturating_sub(first.1);
                if one != other && apart <= words {
                    found.push((first.0, first.1.max(second.1)));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn distance_is_counted_from_the_nearest_words() {
        // "a x x b": b is the third word after a.
        assert_eq!(near(&[(0, 1)], &[(3, 4)], 3), [(0, 4), (0, 4)]);
        assert_eq!(near(&[(0, 1)], &[(3, 4)], 2), []);
        assert_eq!(near(&[(3, 4)], &[(0, 2)], 2), [(0, 4), (0, 4)]);
        assert_eq!(near(&[(0, 1)], &[(0, 1)], 5), [], "one word is not near itself");
    }

    #[test]
    fn words_follow_each_other_over_their_widths() {
        assert_eq!(following(&[(0, 3), (5, 6)], &[(1, 2), (3, 4), (6, 7)]), [(0, 4), (5, 7)]);
    }

    proptest! {
        #[test]
        fn near_finds_a_pair_where_there_is_one(
            left in prop::collection::btree_set(0u32..60, 0..12), right in prop::collection::btree_set(0u32..60, 0..12), words in 1u32..20,
        ) {
            let spans = |places: &std::collections::BTreeSet<u32>| places.iter().map(|&at| (at, at + 1)).collect::<Vec<Span>>();
            let expected = left.iter().any(|a| right.iter().any(|b| a != b && a.abs_diff(*b) <= words));
            prop_assert_eq!(!near(&spans(&left), &spans(&right), words).is_empty(), expected);
        }
    }
}
