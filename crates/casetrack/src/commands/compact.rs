//! `casetrack compact`

use std::fmt::Write as _;

use casetrack_core::Result;
use casetrack_engine::stats::{CollectionStats, CompactReport};
use casetrack_text::format::{bytes, duration};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Free the space that deleted and replaced documents left behind
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Compact {
    #[command(flatten)]
    target: InCollection,
}

impl Compact {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let report = engine.compact_collection(collection.id)?;
        console.print(&report, describe)?;
        Ok(0)
    }
}

fn describe(report: &CompactReport) -> String {
    let CompactReport { before, after, duration_ms } = report;
    let mut out = format!("Compacted: {} ({})\n\n", after.collection, duration(*duration_ms));
    let _ = writeln!(out, "  {:22} {:>12} {:>12}", "", "before", "after");
    let mut line = |kind: &str, before: u64, after: u64| {
        let _ = writeln!(out, "  {kind:22} {:>12} {:>12}", bytes(before), bytes(after));
    };
    let rocksdb = |stats: &CollectionStats| sum(stats, |kind| kind.starts_with("rocksdb/"));
    line("documents (RocksDB)", rocksdb(before), rocksdb(after));
    for kind in after.kinds.iter().filter(|kind| !kind.kind.starts_with("rocksdb/")) {
        line(&kind.kind, sum(before, |name| name == kind.kind), kind.bytes);
    }
    line("total", before.total_bytes, after.total_bytes);
    out
}

fn sum(stats: &CollectionStats, wanted: impl Fn(&str) -> bool) -> u64 {
    stats.kinds.iter().filter(|kind| wanted(&kind.kind)).map(|kind| kind.bytes).sum()
}
