//! The documents of an index, their postings, and the search.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use casetrack_core::{Error, ErrorCode, Result};
use serde_json::{Map, Value};

use super::highlights::{Hit, highlights_at};
use super::query::Query;
use super::tokens::Tokenizer;

/// Saturation of frequencies and weight of lengths: the usual values (Robertson and Zaragoza, 2009, section 3.5).
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Most bytes of memory that an index may take.
const MAX_INDEX_BYTES: usize = 256 << 20;
/// A place in the text is kept for the first of this many words.
const STEP: usize = 64;
/// Most occurrences that highlights are chosen from.
const MAX_HITS: usize = 500;
/// The bytes that a different word takes besides its text, and a document besides its texts: entries of tables and headers of allocations.
const BYTES_OF_TERM: usize = 120;
const BYTES_OF_DOCUMENT: usize = 250;

/// Documents by id, with exact postings.
#[derive(Default)]
pub struct TextIndex {
    tokenizer: Tokenizer,
    /// By slot. A document that is added again keeps its slot.
    documents: Vec<Document>,
    slots: HashMap<Arc<str>, u32>,
    /// By number. A word that no document has any more leaves its number to another.
    terms: Vec<Term>,
    numbers: HashMap<Arc<str>, u32>,
    unused: Vec<u32>,
    tokens: u64,
    bytes: usize,
}

struct Document {
    id: Arc<str>,
    content: Box<str>,
    metadata: Map<String, Value>,
    /// The numbers of its words, short ones among them, in order.
    words: Box<[u32]>,
    /// The places at which the words 0, [`STEP`], 2 · [`STEP`] … begin in the content.
    places: Box<[u32]>,
    tokens: u32,
    /// Of memory, without words that are new with it.
    bytes: usize,
}

struct Term {
    text: Arc<str>,
    /// In the order of slots.
    postings: Vec<Posting>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Posting {
    slot: u32,
    count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// True if it took the place of one with the same id.
    pub replaced: bool,
    pub tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextMatches {
    /// The best first; of equal scores in the order of ids.
    pub matches: Vec<Match>,
    /// Documents that fulfil the query.
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    pub id: String,
    pub score: f64,
    pub highlights: Vec<String>,
    pub metadata: Map<String, Value>,
}

/// The sums for a document while a query is evaluated.
#[derive(Clone, Copy, Default)]
struct Sum {
    score: f64,
    /// Required words and phrases that it has, and whether it has anything that is sought.
    required: u32,
    is_found: bool,
    is_excluded: bool,
}

impl TextIndex {
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, ..Self::default() }
    }

    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Adds a document, or puts it in the place of the one with this id. Time and memory are linear in the content.
    ///
    /// Errors: if the index would take more than 256 MB. Nothing is changed then.
    pub fn add(&mut self, id: &str, content: &str, metadata: Map<String, Value>) -> Result<Added> {
        let mut words = Vec::new();
        let mut counts: HashMap<_, u32> = HashMap::new();
        let mut places = Vec::new();
        for (i, word) in self.tokenizer.words(content).enumerate() {
            if i % STEP == 0 {
                places.push(word.place.start as u32);
            }
            *counts.entry(word.text.clone()).or_default() += 1;
            words.push(word.text);
        }
        let tokens = words.iter().filter(|word| self.tokenizer.is_token(word)).count() as u32;
        let of_metadata = if metadata.is_empty() { 0 } else { Value::Object(metadata.clone()).to_string().len() };
        let bytes = BYTES_OF_DOCUMENT
            + 2 * id.len()
            + content.len()
            + of_metadata
            + size_of::<u32>() * (words.len() + places.len())
            + size_of::<Posting>() * counts.len();
        let new = counts.keys().filter(|word| !self.numbers.contains_key(word.as_ref()));
        let of_terms: usize = new.map(|word| word.len() + BYTES_OF_TERM).sum();
        let slot = self.slots.get(id).copied();
        let former = slot.map_or(0, |slot| self.documents[slot as usize].bytes);
        if self.bytes - former + bytes + of_terms > MAX_INDEX_BYTES {
            let message = format!("The index is full: it may take {} MB of memory.", MAX_INDEX_BYTES >> 20);
            return Err(Error::new(ErrorCode::FileTooLarge, message)
                .with_hint("Put further documents into another index, or into one with the backend collection."));
        }

        if let Some(slot) = slot {
            self.clear(slot);
        }
        let slot = slot.unwrap_or(self.documents.len() as u32);
        let mut numbers = HashMap::with_capacity(counts.len());
        for (word, &count) in &counts {
            let number = self.number(word);
            let postings = &mut self.terms[number as usize].postings;
            let at = postings.partition_point(|posting| posting.slot < slot);
            postings.insert(at, Posting { slot, count });
            numbers.insert(word.as_ref(), number);
        }
        let words: Box<[u32]> = words.iter().map(|word| numbers[word.as_ref()]).collect();
        self.tokens += u64::from(tokens);
        self.bytes += bytes;
        let replaced = slot < self.documents.len() as u32;
        let id: Arc<str> = if replaced { Arc::clone(&self.documents[slot as usize].id) } else { id.into() };
        let places = places.into_boxed_slice();
        let document =
            Document { id: Arc::clone(&id), content: content.into(), metadata, words, places, tokens, bytes };
        match replaced {
            true => self.documents[slot as usize] = document,
            false => {
                self.documents.push(document);
                self.slots.insert(id, slot);
            }
        }
        Ok(Added { replaced, tokens })
    }

