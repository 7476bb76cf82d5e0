//! Extraction in worker processes, so that a hostile file harms only itself (invariant 7).
//!
//! A worker is the same program, started for this purpose: it reads one job after another from its standard input and
//! answers page by page on its standard output ([`protocol`]). The parent watches time and memory, and ends a worker
//! that exceeds its limits ([`pool`]); the pages read before are kept.

mod attempts;
mod pool;
mod protocol;
mod stop_reason;
mod worker;

pub use pool::{WorkerCommand, WorkerPool};
pub use worker::serve;
