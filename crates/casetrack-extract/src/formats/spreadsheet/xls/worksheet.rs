//! The substream of a sheet ([MS-XLS] 2.1.7.20.5): cells, merged cells, comments, text boxes, titles of charts.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::container::ole::{u16_at, u32_at};

use super::super::sheet::{Comment, Region, Sheet};
use super::globals::Globals;
use super::records::{Record, Records, kind};
use super::strings::Strings;

/// The kind of object that carries a comment's text (2.5.143).
const NOTE_OBJECT: u16 = 0x19;
/// In place of a row: the text of the comment before continues.
const NOTE_GOES_ON: u16 = 0xFFFF;

/// Adds the drawing of the sheet to `drawing`.
pub(super) fn read(globals: &Globals, substream: &[u8], sheet: &mut Sheet, drawing: &mut Vec<u8>) -> Result<()> {
    let mut records = Records::new(substream);
    if records.next().is_none_or(|record| record.kind != kind::BEGINNING) {
        sheet.problem = Some("it does not start at the place that the workbook gives".into());
        return Ok(());
    }
    let mut reader = SheetReader { globals, sheet, formula: None, object: (0, 0), notes: HashMap::new() };
    // Charts are substreams inside the sheet; of them the labels are read that are no names of series.
    let mut depth = 1;
    let mut chart = ChartLabels::default();
    for record in records {
        match record.kind {
            kind::BEGINNING => depth += 1,
            kind::END => {
                depth -= 1;
                if depth == 0 {
                    reader.finish();
                    return Ok(());
                }
            }
            kind::CHART_TEXT | kind::CHART_LABEL | kind::CHART_BEGIN | kind::CHART_END => {
                let text = chart.see(globals, &record);
                reader.sheet.texts.extend(text.filter(|text| !text.trim().is_empty()));
            }
            kind::DRAWING if depth == 1 => record.append_to(drawing),
            _ if depth == 1 && reader.see(&record)?.is_none() => {
                reader.sheet.problem = Some("a record is damaged".into());
            }
            _ => {}
        }
        chart.last = record.kind;
    }
    reader.sheet.problem = Some("the file is cut off".into());
    reader.finish();
    Ok(())
}

struct SheetReader<'a, 's> {
    globals: &'a Globals<'a>,
    sheet: &'s mut Sheet,
    formula: Option<(u32, u32)>,
    object: (u16, u16),
    /// Texts of comments by the number of their object.
    notes: HashMap<u16, String>,
}

impl SheetReader<'_, '_> {
    /// `None` when the record is too short.
    fn see(&mut self, record: &Record) -> Result<Option<()>> {
        let data = record.data;
        let Some(place) = u16_at(data, 0).zip(u16_at(data, 2)) else { return Ok(Some(())) };
        let place = (u32::from(place.0) + 1, u32::from(place.1) + 1);
        match record.kind {
            kind::SHARED_LABEL
            | kind::LABEL
            | kind::RICH_LABEL
            | kind::NUMBER
            | kind::SHORT_NUMBER
            | kind::BOOLEAN_OR_ERROR => {
                let Some((text, is_value)) = self.cell(record) else { return Ok(None) };
                self.push(place, text, is_value)?;
            }
            kind::MANY_NUMBERS => {
                let cells = data.get(4..).unwrap_or_default().as_chunks::<6>().0;
                for (cell, column) in cells.iter().zip(place.1..) {
                    let style = u16::from_le_bytes([cell[0], cell[1]]);
                    let number = short_number(u32::from_le_bytes([cell[2], cell[3], cell[4], cell[5]]));
                    self.push((place.0, column), self.shown(number, style), true)?;
                }
            }
            kind::FORMULA => return self.formula_value(record, place),
            kind::FORMULA_TEXT => {
                let Some(text) = self.text(record, 0) else { return Ok(None) };
                if let Some(place) = self.formula.take() {
                    self.push(place, text, false)?;
                }
            }
            kind::MERGED_CELLS => {
                self.sheet.merged.extend(data.get(2..).unwrap_or_default().as_chunks::<8>().0.iter().map(|region| {
                    let number = |at: usize| u32::from(u16::from_le_bytes([region[at], region[at + 1]])) + 1;
                    Region {
                        first_row: number(0),
                        last_row: number(2),
                        first_column: number(4),
                        last_column: number(6),
                    }
                }));
            }
            // 2.4.221 and 2.4.53.
            kind::ROW if u16_at(data, 12).is_some_and(|flags| flags & 0x20 != 0) => {
                self.sheet.hidden.add_rows(place.0, place.0);
            }
            kind::COLUMNS if u16_at(data, 8).is_some_and(|flags| flags & 1 != 0) => {
                self.sheet.hidden.add_columns(place.0, place.1);
            }
            kind::OBJECT => self.object = (u16_at(data, 4).unwrap_or(0), u16_at(data, 6).unwrap_or(0)),
            kind::TEXT_OBJECT => self.text_object(record),
            kind::NOTE => self.note(record, place),
            _ => {}
        }
        Ok(Some(()))
    }

