//! Learned-sparse vectors, and how they are stored.
//!
//! A stored vector is, for each term in ascending order: the distance from the term before (from -1 at first) as a
//! varint (7 bits a byte, lowest first, the highest bit set on all but the last byte), then the impact, one byte.
//!
//! An impact is the weight times [`IMPACT_SCALE`], rounded, at most 255; weights that round to 0 are left out. A weight
//! up to 3.98 comes back within 1/128; greater ones as 3.98. SPLADE's weights are log(1 + logit): 3.98 is a logit of
//! 53, which the models in use stay below.

use casetrack_core::Result;

use crate::error::corrupt;

/// Steps of an impact in a weight of 1.
pub const IMPACT_SCALE: f32 = 64.0;

/// Ids of terms are below this; the largest vocabularies in use (XLM-R) have a quarter of it.
pub(crate) const MAX_TERM: u32 = 1 << 20;

/// Weights of vocabulary terms, above 0, in ascending order of the terms' ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseVector {
    pub terms: Vec<(u32, f32)>,
}

impl SparseVector {
    /// Its problem, in words that follow "the vector …".
    pub fn problem(&self) -> Option<String> {
        if !self.terms.is_sorted_by(|a, b| a.0 < b.0) {
            return Some("has terms out of order".to_owned());
        }
        if let Some((term, _)) = self.terms.last().filter(|(term, _)| *term >= MAX_TERM) {
            return Some(format!("has the term {term}; they must be below {MAX_TERM}"));
        }
        let wrong = self.terms.iter().find(|(_, weight)| !(weight.is_finite() && *weight > 0.0));
        wrong.map(|(term, weight)| format!("gives the term {term} a weight of {weight}"))
    }

    pub fn impacts(&self) -> impl Iterator<Item = (u32, u8)> {
        let impact = |weight: f32| (weight * IMPACT_SCALE).round().clamp(0.0, 255.0) as u8;
        self.terms.iter().map(move |&(term, weight)| (term, impact(weight))).filter(|&(_, impact)| impact > 0)
    }

    pub fn from_impacts(impacts: &[(u32, u8)]) -> Self {
        Self { terms: impacts.iter().map(|&(term, impact)| (term, f32::from(impact) / IMPACT_SCALE)).collect() }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(3 * self.terms.len());
        let mut next = 0;
        for (term, impact) in self.impacts() {
            push_varint(&mut bytes, term - next);
            bytes.push(impact);
            next = term + 1;
        }
        bytes
    }
}

/// Replaces the content of `impacts` with a stored vector.
pub fn decode_into(mut bytes: &[u8], impacts: &mut Vec<(u32, u8)>) -> Result<()> {
    let damaged = || corrupt("A stored learned-sparse vector cannot be decoded.");
    impacts.clear();
    let mut next = 0;
    while !bytes.is_empty() {
        let gap = take_varint(&mut bytes).filter(|gap| *gap < MAX_TERM).ok_or_else(damaged)?;
        let (&impact, rest) = bytes.split_first().filter(|(impact, _)| **impact > 0).ok_or_else(damaged)?;
        let term = next + gap;
        if term >= MAX_TERM {
            return Err(damaged());
        }
        impacts.push((term, impact));
        next = term + 1;
        bytes = rest;
    }
    Ok(())
}

pub fn push_varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
pub fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    // Most have one byte.
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    if first < 0x80 {
        return Some(first.into());
    }
    let mut number = u32::from(first & 0x7f);
    for place in 1..5 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_come_back_within_their_error(terms in prop::collection::btree_map(0..MAX_TERM, 1e-4f32..3.98, 0..80)) {
            let vector = SparseVector { terms: terms.into_iter().collect() };
            let mut impacts = Vec::new();
            decode_into(&vector.encode(), &mut impacts).unwrap();
            let stored = SparseVector::from_impacts(&impacts);
            for (term, weight) in &vector.terms {
                let found = stored.terms.iter().find(|(other, _)| other == term).map_or(0.0, |(_, weight)| *weight);
                prop_assert!((found - weight).abs() <= 1.0 / 128.0 + 1e-6);
            }
            prop_assert!(stored.terms.iter().all(|(term, _)| vector.terms.iter().any(|(other, _)| other == term)));
            prop_assert_eq!(stored.encode(), vector.encode());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut impacts = Vec::new();
            if decode_into(&bytes, &mut impacts).is_ok() {
                prop_assert_eq!(SparseVector::from_impacts(&impacts).problem(), None);
            }
        }
    }

    #[test]
    fn what_cannot_be_stored_is_named() {
        let problem = |terms: &[(u32, f32)]| SparseVector { terms: terms.to_vec() }.problem();
        assert_eq!(problem(&[(1, 0.5), (7, 9.0)]), None);
        assert!(problem(&[(7, 0.5), (7, 0.5)]).unwrap().contains("out of order"));
        assert!(problem(&[(MAX_TERM, 0.5)]).unwrap().contains("below 1048576"));
        assert!(problem(&[(1, 0.0)]).unwrap().contains("the term 1 a weight of 0"));
        assert!(problem(&[(1, f32::NAN)]).is_some());
    }
}
