//! Properties of an Outlook item in its compound file ([MS-OXMSG] 2.4): small ones in a table, others in streams of their own.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use super::mime::decode_text;

pub(super) type CompoundFile<'a> = cfb::CompoundFile<Cursor<&'a [u8]>>;

/// The properties of one object: the message, a recipient or an attachment.
pub(super) struct Properties {
    /// Path of its storage, with a slash at the end.
    folder: String,
    /// Values of up to eight bytes by tag: identifier and type.
    fixed: HashMap<u32, [u8; 8]>,
    /// Name of the encoding of strings that are not Unicode.
    charset: Option<&'static str>,
    max_bytes: u64,
}

const INTEGER: u32 = 0x0003;
const BOOLEAN: u32 = 0x000B;
const TIME: u32 = 0x0040;

impl Properties {
    /// `header_bytes` stand before the table: 32 in a message, 8 in its recipients and attachments.
    pub fn read(file: &mut CompoundFile, folder: &str, header_bytes: usize, max_bytes: u64) -> Self {
        let mut properties = Self { folder: folder.to_owned(), fixed: HashMap::new(), charset: None, max_bytes };
        let table = properties.stream(file, "__properties_version1.0").unwrap_or_default();
        for entry in table.get(header_bytes..).unwrap_or_default().as_chunks::<16>().0 {
            let [a, b, c, d, _, _, _, _, value @ ..] = entry;
            properties.fixed.insert(u32::from_le_bytes([*a, *b, *c, *d]), *value);
        }
        let code_page = properties.integer(0x3FFD).or_else(|| properties.integer(0x3FDE));
        properties.charset = code_page.and_then(charset);
        properties
    }

    /// Takes the encoding of strings from the message that it belongs to.
    pub fn with_charset_of(mut self, message: &Properties) -> Self {
        self.charset = self.charset.or(message.charset);
        self
    }

    pub fn integer(&self, id: u32) -> Option<u32> {
        let [a, b, c, d, ..] = *self.fixed.get(&(id << 16 | INTEGER))?;
        Some(u32::from_le_bytes([a, b, c, d]))
    }

    pub fn is_set(&self, id: u32) -> bool {
        self.fixed.get(&(id << 16 | BOOLEAN)).is_some_and(|value| value[0] != 0)
    }

    /// Seconds since 1970.
    pub fn time(&self, id: u32) -> Option<i64> {
        let ticks = u64::from_le_bytes(*self.fixed.get(&(id << 16 | TIME))?);
        // Tenths of microseconds since 1601 ([MS-DTYP] 2.3.3).
        let seconds = i64::try_from(ticks / 10_000_000).ok()?;
        (ticks > 0).then(|| seconds - 11_644_473_600)
    }

    /// A string, Unicode or not; `None` where there is none, or it is blank.
    pub fn string(&self, file: &mut CompoundFile, id: u32) -> Option<String> {
        let text = match self.stream(file, &format!("__substg1.0_{id:04X}001F")) {
            Some(bytes) => encoding_rs::UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned(),
            None => decode_text(&self.stream(file, &format!("__substg1.0_{id:04X}001E"))?, self.charset),
        };
        let text = text.trim_end_matches('\0');
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    pub fn binary(&self, file: &mut CompoundFile, id: u32) -> Option<Vec<u8>> {
        self.stream(file, &format!("__substg1.0_{id:04X}0102"))
    }

    /// Path of the storage that is the value of a property.
    pub fn storage(&self, file: &CompoundFile, id: u32) -> Option<String> {
        let path = format!("{}__substg1.0_{id:04X}000D", self.folder);
        file.is_storage(&path).then_some(path)
    }

    fn stream(&self, file: &mut CompoundFile, name: &str) -> Option<Vec<u8>> {
        read_stream(file, &format!("{}{name}", self.folder), self.max_bytes)
    }
}

/// What can be read of a stream, up to a limit; `None` where there is no such stream.
pub(super) fn read_stream(file: &mut CompoundFile, path: &str, max_bytes: u64) -> Option<Vec<u8>> {
    let stream = file.open_stream(path).ok()?;
    let mut bytes = Vec::new();
    // A chain of sectors that breaks off leaves what came before.
    let _ = stream.take(max_bytes).read_to_end(&mut bytes);
    Some(bytes)
}

/// The encoding that a Windows code page is.
pub(super) fn charset(code_page: u32) -> Option<&'static str> {
    Some(match code_page {
        874 => "windows-874",
        932 => "shift_jis",
        936 | 54936 => "gb18030",
        949 => "euc-kr",
        950 => "big5",
        1250 => "windows-1250",
        1251 => "windows-1251",
        1252 | 28591 => "windows-1252",
        1253 => "windows-1253",
        1254 => "windows-1254",
        1255 => "windows-1255",
        1256 => "windows-1256",
        1257 => "windows-1257",
        1258 => "windows-1258",
        20866 => "koi8-r",
        21866 => "koi8-u",
        28592 => "iso-8859-2",
        28595 => "iso-8859-5",
        28597 => "iso-8859-7",
        28605 => "iso-8859-15",
        50220..=50222 => "iso-2022-jp",
        51932 => "euc-jp",
        65001 => "utf-8",
        _ => return None,
    })
}
