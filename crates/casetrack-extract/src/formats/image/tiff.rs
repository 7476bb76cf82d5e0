//! The pages of a TIFF ([TIFF 6.0](https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf), section 2): a chain of
//! directories, one for each page.

use super::resolution::credible;

/// Longer chains are taken for damaged.
const MAX_PAGES: usize = 10_000;
/// Tags and types.
const NEW_SUBFILE_TYPE: u16 = 254;
const X_RESOLUTION: u16 = 282;
const RESOLUTION_UNIT: u16 = 296;
const RATIONAL: u16 = 5;
/// Bit of `NEW_SUBFILE_TYPE`: a smaller copy of another page.
const REDUCED: u32 = 1;

/// The directory of one page.
pub(super) struct Directory {
    /// `None` for the page that is the first already.
    offset: Option<u32>,
    /// Pixels per inch, if stated and credible.
    pub resolution: Option<u32>,
}

pub(super) fn is_tiff(bytes: &[u8]) -> bool {
    [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"].iter().any(|signature| bytes.starts_with(*signature))
}

/// The directories of all pages, in order; those before the damage if the chain is damaged. Only the first of a BigTIFF.
pub(super) fn directories(bytes: &[u8]) -> Vec<Directory> {
    let reader = Reader { bytes, little_endian: bytes.starts_with(b"II") };
    let mut directories: Vec<Directory> = Vec::new();
    if reader.short(2) == Some(43) {
        return vec![Directory { offset: None, resolution: None }];
    }
    let mut offset = reader.long(4).unwrap_or(0);
    for _ in 0..MAX_PAGES {
        if offset == 0 {
            break;
        }
        let start = offset as usize;
        let Some(count) = reader.short(start) else { break };
        // A chain that comes back to itself has no end.
        if directories.iter().any(|directory| directory.offset == Some(offset)) {
            break;
        }
        let entry = |tag: u16| {
            (0..usize::from(count)).map(|index| start + 2 + 12 * index).find(|entry| reader.short(*entry) == Some(tag))
        };
        let is_copy =
            entry(NEW_SUBFILE_TYPE).and_then(|at| reader.long(at + 8)).is_some_and(|kind| kind & REDUCED != 0);
        if !is_copy {
            let resolution = entry(X_RESOLUTION).and_then(|at| reader.resolution(at, entry(RESOLUTION_UNIT)));
            directories.push(Directory { offset: Some(offset), resolution });
        }
        match reader.long(start + 2 + 12 * usize::from(count)) {
            Some(next) if next != offset => offset = next,
            _ => break,
        }
    }
    directories
}

/// Lets the header point to this page.
pub(super) fn make_first(bytes: &mut [u8], directory: &Directory) {
    let little_endian = bytes.starts_with(b"II");
    if let (Some(offset), Some(place)) = (directory.offset, bytes.get_mut(4..8)) {
        place.copy_from_slice(&if little_endian { offset.to_le_bytes() } else { offset.to_be_bytes() });
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    little_endian: bool,
}

impl Reader<'_> {
    fn short(&self, at: usize) -> Option<u16> {
        let bytes = [*self.bytes.get(at)?, *self.bytes.get(at.checked_add(1)?)?];
        Some(if self.little_endian { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    fn long(&self, at: usize) -> Option<u32> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.little_endian { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    /// A fraction stored elsewhere, in the unit of another entry: inches unless it says centimetres.
    fn resolution(&self, entry: usize, unit: Option<usize>) -> Option<u32> {
        if self.short(entry + 2)? != RATIONAL {
            return None;
        }
        let place = self.long(entry + 8)? as usize;
        let (dividend, divisor) = (self.long(place)?, self.long(place.checked_add(4)?)?);
        let value = dividend as f32 / divisor.max(1) as f32;
        match unit.and_then(|entry| self.short(entry + 8)) {
            Some(1) => None,
            Some(3) => credible((value * 2.54).round() as u32),
            _ => credible(value.round() as u32),
        }
    }
}
