//! A small sample of the word sequences of a document, from which the share that two documents have in common is
//! estimated.
//!
//! The sample is the sequences with the smallest hashes: MinHash with one hash function and a bottom sketch (Broder
//! 1997, "On the resemblance and containment of documents"). For a document with fewer sequences it is all of them, and
//! the share is exact.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Words of a sequence. With three, half of the sequences are left if a word in five has changed (0.8³).
const SHINGLE: usize = 3;
/// Sequences in a sample: the standard error of a share of 0.3 is 0.02.
const SIZE: usize = 512;
/// Fewest sequences of a document that is compared: with fewer, short thanks would be versions of each other.
const MIN_SHINGLES: usize = 8;

/// A text of fewer sequences is short: about a third of a page.
const SHORT: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Sketch {
    hashes: Vec<u32>,
    /// True if there are more.
    is_sample: bool,
    /// Of all words in their order.
    digest: u64,
}

/// Adds up the words of a document, page by page.
#[derive(Default)]
pub(super) struct Sketcher {
    hashes: Vec<u32>,
    /// The bound below which the next hash must be; `None` while there are few.
    limit: Option<u32>,
    /// Hashes of the last words.
    last: [u64; SHINGLE],
    words: u64,
    digest: u64,
}

impl Sketcher {
    pub fn add(&mut self, text: &str) {
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let hash = hash_of(word);
            self.last.rotate_left(1);
            self.last[SHINGLE - 1] = hash;
            self.words += 1;
            self.digest = mixed(self.digest ^ hash);
            if self.words >= SHINGLE as u64 {
                let shingle = self.last.iter().fold(0, |sum, &word| mixed(sum ^ word));
                self.push((shingle >> 32) as u32);
            }
        }
    }

    fn push(&mut self, hash: u32) {
        if self.limit.is_some_and(|limit| hash >= limit) {
            return;
        }
        self.hashes.push(hash);
        if self.hashes.len() >= 16 * SIZE {
            self.keep_smallest();
        }
    }

    fn keep_smallest(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        if self.hashes.len() > SIZE {
            self.limit = Some(self.hashes[SIZE]);
            self.hashes.truncate(SIZE);
        }
    }

    pub fn finish(mut self) -> Sketch {
        self.keep_smallest();
        Sketch { hashes: self.hashes, is_sample: self.limit.is_some(), digest: self.digest }
    }
}

impl Sketch {
    /// True if it has enough text to be compared.
    pub fn is_comparable(&self) -> bool {
        self.hashes.len() >= MIN_SHINGLES
    }

    /// True if the text is so short that a form it was made from is most of it.
    pub fn is_short(&self) -> bool {
        self.hashes.len() < SHORT
    }

    /// The `count` smallest hashes: documents that share few of them are unlike.
    pub fn probes(&self, count: usize) -> &[u32] {
        self.hashes.get(..count).unwrap_or(&self.hashes)
    }

    /// The share (0–1) of the sequences of both that both have (Jaccard): exact for short documents, else with a
    /// standard error of at most 0.022.
    pub fn similarity(&self, other: &Self) -> f32 {
        // Up to here both samples are complete.
        let limits = [self, other].map(|sketch| sketch.hashes.last().copied().filter(|_| sketch.is_sample));
        let limit = limits.into_iter().flatten().min().unwrap_or(u32::MAX);
        let up_to = |sketch: &'_ Self| sketch.hashes.partition_point(|&hash| hash <= limit);
        let (a, b) = (&self.hashes[..up_to(self)], &other.hashes[..up_to(other)]);
        let (mut common, mut i, mut j) = (0, 0, 0);
        while i < a.len() && j < b.len() {
            common += usize::from(a[i] == b[j]);
            let (left, right) = (a[i], b[j]);
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        let all = a.len() + b.len() - common;
        if all == 0 { 0.0 } else { common as f32 / all as f32 }
    }
}

/// The same for words that differ in capitals only.
fn hash_of(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for c in word.chars().flat_map(char::to_lowercase) {
        c.hash(&mut hasher);
    }
    hasher.finish()
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014), so that the order of words counts.
fn mixed(value: u64) -> u64 {
    let mut value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn sketch(text: &str) -> Sketch {
        let mut sketcher = Sketcher::default();
        sketcher.add(text);
        sketcher.finish()
    }

    pub fn words(range: std::ops::Range<u32>) -> String {
        range.map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn short_texts_are_compared_exactly() {
        // Eight and nine sequences, six of which both have.
        let (a, b) = (sketch("a b c d e f g h i j"), sketch("A, b; C d e f g h (x) y z"));
        assert_eq!(a.similarity(&b), 6.0 / 11.0);
        assert_eq!(a.similarity(&a), 1.0);
        assert_eq!(sketch("").similarity(&a), 0.0);
        assert_eq!(sketch("").similarity(&sketch("a b")), 0.0);
        assert!(a.is_comparable() && !sketch("thank you very much for your letter").is_comparable());
    }

    #[test]
    fn shares_of_long_texts_are_estimated() {
        let a = sketch(&words(0..30_000));
        for (range, expected) in
            [(0..30_000, 1.0), (10_000..40_000, 0.5), (0..15_000, 0.5), (20_000..50_000, 0.2), (50_000..80_000, 0.0)]
        {
            let similarity = a.similarity(&sketch(&words(range.clone())));
            assert!((similarity - expected).abs() < 0.07, "{range:?}: {similarity}");
        }
    }

    #[test]
    fn the_order_of_words_counts_and_breaks_between_pages_do_not() {
        let text = words(0..2_000);
        let mut parts = Sketcher::default();
        for part in text.split_inclusive("9 ") {
            parts.add(part);
        }
        assert_eq!(parts.finish(), sketch(&text));
        let backwards: Vec<&str> = text.split(' ').rev().collect();
        assert_eq!(sketch(&backwards.join(" ")).similarity(&sketch(&text)), 0.0);
        assert_ne!(sketch("a b").digest, sketch("b a").digest);
    }
}
