//! Outlook items in files ([MS-OXMSG]): a compound file of MAPI properties ([MS-OXPROPS]).

use casetrack_core::mail::message_ids;
use casetrack_core::{MailHeaders, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::ole::{CompoundFile, Entry, copied};
use casetrack_pages::model::Source;

use super::body::{self, PageText};
use super::letter::{Enclosure, Letter};
use super::mime::decode_text;
use super::properties::{Properties, charset};
use super::{eml, rich_text};
use crate::formats::rtf::Rtf;

/// [MS-OXPROPS], by identifier.
mod id {
    pub const MESSAGE_CLASS: u32 = 0x001A;
    pub const SUBJECT: u32 = 0x0037;
    pub const SENT: u32 = 0x0039;
    pub const TRANSPORT_HEADERS: u32 = 0x007D;
    pub const RECEIVED: u32 = 0x0E06;
    pub const BODY: u32 = 0x1000;
    pub const RTF: u32 = 0x1009;
    pub const MESSAGE_ID: u32 = 0x1035;
    pub const REFERENCES: u32 = 0x1039;
    pub const IN_REPLY_TO: u32 = 0x1042;
    pub const HTML: u32 = 0x1013;
    pub const INTERNET_CODE_PAGE: u32 = 0x3FDE;
    /// Name, SMTP address and address of who sent it, on whose behalf first.
    pub const SENDERS: [[u32; 3]; 2] = [[0x0042, 0x5D02, 0x0065], [0x0C1A, 0x5D01, 0x0C1F]];
    pub const RECIPIENT: [u32; 3] = [0x3001, 0x39FE, 0x3003];
    pub const RECIPIENT_TYPE: u32 = 0x0C15;
    pub const DISPLAY_NAME: u32 = 0x3001;
    pub const ATTACH_DATA: u32 = 0x3701;
    pub const ATTACH_FILE_NAME: u32 = 0x3704;
    pub const ATTACH_LONG_FILE_NAME: u32 = 0x3707;
    pub const ATTACH_MEDIA_TYPE: u32 = 0x370E;
    pub const ATTACH_CONTENT_ID: u32 = 0x3712;
    pub const ATTACH_HIDDEN: u32 = 0x7FFE;
}

/// Types of recipients, and the property that lists the names of recipients without objects of their own.
const RECIPIENTS: [(&str, u32, u32); 3] = [("To", 1, 0x0E04), ("Cc", 2, 0x0E03), ("Bcc", 3, 0x0E02)];

pub(crate) struct Msg;

impl Extractor for Msg {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let file = CompoundFile::of(source)?;
        let item = Properties::read(&file, file.root_entries(), 32, source.limits().max_part_bytes);
        let (headers, mail) = headers(source, &file, &item);
        let class = item.string(id::MESSAGE_CLASS).unwrap_or_default();
        if class.eq_ignore_ascii_case("IPM.Note.SMIME") {
            document.warn("The message is encrypted; only its headers could be read.");
        }
        let body = read_body(source, &item, document);
        let attachments = attachments(source, &file, &item, document);
        Letter { headers, mail, body, attachments }.write(document)
    }
}

