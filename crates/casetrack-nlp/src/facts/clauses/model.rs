//! The weights of the model, which `scripts/train/clauses.py` writes.
//!
//! All numbers are little endian: the magic bytes, the number of buckets that have weights (u32) and of kinds (u32), the weight of each group of
//! features (3 × f32), the power of a group's size by which its sum is divided (f32), for each kind the numbers of [`Kind`] (f32), the
//! buckets in ascending order (u32), and for each bucket a weight for each kind (i8).

use std::sync::LazyLock;

use super::features::{BITS, Features};
use super::{Clause, KINDS};

static WEIGHTS: &[u8] = include_bytes!("../../../data/clauses/weights.bin");
const MAGIC: &[u8] = b"CTCLAUS2";

/// The numbers of a kind of clause. A score is the distance from the border between clauses of the kind and other sentences.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kind {
    /// Unit of its weights.
    scale: f32,
    bias: f32,
    /// The probability that a reader marks a clause: 1 / (1 + exp(-(slope × best + mean × mean + offset))), of the best score of a contract and
    /// the mean of its best scores.
    slope: f32,
    mean: f32,
    offset: f32,
    /// Least probability that is shown, and least that is a candidate.
    pub shown: f32,
    pub candidate: f32,
}

pub(super) struct Model {
    pub kinds: [Kind; KINDS],
    groups: [f32; 3],
    power: f32,
    rows: Rows,
    /// As they are in the file: bytes of signed numbers.
    weights: &'static [u8],
}

/// The rows of buckets that have weights: a bit for each bucket, and for each word of bits the number of bits before it. A table of row numbers
/// would take 20 times the memory.
#[derive(Debug)]
struct Rows {
    bits: Vec<u64>,
    before: Vec<u32>,
    count: u32,
}

impl Default for Rows {
    fn default() -> Self {
        let words = 1 << (BITS - u64::BITS.ilog2());
        Self { bits: vec![0; words], before: vec![0; words], count: 0 }
    }
}

impl Rows {
    /// Adds a bucket, which must be at least `next`. Returns the bucket after it, or none if the bucket cannot be.
    fn push(&mut self, bucket: u32, next: u32) -> Option<u32> {
        let word = (bucket / u64::BITS) as usize;
        let bits = self.bits.get_mut(word).filter(|_| bucket >= next)?;
        if *bits == 0 {
            self.before[word] = self.count;
        }
        *bits |= 1 << (bucket % u64::BITS);
        self.count += 1;
        Some(bucket + 1)
    }

    fn get(&self, bucket: u32) -> Option<usize> {
        let word = (bucket / u64::BITS) as usize;
        let bits = *self.bits.get(word)? >> (bucket % u64::BITS);
        let own = self.bits[word].count_ones() - bits.count_ones();
        (bits & 1 == 1).then(|| (self.before[word] + own) as usize)
    }
}

/// The model, read at the first call.
pub(super) static MODEL: LazyLock<Model> = LazyLock::new(|| read(WEIGHTS).unwrap_or_default());

impl Default for Model {
    /// Without weights: no sentence is a clause.
    fn default() -> Self {
        let kind = Kind { bias: f32::NEG_INFINITY, slope: 1.0, shown: 1.0, candidate: 1.0, ..Kind::default() };
        Self { kinds: [kind; KINDS], groups: [0.0; 3], power: 0.0, rows: Rows::default(), weights: &[] }
    }
}

fn read(bytes: &'static [u8]) -> Option<Model> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut word = || {
        let (word, after) = rest.split_first_chunk::<4>()?;
        rest = after;
        Some(*word)
    };
    let buckets = u32::from_le_bytes(word()?) as usize;
    if u32::from_le_bytes(word()?) as usize != KINDS || buckets > 1 << BITS {
        return None;
    }
    let mut number = || word().map(f32::from_le_bytes);
    let mut model = Model { groups: [number()?, number()?, number()?], power: number()?, ..Model::default() };
    for kind in &mut model.kinds {
        let [scale, bias, slope, mean, offset] = [number()?, number()?, number()?, number()?, number()?];
        *kind = Kind { scale, bias, slope, mean, offset, shown: number()?, candidate: number()? };
    }
    let mut next = 0;
    for _ in 0..buckets {
        next = model.rows.push(u32::from_le_bytes(word()?), next)?;
    }
    model.weights = rest;
    (model.weights.len() == buckets * KINDS).then_some(model)
}

impl Model {
    /// The score of each kind.
    pub fn scores(&self, features: &Features) -> [f32; KINDS] {
        let mut scores = [0f32; KINDS];
        for (group, weight) in features.groups.iter().zip(self.groups) {
            let mut sums = [0i32; KINDS];
            for bucket in group {
                let Some(row) = self.rows.get(*bucket) else { continue };
                let Some(weights) = self.weights.get(row * KINDS..(row + 1) * KINDS) else { continue };
                sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += i32::from(weight.cast_signed()));
            }
            let share = weight * (group.len().max(1) as f32).powf(-self.power);
            scores.iter_mut().zip(sums).for_each(|(score, sum)| *score += share * sum as f32);
        }
        for (score, kind) in scores.iter_mut().zip(&self.kinds) {
            *score = *score * kind.scale + kind.bias;
        }
        scores
    }

    /// The probability that a contract with this best score, and this mean of its best scores, has a clause of a kind.
    pub fn probability(&self, clause: Clause, best: f32, mean: f32) -> f32 {
        let kind = &self.kinds[clause as usize];
        1.0 / (1.0 + (-(kind.slope * best + kind.mean * mean + kind.offset)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_can_be_read_and_a_damaged_file_cannot() {
        assert!(read(WEIGHTS).is_some());
        assert!(read(&WEIGHTS[..WEIGHTS.len() - 1]).is_none());
        assert!(read(b"no weights").is_none());
    }

    #[test]
    fn a_bucket_has_the_row_of_its_place_in_the_file() {
        let mut rows = Rows::default();
        let mut next = 0;
        for bucket in [0, 63, 64, 200, (1 << BITS) - 1] {
            next = rows.push(bucket, next).expect("in order");
        }
        let found = [0, 1, 63, 64, 200, (1 << BITS) - 1, 1 << BITS].map(|bucket| rows.get(bucket));
        assert_eq!(found, [Some(0), None, Some(1), Some(2), Some(3), Some(4), None]);
        assert_eq!(rows.push(5, next), None);
        assert_eq!(Rows::default().push(1 << BITS, 0), None);
    }
}
