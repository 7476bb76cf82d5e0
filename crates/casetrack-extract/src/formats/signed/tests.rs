use std::path::Path;

use casetrack_core::{ErrorCode, FileFormat};
use proptest::prelude::*;

use super::*;
use crate::{ExtractOptions, Extraction};

/// An element with its length.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = match length {
        0..=0x7F => vec![tag, length as u8],
        0x80..=0xFF => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, content.to_vec()].concat()
}

/// An element with an end mark instead of a length.
fn open_element(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, 0x80], content, &[0, 0]].concat()
}

const DATA: &[u8] = b"\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01";

fn envelope(kind: &[u8], inside: &[u8], wrap: fn(u8, &[u8]) -> Vec<u8>) -> Vec<u8> {
    let data = [element(2, &[1]), element(0x31, &[]), wrap(SEQUENCE, inside), element(0x31, &[])].concat();
    wrap(SEQUENCE, &[element(OBJECT_IDENTIFIER, kind), wrap(FIRST, &wrap(SEQUENCE, &data))].concat())
}

/// An envelope as most programs write it.
pub(crate) fn signed(content: &[u8]) -> Vec<u8> {
    let inside = [element(OBJECT_IDENTIFIER, DATA), element(FIRST, &element(4, content))].concat();
    envelope(SIGNED, &inside, element)
}

/// The same from a program that writes while it reads.
fn streamed(content: &[u8]) -> Vec<u8> {
    let pieces: Vec<u8> = content.chunks(7).flat_map(|piece| element(4, piece)).collect();
    let inside = [element(OBJECT_IDENTIFIER, DATA), open_element(FIRST, &open_element(0x24, &pieces))].concat();
    envelope(SIGNED, &inside, open_element)
}

pub(crate) fn encrypted() -> Vec<u8> {
    envelope(ENCRYPTED[0], &element(OBJECT_IDENTIFIER, DATA), element)
}

fn extract(name: &str, bytes: &[u8]) -> casetrack_core::Result<Extraction> {
    crate::extract(Path::new(name), bytes, &ExtractOptions::default())
}

fn in_base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn a_signed_file_holds_its_document() {
    let text = b"The rent is 1,200 euros, and due on the first.";
    let (plain, in_lines) = (signed(text), in_base64(&streamed(text)));
    let in_lines: Vec<&str> =
        in_lines.as_bytes().chunks(64).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    let armored = format!("-----BEGIN PKCS7-----\r\n{}\r\n-----END PKCS7-----\r\n", in_lines.join("\r\n"));
    for (name, bytes, inner) in [
        ("lease.txt.p7m", &plain[..], "lease.txt"),
        ("LEASE.TXT.P7M", &streamed(text), "LEASE.TXT"),
        ("lease.p7m", &plain, "lease"),
        ("lease.txt.p7m", in_base64(&plain).as_bytes(), "lease.txt"),
        ("lease.txt.p7m", armored.as_bytes(), "lease.txt"),
        ("lease.bin", &plain, "lease.bin"),
    ] {
        let extraction = extract(name, bytes).unwrap();
        assert_eq!((extraction.format, extraction.pages[0].text.as_str()), (FileFormat::P7m, inner), "{name}");
        assert_eq!((extraction.attachments[0].name.as_str(), &extraction.attachments[0].bytes[..]), (inner, &text[..]));
        assert_eq!(extraction.warnings, ["The file is signed; the signature was not verified."]);
    }
    let entity = extract("smime.p7m", &signed(b"Content-Type: text/plain\r\n\r\nThe rent is due.")).unwrap();
    assert_eq!(entity.attachments[0].name, "smime.eml");
}

#[test]
fn only_encrypted_files_are_called_encrypted() {
    let error = extract("a.pdf.p7m", &encrypted()).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnreadableFile);
    assert!(error.message.starts_with("a.pdf.p7m is encrypted"), "{}", error.message);
    let hint = error.hint.and_then(|hint| hint.plain()).unwrap();
    assert!(hint.contains("mail program of its recipient") && !hint.contains("password"), "{hint}");
    let signature = envelope(SIGNED, &element(OBJECT_IDENTIFIER, DATA), element);
    let error = extract("a.pdf.p7s", &signature).unwrap_err();
    assert_eq!(error.code, ErrorCode::UnsupportedFormat);
    assert!(error.message.contains("a signature or a certificate without a document"), "{}", error.message);
    assert_eq!(error.hint.and_then(|hint| hint.plain()).unwrap(), "It holds no document, so nothing is lost.");
}

#[test]
fn compressed_content_is_inflated() {
    use std::io::Write;
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(b"Content-Type: text/plain\n\nThe rent is due.").unwrap();
    let content = element(FIRST, &element(4, &packed.finish().unwrap()));
    let inside = [element(OBJECT_IDENTIFIER, DATA), content].concat();
    let bytes = envelope(COMPRESSED, &inside, element);
    let Some(Envelope::Compressed(text)) = open(&bytes, 1000) else { panic!() };
    assert!(is_mime_entity(&text) && text.ends_with(b"due."));
    assert_eq!(extract("smime.p7z", &bytes).unwrap().attachments[0].name, "smime.eml");
}

#[test]
fn damaged_envelopes_are_errors() {
    let whole = streamed(b"The rent is due.");
    for cut in 40..whole.len() - 30 {
        assert!(extract("a.txt.p7m", &whole[..cut]).is_err(), "{cut}");
    }
    // Lengths without an end, one inside the other.
    assert_eq!(open(&[0x30, 0x80].repeat(100_000), 1000), None);
}

proptest! {
    #[test]
    fn any_bytes_are_an_envelope_or_none(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = open(&bytes, 1000);
        let _ = is_envelope(&bytes);
    }
}
