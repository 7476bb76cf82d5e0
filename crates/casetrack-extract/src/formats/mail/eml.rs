//! Messages as they travel (RFC 5322).

use casetrack_core::mail::message_ids;
use casetrack_core::{MailHeaders, Result, single_spaced};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use mail_parser::{Address, HeaderName, HeaderValue};

use super::apple::apple_message;
use super::body::PageText;
use super::letter::{Enclosure, Letter};
use super::mime::{Part, split_headers};
use super::reader::Reader;

pub(crate) struct Eml;

impl Extractor for Eml {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let bytes = apple_message(source.bytes).unwrap_or(source.bytes);
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let message = Part::parse(bytes);
        let Entity { body, attachments, warnings } = read_part(source, &message);
        let (headers, mail) = (shown_headers(&message), mail_headers(&message));
        Letter { headers, mail, body, attachments, warnings }.write(document)
    }
}

/// The text and the files of a MIME entity, without its headers.
#[derive(Default)]
pub(super) struct Entity {
    pub body: PageText,
    pub attachments: Vec<Enclosure>,
    pub warnings: Vec<String>,
}

/// Reads a MIME entity with its headers.
pub(super) fn read_entity(source: &Source, bytes: &[u8]) -> Entity {
    read_part(source, &Part::parse(bytes.trim_ascii_start()))
}

fn read_part(source: &Source, part: &Part) -> Entity {
    let mut reader = Reader::new(source);
    let content = reader.read(part, 0);
    reader.finish(content)
}

/// The text of a web archive (RFC 2557): a message that is a page with its pictures. Without headers.
pub(crate) fn body_of(source: &Source) -> PageText {
    read_entity(source, source.bytes).body
}

/// The headers that are shown, with encoded words decoded.
fn shown_headers(message: &Part) -> Vec<(&'static str, String)> {
    let names = [
        ("From", HeaderName::From),
        ("To", HeaderName::To),
        ("Cc", HeaderName::Cc),
        ("Bcc", HeaderName::Bcc),
        ("Date", HeaderName::Date),
        ("Subject", HeaderName::Subject),
    ];
    names.into_iter().filter_map(|(label, name)| Some((label, shown(message.header(name)?)?))).collect()
}

fn mail_headers(message: &Part) -> MailHeaders {
    let ids = |name| match message.header(name) {
        Some(HeaderValue::Text(text)) => message_ids(text),
        _ => Vec::new(),
    };
    let people = |name| match message.header(name) {
        Some(HeaderValue::Address(address)) => shown_people(address),
        _ => Vec::new(),
    };
    MailHeaders {
        message_id: ids(HeaderName::MessageId).into_iter().next(),
        in_reply_to: ids(HeaderName::InReplyTo),
        references: ids(HeaderName::References),
        subject: message.header(HeaderName::Subject).and_then(shown),
        to: people(HeaderName::To),
        cc: people(HeaderName::Cc),
        bcc: people(HeaderName::Bcc),
    }
}

/// Those of headers as they travelled.
pub(super) fn mail_headers_of(headers: &[u8]) -> MailHeaders {
    let (headers, _) = split_headers(headers);
    mail_headers(&Part::parse(headers))
}

fn shown(value: &HeaderValue) -> Option<String> {
    match value {
        HeaderValue::Text(text) => Some(text.to_string()),
        HeaderValue::TextList(texts) => Some(texts.join(" ")),
        HeaderValue::Address(address) => Some(shown_people(address).join(", ")),
        HeaderValue::DateTime(date) => Some(date.to_rfc822()),
        _ => None,
    }
}

fn shown_people(address: &Address) -> Vec<String> {
    address
        .iter()
        .filter_map(|one| match (one.name.as_deref(), one.address.as_deref()) {
            (Some(name), Some(address)) if name != address => Some(format!("{name} <{address}>")),
            (_, Some(only)) | (Some(only), None) => Some(only.to_owned()),
            (None, None) => None,
        })
        .collect()
}

/// The subject and sender of a message, for lists.
pub(super) fn summary(message: &[u8]) -> [String; 3] {
    let (headers, _) = split_headers(message);
    let part = Part::parse(headers);
    let header = |name| {
        let text = part.header(name).and_then(shown).unwrap_or_default();
        single_spaced(&text)
    };
    [header(HeaderName::Date), header(HeaderName::From), header(HeaderName::Subject)]
}