    /// Takes a document out of the postings and sums; its slot stays.
    fn clear(&mut self, slot: u32) {
        let document = &mut self.documents[slot as usize];
        self.tokens -= u64::from(document.tokens);
        self.bytes -= document.bytes;
        let mut words = std::mem::take(&mut document.words).into_vec();
        words.sort_unstable();
        words.dedup();
        for number in words {
            let term = &mut self.terms[number as usize];
            if let Ok(at) = term.postings.binary_search_by_key(&slot, |posting| posting.slot) {
                term.postings.remove(at);
            }
            if term.postings.is_empty() {
                self.bytes -= term.text.len() + BYTES_OF_TERM;
                self.numbers.remove(&term.text);
                *term = Term { text: Arc::default(), postings: Vec::new() };
                self.unused.push(number);
            }
        }
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let text: Arc<str> = word.into();
        self.bytes += text.len() + BYTES_OF_TERM;
        let term = Term { text: Arc::clone(&text), postings: Vec::new() };
        let number = match self.unused.pop() {
            Some(number) => {
                self.terms[number as usize] = term;
                number
            }
            None => {
                self.terms.push(term);
                self.terms.len() as u32 - 1
            }
        };
        self.numbers.insert(text, number);
        number
    }

    /// The best `most` documents. Time is linear in the number of documents and in the postings of the words; for a phrase, also in the
    /// length of the documents that have its rarest word and all others.
    pub fn search(&self, query: &Query, most: usize) -> TextMatches {
        let required = query.required();
        let mut sums = vec![Sum::default(); self.documents.len()];
        for (i, sought) in query.sought().iter().enumerate() {
            let postings = self.postings(sought);
            let idf = self.idf(postings.len());
            for Posting { slot, count } in postings {
                let sum = &mut sums[slot as usize];
                sum.score += idf * self.saturated(slot, count);
                sum.required += u32::from(i < required.len());
                sum.is_found = true;
            }
        }
        for excluded in &query.must_not {
            self.postings(excluded).iter().for_each(|posting| sums[posting.slot as usize].is_excluded = true);
        }
        let fulfils = |sum: &Sum| sum.is_found && !sum.is_excluded && sum.required as usize == required.len();
        let mut ranked: Vec<(f64, u32)> =
            (0..).zip(&sums).filter(|(_, sum)| fulfils(sum)).map(|(slot, sum)| (sum.score, slot)).collect();
        let total = ranked.len() as u64;
        let id = |slot: u32| &self.documents[slot as usize].id;
        let better =
            |a: &(f64, u32), b: &(f64, u32)| -> Ordering { b.0.total_cmp(&a.0).then_with(|| id(a.1).cmp(id(b.1))) };
        if most < ranked.len() {
            ranked.select_nth_unstable_by(most, better);
            ranked.truncate(most);
        }
        ranked.sort_unstable_by(better);
        let matches = ranked.into_iter().map(|(score, slot)| {
            let document = &self.documents[slot as usize];
            Match {
                id: document.id.to_string(),
                score,
                highlights: highlights_at(&document.content, &self.hits(document, query)),
                metadata: document.metadata.clone(),
            }
        });
        TextMatches { matches: matches.collect(), total }
    }

