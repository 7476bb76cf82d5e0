//! Unigram tokenizers (Kudo 2018, "Subword regularization"), as SentencePiece has them: the sequence of pieces with the
//! greatest sum of log-probabilities.
//!
//! The vocabulary is read from a safetensors file into flat tables: of 250,000 pieces, no piece is an allocation of its own.

use std::path::Path;

use casetrack_core::Result;

use crate::errors::damaged;
use crate::weights::Weights;

/// Names of the tensors.
pub const PIECES: &str = "pieces";
pub const OFFSETS: &str = "offsets";
pub const SCORES: &str = "scores";
pub const SPECIAL: &str = "special";
pub const CHARACTERS: &str = "characters";

/// Stands for a space, and before the first word.
const SPACE: char = '\u{2581}';
/// The cost of an unknown character beyond the least probable piece, as in SentencePiece.
const UNKNOWN_COST: f32 = 10.0;

pub struct Unigram {
    /// All pieces one after the other, and the start of each; one more at the end.
    pieces: Vec<u8>,
    offsets: Vec<u32>,
    scores: Vec<f32>,
    /// Pieces by their hash, plus one; 0 for none. Its length is a power of two.
    table: Vec<u32>,
    longest: usize,
    /// Characters that are replaced, ascending, with their replacements.
    replaced: Vec<(char, Box<str>)>,
    special: Special,
    unknown_score: f32,
}

/// Ids of pieces that no text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Special {
    pub begin: u32,
    pub end: u32,
    pub padding: u32,
    pub unknown: u32,
}

impl Unigram {
    pub fn load(path: &Path) -> Result<Self> {
        let file = Weights::open(path)?;
        let (pieces, offsets) = (file.bytes(PIECES)?.to_vec(), words(file.bytes(OFFSETS)?));
        let scores: Vec<f32> = words(file.bytes(SCORES)?).into_iter().map(f32::from_bits).collect();
        let special = match words(file.bytes(SPECIAL)?).as_slice() {
            &[begin, end, padding, unknown] => Special { begin, end, padding, unknown },
            _ => return Err(damaged(path, "its special pieces are not four")),
        };
        let replaced =
            replaced(file.bytes(CHARACTERS)?).ok_or_else(|| damaged(path, "its table of characters ends early"))?;
        Self::new(pieces, offsets, scores, special, replaced).map_err(|problem| damaged(path, problem))
    }

