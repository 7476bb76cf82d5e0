//! A segment: postings of the chunks of a range of slots, in a file that never changes, mapped into memory.
//!
//! The file: the postings of each term ([`postings::encode`](super::postings::encode)); a directory of the terms in
//! ascending order, 24 bytes each (term, count of postings, greatest impact, length of their bytes: `u32`; their
//! offset: `u64`); and a footer (the offset of the directory: `u64`; number of terms: `u32`; mark: 8 bytes). All
//! numbers are little endian. The index's manifest has the rest: slots, length and checksum.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use casetrack_core::{Error, ErrorCode, Result};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::dead::Dead;
use super::postings::{self, Cursor, Damaged};
use crate::error::derived;
use crate::fs;
use crate::seal::{Output, Seal, name_in};

const MARK: [u8; 8] = *b"CTSPARS1";
const ENTRY: usize = 24;
const FOOTER: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentInfo {
    pub file: String,
    pub bytes: u64,
    pub crc32: u32,
    /// Its slots: from this one …
    pub first_slot: u64,
    /// … to before this one. Segments do not overlap.
    pub end_slot: u64,
    /// Chunks that have postings in it.
    pub chunks: u64,
    pub postings: u64,
}

/// Postings of a range of slots, by term.
pub(super) trait Postings {
    /// Offsets count from here.
    fn first_slot(&self) -> u64;
    fn end_slot(&self) -> u64;
    /// In ascending order.
    fn terms(&self) -> Vec<u32>;
    /// The postings of a term; `None` if there are none.
    fn cursor(&self, term: u32) -> Result<Option<Cursor<'_>>, Damaged>;
}

#[derive(Debug)]
pub(super) struct Segment {
    pub info: SegmentInfo,
    map: Content,
    directory: usize,
}

#[derive(Debug)]
enum Content {
    Mapped(Mmap),
    Held(Vec<u8>),
}

impl Content {
    fn of(dir: &Path, info: &SegmentInfo, seal: &Seal) -> Result<Self> {
        let path = dir.join(&info.file);
        let damaged = |what: &str| derived(dir, format!("{} {what}", info.file));
        if seal.is_sealed() {
            let content = seal.read(&path, &name_in(dir, &info.file)).map_err(|error| match error.code {
                ErrorCode::FileNotFound => damaged("is missing"),
                ErrorCode::Corrupt => derived(dir, error),
                _ => error,
            })?;
            return match content.len() as u64 == info.bytes {
                true => Ok(Self::Held(content)),
                false => Err(damaged("has another length than its manifest gives")),
            };
        }
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(damaged("is missing")),
            file => file.map_err(|error| Error::io(path.display(), error))?,
        };
        let length = file.metadata().map_err(|error| Error::io(path.display(), error))?.len();
        if length != info.bytes || length < FOOTER as u64 {
            return Err(damaged("has another length than its manifest gives"));
        }
        // SAFETY: only we use the file, under a name that is given out once, and nothing of ours writes to it after it got
        // that name.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io(path.display(), error))?;
        Ok(Self::Mapped(map))
    }
}

impl std::ops::Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Held(content) => content,
        }
    }
}

impl Segment {
    /// Maps a file that has the length of the manifest. Its content is not read; see [`is_sound`](Self::is_sound). A
    /// sealed one is read.
    pub fn open(dir: &Path, info: SegmentInfo, seal: &Seal) -> Result<Self> {
        let damaged = |what: &str| derived(dir, format!("{} {what}", info.file));
        let map = Content::of(dir, &info, seal)?;
        let footer = map.last_chunk::<FOOTER>().filter(|footer| footer[12..] == MARK);
        let [a, b, c, d, e, f, g, h, i, j, k, l, ..] = *footer.ok_or_else(|| damaged("is not a file of postings"))?;
        let directory = usize::try_from(u64::from_le_bytes([a, b, c, d, e, f, g, h])).unwrap_or(usize::MAX);
        let terms = u32::from_le_bytes([i, j, k, l]) as usize;
        if directory.checked_add(terms * ENTRY + FOOTER) != Some(map.len()) {
            return Err(damaged("has another directory than its footer gives"));
        }
        Ok(Self { info, map, directory })
    }

