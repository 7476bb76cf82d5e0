//! Values of `meta`: whose data a collection's is, and how much of it there is. They have versions of their own.

use casetrack_core::{CollectionId, Result, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::codec::{decode_as, encode_as};

/// A model that makes a vector for each token that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenModel {
    pub id: String,
    /// Components of a token's vector.
    pub dimension: u32,
}

impl TokenModel {
    /// The problem of the stored signs of a chunk's token vectors, in words that follow "the token vectors …".
    pub(crate) fn problem(&self, signs: &[u8]) -> Option<String> {
        let each = self.dimension.div_ceil(8).max(1) as usize;
        (!signs.len().is_multiple_of(each)).then(|| format!("have {} bytes, not {each} for each token", signs.len()))
    }
}

/// Counters of the collection, changed in the same batch as the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct State {
    /// The slot the next chunk gets.
    pub next_slot: u64,
    /// Sequence number of the last change; the first is 1.
    pub last_seq: u64,
    /// Log entries up to this one have been removed.
    pub trimmed_seq: u64,
    pub documents: u64,
    pub pages: u64,
    pub chunks: u64,
    pub sparse_chunks: u64,
    pub annotated_documents: u64,
    /// When a document was last added, changed or removed; earlier versions did not keep it.
    pub changed_at: Option<Timestamp>,
    pub token_chunks: u64,
}

/// Whose data this is. Checked against `collection.json` on open, so that directories cannot be mixed up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub collection: CollectionId,
    pub dense_model: String,
    pub dense_dimension: u32,
    /// The model of learned-sparse vectors, if the collection has one.
    pub sparse_model: Option<String>,
    /// The model of token vectors, if the collection has one.
    pub token_model: Option<TokenModel>,
}

const STATE_VERSION: u8 = 5;
const IDENTITY_VERSION: u8 = 3;

impl State {
    pub fn encode(&self) -> Result<Vec<u8>> {
        encode_as(STATE_VERSION, self)
    }

    pub fn decode(value: &[u8]) -> Result<Self> {
        decode_any("state", value, STATE_VERSION, |version| match version {
            1 => &[0, 0, 0, 0],
            2 => &[0, 0, 0],
            3 => &[0, 0],
            _ => &[0],
        })
    }
}

impl Identity {
    pub fn encode(&self) -> Result<Vec<u8>> {
        encode_as(IDENTITY_VERSION, self)
    }

    pub fn decode(value: &[u8]) -> Result<Self> {
        decode_any("identity", value, IDENTITY_VERSION, |version| if version == 1 { &[0, 0] } else { &[0] })
    }
}

/// A value of `newest` or an earlier version. Each version added fields at the end; `missing` gives those that an
/// earlier one lacks, encoded: 0, `None` or an empty list, a byte each.
pub(super) fn decode_any<T: DeserializeOwned>(
    what: &str,
    value: &[u8],
    newest: u8,
    missing: impl Fn(u8) -> &'static [u8],
) -> Result<T> {
    match value.first() {
        Some(&version) if (1..newest).contains(&version) => {
            decode_as(version, what, &[value, missing(version)].concat())
        }
        _ => decode_as(newest, what, value),
    }
}

/// The bytes of released values: see the test of the same kind in `records`.
#[cfg(test)]
mod tests {
    use casetrack_core::ErrorCode;

    use super::*;

    fn state(sparse_chunks: u64, annotated_documents: u64) -> State {
        State {
            next_slot: 1,
            last_seq: 2,
            trimmed_seq: 3,
            documents: 4,
            pages: 5,
            chunks: 6,
            sparse_chunks,
            annotated_documents,
            changed_at: None,
            token_chunks: 0,
        }
    }

    #[test]
    fn states_of_every_schema_are_read_for_ever() {
        assert_eq!(State::decode(&[1, 1, 2, 3, 4, 5, 6]).unwrap(), state(0, 0));
        assert_eq!(State::decode(&[2, 1, 2, 3, 4, 5, 6, 7]).unwrap(), state(7, 0));
        assert_eq!(State::decode(&[3, 1, 2, 3, 4, 5, 6, 7, 8]).unwrap(), state(7, 8));
        let changed = State { changed_at: Some(Timestamp(1)), ..state(7, 8) };
        assert_eq!(State::decode(&[4, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2]).unwrap(), changed);
        let bytes = [5, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 9];
        let changed = State { token_chunks: 9, ..changed };
        assert_eq!(State::decode(&bytes).unwrap(), changed);
        assert_eq!(changed.encode().unwrap(), bytes);
        assert_eq!(State::decode(&[1, 1, 2, 3, 4, 5]).unwrap_err().code, ErrorCode::Corrupt);
        assert_eq!(State::decode(&[2, 1, 2, 3, 4, 5, 6]).unwrap_err().code, ErrorCode::Corrupt);
        assert_eq!(State::decode(&[6, 1]).unwrap_err().code, ErrorCode::NewerSchema);
        assert_eq!(State::decode(&[0, 1]).unwrap_err().code, ErrorCode::Corrupt);
        assert_eq!(State::decode(&[]).unwrap_err().code, ErrorCode::Corrupt);
    }

    #[test]
    fn identities_of_every_schema_are_read_for_ever() {
        let collection = CollectionId::from_bytes([8; 16]);
        let identity = Identity {
            collection,
            dense_model: "m".into(),
            dense_dimension: 384,
            sparse_model: Some("s".into()),
            token_model: Some(TokenModel { id: "t".into(), dimension: 96 }),
        };
        let mut bytes = vec![3, 16];
        bytes.extend([8; 16]);
        bytes.extend([1, b'm', 0x80, 0x03]);
        let without = [&[1], &bytes[1..]].concat();
        bytes.extend([1, 1, b's']);
        let of_schema_2 = [&[2], &bytes[1..]].concat();
        bytes.extend([1, 1, b't', 96]);
        assert_eq!(identity.encode().unwrap(), bytes);
        assert_eq!(Identity::decode(&bytes).unwrap(), identity);
        let identity = Identity { token_model: None, ..identity };
        assert_eq!(Identity::decode(&of_schema_2).unwrap(), identity);
        assert_eq!(Identity::decode(&without).unwrap(), Identity { sparse_model: None, ..identity });
        assert_eq!(Identity::decode(&[4, 1]).unwrap_err().code, ErrorCode::NewerSchema);
    }
}
