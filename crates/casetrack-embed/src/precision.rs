//! The numbers that an encoder's layers are computed in.

use std::str::FromStr;

use casetrack_core::Error;
use serde::{Deserialize, Serialize};

use crate::errors::choose;

/// The precision of the matrix products of an encoder's layers; all else is `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    #[default]
    Float32,
    /// Weights of 7 and activations of 8 bits; about twice as fast where the CPU multiplies bytes (AVX2 and later).
    ///
    /// Only for models that make dense vectors: what it costs the others was not measured.
    Int8,
}

impl Precision {
    pub const ALL: [Self; 2] = [Self::Float32, Self::Int8];

    /// What it adds to the identity of a model's weights, since vectors of another precision are other vectors.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Float32 => "",
            Self::Int8 => "+int8",
        }
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        choose("precision", text, &[("float32", Self::Float32), ("int8", Self::Int8)])
    }
}
