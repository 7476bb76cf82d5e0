//! The use cases of CaseTrack: plain request in, plain response out.
//!
//! Nothing here depends on a protocol or prints. The command line and the MCP server are thin layers over [`Engine`] and the functions that
//! take its [`Host`]; both serialise the same response types, so their JSON agrees.
//!
//! Most use cases are in crates of their own, passed on here under short names. Each layer uses only those after it:
//!
//! | layer | modules |
//! |---|---|
//! | work that continues by itself | `watches` and `plans` over `jobs` |
//! | a matter at a glance, and its upkeep | `briefing`, `desk`, `eval`, `evidence`, `sheet`, `upkeep`, `vaults` |
//! | files on the disk | `casetrack-files`: `files`, `file_search`, `space`, `indexes` |
//! | search | `casetrack-search` |
//! | reading files into collections | `casetrack-ingest`: `ingest`, `reindex`, `sync` |
//! | texts compared | `casetrack-compare`: `quotes`, `versions`, `threads`, `mail` |
//! | names and references of a collection | `casetrack-graph` |
//! | settings, open collections and documents, which all of them work with | `casetrack-host` |

pub mod briefing;
pub mod desk;
mod engine;
pub mod eval;
pub mod evidence;
pub mod jobs;
#[cfg(test)]
mod rights_tests;
pub mod sheet;
pub mod upkeep;
pub mod vaults;
pub mod watches;

pub use casetrack_catalog::space::PlanChange;
pub use casetrack_compare::{quotes, threads, versions};
pub use casetrack_embed::{MemoryMode, ModelProfile, Precision};
pub use casetrack_extract::AUTO_LANGUAGES;
pub use casetrack_extract::isolation::{WorkerCommand, serve as serve_reader};
pub use casetrack_files as files;
pub use casetrack_files::{file_search, indexes, space};
pub use casetrack_host::documents::facts::CitedPlace;
pub use casetrack_host::documents::{self, bates, chunks, hidden, marking, pages, structure, tracked_changes};
pub use casetrack_host::{
    EngineConfig, Host, StorePlace, access, changes, collections, database_rights, paging, rights,
};
pub use casetrack_ingest as ingest;
pub use casetrack_ingest::{inspect, reindex, sync};
pub use casetrack_search as search;
pub use casetrack_search::{compare, every, similar, terms};
pub use casetrack_store::{ResealProgress, Waiting, had_a_vault, make_private, note_vault, wipe_content, wipe_file};
pub use engine::{Engine, plans};
pub use upkeep::{doctor, export, import, migrate, models, repair, stats, status, verify};
