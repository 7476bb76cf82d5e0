//! Properties of characters and paragraphs: lists of changes to the defaults ([MS-DOC] 2.2.5), kept in pages of 512
//! bytes by place in the stream (2.4.6).

use std::ops::Range;

use casetrack_pages::container::ole::{clipped, u16_at, u32_at};

use super::fib::Plc;

const PAGE_BYTES: usize = 512;

/// Single property modifiers, as operation and operand. The list ends at the first damage.
pub(super) struct Modifiers<'a>(pub &'a [u8]);

impl<'a> Iterator for Modifiers<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let operation = u16_at(self.0, 0)?;
        let rest = &self.0[2..];
        let size = match (operation, operation >> 13) {
            // sprmTDefTable counts its own size with two bytes, less one.
            (0xD608, _) => usize::from(u16_at(rest, 0)?) + 1,
            (0xC615, _) if rest.first() == Some(&255) => {
                let deleted = 2 + 4 * usize::from(*rest.get(1)?);
                deleted + 1 + 3 * usize::from(*rest.get(deleted)?)
            }
            (_, 0 | 1) => 1,
            (_, 2 | 4 | 5) => 2,
            (_, 3) => 4,
            (_, 7) => 3,
            _ => usize::from(*rest.first()?) + 1,
        };
        let (operand, rest) = rest.split_at_checked(size)?;
        self.0 = rest;
        Some((operation, operand))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Run<'a> {
    pub places: Range<u32>,
    pub properties: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PageKind {
    Characters,
    Paragraphs,
}

pub(super) struct PropertyPages<'a> {
    stream: &'a [u8],
    starts: Vec<u32>,
    pages: Vec<u32>,
    kind: PageKind,
}

impl<'a> PropertyPages<'a> {
    pub fn parse(stream: &'a [u8], table: &[u8], kind: PageKind) -> Self {
        let table = Plc::parse(table, 4);
        let (starts, pages) =
            table.ranges().filter_map(|(places, data)| Some((places.start, u32_at(data, 0)? & 0x3F_FFFF))).unzip();
        Self { stream, starts, pages, kind }
    }

