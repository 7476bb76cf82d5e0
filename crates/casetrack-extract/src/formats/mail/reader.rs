//! The body of a message, put together from its parts, and the files that come with it.
//!
//! Envelopes are opened: signed or compressed content and Outlook's TNEF belong to the message that they came in. No signature is verified.

use casetrack_core::remarks::ENCRYPTED_MAIL;
use casetrack_core::{BlockKind, FileLimit};
use casetrack_pages::model::{Source, can_be_raised};

use super::body::{self, PageText};
use super::charsets::{decode_text, is_damaged};
use super::eml::{Entity, summary};
use super::letter::Enclosure;
use super::mime::Part;
use super::{tnef, uuencoded};
use crate::formats::calendar;
use crate::formats::signed::{self, Envelope};

/// Multiparts and envelopes inside each other; programs make three or four.
const MAX_DEPTH: usize = 30;

pub(super) const ENCRYPTED: &str = ENCRYPTED_MAIL;
pub(super) const SIGNED: &str = "The message is signed; the signature was not verified.";

/// The contribution of a part to the body.
#[derive(Default)]
pub(super) struct Content {
    plain: Option<PageText>,
    html: Option<PageText>,
    /// Entries of calendars, which every version of the body is followed by.
    entries: PageText,
}

impl Content {
    fn is_empty(&self) -> bool {
        self.plain.is_none() && self.html.is_none() && self.entries.text.is_empty()
    }

    pub fn text(self) -> PageText {
        let mut text = body::choose(self.plain, self.html);
        text.append(&self.entries);
        text
    }
}

