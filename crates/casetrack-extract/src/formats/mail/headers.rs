//! Header fields before mail-parser reads them: encoded words (RFC 2047) and encoded parameters (RFC 2231) in UTF-8, each in one piece.
//!
//! mail-parser decodes each word on its own and supports fewer encodings. Programs cut a long text into words anywhere, even in the middle
//! of a character.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::charsets::{decode_text, utf8_of};
use super::mime::{decode_base64, hex_pair};

/// Fields with ids. mail-parser does not decode them, so their words are decoded here.
const IDS: [&str; 3] = ["message-id", "in-reply-to", "references"];

/// The header lines in UTF-8, with an encoded word for each run of them, and parameters in one piece.
pub(super) fn unified(headers: &[u8]) -> Vec<u8> {
    // Bytes beyond ASCII are not allowed here; if they occur, they are in the encoding of the sender.
    let headers = utf8_of(headers);
    let mut out = Vec::with_capacity(headers.len() + 4);
    for field in fields(&headers) {
        let name = field.split(|&byte| byte == b':').next().unwrap_or_default().trim_ascii().to_ascii_lowercase();
        let field = if name.starts_with(b"content-") { with_whole_parameters(field) } else { field.to_vec() };
        let is_id = IDS.iter().any(|id| id.as_bytes() == name);
        out.extend(with_joined_words(&field, |text| match is_id {
            true => text.as_bytes().to_vec(),
            false => format!("=?utf-8?B?{}?=", STANDARD.encode(text)).into_bytes(),
        }));
    }
    out
}

/// The fields, each with its continuation lines.
fn fields(headers: &[u8]) -> Vec<&[u8]> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in headers.split_inclusive(|&byte| byte == b'\n') {
        if at == 0 || !matches!(line.first(), Some(b' ' | b'\t')) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([headers.len()]);
    starts.iter().zip(ends).filter_map(|(&start, end)| headers.get(start..end)).collect()
}

/// `=?charset?B?text?=`; a language may follow the charset after an asterisk (RFC 2231).
struct Word<'a> {
    charset: &'a [u8],
    is_base64: bool,
    text: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Word<'a> {
    fn at(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"=?")?;
        let end = rest.iter().position(|&byte| byte == b'?')?;
        let (charset, rest) = rest.split_at(end);
        let is_base64 = match rest.get(1..3)? {
            [b'B' | b'b', b'?'] => true,
            [b'Q' | b'q', b'?'] => false,
            _ => return None,
        };
        let rest = rest.get(3..)?;
        let end = rest.windows(2).position(|window| window == b"?=")?;
        let text = rest.get(..end)?;
        let is_label = !charset.is_empty() && charset.len() < 60 && charset.iter().all(u8::is_ascii_graphic);
        let charset = charset.split(|&byte| byte == b'*').next()?;
        (is_label && !text.contains(&b'\n')).then_some(Self { charset, is_base64, text, rest: rest.get(end + 2..)? })
    }

    /// The next word, if only white space or nothing is before it.
    fn next(&self) -> Option<Self> {
        Self::at(self.rest.trim_ascii_start())
    }
}

/// Puts `written` of the decoded text in the place of each run of encoded words in one encoding.
fn with_joined_words(field: &[u8], written: impl Fn(&str) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some(at) = rest.windows(2).position(|window| window == b"=?") {
        out.extend_from_slice(&rest[..at]);
        let Some(first) = Word::at(&rest[at..]) else {
            out.extend_from_slice(b"=?");
            rest = &rest[at + 2..];
            continue;
        };
        let charset = first.charset;
        let (mut bytes, mut base64) = (Vec::new(), Vec::new());
        let mut word = first;
        loop {
            if word.is_base64 {
                // A quantum may be cut, too: four characters are three bytes.
                base64.extend_from_slice(word.text);
            } else {
                bytes.extend(decode_base64(&std::mem::take(&mut base64)));
                bytes.extend(decode_q(word.text));
            }
            rest = word.rest;
            match word.next() {
                Some(next) if next.charset.eq_ignore_ascii_case(charset) => word = next,
                _ => break,
            }
        }
        bytes.extend(decode_base64(&base64));
        let text = decode_text(&bytes, std::str::from_utf8(charset).ok());
        out.extend(written(&text));
    }
    out.extend_from_slice(rest);
    out
}

