//! The layout of a collection's RocksDB: column families, keys and values.
//!
//! | column family | key | value |
//! |---|---|---|
//! | `meta` | `0` (one byte) | `State`: counters of the whole collection |
//! | | `1` | `Identity`: whose data this is, and the models behind its vectors |
//! | | `2` | JSON: a copy of `collection.json`, for when that is lost |
//! | | `3` | `EvidenceTray`: the passages that users collected; absent if there are none |
//! | | `4` | in vaults: the latest generation of the header that was seen (`u64`) |
//! | | `5` | in vaults: SHA-256 of `columns.json`, and of the one that takes its place, while it is written |
//! | | `6` · a name | a memo: data that the engine derived from the documents, and can derive again |
//! | | `7` · a name | a note: data that the engine recorded and cannot derive again |
//! | `documents` | document id | JSON: `DocumentMeta` and the document's first slot |
//! | `path_index` | SHA-256 of the source path | document id |
//! | `hash_index` | SHA-256 of the file · document id | nothing |
//! | `pages` | document id · page | page without text and layout |
//! | `page_layout` | document id · page | blocks, and boxes of the lines |
//! | `page_text` | document id · page · segment | [`SEGMENT_BYTES`] bytes of the page's UTF-8 text; a character may straddle two |
//! | `chunks` | document id · chunk index | chunk without its text, which is a slice of the page's |
//! | `chunk_ids` | chunk id | document id · chunk index |
//! | `vectors` | document id · chunk index | the E1 vector, IEEE 754 half precision, little endian |
//! | `sparse_vectors` | document id · chunk index | the E6 vector (`records::sparse_vector`); none for chunks that no model has embedded so |
//! | `token_vectors` | document id · chunk index | the signs of the E12 vectors of its tokens; none for chunks without them |
//! | `annotations` | document id | entities, mentions and references; none for documents that were stored without analysis |
//! | `slots` | first slot of a document | document id, number of chunks |
//! | `oplog` | sequence number | `Op`: slots that a change took away and added |
//!
//! Ids are 16 bytes, digests 32; pages and chunk indexes are big-endian `u32`, slots and sequence numbers big-endian
//! `u64`, so that keys sort as their parts do. Keys hold ids, digests and numbers only, never text or names but those
//! of memos and notes, which the program gives: the values, which do, can be encrypted without touching the keys.
//!
//! Every value begins with a version byte: [`VALUE_VERSION`], except for `State` (5 since schema 4) and `Identity` (3
//! since schema 4), which are read in every version. The rest is postcard, except for raw text and vectors, and
//! `documents`, which is JSON: other layers add fields to it, and JSON reads them by name. So came the marks of users,
//! which need no schema of their own.
//!
//! | schema | additions |
//! |---|---|
//! | 1 | |
//! | 2 | `sparse_vectors`; their model in `Identity`, their number in `State` |
//! | 3 | `annotations`; the number of documents that have them in `State` |
//! | 4 | `token_vectors`; their model in `Identity`, their number in `State` |
//!
//! A *slot* is a number that a chunk gets when it is stored: increasing, never used again, contiguous within a
//! document. The derived indexes know chunks only by their slots, so a hit on a slot that is gone can be distinguished
//! from any other.

use casetrack_core::{ChunkId, DocumentId, Sha256};
use sha2::Digest;

/// Version of everything above. A store of a higher one is refused.
pub const SCHEMA_VERSION: u32 = 4;

/// First byte of most values.
pub const VALUE_VERSION: u8 = 1;

/// Bytes of page text in one value, so that a chunk of a huge sheet reads only its part of it.
pub const SEGMENT_BYTES: u32 = 64 << 10;

/// Names of the column families.
pub mod cf {
    pub const META: &str = "meta";
    pub const DOCUMENTS: &str = "documents";
    pub const PATH_INDEX: &str = "path_index";
    pub const HASH_INDEX: &str = "hash_index";
    pub const PAGES: &str = "pages";
    pub const PAGE_LAYOUT: &str = "page_layout";
    pub const PAGE_TEXT: &str = "page_text";
    pub const CHUNKS: &str = "chunks";
    pub const CHUNK_IDS: &str = "chunk_ids";
    pub const VECTORS: &str = "vectors";
    pub const SPARSE_VECTORS: &str = "sparse_vectors";
    pub const TOKEN_VECTORS: &str = "token_vectors";
    pub const ANNOTATIONS: &str = "annotations";
    pub const SLOTS: &str = "slots";
    pub const OPLOG: &str = "oplog";

    /// All of them. A new one goes to the end: `repair` relies on RocksDB's numbers for them, which follow this order.
    pub const ALL: [&str; 15] = [
        META,
        DOCUMENTS,
        PATH_INDEX,
        HASH_INDEX,
        PAGES,
        PAGE_LAYOUT,
        PAGE_TEXT,
        CHUNKS,
        CHUNK_IDS,
        VECTORS,
        SLOTS,
        OPLOG,
        SPARSE_VECTORS,
        ANNOTATIONS,
        TOKEN_VECTORS,
    ];

    /// Those whose keys begin with a document id and which go when the document goes.
    pub const BY_DOCUMENT: [&str; 8] =
        [PAGES, PAGE_LAYOUT, PAGE_TEXT, CHUNKS, VECTORS, SPARSE_VECTORS, TOKEN_VECTORS, ANNOTATIONS];
}

