//! The text: pieces anywhere in the stream, of 8 or 16 bits a character ([MS-DOC] 2.4.1).

use std::ops::Range;

use casetrack_pages::container::ole::{clipped, u16_at, u32_at};
use encoding_rs::Encoding;

use super::fib::{Fib, Plc, Table};

/// The bit of a place that marks characters of 8 bits.
const COMPRESSED: u32 = 0x4000_0000;

struct Piece<'a> {
    first: u32,
    offset: usize,
    char_bytes: usize,
    changes: &'a [u8],
}

pub(super) struct Text<'a> {
    /// UTF-16 code units; 0 for a position without text in the stream.
    pub units: Vec<u16>,
    pieces: Vec<Piece<'a>>,
    /// True if pieces are missing or outside the stream.
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
                return Some(Self::read(&table, &changes, fib, stream, encoding));
            }
            let size = usize::from(u16_at(rest, 0)?);
            changes.push(rest.get(2..2 + size)?);
            clx = &rest[2 + size..];
        }
        None
    }

    /// The text of an old file that is not in pieces.
    pub fn plain(fib: &Fib, stream: &[u8], encoding: &'static Encoding) -> Option<Self> {
        let Range { start: offset, end } = fib.text;
        let bytes = stream.get(offset..end.min(stream.len()))?;
        let piece = Piece { first: 0, offset, char_bytes: if fib.is_wide { 2 } else { 1 }, changes: &[] };
        let units = if fib.is_wide { wide_units(bytes, encoding) } else { ByteDecoder::new(encoding).units(bytes) };
        Some(Self { units, pieces: vec![piece], is_damaged: end > stream.len() })
    }

    fn read(table: &Plc, changes: &[&'a [u8]], fib: &Fib, stream: &[u8], encoding: &'static Encoding) -> Self {
        let narrow = ByteDecoder::new(encoding);
        let mut text = Self { units: Vec::new(), pieces: Vec::new(), is_damaged: false };
        for (range, data) in table.ranges() {
            let (Some(place), Some(change)) = (u32_at(data, 2), u16_at(data, 6)) else { break };
            let (offset, char_bytes) = match place {
                _ if fib.is_old => (place as usize, if fib.is_wide { 2 } else { 1 }),
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
            let changes = if change & 1 == 1 && !fib.is_old { changes.get(usize::from(change >> 1)) } else { None };
            text.pieces.push(Piece {
                first: text.units.len() as u32,
                offset,
                char_bytes,
                changes: changes.copied().unwrap_or_default(),
            });
            if char_bytes == 1 {
                text.units.extend(narrow.units(bytes));
            } else if fib.is_old {
                text.units.extend(wide_units(bytes, encoding));
            } else {
                text.units.extend(bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)));
            }
            text.is_damaged |= text.units.len() < end as usize;
            text.units.resize(end as usize, 0);
        }
        text
    }

    /// The place in the stream of the character at a position, and the changes to its properties.
    pub fn place(&self, position: u32) -> Option<(u32, &'a [u8])> {
        let after = self.pieces.partition_point(|piece| piece.first <= position);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        let offset = piece.offset + (position - piece.first) as usize * piece.char_bytes;
        Some((u32::try_from(offset).ok()?, piece.changes))
    }
}

/// Text of 8 bits a position.
struct ByteDecoder {
    encoding: &'static Encoding,
    single: [u16; 256],
}

impl ByteDecoder {
    fn new(encoding: &'static Encoding) -> Self {
        Self { encoding, single: std::array::from_fn(|byte| unit(encoding, &[byte as u8])) }
    }

    /// One for each byte. The second byte of a character of two has a position of its own, which shows nothing.
    fn units(&self, bytes: &[u8]) -> Vec<u16> {
        let mut units: Vec<u16> = bytes.iter().map(|byte| self.single[usize::from(*byte)]).collect();
        if self.encoding.is_single_byte() {
            return units;
        }
        let mut at = 0;
        while at + 1 < bytes.len() {
            let pair = if units[at] == INVALID { unit(self.encoding, &bytes[at..at + 2]) } else { INVALID };
            if pair != INVALID {
                (units[at], units[at + 1]) = (pair, 0);
                at += 1;
            }
            at += 1;
        }
        units
    }
}

/// Text of Far East editions of Word 95: 16 bits a character, the first byte of its code in their encoding in the high
/// ones. In an encoding of single bytes they can only be Unicode.
fn wide_units(bytes: &[u8], encoding: &'static Encoding) -> Vec<u16> {
    let decoded = |code: u16| match code.to_be_bytes() {
        _ if encoding.is_single_byte() && code > 0xFF => code,
        [0, byte] => unit(encoding, &[byte]),
        pair => unit(encoding, &pair),
    };
    bytes.as_chunks::<2>().0.iter().map(|code| decoded(u16::from_le_bytes(*code))).collect()
}

/// The replacement for bytes without a meaning in the encoding.
const INVALID: u16 = 0xFFFD;

fn unit(encoding: &'static Encoding, bytes: &[u8]) -> u16 {
    let decoded = encoding.decode_without_bom_handling(bytes).0;
    let mut chars = decoded.chars();
    let only = chars.next().filter(|_| chars.next().is_none());
    only.and_then(|c| u16::try_from(u32::from(c)).ok()).unwrap_or(INVALID)
}