    pub fn find(&self, place: u32) -> Option<Run<'a>> {
        let index = self.starts.partition_point(|start| *start <= place).checked_sub(1)?;
        let start = *self.pages.get(index)? as usize * PAGE_BYTES;
        let page = self.stream.get(start..start + PAGE_BYTES)?;
        let count = usize::from(page[PAGE_BYTES - 1]);
        let places = page.get(..4 * (count + 1))?.as_chunks::<4>().0;
        let place_at = |index: usize| u32::from_le_bytes(places[index]);
        let run = places.partition_point(|start| u32::from_le_bytes(*start) <= place).checked_sub(1)?;
        if run >= count {
            return None;
        }
        let entry_bytes = if self.kind == PageKind::Characters { 1 } else { 13 };
        let entry = usize::from(*page.get(4 * (count + 1) + run * entry_bytes)?) * 2;
        let properties = match (entry, self.kind) {
            (0, _) => &[],
            (at, PageKind::Characters) => clipped(page, at + 1, usize::from(*page.get(at)?)),
            // A size of zero announces another one, which counts pairs.
            (at, PageKind::Paragraphs) => match usize::from(*page.get(at)?) {
                0 => clipped(page, at + 2, 2 * usize::from(*page.get(at + 1)?)),
                pairs => clipped(page, at + 1, 2 * pairs - 1),
            },
        };
        Some(Run { places: place_at(run)..place_at(run + 1), properties })
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ParagraphProperties {
    pub style: u16,
    pub outline_level: Option<u8>,
    pub page_break_before: Option<bool>,
    /// Number of its list, from 1; 0 for none.
    pub list: Option<u16>,
    pub list_level: Option<u8>,
    pub in_table: bool,
    /// The paragraph is the mark that ends a row.
    pub ends_row: bool,
    /// The paragraph is the last one in a cell of a nested table, or ends a row of one.
    pub ends_inner: bool,
    /// Depth of nested tables.
    pub depth: i32,
    pub row: RowProperties,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct RowProperties {
    pub is_header: bool,
    /// Left edges of the cells, and the right edge of the last one, in twentieths of a point.
    pub edges: Vec<i16>,
    pub continued: Vec<usize>,
}

impl ParagraphProperties {
    /// The properties of a run: its style, then modifiers.
    pub fn of_run(properties: &[u8], data: &[u8]) -> Self {
        let mut paragraph = Self { style: u16_at(properties, 0).unwrap_or(0), ..Self::default() };
        paragraph.apply(properties.get(2..).unwrap_or_default(), data, true);
        paragraph
    }

    /// `data`: the Data stream, which holds long lists of modifiers.
    pub fn apply(&mut self, modifiers: &[u8], data: &[u8], follow: bool) {
        for (operation, operand) in Modifiers(modifiers) {
            let byte = operand.first().copied().unwrap_or(0);
            let is_on = byte & 1 == 1;
            match operation {
                0x4600 => self.style = u16_at(operand, 0).unwrap_or(0),
                0x2640 => self.outline_level = Some(byte),
                0x2407 => self.page_break_before = Some(is_on),
                0x460B => self.list = u16_at(operand, 0),
                0x260A => self.list_level = Some(byte),
                0x2416 => self.in_table = is_on,
                0x2417 => self.ends_row = is_on,
                0x6649 => self.depth = u32_at(operand, 0).unwrap_or(0) as i32,
                0x664A => self.depth = self.depth.saturating_add(u32_at(operand, 0).unwrap_or(0) as i32),
                0x244B | 0x244C => self.ends_inner |= is_on,
                0x3404 => self.row.is_header = is_on,
                0xD608 => self.row.define(operand),
                0xD62B if operand.get(2) == Some(&1) => {
                    self.row.continued.extend(operand.get(1).map(|cell| usize::from(*cell)));
                }
                0x6645 | 0x6646 if follow => {
                    let at = u32_at(operand, 0).unwrap_or(u32::MAX) as usize;
                    let size = u16_at(data, at).map_or(0, usize::from);
                    self.apply(clipped(data, at.saturating_add(2), size), data, false);
                }
                _ => {}
            }
        }
    }
}

impl RowProperties {
    /// sprmTDefTable: the edges, then 20 bytes for each cell.
    fn define(&mut self, operand: &[u8]) {
        let count = usize::from(operand.get(2).copied().unwrap_or(0));
        self.edges = (0..=count).map_while(|index| u16_at(operand, 3 + 2 * index)).map(|edge| edge as i16).collect();
        let flags = |cell: &usize| u16_at(operand, 3 + 2 * (count + 1) + 20 * cell).unwrap_or(0);
        // Merged with the cell above, and not the first of them.
        self.continued = (0..count).filter(|cell| flags(cell) & 0x60 == 0x20).collect();
    }
}

/// The author of a change, an index of the table of revisers, and its time (2.9.62).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reviser {
    pub author: u16,
    pub date: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CharacterProperties {
    /// Their tracked changes, with author and time.
    pub is_inserted: bool,
    pub is_deleted: bool,
    pub insertion: Reviser,
    pub deletion: Reviser,
    /// Characters that stand for something else.
    pub is_special: bool,
    pub symbol: Option<(u16, u16)>,
    /// Place of a form field's state, or of a picture, in the Data stream.
    pub data: Option<u32>,
    /// The value of `sprmCFVanish`: hidden, shown, as the style has it, or the opposite of the style (2.6.1, 2.9.327).
    pub vanish: Option<u8>,
    pub style: u16,
}

impl CharacterProperties {
    /// True if they are hidden, given that their styles hide them or not.
    pub fn is_hidden(&self, in_styles: bool) -> bool {
        match self.vanish {
            Some(0) => false,
            Some(0x81) => !in_styles,
            None | Some(0x80) => in_styles,
            Some(_) => true,
        }
    }

    pub fn apply(&mut self, modifiers: &[u8]) {
        for (operation, operand) in Modifiers(modifiers) {
            let is_on = operand.first() == Some(&1);
            // The opposite of the style, which never tracks a change; newer programs write it so (2.9.327).
            let is_negated = operand.first() == Some(&0x81);
            match operation {
                0x0800 => self.is_deleted = is_on || is_negated,
                0x0801 => self.is_inserted = is_on || is_negated,
                0x4804 => self.insertion.author = u16_at(operand, 0).unwrap_or(0),
                0x6805 => self.insertion.date = u32_at(operand, 0).unwrap_or(0),
                0x4863 => self.deletion.author = u16_at(operand, 0).unwrap_or(0),
                0x6864 => self.deletion.date = u32_at(operand, 0).unwrap_or(0),
                0x0855 => self.is_special = is_on,
                0x6A09 => self.symbol = u16_at(operand, 0).zip(u16_at(operand, 2)),
                0x6A03 => self.data = u32_at(operand, 0),
                0x083C => self.vanish = operand.first().copied(),
                0x4A30 => self.style = u16_at(operand, 0).unwrap_or(0),
                _ => {}
            }
        }
    }
}
