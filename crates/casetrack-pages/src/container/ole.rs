//! OLE compound files ([MS-CFB]): their streams, and the content of those.
//!
//! Damage affects only its own sectors: a chain that leaves the file or runs in a circle ends there. Nothing read is
//! longer than the file.

mod copy;

use std::collections::HashSet;

use casetrack_core::Result;

pub use self::copy::copied;
use crate::model::Source;

/// First bytes of every compound file.
pub const SIGNATURE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

const ENTRY_BYTES: usize = 128;
/// Types of entries in the directory (2.6.1).
const STORAGE: u8 = 1;
const STREAM: u8 = 2;
/// Sector and stream numbers from here on are markers, not numbers.
const FIRST_MARKER: u32 = 0xFFFF_FFFA;
/// Sector numbers of the allocation table that the header holds.
const TABLES_IN_HEADER: usize = 109;
/// Shorter streams are kept in sectors of 64 bytes inside the root's stream.
const MINI_CUTOFF: u64 = 4096;
const MINI_SECTOR_BYTES: usize = 64;

/// Names of the streams and storages in the root; empty when the directory cannot be read.
pub fn root_names(bytes: &[u8]) -> Vec<String> {
    CompoundFile::open(bytes).map(|file| file.root_names()).unwrap_or_default()
}

/// A stream or storage in a compound file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: String,
    pub is_storage: bool,
    /// Its place in the directory, which no other entry has.
    pub number: usize,
}

pub struct CompoundFile<'a> {
    bytes: &'a [u8],
    sector_bytes: usize,
    /// The sector that follows each one.
    next: Vec<u32>,
    mini_next: Vec<u32>,
    mini_stream: Vec<u8>,
    directory: Vec<u8>,
}

impl<'a> CompoundFile<'a> {
    /// As [`open`](Self::open), of the file being read.
    pub fn of(source: &Source<'a>) -> Result<Self> {
        Self::open(source.bytes).ok_or_else(|| source.unreadable("the directory of its OLE container is damaged"))
    }

    /// Reads the tables; `None` when there is no directory.
    pub fn open(bytes: &'a [u8]) -> Option<Self> {
        let sector_bytes = match u16_at(bytes, 30)? {
            9 => 512usize,
            12 => 4096,
            _ => return None,
        };
        let (next, mini_next, mini_stream, directory) = Default::default();
        let mut file = Self { bytes, sector_bytes, next, mini_next, mini_stream, directory };
        file.next = file.allocation_table();
        file.directory = file.chain(u32_at(bytes, 48)?, u64::MAX);
        file.directory.get(..ENTRY_BYTES)?;
        file.mini_next = numbers(&file.chain(u32_at(bytes, 60)?, u64::MAX));
        file.mini_stream = file.chain(u32_at(&file.directory, 116)?, file.size_of(0)?);
        Some(file)
    }

    pub fn root_names(&self) -> Vec<String> {
        self.root_entries().into_iter().map(|entry| entry.name).collect()
    }

    pub fn root_entries(&self) -> Vec<Entry> {
        self.children(0)
    }

    /// The entries of a storage, in the order of the directory; a stream has none.
    pub fn entries(&self, storage: &Entry) -> Vec<Entry> {
        if storage.is_storage { self.children(storage.number) } else { Vec::new() }
    }

    /// The content of a stream; clipped if its sectors are missing.
    pub fn content(&self, stream: &Entry) -> Vec<u8> {
        let place = u32_at(&self.directory, stream.number * ENTRY_BYTES + 116).zip(self.size_of(stream.number));
        place.map(|(start, size)| self.content_at(start, size)).unwrap_or_default()
    }

    /// The content of a stream by the names that lead to it from the root, without regard to case; clipped if its sectors
    /// are missing.
    pub fn stream(&self, path: &[&str]) -> Option<Vec<u8>> {
        self.located(path).map(|(start, size)| self.content_at(start, size))
    }

    fn content_at(&self, start: u32, size: u64) -> Vec<u8> {
        if size < MINI_CUTOFF { self.mini_chain(start, size) } else { self.chain(start, size) }
    }

