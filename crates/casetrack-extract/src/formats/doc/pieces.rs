//! The text: pieces that lie anywhere in the stream, of 8 or 16 bits a character ([MS-DOC] 2.4.1).

use std::ops::Range;

use encoding_rs::Encoding;

use super::fib::{Fib, Plc, Table};
use crate::container::ole::{clipped, u16_at, u32_at};

/// The bit of a place that says that characters have 8 bits.
const COMPRESSED: u32 = 0x4000_0000;

struct Piece<'a> {
    first: u32,
    /// Place of its first character in the stream.
    offset: usize,
    char_bytes: usize,
    /// Changes to the properties of all of the piece.
    changes: &'a [u8],
}

/// All text of a document, part after part.
pub(super) struct Text<'a> {
    /// UTF-16 code units; 0 where the stream has no text for a position.
    pub units: Vec<u16>,
    pieces: Vec<Piece<'a>>,
    /// Whether pieces are missing or lie outside of the stream.
    pub is_damaged: bool,
}

impl<'a> Text<'a> {
    /// Reads the piece table; `None` when there is none.
    pub fn parse(fib: &Fib, stream: &[u8], table_stream: &'a [u8], encoding: &'static Encoding) -> Option<Self> {
        let mut clx = fib.table(table_stream, Table::Pieces);
        let mut changes = Vec::new();
        while let Some((&kind, rest)) = clx.split_first() {
            if kind == 2 {
                let size = u32_at(rest, 0)? as usize;
                let table = Plc::parse(clipped(rest, 4, size), 8);
                return Some(Self::read(&table, &changes, fib.is_old, stream, encoding));
            }
            let size = usize::from(u16_at(rest, 0)?);
            changes.push(rest.get(2..2 + size)?);
            clx = &rest[2 + size..];
        }
        None
    }

    /// The text of an old file that is not in pieces.
    pub fn plain(stream: &[u8], place: Range<usize>, encoding: &'static Encoding) -> Option<Self> {
        let bytes = stream.get(place.start..place.end.min(stream.len()))?;
        let piece = Piece { first: 0, offset: place.start, char_bytes: 1, changes: &[] };
        let units = units(encoding);
        let units = bytes.iter().map(|byte| units[usize::from(*byte)]).collect();
        Some(Self { units, pieces: vec![piece], is_damaged: place.end > stream.len() })
    }

    fn read(table: &Plc, changes: &[&'a [u8]], is_old: bool, stream: &[u8], encoding: &'static Encoding) -> Self {
        let narrow = units(encoding);
        let mut text = Self { units: Vec::new(), pieces: Vec::new(), is_damaged: false };
        for (range, data) in table.ranges() {
            let (Some(place), Some(change)) = (u32_at(data, 2), u16_at(data, 6)) else { break };
            let (offset, char_bytes) = match place {
                _ if is_old => (place as usize, 1),
                _ if place & COMPRESSED != 0 => ((place & !COMPRESSED) as usize / 2, 1),
                _ => (place as usize, 2),
            };
            let first = text.units.len() as u32;
            // No two positions share a place, so there is not more text than stream; positions only grow.
            let end = range.end.min(stream.len() as u32);
            text.is_damaged |= range.start != first || end != range.end || range.end < range.start;
            if end <= first || end <= range.start {
                continue;
            }
            text.units.resize(first.max(range.start) as usize, 0);
            let skipped = first.saturating_sub(range.start) as usize;
            let offset = offset + skipped * char_bytes;
            let count = (end - range.start) as usize - skipped;
            let bytes = clipped(stream, offset, count * char_bytes);
            // The other kind of change sets a single property; none of those matters here.
            let changes = if change & 1 == 1 && !is_old { changes.get(usize::from(change >> 1)) } else { None };
            text.pieces.push(Piece {
                first: text.units.len() as u32,
                offset,
                char_bytes,
                changes: changes.copied().unwrap_or_default(),
            });
            if char_bytes == 1 {
                text.units.extend(bytes.iter().map(|byte| narrow[usize::from(*byte)]));
            } else {
                text.units.extend(bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)));
            }
            text.is_damaged |= text.units.len() < end as usize;
            text.units.resize(end as usize, 0);
        }
        text
    }

    /// Where in the stream the character at a position lies, and the changes to its properties.
    pub fn place(&self, position: u32) -> Option<(u32, &'a [u8])> {
        let after = self.pieces.partition_point(|piece| piece.first <= position);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        let offset = piece.offset + (position - piece.first) as usize * piece.char_bytes;
        Some((u32::try_from(offset).ok()?, piece.changes))
    }
}

/// What each byte is in an encoding whose bytes are characters of the basic plane.
fn units(encoding: &'static Encoding) -> [u16; 256] {
    std::array::from_fn(|byte| {
        let byte = [byte as u8];
        let decoded = encoding.decode_without_bom_handling(&byte).0;
        decoded.chars().next().and_then(|c| u16::try_from(u32::from(c)).ok()).unwrap_or(0xFFFD)
    })
}
