//! Messages as they travel (RFC 5322).

use casetrack_core::mail::message_ids;
use casetrack_core::{FileLimit, MailHeaders, Result};
use mail_parser::{Address, HeaderName, HeaderValue};

use super::body::{self, PageText};
use super::letter::{Enclosure, Letter};
use super::mime::{Part, decode_text, split_headers};

use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::{Source, can_be_raised};

/// Multiparts inside each other; programs make three or four.
const MAX_DEPTH: usize = 30;

pub(crate) struct Eml;

impl Extractor for Eml {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source.bytes).trim_ascii_start();
        let message = Part::parse(bytes);
        let mut reader = Reader {
            source,
            parts_left: source.limits().max_attachments as usize,
            enclosures: Vec::new(),
            encrypted: false,
        };
        let content = reader.read(&message, 0);
        if reader.encrypted {
            document.warn("The message is encrypted; only its headers could be read.");
        }
        if reader.parts_left == 0 {
            let raise = can_be_raised(FileLimit::Attachments);
            document.warn(format!("The message has more parts than are read{raise}; the rest is missing."));
        }
        let attachments = reader.enclosures;
        let (headers, mail) = (shown_headers(&message), mail_headers(&message));
        Letter { headers, mail, body: content.text(), attachments }.write(document)
    }
}

/// The text of a web archive (RFC 2557): a message that is a page with its pictures. Without headers.
pub(crate) fn body_of(source: &Source) -> PageText {
    let parts_left = source.limits().max_attachments as usize;
    let mut reader = Reader { source, parts_left, enclosures: Vec::new(), encrypted: false };
    reader.read(&Part::parse(source.bytes.trim_ascii_start()), 0).text()
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
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    [header(HeaderName::Date), header(HeaderName::From), header(HeaderName::Subject)]
}

#[derive(Default)]
struct Content {
    plain: Option<PageText>,
    html: Option<PageText>,
}

impl Content {
    fn text(self) -> PageText {
        body::choose(self.plain, self.html)
    }
}

struct Reader<'a> {
    source: &'a Source<'a>,
    parts_left: usize,
    enclosures: Vec<Enclosure>,
    encrypted: bool,
}

impl Reader<'_> {
    fn read(&mut self, part: &Part, depth: usize) -> Content {
        let media_type = part.media_type().unwrap_or_else(|| "text/plain".to_owned());
        if depth < MAX_DEPTH
            && let Some(parts) = part.parts(self.parts_left)
        {
            self.parts_left -= parts.len().min(self.parts_left);
            self.encrypted |= media_type == "multipart/encrypted";
            return self.read_all(&parts, &media_type, depth);
        }
        let multipart = media_type.starts_with("multipart/");
        let is_text =
            matches!(media_type.as_str(), "text/plain" | "text/html" | "message/delivery-status") || multipart;
        if is_text && !part.is_attachment() && (depth == 0 || part.file_name().is_none()) {
            return if media_type == "text/html" {
                Content { html: Some(self.html(part)), plain: None }
            } else {
                Content { plain: Some(body::plain(&part.text())), html: None }
            };
        }
        self.enclose(part, media_type);
        Content::default()
    }

    fn read_all(&mut self, parts: &[&[u8]], media_type: &str, depth: usize) -> Content {
        let contents: Vec<Content> = parts
            .iter()
            .map(|bytes| {
                let mut part = Part::parse(bytes);
                if media_type == "multipart/digest" && part.media_type().is_none() {
                    part = Part::message(bytes);
                }
                self.read(&part, depth + 1)
            })
            .collect();
        if media_type == "multipart/alternative" {
            // The last version is the richest (RFC 2046, 5.1.4).
            let mut best = Content::default();
            for content in contents {
                best.plain = best.plain.or(content.plain);
                best.html = content.html.or(best.html);
            }
            return best;
        }
        let mut pieces = contents.into_iter().filter(|content| content.plain.is_some() || content.html.is_some());
        let Some(first) = pieces.next() else { return Content::default() };
        let mut rest = pieces.peekable();
        if rest.peek().is_none() {
            return first;
        }
        let mut all = first.text();
        rest.for_each(|content| all.append(&content.text()));
        Content { plain: Some(all), html: None }
    }

    fn html(&self, part: &Part) -> PageText {
        match part.charset() {
            // The header wins over the charset that the markup declares; the HTML reader looks for a byte order mark.
            Some(charset) => {
                let text = decode_text(&part.decoded(), Some(charset));
                body::html(self.source, format!("\u{FEFF}{text}").as_bytes())
            }
            None => body::html(self.source, &part.decoded()),
        }
    }

    fn enclose(&mut self, part: &Part, media_type: String) {
        let bytes = part.decoded().into_owned();
        let mut name = part.file_name().unwrap_or_default().to_owned();
        if media_type == "message/rfc822" && !name.to_ascii_lowercase().ends_with(".eml") {
            let [_, _, subject] = summary(&bytes);
            let stem = if name.is_empty() { subject } else { name };
            name = if stem.is_empty() { stem } else { format!("{stem}.eml") };
        }
        self.encrypted |= matches!(media_type.as_str(), "application/pkcs7-mime" | "application/x-pkcs7-mime")
            && !part.is_signed_only();
        self.enclosures.push(Enclosure { name, media_type, inline: part.is_inline(), bytes });
    }
}
