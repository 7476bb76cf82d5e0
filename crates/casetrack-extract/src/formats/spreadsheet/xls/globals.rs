//! The globals of a workbook, before its sheets ([MS-XLS] 2.1.7.20.3).

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::container::ole::{u16_at, u32_at};
use casetrack_pages::model::Source;
use casetrack_pages::text::encoding;
use encoding_rs::{Encoding, WINDOWS_1252};

use super::records::{Record, Records, kind};
use super::strings::{self, Strings};
use crate::formats::spreadsheet::number_format::{Formats, NumberFormat};
use crate::formats::spreadsheet::sheet::Visibility;

pub(super) struct Globals<'a> {
    pub source: &'a Source<'a>,
    pub is_biff8: bool,
    /// Of texts before BIFF8.
    pub encoding: &'static Encoding,
    pub strings: Vec<String>,
    pub formats: Formats,
    pub listed: Vec<SheetEntry>,
    /// The drawing group ([MS-ODRAW] 2.2.12), which has the pictures of all sheets.
    pub drawing_group: Vec<u8>,
}

/// A sheet as `BoundSheet8` lists it (2.4.28).
pub(super) struct SheetEntry {
    pub name: String,
    pub visibility: Visibility,
    pub at: usize,
}

impl<'a> Globals<'a> {
    pub fn read(source: &'a Source<'a>, stream: &[u8]) -> Result<Self> {
        let mut globals = Self {
            source,
            is_biff8: true,
            encoding: WINDOWS_1252,
            strings: Vec::new(),
            formats: Formats { by_style: Vec::new(), epoch_1904: false },
            listed: Vec::new(),
            drawing_group: Vec::new(),
        };
        let mut codes = HashMap::new();
        let mut styles = Vec::new();
        for record in Records::new(stream) {
            let data = record.data;
            match record.kind {
                kind::BEGINNING => globals.is_biff8 = u16_at(data, 0).is_none_or(|version| version >= 0x0600),
                kind::FILE_PASS => return Err(source.needs_password()),
                kind::CODE_PAGE => {
                    let found = u16_at(data, 0).and_then(|number| encoding::of_code_page(number.into()));
                    globals.encoding = found.unwrap_or(WINDOWS_1252);
                }
                kind::DATE_MODE => globals.formats.epoch_1904 = u16_at(data, 0) == Some(1),
                kind::FORMAT => {
                    codes.extend(u16_at(data, 0).map(u32::from).zip(globals.format_code(&record)));
                }
                kind::STYLE => styles.push(u16_at(data, 2).map_or(0, u32::from)),
                kind::BOUND_SHEET => globals.listed.extend(globals.listed(&record)),
                kind::SHARED_STRINGS => globals.strings = strings::shared(&record),
                kind::DRAWING_GROUP => record.append_to(&mut globals.drawing_group),
                kind::END => break,
                _ => {}
            }
        }
        globals.formats.by_style = styles.into_iter().map(|id| NumberFormat::numbered(id, &codes)).collect();
        Ok(globals)
    }

    fn format_code(&self, record: &Record) -> Option<String> {
        let mut strings = Strings::new(record, 2);
        if self.is_biff8 { strings.long() } else { strings.encoded_short(self.encoding) }
    }

    fn listed(&self, record: &Record) -> Option<SheetEntry> {
        let at = u32_at(record.data, 0)? as usize;
        let visibility = Visibility::numbered((record.data.get(4)? & 3).into());
        const VISUAL_BASIC: u8 = 6;
        if *record.data.get(5)? == VISUAL_BASIC {
            return None;
        }
        let mut strings = Strings::new(record, 6);
        let mut name = if self.is_biff8 { strings.short() } else { strings.encoded_short(self.encoding) }?;
        name.retain(|c| c != '\0');
        Some(SheetEntry { name, visibility, at })
    }
}
