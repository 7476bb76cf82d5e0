//! `casetrack eval`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::{Cancel, Error, Progress, ProgressSink, Result};
use casetrack_engine::Engine;
use casetrack_engine::eval::{Comparison, Configuration, EvalReport, EvalRequest};
use clap::Args;

use crate::args::Global;
use crate::output;

/// Measure how well search finds what it should, on judged queries
///
/// DIR holds one of two kinds of judgements.
///
/// Documents (the layout of BEIR): corpus.jsonl with {"_id", "title", "text"} a line, queries.jsonl with {"_id", "text"}, and qrels.tsv
/// with query, document and grade, separated by tabs. A document ranks where its best passage does. Measured are nDCG@10,
/// recall@10, recall@100 and MRR@10.
///
/// Spans: files in DIR/documents, and spans.jsonl with {"query", "file", "start", "end"} a line, in characters of the text as it was
/// read, half-open; with "page" of that page, without it of all pages joined by one form feed each. "spans": [[start, end], ...]
/// instead names several places of which any will do. A span is found when the first passages together hold half of it. Measured
/// are recall@5, recall@10 and recall@20.
///
/// The documents are ingested into a collection of their own, apart from yours. All figures but times are the same at each run.
/// Brackets hold 95 % bootstrap intervals over queries.
#[derive(Debug, Args)]
pub struct Eval {
    /// Folder with the judgements
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Results asked of the whole search
    #[arg(short = 'k', long, default_value_t = 100, value_name = "N")]
    top_k: u32,
    /// Keep the collection in this folder, so that the next run need not ingest again [default: a temporary folder]
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// The documents that spans.jsonl names [default: DIR/documents]
    #[arg(long, value_name = "PATH")]
    documents: Option<PathBuf>,
    /// Ask each query of spans.jsonl of each file that has a span for it, alone
    #[arg(long)]
    within_files: bool,
    /// Measure this way of ranking too: weights=BM25,DENSE,SPARSE, rrf (reciprocal rank fusion), rrf,k=N, stage=bm25, stage=dense or
    /// stage=sparse. Can be given several times
    #[arg(long, value_name = "RANKING")]
    also: Vec<Configuration>,
    /// Test two ways of ranking against each other, query by query
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    compare: Option<Vec<Configuration>>,
}

impl Eval {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let temporary;
        let work = match &self.work {
            Some(folder) => folder.clone(),
            None => {
                temporary = tempfile::tempdir().map_err(|error| Error::io("a temporary folder", error))?;
                temporary.path().to_owned()
            }
        };
        let work = std::path::absolute(&work).map_err(|error| Error::io(work.display(), error))?;
        let mut config = global.config()?;
        config.data_dir = work.join("collections");
        let engine = Engine::new(config)?;
        let compare = self.compare.and_then(|two| <[Configuration; 2]>::try_from(two).ok());
        let request = EvalRequest {
            directory: self.directory,
            documents: self.documents,
            within_files: self.within_files,
            corpus_files: work.join("corpus"),
            top_k: self.top_k,
            also: self.also,
            compare: compare.map(|[a, b]| (a, b)),
        };
        let cancel = Cancel::default();
        cancel_on_signal(&cancel)?;
        let shown = Arc::new(Mutex::new(output::Progress::new(global.quiet)));
        let report = engine.evaluate(&request, &progress(&shown), &cancel);
        shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
        output::print(&report?, global.json, |report| output::printable(&describe(report)))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Shows how ingestion goes on: the failed files are in the report.
fn progress(shown: &Arc<Mutex<output::Progress>>) -> ProgressSink {
    let shown = Arc::clone(shown);
    Arc::new(move |event| {
        // A line for each of thousands of small files is of no use.
        if std::io::IsTerminal::is_terminal(&std::io::stderr()) || !matches!(event, Progress::FileDone { .. }) {
            shown.lock().unwrap_or_else(PoisonError::into_inner).show(event);
        }
    })
}

/// The first Ctrl-C stops at the next safe point, so that a temporary folder is removed; the second ends at once.
fn cancel_on_signal(cancel: &Cancel) -> Result<()> {
    let cancel = cancel.clone();
    ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            std::process::exit(130);
        }
        cancel.cancel();
    })
    .map_err(|error| Error::internal(format!("signal handler: {error}")))
}

fn describe(report: &EvalReport) -> String {
    let mut out = format!(
        "{}: {} documents, {} chunks, {} judged queries\n",
        report.directory, report.documents, report.chunks, report.queries
    );
    for notice in &report.notices {
        let _ = writeln!(out, "Note: {notice}");
    }
    let width = report.systems.iter().map(|system| system.system.len()).max().unwrap_or(0).max(8);
    if let Some(first) = report.systems.first() {
        let mut header = format!("{:width$}", "");
        for measured in &first.measures {
            let _ = write!(header, "  {:<20}", measured.measure);
        }
        let _ = write!(out, "\n{}", header.trim_end());
    }
    for system in &report.systems {
        let _ = write!(out, "\n{:width$}", system.system);
        for measured in &system.measures {
            let _ = write!(out, "  {:.4} [{:.3}, {:.3}]", measured.mean, measured.low, measured.high);
        }
    }
    let _ = write!(
        out,
        "\n\nTime of a search, models loaded: p50 {:.1} ms  p99 {:.1} ms",
        report.latency.p50_ms, report.latency.p99_ms
    );
    if let Some(comparison) = &report.comparison {
        compared(&mut out, comparison);
    }
    out
}

fn compared(out: &mut String, comparison: &Comparison) {
    let _ = write!(out, "\n\n{} against {}", comparison.b, comparison.a);
    for of in &comparison.differences {
        let _ = write!(
            out,
            "\n{:10}  {:.4} against {:.4}: {:+.4} [{:+.4}, {:+.4}], p = {:.4}",
            of.measure, of.b, of.a, of.difference, of.low, of.high, of.p_value
        );
    }
}
