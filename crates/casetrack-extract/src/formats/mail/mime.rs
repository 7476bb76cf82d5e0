//! The parts of a MIME message (RFC 2045, 2046).
//!
//! Headers are parsed by mail-parser. Parts are cut here, by loops with a bound on depth: a message inside is not
//! descended into but kept as its bytes, so that nesting costs nothing and the digest of an attachment depends only on
//! its own bytes.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::{Header, HeaderName, HeaderValue, Message, MessageParser};

use super::headers::unified;

/// Chromium's header of web archives.
const PAGE_ADDRESS: &str = "Snapshot-Content-Location";

/// One part, headers apart from its encoded content.
pub(super) struct Part<'a> {
    headers: Vec<Header<'static>>,
    content: &'a [u8],
}

impl<'a> Part<'a> {
    pub fn parse(bytes: &'a [u8]) -> Self {
        let (headers, content) = split_headers(bytes);
        Self { headers: parse_headers(headers), content }
    }

    /// A part without headers of its own that is a message, as in digests (RFC 2046, 5.1.5).
    pub fn message(bytes: &'a [u8]) -> Self {
        Self { headers: parse_headers(b"Content-Type: message/rfc822"), content: bytes.trim_ascii_start() }
    }

    pub fn header(&self, name: HeaderName<'static>) -> Option<&HeaderValue<'static>> {
        // The first of repeated headers counts: mail programs hide later ones.
        self.headers.iter().find(|header| header.name == name).map(|header| &header.value)
    }

    /// The address of a page that a browser saved.
    pub fn page_address(&self) -> Option<String> {
        let found = self.headers.iter().find(|header| header.name().eq_ignore_ascii_case(PAGE_ADDRESS))?;
        found.value.as_text().map(|text| text.split_whitespace().collect())
    }

    /// Media type in lower case; `None` if it is not declared.
    pub fn media_type(&self) -> Option<String> {
        let content_type = self.header(HeaderName::ContentType)?.as_content_type()?;
        Some(format!("{}/{}", content_type.ctype(), content_type.subtype().unwrap_or_default()).to_lowercase())
    }

    fn parameter(&self, header: HeaderName<'static>, name: &str) -> Option<&str> {
        self.header(header)?.as_content_type()?.attribute(name)
    }

    pub fn charset(&self) -> Option<&str> {
        self.parameter(HeaderName::ContentType, "charset")
    }

    pub fn file_name(&self) -> Option<&str> {
        self.parameter(HeaderName::ContentDisposition, "filename")
            .or_else(|| self.parameter(HeaderName::ContentType, "name"))
            .filter(|name| !name.trim().is_empty())
    }

    pub fn is_attachment(&self) -> bool {
        self.disposition().is_some_and(|disposition| disposition.eq_ignore_ascii_case("attachment"))
    }

    /// True if an S/MIME part does not claim to be anything but encrypted.
    pub fn is_declared_encrypted(&self) -> bool {
        self.parameter(HeaderName::ContentType, "smime-type")
            .is_none_or(|kind| kind.to_ascii_lowercase().contains("enveloped"))
    }

    /// True if a calendar asks for an action, such as an answer (RFC 6047, 2.4): it is a message, not a file.
    pub fn has_method(&self) -> bool {
        self.parameter(HeaderName::ContentType, "method").is_some()
    }

    /// True if the body shows it: it has an id to be referred to, or is declared inline.
    pub fn is_inline(&self) -> bool {
        self.disposition().is_some_and(|disposition| disposition.eq_ignore_ascii_case("inline"))
            || (self.header(HeaderName::ContentId).is_some() && !self.is_attachment())
    }

    fn disposition(&self) -> Option<&str> {
        Some(self.header(HeaderName::ContentDisposition)?.as_content_type()?.ctype())
    }

    /// The content without its transfer encoding. Damaged characters are passed over, as mail programs do.
    pub fn decoded(&self) -> Cow<'a, [u8]> {
        let encoding = match self.header(HeaderName::ContentTransferEncoding) {
            Some(HeaderValue::Text(encoding)) => encoding.trim().to_ascii_lowercase(),
            _ => String::new(),
        };
        match encoding.as_str() {
            "base64" => Cow::Owned(decode_base64(self.content)),
            "quoted-printable" => Cow::Owned(decode_quoted_printable(self.content)),
            _ => Cow::Borrowed(self.content),
        }
    }