    /// The rarity of a word that is in this many documents.
    fn idf(&self, documents: usize) -> f64 {
        let (all, with) = (self.documents.len() as f64, documents as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    fn saturated(&self, slot: u32, count: u32) -> f64 {
        // If there are fewer tokens than documents, lengths mean nothing.
        let mean = (self.tokens as f64 / self.documents.len() as f64).max(1.0);
        let (count, length) = (f64::from(count), f64::from(self.documents[slot as usize].tokens));
        count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / mean))
    }

    /// The documents that have a word, or words one after the other, and how often.
    fn postings(&self, words: &[String]) -> Vec<Posting> {
        let numbers: Option<Vec<u32>> = words.iter().map(|word| self.numbers.get(word.as_str()).copied()).collect();
        let Some(numbers) = numbers else { return Vec::new() };
        let of = |number: &u32| &self.terms[*number as usize].postings;
        let rarest = numbers.iter().min_by_key(|number| of(number).len());
        let Some(rarest) = rarest.map(of) else { return Vec::new() };
        if let [_] = numbers[..] {
            return rarest.clone();
        }
        let has = |slot: u32, number: &u32| of(number).binary_search_by_key(&slot, |posting| posting.slot).is_ok();
        let slots = rarest.iter().map(|posting| posting.slot);
        let with_all = slots.filter(|slot| numbers.iter().all(|number| has(*slot, number)));
        let counted = with_all.map(|slot| {
            let words = &self.documents[slot as usize].words;
            Posting { slot, count: words.windows(numbers.len()).filter(|window| *window == numbers).count() as u32 }
        });
        counted.filter(|posting| posting.count > 0).collect()
    }

    /// The places of the sought words in a document.
    fn hits(&self, document: &Document, query: &Query) -> Vec<Hit> {
        let numbered = |words: &Vec<String>| -> Option<Vec<u32>> {
            words.iter().map(|word| self.numbers.get(word.as_str()).copied()).collect()
        };
        let sought: Vec<Vec<u32>> = query.sought().iter().map(|words| numbered(words).unwrap_or_default()).collect();
        let mut first: HashMap<u32, Vec<usize>> = HashMap::new();
        for (i, numbers) in sought.iter().enumerate() {
            if let Some(number) = numbers.first() {
                first.entry(*number).or_default().push(i);
            }
        }
        let mut found = Vec::new();
        for (at, number) in document.words.iter().enumerate() {
            for &i in first.get(number).into_iter().flatten() {
                if document.words[at..].starts_with(&sought[i]) {
                    found.push((at, sought[i].len(), i));
                }
            }
            if found.len() >= MAX_HITS {
                break;
            }
        }
        let hit = |(at, words, sought): (usize, usize, usize)| {
            let first = self.place(document, at)?;
            let last = if words == 1 { first.clone() } else { self.place(document, at + words - 1)? };
            Some(Hit { place: first.start..last.end, sought })
        };
        found.into_iter().filter_map(hit).collect()
    }