    fn new(
        pieces: Vec<u8>,
        offsets: Vec<u32>,
        scores: Vec<f32>,
        special: Special,
        mut replaced: Vec<(char, Box<str>)>,
    ) -> std::result::Result<Self, &'static str> {
        let count = scores.len();
        if offsets.len() != count + 1
            || !offsets.is_sorted()
            || offsets.last().is_none_or(|&end| end as usize != pieces.len())
        {
            return Err("its pieces have no order");
        }
        let Special { begin, end, padding, unknown } = special;
        if [begin, end, padding, unknown].iter().any(|&id| id as usize >= count) {
            return Err("a special piece is not in its vocabulary");
        }
        replaced.sort_by_key(|(c, _)| *c);
        let unknown_score = scores.iter().fold(0.0f32, |least, &score| least.min(score)) - UNKNOWN_COST;
        let table = vec![0; (2 * count).next_power_of_two()];
        let mut unigram = Self { table, longest: 0, pieces, offsets, scores, replaced, special, unknown_score };
        for id in 0..count as u32 {
            if unigram.is_control(id) {
                continue;
            }
            let piece = unigram.piece(id);
            let (length, mut at) = (piece.len(), hash(piece) as usize & (unigram.table.len() - 1));
            unigram.longest = unigram.longest.max(length);
            while unigram.table[at] != 0 {
                at = (at + 1) & (unigram.table.len() - 1);
            }
            unigram.table[at] = id + 1;
        }
        Ok(unigram)
    }

    /// Number of ids; all are below it.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    pub fn token(&self, id: u32) -> Option<String> {
        ((id as usize) < self.len()).then(|| String::from_utf8_lossy(self.piece(id)).into_owned())
    }

    /// True if an id belongs to no text: the ids around a text, and others of score 0, which real pieces never have.
    pub fn is_control(&self, id: u32) -> bool {
        let Special { begin, end, padding, unknown } = self.special;
        [begin, end, padding, unknown].contains(&id) || self.scores.get(id as usize).is_some_and(|score| *score == 0.0)
    }

    /// The ids of a text, framed, at most `most` of them.
    pub fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![self.special.begin];
        let normal = self.normalised(text);
        // No piece continues behind a space.
        for word in normal.words(SPACE) {
            if ids.len() + 1 >= most {
                break;
            }
            self.segment(word, &mut ids);
        }
        ids.truncate(most.saturating_sub(1));
        ids.push(self.special.end);
        ids
    }

    fn piece(&self, id: u32) -> &[u8] {
        let (start, end) = (self.offsets[id as usize] as usize, self.offsets[id as usize + 1] as usize);
        &self.pieces[start..end]
    }

    fn find(&self, piece: &[u8], hash: u32) -> Option<u32> {
        let mut at = hash as usize & (self.table.len() - 1);
        loop {
            match self.table[at].checked_sub(1)? {
                id if self.piece(id) == piece => return Some(id),
                _ => at = (at + 1) & (self.table.len() - 1),
            }
        }
    }

    /// Characters replaced, runs of white space as one mark, one before the first word and none after the last.
    fn normalised(&self, text: &str) -> Normal {
        let mut normal = String::with_capacity(text.len() + text.len() / 4 + SPACE.len_utf8());
        let mut add = |c: char| {
            if !c.is_whitespace() {
                if normal.is_empty() {
                    normal.push(SPACE);
                }
                normal.push(c);
            } else if !normal.is_empty() && !normal.ends_with(SPACE) {
                normal.push(SPACE);
            }
        };
        for c in text.chars() {
            match self.replaced.binary_search_by_key(&c, |(from, _)| *from) {
                Ok(at) => self.replaced[at].1.chars().for_each(&mut add),
                Err(_) => add(c),
            }
        }
        if normal.ends_with(SPACE) {
            normal.truncate(normal.len() - SPACE.len_utf8());
        }
        Normal(normal)
    }

    /// Adds the best pieces of a word (Viterbi). Characters that no piece has are one unknown piece together.
    fn segment(&self, word: &str, ids: &mut Vec<u32>) {
        // By byte: the best sum up to here, the piece that ends here, and its start.
        let mut best = vec![(f32::NEG_INFINITY, self.special.unknown, 0usize); word.len() + 1];
        best[0].0 = 0.0;
        for (start, c) in word.char_indices() {
            let sum = best[start].0;
            let mut hash = HASH_START;
            let reach = &word.as_bytes()[start..];
            for (n, &byte) in reach.iter().take(self.longest).enumerate() {
                hash = hashed(hash, byte);
                let end = start + n + 1;
                if word.is_char_boundary(end)
                    && let Some(id) = self.find(&reach[..=n], hash)
                    && sum + self.scores[id as usize] > best[end].0
                {
                    best[end] = (sum + self.scores[id as usize], id, start);
                }
            }
            let end = start + c.len_utf8();
            if sum + self.unknown_score > best[end].0 {
                best[end] = (sum + self.unknown_score, self.special.unknown, start);
            }
        }
        let first = ids.len();
        let mut end = word.len();
        while end > 0 {
            let (_, id, start) = best[end];
            if id != self.special.unknown || ids.last() != Some(&id) || ids.len() == first {
                ids.push(id);
            }
            end = start;
        }
        ids[first..].reverse();
    }
}

/// A text as normalised for the vocabulary.
struct Normal(String);

impl Normal {
    /// The words, each with the mark before it.
    fn words(&self, mark: char) -> impl Iterator<Item = &str> {
        let mut rest = self.0.as_str();
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = rest[first.len_utf8()..].find(mark).map_or(rest.len(), |at| first.len_utf8() + at);
            let (word, after) = rest.split_at(end);
            rest = after;
            Some(word)
        })
    }
}

