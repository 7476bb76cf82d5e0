//! The use cases of CaseTrack, one module each: plain request in, plain response out.
//!
//! Nothing here knows of a protocol or prints. The command line and the MCP server are thin layers over [`Engine`];
//! both serialise the same response types, so their JSON agrees.

pub mod access;
mod annotating;
pub mod briefing;
pub mod changes;
pub mod chunks;
pub mod collections;
pub mod compare;
mod data_dir;
pub mod doctor;
pub mod documents;
pub mod embedding;
mod engine;
pub mod eval;
pub mod export;
mod graph;
pub mod import;
pub mod ingest;
pub mod inspect;
pub mod jobs;
mod lifecycle;
pub mod models;
mod names;
pub mod pages;
pub mod paging;
pub mod reindex;
pub mod repair;
pub mod search;
pub mod settings;
pub mod similar;
pub mod stats;
pub mod status;
pub mod structure;
pub mod sync;
pub mod verify;
pub mod watches;

pub use casetrack_embed::{MemoryMode, ModelProfile, Precision, Side};
pub use casetrack_extract::isolation::{WorkerCommand, serve as serve_reader};
pub use casetrack_store::make_private;
pub use engine::{Engine, EngineConfig};
