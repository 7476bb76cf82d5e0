//! An Outlook item by its properties, in a compound file or in TNEF.

use casetrack_core::mail::message_ids;
use casetrack_core::{BlockKind, MailHeaders};
use casetrack_pages::model::Source;

use super::body::{self, PageText};
use super::charsets::decode_text;
use super::letter::Letter;
use super::properties::{Properties, charset};
use super::reader::{ENCRYPTED, SIGNED};
use super::{eml, meeting, rich_text};
use crate::formats::rtf::Rtf;
use crate::formats::signed::{self, Envelope};

/// [MS-OXPROPS], by identifier.
pub(super) mod id {
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
    /// Name, SMTP address and address of the sender; the person represented comes first.
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

/// As they are shown, and as threads use them.
pub(super) fn headers(item: &Properties, recipients: &[Properties]) -> (Vec<(&'static str, String)>, MailHeaders) {
    let mut headers = Vec::new();
    let mut mail = mail_headers(item);
    headers.extend(id::SENDERS.iter().find_map(|ids| person(item, *ids)).map(|sender| ("From", sender)));
    let recipients: Vec<(Option<u32>, String)> = recipients
        .iter()
        .filter_map(|recipient| Some((recipient.integer(id::RECIPIENT_TYPE), person(recipient, id::RECIPIENT)?)))
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

/// Adds a warning if the body cannot be read.
pub(super) fn read_body(source: &Source, item: &Properties, warnings: &mut Vec<String>) -> PageText {
    let mut text = written_body(source, item, warnings);
    meeting::lines(item).iter().for_each(|lines| text.push(BlockKind::Paragraph, lines));
    text
}

fn written_body(source: &Source, item: &Properties, warnings: &mut Vec<String>) -> PageText {
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
            None => {
                warnings.push("The text of the message is in Rich Text that could not be read.".to_owned());
            }
        }
    }
    text
}

/// Puts the message that is in an envelope of S/MIME in the place of its envelope, which is its only attachment ([MS-OXOSMIME] 2.1).
pub(super) fn open_envelope(source: &Source, item: &Properties, letter: &mut Letter) {
    let class = item.string(id::MESSAGE_CLASS).unwrap_or_default().to_ascii_lowercase();
    // Of meetings and reports, too: `IPM.Schedule.Meeting.Request.SMIME`.
    if !class.split('.').any(|part| part == "smime") {
        return;
    }
    let bytes = match letter.attachments.as_slice() {
        [envelope] => envelope.bytes.as_slice(),
        _ => &[],
    };
    let content = match signed::open(bytes, source.limits().max_part_bytes) {
        Some(Envelope::Signed(content) | Envelope::Compressed(content)) => content,
        Some(Envelope::Encrypted) => return letter.warnings.push(ENCRYPTED.to_owned()),
        // The signature is a part of its own.
        _ => bytes.to_vec(),
    };
    if !signed::is_mime_entity(&content) {
        return letter.warnings.push("The message is in an envelope of S/MIME that could not be opened.".to_owned());
    }
    let entity = eml::read_entity(source, &content);
    letter.body = body::united(std::mem::take(&mut letter.body), entity.body);
    letter.attachments = entity.attachments;
    letter.warnings.extend(entity.warnings);
    if !letter.warnings.iter().any(|warning| warning == SIGNED || warning == ENCRYPTED) {
        letter.warnings.push(SIGNED.to_owned());
    }
}

/// The name of an attachment, the long one first; empty if it has none.
pub(super) fn attachment_name(attachment: &Properties) -> String {
    [id::ATTACH_LONG_FILE_NAME, id::ATTACH_FILE_NAME, id::DISPLAY_NAME]
        .iter()
        .find_map(|&id| attachment.string(id))
        .unwrap_or_default()
}
