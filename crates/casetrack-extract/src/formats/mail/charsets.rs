//! The encodings that mail declares (RFC 2045, 2047), as programs write their names.

use casetrack_pages::text::{code_pages::decode_dos, encoding};
use encoding_rs::{EUC_KR, Encoding, GBK, ISO_2022_JP, WINDOWS_874, WINDOWS_1252};
use mail_parser::decoders::charsets::map::charset_decoder;

/// Text in the declared encoding. ASCII and UTF-8 are often declared wrongly, so then the bytes decide. They also decide if the
/// name is unknown, or if UTF-8 is declared as something else.
pub(super) fn decode_text(bytes: &[u8], charset: Option<&str>) -> String {
    let declared = charset.and_then(|label| decode_as(&label.trim().to_ascii_lowercase(), bytes));
    let is_utf8 = !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
    match declared {
        // Letters of one byte rarely make UTF-8 by chance; those of several bytes, and Thai, do in short texts.
        Some((text, is_western)) if !(is_utf8 && (is_western || text.contains(char::REPLACEMENT_CHARACTER))) => text,
        _ => guessed(bytes),
    }
}

fn guessed(bytes: &[u8]) -> String {
    if is_escaped_japanese(bytes) {
        return ISO_2022_JP.decode(bytes).0.into_owned();
    }
    encoding::decode(bytes)
        .map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), |decoded| decoded.text.into_owned())
}

/// Shifts to JIS X 0208 (RFC 1468); the bytes that follow look like ASCII.
fn is_escaped_japanese(bytes: &[u8]) -> bool {
    bytes.is_ascii() && bytes.windows(3).any(|window| matches!(window, b"\x1B$B" | b"\x1B$@"))
}

/// The text, and true if letters have one byte each and are not Thai. `None` if the name is empty or unknown.
fn decode_as(label: &str, bytes: &[u8]) -> Option<(String, bool)> {
    let label = label.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let compact: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    let of = |encoding: &'static Encoding| {
        let is_western = encoding.is_single_byte() && encoding != WINDOWS_874;
        Some((encoding.decode(bytes).0.into_owned(), is_western))
    };
    match compact.as_str() {
        "" | "ascii" | "usascii" | "ansix341968" | "utf8" | "unknown8bit" => return None,
        "iso2022kr" | "csiso2022kr" => return Some((shifted(bytes), false)),
        "hzgb2312" | "hz" => return Some((tilded(bytes), false)),
        _ if compact.starts_with("iso2022jp") || compact.starts_with("cp5022") => return of(ISO_2022_JP),
        _ => {}
    }
    if let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()).or_else(|| latin(&compact)) {
        return of(encoding);
    }
    if let Some(number) = code_page(&compact) {
        let text = u16::try_from(number).ok().and_then(|number| decode_dos(number, bytes)).map(|text| (text, true));
        return text.or_else(|| of(encoding::of_code_page(number)?));
    }
    Some((charset_decoder(label.as_bytes())?(bytes), false))
}

/// The number of a code page: `cp-850`, `IBM437`, `x-cp437`, `ms932`, `windows1252`, `cspc862latinhebrew`.
fn code_page(compact: &str) -> Option<u32> {
    const BEFORE: [&str; 11] = ["windows", "cspc", "csibm", "cspcp", "oem", "dos", "ibm", "win", "cp", "ms", ""];
    let compact = compact.strip_prefix('x').unwrap_or(compact);
    BEFORE.iter().find_map(|before| {
        let rest = compact.strip_prefix(before)?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest[..digits].parse().ok().filter(|number| (300..100_000).contains(number) && *number != 8859)
    })
}

/// A part of ISO 8859 under a name that web browsers do not accept: `_iso-8859-15`, `8859_1`, `iso-8859-1x`.
fn latin(compact: &str) -> Option<&'static Encoding> {
    let (_, part) = compact.split_once("8859")?;
    let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
    Encoding::for_label_no_replacement(format!("iso-8859-{digits}").as_bytes())
        .or_else(|| digits.is_empty().then_some(WINDOWS_1252))
}

/// ISO-2022-KR (RFC 1557): between shift out and shift in, bytes are those of EUC-KR without their high bits.
fn shifted(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\x1B$)C").unwrap_or(bytes);
    let mut is_out = false;
    let mut euc = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            0x0E => is_out = true,
            0x0F => is_out = false,
            b'\n' => {
                is_out = false;
                euc.push(byte);
            }
            0x21..=0x7E if is_out => euc.push(byte | 0x80),
            _ => euc.push(byte),
        }
    }
    EUC_KR.decode(&euc).0.into_owned()
}

