//! Signatures of a PDF (ISO 32000-1, 12.8): the signer and the time, and whether the file continues behind the signed
//! range.
//!
//! They are read from the bytes of the file, because a signature covers a range of bytes. Certificates are not
//! verified.

use std::collections::BTreeMap;
use std::ops::Range;

use casetrack_pages::text::dates;

use super::objects::{Objects, find, from_hex, number_before, string};

/// More are not looked for.
const MAX_SIGNATURES: usize = 100;
/// Bytes around the covered range that hold the dictionary's other entries.
const NEARBY: usize = 4096;
/// The object identifier of a common name, 2.5.4.3.
const COMMON_NAME: &[u8] = b"\x06\x03\x55\x04\x03";

/// The signatures of a file. They are read at the first request.
pub(super) struct Signatures<'a> {
    file: &'a [u8],
    fields: usize,
    found: Option<SignatureList>,
}

struct SignatureList {
    signatures: Vec<Signature>,
    /// Which of them is the value of which field, by its full name.
    fields: BTreeMap<String, usize>,
    /// Those that were reported.
    said: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Signature {
    object: Option<u32>,
    signer: Option<String>,
    date: Option<String>,
    /// True if it only certifies the time.
    is_time_stamp: bool,
    covers: Covers,
}

/// How much of a file a signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Covers {
    Everything,
    /// All of the file as it was when it was signed; a later signature covers all of it as it is.
    BeforeAnother,
    /// The file as it was when it was signed. It was changed later, and not signed again as a whole.
    BeforeChanges,
    Parts,
}

impl<'a> Signatures<'a> {
    /// The signatures of a file with this many fields for signatures.
    pub fn of(file: &'a [u8], fields: usize) -> Self {
        Self { file, fields, found: None }
    }

    /// The sentence about the signature in the field with this full name; `None` for an unsigned field. If names cannot
    /// be read, as in encrypted files, the only signature of a file is in its only field.
    pub fn in_field(&mut self, name: &str) -> Option<String> {
        let is_alone = self.fields == 1;
        let found = self.found();
        let only = || (is_alone && found.signatures.len() == 1 && found.fields.is_empty()).then_some(0);
        let index = found.fields.get(name).copied().or_else(only)?;
        found.said[index] = true;
        Some(found.signatures[index].to_string())
    }

    /// The sentences about the signatures that were in none of the fields so far, in the order of the file.
    pub fn others(&mut self) -> Vec<String> {
        if self.fields == 0 && self.found.is_none() {
            return Vec::new();
        }
        let found = self.found();
        let others = found.signatures.iter().zip(&found.said).filter(|(_, said)| !**said);
        others.map(|(signature, _)| signature.to_string()).collect()
    }

    fn found(&mut self) -> &mut SignatureList {
        let file = self.file;
        self.found.get_or_insert_with(|| {
            let signatures = all(file);
            let mut fields = BTreeMap::new();
            if !signatures.is_empty() {
                let objects = Objects::of(file);
                for (signature, index) in signatures.iter().zip(0..) {
                    let names = signature.object.map(|object| objects.fields_with_value(object)).unwrap_or_default();
                    fields.extend(names.into_iter().map(|name| (name, index)));
                }
            }
            SignatureList { said: vec![false; signatures.len()], signatures, fields }
        })
    }
}

fn all(file: &[u8]) -> Vec<Signature> {
    let mut signatures: Vec<Signature> = Vec::new();
    let mut at = 0;
    while let Some(found) = find(file, b"/ByteRange", at).filter(|_| signatures.len() < MAX_SIGNATURES) {
        at = found + 1;
        signatures.extend(signature(file, found));
    }
    if signatures.iter().any(|signature| signature.covers == Covers::Everything) {
        for signature in signatures.iter_mut().filter(|signature| signature.covers == Covers::BeforeChanges) {
            signature.covers = Covers::BeforeAnother;
        }
    }
    signatures
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.is_time_stamp { "time stamp of" } else { "signed by" };
        write!(f, "{what} {}", self.signer.as_deref().unwrap_or("an unnamed signer"))?;
        if let Some(date) = &self.date {
            write!(f, " on {date}")?;
        }
        f.write_str(match self.covers {
            Covers::Everything => "; it covers the whole file",
            Covers::BeforeAnother => "; the file was added to after that, which only a later signature covers",
            Covers::BeforeChanges => "; the file was changed after it was signed",
            Covers::Parts => "; it does not cover the whole file",
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
    let dictionary = Dictionary::around(file, gap, at)?;
    // Written by the program that made the file, to allow a reader to fill in its form: no one signed.
    if dictionary.holds(b"/UR3") || dictionary.holds(b"/UR") {
        return None;
    }
    let digits = contents.trim_ascii();
    let digits = digits.strip_prefix(b"<").and_then(|digits| digits.strip_suffix(b">"));
    let is_whole = start == 0
        && digits
            .is_some_and(|digits| digits.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace()));
    let goes_on = file.get(end..).is_some_and(|rest| rest.iter().any(|byte| !byte.is_ascii_whitespace()));
    Some(Signature {
        object: dictionary.object,
        signer: dictionary.text(b"/Name").filter(|name| is_legible(name)).or_else(|| signer(&from_hex(contents))),
        date: dictionary.text(b"/M").and_then(|date| dates::of_pdf(&date)),
        is_time_stamp: dictionary.holds(b"/DocTimeStamp"),
        covers: match (is_whole, goes_on) {
            (false, _) => Covers::Parts,
            (true, true) => Covers::BeforeChanges,
            (true, false) => Covers::Everything,
        },
    })
}

/// True if a name can be one: in an encrypted file the strings of a dictionary are not.
fn is_legible(name: &str) -> bool {
    let usual = name.chars().filter(|c| c.is_alphabetic() || " .,'()&-".contains(*c)).count();
    !name.chars().any(char::is_control) && 5 * usual >= 4 * name.chars().count()
}

/// The dictionary of a signature, in two parts: its contents, which the range leaves out, are between them.
struct Dictionary<'a> {
    object: Option<u32>,
    before: &'a [u8],
    after: &'a [u8],
}