    /// The parts of a multipart, at most `most`; `None` if it is not a multipart, or its boundary never occurs. Without the
    /// closing boundary the last part ends with the content.
    pub fn parts(&self, most: usize) -> Option<Vec<&'a [u8]>> {
        if !self.media_type()?.starts_with("multipart/") {
            return None;
        }
        let boundary = self.parameter(HeaderName::ContentType, "boundary")?.trim_end().as_bytes();
        let mut parts = Vec::new();
        let mut open: Option<usize> = None;
        let mut at = 0;
        for line in self.content.split_inclusive(|&byte| byte == b'\n') {
            let start = at;
            at += line.len();
            let Some(rest) = line.strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary)) else { continue };
            let (rest, last) = rest.strip_prefix(b"--").map_or((rest, false), |rest| (rest, true));
            // After the closing boundary some programs continue in the same line.
            if !last && !rest.trim_ascii().is_empty() {
                continue;
            }
            if let Some(open) = open.take() {
                parts.push(without_line_end(&self.content[open..start]));
            }
            if last || parts.len() >= most {
                return Some(parts);
            }
            open = Some(at);
        }
        parts.extend(open.and_then(|open| self.content.get(open..)));
        (!parts.is_empty()).then_some(parts)
    }
}

/// The line end before a boundary belongs to the boundary.
fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// The header lines, and the content after their empty line. Headers also end at a line that cannot be one.
pub(super) fn split_headers(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let content = line.trim_ascii_end();
        if content.is_empty() {
            return (&bytes[..at], &bytes[at + line.len()..]);
        }
        // Mailboxes written by some programs have a mailbox separator above the headers of messages inside.
        let separator = content.starts_with(b">From ") || content.starts_with(b"From ");
        let continued = at > 0 && matches!(line.first(), Some(b' ' | b'\t'));
        let name = content.split(|&byte| byte == b':').next().filter(|name| name.len() < content.len());
        let named = name.is_some_and(|name| {
            let name = name.trim_ascii_end();
            !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
        });
        if !(separator || continued || named) {
            return (&bytes[..at], &bytes[at..]);
        }
        at += line.len();
    }
    (bytes, &[])
}

fn parse_headers(bytes: &[u8]) -> Vec<Header<'static>> {
    let mut text = unified(bytes);
    text.extend_from_slice(b"\r\n\r\n");
    let parser = MessageParser::new()
        .with_mime_headers()
        .with_address_headers()
        .header_text(HeaderName::Subject)
        .header_text(HeaderName::Other(PAGE_ADDRESS.into()))
        .header_raw(HeaderName::MessageId)
        .header_raw(HeaderName::InReplyTo)
        .header_raw(HeaderName::References)
        // Shown as written.
        .header_text(HeaderName::Date);
    let message: Option<Message<'_>> = parser.parse_headers(&text);
    let part = message.and_then(|message| message.parts.into_iter().next());
    part.map(|part| part.into_owned().headers).unwrap_or_default()
}

/// RFC 2045, 6.8. Other characters than those of either alphabet are passed over.
pub(super) fn decode_base64(bytes: &[u8]) -> Vec<u8> {
    let known = |byte: &u8| match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => Some(*byte),
        _ => None,
    };
    let known: Vec<u8> = bytes.iter().filter_map(known).collect();
    base64_decode(&known).unwrap_or_default()
}

/// RFC 2045, 6.7. White space at the end of a line was added in transit.
fn decode_quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let content = line.trim_ascii_end();
        let line_end: &[u8] = if line.ends_with(b"\r\n") {
            b"\r\n"
        } else if line.ends_with(b"\n") {
            b"\n"
        } else {
            b""
        };
        let (content, soft) = content.strip_suffix(b"=").map_or((content, false), |content| (content, true));
        let mut at = 0;
        while let Some(&byte) = content.get(at) {
            match (byte, hex_pair(content, at + 1)) {
                (b'=', Some(value)) => {
                    decoded.push(value);
                    at += 3;
                }
                _ => {
                    decoded.push(byte);
                    at += 1;
                }
            }
        }
        if !soft {
            decoded.extend_from_slice(line_end);
        }
    }
    decoded
}

/// The byte that two hexadecimal digits at `at` are.
pub(super) fn hex_pair(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| bytes.get(at).and_then(|&digit| char::from(digit).to_digit(16));
    Some((digit(at)? * 16 + digit(at + 1)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfer_encodings_bear_damage() {
        assert_eq!(decode_base64(b"SGVs\r\nbG8h"), b"Hello!");
        assert_eq!(decode_base64(b"SGVsbG8=SGVsbG8="), b"HelloHello");
        assert_eq!(decode_base64(b"SGV*sbG8"), b"Hello");
        assert_eq!(
            decode_quoted_printable(b"caf=C3=A9 =\r\nau lait =3D=ZZ \t\r\nx="),
            "café au lait ==ZZ\r\nx".as_bytes()
        );
    }

    #[test]
    fn headers_end_at_an_empty_line_or_at_text() {
        assert_eq!(split_headers(b"A: 1\n b\n\nbody"), (&b"A: 1\n b\n"[..], &b"body"[..]));
        assert_eq!(split_headers(b"A: 1\r\nNo header here\r\n"), (&b"A: 1\r\n"[..], &b"No header here\r\n"[..]));
        assert_eq!(split_headers(b"A: 1"), (&b"A: 1"[..], &b""[..]));
        assert_eq!(split_headers(b""), (&b""[..], &b""[..]));
    }
}
