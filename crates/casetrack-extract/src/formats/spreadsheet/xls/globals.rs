//! What a workbook says before its sheets ([MS-XLS] 2.1.7.20.3).

use std::collections::HashMap;

use casetrack_core::Result;
use encoding_rs::{Encoding, WINDOWS_1252};

use super::records::{Record, Records, kind};
use super::strings::{self, Strings};
use crate::container::ole::{u16_at, u32_at};
use crate::formats::spreadsheet::number_format::{NumberFormat, general};
use crate::formats::spreadsheet::sheet::Visibility;
use crate::model::Source;
use crate::office::summary_information;

/// What the substreams of all sheets refer to.
pub(super) struct Globals<'a> {
    pub source: &'a Source<'a>,
    pub is_biff8: bool,
    /// Of texts before BIFF8.
    pub encoding: &'static Encoding,
    pub epoch_1904: bool,
    pub strings: Vec<String>,
    /// By the number of a cell's `XF` record.
    pub formats: Vec<NumberFormat>,
    pub listed: Vec<Listed>,
}

/// A sheet as `BoundSheet8` lists it (2.4.28).
pub(super) struct Listed {
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
            epoch_1904: false,
            strings: Vec::new(),
            formats: Vec::new(),
            listed: Vec::new(),
        };
        let mut codes = HashMap::new();
        let mut styles = Vec::new();
        for record in Records::new(stream) {
            let data = record.data;
            match record.kind {
                kind::BEGINNING => globals.is_biff8 = u16_at(data, 0).is_none_or(|version| version >= 0x0600),
                kind::FILE_PASS => return Err(source.needs_password()),
                kind::CODE_PAGE => {
                    globals.encoding = summary_information::encoding_of(u16_at(data, 0).unwrap_or(1252));
                }
                kind::DATE_MODE => globals.epoch_1904 = u16_at(data, 0) == Some(1),
                kind::FORMAT => {
                    if let (Some(id), Some(code)) = (u16_at(data, 0), globals.format_code(&record)) {
                        codes.insert(id, code);
                    }
                }
                kind::STYLE => styles.push(u16_at(data, 2).unwrap_or(0)),
                kind::BOUND_SHEET => globals.listed.extend(globals.listed(&record)),
                kind::SHARED_STRINGS => globals.strings = strings::shared(&record),
                kind::END => break,
                _ => {}
            }
        }
        let format = |id: &u16| match codes.get(id) {
            Some(code) if !matches!(id, 14 | 22) => NumberFormat::parse(code),
            _ => NumberFormat::built_in(u32::from(*id)),
        };
        globals.formats = styles.iter().map(format).collect();
        Ok(globals)
    }

    fn format_code(&self, record: &Record) -> Option<String> {
        let mut strings = Strings::new(record, 2);
        if self.is_biff8 { strings.long() } else { strings.encoded_short(self.encoding) }
    }

    fn listed(&self, record: &Record) -> Option<Listed> {
        let at = u32_at(record.data, 0)? as usize;
        let visibility = match record.data.get(4)? & 3 {
            0 => Visibility::Visible,
            1 => Visibility::Hidden,
            _ => Visibility::VeryHidden,
        };
        const VISUAL_BASIC: u8 = 6;
        if *record.data.get(5)? == VISUAL_BASIC {
            return None;
        }
        let mut strings = Strings::new(record, 6);
        let mut name = if self.is_biff8 { strings.short() } else { strings.encoded_short(self.encoding) }?;
        name.retain(|c| c != '\0');
        Some(Listed { name, visibility, at })
    }

    pub fn shown(&self, number: f64, style: u16) -> String {
        match self.formats.get(usize::from(style)) {
            Some(format) => format.show(number, self.epoch_1904),
            None => general(number),
        }
    }
}
