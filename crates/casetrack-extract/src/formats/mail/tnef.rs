//! Messages in TNEF ([MS-OXTNEF]), which Outlook sends as `winmail.dat`: attributes one after the other, most of them lists of MAPI
//! properties.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;

use super::item::{self, id};
use super::letter::{Enclosure, Letter};
use super::properties::{APPOINTMENT_SET, Properties};

const SIGNATURE: &[u8] = &[0x78, 0x9F, 0x3E, 0x22];

/// Attributes (2.1.3.2 ff.), without their types.
mod attribute {
    pub const FROM: u16 = 0x8000;
    pub const SUBJECT: u16 = 0x8004;
    pub const MESSAGE_CLASS: u16 = 0x8008;
    pub const BODY: u16 = 0x800C;
    pub const ATTACHMENT_DATA: u16 = 0x800F;
    pub const ATTACHMENT_TITLE: u16 = 0x8010;
    pub const RENDERING: u16 = 0x9002;
    pub const MESSAGE_PROPERTIES: u16 = 0x9003;
    pub const RECIPIENTS: u16 = 0x9004;
    pub const ATTACHMENT_PROPERTIES: u16 = 0x9005;
    pub const CODE_PAGE: u16 = 0x9007;
}

/// Begins the data of an object that is a message: the id of its interface, IMessage (2.1.3.3.15).
const MESSAGE_OBJECT: [u8; 16] = [0x07, 0x03, 0x02, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// Recipients that are read.
const MAX_RECIPIENTS: u32 = 10_000;

/// Types of properties ([MS-OXCDATA] 2.11.1) with values of any length.
const LONG_TYPES: [u32; 4] = [0x000D, STRING, 0x001F, BINARY];
const STRING: u32 = 0x001E;
const BINARY: u32 = 0x0102;
const SEVERAL_VALUES: u32 = 0x1000;

pub(crate) struct Tnef;

impl Extractor for Tnef {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        read(source, source.bytes).write(document)
    }
}

