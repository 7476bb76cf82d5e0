//! Recognises the encoding of text and decodes it.
//!
//! In order: byte order mark, UTF-16 without one, UTF-8 with at most a few damaged bytes, then chardetng (the detector of
//! Firefox) for the legacy encodings, and those of DOS and the Mac if its guess makes no words. Bytes that give control characters are
//! no text and are refused.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::code_pages::{self, CodePage};

/// Bytes read to distinguish text from binary data, and UTF-16 from single bytes. The detector of legacy
/// encodings gets the same bytes: its cost is linear, and its verdict is settled long before.
const SAMPLE_BYTES: usize = 256 * 1024;

/// Text with more than this share of control characters is binary data.
const MAX_CONTROL_SHARE: f64 = 0.01;

/// This many zeros are stray in a text of any length.
const FEW_ZEROS: usize = 2;

#[derive(Debug, PartialEq)]
pub struct Decoded<'a> {
    pub text: Cow<'a, str>,
    /// Name of the encoding as in the WHATWG standard.
    pub encoding: &'static str,
    /// True if some bytes had no meaning in the encoding and became U+FFFD.
    pub damaged: bool,
    /// True if there were zeros, which became spaces.
    pub had_zeros: bool,
}

/// Decodes text in any common encoding; `None` when the bytes are no text. Line ends are left as they are. A few zeros,
/// which some programs leave at the end of their output, do not make it binary data.
pub fn decode(bytes: &[u8]) -> Option<Decoded<'_>> {
    let decoded = decode_utf32(bytes).or_else(|| {
        if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
            return Some(decode_as(encoding, &bytes[mark..]));
        }
        // Before UTF-8: UTF-16 of many scripts is made of bytes that are valid UTF-8, among them zeros.
        if let Some(encoding) = utf16_without_mark(bytes) {
            return Some(decode_as(encoding, bytes));
        }
        if mostly_utf8(bytes) {
            return Some(decode_as(UTF_8, bytes));
        }
        Some(decode_legacy(bytes)).filter(|decoded| !is_one_letter(&decoded.text))
    })?;
    let decoded = without_stray_zeros(decoded);
    looks_like_text(&decoded.text).then_some(decoded)
}

/// With spaces in place of zeros, if there are few. The texts on their two sides were rarely one word.
fn without_stray_zeros(decoded: Decoded<'_>) -> Decoded<'_> {
    let zeros = decoded.text.bytes().filter(|byte| *byte == 0).count();
    if zeros == 0 || !are_stray(zeros, decoded.text.len()) {
        return decoded;
    }
    Decoded { text: Cow::Owned(decoded.text.replace('\0', " ")), had_zeros: true, ..decoded }
}

fn are_stray(zeros: usize, bytes: usize) -> bool {
    zeros as f64 <= bytes as f64 * MAX_CONTROL_SHARE || (zeros <= FEW_ZEROS && bytes >= 8 * zeros)
}

/// Bytes at the start of a page that are searched for the name of its encoding; the standard asks for 1024.
const DECLARED_WITHIN: usize = 4096;

/// Decodes HTML: a byte order mark, UTF-16 without one, UTF-8 that has other characters than ASCII, the declared
/// encoding, then as other text. Old declarations survive conversions to UTF-8, and other text is rarely valid UTF-8 by
/// chance.
pub fn decode_html(bytes: &[u8]) -> Option<Decoded<'_>> {
    let is_marked = Encoding::for_bom(bytes).is_some() || utf16_without_mark(bytes).is_some();
    if !is_marked
        && (bytes.is_ascii() || std::str::from_utf8(bytes).is_err())
        && let Some(encoding) = declared_encoding(&bytes[..bytes.len().min(DECLARED_WITHIN)])
        && (encoding != UTF_8 || mostly_utf8(bytes))
    {
        return Some(decode_as(encoding, bytes)).filter(|decoded| looks_like_text(&decoded.text));
    }
    decode(bytes)
}