impl<'a> Dictionary<'a> {
    /// The dictionary around the gap in the covered range; the range itself is at `at`.
    fn around(file: &'a [u8], gap: Range<usize>, at: usize) -> Option<Self> {
        let first = at.min(gap.start);
        let start = first.saturating_sub(NEARBY);
        let object = rfind(file.get(start..first)?, b" obj").map(|place| start + place);
        let before = file.get(object.unwrap_or(start)..gap.start)?;
        let after = file.get(gap.end..)?;
        let after = &after[..after.len().min(NEARBY)];
        let after = &after[..find(after, b"endobj", 0).unwrap_or(after.len())];
        Some(Self { object: object.and_then(|place| number_before(file, place)), before, after })
    }

    fn text(&self, key: &[u8]) -> Option<String> {
        let text = text(self.before, key).or_else(|| text(self.after, key));
        text.filter(|text| !text.trim().is_empty())
    }

    /// True if a name is in it, on any level.
    fn holds(&self, name: &[u8]) -> bool {
        [self.before, self.after].into_iter().any(|part| {
            let mut places = std::iter::successors(find(part, name, 0), |at| find(part, name, at + 1));
            places.any(|at| !part.get(at + name.len()).is_some_and(u8::is_ascii_alphanumeric))
        })
    }
}

/// The string behind a key, on any level.
fn text(part: &[u8], key: &[u8]) -> Option<String> {
    let mut at = 0;
    while let Some(found) = find(part, key, at) {
        at = found + key.len();
        if let Some(text) = part.get(at..).and_then(|value| string(value.trim_ascii_start())) {
            return Some(text);
        }
    }
    None
}

/// The common name of the certificate with which a PKCS #7 signature was made: certificates name their issuer and then
/// their subject, and the signature names the issuer of the one that was used at its end.
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

    const HEAD: &str = "%PDF-1.7\n1 0 obj\n(other)\nendobj\n";

    /// A file with a signature, its 7th object, after `before` and with `after` behind the signed range.
    fn signed_with(before: &str, entries: &str, contents: &str, after: &str) -> Vec<u8> {
        let head = format!("{before}\n7 0 obj\n<< /Type /Sig ");
        let tail = format!(" {entries} >>\nendobj\n%%EOF\n");
        let range = |a: usize, b: usize, c: usize| format!("/ByteRange [0 {a:06} {b:06} {c:06}] /Contents ");
        let start = head.len() + range(0, 0, 0).len();
        let end = start + contents.len() + 2;
        format!("{head}{}<{contents}>{tail}{after}", range(start, end, tail.len())).into_bytes()
    }

    fn signed(entries: &str, contents: &str, after: &str) -> Vec<u8> {
        signed_with(HEAD, entries, contents, after)
    }

    fn said(file: &[u8]) -> Vec<String> {
        Signatures::of(file, 1).others()
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

    #[test]
    fn a_signature_is_in_the_field_whose_value_it_is() {
        let fields = "4 0 obj <</FT /Sig /T (Landlord)>> endobj\n5 0 obj <</FT /Sig /T (Tenant) /V 7 0 R>> endobj";
        let file = signed_with(&format!("{HEAD}{fields}"), "/Name (Ann)", "30AF", "");
        let mut signatures = Signatures::of(&file, 2);
        let whole = "signed by Ann; it covers the whole file";
        assert_eq!(signatures.in_field("Landlord"), None);
        assert_eq!(signatures.others(), [whole]);
        assert_eq!(signatures.in_field("Tenant").as_deref(), Some(whole));
        assert!(signatures.others().is_empty());
        // Names that cannot be read, in an encrypted file.
        let file = signed("/Name (Ann)", "30AF", "");
        assert_eq!(Signatures::of(&file, 2).in_field("Tenant"), None);
        assert_eq!(Signatures::of(&file, 1).in_field("Tenant").as_deref(), Some(whole));
    }

    #[test]
    fn what_a_signature_covers_is_told_exactly() {
        let first = String::from_utf8(signed("/Name (Ann)", "30AF", "")).unwrap();
        let again = signed_with(&first, "/Name (Ben) /Type /DocTimeStamp", "30AF", "");
        let expected = [
            "signed by Ann; the file was added to after that, which only a later signature covers",
            "time stamp of Ben; it covers the whole file",
        ];
        assert_eq!(said(&again), expected);
        let changed = [&again[..], b"9 0 obj (more) endobj"].concat();
        assert!(said(&changed).iter().all(|said| said.ends_with("; the file was changed after it was signed")));
        // More than the signature is left out.
        let gap = String::from_utf8(signed("/Name (Ann)", "30AF> /Reason (x) /Cert <30", "")).unwrap();
        assert_eq!(said(gap.as_bytes()), ["signed by Ann; it does not cover the whole file"]);
    }

    #[test]
    fn the_right_to_fill_in_a_form_is_no_signature() {
        assert!(said(&signed("/Name (Maker) /Reference [<</TransformMethod/UR3>>]", "30AF", "")).is_empty());
        assert_eq!(said(&signed("/Name (Ann) /Prop_Build <</URL (x)>>", "30AF", "")).len(), 1);
    }
}
