//! Values that the driver has no types for.

use std::error::Error;

use casetrack_core::{ChunkId, CollectionId, DocumentId};
use half::f16;
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};

type Result<T> = std::result::Result<T, Box<dyn Error + Sync + Send>>;

/// A value in the server's own form, whatever its type is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw(pub Vec<u8>);

impl ToSql for Raw {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Raw {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self> {
        Ok(Self(raw.to_vec()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// An array of such values.
#[derive(Debug)]
pub(crate) struct RawArray(pub Vec<Vec<u8>>);

impl ToSql for RawArray {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull> {
        let Kind::Array(member) = ty.kind() else { return Err("not an array".into()) };
        // One dimension, no nulls, the type of the members, their number, and the index of the first.
        let count = i32::try_from(self.0.len())?;
        for number in [1, 0, member.oid().cast_signed(), count, 1] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        for value in &self.0 {
            out.extend_from_slice(&i32::try_from(value.len())?.to_be_bytes());
            out.extend_from_slice(value);
        }
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        matches!(ty.kind(), Kind::Array(_))
    }

    to_sql_checked!();
}

/// The identifiers of these things.
pub(crate) fn id(of: impl Id) -> Raw {
    Raw(of.bytes().to_vec())
}

pub(crate) fn ids<I: Id>(of: impl IntoIterator<Item = I>) -> RawArray {
    RawArray(of.into_iter().map(|id| id.bytes().to_vec()).collect())
}

pub(crate) trait Id {
    fn bytes(&self) -> [u8; 16];
}

impl Id for CollectionId {
    fn bytes(&self) -> [u8; 16] {
        *self.as_bytes()
    }
}

impl Id for DocumentId {
    fn bytes(&self) -> [u8; 16] {
        *self.as_bytes()
    }
}

impl Id for ChunkId {
    fn bytes(&self) -> [u8; 16] {
        *self.as_bytes()
    }
}

impl Raw {
    /// The 16 bytes of an identifier.
    pub fn uuid(&self) -> [u8; 16] {
        self.0.as_slice().try_into().unwrap_or_default()
    }
}

/// A vector in half precision as pgvector sends and receives it: the dimension, two bytes for later, the components.
pub(crate) fn halfvec(vector: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + 2 * vector.len());
    bytes.extend_from_slice(&(vector.len() as u16).to_be_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes.extend(vector.iter().flat_map(|&x| f16::from_f32(x).to_be_bytes()));
    bytes
}

/// The components of such a vector.
pub(crate) fn components(raw: &Raw) -> Vec<f32> {
    let (pairs, _) = raw.0.get(4..).unwrap_or_default().as_chunks::<2>();
    pairs.iter().map(|pair| f16::from_be_bytes(*pair).to_f32()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back() {
        assert_eq!(components(&Raw(halfvec(&[0.5, -1.0, 0.0]))), [0.5, -1.0, 0.0]);
    }
}
