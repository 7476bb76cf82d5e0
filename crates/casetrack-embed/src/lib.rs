//! Text to vectors on the local CPU: model manifest and loading, tokenising, batching, encoders and pooling.
//!
//! [`Embedder`] is the service the engine uses. It loads a model on first need and computes on threads it owns. Below
//! it a [`Model`] is a tokenizer, an [encoder](encoder) and heads, one trait for each kind of output: [`DenseHead`]
//! (E1), [`SparseHead`] (E6) and [`TokenHead`] (E12). [`architectures`] has the names of tensors; [`kernels`] holds the
//! arithmetic, of which [`layers`] are made.
//!
//! Sequences are never padded: the tokens of a batch are the rows of one `[tokens, hidden]` matrix, and attention looks
//! at the rows of one sequence at a time. The output for a text is therefore the same in every batch.

mod architectures;
mod batch;
mod checksum;
mod dense;
mod encoder;
mod errors;
mod kernels;
mod late_interaction;
mod layers;
mod manifest;
mod memory;
mod model;
mod models_dir;
mod outputs;
mod package;
mod peak;
mod pooling;
mod precision;
mod pull;
mod pull_record;
#[cfg(test)]
mod reference;
mod service;
mod sign_vectors;
mod sparse;
mod state;
#[cfg(test)]
mod testing;
mod tokenize;
mod unigram;
mod weights;
mod workers;

pub use dense::DenseHead;
pub use late_interaction::{TokenHead, max_sim};
pub use manifest::{FileSpec, LateInteractionSpec, ModelManifest, ModelProfile, ModelRole, ModelSpec};
pub use memory::{MemoryMode, resident_memory};
pub use model::{Model, TextModel};
pub use models_dir::{find_models_dir, model_folder, pulled_models_dir};
pub use outputs::{Embeddings, Outputs, Side, SparseVector, TokenVectors};
pub use package::{AddedModel, add};
pub use peak::measure_matmul_peak;
pub use pooling::Pooling;
pub use precision::Precision;
pub use pull::{HubSettings, Patience, PullEvent, PulledModel, pull};
pub use service::{EmbedOptions, Embedder};
pub use sign_vectors::{SignQuery, SignVectors};
pub use sparse::SparseHead;
pub use state::ModelState;
