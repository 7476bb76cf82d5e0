//! Long queries: the scores of all their terms are added up for every chunk.
//!
//! Chunks are taken a window at a time; the postings of each term that fall into it are added to an array of sums,
//! which stays in the processor's cache. tantivy's own search visits chunk after chunk and skips those that cannot be
//! among the best (block-max WAND), which pays if a few terms decide. With dozens of terms hardly anything is skipped,
//! and keeping as many lists in order costs more than reading them (Mackenzie et al. 2021, "Wacky weights in learned
//! sparse representations").

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::query::Bm25Weight;
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, SegmentReader, Term};

use super::{below, rounded};
use crate::slots::SlotSet;
use crate::top_k::TopK;

/// Chunks whose sums are computed together: 64 KiB.
const WINDOW: u32 = 1 << 14;

/// The best `k` chunks for weighted terms as (slot, score), best first, equal scores by slot; of `filter` only, if given.
pub(super) fn best(
    searcher: &Searcher,
    terms: &[(Term, f32)],
    k: usize,
    filter: Option<&SlotSet>,
) -> tantivy::Result<Vec<(u64, f32)>> {
    let weigh = |(term, weight): &(Term, f32)| {
        Ok(Bm25Weight::for_terms(searcher, std::slice::from_ref(term))?.boost_by(*weight))
    };
    let weights: Vec<Bm25Weight> = terms.iter().map(weigh).collect::<tantivy::Result<_>>()?;
    let mut top = TopK::new(k);
    let mut sums = vec![0.0; WINDOW as usize];
    for segment in searcher.segment_readers() {
        let slots = segment.fast_fields().u64("slot")?;
        let deleted = segment.alive_bitset();
        let mut lists = lists(segment, terms, &weights)?;
        for start in (0..segment.max_doc()).step_by(WINDOW as usize) {
            sums.fill(0.0);
            lists.iter_mut().for_each(|list| list.add_to(&mut sums, start));
            collect(&sums, start, &mut top, |doc| {
                let slot = slots.first(doc).unwrap_or(u64::MAX);
                let admitted = deleted.is_none_or(|alive| alive.is_alive(doc))
                    && filter.is_none_or(|filter| filter.contains(slot));
                admitted.then_some(slot)
            });
        }
    }
    Ok(top.into_sorted())
}

/// Adds the best of a window, whose first chunk is `start`, to those found before. `slot` gives the slot of a chunk that may be found.
fn collect(sums: &[f32], start: u32, top: &mut TopK, slot: impl Fn(u32) -> Option<u64>) {
    let least = |top: &TopK| top.threshold().map_or(0.0, below);
    let mut sufficient = least(top);
    for (part, first) in sums.chunks(64).zip((start..).step_by(64)) {
        let greatest = part.iter().fold(0.0, |greatest: f32, &sum| if sum > greatest { sum } else { greatest });
        if greatest <= sufficient {
            continue;
        }
        for (&sum, doc) in part.iter().zip(first..) {
            if sum > sufficient
                && let Some(slot) = slot(doc)
            {
                top.push(slot, rounded(sum));
                sufficient = least(top);
            }
        }
    }
}

/// The postings of one term in one segment, read from front to back.
struct List<'w> {
    postings: BlockSegmentPostings,
    /// The next one in the current block.
    next: usize,
    lengths: FieldNormReader,
    weight: &'w Bm25Weight,
}

fn lists<'w>(
    segment: &SegmentReader,
    terms: &[(Term, f32)],
    weights: &'w [Bm25Weight],
) -> tantivy::Result<Vec<List<'w>>> {
    let mut lists = Vec::with_capacity(terms.len());
    for ((term, _), weight) in terms.iter().zip(weights) {
        let index = segment.inverted_index(term.field())?;
        if let Some(postings) = index.read_block_postings(term, IndexRecordOption::WithFreqs)? {
            let lengths = segment.get_fieldnorms_reader(term.field())?;
            lists.push(List { postings, next: 0, lengths, weight });
        }
    }
    Ok(lists)
}

