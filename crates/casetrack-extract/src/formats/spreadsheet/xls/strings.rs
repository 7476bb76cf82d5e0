//! Texts in records, which may continue in `Continue` records ([MS-XLS] 2.5.293–296).

use encoding_rs::Encoding;

use super::records::Record;

const IS_WIDE: u8 = 1;
const HAS_PHONETIC: u8 = 4;
const IS_RICH: u8 = 8;

pub(super) struct Strings<'a> {
    pieces: Vec<&'a [u8]>,
    piece: usize,
    at: usize,
}

/// All texts of `SST` (2.4.265). Missing ones at the end of a damaged table are left out.
pub(super) fn shared(record: &Record) -> Vec<String> {
    let mut strings = Strings::new(record, 8);
    std::iter::from_fn(|| strings.long()).collect()
}

impl<'a> Strings<'a> {
    pub fn new(record: &Record<'a>, at: usize) -> Self {
        let pieces = std::iter::once(record.data).chain(record.more.iter().copied()).collect();
        Self { pieces, piece: 0, at }
    }

    pub fn long(&mut self) -> Option<String> {
        let length = usize::from(self.number()?);
        self.text(length)
    }

    pub fn short(&mut self) -> Option<String> {
        let length = usize::from(self.byte()?);
        self.text(length)
    }

    pub fn encoded_long(&mut self, encoding: &'static Encoding) -> Option<String> {
        let length = usize::from(self.number()?);
        Some(self.encoded(length, encoding))
    }

    pub fn encoded_short(&mut self, encoding: &'static Encoding) -> Option<String> {
        let length = usize::from(self.byte()?);
        Some(self.encoded(length, encoding))
    }

    fn encoded(&mut self, length: usize, encoding: &'static Encoding) -> String {
        let bytes: Vec<u8> = (0..length).map_while(|_| self.byte()).collect();
        encoding.decode_without_bom_handling(&bytes).0.into_owned()
    }

    /// `length` characters behind their flags; their formatting is passed over.
    pub fn text(&mut self, length: usize) -> Option<String> {
        let flags = self.byte()?;
        let runs = if flags & IS_RICH != 0 { usize::from(self.number()?) } else { 0 };
        let phonetic =
            if flags & HAS_PHONETIC != 0 { usize::from(self.number()?) | usize::from(self.number()?) << 16 } else { 0 };
        let mut is_wide = flags & IS_WIDE != 0;
        let mut units = Vec::with_capacity(length.min(1 << 15));
        while units.len() < length {
            let rest = self.pieces.get(self.piece).and_then(|piece| piece.get(self.at..)).unwrap_or_default();
            let width = 1 + usize::from(is_wide);
            if rest.len() < width {
                // The characters continue in the next record, behind flags of its own.
                if self.piece + 1 >= self.pieces.len() {
                    break;
                }
                (self.piece, self.at) = (self.piece + 1, 0);
                is_wide = self.byte()? & IS_WIDE != 0;
                continue;
            }
            let count = (rest.len() / width).min(length - units.len());
            match is_wide {
                true => units.extend(rest.as_chunks::<2>().0.iter().take(count).map(|unit| u16::from_le_bytes(*unit))),
                false => units.extend(rest.iter().take(count).map(|byte| u16::from(*byte))),
            }
            self.at += count * width;
        }
        self.skip(runs * 4 + phonetic);
        Some(String::from_utf16_lossy(&units))
    }

    fn skip(&mut self, mut bytes: usize) {
        while bytes > 0 && self.piece < self.pieces.len() {
            let rest = self.pieces[self.piece].len().saturating_sub(self.at);
            if bytes < rest {
                self.at += bytes;
                return;
            }
            bytes -= rest;
            (self.piece, self.at) = (self.piece + 1, 0);
        }
    }

    fn number(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    fn byte(&mut self) -> Option<u8> {
        loop {
            let piece = self.pieces.get(self.piece)?;
            if let Some(byte) = piece.get(self.at) {
                self.at += 1;
                return Some(*byte);
            }
            (self.piece, self.at) = (self.piece + 1, 0);
        }
    }
}
