//! The summary information of OLE files ([MS-OLEPS]).

use encoding_rs::WINDOWS_1252;

use crate::build::DocumentBuilder;
use crate::container::ole::{CompoundFile, clipped, u16_at, u32_at, utf16};
use crate::text::{dates, encoding};

const CODE_PAGE: u32 = 1;
const TITLE: u32 = 2;
const AUTHOR: u32 = 4;
const CREATED: u32 = 12;
const PAGE_COUNT: u32 = 14;
const LAST_SAVED: u32 = 13;
const INTEGER: u32 = 3;
const STRING: u32 = 0x1E;
const WIDE_STRING: u32 = 0x1F;
const FILE_TIME: u32 = 0x40;

/// Leaves author and dates with `document`; returns the title. Missing and unreadable properties are passed over.
pub fn read(container: &CompoundFile, document: &mut DocumentBuilder) -> Option<String> {
    let stream = container.stream(&["\u{5}SummaryInformation"])?;
    let set = PropertySet::of(&stream)?;
    set.text(AUTHOR).iter().for_each(|author| document.set_author(author));
    document.set_created(set.date(CREATED));
    document.set_modified(set.date(LAST_SAVED));
    set.text(TITLE)
}

/// The number of pages that the program that saved the file counted.
pub fn page_count(container: &CompoundFile) -> Option<u32> {
    let stream = container.stream(&["\u{5}SummaryInformation"])?;
    let value = PropertySet::of(&stream)?.property(PAGE_COUNT).filter(|value| u32_at(value, 0) == Some(INTEGER))?;
    u32_at(value, 4)
}

/// From its start to the end of the stream.
struct PropertySet<'a>(&'a [u8]);

impl<'a> PropertySet<'a> {
    /// The first one in a stream, which is the one of the format.
    fn of(stream: &'a [u8]) -> Option<Self> {
        stream.get(u32_at(stream, 44)? as usize..).map(Self)
    }

    /// The type and value of a property, and the bytes after them.
    fn property(&self, wanted: u32) -> Option<&'a [u8]> {
        let set = self.0;
        let count = u32_at(set, 4)? as usize;
        let index = (0..count.min(set.len() / 8)).find(|index| u32_at(set, 8 + 8 * index) == Some(wanted))?;
        set.get(u32_at(set, 12 + 8 * index)? as usize..)
    }

    fn text(&self, wanted: u32) -> Option<String> {
        let value = self.property(wanted)?;
        let size = u32_at(value, 4)? as usize;
        let text = value.get(8..)?;
        let text = match u32_at(value, 0)? {
            STRING => {
                let code_page = self.property(CODE_PAGE).and_then(|value| u16_at(value, 4)).unwrap_or(1252);
                let text = clipped(text, 0, size);
                match code_page {
                    1200 => utf16(text),
                    code_page => {
                        let encoding = encoding::of_code_page(code_page.into()).unwrap_or(WINDOWS_1252);
                        encoding.decode_without_bom_handling(text).0.into_owned()
                    }
                }
            }
            WIDE_STRING => utf16(clipped(text, 0, size.saturating_mul(2))),
            _ => return None,
        };
        Some(text.split('\0').next()?.to_owned())
    }

    fn date(&self, wanted: u32) -> Option<String> {
        let value = self.property(wanted).filter(|value| u32_at(value, 0) == Some(FILE_TIME))?;
        dates::of_file_time(u64::from(u32_at(value, 4)?) | u64::from(u32_at(value, 8)?) << 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::summary_of;

    fn title_of(stream: &[u8]) -> Option<String> {
        let set = PropertySet::of(stream)?;
        set.date(CREATED);
        set.text(TITLE)
    }

    #[test]
    fn titles_have_the_encoding_of_the_file() {
        assert_eq!(title_of(&summary_of(b"Vertr\xE4ge\0", 1252)).unwrap(), "Verträge");
        assert_eq!(title_of(&summary_of(b"\xC4\xEE\xE3\xEE\xE2\xEE\xF0\0\0", 1251)).unwrap(), "Договор");
        assert_eq!(title_of(&summary_of("Vertrag №".as_bytes(), 65001)).unwrap(), "Vertrag №");
    }

    #[test]
    fn truncated_and_lying_summaries_are_survived() {
        let whole = summary_of(b"Title", 1252);
        for length in 0..whole.len() {
            title_of(&whole[..length]);
        }
        for at in 0..whole.len() {
            let mut lying = whole.clone();
            lying[at] = 0xFF;
            title_of(&lying);
        }
    }
}
