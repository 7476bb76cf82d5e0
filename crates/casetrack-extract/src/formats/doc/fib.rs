//! The file information block at the start of the WordDocument stream ([MS-DOC] 2.5), and the tables it points to.

use std::ops::Range;

use casetrack_pages::container::ole::{u16_at, u32_at};

/// First two bytes of the stream, from Word 97 on.
const WORD_97: u16 = 0xA5EC;
/// Word 6 and Word 95.
const WORD_6: u16 = 0xA5DC;

const SECOND_TABLE: u16 = 0x0200;
const COMPLEX: u16 = 0x0004;
const EXTENDED_CHARACTERS: u16 = 0x1000;
const MACINTOSH: u16 = 0x0100;

/// A table by its number in the FIB (2.5.6).
#[derive(Debug, Clone, Copy)]
pub(super) enum Table {
    Styles = 1,
    FootnoteReferences = 2,
    FootnoteTexts = 3,
    CommentReferences = 4,
    CommentTexts = 5,
    Sections = 6,
    Margins = 11,
    CharacterPages = 12,
    ParagraphPages = 13,
    Fonts = 15,
    Pieces = 33,
    CommentAuthors = 36,
    Shapes = 40,
    EndnoteReferences = 46,
    EndnoteTexts = 47,
    Drawings = 50,
    Revisers = 51,
    TextBoxes = 56,
    ListDefinitions = 73,
    Lists = 74,
}

/// A part of the document's text, in the order in which they follow each other (2.3).
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Main = 0,
    Footnotes = 1,
    Margins = 2,
    Comments = 4,
    Endnotes = 5,
    TextBoxes = 6,
}

pub(super) struct Fib {
    /// Before Word 97: text of 8 bits, other tables.
    pub is_old: bool,
    pub second_table: bool,
    pub is_complex: bool,
    /// The range of the stream that holds the text of an old file.
    pub text: Range<usize>,
    pub language: u16,
    /// True if characters of an old file have 16 bits, as in Far East editions of Word 95; newer files state it for
    /// each piece.
    pub is_wide: bool,
    pub is_mac: bool,
    counts: [u32; 8],
    /// Place and size of each table in the table stream.
    tables: Vec<(u32, u32)>,
}

impl Fib {
    /// `None` when the stream does not start with a FIB, or ends inside it.
    pub fn parse(stream: &[u8]) -> Option<Self> {
        let magic = u16_at(stream, 0)?;
        let flags = u16_at(stream, 10)?;
        let is_old = match magic {
            WORD_97 => u16_at(stream, 2)? < 193,
            WORD_6 => true,
            _ => return None,
        };
        let mut fib = Self {
            is_old,
            second_table: flags & SECOND_TABLE != 0,
            is_complex: flags & COMPLEX != 0,
            text: u32_at(stream, 24)? as usize..u32_at(stream, 28)? as usize,
            language: u16_at(stream, 6)?,
            is_wide: is_old && flags & EXTENDED_CHARACTERS != 0,
            is_mac: is_old && u16_at(stream, 20)? == MACINTOSH,
            counts: [0; 8],
            tables: Vec::new(),
        };
        let counts_at = if is_old {
            // The place of the piece table in Word 6.
            fib.tables.resize(Table::Pieces as usize + 1, (0, 0));
            fib.tables[Table::Pieces as usize] = (u32_at(stream, 0x160)?, u32_at(stream, 0x164)?);
            0x34
        } else {
            let shorts = usize::from(u16_at(stream, 32)?);
            let longs_at = 36 + 2 * shorts;
            let longs = usize::from(u16_at(stream, longs_at - 2)?);
            let tables_at = longs_at + 4 * longs + 2;
            let tables = usize::from(u16_at(stream, tables_at - 2)?);
            // The stream of a damaged file may end before they do.
            let pair =
                |index| Some((u32_at(stream, tables_at + 8 * index)?, u32_at(stream, tables_at + 8 * index + 4)?));
            fib.tables = (0..tables).map_while(pair).collect();
            longs_at + 12
        };
        for (index, count) in fib.counts.iter_mut().enumerate() {
            // Signed in the file; negative is damage.
            *count = u32_at(stream, counts_at + 4 * index)?;
            *count = if *count > i32::MAX as u32 { 0 } else { *count };
        }
        Some(fib)
    }

    pub fn range(&self, part: Part) -> Range<u32> {
        let part = part as usize;
        let start = self.counts[..part].iter().fold(0u32, |sum, count| sum.saturating_add(*count));
        start..start.saturating_add(self.counts[part])
    }

    /// A table in its stream, with the bytes behind it; an empty table gives nothing. A size beyond the stream is
    /// clipped.
    fn located<'a>(&self, stream: &'a [u8], table: Table) -> (&'a [u8], usize) {
        let (place, size) = self.tables.get(table as usize).copied().unwrap_or_default();
        let rest = stream.get(place as usize..).unwrap_or_default();
        (rest, rest.len().min(size as usize))
    }

    pub fn table<'a>(&self, stream: &'a [u8], table: Table) -> &'a [u8] {
        let (rest, size) = self.located(stream, table);
        &rest[..size]
    }

    /// A table and the data behind it, which the size does not count.
    pub fn table_and_rest<'a>(&self, stream: &'a [u8], table: Table) -> &'a [u8] {
        let (rest, size) = self.located(stream, table);
        if size == 0 { &[] } else { rest }
    }
}

/// An array of positions, and an array of data of one size for the ranges between them (2.2.2).
pub(super) struct Plc<'a> {
    pub positions: Vec<u32>,
    data: &'a [u8],
    data_bytes: usize,
}

impl<'a> Plc<'a> {
    pub fn parse(table: &'a [u8], data_bytes: usize) -> Self {
        let count = table.len().saturating_sub(4) / (4 + data_bytes);
        let (positions, data) = table.split_at(table.len().min(4 * (count + 1)));
        let positions = if count == 0 { &[] } else { positions.as_chunks::<4>().0 };
        Self { positions: positions.iter().map(|position| u32::from_le_bytes(*position)).collect(), data, data_bytes }
    }

    /// Ranges with their data, in the order of the file. A range can be empty or reversed.
    pub fn ranges(&self) -> impl Iterator<Item = (Range<u32>, &'a [u8])> {
        self.positions.windows(2).enumerate().map_while(|(index, range)| {
            let data = self.data.get(index * self.data_bytes..(index + 1) * self.data_bytes)?;
            Some((range[0]..range[1], data))
        })
    }
}
