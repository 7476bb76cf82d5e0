//! Postings of one term: the chunks that have it, by ascending offset of their slot, each with its impact.

use bitpacking::{BitPacker, BitPacker4x};

use crate::records::sparse_vector::{push_varint, take_varint};

/// Postings that are packed together.
pub(super) const BLOCK: usize = BitPacker4x::BLOCK_LEN;
/// An entry of the table of blocks: last offset, end of the block's bytes, greatest impact, bits of a gap.
const ENTRY: usize = 10;

/// The stored data was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damaged;

/// Appends the postings of a term: a table of its whole blocks; of each, the gaps of the offsets, packed, and the
/// impacts; and the postings that are left, a varint and a byte each.
pub(super) fn encode(offsets: &[u32], impacts: &[u8], bytes: &mut Vec<u8>) {
    let packer = BitPacker4x::new();
    let (blocks, rest) = offsets.as_chunks::<BLOCK>();
    let (block_impacts, rest_impacts) = impacts.as_chunks::<BLOCK>();
    let table = bytes.len();
    bytes.resize(table + ENTRY * blocks.len(), 0);
    let area = bytes.len();
    let mut before = None;
    for (n, (block, impacts)) in blocks.iter().zip(block_impacts).enumerate() {
        let bits = packer.num_bits_strictly_sorted(before, block);
        let start = bytes.len();
        bytes.resize(start + BitPacker4x::compressed_block_size(bits), 0);
        packer.compress_strictly_sorted(before, block, &mut bytes[start..], bits);
        bytes.extend_from_slice(impacts);
        let last = block[BLOCK - 1];
        let end = (bytes.len() - area) as u32;
        let entry = &mut bytes[table + ENTRY * n..][..ENTRY];
        entry[..4].copy_from_slice(&last.to_le_bytes());
        entry[4..8].copy_from_slice(&end.to_le_bytes());
        entry[8] = impacts.iter().copied().max().unwrap_or_default();
        entry[9] = bits;
        before = Some(last);
    }
    for (&offset, &impact) in rest.iter().zip(rest_impacts) {
        push_varint(bytes, offset - before.map_or(0, |last| last + 1));
        bytes.push(impact);
        before = Some(offset);
    }
}

/// Where postings come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// As [`encode`] writes them.
    Packed {
        table: &'a [[u8; ENTRY]],
        area: &'a [u8],
        rest: usize,
    },
    Plain {
        offsets: &'a [u32],
        impacts: &'a [u8],
    },
}

/// Reads the postings of a term from front to back, a block at a time.
pub(super) struct Cursor<'a> {
    source: Source<'a>,
    /// The number of the next block.
    next: usize,
    /// The block at hand.
    offsets: [u32; BLOCK],
    impacts: [u8; BLOCK],
    at: usize,
    len: usize,
    /// Last offset of the blocks before `next`.
    before: Option<u32>,
    /// Greatest impact of all.
    max: u8,
}

impl<'a> Cursor<'a> {
    /// Over `count` postings as [`encode`] wrote them, of impacts up to `max`.
    pub fn packed(bytes: &'a [u8], count: usize, max: u8) -> Result<Self, Damaged> {
        let (table, area) = bytes.split_at_checked(ENTRY * (count / BLOCK)).ok_or(Damaged)?;
        Ok(Self::new(Source::Packed { table: table.as_chunks().0, area, rest: count % BLOCK }, max))
    }

    pub fn plain(offsets: &'a [u32], impacts: &'a [u8]) -> Self {
        Self::new(Source::Plain { offsets, impacts }, impacts.iter().copied().max().unwrap_or_default())
    }

    fn new(source: Source<'a>, max: u8) -> Self {
        Self { source, next: 0, offsets: [0; BLOCK], impacts: [0; BLOCK], at: 0, len: 0, before: None, max }
    }

