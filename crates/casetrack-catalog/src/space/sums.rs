//! Sums over entries: each path, each file with any number of names, and the contents of a folder count once.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

use super::block::{Block, Row};
use super::ids::{Bits, Ids};
use super::image::{Image, NOWHERE};
use crate::entry::Kind;

/// Space that entries take on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Paths that were summed up, without those that are only below a folder among them.
    pub count: u64,
    pub files: u64,
    pub folders: u64,
    /// Bytes of content. A file with several names counts once; a folder counts with all below it, unless something below it is summed
    /// up itself.
    pub bytes: u64,
    /// Bytes that the file system has set aside, counted as `bytes` are; each folder counts with its own as well.
    pub allocated: u64,
}

/// Files that may come again are noted in two to this many bits.
const NOTED_BITS: u32 = 24;
/// Fewer blocks than these are not shared among cores: starting a thread takes as long as some thousand entries.
const FEWEST_BLOCKS: usize = 16;

impl Image {
    /// Sums up entries. Costs about 30 nanoseconds of one core for each of them, and 10 for each entry of the catalogue if folders among
    /// them count with their contents. The cores share the work.
    pub fn totals(&self, ids: &Ids) -> Totals {
        let noted = SeenFiles::new();
        let members = side_by_side(&self.blocks_of(ids), |part| {
            let mut members = Members::new(self.folders.paths.len(), &noted);
            part.iter().flat_map(|(block, bits)| block.rows_of(bits)).for_each(|row| members.take(&row));
            members
        });
        let (mut totals, mut holds) = (Totals::default(), vec![false; self.folders.paths.len()]);
        let (mut whole, mut content) = (Vec::new(), Vec::new());
        for part in members {
            totals.count += part.folders + part.files;
            totals.folders += part.folders;
            totals.files += part.files;
            holds.iter_mut().zip(&part.holds).for_each(|(holds, also)| *holds |= also);
            whole.extend(part.whole);
            content.push(part.content);
        }
        self.hold_outwards(&mut holds);
        whole.retain(|own| !holds[*own as usize]);
        let expanded = self.below(&whole);
        if !expanded.is_empty() {
            let blocks: Vec<&Block> = self.blocks.values().map(|block| &**block).collect();
            content.extend(side_by_side(&blocks, |part| {
                let mut content = Content::new(&noted);
                part.iter().flat_map(|block| block.rows_in(&expanded)).for_each(|row| content.take(&row));
                content
            }));
        }
        (totals.bytes, totals.allocated) = finish(content, &noted);
        totals
    }

    /// Marks every folder around a marked one.
    pub fn hold_outwards(&self, holds: &mut [bool]) {
        for place in self.folders.order.iter().rev() {
            let parent = self.folders.parents[*place as usize];
            if holds[*place as usize] && parent != NOWHERE {
                holds[parent as usize] = true;
            }
        }
    }

    /// The entries that the catalogue still has.
    pub fn members<'a>(&'a self, ids: &'a Ids) -> impl Iterator<Item = Row> {
        self.blocks_of(ids).into_iter().flat_map(|(block, bits)| block.rows_of(bits))
    }

    pub fn blocks_of<'a>(&'a self, ids: &'a Ids) -> Vec<(&'a Block, &'a Bits)> {
        self.blocks.iter().filter_map(|(number, block)| Some((&**block, ids.block(*number)?))).collect()
    }

    /// These folders and all below them, by their places.
    pub fn below(&self, starts: &[u32]) -> Vec<bool> {
        if starts.is_empty() {
            return Vec::new();
        }
        let mut below = vec![false; self.folders.paths.len()];
        starts.iter().for_each(|start| below[*start as usize] = true);
        for place in &self.folders.order {
            let parent = self.folders.parents[*place as usize];
            if parent != NOWHERE && below[parent as usize] {
                below[*place as usize] = true;
            }
        }
        below
    }

    pub fn rows_in<'a>(&'a self, folders: &'a [bool]) -> impl Iterator<Item = Row> {
        let blocks = (!folders.is_empty()).then_some(&self.blocks);
        blocks.into_iter().flat_map(|blocks| blocks.values()).flat_map(|block| block.rows_in(folders))
    }
}

/// Works on the parts of a list in parallel, one for each core. The results are in the order of the list.
pub(super) fn side_by_side<T: Sync, R: Send>(list: &[T], work: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut parts = list.chunks(list.len().div_ceil(cores).max(FEWEST_BLOCKS));
    let first = parts.next();
    std::thread::scope(|scope| {
        let others: Vec<_> = parts.map(|part| scope.spawn(|| work(part))).collect();
        let first = first.map(&work);
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        first.into_iter().chain(joined).collect()
    })
}

struct Members<'n> {
    files: u64,
    folders: u64,
    /// True for each place of a folder that holds members.
    holds: Vec<bool>,
    /// Folders that are members, by their places.
    whole: Vec<u32>,
    content: Content<'n>,
}

impl<'n> Members<'n> {
    fn new(places: usize, noted: &'n SeenFiles) -> Self {
        Self { files: 0, folders: 0, holds: vec![false; places], whole: Vec::new(), content: Content::new(noted) }
    }