/// Little-endian numbers of 32 bits.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// A table of characters: for each the character, how many replace it, and these, as numbers of 32 bits.
fn replaced(bytes: &[u8]) -> Option<Vec<(char, Box<str>)>> {
    let numbers = words(bytes);
    let mut numbers = numbers.into_iter();
    let mut found = Vec::new();
    while let Some(from) = numbers.next() {
        let count = numbers.next()? as usize;
        let by = (0..count).map(|_| char::from_u32(numbers.next()?)).collect::<Option<String>>()?;
        found.push((char::from_u32(from)?, by.into_boxed_str()));
    }
    Some(found)
}

/// FNV-1a in 32 bits.
const HASH_START: u32 = 0x811c_9dc5;

fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(HASH_START, |hash, &byte| hashed(hash, byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unigram(pieces: &[(&str, f32)], replaced: &[(char, &str)]) -> Unigram {
        let framed = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)].iter().chain(pieces);
        let mut bytes = Vec::new();
        let (mut offsets, mut scores) = (vec![0], Vec::new());
        for (piece, score) in framed {
            bytes.extend(piece.as_bytes());
            offsets.push(bytes.len() as u32);
            scores.push(*score);
        }
        let special = Special { begin: 0, padding: 1, end: 2, unknown: 3 };
        let replaced = replaced.iter().map(|(from, by)| (*from, (*by).into())).collect();
        Unigram::new(bytes, offsets, scores, special, replaced).unwrap()
    }

    const PIECES: [(&str, f32); 8] = [
        ("▁", -3.0),
        ("▁con", -5.0),
        ("tract", -5.0),
        ("▁contract", -7.0),
        ("s", -2.0),
        ("a", -4.0),
        ("b", -4.0),
        ("ab", -9.0),
    ];

    #[test]
    fn the_most_probable_pieces_are_taken() {
        let unigram = unigram(&PIECES, &[('ﬁ', "ab"), ('\u{a0}', " ")]);
        let ids = |text: &str| unigram.ids(text, 100);
        let tokens = |text: &str| ids(text).iter().map(|&id| unigram.token(id).unwrap()).collect::<Vec<_>>();
        assert_eq!(tokens("contracts"), ["<s>", "▁contract", "s", "</s>"]);
        assert_eq!(tokens(" con\u{a0} \n tracts "), ["<s>", "▁con", "▁", "tract", "s", "</s>"]);
        // a + b is more probable than ab.
        assert_eq!(tokens("ﬁ"), ["<s>", "▁", "a", "b", "</s>"]);
        assert_eq!(tokens("xyz a"), ["<s>", "▁", "<unk>", "▁", "a", "</s>"], "unknown characters are one");
        assert_eq!(tokens("<s>"), ["<s>", "▁", "<unk>", "s", "<unk>", "</s>"], "controls cannot be written");
        assert_eq!(tokens(""), ["<s>", "</s>"]);
        assert_eq!(unigram.ids("contracts contracts", 4), [0, 7, 8, 2]);
    }

    proptest! {
        #[test]
        fn any_text_is_framed_and_short_enough(text in "(?s).{0,80}", most in 2usize..20) {
            let unigram = unigram(&PIECES, &[('a', "")]);
            let ids = unigram.ids(&text, most);
            prop_assert!(ids.len() <= most && ids[0] == 0 && ids.last() == Some(&2));
            prop_assert!(ids.iter().all(|&id| (id as usize) < unigram.len()));
        }
    }

    #[test]
    fn a_damaged_vocabulary_is_refused() {
        let special = Special { begin: 0, padding: 1, end: 2, unknown: 9 };
        let new =
            |offsets: Vec<u32>, special| Unigram::new(b"abcd".to_vec(), offsets, vec![-1.0; 4], special, Vec::new());
        assert!(new(vec![0, 1, 2, 3, 4], special).is_err());
        let special = Special { unknown: 3, ..special };
        assert!(new(vec![0, 1, 2, 3, 4], special).is_ok());
        assert!(new(vec![0, 1, 2, 3, 5], special).is_err());
        assert!(new(vec![0, 2, 1, 3, 4], special).is_err());
        assert_eq!(replaced(&[1, 0, 0, 0, 2, 0, 0, 0, 65, 0, 0, 0]), None);
    }
}
