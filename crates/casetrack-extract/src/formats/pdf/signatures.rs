//! Signatures of a PDF (ISO 32000-1, 12.8): who signed it and when, and whether the file goes on behind what was signed.
//!
//! They are read from the bytes of the file: what a signature covers is counted in them, so that its dictionary stands there as it is.
//! Whether a certificate is genuine is not examined.

use std::ops::Range;

use crate::text::dates;

/// More are not looked for.
const MAX_SIGNATURES: usize = 100;
/// Bytes around the range that is covered in which the dictionary's other entries stand.
const NEARBY: usize = 4096;
/// The object identifier of a common name, 2.5.4.3.
const COMMON_NAME: &[u8] = b"\x06\x03\x55\x04\x03";

/// The signatures of a file in their order. They are looked for when the first is asked for.
pub(super) struct Signatures<'a> {
    file: &'a [u8],
    found: Option<std::vec::IntoIter<Signature>>,
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    signer: Option<String>,
    date: Option<String>,
    /// Where what was signed ends in the file.
    end: usize,
    covers: Covers,
}

/// How much of a file a signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Covers {
    Everything,
    /// A later signature covers the rest, or some of it.
    BeforeAnother,
    /// The file goes on, without another signature.
    Part,
}

impl<'a> Signatures<'a> {
    pub fn of(file: &'a [u8]) -> Self {
        Self { file, found: None }
    }

    /// What is said of the next signature.
    pub fn next(&mut self) -> Option<String> {
        let file = self.file;
        self.found.get_or_insert_with(|| all(file).into_iter()).next().map(|signature| signature.to_string())
    }
}

fn all(file: &[u8]) -> Vec<Signature> {
    let mut signatures: Vec<Signature> = Vec::new();
    let mut at = 0;
    while let Some(found) = find(file, b"/ByteRange", at).filter(|_| signatures.len() < MAX_SIGNATURES) {
        at = found + 1;
        signatures.extend(signature(file, found));
    }
    let last = signatures.iter().map(|signature| signature.end).max();
    for signature in signatures.iter_mut().filter(|signature| Some(signature.end) < last) {
        signature.covers = Covers::BeforeAnother;
    }
    signatures
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "signed by {}", self.signer.as_deref().unwrap_or("an unnamed signer"))?;
        if let Some(date) = &self.date {
            write!(f, " on {date}")?;
        }
        f.write_str(match self.covers {
            Covers::Everything => "; it covers the whole file",
            Covers::BeforeAnother => "; a later signature covers what was added to the file",
            Covers::Part => "; the file was changed after it was signed",
        })
    }
}

fn signature(file: &[u8], at: usize) -> Option<Signature> {
    let numbers = file.get(at + b"/ByteRange".len()..)?;
    let open = numbers.iter().position(|byte| *byte == b'[').filter(|open| *open < 10)?;
    let close = numbers.iter().position(|byte| *byte == b']').filter(|close| *close < 200)?;
    let numbers: Vec<usize> = std::str::from_utf8(numbers.get(open + 1..close)?)
        .ok()?
        .split_ascii_whitespace()
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    let [start, length, second, last] = numbers[..] else { return None };
    let gap = start.checked_add(length)?..second;
    let end = second.checked_add(last)?;
    // A signature that is not filled in covers nothing.
    let contents = file.get(gap.clone()).filter(|contents| contents.iter().any(|byte| !b"<>0 \r\n".contains(byte)))?;
    let dictionary = Dictionary { file, gap, at };
    Some(Signature {
        signer: dictionary.text(b"/Name").filter(|name| is_legible(name)).or_else(|| signer(&from_hex(contents))),
        date: dictionary.text(b"/M").and_then(|date| dates::of_pdf(&date)),
        end,
        covers: match file.get(end..).is_some_and(|rest| rest.iter().any(|byte| !byte.is_ascii_whitespace())) {
            true => Covers::Part,
            false => Covers::Everything,
        },
    })
}

/// Whether a name can be one: in an encrypted file the strings of a dictionary are not.
fn is_legible(name: &str) -> bool {
    let usual = name.chars().filter(|c| c.is_alphabetic() || " .,'()&-".contains(*c)).count();
    !name.chars().any(char::is_control) && 5 * usual >= 4 * name.chars().count()
}

/// The dictionary around the covered range's gap.
struct Dictionary<'a> {
    file: &'a [u8],
    gap: Range<usize>,
    at: usize,
}

impl Dictionary<'_> {
    /// The text of an entry.
    fn text(&self, key: &[u8]) -> Option<String> {
        let first = self.at.min(self.gap.start);
        let start = first.saturating_sub(NEARBY);
        let before = self.file.get(start..self.gap.start)?;
        let before = &before[rfind(before, b" obj").filter(|at| start + at < first).unwrap_or(0)..];
        let after = self.file.get(self.gap.end..)?;
        let after = &after[..after.len().min(NEARBY)];
        let after = &after[..find(after, b"endobj", 0).unwrap_or(after.len())];
        entry(before, key).or_else(|| entry(after, key)).filter(|text| !text.trim().is_empty())
    }
}