pub const STATE_KEY: [u8; 1] = [0];
pub const IDENTITY_KEY: [u8; 1] = [1];
pub const MANIFEST_KEY: [u8; 1] = [2];
/// Earlier programs of the same schema leave it as it is.
pub const EVIDENCE_KEY: [u8; 1] = [3];
pub const GENERATION_KEY: [u8; 1] = [4];
pub const COLUMNS_KEY: [u8; 1] = [5];
/// Before the name of a memo. Earlier programs of the same schema leave them as they are.
pub const MEMO_KEY: u8 = 6;
/// Before the name of a note. Earlier programs of the same schema leave them as they are.
pub const NOTE_KEY: u8 = 7;

pub fn numbered_key(document: DocumentId, number: u32) -> [u8; 20] {
    let mut key = [0; 20];
    key[..16].copy_from_slice(document.as_bytes());
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}

pub fn text_key(document: DocumentId, page: u32, segment: u32) -> [u8; 24] {
    let mut key = [0; 24];
    key[..20].copy_from_slice(&numbered_key(document, page));
    key[20..].copy_from_slice(&segment.to_be_bytes());
    key
}

pub fn path_key(path: &str) -> [u8; 32] {
    sha2::Sha256::digest(path.as_bytes()).into()
}

pub fn hash_key(sha256: Sha256, document: DocumentId) -> [u8; 48] {
    let mut key = [0; 48];
    key[..32].copy_from_slice(&sha256.0);
    key[32..].copy_from_slice(document.as_bytes());
    key
}

pub fn sequence_key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// A half-open range of keys that holds every key which begins with the document's id and no other.
pub fn document_range(document: DocumentId) -> (Vec<u8>, Vec<u8>) {
    let start = document.as_bytes().to_vec();
    let mut end = start.clone();
    // Longer than any number that follows an id in a key, and greater.
    end.extend([0xff; 9]);
    (start, end)
}

/// The id that a key or value begins with.
pub fn leading_document(bytes: &[u8]) -> Option<DocumentId> {
    bytes.first_chunk::<16>().map(|id| DocumentId::from_bytes(*id))
}

pub fn parse_numbered_key(key: &[u8]) -> Option<(DocumentId, u32)> {
    let (document, number) = key.split_first_chunk::<16>()?;
    Some((DocumentId::from_bytes(*document), u32::from_be_bytes(number.try_into().ok()?)))
}

pub fn parse_text_key(key: &[u8]) -> Option<(DocumentId, u32, u32)> {
    let (page, segment) = key.split_at_checked(20)?;
    let (document, page) = parse_numbered_key(page)?;
    Some((document, page, u32::from_be_bytes(segment.try_into().ok()?)))
}

pub fn parse_hash_key(key: &[u8]) -> Option<(Sha256, DocumentId)> {
    let (digest, document) = key.split_first_chunk::<32>()?;
    Some((Sha256(*digest), DocumentId::from_bytes(document.try_into().ok()?)))
}

pub fn parse_sequence_key(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.try_into().ok()?))
}

pub fn parse_chunk_id(key: &[u8]) -> Option<ChunkId> {
    Some(ChunkId::from_bytes(key.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_sort_as_their_parts(
            a in (any::<[u8; 16]>(), any::<u32>(), any::<u32>()),
            b in (any::<[u8; 16]>(), any::<u32>(), any::<u32>()),
        ) {
            let id = DocumentId::from_bytes;
            prop_assert_eq!(text_key(id(a.0), a.1, a.2).cmp(&text_key(id(b.0), b.1, b.2)), a.cmp(&b));
            prop_assert_eq!(numbered_key(id(a.0), a.1).cmp(&numbered_key(id(b.0), b.1)), (a.0, a.1).cmp(&(b.0, b.1)));
            let (a, b) = (u64::from(a.1) << 32 | u64::from(a.2), u64::from(b.1) << 32 | u64::from(b.2));
            prop_assert_eq!(sequence_key(a).cmp(&sequence_key(b)), a.cmp(&b));
        }

        #[test]
        fn keys_give_their_parts_back(document in any::<[u8; 16]>(), digest in any::<[u8; 32]>(), a in any::<u32>(), b in any::<u32>()) {
            let document = DocumentId::from_bytes(document);
            prop_assert_eq!(parse_numbered_key(&numbered_key(document, a)), Some((document, a)));
            prop_assert_eq!(parse_text_key(&text_key(document, a, b)), Some((document, a, b)));
            prop_assert_eq!(parse_hash_key(&hash_key(Sha256(digest), document)), Some((Sha256(digest), document)));
            prop_assert_eq!(leading_document(&text_key(document, a, b)), Some(document));
        }

        #[test]
        fn the_range_of_a_document_holds_its_keys_only(
            document in any::<[u8; 16]>(), other in any::<[u8; 16]>(), a in any::<u32>(), b in any::<u32>(),
        ) {
            let (start, end) = document_range(DocumentId::from_bytes(document));
            let holds = |key: &[u8]| start.as_slice() <= key && key < end.as_slice();
            prop_assert!(holds(&numbered_key(DocumentId::from_bytes(document), a)));
            prop_assert!(holds(&text_key(DocumentId::from_bytes(document), a, b)));
            prop_assert_eq!(holds(&text_key(DocumentId::from_bytes(other), a, b)), document == other);
        }
    }

    #[test]
    fn keys_of_another_length_are_refused() {
        assert_eq!(parse_numbered_key(&[0; 19]), None);
        assert_eq!(parse_numbered_key(&[0; 21]), None);
        assert_eq!(parse_text_key(&[0; 20]), None);
        assert_eq!(parse_hash_key(&[0; 47]), None);
        assert_eq!(parse_sequence_key(&[0; 9]), None);
        assert_eq!(parse_chunk_id(&[0; 15]), None);
        assert_eq!(leading_document(&[0; 15]), None);
    }
}
