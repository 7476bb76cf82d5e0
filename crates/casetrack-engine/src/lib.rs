//! The use cases of CaseTrack, one module each: plain request in, plain response out.
//!
//! Nothing here knows of a protocol or prints. The command line and the MCP server are thin layers over [`Engine`];
//! both serialise the same response types, so their JSON agrees.

pub mod access;
mod annotating;
pub mod briefing;
pub mod changes;
pub mod collections;
pub mod documents;
pub mod embedding;
mod engine;
pub mod eval;
mod graph;
pub mod ingest;
pub mod jobs;
mod names;
pub mod paging;
pub mod reindex;
pub mod search;
pub mod settings;
pub mod sync;
mod upkeep;
pub mod watches;

pub use casetrack_embed::{MemoryMode, ModelProfile, Precision, Side};
pub use casetrack_extract::isolation::{WorkerCommand, serve as serve_reader};
pub use documents::{chunks, pages, structure};
pub use engine::{Engine, EngineConfig};
pub use ingest::inspect;
pub use search::{compare, similar};
pub use upkeep::{doctor, export, import, models, repair, stats, status, verify};