/// The encoding named by `charset=` or `encoding=`.
fn declared_encoding(start: &[u8]) -> Option<&'static Encoding> {
    let start: String = start.iter().map(|b| b.to_ascii_lowercase() as char).collect();
    ["charset", "encoding"].iter().find_map(|key| {
        start.match_indices(key).find_map(|(at, _)| {
            let value = start[at + key.len()..].trim_start().strip_prefix('=')?.trim_start();
            let value = value.trim_start_matches(['"', '\'']);
            let label: String =
                value.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')).collect();
            // A page whose declaration could be read is not UTF-16, even if it declares so.
            Encoding::for_label(label.as_bytes())
                .map(|found| if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found })
        })
    })
}

/// Decodes XML: a byte order mark, UTF-16 without one, or UTF-8. Damaged bytes become U+FFFD.
pub fn decode_xml(bytes: &[u8]) -> Cow<'_, str> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or_else(|| (utf16_without_mark(bytes).unwrap_or(UTF_8), 0));
    decode_as(encoding, &bytes[mark..]).text
}

fn decode_as<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name(), damaged, had_zeros: false }
}

/// UTF-32 with a byte order mark; it is not part of the WHATWG standard, but some exporters write it.
fn decode_utf32(bytes: &[u8]) -> Option<Decoded<'static>> {
    let little = match bytes.get(..4)? {
        [0xFF, 0xFE, 0, 0] => true,
        [0, 0, 0xFE, 0xFF] => false,
        _ => return None,
    };
    let mut damaged = !bytes.len().is_multiple_of(4);
    let text = bytes[4..]
        .as_chunks::<4>()
        .0
        .iter()
        .map(|unit| {
            let code = if little { u32::from_le_bytes(*unit) } else { u32::from_be_bytes(*unit) };
            char::from_u32(code).unwrap_or_else(|| {
                damaged = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect::<String>();
    let encoding = if little { "UTF-32LE" } else { "UTF-32BE" };
    Some(Decoded { text: Cow::Owned(text), encoding, damaged, had_zeros: false })
}

/// UTF-16 text in any language has spaces, digits and line ends, whose high bytes are zero; single-byte text has none.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    let pairs = sample.as_chunks::<2>().0;
    let high_zero = pairs.iter().filter(|pair| pair[0] != 0 && pair[1] == 0).count();
    let low_zero = pairs.iter().filter(|pair| pair[0] == 0 && pair[1] != 0).count();
    let enough = (pairs.len() / 20).max(1);
    if is_utf8_with_stray_zeros(sample) {
        return None;
    }
    if high_zero >= enough && low_zero * 10 <= high_zero {
        Some(UTF_16LE)
    } else if low_zero >= enough && high_zero * 10 <= low_zero {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// True if a short text has zeros, but too few for UTF-16 of its letters. The bytes of UTF-16 in other scripts are
/// control characters, or no UTF-8.
fn is_utf8_with_stray_zeros(bytes: &[u8]) -> bool {
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let is_text = |text: &str| text.chars().all(|c| c == '\0' || !is_binary_control(c));
    zeros > 0 && are_stray(zeros, bytes.len()) && std::str::from_utf8(bytes).is_ok_and(is_text)
}

/// True if the bytes are UTF-8, possibly with a few damaged ones: legacy encodings rarely form valid multi-byte
/// sequences by chance, so several of them mean UTF-8.
fn mostly_utf8(bytes: &[u8]) -> bool {
    if std::str::from_utf8(bytes).is_ok() {
        return true;
    }
    let (mut multi_byte, mut invalid) = (0usize, 0usize);
    for chunk in bytes[..bytes.len().min(SAMPLE_BYTES)].utf8_chunks() {
        multi_byte += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    invalid * 20 <= multi_byte
}

fn decode_legacy(bytes: &[u8]) -> Decoded<'_> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    match code_pages::of_text(sample, sample.len() == bytes.len()) {
        CodePage::Web(encoding) => decode_as(encoding, bytes),
        page => Decoded { text: page.decode(bytes), encoding: page.name(), damaged: false, had_zeros: false },
    }
}

/// Control characters that do occur in text: white space, backspace and escape of terminal logs, end of file of DOS.
fn is_binary_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\x08' | '\x1b' | '\x1a' | '\u{85}')
}

fn looks_like_text(text: &str) -> bool {
    let (mut all, mut bad) = (0u32, 0u32);
    for c in text.chars().take(SAMPLE_BYTES) {
        all += 1;
        bad += u32::from(is_binary_control(c) || c == char::REPLACEMENT_CHARACTER);
    }
    f64::from(bad) <= f64::from(all) * MAX_CONTROL_SHARE
}

/// Fewest characters of which one letter can be too many.
const MANY_LETTERS: u32 = 64;

/// True if one letter beyond ASCII makes up most of a text, as in the pixels of a picture: "ÿÿÿÿ".
fn is_one_letter(text: &str) -> bool {
    let sample = || text.chars().take(SAMPLE_BYTES).filter(|c| !c.is_whitespace());
    // the majority vote of Boyer and Moore
    let (most, _) = sample().fold(('\0', 0u32), |(most, votes), c| match votes {
        0 => (c, 1),
        _ if c == most => (most, votes + 1),
        _ => (most, votes - 1),
    });
    let (all, same) = sample().fold((0u32, 0u32), |(all, same), c| (all + 1, same + u32::from(c == most)));
    most.is_alphabetic() && !most.is_ascii() && all >= MANY_LETTERS && same * 2 > all
}

/// The encoding of a code page; `None` for those without a web encoding, among them most of DOS.
pub fn of_code_page(number: u32) -> Option<&'static Encoding> {
    Some(match number {
        819 | 1252 | 28591 => encoding_rs::WINDOWS_1252,
        1250 => encoding_rs::WINDOWS_1250,
        866 => encoding_rs::IBM866,
        874 => encoding_rs::WINDOWS_874,
        932 => encoding_rs::SHIFT_JIS,
        936 => encoding_rs::GBK,
        949 => encoding_rs::EUC_KR,
        950 => encoding_rs::BIG5,
        1251 => encoding_rs::WINDOWS_1251,
        1253 => encoding_rs::WINDOWS_1253,
        1254 => encoding_rs::WINDOWS_1254,
        1255 => encoding_rs::WINDOWS_1255,
        1256 => encoding_rs::WINDOWS_1256,
        1257 => encoding_rs::WINDOWS_1257,
        1258 => encoding_rs::WINDOWS_1258,
        10000 => encoding_rs::MACINTOSH,
        10007 => encoding_rs::X_MAC_CYRILLIC,
        20866 => encoding_rs::KOI8_R,
        21866 => encoding_rs::KOI8_U,
        28592 => encoding_rs::ISO_8859_2,
        28595 => encoding_rs::ISO_8859_5,
        28597 => encoding_rs::ISO_8859_7,
        28605 => encoding_rs::ISO_8859_15,
        50220..=50222 => encoding_rs::ISO_2022_JP,
        51932 => encoding_rs::EUC_JP,
        54936 => encoding_rs::GB18030,
        65001 => UTF_8,
        _ => return None,
    })
}

/// `"\r\n"` and `'\r'` become `'\n'`.
pub fn unify_line_ends(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str = "Die Gewährleistung beträgt zwölf Monate; für Mängel haftet der Verkäufer.\n";
    const RUSSIAN: &str = "Настоящий договор вступает в силу с момента его подписания сторонами.\n";
    const JAPANESE: &str = "本契約は、両当事者が署名した日に効力を生じ、三年間有効とする。\n";

    fn decoded(bytes: &[u8]) -> (String, &'static str) {
        let decoded = decode(bytes).unwrap();
        assert!(!decoded.damaged);
        (decoded.text.into_owned(), decoded.encoding)
    }

    #[test]
    fn unicode_with_and_without_mark() {
        for text in [GERMAN, RUSSIAN, JAPANESE, "Plain ASCII, 42.\n"] {
            assert_eq!(decoded(text.as_bytes()), (text.into(), "UTF-8"));
            assert_eq!(decoded(&[b"\xEF\xBB\xBF", text.as_bytes()].concat()), (text.into(), "UTF-8"));
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(decoded(&[b"\xFF\xFE", &little[..]].concat()), (text.into(), "UTF-16LE"));
            assert_eq!(decoded(&[b"\xFE\xFF", &big[..]].concat()), (text.into(), "UTF-16BE"));
            let wide: Vec<u8> = text.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
            assert_eq!(decoded(&[b"\xFF\xFE\0\0", &wide[..]].concat()), (text.into(), "UTF-32LE"));
        }
        for text in [GERMAN, RUSSIAN] {
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(decoded(&little), (text.into(), "UTF-16LE"));
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(decoded(&big), (text.into(), "UTF-16BE"));
        }
    }

    #[test]
    fn legacy_encodings_are_recognised_by_content() {
        for (text, encoding) in [
            (GERMAN, encoding_rs::WINDOWS_1252),
            (RUSSIAN, encoding_rs::WINDOWS_1251),
            (RUSSIAN, encoding_rs::KOI8_U),
            (JAPANESE, encoding_rs::SHIFT_JIS),
            (JAPANESE, encoding_rs::EUC_JP),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(decoded(&bytes), (text.into(), encoding.name()));
        }
    }

    #[test]
    fn a_damaged_byte_does_not_turn_utf8_into_another_encoding() {
        let mut bytes = RUSSIAN.as_bytes().to_vec();
        bytes.insert(2, 0xFF);
        bytes.extend_from_slice(RUSSIAN.repeat(3).as_bytes());
        let decoded = decode(&bytes).unwrap();
        assert!(decoded.damaged);
        assert_eq!(decoded.encoding, "UTF-8");
        assert!(decoded.text.ends_with(RUSSIAN));
    }

    #[test]
    fn binary_data_is_no_text() {
        let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(decode(&noise), None);
        // a picture without a signature, most of which is white
        let picture = [&b"\0\0\x02\0\0\0\0\0\0\0\0\0\x84\x03\xC8\0\x18\x20"[..], &[0xFF; 4000]].concat();
        assert_eq!(decode(&picture), None);
        let dashes = "─".repeat(200);
        assert!(decode(dashes.as_bytes()).is_some());
        assert_eq!(decode(&[0; 64]), None);
        assert!(decode(b"\x1b[31mred\x1b[0m log line\n").is_some());
    }

    #[test]
    fn a_stray_zero_is_a_space() {
        for (bytes, text) in [
            (&b"The rent is due.\0"[..], "The rent is due. "),
            (b"The rent\0is due\non the first.\n", "The rent is due\non the first.\n"),
            ("Die Räume\0sind leer.".as_bytes(), "Die Räume sind leer."),
        ] {
            let decoded = decode(bytes).unwrap();
            assert_eq!((&*decoded.text, decoded.encoding, decoded.had_zeros), (text, "UTF-8", true));
        }
        let (long, short) = (format!("{}\0{}", GERMAN.repeat(9), GERMAN), encoding_rs::WINDOWS_1252.encode(GERMAN).0);
        assert_eq!(decode(long.as_bytes()).unwrap().text, long.replace('\0', " "));
        assert_eq!(decode(&[&short[..], b"\0"].concat()).unwrap().text, format!("{GERMAN} "));
        assert_eq!(decoded(b"H\0i\0"), ("Hi".into(), "UTF-16LE"));
        assert_eq!(decode(b"a\0\0\0"), None);
    }

    #[test]
    fn xml_parts_may_be_utf16() {
        let xml = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>ä</a>";
        let little: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode_xml(&little), xml);
        assert_eq!(decode_xml(&[b"\xFF\xFE", &little[..]].concat()), xml);
        assert_eq!(decode_xml(xml.as_bytes()), xml);
    }

    #[test]
    fn all_line_ends_become_line_feeds() {
        assert_eq!(unify_line_ends("a\r\nb\rc\n\r".into()), "a\nb\nc\n\n");
    }
}
