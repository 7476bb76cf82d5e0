//! The pages of a TIFF ([TIFF 6.0](https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf), section 2): a chain
//! of directories, one for each page.

use std::ops::Range;

use image::metadata::Orientation;

/// Longer chains are taken for damaged.
const MAX_PAGES: usize = 10_000;
/// Entries of a directory that are looked at. Cameras write fewer than a hundred.
const MAX_ENTRIES: usize = 1_000;
const ENTRY_BYTES: usize = 12;
const NEW_SUBFILE_TYPE: u16 = 254;
const STRIP_OFFSETS: u16 = 273;
const STRIP_BYTES: u16 = 279;
const TILE_OFFSETS: u16 = 324;
const TILE_BYTES: u16 = 325;
const ORIENTATION: u16 = 274;
const X_RESOLUTION: u16 = 282;
const RESOLUTION_UNIT: u16 = 296;
const RATIONAL: u16 = 5;
/// Stated resolutions outside this range are placeholders or errors: programs that know none write 72 or 96.
const CREDIBLE: std::ops::RangeInclusive<u32> = 100..=2400;
/// Bits of `NEW_SUBFILE_TYPE`: a smaller copy of another page, and a mask of another page.
const NO_PAGE: usize = 1 | 4;

pub(super) struct Directory {
    /// `None` for the page that is the first already.
    pub offset: Option<usize>,
    /// Pixels per inch, if stated and credible.
    pub resolution: Option<u32>,
}

pub(super) fn is_tiff(bytes: &[u8]) -> bool {
    [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|signature| bytes.starts_with(*signature))
}

/// The directories of all pages, in order; those before the damage if the chain is damaged. Only the first of a BigTIFF.
pub(super) fn directories(bytes: &[u8]) -> Vec<Directory> {
    let Some(tiff) = Tiff::of(bytes) else { return vec![Directory { offset: None, resolution: None }] };
    let mut directories: Vec<Directory> = Vec::new();
    let mut offset = tiff.long(4).unwrap_or(0);
    for _ in 0..MAX_PAGES {
        // A chain that comes back to itself has no end.
        if offset == 0 || directories.iter().any(|directory| directory.offset == Some(offset)) {
            break;
        }
        let Some(count) = tiff.short(offset) else { break };
        let kind = tiff.entry(offset, NEW_SUBFILE_TYPE).and_then(|at| tiff.long(at + 8));
        if kind.is_none_or(|kind| kind & NO_PAGE == 0) {
            directories.push(Directory { offset: Some(offset), resolution: tiff.resolution(offset) });
        }
        match tiff.long(offset + 2 + ENTRY_BYTES * usize::from(count)) {
            Some(next) if next != offset => offset = next,
            _ => break,
        }
    }
    directories
}

pub(super) fn credible(resolution: u32) -> Option<u32> {
    CREDIBLE.contains(&resolution).then_some(resolution)
}

/// How a page has to be turned.
pub(super) fn orientation(bytes: &[u8], directory: usize) -> Orientation {
    let stated = Tiff::of(bytes).and_then(|tiff| tiff.number(directory, ORIENTATION));
    let stated = stated.and_then(|number| Orientation::from_exif(u8::try_from(number).ok()?));
    stated.unwrap_or(Orientation::NoTransforms)
}

/// Lets the header point to this page.
pub(super) fn make_first(bytes: &mut [u8], directory: &Directory) {
    let little_endian = bytes.starts_with(b"II");
    let offset = directory.offset.and_then(|offset| u32::try_from(offset).ok());
    if let (Some(offset), Some(place)) = (offset, bytes.get_mut(4..8)) {
        place.copy_from_slice(&if little_endian { offset.to_le_bytes() } else { offset.to_be_bytes() });
    }
}

/// The directories of a file, or of the Exif in one. Allocates nothing, and checks every number of the file.
pub(super) struct Tiff<'b> {
    bytes: &'b [u8],
    is_little: bool,
}

