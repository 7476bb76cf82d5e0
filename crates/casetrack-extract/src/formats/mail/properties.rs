//! Properties of an Outlook item in its compound file ([MS-OXMSG] 2.4): small ones in a table, others in streams of their own.

use std::collections::HashMap;

use casetrack_pages::container::ole::{CompoundFile, Entry};
use casetrack_pages::text::encoding;
use encoding_rs::Encoding;

use super::mime::decode_text;

pub(super) struct Properties<'a> {
    file: &'a CompoundFile<'a>,
    /// Its streams and storages by their names in lower case.
    entries: HashMap<String, Entry>,
    /// Values of up to eight bytes by tag: identifier and type.
    fixed: HashMap<u32, [u8; 8]>,
    /// Name of the encoding of strings that are not Unicode.
    charset: Option<&'static str>,
    max_bytes: u64,
}

const INTEGER: u32 = 0x0003;
const BOOLEAN: u32 = 0x000B;
const TIME: u32 = 0x0040;

impl<'a> Properties<'a> {
    /// `entries` are those of the object's storage; its table begins after `header_bytes`: 32 in a message, 8 in its
    /// recipients and attachments. Streams are read up to `max_bytes`.
    pub fn read(file: &'a CompoundFile, entries: Vec<Entry>, header_bytes: usize, max_bytes: u64) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.name.to_ascii_lowercase(), entry)).collect();
        let mut properties = Self { file, entries, fixed: HashMap::new(), charset: None, max_bytes };
        let table = properties.stream("__properties_version1.0").unwrap_or_default();
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

    /// A string, Unicode or not; `None` if there is none, or it is blank.
    pub fn string(&self, id: u32) -> Option<String> {
        let text = match self.stream(&format!("__substg1.0_{id:04x}001f")) {
            Some(bytes) => encoding_rs::UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned(),
            None => decode_text(&self.stream(&format!("__substg1.0_{id:04x}001e"))?, self.charset),
        };
        let text = text.trim_end_matches('\0');
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    pub fn binary(&self, id: u32) -> Option<Vec<u8>> {
        self.stream(&format!("__substg1.0_{id:04x}0102"))
    }

    pub fn storage(&self, id: u32) -> Option<&Entry> {
        self.entries.get(&format!("__substg1.0_{id:04x}000d")).filter(|entry| entry.is_storage)
    }

    fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let entry = self.entries.get(name).filter(|entry| !entry.is_storage)?;
        let mut bytes = self.file.content(entry);
        bytes.truncate(usize::try_from(self.max_bytes).unwrap_or(usize::MAX));
        Some(bytes)
    }
}

/// The name of the encoding that a Windows code page is.
pub(super) fn charset(code_page: u32) -> Option<&'static str> {
    encoding::of_code_page(code_page).map(Encoding::name)
}