impl List<'_> {
    /// Adds the scores of the chunks from `start` on, as far as `sums` reaches.
    fn add_to(&mut self, sums: &mut [f32], start: u32) {
        loop {
            let (docs, counts) = (self.postings.docs(), self.postings.freqs());
            for (&doc, &count) in docs.iter().zip(counts).skip(self.next) {
                let Some(sum) = sums.get_mut((doc - start) as usize) else { return };
                *sum += self.weight.score(self.lengths.fieldnorm_id(doc), count);
                self.next += 1;
            }
            if docs.is_empty() {
                return;
            }
            self.postings.advance();
            self.next = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use casetrack_core::{CollectionId, DocumentId};
    use casetrack_keyword::{Bm25Query, TermWeight, weighed};
    use tantivy::TantivyDocument;

    use super::super::{Bm25Index, IndexLexicon, any_of};
    use super::*;
    use crate::derived_index::DerivedIndex;
    use crate::records::{Identity, SlotRange};
    use crate::seal::Seal;

    const CHUNKS: u64 = 20_000;

    /// Words of very different frequencies, in chunks of different lengths; several segments, some of their chunks deleted.
    fn index(dir: &std::path::Path) -> Bm25Index {
        let collection = CollectionId::from_bytes([5; 16]);
        let identity =
            Identity { collection, dense_model: "m".into(), dense_dimension: 1, sparse_model: None, token_model: None };
        let index = Bm25Index::open(dir, &identity, &Seal::default()).unwrap();
        let document = |n: u64| DocumentId::from_bytes([(n % 7) as u8; 16]);
        let mut state = 1u64;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) % below
        };
        for slot in 0..CHUNKS {
            let mut words = |count: u64| {
                let word = |_| format!("word{}", random(60).min(random(60)).min(random(60)));
                (0..count).map(word).collect::<Vec<_>>().join(" ")
            };
            let mut chunk = TantivyDocument::new();
            chunk.add_bytes(index.fields.document, document(slot).as_bytes());
            chunk.add_u64(index.fields.slot, slot);
            chunk.add_text(index.fields.text, words(1 + slot % 40));
            chunk.add_text(index.fields.context, words(slot % 3));
            index.open_writer(&mut index.writer.write()).unwrap().add_document(chunk).unwrap();
            if slot % 8000 == 7999 {
                index.set_applied(slot);
                index.commit().unwrap();
            }
        }
        index.remove(&SlotRange { document: document(3), first: 3, count: 1 }).unwrap();
        index.set_applied(CHUNKS);
        index.commit().unwrap();
        index
    }

    #[test]
    fn sums_are_the_scores_of_tantivy() {
        let dir = tempfile::tempdir().unwrap();
        let index = index(dir.path());
        let searcher = index.reader.searcher();
        let filter =
            SlotSet::of(vec![SlotRange { document: DocumentId::from_bytes([9; 16]), first: 100, count: 9000 }]);
        for query in
            ["word0 word3 word7 word7 word30", "word55", "word1 word2 word4 word8 word16 word32 word59 nothing"]
        {
            let lexicon = IndexLexicon { index: &index, searcher: &searcher };
            let term =
                |(field, term, weight): TermWeight| (Term::from_field_text(index.fields.of(field), &term), weight);
            let terms: Vec<(Term, f32)> =
                weighed(&lexicon, &Bm25Query::from(query)).unwrap().into_iter().map(term).collect();
            for filter in [None, Some(&filter)] {
                let all = CHUNKS as usize;
                let expected = index.top(&searcher, &any_of(terms.clone()), all, filter).unwrap();
                let found = best(&searcher, &terms, all, filter).unwrap();
                assert!(found.is_sorted_by(|a, b| a.1 > b.1 || a.1 == b.1 && a.0 < b.0), "{query}");
                let by_slot: BTreeMap<u64, f32> = found.iter().copied().collect();
                assert_eq!(by_slot.len(), expected.len(), "{query}");
                // The order of additions may change the last of the digits that are kept.
                let same = |(slot, score): &(u64, f32)| (by_slot[slot] - score).abs() <= score / 16384.0;
                assert!(expected.iter().all(same), "{query}");
                assert_eq!(best(&searcher, &terms, 50, filter).unwrap(), found[..found.len().min(50)], "{query}");
            }
        }
    }
}
