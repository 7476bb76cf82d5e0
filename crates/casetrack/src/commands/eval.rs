//! `casetrack eval`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use casetrack_core::{Cancel, Error, Progress, ProgressSink, Result};
use casetrack_engine::eval::EvalRequest;
use casetrack_engine::search::MAX_TOP_K;
use casetrack_engine::{Engine, StorePlace, eval};
use clap::Args;

use crate::options::Global;
use crate::output;

/// Measure how well search finds the answers to your own questions
///
/// DIR holds the files to search, in DIR/documents, and the questions, in spans.jsonl. Each line of it is a JSON object with "query",
/// "file" (its path below the documents), and "start" and "end" of the answer, half-open, in characters of the text as it was read (see
/// `casetrack inspect FILE --text`). With "page", they count from the beginning of that page; without it, from the beginning of all pages,
/// joined by one form feed each. "spans": [[start, end], ...] lists several answers instead, any of which counts.
///
/// An answer counts as found if the first passages together hold half of it. The output has recall@5, recall@10 and recall@20: the mean
/// share of a question's answers that the first 5, 10 and 20 passages hold. It has them for each stage of the search, for all stages fused,
/// and for the whole search.
///
/// The documents are ingested into a separate collection. All figures except times are the same at each run.
#[derive(Debug, Args)]
pub struct Eval {
    /// Folder with the questions
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Number of results of the whole search
    #[arg(short = 'k', long, default_value_t = 100, value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TOP_K)))]
    top_k: u32,
    /// Keep the collection in this folder, so that the next run does not ingest again [default: a temporary folder]
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// The documents that spans.jsonl names [default: DIR/documents]
    #[arg(long, value_name = "PATH")]
    documents: Option<PathBuf>,
    /// Ask each question separately of each file that has an answer to it
    #[arg(long)]
    within_files: bool,
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
        config.store = StorePlace::Disk;
        let engine = Engine::new(config)?;
        let Self { directory, documents, within_files, top_k, .. } = self;
        let request = EvalRequest { directory, documents, within_files, top_k };
        let cancel = Cancel::default();
        cancel_on_signal(&cancel)?;
        let shown = Arc::new(Mutex::new(output::Progress::new(global.quiet)));
        let report = eval::evaluate(engine.host(), &request, &progress(&shown), &cancel);
        shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
        output::print(&report?, global, |report| casetrack_text::eval::report(report, &[]))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Shows the progress of the ingestion. The report lists the failed files.
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
