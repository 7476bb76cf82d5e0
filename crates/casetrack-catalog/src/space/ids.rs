//! Sets of ids of entries, in blocks of bits.

use std::collections::BTreeMap;

/// Ids of one block share all but their last bits.
pub(super) const BLOCK_BITS: u32 = 12;
const WORDS: usize = 1 << (BLOCK_BITS - 6);

pub(super) fn block_of(id: i64) -> i64 {
    id >> BLOCK_BITS
}

fn within(id: i64) -> usize {
    usize::try_from(id & ((1 << BLOCK_BITS) - 1)).unwrap_or_default()
}

/// A set of ids of one block, or of places: numbers below the most entries that a block can have. The methods take only ids of this block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits([u64; WORDS]);

impl Default for Bits {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl Bits {
    /// Returns whether it is new.
    pub fn insert(&mut self, id: i64) -> bool {
        self.insert_place(within(id))
    }

    pub fn insert_place(&mut self, place: usize) -> bool {
        let (word, bit) = (&mut self.0[place / 64], 1 << (place % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn remove(&mut self, id: i64) {
        self.0[within(id) / 64] &= !(1 << (within(id) % 64));
    }

    pub fn contains(&self, id: i64) -> bool {
        self.has_place(within(id))
    }

    pub fn has_place(&self, place: usize) -> bool {
        self.0[place / 64] & (1 << (place % 64)) != 0
    }

    /// Each as its place in the block, in their order.
    pub fn into_places(mut self) -> impl Iterator<Item = usize> {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < WORDS && self.0[at] == 0 {
                at += 1;
            }
            let word = self.0.get_mut(at)?;
            let place = at * 64 + word.trailing_zeros() as usize;
            *word &= *word - 1;
            Some(place)
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.clone().into_places()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    /// Removes those that the other does not have.
    pub fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= other);
    }

    pub fn drop_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= !other);
    }

    /// Keeps the places for which the test holds. Each is tested separately.
    pub fn retain(&mut self, is_meant: impl Fn(usize) -> bool) {
        for (number, word) in self.0.iter_mut().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                if !is_meant(number * 64 + rest.trailing_zeros() as usize) {
                    *word &= !(rest & rest.wrapping_neg());
                }
                rest &= rest - 1;
            }
        }
    }

    /// Keeps the places whose values in a column pass the test. Costs about a nanosecond for each value, regardless of the result.
    pub fn keep_where<T: Copy>(&mut self, column: &[T], is_meant: impl Fn(T) -> bool) {
        for (word, values) in self.0.iter_mut().zip(column.chunks(64)).filter(|(word, _)| **word != 0) {
            let meant = |mask, (bit, value): (usize, &T)| mask | (u64::from(is_meant(*value)) << bit);
            *word &= values.iter().enumerate().fold(0, meant);
        }
    }

    /// The rank in `all` of each of these places that `all` has as well.
    pub fn ranks_in(&self, all: &Self) -> Self {
        let (mut ranks, mut before) = (Self::default(), 0);
        for (own, all) in self.0.iter().zip(&all.0) {
            let count = all.count_ones() as usize;
            let mut both = own & all;
            if both == *all && both != 0 {
                // The ranks follow each other.
                let run = u64::MAX >> (64 - count);
                ranks.0[before / 64] |= run << (before % 64);
                if before % 64 + count > 64 {
                    ranks.0[before / 64 + 1] |= run >> (64 - before % 64);
                }
                both = 0;
            }
            while both != 0 {
                let lowest = both & both.wrapping_neg();
                ranks.insert_place(before + (all & (lowest - 1)).count_ones() as usize);
                both &= both - 1;
            }
            before += count;
        }
        ranks
    }
}

/// The number of leading values that are before something. Fast if there are few: the steps double, as in a galloping search (Bentley and
/// Yao, 1976).
pub(super) fn before<T>(values: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let mut end = 1;
    while values.get(end - 1).is_some_and(&is_before) {
        end *= 2;
    }
    let (start, end) = (end / 2, end.min(values.len()));
    start + values[start..end].partition_point(is_before)
}

/// A set of ids, of about one bit each if many are near each other: a million take 125 kB. Uniting two costs microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ids(BTreeMap<i64, Box<Bits>>);

impl Ids {
    /// The ids of several blocks, with the numbers of these.
    pub fn of_blocks<'a>(blocks: impl Iterator<Item = (i64, &'a Bits)>) -> Self {
        Self(blocks.map(|(block, bits)| (block, Box::new(bits.clone()))).collect())
    }

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

    pub fn block(&self, block: i64) -> Option<&Bits> {
        self.0.get(&block).map(|bits| &**bits)
    }

    pub fn is_empty(&self) -> bool {
        self.0.values().all(|block| block.is_empty())
    }

    pub fn len(&self) -> u64 {
        self.0.values().map(|block| block.len() as u64).sum()
    }

    /// In their order.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flat_map(|(block, bits)| bits.iter().map(move |within| (block << BLOCK_BITS) + within as i64))
    }

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
    #[test]
    fn ranks_are_how_many_are_before() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..200 {
            let (mut all, mut some) = (Bits::default(), Bits::default());
            // Runs and gaps of all lengths.
            let mut id = random.i64(0..200);
            while id < 1 << BLOCK_BITS {
                for _ in 0..random.i64(1..300) {
                    all.insert(id.min((1 << BLOCK_BITS) - 1));
                    id += 1;
                }
                id += random.i64(0..100);
            }
            let often = random.u8(..);
            for id in 0..1 << BLOCK_BITS {
                if random.u8(..) <= often {
                    some.insert(id);
                }
            }
            let expected: Vec<usize> =
                all.iter().enumerate().filter(|(_, id)| some.has_place(*id)).map(|(rank, _)| rank).collect();
            assert_eq!(some.ranks_in(&all).iter().collect::<Vec<_>>(), expected);
            let mut kept = some.clone();
            let column: Vec<u64> = (0..1 << BLOCK_BITS).map(|_| random.u64(..4)).collect();
            kept.keep_where(&column, |value| value > 1);
            some.retain(|place| column[place] > 1);
            assert_eq!(kept, some);
        }
    }
}