    /// True if the file's content is as it was written. Reads all of it.
    pub fn is_sound(&self) -> bool {
        crc32fast::hash(&self.map) == self.info.crc32
    }

    /// As [`is_sound`](Self::is_sound), of the file as it is now. One that is missing is not judged here.
    pub fn is_sound_on_disk(&self, dir: &Path, seal: &Seal) -> bool {
        let missing = || !dir.join(&self.info.file).exists();
        self.is_sound() && (!seal.is_sealed() || missing() || Content::of(dir, &self.info, seal).is_ok())
    }

    /// The directory; the footer after it is shorter than an entry.
    fn entries(&self) -> &[[u8; ENTRY]] {
        self.map[self.directory..].as_chunks().0
    }
}

impl Postings for Segment {
    fn first_slot(&self) -> u64 {
        self.info.first_slot
    }

    fn end_slot(&self) -> u64 {
        self.info.end_slot
    }

    fn terms(&self) -> Vec<u32> {
        self.entries().iter().map(|entry| number(entry, 0)).collect()
    }

    fn cursor(&self, term: u32) -> Result<Option<Cursor<'_>>, Damaged> {
        let entries = self.entries();
        let Ok(place) = entries.binary_search_by_key(&term, |entry| number(entry, 0)) else { return Ok(None) };
        let entry = &entries[place];
        let (count, max, length) = (number(entry, 4), number(entry, 8), number(entry, 12));
        let start = usize::try_from(u64::from(number(entry, 16)) | u64::from(number(entry, 20)) << 32);
        let start = start.map_err(|_| Damaged)?;
        let end = start.checked_add(length as usize).filter(|end| *end <= self.directory).ok_or(Damaged)?;
        Cursor::packed(self.map.get(start..end).ok_or(Damaged)?, count as usize, max as u8).map(Some)
    }
}

fn number(entry: &[u8; ENTRY], at: usize) -> u32 {
    u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
}

/// Why a segment could not be written.
pub(super) enum Unwritten {
    /// A source was changed.
    Damaged,
    Error(Error),
}

impl From<Damaged> for Unwritten {
    fn from(_: Damaged) -> Self {
        Self::Damaged
    }
}

impl From<Error> for Unwritten {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Writes the live chunks of some neighbours, in the order of their slots, as one segment; `None` if there are none. On
/// disk, under its name, when this returns. Holds the postings of one term in memory.
pub(super) fn write(
    dir: &Path,
    file: String,
    sources: &[&dyn Postings],
    dead: &Dead,
    seal: &Seal,
) -> std::result::Result<Option<SegmentInfo>, Unwritten> {
    let (Some(first), Some(last)) = (sources.first(), sources.last()) else { return Ok(None) };
    let (first_slot, end_slot) = (first.first_slot(), last.end_slot());
    fs::create_dir(dir)?;
    let path = dir.join(&file);
    let partial = fs::partial_path(&path);
    let io = |error| Error::io(partial.display(), error);
    let mut out =
        Checksummed { file: seal.create(&partial, &name_in(dir, &file))?, crc32: crc32fast::Hasher::new(), bytes: 0 };

    let mut terms: Vec<u32> = sources.iter().flat_map(|source| source.terms()).collect();
    terms.sort_unstable();
    terms.dedup();
    let mut live = LiveChunks::new(first_slot..end_slot, dead);
    let (mut directory, mut postings, mut bytes) = (Vec::new(), 0, Vec::new());
    for term in terms {
        let (offsets, impacts) = live.postings(sources, term)?;
        if offsets.is_empty() {
            continue;
        }
        if !offsets.is_sorted_by(|a, b| a < b) {
            return Err(Unwritten::Damaged);
        }
        bytes.clear();
        postings::encode(offsets, impacts, &mut bytes);
        let max = impacts.iter().copied().max().unwrap_or_default();
        for number in [term, offsets.len() as u32, max.into(), bytes.len() as u32] {
            directory.extend(number.to_le_bytes());
        }
        directory.extend(out.bytes.to_le_bytes());
        postings += offsets.len() as u64;
        out.write(&bytes).map_err(io)?;
    }
    if postings == 0 {
        drop(out);
        std::fs::remove_file(&partial).map_err(io)?;
        return Ok(None);
    }
    let start = out.bytes;
    out.write(&directory).map_err(io)?;
    out.write(&start.to_le_bytes()).map_err(io)?;
    out.write(&((directory.len() / ENTRY) as u32).to_le_bytes()).map_err(io)?;
    out.write(&MARK).map_err(io)?;
    let Checksummed { file: written, crc32, bytes } = out;
    written.finish().map_err(io)?;
    fs::rename_durably(&partial, &path)?;
    let (crc32, chunks) = (crc32.finalize(), live.count());
    Ok(Some(SegmentInfo { file, bytes, crc32, first_slot, end_slot, chunks, postings }))
}

/// The chunks of a range of slots that are live and have postings, and the postings of one term in them.
struct LiveChunks<'d> {
    dead: &'d Dead,
    first_slot: u64,
    /// A bit for each chunk.
    bits: Vec<u64>,
    offsets: Vec<u32>,
    impacts: Vec<u8>,
}