/// The string behind a key.
fn entry(dictionary: &[u8], key: &[u8]) -> Option<String> {
    let mut at = 0;
    loop {
        let found = find(dictionary, key, at)?;
        let value = dictionary.get(found + key.len()..)?.trim_ascii_start();
        match value.first()? {
            b'(' => return Some(decoded(&literal(&value[1..]))),
            b'<' if value.get(1) != Some(&b'<') => {
                let end = value.iter().position(|byte| *byte == b'>')?;
                return Some(decoded(&from_hex(&value[1..end])));
            }
            _ => at = found + 1,
        }
    }
}

/// A string in parentheses, up to its end.
fn literal(text: &[u8]) -> Vec<u8> {
    let (mut bytes, mut depth) = (Vec::new(), 0);
    let mut rest = text.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b'r') => bytes.push(b'\r'),
                Some(b't') => bytes.push(b'\t'),
                Some(digit @ b'0'..=b'7') => {
                    let mut code = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(digit @ b'0'..=b'7') = rest.clone().next() else { break };
                        code = 8 * code + u32::from(digit - b'0');
                        rest.next();
                    }
                    bytes.push(code as u8);
                }
                Some(other) => bytes.push(other),
                None => {}
            },
            b')' if depth == 0 => break,
            b')' => {
                depth -= 1;
                bytes.push(byte);
            }
            b'(' => {
                depth += 1;
                bytes.push(byte);
            }
            byte => bytes.push(byte),
        }
    }
    bytes
}

fn decoded(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, units @ ..] => {
            let units: Vec<u16> = units.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        [0xEF, 0xBB, 0xBF, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        text => text.iter().map(|byte| char::from(*byte)).collect(),
    }
}

fn from_hex(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        text.iter().filter_map(|byte| char::from(*byte).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| 16 * pair[0] + pair[1]).collect()
}

/// The common name of the certificate with which a PKCS #7 signature was made: certificates name their issuer and then their
/// subject, and the signature names the issuer of the one that was used at its end.
fn signer(signature: &[u8]) -> Option<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(found) = find(signature, COMMON_NAME, at) {
        at = found + COMMON_NAME.len();
        let Some([_, length, text @ ..]) = signature.get(at..) else { break };
        // Longer names than 127 bytes are not common names.
        names.extend(text.get(..usize::from(*length)).map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    let (issuer, certificates) = names.split_last()?;
    let used = certificates.chunks_exact(2).find(|pair| pair[0] == *issuer && pair[1] != *issuer);
    used.map(|pair| pair[1].clone()).or_else(|| certificates.get(1).cloned())
}

fn find(bytes: &[u8], pattern: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(pattern.len()).position(|window| window == pattern).map(|at| from + at)
}

fn rfind(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).rposition(|window| window == pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_encrypted_are_not_shown() {
        assert!(is_legible("Ann O'Neil-Bell, Esq.") && is_legible("Müller GmbH 24") && is_legible("李雷"));
        assert!(!is_legible("QdÅ¯¨m6m/@lÁ ßÚY¾>=<70·s*") && !is_legible("Ann\u{1}"));
    }

    fn signed(entries: &str, contents: &str, after: &str) -> Vec<u8> {
        let head = "%PDF-1.7\n1 0 obj\n(other)\nendobj\n7 0 obj\n<< /Type /Sig ";
        let tail = format!(" {entries} >>\nendobj\n%%EOF\n");
        let range = |a: usize, b: usize, c: usize| format!("/ByteRange [0 {a:06} {b:06} {c:06}] /Contents ");
        let start = head.len() + range(0, 0, 0).len();
        let end = start + contents.len() + 2;
        format!("{head}{}<{contents}>{tail}{after}", range(start, end, tail.len())).into_bytes()
    }

    fn said(file: &[u8]) -> Vec<String> {
        let mut signatures = Signatures::of(file);
        std::iter::from_fn(|| signatures.next()).collect()
    }

    #[test]
    fn a_signature_says_who_signed_and_when() {
        let file = signed("/Name (Ann \\(B.\\)) /M (D:20240503090000+02'00')", "30AF", "\n");
        assert_eq!(said(&file), ["signed by Ann (B.) on 2024-05-03T09:00:00+02:00; it covers the whole file"]);
        let file = signed("/M (D:20240503) /Name <FEFF00C4006E006E>", "30AF", "9 0 obj\n(more)\nendobj\n%%EOF");
        assert_eq!(said(&file), ["signed by Änn on 2024-05-03; the file was changed after it was signed"]);
    }

    #[test]
    fn the_name_is_that_of_the_certificate_where_the_file_states_none() {
        let name = |text: &str| {
            let text: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
            format!("0603550403 0c{:02x}{text}", text.len() / 2).replace(' ', "")
        };
        let contents = ["Root", "Root", "Root", "Office", "Office", "Ann B.", "Office"].map(name).concat();
        assert_eq!(said(&signed("", &contents, "")), ["signed by Ann B.; it covers the whole file"]);
    }

    #[test]
    fn fields_that_nobody_signed_and_damage_are_no_signatures() {
        assert!(said(&signed("/Name (Ann)", "0000", "")).is_empty());
        for damaged in ["/ByteRange", "/ByteRange [", "/ByteRange [0 1 2]", "/ByteRange [9 99999999999999999 1 5]"] {
            assert!(said(damaged.as_bytes()).is_empty(), "{damaged}");
        }
        let cut = signed("/Name (Ann)", "30AF", "");
        assert!(said(&cut[..cut.len() / 2]).len() <= 1);
    }
}
