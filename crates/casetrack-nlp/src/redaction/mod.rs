//! Redaction of text that is shown without a request for it: addresses, telephone numbers, keys, tokens, cards,
//! accounts.
//!
//! Everything is found in the whole text first, and parts of it are cut afterwards, so that a cut never leaves half of
//! a secret. Dates, amounts, clause numbers and ISBNs stay: `tests/redaction.txt` has both kinds, and a test counts the
//! findings of each.

mod numbers;
mod secrets;

use std::ops::Range;

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    PrivateKey,
    /// A key of a cloud service, a token of an interface, a JSON Web Token, a long run of Base64.
    Token,
    Password,
    /// Passes the check of its issuer and of Luhn (ISO/IEC 7812-1).
    Card,
    /// Has the length of its country and passes the check of ISO 13616 (modulo 97).
    Iban,
    Email,
    Phone,
}

impl Kind {
    /// As markers name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "private key",
            Self::Token => "key or token",
            Self::Password => "password",
            Self::Card => "card number",
            Self::Iban => "bank account",
            Self::Email => "e-mail address",
            Self::Phone => "phone number",
        }
    }
}

/// A place in bytes of the text, half-open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub kind: Kind,
    pub bytes: Range<usize>,
}

/// The text that replaces a secret, up to its kind.
pub const MARKER: &str = "[redacted: ";

/// A part of a text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redacted {
    pub text: String,
    /// How many places were taken out.
    pub count: usize,
}

/// Everything to be taken out of a text, in order and without overlaps. Linear in the text.
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = secrets::find(text);
    found.extend(numbers::find(text));
    found.sort_by_key(|place| (place.bytes.start, place.kind));
    let mut joined: Vec<Secret> = Vec::with_capacity(found.len());
    for place in found {
        match joined.last_mut() {
            // Overlapping places are one secret, such as a password inside an address.
            Some(last) if place.bytes.start < last.bytes.end => {
                last.bytes.end = last.bytes.end.max(place.bytes.end);
                last.kind = last.kind.min(place.kind);
            }
            _ => joined.push(place),
        }
    }
    joined
}

/// The part `bytes` of a text, with a marker for each secret that it touches. Ends of the part inside a character move
/// outwards.
pub fn redact(text: &str, bytes: Range<usize>) -> Redacted {
    let start = text.floor_char_boundary(bytes.start);
    let end = text.ceil_char_boundary(bytes.end.max(start));
    let mut redacted = Redacted::default();
    let mut at = start;
    for Secret { kind, bytes } in
        find(text).into_iter().filter(|place| place.bytes.start < end && place.bytes.end > start)
    {
        redacted.text.push_str(&text[at..bytes.start.max(at)]);
        redacted.text.extend([MARKER, kind.name(), "]"]);
        redacted.count += 1;
        at = bytes.end;
    }
    if at < end {
        redacted.text.push_str(&text[at..end]);
    }
    redacted
}

pub fn redact_all(text: &str) -> Redacted {
    redact(text, 0..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_marked_wherever_the_cut_is() {
        let text = "Write to jane.roe@example.org or call +44 20 7946 0958 today.";
        let whole = redact_all(text);
        assert_eq!(whole.text, "Write to [redacted: e-mail address] or call [redacted: phone number] today.");
        assert_eq!(whole.count, 2);
        let address = "jane.roe@example.org";
        for start in 0..text.len() {
            for end in start..=text.len() {
                let part = redact(text, start..end).text;
                assert!((0..address.len() - 3).all(|at| !part.contains(&address[at..at + 4])), "{part}");
                assert!(!part.contains("7946"), "{part}");
            }
        }
    }

    #[test]
    fn what_overlaps_is_one_secret() {
        let text = "postgres://admin:hunter2@db.example.org:5432/x";
        let found = find(text);
        assert_eq!((found.len(), found[0].kind), (1, Kind::Password));
        assert!(!redact_all(text).text.contains("hunter2"));
        assert_eq!(redact("aé", 2..2).text, "é");
        assert_eq!(redact_all(""), Redacted::default());
    }
}
