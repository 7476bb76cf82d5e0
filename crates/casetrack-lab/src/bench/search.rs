//! `casetrack-lab bench search`

use std::fmt::Write as _;
use std::path::PathBuf;

use casetrack_core::{Error, Result};
use casetrack_engine::search::SearchRequest;
use casetrack_engine::{EngineConfig, collections};
use serde::Serialize;

use crate::output;
use crate::settings::Settings;

/// Measure the latency of search, with models and indexes loaded
///
/// Opens the collection itself: run `casetrack stop` first if CaseTrack is using it.
#[derive(Debug, clap::Args)]
pub struct SearchBench {
    /// Directory that holds the collections [default: the data directory of `casetrack`]
    #[arg(long, env = "CASETRACK_HOME", value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Name, ID or reference of the collection
    #[arg(short, long, value_name = "NAME")]
    collection: String,
    /// File with one query per line
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Number of searches for each query
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: u32,
    /// Results per query
    #[arg(short = 'k', long, default_value_t = 10, value_name = "N")]
    top_k: u32,
}

#[derive(Debug, Serialize)]
struct Latency {
    documents: u64,
    chunks: u64,
    searches: usize,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
    max_ms: f64,
}

impl SearchBench {
    pub fn run(self, settings: &Settings) -> Result<()> {
        output::print(&self.measure(settings)?, settings.json, describe)
    }

    fn measure(&self, settings: &Settings) -> Result<Latency> {
        let text = std::fs::read_to_string(&self.queries).map_err(|error| Error::io(self.queries.display(), error))?;
        let queries: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let Some(first) = queries.first() else {
            return Err(Error::invalid(format!("{} holds no query.", self.queries.display())));
        };
        let data_dir = self.data_dir.clone().map_or_else(EngineConfig::default_data_dir, Ok)?;
        let engine = settings.engine(&data_dir)?;
        let collection = collections::find_collection(engine.host(), &self.collection)?.id;
        let search = |query: &str| {
            let request = SearchRequest { query: query.to_owned(), top_k: self.top_k, ..SearchRequest::default() };
            engine.search(&[collection], &request)
        };
        // Loads the model and the indexes.
        let warm = search(first)?;
        let mut times = Vec::new();
        for _ in 0..self.rounds {
            for query in &queries {
                times.push(search(query)?.elapsed_ms);
            }
        }
        times.sort_by(f64::total_cmp);
        Ok(Latency {
            documents: warm.documents,
            chunks: warm.chunks,
            searches: times.len(),
            p50_ms: percentile(&times, 0.5),
            p95_ms: percentile(&times, 0.95),
            p99_ms: percentile(&times, 0.99),
            max_ms: percentile(&times, 1.0),
        })
    }
}

/// Nearest rank of sorted values; 0 when there are none.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

fn describe(latency: &Latency) -> String {
    let mut out = format!(
        "{} searches of {} documents, {} chunks, model loaded\n",
        latency.searches, latency.documents, latency.chunks
    );
    let _ = write!(
        out,
        "p50 {:.1} ms  p95 {:.1} ms  p99 {:.1} ms  max {:.1} ms",
        latency.p50_ms, latency.p95_ms, latency.p99_ms, latency.max_ms
    );
    out
}
