//! `casetrack eval`

use std::fmt::Write as _;

use casetrack_engine::eval::EvalReport;

use crate::Reader;
use crate::format::{push_notices, visible};

/// The report as a table. `intervals` has the low and the high end of each mean, in the order of the systems and their measures, or
/// is empty.
pub fn report(report: &EvalReport, intervals: &[Vec<(f64, f64)>]) -> String {
    let EvalReport { directory, documents, chunks, queries, systems, latency, notices } = report;
    let mut out = format!("{directory}: {documents} documents, {chunks} chunks, {queries} questions\n");
    push_notices(&mut out, &Reader::CommandLine.notices(notices));
    let width = systems.iter().map(|system| system.system.len()).max().unwrap_or(0);
    let cell = if intervals.is_empty() { 9 } else { 23 };
    if let Some(first) = systems.first() {
        let _ = write!(out, "\n{:width$}", "");
        for measured in &first.measures {
            let _ = write!(out, "  {:>cell$}", measured.measure);
        }
    }
    for (row, system) in systems.iter().enumerate() {
        let _ = write!(out, "\n{:width$}", system.system);
        for (column, measured) in system.measures.iter().enumerate() {
            let interval = intervals.get(row).and_then(|row| row.get(column));
            let interval = interval.map(|(low, high)| format!(" [{low:.3}, {high:.3}]")).unwrap_or_default();
            let _ = write!(out, "  {:>cell$}", format!("{:.4}{interval}", measured.mean));
        }
    }
    let (p50, p99) = (latency.p50_ms, latency.p99_ms);
    let _ = write!(out, "\n\nTime of a search, models loaded: p50 {p50:.1} ms  p99 {p99:.1} ms");
    visible(&out).into_owned()
}