/// RFC 2047, 4.2.
fn decode_q(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (byte, hex_pair(text, at + 1)) {
            (b'=', Some(value)) => {
                decoded.push(value);
                at += 2;
            }
            (b'_', _) => decoded.push(b' '),
            _ => decoded.push(byte),
        }
        at += 1;
    }
    decoded
}

/// The pieces of a parameter: `filename*0*=utf-8''a%20; filename*1*=b`.
#[derive(Default)]
struct Parameter {
    charset: Option<String>,
    pieces: BTreeMap<u32, Vec<u8>>,
}

/// Puts a parameter in one piece and UTF-8 in the place of its pieces.
fn with_whole_parameters(field: &[u8]) -> Vec<u8> {
    let mut found: BTreeMap<Vec<u8>, Parameter> = BTreeMap::new();
    let mut kept: Vec<&[u8]> = Vec::new();
    for (number, part) in split_unquoted(field).into_iter().enumerate() {
        let piece = if number > 0 { piece(part) } else { None };
        let Some((name, position, is_encoded, value)) = piece else {
            kept.push(part);
            continue;
        };
        let parameter = found.entry(name).or_default();
        let mut value = value.to_vec();
        if is_encoded {
            let mut quotes = value.splitn(3, |&byte| byte == b'\'');
            if position == 0
                && let (Some(charset), Some(_), Some(text)) = (quotes.next(), quotes.next(), quotes.next())
            {
                parameter.charset = Some(String::from_utf8_lossy(charset).into_owned());
                value = text.to_vec();
            }
            value = decode_percent(&value);
        }
        parameter.pieces.insert(position, value);
    }
    if found.is_empty() {
        return field.to_vec();
    }
    let mut out = kept.join(&b';').trim_ascii_end().to_vec();
    for (name, parameter) in found {
        let text =
            decode_text(&parameter.pieces.into_values().flatten().collect::<Vec<u8>>(), parameter.charset.as_deref());
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        out.extend_from_slice(b";\r\n ");
        out.extend(name);
        out.extend(format!("*=utf-8''{encoded}").into_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// Name, position, if it is encoded, and value of a piece of a parameter; `None` for a parameter of the simple kind.
fn piece(part: &[u8]) -> Option<(Vec<u8>, u32, bool, &[u8])> {
    let equals = part.iter().position(|&byte| byte == b'=')?;
    let (name, value) = (part[..equals].trim_ascii(), part.get(equals + 1..)?.trim_ascii());
    let star = name.iter().position(|&byte| byte == b'*')?;
    let (name, marks) = name.split_at(star);
    let marks = std::str::from_utf8(marks).ok()?;
    let (marks, is_encoded) = marks.strip_suffix('*').map_or((marks, false), |marks| (marks, true));
    let position = if marks.is_empty() { 0 } else { marks.strip_prefix('*')?.parse().ok()? };
    let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
    let name = name.to_ascii_lowercase();
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    is_name.then_some((name, position, is_encoded, value))
}

/// The pieces between semicolons outside quotation marks.
fn split_unquoted(field: &[u8]) -> Vec<&[u8]> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    field
        .split(|&byte| {
            let separates = byte == b';' && !is_quoted;
            is_quoted ^= byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && is_quoted && !is_escaped;
            separates
        })
        .collect()
}

fn decode_percent(text: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (byte, hex_pair(text, at + 1)) {
            (b'%', Some(value)) => {
                decoded.push(value);
                at += 2;
            }
            _ => decoded.push(byte),
        }
        at += 1;
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::super::mime::Part;
    use mail_parser::HeaderName;

    fn subject(value: &str) -> String {
        let headers = format!("Subject: {value}\r\nTo: x@y.example\r\n");
        match Part::parse(headers.as_bytes()).header(HeaderName::Subject) {
            Some(mail_parser::HeaderValue::Text(text)) => text.to_string(),
            _ => String::new(),
        }
    }

    #[test]
    fn a_character_may_be_split_between_encoded_words() {
        for (words, text) in [
            ("=?UTF-8?B?w5xiZXJnYWJlIE3D?=\r\n =?UTF-8?B?vG5jaGVu?=", "Übergabe München"),
            ("=?utf-8?Q?Haus_M=C3?=\r\n\t=?UTF-8?Q?=BCnchen?=", "Haus München"),
            ("=?utf-8?Q?Haus_M=C3?= =?utf-8?B?vG5jaGVu?=", "Haus München"),
            ("=?shift_jis?B?jF+W8Y8=?=\r\n =?shift_jis?B?kYLMifCW8Q==?=", "契約書の解約"),
            // In the middle of four characters of base64.
            ("=?utf-8?B?SGF1cyBNw7xuY2h?=\r\n =?utf-8?B?lbg==?=", "Haus München"),
            // A language after the encoding.
            ("=?utf-8*de?Q?M=C3?= =?utf-8?Q?=BCnchen?=", "München"),
            // Without white space between them.
            ("=?utf-8?Q?M=C3?==?utf-8?Q?=BCnchen?=", "München"),
        ] {
            assert_eq!(subject(words), text, "{words}");
        }
    }

    #[test]
    fn words_of_different_encodings_stand_beside_each_other() {
        assert_eq!(subject("=?cp-850?Q?Pr=81fung?= =?utf-8?Q?_M=C3=A4rz?="), "Prüfung März");
        assert_eq!(subject("=?IBM437?B?UHKBZnVuZw==?="), "Prüfung");
        assert_eq!(subject("Re: =?utf-8?Q?M=C3=A4rz?= and =?utf-8?Q?Mai?="), "Re: März and Mai");
        assert_eq!(subject("a =? b ?= c"), "a =? b ?= c");
        assert_eq!(subject("\x1B$B2rLs\x1B(B"), "解約");
    }

    #[test]
    fn names_of_people_keep_their_structure() {
        let part =
            Part::parse(b"From: =?utf-8?Q?M=C3=BCller=2C_J=C3?= =?utf-8?Q?=B6rg?= <j@x.example>, b@x.example\r\n");
        let Some(mail_parser::HeaderValue::Address(address)) = part.header(HeaderName::From) else { panic!() };
        let people: Vec<_> = address.iter().map(|one| (one.name.as_deref(), one.address.as_deref())).collect();
        assert_eq!(people, [(Some("Müller, Jörg"), Some("j@x.example")), (None, Some("b@x.example"))]);
    }

    #[test]
    fn parameters_are_put_together_in_any_encoding() {
        for (parameter, name) in [
            ("filename*=cp-850''Pr%81fung.pdf", "Prüfung.pdf"),
            ("filename*0*=utf-8''M%C3; filename*1*=%BCnchen; filename*2=.pdf", "München.pdf"),
            ("filename*1=\"b; c.pdf\"; filename*0=\"a\"", "ab; c.pdf"),
            ("filename=\"a;*b.pdf\"", "a;*b.pdf"),
            ("filename=\"=?utf-8?Q?M=C3?= =?utf-8?Q?=BCnchen.pdf?=\"", "München.pdf"),
            ("filename*=UTF-8'de'Vertrag%20%E2%82%AC.pdf; size=12", "Vertrag €.pdf"),
        ] {
            let headers = format!("Content-Disposition: attachment; {parameter}\r\nContent-Type: text/plain\r\n");
            let part = Part::parse(headers.as_bytes());
            assert_eq!(part.file_name(), Some(name), "{parameter}");
            assert_eq!(part.media_type().as_deref(), Some("text/plain"));
        }
    }

    #[test]
    fn ids_in_encoded_words_are_ids() {
        let part = Part::parse(b"References: =?utf-8?Q?<a@x.example>_<b@x.example>?=\r\n");
        assert!(matches!(part.header(HeaderName::References), Some(mail_parser::HeaderValue::Text(ids))
            if ids.trim() == "<a@x.example> <b@x.example>"));
    }
}
