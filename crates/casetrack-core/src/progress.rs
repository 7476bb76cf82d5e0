//! Progress events and cancellation of long operations.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

/// A report of a long operation while it runs. Counts are totals so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Progress {
    /// The first event for a listener that joins a running operation: its progress so far.
    Joined(ProgressTotals),
    /// The number of files the operation will look at is known.
    Discovered { files: u64 },
    /// A file is being read. The path is text, as in the report: it is sent to other processes.
    Reading { path: PathBuf },
    /// A file is finished, successfully or not. `problem` is the reason if it failed.
    FileDone { path: PathBuf, problem: Option<String>, files: u64, chunks: u64 },
    /// The number of chunks to embed is known.
    ToEmbed { chunks: u64 },
    /// More chunks have been embedded.
    Embedded { chunks: u64 },
}

/// The totals of the events of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgressTotals {
    /// Files to look at, once known.
    pub total: Option<u64>,
    pub files: u64,
    /// Number of these that failed.
    pub failed: u64,
    pub chunks: u64,
    /// Chunks to embed, if that is known, and the embedded ones among them.
    #[serde(default)]
    pub to_embed: Option<u64>,
    #[serde(default)]
    pub embedded: u64,
}

impl ProgressTotals {
    /// The share of the chunks to embed that is still to be done, as a multiple of the share that is done: the
    /// remaining time in units of the time until now.
    pub fn left(&self) -> Option<f64> {
        let to_embed = self.to_embed.filter(|_| self.embedded > 0)?;
        Some(to_embed.saturating_sub(self.embedded) as f64 / self.embedded as f64)
    }

    pub fn add(&mut self, event: &Progress) {
        match event {
            Progress::Joined(totals) => *self = *totals,
            Progress::Discovered { files } => self.total = Some(*files),
            Progress::FileDone { problem, files, chunks, .. } => {
                self.failed += u64::from(problem.is_some());
                self.files = self.files.max(*files);
                self.chunks = self.chunks.max(*chunks);
            }
            Progress::Reading { .. } => {}
            Progress::ToEmbed { chunks } => self.to_embed = Some(*chunks),
            Progress::Embedded { chunks } => {
                self.chunks = self.chunks.max(*chunks);
                self.embedded = *chunks;
            }
        }
    }
}

/// Receives progress events; called from worker threads, so it must be quick and must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// A flag that stops a running operation at the next safe point. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once it is set.
    pub fn check(&self) -> crate::Result<()> {
        if self.is_cancelled() { Err(crate::Error::cancelled()) } else { Ok(()) }
    }
}
