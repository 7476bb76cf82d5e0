//! The use cases of CaseTrack, one module each: plain request in, plain response out.
//!
//! Nothing here knows of a protocol or prints. The command line and the MCP server are thin layers over [`Engine`];
//! both serialise the same response types, so their JSON agrees.
//!
//! [`Engine`] is the face of this crate and holds no logic. Below it, each layer knows only those after it:
//!
//! | layer | modules |
//! |---|---|
//! | work that goes on by itself | `watches` and `plans` over `jobs` |
//! | use cases, functions that take the host | `eval`, `briefing`, `upkeep`, `search`, `quotes`, `versions`, `threads`, `sync`, `reindex`, `sheet`, `ingest`, `collections`, `rights`, `files`, `file_search`, `space`, `indexes`, `evidence`, `desk`, `documents`, `graph`, `mail` |
//! | what all of them work with | `host` |
//! | an index of texts in memory, which knows nothing of the others | `text_index` |

pub mod access;
pub mod briefing;
pub mod collections;
pub mod database_rights;
pub mod desk;
pub mod documents;
mod engine;
pub mod eval;
pub mod evidence;
pub mod file_search;
pub mod files;
mod graph;
mod host;
pub mod indexes;
pub mod ingest;
pub mod jobs;
mod mail;
mod names;
pub mod paging;
pub mod plans;
pub mod quotes;
pub mod reindex;
mod report;
pub mod rights;
#[cfg(test)]
mod rights_tests;
pub mod search;
pub mod sheet;
pub mod space;
pub mod sync;
mod text_index;
pub mod threads;
pub mod upkeep;
pub mod vaults;
pub mod versions;
pub mod watches;

pub use casetrack_embed::{MemoryMode, ModelProfile, Precision};
pub use casetrack_extract::AUTO_LANGUAGES;
pub use casetrack_extract::isolation::{WorkerCommand, serve as serve_reader};
pub use casetrack_store::{ResealProgress, Waiting, had_a_vault, make_private, note_vault, wipe_content, wipe_file};
pub use documents::facts::CitedPlace;
pub use documents::{bates, chunks, hidden, marking, pages, structure, tracked};
pub use engine::{Engine, PlanChange};
pub use host::{EngineConfig, Host, StorePlace, changes};
pub use ingest::inspect;
pub use search::{compare, every, similar, terms};
pub use upkeep::{doctor, export, import, migrate, models, repair, stats, status, verify};