    /// Reads the next block; `false` at the end.
    fn load(&mut self) -> Result<bool, Damaged> {
        (self.at, self.len) = (0, 0);
        match self.source {
            Source::Packed { table, area, rest } => match table.get(self.next) {
                Some(entry) => {
                    let (last, end, _, bits) = parts(entry);
                    let start = self.next.checked_sub(1).map_or(0, |n| parts(&table[n]).1);
                    let block = area.get(start as usize..end as usize).ok_or(Damaged)?;
                    let packed = BLOCK * usize::from(bits) / 8;
                    if bits > 32 || block.len() != packed + BLOCK {
                        return Err(Damaged);
                    }
                    BitPacker4x::new().decompress_strictly_sorted(
                        self.before,
                        &block[..packed],
                        &mut self.offsets,
                        bits,
                    );
                    self.impacts.copy_from_slice(&block[packed..]);
                    (self.len, self.before) = (BLOCK, Some(last));
                }
                None if self.next == table.len() && rest > 0 => self.load_rest(table, area, rest)?,
                None => return Ok(false),
            },
            Source::Plain { offsets, impacts } => {
                let start = self.next * BLOCK;
                let Some(left) = offsets.get(start..).filter(|left| !left.is_empty()) else { return Ok(false) };
                self.len = left.len().min(BLOCK);
                self.offsets[..self.len].copy_from_slice(&left[..self.len]);
                self.impacts[..self.len].copy_from_slice(&impacts[start..start + self.len]);
                self.before = left.get(self.len - 1).copied();
            }
        }
        self.next += 1;
        Ok(true)
    }

    fn load_rest(&mut self, table: &[[u8; ENTRY]], area: &[u8], rest: usize) -> Result<(), Damaged> {
        let mut bytes = area.get(table.last().map_or(0, |entry| parts(entry).1) as usize..).ok_or(Damaged)?;
        for n in 0..rest {
            let gap = take_varint(&mut bytes).ok_or(Damaged)?;
            let next = self.before.map_or(Some(0), |last| last.checked_add(1));
            let offset = next.and_then(|next| next.checked_add(gap)).ok_or(Damaged)?;
            let (&impact, left) = bytes.split_first().ok_or(Damaged)?;
            (self.offsets[n], self.impacts[n], self.before) = (offset, impact, Some(offset));
            bytes = left;
        }
        self.len = rest;
        Ok(())
    }

    /// Passes over whole blocks before `offset` without reading them.
    fn skip_to(&mut self, offset: u32) {
        if self.before.is_some_and(|last| self.len > 0 && last < offset) {
            self.at = self.len;
        }
        while self.at == self.len
            && let Some((last, before)) = self.block_ahead()
            && last < offset
        {
            (self.at, self.len, self.before) = (0, 0, before);
            self.next += 1;
        }
    }

    /// The last offset of the next block, and the value of `before` after it, if both are known without reading it.
    fn block_ahead(&self) -> Option<(u32, Option<u32>)> {
        match self.source {
            Source::Packed { table, .. } => table.get(self.next).map(|entry| parts(entry).0),
            Source::Plain { offsets, .. } => offsets.get(self.next * BLOCK + BLOCK - 1).copied(),
        }
        .map(|last| (last, Some(last)))
    }

    /// No impact between two offsets is greater; [`skip_to`](Self::skip_to) the first one comes before.
    pub fn bound(&mut self, start: u32, end: u32) -> u8 {
        self.skip_to(start);
        let Source::Packed { table, rest, .. } = self.source else { return self.max };
        let mut bound = 0;
        if self.at < self.len {
            bound = self.impacts[self.at..self.len].iter().copied().max().unwrap_or_default();
            if self.before.is_some_and(|last| last >= end) {
                return bound;
            }
        }
        for entry in table.get(self.next..).unwrap_or_default() {
            let (last, _, max, _) = parts(entry);
            bound = bound.max(max);
            if last >= end {
                return bound;
            }
        }
        if rest > 0 && self.next <= table.len() { self.max } else { bound }
    }

