//! Values: a version byte, then postcard, JSON or raw bytes.

use casetrack_core::{Error, ErrorCode, Result};
use half::f16;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::corrupt;
use crate::schema::VALUE_VERSION;

pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    postcard::to_extend(value, vec![VALUE_VERSION]).map_err(|error| unencodable(&error))
}

pub(crate) fn encode_as<T: Serialize>(version: u8, value: &T) -> Result<Vec<u8>> {
    postcard::to_extend(value, vec![version]).map_err(|error| unencodable(&error))
}

pub fn encode_json<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    let mut bytes = vec![VALUE_VERSION];
    serde_json::to_writer(&mut bytes, value).map_err(|error| unencodable(&error))?;
    Ok(bytes)
}

pub fn encode_raw(bytes: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(1 + bytes.len());
    value.push(VALUE_VERSION);
    value.extend_from_slice(bytes);
    value
}

pub fn encode_vector(vector: &[f32]) -> Vec<u8> {
    let mut value = Vec::with_capacity(1 + 2 * vector.len());
    value.push(VALUE_VERSION);
    value.extend(vector.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()));
    value
}

/// `what` names the value in the error.
pub fn decode<T: DeserializeOwned>(what: &str, value: &[u8]) -> Result<T> {
    decode_as(VALUE_VERSION, what, value)
}

pub(crate) fn decode_as<T: DeserializeOwned>(version: u8, what: &str, value: &[u8]) -> Result<T> {
    postcard::from_bytes(payload_of(version, what, value)?).map_err(|error| undecodable(what, &error))
}

pub fn decode_json<T: DeserializeOwned>(what: &str, value: &[u8]) -> Result<T> {
    serde_json::from_slice(payload(what, value)?).map_err(|error| undecodable(what, &error))
}

pub fn decode_vector(value: &[u8], dimension: usize) -> Result<Vec<f16>> {
    let bytes = payload("vector", value)?;
    if bytes.len() != 2 * dimension {
        let found = bytes.len() as f32 / 2.0;
        return Err(corrupt(format!("A stored vector has {found} components instead of {dimension}.")));
    }
    Ok(bytes.as_chunks::<2>().0.iter().map(|pair| f16::from_le_bytes(*pair)).collect())
}

/// The value without its version byte.
pub fn payload<'v>(what: &str, value: &'v [u8]) -> Result<&'v [u8]> {
    payload_of(VALUE_VERSION, what, value)
}

fn payload_of<'v>(known: u8, what: &str, value: &'v [u8]) -> Result<&'v [u8]> {
    match value.split_first() {
        Some((&version, payload)) if version == known => Ok(payload),
        Some((&version, _)) if version > known => {
            let message = format!("A stored {what} has version {version}; this version of CaseTrack knows {known}.");
            Err(Error::new(ErrorCode::NewerSchema, message).with_hint("Update CaseTrack, then try again."))
        }
        Some((version, _)) => Err(corrupt(format!("A stored {what} has the unknown version {version}."))),
        None => Err(corrupt(format!("A stored {what} is empty."))),
    }
}

fn undecodable(what: &str, error: &dyn std::fmt::Display) -> Error {
    corrupt(format!("A stored {what} cannot be decoded: {error}"))
}

fn unencodable(error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("A value could not be encoded: {error}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn vectors_come_back_within_half_precision(vector in prop::collection::vec(-1.0f32..1.0, 0..64)) {
            let decoded = decode_vector(&encode_vector(&vector), vector.len()).unwrap();
            for (a, b) in vector.iter().zip(&decoded) {
                prop_assert!((a - b.to_f32()).abs() <= a.abs() / 2048.0 + 1e-7);
            }
            let again: Vec<f32> = decoded.iter().map(|x| x.to_f32()).collect();
            prop_assert_eq!(encode_vector(&again), encode_vector(&vector));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = decode::<(u64, String)>("test", &bytes);
            let _ = decode_json::<Vec<u32>>("test", &bytes);
            let _ = decode_vector(&bytes, 8);
        }
    }

    #[test]
    fn versions_are_checked() {
        let value = encode(&7u32).unwrap();
        assert_eq!(decode::<u32>("number", &value).unwrap(), 7);
        let newer = [&[VALUE_VERSION + 1], &value[1..]].concat();
        assert_eq!(decode::<u32>("number", &newer).unwrap_err().code, ErrorCode::NewerSchema);
        assert_eq!(decode::<u32>("number", &[0, 7]).unwrap_err().code, ErrorCode::Corrupt);
        assert_eq!(decode::<u32>("number", &[]).unwrap_err().code, ErrorCode::Corrupt);
        assert_eq!(decode_vector(&encode_vector(&[0.5; 3]), 4).unwrap_err().code, ErrorCode::Corrupt);
    }
}