    /// Replaces a stream in `file`, a copy of the whole file, by `content`; the part that is longer than the stream is
    /// left out.
    pub fn overwrite(&self, file: &mut [u8], path: &[&str], content: &[u8]) {
        let Some((start, size)) = self.located(path) else { return };
        let content = &content[..content.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
        let place = |sector: u32| (sector as usize + 1).saturating_mul(self.sector_bytes);
        let mut put = |at: usize, bytes: &[u8]| {
            let end = at.saturating_add(bytes.len()).min(file.len());
            if let Some(target) = file.get_mut(at..end) {
                target.copy_from_slice(&bytes[..target.len()]);
            }
        };
        if size >= MINI_CUTOFF {
            let sectors = self.sectors(start, size);
            sectors
                .iter()
                .zip(content.chunks(self.sector_bytes))
                .for_each(|(sector, bytes)| put(place(*sector), bytes));
            return;
        }
        let root = u32_at(&self.directory, 116).zip(self.size_of(0));
        let outer = root.map(|(start, size)| self.sectors(start, size)).unwrap_or_default();
        for (sector, bytes) in self.mini_sectors(start, size).iter().zip(content.chunks(MINI_SECTOR_BYTES)) {
            let at = *sector as usize * MINI_SECTOR_BYTES;
            if let Some(outer) = outer.get(at / self.sector_bytes) {
                put(place(*outer) + at % self.sector_bytes, bytes);
            }
        }
    }

    fn located(&self, path: &[&str]) -> Option<(u32, u64)> {
        let mut number = 0;
        for name in path {
            let same = |child: &Entry| child.name.eq_ignore_ascii_case(name);
            number = self.children(number).into_iter().find(same)?.number;
        }
        let at = number * ENTRY_BYTES;
        if self.directory.get(at + 66) != Some(&STREAM) {
            return None;
        }
        Some((u32_at(&self.directory, at + 116)?, self.size_of(number)?))
    }

    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let start = (number as usize + 1).checked_mul(self.sector_bytes)?;
        self.bytes.get(start..(start + self.sector_bytes).min(self.bytes.len()))
    }

    /// The header lists the first sectors of the table; further lists are chained by the last number of each.
    fn allocation_table(&self) -> Vec<u32> {
        let sectors = self.bytes.len() / self.sector_bytes;
        let mut next = Vec::new();
        let header = self.bytes.get(76..76 + 4 * TABLES_IN_HEADER).unwrap_or_default();
        let mut list = numbers(header);
        let mut following = u32_at(self.bytes, 68);
        for _ in 0..=sectors {
            for table in &list {
                // A table that describes more than the file has is of no use.
                if next.len() >= sectors {
                    return next;
                }
                if let Some(table) = self.sector(*table).filter(|_| *table < FIRST_MARKER) {
                    next.extend(numbers(table));
                }
            }
            let more = following.filter(|number| *number < FIRST_MARKER).and_then(|number| self.sector(number));
            let Some(more) = more else { break };
            list = numbers(more);
            following = list.pop();
        }
        next
    }

    /// Up to `size` bytes of the sectors chained from `number` on.
    fn chain(&self, number: u32, size: u64) -> Vec<u8> {
        self.joined(&self.sectors(number, size), size, |number| self.sector(number))
    }

    fn mini_chain(&self, number: u32, size: u64) -> Vec<u8> {
        self.joined(&self.mini_sectors(number, size), size, |number| self.mini_sector(number))
    }

    fn joined<'b>(&'b self, sectors: &[u32], size: u64, sector: impl Fn(u32) -> Option<&'b [u8]>) -> Vec<u8> {
        let mut content = sectors.iter().filter_map(|number| sector(*number)).collect::<Vec<_>>().concat();
        content.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        content
    }

    /// The sectors chained from `number` on that hold `size` bytes, or as many as there are.
    fn sectors(&self, number: u32, size: u64) -> Vec<u32> {
        let most = self.bytes.len() / self.sector_bytes + 1;
        chained(number, size, most, &self.next, |number| self.sector(number).filter(|_| number < FIRST_MARKER))
    }

    fn mini_sectors(&self, number: u32, size: u64) -> Vec<u32> {
        let most = self.mini_stream.len() / MINI_SECTOR_BYTES + 1;
        chained(number, size, most, &self.mini_next, |number| self.mini_sector(number))
    }

    fn mini_sector(&self, number: u32) -> Option<&[u8]> {
        let start = (number as usize).saturating_mul(MINI_SECTOR_BYTES);
        let end = start.saturating_add(MINI_SECTOR_BYTES).min(self.mini_stream.len());
        self.mini_stream.get(start..end).filter(|sector| !sector.is_empty())
    }

    fn size_of(&self, entry: usize) -> Option<u64> {
        let at = entry * ENTRY_BYTES;
        let size = u64::from(u32_at(&self.directory, at + 120)?);
        // Files with small sectors have sizes of 32 bits; the other half may be garbage.
        let high = if self.sector_bytes == 512 { 0 } else { u64::from(u32_at(&self.directory, at + 124)?) };
        Some(high << 32 | size)
    }

    fn name(&self, entry: usize) -> Option<String> {
        let entry = self.directory.get(entry * ENTRY_BYTES..(entry + 1) * ENTRY_BYTES)?;
        let name_bytes = usize::from(u16_at(entry, 64)?).saturating_sub(2).min(62);
        Some(utf16(&entry[..name_bytes]))
    }

    /// Children form a binary tree in the order of their names; their parent points to its top.
    fn children(&self, parent: usize) -> Vec<Entry> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        // Those whose left branch is being visited.
        let mut open = Vec::new();
        let mut next = self.linked(parent, 76);
        loop {
            while let Some(number) = next.filter(|number| seen.insert(*number)) {
                open.push(number);
                next = self.linked(number, 68);
            }
            let Some(number) = open.pop() else { return found };
            let kind = self.directory.get(number * ENTRY_BYTES + 66);
            found.extend(self.name(number).map(|name| Entry { name, is_storage: kind == Some(&STORAGE), number }));
            next = self.linked(number, 72);
        }
    }

    /// The entry whose number is at `field` of another.
    fn linked(&self, entry: usize, field: usize) -> Option<usize> {
        let number = u32_at(&self.directory, entry * ENTRY_BYTES + field)? as usize;
        (number < self.directory.len() / ENTRY_BYTES).then_some(number)
    }
}