    /// Adds `weight` times impact to the sums of the offsets from `start` on, one sum each.
    pub fn add_to(&mut self, sums: &mut [u32], start: u32, weight: u32) -> Result<(), Damaged> {
        let end = start.saturating_add(sums.len() as u32);
        self.skip_to(start);
        loop {
            if self.at == self.len && !self.load()? {
                return Ok(());
            }
            let offsets = &self.offsets[self.at..self.len];
            let from = offsets.partition_point(|&offset| offset < start);
            let to = match offsets.last() {
                Some(&last) if last < end => offsets.len(),
                _ => offsets.partition_point(|&offset| offset < end),
            };
            let inside = offsets.get(from..to).unwrap_or_default();
            for (&offset, &impact) in inside.iter().zip(&self.impacts[self.at + from..]) {
                // Always there, unless the data is damaged; the sum has room, see `MAX_TERMS`.
                if let Some(sum) = sums.get_mut(offset.wrapping_sub(start) as usize) {
                    *sum = sum.wrapping_add(weight.wrapping_mul(u32::from(impact)));
                }
            }
            self.at += to;
            if self.at < self.len {
                return Ok(());
            }
        }
    }

    /// Calls `visit` with all postings that have not been read yet.
    pub fn for_each(&mut self, mut visit: impl FnMut(u32, u8)) -> Result<(), Damaged> {
        while self.load()? {
            self.offsets[..self.len].iter().zip(&self.impacts).for_each(|(&offset, &impact)| visit(offset, impact));
        }
        Ok(())
    }
}

/// Last offset, end, greatest impact and bits of a block.
fn parts(entry: &[u8; ENTRY]) -> (u32, u32, u8, u8) {
    let [a, b, c, d, e, f, g, h, max, bits] = *entry;
    (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]), max, bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn postings() -> impl Strategy<Value = (Vec<u32>, Vec<u8>)> {
        (prop::collection::btree_set(0u32..4000, 1..700), any::<u64>()).prop_map(|(offsets, seed)| {
            let impacts = (0..offsets.len()).map(|n| (seed.rotate_left(n as u32 % 64) as u8).max(1)).collect();
            (offsets.into_iter().collect(), impacts)
        })
    }

    proptest! {
        #[test]
        fn postings_come_back_and_sums_are_those_of_a_plain_loop(
            (offsets, impacts) in postings(),
            window in 1u32..900,
            skipped in prop::collection::vec(any::<bool>(), 10),
        ) {
            let mut bytes = Vec::new();
            encode(&offsets, &impacts, &mut bytes);
            let max = impacts.iter().copied().max().unwrap();
            let mut read = Vec::new();
            let mut cursor = Cursor::packed(&bytes, offsets.len(), max).unwrap();
            cursor.for_each(|offset, impact| read.push((offset, impact))).unwrap();
            let expected: Vec<(u32, u8)> = offsets.iter().copied().zip(impacts.iter().copied()).collect();
            prop_assert_eq!(&read, &expected);

            let packed = Cursor::packed(&bytes, offsets.len(), max).unwrap();
            for mut cursor in [packed, Cursor::plain(&offsets, &impacts)] {
                for (n, start) in (0..4000u32).step_by(window as usize).enumerate() {
                    let inside = expected.iter().filter(|(offset, _)| (start..start + window).contains(offset));
                    let bound = cursor.bound(start, start + window);
                    prop_assert!(inside.clone().all(|&(_, impact)| impact <= bound));
                    if skipped[n % skipped.len()] {
                        continue;
                    }
                    let mut sums = vec![1; window as usize];
                    cursor.add_to(&mut sums, start, 3).unwrap();
                    let mut by_hand = vec![1; window as usize];
                    inside.for_each(|&(offset, impact)| by_hand[(offset - start) as usize] += 3 * u32::from(impact));
                    prop_assert_eq!(sums, by_hand);
                }
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000), count in 0usize..700) {
            if let Ok(mut cursor) = Cursor::packed(&bytes, count, 9) {
                let mut sums = vec![0; 300];
                let _ = cursor.bound(0, 300);
                let _ = cursor.add_to(&mut sums, 0, 1);
                let _ = cursor.for_each(|_, _| ());
            }
        }
    }
}
