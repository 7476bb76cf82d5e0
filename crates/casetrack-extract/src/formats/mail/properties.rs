//! Properties of an Outlook item ([MS-OXPROPS]): in its compound file ([MS-OXMSG] 2.4) small ones are in a table, others in streams of
//! their own; in TNEF they follow each other.

use std::collections::HashMap;

use casetrack_pages::container::ole::{CompoundFile, Entry};
use casetrack_pages::text::encoding;
use encoding_rs::Encoding;

use super::charsets::decode_text;

pub(super) struct Properties<'a> {
    long: LongValues<'a>,
    /// Values of up to eight bytes by tag: identifier and type.
    fixed: HashMap<u32, [u8; 8]>,
    /// The Windows code page of strings that are not Unicode.
    code_page: Option<u32>,
    /// Identifiers of the named properties of appointments, by their numbers in that set.
    named: HashMap<u32, u32>,
}

/// The set of properties of appointments ([MS-OXPROPS] 1.3.2).
pub(super) const APPOINTMENT_SET: [u8; 16] = [0x02, 0x20, 0x06, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// Strings, bytes and objects.
enum LongValues<'a> {
    Streams {
        file: &'a CompoundFile<'a>,
        /// Streams and storages by their names in lower case.
        entries: HashMap<String, Entry>,
        max_bytes: u64,
    },
    /// By tag.
    Memory(HashMap<u32, Vec<u8>>),
}

const INTEGER: u32 = 0x0003;
const BOOLEAN: u32 = 0x000B;
const OBJECT: u32 = 0x000D;
const STRING: u32 = 0x001E;
const UNICODE: u32 = 0x001F;
const TIME: u32 = 0x0040;
const BINARY: u32 = 0x0102;

impl<'a> Properties<'a> {
    /// `entries` are those of the object's storage; its table begins after `header_bytes`: 32 in a message, 8 in its
    /// recipients and attachments. Streams are read up to `max_bytes`.
    pub fn read(file: &'a CompoundFile, entries: Vec<Entry>, header_bytes: usize, max_bytes: u64) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.name.to_ascii_lowercase(), entry)).collect();
        let long = LongValues::Streams { file, entries, max_bytes };
        let mut properties = Self { long, fixed: HashMap::new(), code_page: None, named: HashMap::new() };
        let table = properties.stream("__properties_version1.0").unwrap_or_default();
        for entry in table.get(header_bytes..).unwrap_or_default().as_chunks::<16>().0 {
            let [a, b, c, d, _, _, _, _, value @ ..] = entry;
            properties.fixed.insert(u32::from_le_bytes([*a, *b, *c, *d]), *value);
        }
        properties.code_page = properties.integer(0x3FFD).or_else(|| properties.integer(0x3FDE));
        properties
    }

    /// Properties by their tags, and the code page of strings. `named` as in [`Self::named_id`].
    pub fn in_memory(
        fixed: HashMap<u32, [u8; 8]>,
        long: HashMap<u32, Vec<u8>>,
        code_page: Option<u32>,
        named: HashMap<u32, u32>,
    ) -> Self {
        Self { long: LongValues::Memory(long), fixed, code_page, named }
    }

    /// Takes the names of properties ([MS-OXMSG] 2.2.3) from the storage of them among the entries of the root.
    pub fn with_names(mut self, root: &[Entry]) -> Self {
        let LongValues::Streams { file, .. } = &self.long else { return self };
        let Some(storage) = root.iter().find(|entry| entry.is_storage && entry.name == "__nameid_version1.0") else {
            return self;
        };
        let entries = file.entries(storage);
        let stream = |name: &str| entries.iter().find(|entry| entry.name == name).map(|entry| file.content(entry));
        let (sets, names) = (stream("__substg1.0_00020102"), stream("__substg1.0_00030102"));
        let (sets, names) = (sets.unwrap_or_default(), names.unwrap_or_default());
        for name in names.as_chunks::<8>().0 {
            let [a, b, c, d, kind_low, kind_high, index_low, index_high] = *name;
            let kind = u16::from_le_bytes([kind_low, kind_high]);
            // Sets are counted from 3; a number in it, not a string, names the property.
            let set = usize::from(kind >> 1).checked_sub(3).and_then(|set| sets.as_chunks::<16>().0.get(set));
            if kind & 1 == 0 && set == Some(&APPOINTMENT_SET) {
                let id = 0x8000 + u32::from(u16::from_le_bytes([index_low, index_high]));
                self.named.insert(u32::from_le_bytes([a, b, c, d]), id);
            }
        }
        self
    }

