//! `casetrack-lab eval`

mod beir;
mod configuration;
mod half;
mod metrics;
mod report;
mod significance;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_core::{Cancel, Error, Progress, ProgressSink, Result};
use casetrack_engine::eval;
use casetrack_engine::eval::{EvalReport, EvalRequest, Evaluation, Judgements, Ranking};
use casetrack_engine::search::MAX_TOP_K;

use crate::output;
use crate::settings::Settings;
use configuration::Configuration;
use half::{Half, HalfOf};
use report::Report;

/// Measure retrieval on judged queries, and compare ways of ranking
///
/// DIR holds one of two kinds of judgements.
///
/// Documents (the layout of BEIR): corpus.jsonl with {"_id", "title", "text"} per line, queries.jsonl with {"_id", "text"}, and qrels.tsv
/// with query, document and grade, separated by tabs. A document ranks where its best passage does. The measures are nDCG@10,
/// recall@10, recall@100 and MRR@10.
///
/// Spans: what `casetrack eval` takes. The measures are recall@5, recall@10 and recall@20.
///
/// All figures but times are the same at each run. Brackets hold 95 % bootstrap intervals over queries.
#[derive(Debug, clap::Args)]
pub struct Eval {
    /// Folder with the judgements
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Number of results of the whole search
    #[arg(short = 'k', long, default_value_t = 100, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TOP_K)))]
    top_k: u32,
    /// Keep the collection in this folder, so that the next run need not ingest again [default: a temporary folder]
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// The documents that spans.jsonl names [default: DIR/documents]
    #[arg(long, value_name = "PATH")]
    documents: Option<PathBuf>,
    /// Ask each query of spans.jsonl separately of each file that has a span for it
    #[arg(long)]
    within_files: bool,
    /// Give a new collection token vectors (E12), by which searches rank the best passages again
    #[arg(long)]
    late_interaction: bool,
    /// Measure only the queries of even or odd numbers, so that a choice on one half is tested on the other
    #[arg(long, value_name = "even|odd")]
    half: Option<Half>,
    /// Measure this way of ranking too: weights=BM25,DENSE,SPARSE, rrf (reciprocal rank fusion), rrf,k=N, stage=bm25, stage=dense or
    /// stage=sparse; with --late-interaction also default,late=WEIGHT and weights=BM25,DENSE,SPARSE,late=WEIGHT. Can be given several times
    #[arg(long, value_name = "RANKING")]
    also: Vec<Configuration>,
    /// Test two ways of ranking against each other, query by query. Can be given once
    #[arg(long, num_args = 2, action = clap::ArgAction::Set, value_names = ["A", "B"])]
    compare: Option<Vec<Configuration>>,
}

impl Eval {
    pub fn run(self, settings: &Settings) -> Result<()> {
        let temporary;
        let work = match &self.work {
            Some(folder) => folder,
            None => {
                temporary = tempfile::tempdir().map_err(|error| Error::io("a temporary folder", error))?;
                temporary.path()
            }
        };
        let work = std::path::absolute(work).map_err(|error| Error::io(work.display(), error))?;
        let engine = settings.engine(&work.join("collections"))?;
        let evaluation = eval::evaluation(engine.host()).with_late_interaction(self.late_interaction);
        let report = self.evaluate(&evaluation, &work.join("corpus"), &progress(settings.quiet))?;
        output::print(&report, settings.json, Report::describe)
    }

    fn evaluate(&self, evaluation: &Evaluation<'_>, corpus_files: &Path, progress: &ProgressSink) -> Result<Report> {
        let cancel = Cancel::default();
        let mut rankings = Ranking::standard();
        rankings.extend(self.also.iter().chain(self.compare.iter().flatten()).map(Configuration::ranking));
        let (ingested, judgements): (_, Box<dyn Judgements>) = if self.directory.join(beir::CORPUS).exists() {
            let (ingested, judged) = beir::read(evaluation, &self.directory, corpus_files, progress, &cancel)?;
            (ingested, Box::new(judged))
        } else {
            let request = EvalRequest {
                directory: self.directory.clone(),
                documents: self.documents.clone(),
                within_files: self.within_files,
                top_k: self.top_k,
            };
            let (ingested, spans) = evaluation.spans(&request, progress, &cancel)?;
            (ingested, Box::new(spans))
        };
        let judgements: Box<dyn Judgements> = match self.half {
            Some(half) => Box::new(HalfOf { whole: judgements, half }),
            None => judgements,
        };
        let measured = evaluation.measure(&ingested, &*judgements, &rankings, self.top_k, &cancel)?;
        let compared = match self.compare.as_deref() {
            Some([a, b]) => Some([a.name.as_str(), b.name.as_str()]),
            _ => None,
        };
        let report = EvalReport::new(&self.directory, &*judgements, &measured);
        Ok(Report::new(report, judgements.measures(), &measured, compared))
    }
}

/// Counts the files on standard error.
fn progress(quiet: bool) -> ProgressSink {
    Arc::new(move |event| match event {
        Progress::Discovered { files } if !quiet => eprintln!("{files} files to read"),
        Progress::FileDone { files, .. } if !quiet && files.is_multiple_of(100) => eprintln!("{files} files read"),
        _ => {}
    })
}