impl<'b> Tiff<'b> {
    pub fn of(bytes: &'b [u8]) -> Option<Self> {
        let is_little = match bytes.get(..4)? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        Some(Self { bytes, is_little })
    }

    pub fn short(&self, at: usize) -> Option<u16> {
        let bytes = self.bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    pub fn long(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let number = if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
        usize::try_from(number).ok()
    }

    /// The place of a tag's entry in a directory: tag, type, count, value or place of it.
    pub fn entry(&self, directory: usize, tag: u16) -> Option<usize> {
        let count = usize::from(self.short(directory)?).min(MAX_ENTRIES);
        let first = directory.checked_add(2)?;
        (0..count).map(|number| first + ENTRY_BYTES * number).find(|at| self.short(*at) == Some(tag))
    }

    /// The first number of a tag: a short or a long.
    pub fn number(&self, directory: usize, tag: u16) -> Option<usize> {
        let entry = self.entry(directory, tag)?;
        match self.short(entry + 2)? {
            3 => self.short(entry + 8).map(usize::from),
            4 => self.long(entry + 8),
            _ => None,
        }
    }

    /// All numbers of a tag: shorts or longs.
    fn numbers(&self, directory: usize, tag: u16) -> Vec<usize> {
        let read = || {
            let entry = self.entry(directory, tag)?;
            let size = match self.short(entry + 2)? {
                3 => 2,
                4 => 4,
                _ => return None,
            };
            let count = self.long(entry + 4)?.min(self.bytes.len() / size);
            let first = if count * size <= 4 { entry + 8 } else { self.long(entry + 8)? };
            let number = |at: usize| if size == 2 { self.short(at).map(usize::from) } else { self.long(at) };
            Some((0..count).map_while(|index| number(first.checked_add(size * index)?)).collect())
        };
        read().unwrap_or_default()
    }

    /// All shorts of a tag.
    pub fn shorts(&self, directory: usize, tag: u16) -> Vec<u16> {
        self.numbers(directory, tag).into_iter().map(|number| number as u16).collect()
    }

    /// The strips or tiles of a page, in order; those outside the file are empty.
    pub fn strips(&self, directory: usize) -> Vec<Range<usize>> {
        let strips =
            |offsets: u16, bytes: u16| self.numbers(directory, offsets).into_iter().zip(self.numbers(directory, bytes));
        strips(STRIP_OFFSETS, STRIP_BYTES)
            .chain(strips(TILE_OFFSETS, TILE_BYTES))
            .map(|(start, length)| {
                let start = start.min(self.bytes.len());
                start..start.saturating_add(length).min(self.bytes.len())
            })
            .collect()
    }

    pub fn text(&self, directory: usize, tag: u16) -> Option<&'b str> {
        let entry = self.entry(directory, tag)?;
        let length = self.long(entry + 4)?.min(64);
        let at = if length <= 4 { entry + 8 } else { self.long(entry + 8)? };
        let text = self.bytes.get(at..at.checked_add(length)?)?;
        std::str::from_utf8(text).ok().map(|text| text.trim_matches(['\0', ' ']))
    }

    /// Pixels per inch, from a fraction that is stored elsewhere, in the unit of another entry: inches unless that is
    /// centimetres.
    fn resolution(&self, directory: usize) -> Option<u32> {
        let entry = self.entry(directory, X_RESOLUTION)?;
        if self.short(entry + 2)? != RATIONAL {
            return None;
        }
        let place = self.long(entry + 8)?;
        let (dividend, divisor) = (self.long(place)?, self.long(place.checked_add(4)?)?);
        let value = dividend as f32 / divisor.max(1) as f32;
        match self.entry(directory, RESOLUTION_UNIT).and_then(|entry| self.short(entry + 8)) {
            Some(1) => None,
            Some(3) => credible((value * 2.54).round() as u32),
            _ => credible(value.round() as u32),
        }
    }
}
