//! The features of a sentence, as numbers of buckets: words and pairs of words, the heading above, and the neighbouring sentences.

use std::ops::Range;

use crate::facts::text::Text;

/// Bits of the number of a bucket. With 18, most buckets of the training texts would hold several features.
pub(super) const BITS: u32 = 20;
/// Most words that are read of a sentence, and of each neighbouring sentence.
const WORDS: usize = 400;
const NEAR: usize = 60;
/// Longest heading, in words and bytes, and the number of sentences that it holds for.
const HEADING_WORDS: usize = 9;
const HEADING_BYTES: usize = 90;
const REACH: usize = 12;
/// Fewest words of a clause: shorter sentences are headings and labels.
const FEWEST: usize = 7;

/// The features of a sentence, by groups; each group is sorted and has no number twice.
#[derive(Debug, Default)]
pub struct Features {
    /// True if it may be a clause, false for headings and labels.
    pub is_clause: bool,
    /// Words and pairs of words of the sentence, of the heading above, and of the neighbouring sentences.
    pub groups: [Vec<u32>; 3],
}

/// A word that is hashed, and true if it begins with a digit: all numbers have one hash.
#[derive(Clone, Copy)]
struct Word {
    hash: u32,
    number: bool,
}

/// Of all sentences of a text, in order. Linear.
pub(super) fn of(text: &Text<'_>) -> Vec<Features> {
    let whole = text.text();
    let words: Vec<Vec<Word>> = text.sentences.iter().map(|range| words(&whole[range.clone()])).collect();
    let mut heading: (usize, Vec<u32>) = (usize::MAX, Vec::new());
    let mut all = Vec::with_capacity(words.len());
    for (at, own) in words.iter().enumerate() {
        let count = written(whole, &text.sentences[at]);
        if (1..=HEADING_WORDS).contains(&count) && text.sentences[at].len() < HEADING_BYTES {
            heading = (at, of_heading(own));
        }
        let beside = |tag: u32, words: &[Word]| words.iter().map(|word| bucket(tag, word.hash)).collect::<Vec<_>>();
        let mut near = Vec::new();
        if let Some(before) = at.checked_sub(1).and_then(|before| words.get(before)) {
            near.extend(beside(3, &before[before.len().saturating_sub(NEAR)..]));
        }
        if let Some(after) = words.get(at + 1) {
            near.extend(beside(4, &after[..after.len().min(NEAR)]));
        }
        let is_near = heading.0 <= at && at - heading.0 <= REACH;
        let head = if is_near { heading.1.clone() } else { Vec::new() };
        let groups = [of_words(own), head, near].map(sorted);
        all.push(Features { is_clause: count >= FEWEST, groups });
    }
    all
}

fn written(whole: &str, range: &Range<usize>) -> usize {
    whole[range.clone()].split_whitespace().count()
}

fn sorted(mut buckets: Vec<u32>) -> Vec<u32> {
    buckets.sort_unstable();
    buckets.dedup();
    buckets
}

fn of_words(words: &[Word]) -> Vec<u32> {
    let single = words.iter().map(|word| bucket(0, word.hash));
    single.chain(words.windows(2).map(|pair| bucket(1, mixed(pair[0].hash, pair[1].hash)))).collect()
}

/// Its words, and all of them as one.
fn of_heading(words: &[Word]) -> Vec<u32> {
    let words: Vec<u32> = words.iter().filter(|word| !word.number).map(|word| word.hash).collect();
    let whole = words.iter().fold(0, |sum, hash| mixed(sum, *hash));
    words.iter().map(|hash| bucket(2, *hash)).chain((!words.is_empty()).then(|| bucket(5, whole))).collect()
}

/// The words in small letters, without apostrophes. Letters that are not ASCII separate words.
fn words(said: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut word: Option<Word> = None;
    for byte in said.bytes().chain([b' ']) {
        match byte {
            b'\'' => {}
            byte if byte.is_ascii_alphanumeric() => {
                let number = byte.is_ascii_digit();
                let word = word.get_or_insert(Word { hash: 0x811c_9dc5, number });
                if !word.number {
                    // FNV-1a
                    word.hash = (word.hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193);
                }
            }
            _ => found.extend(word.take()),
        }
        if found.len() == WORDS {
            break;
        }
    }
    found
}

fn mixed(one: u32, other: u32) -> u32 {
    (one.rotate_left(5) ^ other).wrapping_mul(0x9e37_79b1)
}

/// The upper bits of a product depend on all bits of the factor.
fn bucket(tag: u32, hash: u32) -> u32 {
    mixed(tag.wrapping_mul(0x85eb_ca6b), hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca77) >> (32 - BITS)
}