/// The sectors chained by `next` from `number` on, up to `size` bytes and `most` sectors: a damaged chain may run in a circle.
fn chained<'b>(
    mut number: u32,
    size: u64,
    most: usize,
    next: &[u32],
    sector: impl Fn(u32) -> Option<&'b [u8]>,
) -> Vec<u32> {
    let mut found = Vec::new();
    let mut held = 0;
    while found.len() < most
        && let Some(sector) = sector(number)
    {
        found.push(number);
        held += sector.len() as u64;
        match next.get(number as usize) {
            Some(next) if held < size => number = *next,
            _ => break,
        }
    }
    found
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number)).collect()
}

/// Text of 16-bit units; those that form no character become U+FFFD.
pub fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    String::from_utf16_lossy(&units)
}

/// As [`utf16`], to the first zero.
pub fn utf16_to_zero(bytes: &[u8]) -> String {
    let text = utf16(bytes);
    text.split('\0').next().unwrap_or_default().to_owned()
}

/// `size` bytes from `at` on, or as many as there are.
pub fn clipped(bytes: &[u8], at: usize, size: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    &rest[..size.min(rest.len())]
}

/// The little-endian number at `at`; `None` beyond the end.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_le_bytes(*chunk))
}

/// The little-endian number at `at`; `None` beyond the end.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::{compound_file, compound_file_of};

    #[test]
    fn only_children_of_the_root_are_listed() {
        let file = compound_file(&["WordDocument", "ObjectPool"], &["Workbook"]);
        let mut names = root_names(&file);
        names.sort();
        assert_eq!(names, ["ObjectPool", "WordDocument"]);
    }

    #[test]
    fn damaged_headers_give_nothing() {
        let mut file = compound_file(&["Workbook"], &[]);
        file.truncate(600);
        root_names(&file);
        assert!(root_names(&file[..40]).is_empty());
        assert!(root_names(b"").is_empty());
    }

    #[test]
    fn streams_are_read_whatever_their_size() {
        let long: Vec<u8> = (0..100_000u32).map(|at| (at / 7) as u8).collect();
        let bytes = compound_file_of(&[("/Short", b"abc"), ("/Long", &long), ("/Box/Nested", &long[..4000])]);
        let file = CompoundFile::open(&bytes).unwrap();
        assert_eq!(file.stream(&["short"]).unwrap(), b"abc");
        assert_eq!(file.stream(&["Long"]).unwrap(), long);
        assert_eq!(file.stream(&["Box", "Nested"]).unwrap(), &long[..4000]);
        assert_eq!(file.stream(&["Box"]), None);
        assert_eq!(file.stream(&["Nested"]), None);
    }

    #[test]
    fn streams_are_overwritten_in_place() {
        let long: Vec<u8> = (0..9_000u32).map(|at| (at / 7) as u8).collect();
        for size in [1, 64, 1_500, 4_095, 4_096, 9_000] {
            let bytes =
                compound_file_of(&[("/Before", &long[..300]), ("/Changed", &long[..size]), ("/After", b"after")]);
            let mut changed = bytes.clone();
            let new: Vec<u8> = long[..size].iter().map(|byte| !byte).collect();
            CompoundFile::open(&bytes).unwrap().overwrite(
                &mut changed,
                &["Changed"],
                &[&new[..], b"too long"].concat(),
            );
            let file = CompoundFile::open(&changed).unwrap();
            assert_eq!(file.stream(&["Changed"]).unwrap(), new);
            assert_eq!(file.stream(&["Before"]).unwrap(), &long[..300]);
            assert_eq!(file.stream(&["After"]).unwrap(), b"after");
            CompoundFile::open(&bytes).unwrap().overwrite(&mut changed[..1000], &["Changed"], &new);
        }
    }

    #[test]
    fn truncated_and_circular_files_end() {
        let bytes = compound_file_of(&[("/Long", &[7; 50_000])]);
        for length in (0..bytes.len()).step_by(97) {
            if let Some(file) = CompoundFile::open(&bytes[..length]) {
                assert!(file.stream(&["Long"]).is_none_or(|stream| stream.len() <= length));
            }
        }
        // Every sector is followed by itself.
        let mut circular = bytes.clone();
        let table = u32_at(&bytes, 76).unwrap() as usize;
        for number in 0..128u32 {
            let at = (table + 1) * 512 + 4 * number as usize;
            circular[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        let file = CompoundFile::open(&circular).unwrap();
        assert!(file.stream(&["Long"]).is_none_or(|stream| stream.len() <= bytes.len() + 512));
    }
}