pub(crate) fn is_tnef(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// A list of properties in the making.
#[derive(Default)]
struct List {
    fixed: HashMap<u32, [u8; 8]>,
    long: HashMap<u32, Vec<u8>>,
    /// Named properties of appointments, by their numbers in that set.
    named: HashMap<u32, u32>,
}

#[derive(Default)]
struct Message {
    properties: List,
    recipients: Vec<List>,
    attachments: Vec<List>,
    code_page: Option<u32>,
    is_damaged: bool,
}

/// Reads as much as is undamaged, and adds a warning if that is not all.
pub(super) fn read(source: &Source, bytes: &[u8]) -> Letter {
    let message = Message::parse(bytes, source.limits().max_attachments as usize);
    let code_page = message.code_page;
    let properties = |list: List| Properties::in_memory(list.fixed, list.long, code_page, list.named);
    let item = properties(message.properties);
    let recipients: Vec<Properties> = message.recipients.into_iter().map(properties).collect();
    let (headers, mail) = item::headers(&item, &recipients);
    let mut warnings = Vec::new();
    if message.is_damaged {
        warnings
            .push("The message is damaged in its Outlook part (winmail.dat); the rest of it is missing.".to_owned());
    }
    let body = item::read_body(source, &item, &mut warnings);
    let mut letter = Letter { headers, mail, body, attachments: Vec::new(), warnings };
    for attachment in message.attachments.into_iter().map(properties) {
        let enclosure = enclosure(&attachment);
        if enclosure.bytes.is_empty() {
            letter.warnings.push(format!("The attachment {} has no content; it may be a link.", enclosure.name));
        }
        letter.attachments.push(enclosure);
    }
    item::open_envelope(source, &item, &mut letter);
    letter
}

fn enclosure(attachment: &Properties) -> Enclosure {
    let mut name = item::attachment_name(attachment);
    let mut media_type = attachment.string(id::ATTACH_MEDIA_TYPE).unwrap_or_default().trim().to_ascii_lowercase();
    let object = attachment.object(id::ATTACH_DATA);
    let bytes = match object.and_then(|object| object.strip_prefix(&MESSAGE_OBJECT)) {
        Some(message) => {
            media_type = "application/ms-tnef".to_owned();
            if !name.is_empty() && !name.to_ascii_lowercase().ends_with(".tnef") {
                name.push_str(".tnef");
            }
            message.to_vec()
        }
        // Other objects are compound files after the id of their interface.
        None => object.and_then(|object| object.get(16..)).map(<[u8]>::to_vec).unwrap_or_default(),
    };
    let bytes = if bytes.is_empty() { attachment.binary(id::ATTACH_DATA).unwrap_or_default() } else { bytes };
    let inline = attachment.is_set(id::ATTACH_HIDDEN) || attachment.string(id::ATTACH_CONTENT_ID).is_some();
    Enclosure { name, media_type, inline, bytes }
}

impl Message {
    fn parse(bytes: &[u8], max_attachments: usize) -> Self {
        let mut message = Self::default();
        // The signature, and a key that is not needed.
        let mut input = Input(bytes.get(6..).unwrap_or_default());
        while !input.0.is_empty() {
            let Some((number, data)) = input.attribute() else {
                message.is_damaged = true;
                break;
            };
            if number == attribute::RENDERING {
                if message.attachments.len() >= max_attachments {
                    message.is_damaged = true;
                    break;
                }
                message.attachments.push(List::default());
            }
            message.is_damaged |= message.add(number, data).is_none();
        }
        message
    }

    /// `None` if the data are damaged; the part before the damage is kept.
    fn add(&mut self, number: u16, data: &[u8]) -> Option<()> {
        let own = &mut self.properties;
        match number {
            attribute::SUBJECT => own.add_old(id::SUBJECT << 16 | STRING, data),
            attribute::BODY => own.add_old(id::BODY << 16 | STRING, data),
            attribute::MESSAGE_CLASS => own.add_old(id::MESSAGE_CLASS << 16 | STRING, data),
            attribute::FROM => own.add_sender(data),
            attribute::MESSAGE_PROPERTIES => return own.add_all(&mut Input(data)),
            attribute::CODE_PAGE => self.code_page = Some(Input(data).u32()?).filter(|page| *page > 0),
            attribute::RECIPIENTS => {
                let mut input = Input(data);
                for _ in 0..input.u32()?.min(MAX_RECIPIENTS) {
                    let mut recipient = List::default();
                    let whole = recipient.add_all(&mut input);
                    self.recipients.push(recipient);
                    whole?;
                }
            }
            attribute::ATTACHMENT_TITLE => {
                self.attachments.last_mut()?.add_old(id::ATTACH_FILE_NAME << 16 | STRING, data);
            }
            attribute::ATTACHMENT_DATA => self.attachments.last_mut()?.add_old(id::ATTACH_DATA << 16 | BINARY, data),
            attribute::ATTACHMENT_PROPERTIES => return self.attachments.last_mut()?.add_all(&mut Input(data)),
            _ => {}
        }
        Some(())
    }
}

impl List {
    /// A value from before MAPI, which a property of the same meaning replaces.
    fn add_old(&mut self, tag: u32, data: &[u8]) {
        self.long.entry(tag).or_insert_with(|| data.to_vec());
    }

    /// The sender in the form from before MAPI (2.1.3.3.1): lengths, the name, then `SMTP:address`.
    fn add_sender(&mut self, data: &[u8]) {
        let mut input = Input(data);
        let mut parts = || -> Option<(Vec<u8>, Vec<u8>)> {
            input.take(4)?;
            let (name, address) = (usize::from(input.u16()?), usize::from(input.u16()?));
            Some((input.take(name)?.to_vec(), input.take(address)?.to_vec()))
        };
        let Some((name, address)) = parts() else { return };
        let [sender_name, _, sender_address] = id::SENDERS[1];
        self.add_old(sender_name << 16 | STRING, &name);
        let scheme_end = address.iter().position(|&byte| byte == b':').map_or(0, |at| at + 1);
        self.add_old(sender_address << 16 | STRING, &address[scheme_end..]);
    }

    /// Reads a list of properties (2.1.3.4); `None` if it is damaged.
    fn add_all(&mut self, input: &mut Input) -> Option<()> {
        for _ in 0..input.u32()? {
            self.add_next(input)?;
        }
        Some(())
    }

    fn add_next(&mut self, input: &mut Input) -> Option<()> {
        let (kind, number) = (u32::from(input.u16()?), u32::from(input.u16()?));
        let mut is_wanted = number < 0x8000;
        if !is_wanted {
            // A set, then a number or a name in it.
            let set = input.take(16)?;
            match input.u32()? {
                0 => {
                    let in_set = input.u32()?;
                    is_wanted = set == APPOINTMENT_SET;
                    if is_wanted {
                        self.named.insert(in_set, number);
                    }
                }
                _ => input.sized().map(drop)?,
            }
        }
        let tag = number << 16 | kind;
        let single = kind & !SEVERAL_VALUES;
        if LONG_TYPES.contains(&single) {
            for _ in 0..input.u32()? {
                let value = input.sized()?;
                if is_wanted && kind == single {
                    self.long.insert(tag, value.to_vec());
                }
            }
            return Some(());
        }
        let size: usize = match single {
            0x0000 | 0x0001 => 0,
            0x0002 | 0x0003 | 0x0004 | 0x000A | 0x000B => 4,
            0x0005 | 0x0006 | 0x0007 | 0x0014 | 0x0040 => 8,
            0x0048 => 16,
            _ => return None,
        };
        let count = if kind == single { 1 } else { input.u32()? };
        let values = input.take(size.checked_mul(usize::try_from(count).ok()?)?)?;
        if is_wanted && kind == single && size <= 8 {
            let mut value = [0; 8];
            value[..size].copy_from_slice(values);
            self.fixed.insert(tag, value);
        }
        Some(())
    }
}

/// The bytes that are left.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// A value after its size, filled up to a multiple of four bytes.
    fn sized(&mut self) -> Option<&'a [u8]> {
        let size = usize::try_from(self.u32()?).ok()?;
        let value = self.take(size)?;
        // The last one of a damaged list may lack its padding.
        self.take((4 - size % 4) % 4).or_else(|| self.take(self.0.len()))?;
        Some(value)
    }

    /// An attribute (2.1.3.1): level, number with type, size, data, checksum.
    fn attribute(&mut self) -> Option<(u16, &'a [u8])> {
        self.take(1)?;
        let number = self.u16()?;
        self.take(2)?;
        let size = usize::try_from(self.u32()?).ok()?;
        let data = self.take(size)?;
        self.take(2).or_else(|| self.take(self.0.len()))?;
        Some((number, data))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use casetrack_core::FileFormat;

    use crate::{ExtractOptions, Extraction};

    fn attribute(level: u8, number: u32, data: &[u8]) -> Vec<u8> {
        let checksum = data.iter().fold(0u16, |sum, &byte| sum.wrapping_add(u16::from(byte)));
        let size = (data.len() as u32).to_le_bytes();
        [&[level][..], &number.to_le_bytes(), &size, data, &checksum.to_le_bytes()].concat()
    }

    fn padded(value: &[u8]) -> Vec<u8> {
        let mut bytes = [&(value.len() as u32).to_le_bytes()[..], value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// A property with one value of any length.
    fn long(tag: u32, value: &[u8]) -> Vec<u8> {
        [&(tag as u16).to_le_bytes()[..], &((tag >> 16) as u16).to_le_bytes(), &[1, 0, 0, 0], &padded(value)].concat()
    }

    fn list(properties: &[Vec<u8>]) -> Vec<u8> {
        [&(properties.len() as u32).to_le_bytes()[..], &properties.concat()].concat()
    }

    fn stream(attributes: &[Vec<u8>]) -> Vec<u8> {
        [&[0x78, 0x9F, 0x3E, 0x22, 1, 0][..], &attributes.concat()].concat()
    }

    fn unicode(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    /// A message with a named property, a body, a note and another message.
    pub fn winmail() -> Vec<u8> {
        let named =
            [&[0x1E, 0, 0x80, 0x85][..], &[7; 16], &[1, 0, 0, 0], &padded(&unicode("x")), &[1, 0, 0, 0], &padded(b"y")]
                .concat();
        let several = [&[0x03, 0x10, 0x01, 0x67, 2, 0, 0, 0][..], &[0; 8]].concat();
        let inner = stream(&[attribute(1, 0x0001_8004, b"Inner\0"), attribute(1, 0x0002_800C, b"Keys are inside.\0")]);
        let object = [&super::MESSAGE_OBJECT[..], &inner].concat();
        stream(&[
            attribute(1, 0x0006_9007, &[0xE4, 4, 0, 0, 0, 0, 0, 0]),
            attribute(1, 0x0007_8008, b"IPM.Microsoft Mail.Note\0"),
            attribute(1, 0x0001_8004, b"M\xE4ngel\0"),
            attribute(1, 0x0000_8000, b"\x04\0\x10\0\x04\0\x08\0Ann\0SMTP:a@b"),
            attribute(
                1,
                0x0006_9003,
                &list(&[named, several, long(0x1000_001F, &unicode("Die Wände sind feucht.\r\nDer Mieter rügt."))]),
            ),
            attribute(2, 0x0006_9002, &[0; 14]),
            attribute(2, 0x0001_8010, b"NOTE~1.TXT\0"),
            attribute(2, 0x0006_800F, b"a note"),
            attribute(2, 0x0006_9005, &list(&[long(0x3707_001F, &unicode("Notiz-äöü.txt"))])),
            attribute(2, 0x0006_9002, &[0; 14]),
            attribute(2, 0x0006_9005, &list(&[long(0x3001_001F, &unicode("Inner")), long(0x3701_000D, &object)])),
        ])
    }

    fn extract(name: &str, bytes: &[u8]) -> Extraction {
        crate::extract(Path::new(name), bytes, &ExtractOptions::default()).unwrap()
    }

    fn names(extraction: &Extraction) -> Vec<&str> {
        extraction.attachments.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn a_file_of_its_own_is_a_message() {
        let extraction = extract("winmail.dat", &winmail());
        assert_eq!((extraction.format, extraction.title.as_deref()), (FileFormat::Tnef, Some("Mängel")));
        assert_eq!(
            extraction.pages[0].text,
            "From: Ann <a@b>\nSubject: Mängel\nAttachments: Notiz-äöü.txt; Inner.tnef\n\nDie Wände sind feucht.\nDer Mieter rügt."
        );
        assert!(extraction.warnings.is_empty(), "{:?}", extraction.warnings);
        assert_eq!(extraction.attachments[0].bytes, b"a note");
        let inner = extract("Inner.tnef", &extraction.attachments[1].bytes);
        assert_eq!(inner.pages[0].text, "Subject: Inner\n\nKeys are inside.");
    }

    /// A mail with a text and `winmail.dat`.
    fn mail(text: &str, winmail: &[u8], media_type: &str) -> Vec<u8> {
        let head = format!(
            "From: a@b.example\r\nMessage-ID: <1@b.example>\r\nSubject: Own subject\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
             --b\r\n\r\n{text}\r\n--b\r\nContent-Type: {media_type}\r\nContent-Disposition: attachment; filename=winmail.dat\r\n\r\n"
        );
        [head.as_bytes(), winmail, b"\r\n--b--\r\n"].concat()
    }

    #[test]
    fn in_a_mail_its_text_and_files_are_those_of_the_mail() {
        for media_type in ["application/ms-tnef", "application/vnd.ms-tnef", "application/octet-stream"] {
            let extraction = extract("a.eml", &mail("", &winmail(), media_type));
            assert_eq!(
                extraction.pages[0].text,
                "From: a@b.example\nSubject: Own subject\nAttachments: Notiz-äöü.txt; Inner.tnef\n\n\
                 Die Wände sind feucht.\nDer Mieter rügt."
            );
            assert!(extraction.warnings.is_empty());
        }
        let both = extract("a.eml", &mail("See attached.", &winmail(), "application/ms-tnef"));
        assert!(both.pages[0].text.ends_with("\n\nSee attached.\n\nDie Wände sind feucht.\nDer Mieter rügt."));
        // The same text in both is shown once.
        let same =
            extract("a.eml", &mail("Die Wände sind feucht. Der Mieter rügt!", &winmail(), "application/ms-tnef"));
        assert_eq!(same.pages[0].text.matches("feucht").count(), 1);
    }

    #[test]
    fn a_damaged_one_gives_what_it_holds_and_a_warning() {
        let whole = winmail();
        for cut in 7..whole.len() {
            let extraction = extract("a.eml", &mail("Text", &whole[..cut], "application/ms-tnef"));
            let is_said = extraction.warnings.iter().any(|warning| warning.contains("winmail.dat"));
            assert!(is_said || extraction.attachments.len() <= 2, "{cut}");
        }
        let cut = extract("a.eml", &mail("Text", &whole[..whole.len() - 40], "application/ms-tnef"));
        assert_eq!(names(&cut), ["Notiz-äöü.txt"]);
        assert_eq!(
            cut.warnings,
            [
                "The message is damaged in its Outlook part (winmail.dat); the rest of it is missing.",
                "The attachment  has no content; it may be a link."
            ]
        );
    }
}
