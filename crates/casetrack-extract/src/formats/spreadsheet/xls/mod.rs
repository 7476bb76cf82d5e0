//! Excel workbooks of Excel 5.0 to 2003 ([MS-XLS]): BIFF8, and BIFF5 with its strings in the code page of the file.

mod records;
mod strings;
pub(super) mod worksheet;

use casetrack_core::Result;
use encoding_rs::{Encoding, WINDOWS_1252};

use self::records::{Record, Records, kind};
use self::strings::Strings;
use super::number_format::NumberFormat;
use super::sheet::{Sheet, Visibility};
use super::write_all;
use crate::ole::{CompoundFile, u16_at, u32_at};
use crate::page::DocumentBuilder;
use crate::source::Source;
use crate::summary_information;

/// What the substreams of all sheets refer to.
struct Globals<'a> {
    source: &'a Source<'a>,
    is_biff8: bool,
    /// Of texts before BIFF8.
    encoding: &'static Encoding,
    epoch_1904: bool,
    strings: Vec<String>,
    /// By the number of a cell's `XF` record.
    formats: Vec<NumberFormat>,
    listed: Vec<Listed>,
}

/// A sheet as `BoundSheet8` lists it (2.4.28).
struct Listed {
    name: String,
    visibility: Visibility,
    at: usize,
}

pub(super) fn read(source: &Source, document: &mut DocumentBuilder) -> Result<()> {
    let container = CompoundFile::open(source.bytes)
        .ok_or_else(|| source.unreadable("the directory of its OLE container is damaged"))?;
    if let Some(title) = summary_information::read(&container, document) {
        document.set_title(&title);
    }
    let stream = container
        .stream(&["Workbook"])
        .or_else(|| container.stream(&["Book"]))
        .ok_or_else(|| source.unreadable("it has no workbook stream"))?;
    let globals = Globals::read(source, &stream)?;
    if globals.listed.is_empty() {
        return Err(source.unreadable("it has no worksheet"));
    }
    write_all(source, document, globals.listed.iter(), |listed| {
        let mut sheet = Sheet::new(listed.name.clone(), listed.visibility);
        match stream.get(listed.at..) {
            Some(substream) => worksheet::read(&globals, substream, &mut sheet)?,
            None => sheet.problem = Some("it lies beyond the end of the file".into()),
        }
        Ok(sheet)
    })
}

impl<'a> Globals<'a> {
    fn read(source: &'a Source<'a>, stream: &[u8]) -> Result<Self> {
        let mut globals = Self {
            source,
            is_biff8: true,
            encoding: WINDOWS_1252,
            epoch_1904: false,
            strings: Vec::new(),
            formats: Vec::new(),
            listed: Vec::new(),
        };
        let mut codes = std::collections::HashMap::new();
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

    fn shown(&self, number: f64, style: u16) -> String {
        match self.formats.get(usize::from(style)) {
            Some(format) => format.show(number, self.epoch_1904),
            None => super::number_format::general(number),
        }
    }
}

#[cfg(test)]
mod tests;