    /// The bytes of a word.
    fn place(&self, document: &Document, word: usize) -> Option<Range<usize>> {
        let from = *document.places.get(word / STEP)? as usize;
        let word = self.tokenizer.words(document.content.get(from..)?).nth(word % STEP)?;
        Some(from + word.place.start..from + word.place.end)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn index(documents: &[(&str, &str)]) -> TextIndex {
        let mut index = TextIndex::new(Tokenizer::default());
        for (id, content) in documents {
            index.add(id, content, Map::new()).unwrap();
        }
        index
    }

    fn found(index: &TextIndex, query: &str) -> Vec<String> {
        let found = index.search(&Query::parse(query, index.tokenizer()), 100);
        assert_eq!(found.total as usize, found.matches.len());
        found.matches.into_iter().map(|found| found.id).collect()
    }

    #[test]
    fn plain_words_are_alternatives_and_what_is_signed_or_quoted_must_hold() {
        let index = index(&[
            ("a", "Python rate limiting with token buckets"),
            ("b", "Limiting the rate of a Python program, without buckets"),
            ("c", "Token rings"),
        ]);
        assert_eq!(found(&index, "rings python"), ["c", "a", "b"]);
        assert_eq!(found(&index, "\"rate limiting\""), ["a"]);
        assert_eq!(found(&index, "+python token -with"), ["b"]);
        assert_eq!(found(&index, "+python \"token rings\""), Vec::<String>::new());
        assert_eq!(found(&index, "rate -\"rate limiting\""), ["b"]);
        assert_eq!(found(&index, "\"rate of a python\""), ["b"]);
        for nothing in ["-token", "a", "absent", "+absent python", "!?", "-a -b"] {
            assert_eq!(found(&index, nothing), Vec::<String>::new(), "{nothing}");
        }
    }

    #[test]
    fn equal_scores_are_in_the_order_of_ids_and_only_the_best_are_returned() {
        let index = index(&[("c", "same words"), ("a", "same words"), ("b", "same words"), ("d", "same same words")]);
        assert_eq!(found(&index, "same"), ["d", "a", "b", "c"]);
        let best = index.search(&Query::parse("same", index.tokenizer()), 2);
        assert_eq!((best.matches.len(), best.total), (2, 4));
        assert_eq!(best.matches[1].id, "a");
        assert_eq!(index.search(&Query::parse("same", index.tokenizer()), 0).total, 4);
    }

    #[test]
    fn a_document_that_is_added_again_replaces_the_one_with_its_id_and_leaves_no_trace() {
        let mut index = index(&[("a", "old words"), ("b", "other words")]);
        let before = index.bytes;
        let metadata = json!({"year": 2026}).as_object().unwrap().clone();
        let added = index.add("a", "new text here", metadata.clone()).unwrap();
        assert_eq!(added, Added { replaced: true, tokens: 3 });
        assert_eq!((found(&index, "old"), found(&index, "new")), (vec![], vec!["a".to_owned()]));
        assert_eq!(index.search(&Query::parse("new", index.tokenizer()), 1).matches[0].metadata, metadata);
        index.add("a", "old words", Map::new()).unwrap();
        assert_eq!(index.bytes, before);
        assert_eq!(index.numbers.len(), 3);
        // Words that come and go take no room in the end.
        let terms = index.terms.len();
        for i in 0..100 {
            index.add("a", &format!("coming{i} going{i}"), Map::new()).unwrap();
        }
        assert!(index.terms.len() <= terms + 2, "{}", index.terms.len());
    }

    #[test]
    fn highlights_of_a_long_document_are_found_at_their_words() {
        let text = format!(
            "{} The needle is here. {} Another needle, at last.",
            "Hay, hay. ".repeat(5000),
            "Hay. ".repeat(999)
        );
        let index = index(&[("a", &text)]);
        let found = index.search(&Query::parse("\"the needle\" last", index.tokenizer()), 1);
        assert_eq!(found.matches[0].highlights, ["The needle is here.", "Another needle, at last."]);
    }

    #[test]
    fn what_would_make_the_index_too_large_is_refused_and_changes_nothing() {
        let mut index = index(&[("a", "words")]);
        let text = "word ".repeat((8 << 20) / 5);
        let refused = (0..100).find_map(|i| index.add(&format!("{i}"), &text, Map::new()).err());
        let error = refused.unwrap();
        assert!(error.message.starts_with("The index is full: it may take 256 MB"), "{error}");
        assert!(index.bytes <= MAX_INDEX_BYTES && index.bytes > MAX_INDEX_BYTES - (32 << 20));
        let all = found(&index, "word").len();
        assert!(index.add("a", &text, Map::new()).is_err());
        assert_eq!((found(&index, "word").len(), found(&index, "words").len()), (all, 1));
    }
}
