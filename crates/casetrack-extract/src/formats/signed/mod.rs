//! Envelopes of the Cryptographic Message Syntax (RFC 5652): files that were signed together with their signature (`.p7m`), and mail in
//! S/MIME. The content is read; no signature is verified and nothing is decrypted.

mod ber;

#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;
use std::io::Read;

use casetrack_core::remarks::DECRYPT_MAIL;
use casetrack_core::{BlockKind, ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::model::Source;
use flate2::read::ZlibDecoder;
use mail_parser::decoders::base64::base64_decode;

use self::ber::{Element, Elements, FIRST, OBJECT_IDENTIFIER, SEQUENCE};

/// Kinds of content (RFC 5652, 5083 and 3274), in the encoding of ASN.1: `1.2.840.113549.1.7.N` and `1.2.840.113549.1.9.16.1.N`.
const SIGNED: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02";
const ENCRYPTED: [&[u8]; 4] = [
    b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x03",
    b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x04",
    b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x06",
    b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x17",
];
const COMPRESSED: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x09\x10\x01\x09";

/// The first bytes of an envelope, which contain its kind.
const KIND_WITHIN: usize = 40;

/// The content of an envelope.
#[derive(Debug, PartialEq)]
pub(crate) enum Envelope {
    Signed(Vec<u8>),
    Compressed(Vec<u8>),
    Encrypted,
    /// Only certificates, or a signature of something that is elsewhere.
    WithoutContent,
}

pub(crate) struct SignedFile;

impl Extractor for SignedFile {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let content = match open(source.bytes, document.attachments().bytes_left()) {
            Some(Envelope::Signed(content)) => {
                document.warn("The file is signed; the signature was not verified.");
                content
            }
            Some(Envelope::Compressed(content)) => content,
            Some(Envelope::Encrypted) => {
                let error = source.unsupported_encryption("S/MIME, for the owner of a private key");
                return Err(error.with_hint(DECRYPT_MAIL));
            }
            Some(Envelope::WithoutContent) => {
                let error = source.unsupported("a signature or a certificate without a document");
                return Err(error.with_hint("It holds no document, so nothing is lost."));
            }
            None => return Err(source.unreadable("its envelope is damaged")),
        };
        let name = inner_name(source, &content);
        document.start_page(ExtractionMethod::Native, None);
        document.push_block(BlockKind::ListItem, &name)?;
        document.attachments().push(&name, content);
        Ok(())
    }
}

/// The name without that of the envelope: `lease.pdf.p7m` holds `lease.pdf`.
fn inner_name(source: &Source, content: &[u8]) -> String {
    let name = source.name();
    let lower = name.to_ascii_lowercase();
    let is_envelope = [".p7m", ".p7s", ".p7", ".p7c", ".p7z"].iter().any(|extension| lower.ends_with(extension));
    let stem = if is_envelope { source.stem() } else { name };
    if is_mime_entity(content) {
        return format!("{stem}.eml");
    }
    stem
}

/// True if a file is an envelope of any kind, by its first bytes.
pub(crate) fn is_envelope(bytes: &[u8]) -> bool {
    let start = binary(&bytes[..bytes.len().min(256)]);
    let start = &start[..start.len().min(KIND_WITHIN)];
    let has = |kind: &[u8]| start.windows(kind.len()).any(|window| window == kind);
    start.first() == Some(&SEQUENCE) && (has(SIGNED) || has(COMPRESSED) || ENCRYPTED.iter().any(|kind| has(kind)))
}

/// True if bytes begin with the headers of a MIME entity.
pub(crate) fn is_mime_entity(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let name = line.split(|&byte| byte == b':').next().unwrap_or_default().to_ascii_lowercase();
    name.len() < line.len() && (name.starts_with(b"content-") || name == b"mime-version")
}

/// Opens an envelope, as bytes or in base64. Compressed content is read up to `max_bytes`. `None` if it is none, or damaged.
pub(crate) fn open(bytes: &[u8], max_bytes: u64) -> Option<Envelope> {
    let bytes = binary(bytes);
    let mut outer = Elements(&bytes).enter(SEQUENCE)?;
    let kind = outer.next().filter(|element| element.tag == OBJECT_IDENTIFIER)?.content;
    if ENCRYPTED.contains(&kind) {
        return Some(Envelope::Encrypted);
    }
    let mut data = outer.enter(FIRST)?.enter(SEQUENCE)?;
    // The version, and the algorithms.
    data.next()?;
    data.next()?;
    let mut inside = data.enter(SEQUENCE)?;
    inside.next().filter(|element| element.tag == OBJECT_IDENTIFIER)?;
    let content = inside.enter(FIRST).and_then(|mut content| content.next());
    match kind {
        SIGNED => Some(match content {
            Some(content) => Envelope::Signed(content.octets()?),
            None => Envelope::WithoutContent,
        }),
        COMPRESSED => inflated(&content?, max_bytes).map(Envelope::Compressed),
        _ => None,
    }
}

fn inflated(content: &Element, max_bytes: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    ZlibDecoder::new(content.octets()?.as_slice()).take(max_bytes).read_to_end(&mut text).ok()?;
    Some(text)
}

/// The bytes of an envelope that is written in base64, with or without the lines around it (RFC 7468).
fn binary(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.first() == Some(&SEQUENCE) {
        return Cow::Borrowed(bytes);
    }
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let text: Vec<u8> = lines.filter(|line| !line.starts_with(b"-----")).flatten().copied().collect();
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    // A sequence begins so in base64.
    match text.starts_with(b"M") && text.iter().all(is_base64) {
        true => Cow::Owned(base64_decode(&text[..text.len() / 4 * 4]).unwrap_or_default()),
        false => Cow::Borrowed(bytes),
    }
}