    /// The value of a formula; a text is in a record of its own (2.5.133). `None` when the record is too short.
    fn formula_value(&mut self, record: &Record, place: (u32, u32)) -> Result<Option<()>> {
        let data = record.data;
        let Some((value, style)) = data.get(6..14).zip(u16_at(data, 4)) else { return Ok(None) };
        self.formula = None;
        match value {
            [0, .., 0xFF, 0xFF] => self.formula = Some(place),
            [1, _, value, .., 0xFF, 0xFF] => self.push(place, truth(*value).to_owned(), true)?,
            [2, _, value, .., 0xFF, 0xFF] => self.push(place, error(*value).to_owned(), true)?,
            [.., 0xFF, 0xFF] => {}
            _ => self.push(place, self.shown(f64_at(data, 6).unwrap_or_default(), style), true)?,
        }
        Ok(Some(()))
    }

    /// The text of a cell, empty if it has none, and whether it is a value rather than a text; `None` for a record that
    /// is too short.
    fn cell(&self, record: &Record) -> Option<(String, bool)> {
        let data = record.data;
        Some(match record.kind {
            kind::SHARED_LABEL => {
                (self.globals.strings.get(u32_at(data, 6)? as usize).cloned().unwrap_or_default(), false)
            }
            kind::NUMBER => (self.shown(f64_at(data, 6)?, u16_at(data, 4)?), true),
            kind::SHORT_NUMBER => (self.shown(short_number(u32_at(data, 6)?), u16_at(data, 4)?), true),
            kind::BOOLEAN_OR_ERROR => {
                let (value, is_error) = (*data.get(6)?, *data.get(7)? != 0);
                (if is_error { error(value) } else { truth(value) }.to_owned(), true)
            }
            _ => (self.text(record, 6)?, false),
        })
    }

    fn shown(&self, number: f64, style: u16) -> String {
        self.globals.formats.show(Some(style.into()), number)
    }

    fn push(&mut self, (row, column): (u32, u32), text: String, is_value: bool) -> Result<()> {
        self.sheet.push(self.globals.source, row, column, text, is_value)
    }

    fn text(&self, record: &Record, at: usize) -> Option<String> {
        let mut strings = Strings::new(record, at);
        if self.globals.is_biff8 { strings.long() } else { strings.encoded_long(self.globals.encoding) }
    }

    /// The text is in the records that follow (2.4.329).
    fn text_object(&mut self, record: &Record) {
        let length = u16_at(record.data, 10).unwrap_or(0);
        let mut strings = Strings::new(record, record.data.len());
        let text = strings.text(usize::from(length)).unwrap_or_default();
        let (kind, number) = self.object;
        if kind == NOTE_OBJECT {
            self.notes.insert(number, text);
        } else if !text.trim().is_empty() {
            self.sheet.texts.push(text);
        }
    }

    /// A comment: its place, and its author or, before BIFF8, its text (2.4.179).
    fn note(&mut self, record: &Record, (row, column): (u32, u32)) {
        if self.globals.is_biff8 {
            let number = u16_at(record.data, 6).unwrap_or(0);
            let author = Strings::new(record, 8).long().unwrap_or_default();
            let text = self.notes.remove(&number).unwrap_or_default();
            self.sheet.comments.push(Comment { row, column, author, text });
            return;
        }
        let bytes = record.data.get(6..).unwrap_or_default();
        let text = self.globals.encoding.decode_without_bom_handling(bytes).0;
        match self.sheet.comments.last_mut() {
            Some(last) if row == u32::from(NOTE_GOES_ON) + 1 => last.text.push_str(&text),
            _ => self.sheet.comments.push(Comment { row, column, author: String::new(), text: text.into_owned() }),
        }
    }

    /// Texts of comments whose place is not in the file are kept.
    fn finish(&mut self) {
        let mut left: Vec<(u16, String)> = self.notes.drain().filter(|(_, text)| !text.trim().is_empty()).collect();
        left.sort();
        self.sheet.texts.extend(left.into_iter().map(|(_, text)| text));
    }
}

#[derive(Default)]
struct ChartLabels {
    open: Vec<u16>,
    last: u16,
}

impl ChartLabels {
    /// The text of a record that is part of a label (2.4.254, in a block that begins behind `Text`).
    fn see(&mut self, globals: &Globals, record: &Record) -> Option<String> {
        match record.kind {
            kind::CHART_BEGIN => self.open.push(self.last),
            kind::CHART_END => drop(self.open.pop()),
            kind::CHART_TEXT if self.open.contains(&kind::CHART_LABEL) => {
                let mut strings = Strings::new(record, 2);
                return if globals.is_biff8 { strings.short() } else { strings.encoded_short(globals.encoding) };
            }
            _ => {}
        }
        None
    }
}

pub(in super::super) fn f64_at(data: &[u8], at: usize) -> Option<f64> {
    data.get(at..)?.first_chunk().map(|bytes| f64::from_le_bytes(*bytes))
}

/// `RkNumber` (2.5.217): 30 bits of an integer or of the upper half of a float; perhaps hundredths.
pub(in super::super) fn short_number(bits: u32) -> f64 {
    let number = if bits & 2 != 0 { f64::from(bits as i32 >> 2) } else { f64::from_bits(u64::from(bits & !3) << 32) };
    if bits & 1 != 0 { number / 100.0 } else { number }
}

pub(in super::super) fn truth(value: u8) -> &'static str {
    if value == 0 { "FALSE" } else { "TRUE" }
}

pub(in super::super) fn error(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0F => "#VALUE!",
        0x17 => "#REF!",
        0x1D => "#NAME?",
        0x24 => "#NUM!",
        0x2A => "#N/A",
        _ => "#ERROR!",
    }
}
