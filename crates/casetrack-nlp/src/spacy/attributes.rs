//! Lexical attributes: the model's view of a word, with spaCy's ids.

use std::collections::HashMap;

use serde::Deserialize;

use super::charset::CharSet;

/// Norm, prefix, suffix and shape, the attributes that MultiHashEmbed is configured with, in its order.
pub(super) const ATTRIBUTES: usize = 4;

/// A string of this many characters or more has the shape `LONG` (spacy/lang/lex_attrs.py).
const LONG_SHAPE: usize = 100;
/// How many equal characters in a row a shape keeps.
const SHAPE_RUN: usize = 4;

/// lexicon.json.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LexiconFile {
    symbols: HashMap<String, u64>,
    norms: HashMap<u64, String>,
    alphabetic: CharSet,
    digits: CharSet,
    pub decimals: CharSet,
    pub alphanumeric: CharSet,
}

/// The tables that attributes are looked up in.
#[derive(Debug)]
pub(super) struct Lexicon {
    symbols: HashMap<String, u64>,
    /// The id of a word's norm by the id of the word, if it differs from the norm of its lower case.
    norms: HashMap<u64, u64>,
    alphabetic: CharSet,
    digits: CharSet,
}

impl Lexicon {
    pub fn new(file: LexiconFile) -> Self {
        let mut lexicon =
            Self { symbols: file.symbols, norms: HashMap::new(), alphabetic: file.alphabetic, digits: file.digits };
        lexicon.norms = file.norms.iter().map(|(&word, norm)| (word, lexicon.id(norm))).collect();
        lexicon
    }

    /// The attributes of a word that is not empty; `norm` comes from a special case and takes precedence over the tables.
    pub fn attributes(&self, word: &str, norm: Option<&str>) -> [u64; ATTRIBUTES] {
        let norm = match norm {
            Some(norm) => self.id(norm),
            None => self.norms.get(&self.id(word)).copied().unwrap_or_else(|| self.id(&word.to_lowercase())),
        };
        let first = word.char_indices().nth(1).map_or(word.len(), |(at, _)| at);
        let last_three = word.char_indices().nth_back(2).map_or(0, |(at, _)| at);
        [norm, self.id(&word[..first]), self.id(&word[last_three..]), self.id(&self.shape(word))]
    }

    fn id(&self, string: &str) -> u64 {
        if string.is_empty() {
            return 0;
        }
        self.symbols.get(string).copied().unwrap_or_else(|| murmur_hash_64a(string.as_bytes(), 1))
    }

    /// The word with its letters as `X` or `x` and its digits as `d`, long runs cut.
    fn shape(&self, word: &str) -> String {
        if word.chars().count() >= LONG_SHAPE {
            return "LONG".to_owned();
        }
        let mut shape = String::with_capacity(word.len());
        let (mut last, mut run) = (None, 0);
        for c in word.chars() {
            let kind = match c {
                _ if self.alphabetic.contains(c) => {
                    if c.is_uppercase() {
                        'X'
                    } else {
                        'x'
                    }
                }
                _ if self.digits.contains(c) => 'd',
                _ => c,
            };
            run = if last == Some(kind) { run + 1 } else { 0 };
            last = Some(kind);
            if run < SHAPE_RUN {
                shape.push(kind);
            }
        }
        shape
    }
}

/// MurmurHash64A (Austin Appleby, public domain), as in the package murmurhash.
fn murmur_hash_64a(bytes: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const R: u32 = 47;
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(M);
    let (words, rest) = bytes.as_chunks();
    for &word in words {
        let mut k = u64::from_le_bytes(word).wrapping_mul(M);
        k = (k ^ k >> R).wrapping_mul(M);
        hash = (hash ^ k).wrapping_mul(M);
    }
    if !rest.is_empty() {
        for (i, &byte) in rest.iter().enumerate() {
            hash ^= u64::from(byte) << (8 * i);
        }
        hash = hash.wrapping_mul(M);
    }
    hash = (hash ^ hash >> R).wrapping_mul(M);
    hash ^ hash >> R
}

/// Four rows of a hash table for one id: thinc's `Ops.hash`, the 128-bit variant of MurmurHash3 for a key of 8 bytes.
pub(super) fn hash_rows(id: u64, seed: u32) -> [u32; 4] {
    let finish = |mut h: u64| {
        h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ h >> 33
    };
    let key = id.wrapping_mul(0x87c3_7b91_1142_53d5).rotate_left(31).wrapping_mul(0x4cf5_ad43_2745_937f);
    let h2 = u64::from(seed) ^ 8;
    let h1 = (key ^ u64::from(seed) ^ 8).wrapping_add(h2);
    let h2 = h2.wrapping_add(h1);
    let (h1, h2) = (finish(h1), finish(h2));
    let h1 = h1.wrapping_add(h2);
    let h2 = h2.wrapping_add(h1);
    [h1 as u32, (h1 >> 32) as u32, h2 as u32, (h2 >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_those_of_the_python_packages() {
        // spacy.strings.hash_string
        assert_eq!(murmur_hash_64a("apple".as_bytes(), 1), 8_566_208_034_543_834_098);
        assert_eq!(murmur_hash_64a("Überseehäfen".as_bytes(), 1), 8_533_880_302_598_030_645);
        // NumpyOps().hash(ids, seed)
        assert_eq!(
            hash_rows(8_566_208_034_543_834_098, 8),
            [2_653_853_934, 3_922_826_080, 3_980_780_901, 3_736_755_472]
        );
        assert_eq!(hash_rows(7, 11), [1_200_825_100, 4_553_600, 3_725_854_830, 2_912_763_482]);
    }
}