impl<'d> LiveChunks<'d> {
    fn new(slots: Range<u64>, dead: &'d Dead) -> Self {
        let words = usize::try_from((slots.end - slots.start).div_ceil(64)).unwrap_or_default();
        Self { dead, first_slot: slots.start, bits: vec![0; words], offsets: Vec::new(), impacts: Vec::new() }
    }

    /// The offsets and impacts of a term.
    fn postings(&mut self, sources: &[&dyn Postings], term: u32) -> Result<(&[u32], &[u8]), Damaged> {
        let Self { dead, first_slot, bits, offsets, impacts } = self;
        offsets.clear();
        impacts.clear();
        for source in sources {
            let Some(mut cursor) = source.cursor(term)? else { continue };
            let base = source.first_slot() - *first_slot;
            let all = dead.count(source.first_slot()..source.end_slot()) == 0;
            cursor.for_each(|offset, impact| {
                let offset = base + u64::from(offset);
                if all || !dead.contains(*first_slot + offset) {
                    if let Some(word) = bits.get_mut((offset / 64) as usize) {
                        *word |= 1 << (offset % 64);
                    }
                    offsets.push(offset as u32);
                    impacts.push(impact);
                }
            })?;
        }
        Ok((offsets.as_slice(), impacts.as_slice()))
    }

    fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

struct Checksummed {
    file: Output,
    crc32: crc32fast::Hasher,
    bytes: u64,
}

impl Checksummed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.crc32.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }
}

#[derive(Debug, Default)]
pub(super) struct Tail {
    first: u64,
    end: u64,
    terms: HashMap<u32, (Vec<u32>, Vec<u8>)>,
    pub postings: usize,
}

impl Tail {
    /// True if a chunk can be added: one after all the others, whose offset fits.
    pub fn takes(&self, slot: u64) -> bool {
        self.postings == 0 || (self.end <= slot && slot - self.first < u64::from(u32::MAX))
    }

    pub fn push(&mut self, slot: u64, vector: &[(u32, u8)]) {
        if vector.is_empty() {
            return;
        }
        if self.postings == 0 {
            self.first = slot;
        }
        self.end = slot + 1;
        self.postings += vector.len();
        for &(term, impact) in vector {
            let (offsets, impacts) = self.terms.entry(term).or_default();
            offsets.push((slot - self.first) as u32);
            impacts.push(impact);
        }
    }
}

impl Postings for Tail {
    fn first_slot(&self) -> u64 {
        self.first
    }

    fn end_slot(&self) -> u64 {
        self.end
    }

    fn terms(&self) -> Vec<u32> {
        let mut terms: Vec<u32> = self.terms.keys().copied().collect();
        terms.sort_unstable();
        terms
    }

    fn cursor(&self, term: u32) -> Result<Option<Cursor<'_>>, Damaged> {
        Ok(self.terms.get(&term).map(|(offsets, impacts)| Cursor::plain(offsets, impacts)))
    }
}
