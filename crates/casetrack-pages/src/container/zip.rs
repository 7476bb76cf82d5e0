//! Office files are zip archives of parts. Reads parts with a limit on their uncompressed size.

use std::fmt::Display;
use std::io::{self, Cursor, Read, Write};

use casetrack_core::{Error, FileLimit, Result};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::model::Source;
use crate::text::code_pages::{self, CodePage};

/// First bytes of a zip archive with entries, and of one without.
pub const SIGNATURES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

pub struct ZipContainer<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The encoding of the names that are not UTF-8, if there are any: archives made by old programs do not state it.
    page: Option<CodePage>,
    source: &'a Source<'a>,
}

impl<'a> ZipContainer<'a> {
    pub fn open(source: &'a Source<'a>) -> Result<Self> {
        let archive = ZipArchive::new(Cursor::new(source.bytes))
            .map_err(|error| source.unreadable(format_args!("its zip container is damaged ({error})")))?;
        let names: Vec<&[u8]> = archive.file_names_raw().filter(|name| std::str::from_utf8(name).is_err()).collect();
        let page = (!names.is_empty()).then(|| code_pages::of_names(&names));
        Ok(Self { archive, page, source })
    }

    /// Names of all parts, in the order of the directory, with forward slashes.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names_raw().map(|name| String::from_utf8_lossy(name).replace('\\', "/")).collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.index_of(name).is_some()
    }

    #[expect(clippy::len_without_is_empty, reason = "no caller needs it")]
    pub fn len(&self) -> usize {
        self.archive.len()
    }

    /// The name and content of the file at a place of the directory, if it has at most `max_bytes`.
    pub fn member(&mut self, index: usize, max_bytes: u64) -> (String, Member) {
        let max_bytes = max_bytes.min(self.source.limits().max_part_bytes);
        let (name, locked) = match self.archive.by_index_raw(index) {
            Ok(file) => {
                // Names are UTF-8 more often than they declare it, unless others in the archive are not.
                let raw = file.name_raw();
                let is_declared = |text: &str| file.name().is_ok_and(|name| name == text);
                let name = match (std::str::from_utf8(raw), self.page) {
                    (Ok(text), Some(page)) if !raw.is_ascii() && !is_declared(text) => page.decode(raw).into_owned(),
                    (Ok(text), _) => text.to_owned(),
                    (Err(_), page) => page.unwrap_or(CodePage::Dos(437)).decode(raw).into_owned(),
                };
                (name, file.encrypted())
            }
            Err(error) => return (format!("File {}", index + 1), Member::Unreadable(error.to_string())),
        };
        if locked {
            return (name, Member::Locked);
        }
        let file = match self.archive.by_index(index) {
            Ok(file) => file,
            Err(error) => return (name, Member::Unreadable(error.to_string())),
        };
        if file.is_dir() {
            return (name + "/", Member::File(Vec::new()));
        }
        if file.is_symlink() {
            return (name, Member::Unreadable("it is a link".to_owned()));
        }
        if file.size() > max_bytes {
            return (name, Member::TooLarge);
        }
        match read_to(file, max_bytes) {
            Err(error) => (name, Member::Unreadable(error.to_string())),
            Ok(None) => (name, Member::TooLarge),
            Ok(Some(bytes)) => (name, Member::File(bytes)),
        }
    }

    /// The bytes of a part; `None` when there is no such part. Names are compared without regard to case, as [ECMA-376]
    /// Part 2 asks, and to the kind of their slashes.
    ///
    /// A part that is damaged is an error, and so is one that exceeds the limit when uncompressed.
    pub fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(index) = self.index_of(name) else { return Ok(None) };
        let file = match self.archive.by_index(index) {
            Ok(file) => file,
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(self.source.unsupported_encryption("by the zip archive itself"));
            }
            Err(error) => return Err(part_damaged(self.source, name, &error)),
        };
        uncompressed(self.source, name, file).map(Some)
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        // Some writers separate folders by backslashes.
        let slashed = |byte: &u8| if *byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() };
        let same = |candidate: &[u8]| candidate.iter().map(slashed).eq(name.as_bytes().iter().map(slashed));
        self.archive.index_for_name(name).or_else(|| self.archive.file_names_raw().position(same))
    }
}

/// An archive of these parts; `None` for names that none can have.
pub fn packed(parts: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start_file(name.as_str(), SimpleFileOptions::default()).ok()?;
        writer.write_all(bytes).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

/// A file in an archive, or why it cannot be read.
pub enum Member {
    File(Vec<u8>),
    TooLarge,
    Locked,
    Unreadable(String),
}

/// The content of a part, from a reader that uncompresses it.
pub fn uncompressed(source: &Source, name: &str, part: impl Read) -> Result<Vec<u8>> {
    let limit = source.limits().max_part_bytes;
    read_to(part, limit).map_err(|error| part_damaged(source, name, &error))?.ok_or_else(|| {
        let what = format!("its part {name} takes more than {limit} bytes uncompressed");
        source.too_large(FileLimit::PartSize, what)
    })
}

fn part_damaged(source: &Source, name: &str, error: &dyn Display) -> Error {
    source.unreadable(format_args!("its part {name} is damaged ({error})"))
}

/// All that is to be read, whatever size was declared; `None` if it is more than `max_bytes`.
fn read_to(reader: impl Read, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= max_bytes))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::{ErrorCode, Limits};

    use super::*;
    use crate::model::ExtractOptions;
    use crate::test_files::zip_file;

    #[test]
    fn parts_are_found_whatever_their_case_and_slashes_and_limited_in_size() {
        let limits = Limits { max_part_bytes: 1000, ..Limits::default() };
        let options = ExtractOptions { limits, ..ExtractOptions::default() };
        let bytes = zip_file(&[
            ("Word/Document.xml", &[b'x'; 1000]),
            ("Word\\Styles.xml", b"styles"),
            ("bomb.xml", &[b'x'; 1001]),
        ]);
        let source = Source { path: Path::new("a.docx"), bytes: &bytes, options: &options };
        let mut container = ZipContainer::open(&source).unwrap();
        assert_eq!(container.part("word/document.xml").unwrap().unwrap().len(), 1000);
        assert_eq!(container.part("missing.xml").unwrap(), None);
        assert_eq!(container.part("word/styles.xml").unwrap().unwrap(), b"styles");
        assert_eq!(container.names(), ["Word/Document.xml", "Word/Styles.xml", "bomb.xml"]);
        assert_eq!(container.part("bomb.xml").unwrap_err().code, ErrorCode::FileTooLarge);
    }

    #[test]
    fn a_truncated_archive_is_unreadable() {
        let bytes = zip_file(&[("a.xml", b"text")]);
        let options = ExtractOptions::default();
        let source = Source { path: Path::new("a.docx"), bytes: &bytes[..bytes.len() / 2], options: &options };
        assert_eq!(ZipContainer::open(&source).err().unwrap().code, ErrorCode::UnreadableFile);
    }
}