pub(super) struct Reader<'a> {
    source: &'a Source<'a>,
    parts_left: usize,
    enclosures: Vec<Enclosure>,
    /// Bodies in TNEF.
    outlook_bodies: Vec<PageText>,
    is_encrypted: bool,
    is_signed: bool,
    warnings: Vec<String>,
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a Source<'a>) -> Self {
        Self {
            source,
            parts_left: source.limits().max_attachments as usize,
            enclosures: Vec::new(),
            outlook_bodies: Vec::new(),
            is_encrypted: false,
            is_signed: false,
            warnings: Vec::new(),
        }
    }

    /// `content` is that of the outermost part.
    pub fn finish(self, content: Content) -> Entity {
        let body = self.outlook_bodies.into_iter().fold(content.text(), body::united);
        let mut warnings = self.warnings;
        if self.is_encrypted || body.text.trim_start().starts_with("-----BEGIN PGP MESSAGE-----") {
            warnings.push(ENCRYPTED.to_owned());
        }
        if self.is_signed {
            warnings.push(SIGNED.to_owned());
        }
        if self.parts_left == 0 {
            let raise = can_be_raised(FileLimit::Attachments);
            warnings.push(format!("The message has more parts than are read{raise}; the rest is missing."));
        }
        Entity { body, attachments: self.enclosures, warnings }
    }

    pub fn read(&mut self, part: &Part, depth: usize) -> Content {
        let media_type = part.media_type().unwrap_or_else(|| "text/plain".to_owned());
        if depth < MAX_DEPTH {
            if let Some(parts) = part.parts(self.parts_left) {
                self.parts_left -= parts.len().min(self.parts_left);
                return self.read_all(&parts, &media_type, depth);
            }
            if let Some(content) = self.read_envelope(part, &media_type, depth) {
                return content;
            }
        }
        let is_body = !part.is_attachment() && (depth == 0 || part.file_name().is_none());
        match media_type.as_str() {
            "text/calendar" | "text/x-vcalendar" | "application/ics" if is_body || part.has_method() => {
                if let Some(content) = self.calendar(part) {
                    return content;
                }
            }
            _ => {}
        }
        let is_plain = matches!(media_type.as_str(), "text/plain" | "message/delivery-status" | "text/calendar");
        if is_body && media_type == "text/html" {
            return Content { html: Some(self.html(part)), ..Content::default() };
        }
        if is_body && (is_plain || media_type.starts_with("multipart/")) {
            let (text, files) = uuencoded::take_files(self.decoded(&part.decoded(), part.charset()));
            self.enclosures.extend(files.into_iter().take(self.parts_left));
            return Content { plain: Some(body::plain(&text)), ..Content::default() };
        }
        self.enclose(part, media_type);
        Content::default()
    }

    fn read_all(&mut self, parts: &[&[u8]], media_type: &str, depth: usize) -> Content {
        match media_type {
            // The first part names the method, the second is encrypted (RFC 1847, 2.2).
            "multipart/encrypted" => {
                self.is_encrypted = true;
                return Content::default();
            }
            "multipart/signed" => self.is_signed = true,
            _ => {}
        }
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
                best.entries.append(&content.entries);
            }
            return best;
        }
        let mut pieces = contents.into_iter().filter(|content| !content.is_empty());
        let Some(first) = pieces.next() else { return Content::default() };
        let mut rest = pieces.peekable();
        if rest.peek().is_none() {
            return first;
        }
        let mut all = first.text();
        rest.for_each(|content| all.append(&content.text()));
        Content { plain: Some(all), ..Content::default() }
    }

    /// The content of an envelope of S/MIME (RFC 8551), which the message shows as its own; `None` if the part is not an envelope, or cannot be opened.
    fn read_envelope(&mut self, part: &Part, media_type: &str, depth: usize) -> Option<Content> {
        let name = part.file_name().unwrap_or_default().to_ascii_lowercase();
        let is_declared = matches!(media_type, "application/pkcs7-mime" | "application/x-pkcs7-mime");
        if !is_declared && !name.ends_with(".p7m") {
            return None;
        }
        let bytes = part.decoded();
        let max_bytes = self.source.limits().max_part_bytes;
        // A document in an envelope of its own is an attachment, which is opened when it is read.
        let is_message = depth == 0 || !part.is_attachment() || name == "smime.p7m";
        let content = match signed::open(&bytes, max_bytes) {
            Some(Envelope::Signed(content)) => {
                self.is_signed |= is_message;
                content
            }
            Some(Envelope::Compressed(content)) => content,
            Some(Envelope::Encrypted) if is_message => {
                self.is_encrypted = true;
                return None;
            }
            // Certificates, or a signature of something else.
            Some(Envelope::WithoutContent) if is_declared => return Some(Content::default()),
            None if is_declared && part.is_declared_encrypted() => {
                self.is_encrypted = true;
                return None;
            }
            _ => return None,
        };
        if !is_message || !signed::is_mime_entity(&content) {
            return None;
        }
        Some(self.read(&Part::parse(content.trim_ascii_start()), depth + 1))
    }

    fn calendar(&mut self, part: &Part) -> Option<Content> {
        let bytes = part.decoded();
        let text = calendar::read(&bytes, |bytes| decode_text(bytes, part.charset()))?;
        let mut entries = PageText::default();
        text.blocks.iter().for_each(|block| entries.push(BlockKind::Paragraph, block));
        for (name, bytes) in text.files {
            self.enclosures.push(Enclosure { name, media_type: String::new(), inline: false, bytes });
        }
        Some(Content { entries, ..Content::default() })
    }

    fn decoded(&mut self, bytes: &[u8], charset: Option<&str>) -> String {
        let text = decode_text(bytes, charset);
        if is_damaged(&text, bytes) {
            let declared = charset.map_or_else(String::new, |charset| format!(" in {charset}"));
            let warning = format!("Some bytes of the text have no meaning{declared} and were replaced by \u{FFFD}.");
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        text
    }

    fn html(&mut self, part: &Part) -> PageText {
        match part.charset() {
            // The header takes precedence over the markup; a byte order mark makes the HTML reader keep it.
            Some(charset) => {
                let text = self.decoded(&part.decoded(), Some(charset));
                body::html(self.source, format!("\u{FEFF}{text}").as_bytes())
            }
            None => body::html(self.source, &part.decoded()),
        }
    }

    fn enclose(&mut self, part: &Part, media_type: String) {
        let bytes = part.decoded().into_owned();
        let mut name = part.file_name().unwrap_or_default().to_owned();
        if tnef::is_tnef(&bytes) {
            let letter = tnef::read(self.source, &bytes);
            self.outlook_bodies.push(letter.body);
            self.enclosures.extend(letter.attachments);
            self.warnings.extend(letter.warnings);
            return;
        }
        if media_type == "message/rfc822" && !name.to_ascii_lowercase().ends_with(".eml") {
            let [_, _, subject] = summary(&bytes);
            let stem = if name.is_empty() { subject } else { name };
            name = if stem.is_empty() { stem } else { format!("{stem}.eml") };
        }
        if bytes.is_empty() && !name.is_empty() {
            self.warnings.push(format!("The attachment {name} has no content."));
        }
        self.enclosures.push(Enclosure { name, media_type, inline: part.is_inline(), bytes });
    }
}
