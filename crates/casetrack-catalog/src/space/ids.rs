//! Sets of ids of entries, in blocks of bits.

use std::collections::BTreeMap;

/// Ids of one block share all but their last bits.
pub(super) const BLOCK_BITS: u32 = 12;
const WORDS: usize = 1 << (BLOCK_BITS - 6);

/// The block of an id.
pub(super) fn block_of(id: i64) -> i64 {
    id >> BLOCK_BITS
}

/// Which of its block an id is.
pub(super) fn within(id: i64) -> i64 {
    id & ((1 << BLOCK_BITS) - 1)
}

/// A set of ids of one block. The methods take ids of this block alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits([u64; WORDS]);

impl Default for Bits {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl Bits {
    fn place(id: i64) -> (usize, u64) {
        let within = usize::try_from(within(id)).unwrap_or_default();
        (within / 64, 1 << (within % 64))
    }

    /// Returns whether it is new.
    pub fn insert(&mut self, id: i64) -> bool {
        let (word, bit) = Self::place(id);
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    fn remove(&mut self, id: i64) {
        let (word, bit) = Self::place(id);
        self.0[word] &= !bit;
    }

    pub fn contains(&self, id: i64) -> bool {
        let (word, bit) = Self::place(id);
        self.0[word] & bit != 0
    }

    /// Each as the one [`within`] its block, in their order.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        (0..).step_by(64).zip(&self.0).flat_map(|(first, word)| {
            let some = |rest: u64| Some(rest).filter(|rest| *rest != 0);
            let rests = std::iter::successors(some(*word), move |rest| some(rest & (rest - 1)));
            rests.map(move |rest| first + i64::from(rest.trailing_zeros()))
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn len(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    /// Removes those that the other does not have.
    pub fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= other);
    }

    fn drop_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= !other);
    }
}

/// A set of ids, of about one bit each where many are near each other: a million take 125 kB. Uniting two costs microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ids(BTreeMap<i64, Box<Bits>>);

impl Ids {
    /// Returns whether it is new.
    pub fn insert(&mut self, id: i64) -> bool {
        self.0.entry(block_of(id)).or_default().insert(id)
    }

    pub fn remove(&mut self, id: i64) {
        if let Some(block) = self.0.get_mut(&block_of(id)) {
            block.remove(id);
        }
    }

    pub fn contains(&self, id: i64) -> bool {
        self.block(block_of(id)).is_some_and(|block| block.contains(id))
    }

    /// Those of one block.
    pub fn block(&self, block: i64) -> Option<&Bits> {
        self.0.get(&block).map(|bits| &**bits)
    }

    pub fn is_empty(&self) -> bool {
        self.0.values().all(|block| block.is_empty())
    }

    pub fn len(&self) -> u64 {
        self.0.values().map(|block| block.len()).sum()
    }

    /// In their order.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flat_map(|(block, bits)| bits.iter().map(move |within| (block << BLOCK_BITS) + within))
    }

    /// Those that the other does not have.
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        for (block, bits) in &mut rest.0 {
            if let Some(other) = other.0.get(block) {
                bits.drop_all(other);
            }
        }
        rest
    }

    /// Removes those that the other does not have.
    pub fn keep(&mut self, other: &Self) {
        self.0.retain(|block, _| other.0.contains_key(block));
        for (block, bits) in &mut self.0 {
            if let Some(other) = other.0.get(block) {
                bits.keep(other);
            }
        }
    }

    pub fn unite(&mut self, other: &Self) {
        for (block, bits) in &other.0 {
            match self.0.get_mut(block) {
                Some(own) => own.unite(bits),
                None => drop(self.0.insert(*block, bits.clone())),
            }
        }
    }
}

impl FromIterator<i64> for Ids {
    fn from_iter<I: IntoIterator<Item = i64>>(ids: I) -> Self {
        let mut set = Self::default();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it_and_the_union_what_either_has() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut pick = || -> Vec<i64> { (0..500).map(|_| random.i64(1..20_000)).collect() };
        let (a, b) = (pick(), pick());
        let (mut united, other) = (a.iter().copied().collect::<Ids>(), b.iter().copied().collect::<Ids>());
        united.unite(&other);
        for id in 1..20_000 {
            assert_eq!(united.contains(id), a.contains(&id) || b.contains(&id), "{id}");
        }
        let (only, mut both) = (united.without(&other), united.clone());
        both.keep(&other);
        assert_eq!(both, other);
        assert!(only.iter().all(|id| a.contains(&id) && !b.contains(&id)) && !only.is_empty());
        assert_eq!(united.len(), united.iter().count() as u64);
        assert!(!united.insert(a[0]) && united.insert(20_000));
        united.remove(20_000);
        assert!(!united.contains(20_000));
    }
}