/// As they are shown, and those that threads are made of.
fn headers(source: &Source, file: &CompoundFile, item: &Properties) -> (Vec<(&'static str, String)>, MailHeaders) {
    let mut headers = Vec::new();
    let mut mail = mail_headers(item);
    headers.extend(id::SENDERS.iter().find_map(|ids| person(item, *ids)).map(|sender| ("From", sender)));
    let recipients: Vec<(Option<u32>, String)> = storages(file, "__recip_version1.0_#")
        .iter()
        .filter_map(|storage| {
            let entries = file.entries(storage);
            let recipient = Properties::read(file, entries, 8, source.limits().max_part_bytes).with_charset_of(item);
            Some((recipient.integer(id::RECIPIENT_TYPE), person(&recipient, id::RECIPIENT)?))
        })
        .collect();
    for (label, kind, names) in RECIPIENTS {
        let mut people: Vec<String> = recipients
            .iter()
            .filter(|(found, _)| found.map_or(1, |found| found & 0xF) == kind)
            .map(|(_, person)| person.clone())
            .collect();
        if !people.is_empty() {
            headers.push((label, people.join(", ")));
        } else if let Some(names) = item.string(names) {
            people.extend(names.split(';').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
            headers.push((label, names));
        }
        match kind {
            1 => mail.to = people,
            2 => mail.cc = people,
            _ => mail.bcc = people,
        }
    }
    headers.extend(date(item).map(|date| ("Date", date)));
    headers.extend(mail.subject.iter().map(|subject| ("Subject", subject.clone())));
    (headers, mail)
}

/// Subject and ids. The transport headers of a received message have the ids that the item lacks.
fn mail_headers(item: &Properties) -> MailHeaders {
    let ids = |property| item.string(property).map(|text| message_ids(&text)).unwrap_or_default();
    let travelled = item.string(id::TRANSPORT_HEADERS);
    let travelled = travelled.map(|headers| eml::mail_headers_of(headers.as_bytes())).unwrap_or_default();
    let or = |own: Vec<String>, other: Vec<String>| if own.is_empty() { other } else { own };
    MailHeaders {
        message_id: ids(id::MESSAGE_ID).into_iter().next().or(travelled.message_id),
        in_reply_to: or(ids(id::IN_REPLY_TO), travelled.in_reply_to),
        references: or(ids(id::REFERENCES), travelled.references),
        subject: item.string(id::SUBJECT),
        ..MailHeaders::default()
    }
}

/// As the sender wrote it, else in Coordinated Universal Time.
fn date(item: &Properties) -> Option<String> {
    let written = item.string(id::TRANSPORT_HEADERS).map(|headers| {
        let [date, ..] = eml::summary(headers.as_bytes());
        date
    });
    written.filter(|date| !date.is_empty()).or_else(|| {
        let seconds = item.time(id::SENT).or_else(|| item.time(id::RECEIVED))?;
        let time = jiff::Timestamp::from_second(seconds).ok()?;
        Some(time.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string())
    })
}

/// `Name <address>`; addresses inside an Exchange organisation mean nothing to people.
fn person(object: &Properties, [name, smtp, address]: [u32; 3]) -> Option<String> {
    let name = object.string(name).map(|name| name.trim().trim_matches('\'').to_owned());
    let address = object.string(smtp).or_else(|| object.string(address));
    let address = address.map(|address| address.trim().to_owned()).filter(|address| address.contains('@'));
    match (name, address) {
        (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
        (name, address) => address.or(name),
    }
}

fn read_body(source: &Source, item: &Properties, document: &mut DocumentBuilder) -> PageText {
    let plain = item.string(id::BODY).map(|text| body::plain(&text));
    let html = item.binary(id::HTML).map(|html| {
        let declared = item.integer(id::INTERNET_CODE_PAGE).and_then(charset);
        match declared {
            Some(charset) => format!("\u{FEFF}{}", decode_text(&html, Some(charset))).into_bytes(),
            None => html,
        }
    });
    let html = html.or_else(|| item.string(id::HTML).map(|html| format!("\u{FEFF}{html}").into_bytes()));
    let html = html.map(|html| body::html(source, &html));
    if plain.is_some() || html.is_some() {
        return body::choose(plain, html);
    }
    let mut text = PageText::default();
    if let Some(compressed) = item.binary(id::RTF) {
        let pages = rich_text::decompressed(&compressed, source.limits().max_part_bytes)
            .and_then(|rtf| body::pages(&Rtf, source, &rtf));
        match pages {
            Some(pages) => pages.iter().for_each(|page| text.push_page(page)),
            None => document.warn("The text of the message is in Rich Text that could not be read."),
        }
    }
    text
}

/// The root's storages whose names begin so, in order.
fn storages(file: &CompoundFile, prefix: &str) -> Vec<Entry> {
    let mut found = file.root_entries();
    found.retain(|entry| entry.is_storage && entry.name.starts_with(prefix));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn attachments(
    source: &Source,
    file: &CompoundFile,
    item: &Properties,
    document: &mut DocumentBuilder,
) -> Vec<Enclosure> {
    let limits = source.limits();
    let mut bytes_left = document.attachments().bytes_left();
    let mut found = Vec::new();
    for storage in storages(file, "__attach_version1.0_#").iter().take(limits.max_attachments as usize) {
        let attachment = Properties::read(file, file.entries(storage), 8, limits.max_part_bytes).with_charset_of(item);
        let mut name = [id::ATTACH_LONG_FILE_NAME, id::ATTACH_FILE_NAME, id::DISPLAY_NAME]
            .iter()
            .find_map(|&id| attachment.string(id))
            .unwrap_or_default();
        let mut media_type = attachment.string(id::ATTACH_MEDIA_TYPE).unwrap_or_default().trim().to_ascii_lowercase();
        let bytes = match attachment.storage(id::ATTACH_DATA) {
            Some(storage) => {
                let mut is_message = false;
                let copy = copied(file, storage, bytes_left, |name, bytes| {
                    if name == "__properties_version1.0" && bytes.len() >= 24 {
                        // The table of a message inside another has a header of 24 bytes instead of 32 ([MS-OXMSG] 2.4.1).
                        is_message = true;
                        bytes.splice(24..24, [0; 8]);
                    }
                });
                let Some(bytes) = copy else {
                    document.warn(format!("The attachment {name} is damaged and was left out."));
                    continue;
                };
                if is_message {
                    media_type = "application/vnd.ms-outlook".to_owned();
                    if !name.is_empty() && !name.to_ascii_lowercase().ends_with(".msg") {
                        name.push_str(".msg");
                    }
                }
                bytes
            }
            None => attachment.binary(id::ATTACH_DATA).unwrap_or_default(),
        };
        if bytes.is_empty() {
            document.warn(format!("The attachment {name} has no content; it may be a link."));
        }
        bytes_left = bytes_left.saturating_sub(bytes.len() as u64);
        let inline = attachment.is_set(id::ATTACH_HIDDEN) || attachment.string(id::ATTACH_CONTENT_ID).is_some();
        found.push(Enclosure { name, media_type, inline, bytes });
    }
    found
}
