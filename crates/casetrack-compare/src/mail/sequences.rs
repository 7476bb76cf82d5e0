//! Sequences of words as numbers, by which a text is found in another that wraps, marks or punctuates it otherwise.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Words of a sequence.
const LENGTH: usize = 3;
/// Most sequences of a text; the rest of a longer one is not compared.
const MAX_SEQUENCES: usize = 20_000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sequences {
    hashes: Vec<u64>,
    /// Words of the text.
    pub words: u32,
}

impl Sequences {
    /// Of texts that follow each other.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let (mut hashes, mut words, mut last) = (Vec::new(), 0u32, [0u64; LENGTH]);
        for text in texts {
            for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
                last.rotate_left(1);
                last[LENGTH - 1] = hash_of(word);
                words = words.saturating_add(1);
                if words as usize >= LENGTH && hashes.len() < MAX_SEQUENCES {
                    let mut hasher = DefaultHasher::new();
                    last.hash(&mut hasher);
                    hashes.push(hasher.finish());
                }
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes, words }
    }

    #[expect(clippy::len_without_is_empty, reason = "no caller needs it")]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.hashes.iter().copied()
    }

    /// The share (0–1) of its sequences that the other has; 0 if it has none.
    pub fn share_in(&self, other: &Self) -> f32 {
        let (mut common, mut at) = (0usize, 0);
        for hash in &self.hashes {
            while other.hashes.get(at).is_some_and(|found| found < hash) {
                at += 1;
            }
            common += usize::from(other.hashes.get(at) == Some(hash));
        }
        if self.hashes.is_empty() { 0.0 } else { common as f32 / self.hashes.len() as f32 }
    }
}

/// The same for words that differ in capitals only.
fn hash_of(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.chars().flat_map(char::to_lowercase).for_each(|c| c.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_another_that_wraps_it_otherwise() {
        let whole = Sequences::of(["The rent of the mill is due on Friday, as agreed."]);
        assert_eq!(Sequences::of(["the RENT of", "the mill; is due"]).share_in(&whole), 1.0);
        assert_eq!(Sequences::of(["the rent of the barn"]).share_in(&whole), 2.0 / 3.0);
        assert_eq!(Sequences::of(["Friday"]).share_in(&whole), 0.0);
        assert_eq!((whole.words, whole.len()), (11, 9));
    }
}