    /// The identifier that a named property of appointments has here, by its number in that set.
    pub fn named_id(&self, number: u32) -> Option<u32> {
        self.named.get(&number).copied()
    }

    /// Takes the encoding of strings from the message that it belongs to.
    pub fn with_charset_of(mut self, message: &Properties) -> Self {
        self.code_page = self.code_page.or(message.code_page);
        self
    }

    pub fn integer(&self, id: u32) -> Option<u32> {
        let [a, b, c, d, ..] = *self.fixed.get(&tag(id, INTEGER))?;
        Some(u32::from_le_bytes([a, b, c, d]))
    }

    pub fn is_set(&self, id: u32) -> bool {
        self.fixed.get(&tag(id, BOOLEAN)).is_some_and(|value| value[0] != 0)
    }

    /// Seconds since 1970.
    pub fn time(&self, id: u32) -> Option<i64> {
        let ticks = u64::from_le_bytes(*self.fixed.get(&tag(id, TIME))?);
        // Tenths of microseconds since 1601 ([MS-DTYP] 2.3.3).
        let seconds = i64::try_from(ticks / 10_000_000).ok()?;
        (ticks > 0).then(|| seconds - 11_644_473_600)
    }

    /// A string, Unicode or not; `None` if there is none, or it is blank.
    pub fn string(&self, id: u32) -> Option<String> {
        let text = match self.long(id, UNICODE) {
            Some(bytes) => encoding_rs::UTF_16LE.decode_without_bom_handling(&bytes).0.into_owned(),
            None => {
                let bytes = self.long(id, STRING)?;
                let charset = self.code_page.map(|number| format!("cp{number}"));
                decode_text(bytes.split(|&byte| byte == 0).next().unwrap_or_default(), charset.as_deref())
            }
        };
        let text = text.trim_end_matches('\0');
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    pub fn binary(&self, id: u32) -> Option<Vec<u8>> {
        self.long(id, BINARY)
    }

    /// The bytes of an object in TNEF.
    pub fn object(&self, id: u32) -> Option<&[u8]> {
        match &self.long {
            LongValues::Memory(values) => values.get(&tag(id, OBJECT)).map(Vec::as_slice),
            LongValues::Streams { .. } => None,
        }
    }

    pub fn storage(&self, id: u32) -> Option<&Entry> {
        match &self.long {
            LongValues::Streams { entries, .. } => {
                entries.get(&format!("__substg1.0_{id:04x}{OBJECT:04x}")).filter(|entry| entry.is_storage)
            }
            LongValues::Memory(_) => None,
        }
    }

    fn long(&self, id: u32, kind: u32) -> Option<Vec<u8>> {
        match &self.long {
            LongValues::Streams { .. } => self.stream(&format!("__substg1.0_{id:04x}{kind:04x}")),
            LongValues::Memory(values) => values.get(&tag(id, kind)).cloned(),
        }
    }

    fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let LongValues::Streams { file, entries, max_bytes } = &self.long else { return None };
        let entry = entries.get(name).filter(|entry| !entry.is_storage)?;
        let mut bytes = file.content(entry);
        bytes.truncate(usize::try_from(*max_bytes).unwrap_or(usize::MAX));
        Some(bytes)
    }
}

/// A property with its type.
const fn tag(id: u32, kind: u32) -> u32 {
    id << 16 | kind
}

/// The name of the encoding that a Windows code page is.
pub(super) fn charset(code_page: u32) -> Option<&'static str> {
    encoding::of_code_page(code_page).map(Encoding::name)
}