    fn take(&mut self, row: &Row) {
        if let Some(holds) = self.holds.get_mut(row.folder as usize) {
            *holds = true;
        }
        if row.kind == Kind::Folder {
            self.folders += 1;
            if row.own != NOWHERE {
                self.whole.push(row.own);
            }
        } else {
            self.files += 1;
        }
        self.content.take(row);
    }
}

/// A bit for the number of each counted file. Several files may share a bit.
struct SeenFiles(Vec<AtomicU64>);

impl SeenFiles {
    fn new() -> Self {
        Self(std::iter::repeat_with(AtomicU64::default).take(1 << (NOTED_BITS - 6)).collect())
    }

    /// Notes a file, and returns whether it may have been noted before.
    fn note(&self, device: u64, inode: u64) -> bool {
        let (word, bit) = bit(device, inode);
        self.0[word].fetch_or(bit, Ordering::Relaxed) & bit != 0
    }
}

/// Space that entries take; each file counts once, even if it has several names.
struct Content<'n> {
    bytes: u64,
    allocated: u64,
    noted: &'n SeenFiles,
    /// The numbers of those that were counted: device and inode.
    counted: Vec<(u64, u64)>,
    /// Possible other names of a counted file. They are compared at the end.
    aside: Vec<Row>,
}

impl<'n> Content<'n> {
    fn new(noted: &'n SeenFiles) -> Self {
        Self { bytes: 0, allocated: 0, noted, counted: Vec::new(), aside: Vec::new() }
    }

    fn take(&mut self, row: &Row) {
        if row.kind == Kind::File && row.inode != 0 {
            if self.noted.note(row.device, row.inode) {
                self.aside.push(*row);
                return;
            }
            self.counted.push((row.device, row.inode));
        }
        self.add(row);
    }

    fn add(&mut self, row: &Row) {
        if row.kind != Kind::Folder {
            self.bytes = self.bytes.saturating_add(row.size);
        }
        self.allocated = self.allocated.saturating_add(row.allocated);
    }
}

/// Bytes of content and those set aside by the file system.
fn finish(parts: Vec<Content<'_>>, noted: &SeenFiles) -> (u64, u64) {
    let mut all = Content::new(noted);
    let (mut counted, mut aside) = (Vec::new(), Vec::new());
    for part in parts {
        all.bytes = all.bytes.saturating_add(part.bytes);
        all.allocated = all.allocated.saturating_add(part.allocated);
        counted.push(part.counted);
        aside.extend(part.aside);
    }
    // Few of those that were counted share a bit with one of these.
    let among = SeenFiles::new();
    for row in &aside {
        among.note(row.device, row.inode);
    }
    let shares = |(device, inode): &(u64, u64)| {
        let (word, bit) = bit(*device, *inode);
        among.0[word].load(Ordering::Relaxed) & bit != 0
    };
    let mut counted: HashSet<(u64, u64)> = match aside.is_empty() {
        true => HashSet::new(),
        false => counted.into_iter().flatten().filter(shares).collect(),
    };
    for row in aside {
        if counted.insert((row.device, row.inode)) {
            all.add(&row);
        }
    }
    (all.bytes, all.allocated)
}

/// The bit of the number of a file. Consecutive numbers have consecutive bits, which suits the processor's caches. The higher bits shift
/// the bits, so that numbers of other devices and of other parts of a device rarely collide.
fn bit(device: u64, inode: u64) -> (usize, u64) {
    // A multiplier with random bits, from Knuth's multiplicative hashing for 64 bits.
    let moved =
        (device.rotate_left(40) ^ (inode >> NOTED_BITS)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - NOTED_BITS);
    let bit = inode.wrapping_add(moved) & ((1 << NOTED_BITS) - 1);
    (usize::try_from(bit / 64).unwrap_or_default(), 1 << (bit % 64))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::block::tests::row;
    use super::super::ids::block_of;
    use super::*;

    #[test]
    fn files_count_once_whichever_core_meets_their_names() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut image, mut ids) = (Image::default(), Ids::default());
        let (mut files, mut bytes, mut seen) = (0, 0, HashSet::new());
        for id in 0..300_000 {
            // Every third file has another name somewhere.
            let inode = random.u64(1..200_000);
            let size = inode % 1_000;
            let row = Row { inode, size, allocated: size + 1, ..row(id) };
            let block = image.blocks.entry(block_of(id)).or_default();
            Arc::make_mut(block).push(&row, b"a");
            if random.u8(..) < 200 {
                ids.insert(id);
                files += 1;
                bytes += if seen.insert(inode) { size } else { 0 };
            }
        }
        let expected = Totals { count: files, files, folders: 0, bytes, allocated: bytes + seen.len() as u64 };
        assert_eq!(image.totals(&ids), expected);
        let blocks = image.blocks_of(&ids);
        assert!(blocks.len() >= 2 * FEWEST_BLOCKS);
        // Each part is worked on, in the order of the list.
        let numbers = |part: &[(&Block, &Bits)]| part.iter().map(|(block, _)| block.id(0)).collect::<Vec<_>>();
        assert!(side_by_side(&blocks, numbers).concat().is_sorted());
        assert_eq!(side_by_side(&blocks, numbers).concat().len(), blocks.len());
    }
}