/// HZ (RFC 1843): between `~{` and `~}`, bytes are those of GB 2312 without their high bits.
fn tilded(bytes: &[u8]) -> String {
    let mut is_shifted = false;
    let mut gb = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'~', [b'{', tail @ ..]) => {
                is_shifted = true;
                tail
            }
            (b'~', [b'}', tail @ ..]) => {
                is_shifted = false;
                tail
            }
            (b'~', [b'~', tail @ ..]) if !is_shifted => {
                gb.push(b'~');
                tail
            }
            (b'~', [b'\n', tail @ ..]) => tail,
            (byte, tail) => {
                is_shifted &= *byte != b'\n';
                gb.push(if is_shifted && (0x21..=0x7E).contains(byte) { byte | 0x80 } else { *byte });
                tail
            }
        };
    }
    GBK.decode(&gb).0.into_owned()
}

/// True if characters were lost that the bytes do not have as U+FFFD themselves.
pub(super) fn is_damaged(text: &str, bytes: &[u8]) -> bool {
    text.contains(char::REPLACEMENT_CHARACTER) && !bytes.windows(3).any(|window| window == b"\xEF\xBF\xBD")
}

/// Bytes of UTF-8 as they are; others in the encoding that they look like.
pub(super) fn utf8_of(bytes: &[u8]) -> Vec<u8> {
    let is_utf8 = std::str::from_utf8(bytes).is_ok() && !is_escaped_japanese(bytes);
    if is_utf8 { bytes.to_vec() } else { guessed(bytes).into_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_encodings_hold_unless_they_are_plainly_wrong() {
        for (bytes, charset, text) in [
            (&b"\xE4"[..], "ISO-8859-1", "ä"),
            ("ä".as_bytes(), "us-ascii", "ä"),
            (b"M\xE4ngel", "utf-8", "Mängel"),
            (b"+AOQ-", "utf-7", "ä"),
            (b"\x1B$B%F\x1B(B", "iso-2022-jp", "テ"),
            (b"plain", "no such charset", "plain"),
            // UTF-8 that is declared as something else.
            ("Kündigung".as_bytes(), "iso-8859-1", "Kündigung"),
            ("Kündigung".as_bytes(), "windows-1252", "Kündigung"),
            ("Kündigung".as_bytes(), "cp850", "Kündigung"),
            ("解約".as_bytes(), "koi8-r", "解約"),
            ("解約".as_bytes(), "euc-jp", "解約"),
            // Two letters of GBK that would be one of UTF-8.
            (b"\xCD\xA8", "gb2312", "通"),
        ] {
            assert_eq!(decode_text(bytes, Some(charset)), text, "{charset}");
        }
    }

    #[test]
    fn names_are_known_however_they_are_spelt() {
        let german = b"Pr\x81fung der \x9Abergabe Gr\x94\xE1e";
        for label in [
            "IBM437",
            "cp-437",
            "cp437",
            "437",
            "x-cp437",
            "CP850",
            "cp-850",
            "ibm-850",
            "IBM00858",
            "dos-850",
            "csPC850Multilingual",
            "cp858",
            "ibm 850",
            "\"cp850\"",
        ] {
            assert_eq!(decode_text(german, Some(label)), "Prüfung der Übergabe Größe", "{label}");
        }
        for label in ["8859_1", "_iso-8859-1", "iso-8859-1x", "latin-1", "windows1252", "x-ansi1252", "ISO8859-15"] {
            assert_eq!(decode_text(b"Pr\xFCfung", Some(label)), "Prüfung", "{label}");
        }
        for label in ["iso-2022-jp-ms", "iso-2022-jp-2", "cp50221", "us-ascii", "", "x-unknown"] {
            assert_eq!(decode_text(b"\x1B$B7@Ls\x1B(B", Some(label)), "契約", "{label}");
        }
        for (label, bytes, text) in [
            ("cp-852", &b"\x9D\xA2d\xAB"[..], "Łódź"),
            ("cp-866", b"\x84\xAE\xA3\xAE\xA2\xAE\xE0", "Договор"),
            ("ms932", b"\x8C_\x96\xF1", "契約"),
            ("cp1250", b"\xA3\xF3d\x9F", "Łódź"),
            ("iso-2022-kr", b"\x1B$)C\n\x0E0h>`\x0F A", "\n계약 A"),
            ("hz-gb-2312", b"~{:OM,~} ~~A", "合同 ~A"),
        ] {
            assert_eq!(decode_text(bytes, Some(label)), text, "{label}");
        }
    }

    #[test]
    fn lost_characters_are_noticed() {
        let lost = decode_text(b"A\x81", Some("euc-jp"));
        assert!(is_damaged(&lost, b"A\x81"));
        assert!(!is_damaged("\u{FFFD}", "\u{FFFD}".as_bytes()));
    }
}
