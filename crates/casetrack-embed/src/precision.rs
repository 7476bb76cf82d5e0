//! The numbers that an encoder's layers are computed in.

use std::fmt;
use std::str::FromStr;

use casetrack_core::Error;
use serde::{Deserialize, Serialize};

use crate::errors::choose;
use crate::kernels::int8;
use crate::manifest::ModelProfile;

/// The precision of the matrix products of an encoder's layers; all else is `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Precision {
    #[default]
    Float32,
    /// Weights of 7 and activations of 8 bits; about twice as fast if the CPU multiplies bytes (AVX2 and later).
    ///
    /// Only for models that make dense or learned-sparse vectors: its cost for late interaction was not measured.
    Int8,
}

impl Precision {
    pub const ALL: [Self; 2] = [Self::Float32, Self::Int8];

    /// The default of new collections: `Int8` for the profiles that it was measured with, if this CPU is fast in it.
    pub fn usual(profile: ModelProfile) -> Self {
        match profile {
            ModelProfile::Compact | ModelProfile::Multilingual if Self::Int8.is_fast() => Self::Int8,
            _ => Self::Float32,
        }
    }

    /// True if this CPU has instructions for it. Without, the same vectors are made slowly.
    pub fn is_fast(self) -> bool {
        self == Self::Float32 || int8::is_fast()
    }

    /// The precision that the identity of a model names.
    pub fn of_model(id: &str) -> Self {
        if id.ends_with(Self::Int8.suffix()) { Self::Int8 } else { Self::Float32 }
    }

    /// Suffix for the identity of a model's weights, since vectors of another precision are other vectors.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Float32 => "",
            Self::Int8 => "+int8",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Float32 => "float32",
            Self::Int8 => "int8",
        })
    }
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        choose("precision", text, &[("float32", Self::Float32), ("int8", Self::Int8)])
    }
}
