//! `casetrack stats`

use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::stats::CollectionStats;
use casetrack_text::format::{bytes, counted};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Show how much disk space a collection uses, by kind
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Stats {
    #[command(flatten)]
    target: InCollection,
}

impl Stats {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let stats = engine.collection_stats(collection.id)?;
        console.print(&stats, describe)?;
        Ok(0)
    }
}

fn describe(stats: &CollectionStats) -> String {
    let mut out = format!(
        "{}: {}, {}, {}\n\n",
        stats.collection,
        counted(stats.documents, "document"),
        counted(stats.pages, "page"),
        counted(stats.chunks, "chunk"),
    );
    for kind in stats.kinds.iter().filter(|kind| kind.bytes > 0) {
        let share = kind.bytes as f64 * 100.0 / stats.total_bytes.max(1) as f64;
        let _ = writeln!(out, "  {:22} {:>12} {share:>6.1} %", kind.kind, bytes(kind.bytes));
    }
    let _ = writeln!(out, "  {:22} {:>12}", "total", bytes(stats.total_bytes));
    if let Some(per_chunk) = stats.bytes_per_chunk {
        let _ = write!(out, "\n{} per chunk, without originals and quarantine.", bytes(per_chunk));
    }
    out
}
