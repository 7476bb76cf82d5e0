//! Text to vectors on the local CPU: model manifest and loading, tokenising, batching, encoders and pooling.
//!
//! [`Embedder`] is the service the engine uses. It loads its model on first need and computes on threads it owns. Below
//! it, [`DenseEncoder`] is what an encoder offers and [`DenseModel`] the implementation for BERT; [`kernels`] holds the
//! arithmetic and [`layers`] wraps it as candle operations.
//!
//! Sequences are never padded: the tokens of a batch are the rows of one `[tokens, hidden]` matrix, and attention looks at
//! the rows of one sequence at a time. A text's vector is therefore the same whatever it is batched with.

mod batch;
mod bert;
mod dense;
mod errors;
mod kernels;
mod layers;
mod locate;
mod manifest;
mod pooling;
mod service;
#[cfg(test)]
mod testing;
mod tokenize;
mod weights;
mod workers;

pub use dense::{DenseEncoder, DenseModel};
pub use locate::find_models_dir;
pub use manifest::{FileSpec, ModelManifest, ModelRole, ModelSpec};
pub use pooling::Pooling;
pub use service::{E1_MODEL, EmbedOptions, Embedder};
