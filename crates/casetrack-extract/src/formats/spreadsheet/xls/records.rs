//! The records of a workbook stream ([MS-XLS] 2.1.4).

use casetrack_pages::container::ole::u16_at;

pub(super) mod kind {
    pub const FORMULA: u16 = 0x0006;
    pub const END: u16 = 0x000A;
    pub const NOTE: u16 = 0x001C;
    pub const DATE_MODE: u16 = 0x0022;
    pub const FILE_PASS: u16 = 0x002F;
    pub const CONTINUE: u16 = 0x003C;
    pub const CODE_PAGE: u16 = 0x0042;
    pub const OBJECT: u16 = 0x005D;
    pub const COLUMNS: u16 = 0x007D;
    pub const BOUND_SHEET: u16 = 0x0085;
    pub const MANY_NUMBERS: u16 = 0x00BD;
    pub const RICH_LABEL: u16 = 0x00D6;
    pub const STYLE: u16 = 0x00E0;
    pub const MERGED_CELLS: u16 = 0x00E5;
    pub const DRAWING_GROUP: u16 = 0x00EB;
    pub const DRAWING: u16 = 0x00EC;
    pub const SHARED_STRINGS: u16 = 0x00FC;
    pub const SHARED_LABEL: u16 = 0x00FD;
    pub const TEXT_OBJECT: u16 = 0x01B6;
    pub const NUMBER: u16 = 0x0203;
    pub const LABEL: u16 = 0x0204;
    pub const BOOLEAN_OR_ERROR: u16 = 0x0205;
    pub const FORMULA_TEXT: u16 = 0x0207;
    pub const ROW: u16 = 0x0208;
    pub const SHORT_NUMBER: u16 = 0x027E;
    pub const FORMAT: u16 = 0x041E;
    pub const BEGINNING: u16 = 0x0809;
    pub const CHART_TEXT: u16 = 0x100D;
    pub const CHART_LABEL: u16 = 0x1025;
    pub const CHART_BEGIN: u16 = 0x1033;
    pub const CHART_END: u16 = 0x1034;
}

pub(super) struct Record<'a> {
    pub kind: u16,
    pub data: &'a [u8],
    /// The data of the `Continue` records that follow.
    pub more: Vec<&'a [u8]>,
}

impl Record<'_> {
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.data);
        self.more.iter().for_each(|more| bytes.extend(*more));
    }
}

pub(super) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub fn new(stream: &'a [u8]) -> Self {
        Self { rest: stream }
    }

    /// Number and data of the next record, clipped at the end of the stream.
    fn peek(&self) -> Option<(u16, &'a [u8], &'a [u8])> {
        let size = usize::from(u16_at(self.rest, 2)?);
        let data = self.rest.get(4..)?;
        let (data, rest) = data.split_at(size.min(data.len()));
        Some((u16_at(self.rest, 0)?, data, rest))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (kind, data, rest) = self.peek()?;
        self.rest = rest;
        let mut more = Vec::new();
        while let Some((kind::CONTINUE, data, rest)) = self.peek() {
            more.push(data);
            self.rest = rest;
        }
        Some(Record { kind, data, more })
    }
}
