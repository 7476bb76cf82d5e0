//! Identifiers: random for collections and documents, derived from content for chunks, and the SHA-256 of a file.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Hexadecimal digits of an identifier, and of its short form.
const DIGITS: usize = 32;
const SHORT: usize = 8;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(#[schemars(with = "String")] Uuid);

        impl $name {
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            /// The 16 bytes that storage keys hold.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// The first eight hexadecimal digits, as shown to people.
            pub fn short(&self) -> String {
                let mut text = self.0.simple().to_string();
                text.truncate(SHORT);
                text
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::parse_str(text.trim()).map(Self)
            }
        }
    };
}

uuid_id! {
    /// One collection (a matter). Random (UUIDv4).
    CollectionId
}
uuid_id! {
    /// One document. Random (UUIDv4) at first ingestion of a path, kept when the file at that path is ingested again.
    DocumentId
}
uuid_id! {
    /// One chunk. Derived from its document, place and text, so that a chunk which did not change keeps its id.
    ChunkId
}

uuid_id! {
    /// One job. Random (UUIDv4).
    JobId
}
uuid_id! {
    /// One watch of a folder. Random (UUIDv4).
    WatchId
}

macro_rules! random_id {
    ($($name:ident),*) => {$(
        impl $name {
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }
        }
    )*};
}

random_id!(CollectionId, DocumentId, JobId, WatchId);

impl ChunkId {
    /// UUIDv5 in the namespace of the document's id over page number, occurrence and text.
    ///
    /// `occurrence` counts the chunks of the same page with the same text that come before this one. Offsets are left
    /// out on purpose: an edit earlier on the page moves a chunk, but does not change its text or its citation.
    pub fn derive(document: DocumentId, page: u32, occurrence: u32, text: &str) -> Self {
        let mut name = Vec::with_capacity(8 + text.len());
        name.extend_from_slice(&page.to_be_bytes());
        name.extend_from_slice(&occurrence.to_be_bytes());
        name.extend_from_slice(text.as_bytes());
        Self(Uuid::new_v5(&document.0, &name))
    }

    /// The least and the greatest id that begins with these hexadecimal digits; hyphens have no meaning. `None` unless there are at least as many
    /// digits as a [short](Self::short) id has, and no more than an id has.
    pub fn beginning_with(prefix: &str) -> Option<RangeInclusive<Self>> {
        let digits: String = prefix.trim().chars().filter(|c| *c != '-').collect();
        if !(SHORT..=DIGITS).contains(&digits.len()) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let filled = |with: char| {
            let rest = DIGITS - digits.len();
            Uuid::try_parse(&(digits.clone() + &with.to_string().repeat(rest))).ok().map(Self)
        };
        Some(filled('0')?..=filled('f')?)
    }
}

/// The SHA-256 digest of a file's bytes; shown and serialised as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(transparent)]
pub struct Sha256(#[schemars(with = "String")] pub [u8; 32]);

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let byte = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
        let bytes = (0..32).map(byte).collect::<Option<Vec<u8>>>().filter(|_| digits);
        let digest = bytes.and_then(|bytes| bytes.try_into().ok()).map(Self);
        digest.ok_or_else(|| format!("\"{text}\" is not a SHA-256 digest (64 hexadecimal digits)"))
    }
}

impl Serialize for Sha256 {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { self.0.serialize(serializer) }
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
        } else {
            <[u8; 32]>::deserialize(deserializer).map(Self)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_ids_depend_on_document_page_occurrence_and_text() {
        let document = DocumentId::random();
        let id = ChunkId::derive(document, 1, 0, "text");
        assert_eq!(id, ChunkId::derive(document, 1, 0, "text"));
        assert_ne!(id, ChunkId::derive(DocumentId::random(), 1, 0, "text"));
        assert_ne!(id, ChunkId::derive(document, 2, 0, "text"));
        assert_ne!(id, ChunkId::derive(document, 1, 1, "text"));
        assert_ne!(id, ChunkId::derive(document, 1, 0, "Text"));
    }

    #[test]
    fn a_short_id_names_all_ids_that_begin_with_it() {
        let id: ChunkId = "4f2ac183-cc10-5569-857f-f00b372e8728".parse().unwrap();
        for prefix in [id.short(), "4F2AC183-cc10".to_owned(), id.to_string()] {
            assert!(ChunkId::beginning_with(&prefix).unwrap().contains(&id), "{prefix}");
        }
        let whole = ChunkId::beginning_with(&id.to_string()).unwrap();
        assert_eq!((whole.start(), whole.end()), (&id, &id));
        assert!(!ChunkId::beginning_with("4f2ac184").unwrap().contains(&id));
        let long = format!("{id}0");
        for wrong in ["", "4f2ac18", "4f2ac18x", "4f2ac18é", &long] {
            assert!(ChunkId::beginning_with(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn digests_round_trip_as_hexadecimal() {
        let digest = Sha256(std::array::from_fn(|i| i as u8 * 7));
        assert_eq!(digest.to_string().parse::<Sha256>().unwrap(), digest);
        assert!("abc".parse::<Sha256>().is_err());
        assert!("zz".repeat(32).parse::<Sha256>().is_err());
    }
}
