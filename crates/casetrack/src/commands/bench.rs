//! `casetrack bench`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use casetrack_core::{Error, Result};
use casetrack_engine::embedding::{EmbeddingKind, EmbeddingSpeed};
use casetrack_engine::ingest::Problem;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::args::{Global, OnCollections};
use crate::commands::bench_search::SearchBench;
use crate::output;
use crate::owner::client;

/// Measure this machine on your own documents
#[derive(Debug, Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Search(SearchBench),
    /// Speed of the models on chunks of 2000 characters
    Embed(EmbedBench),
    /// How long files take to read and to cut into chunks, one after another
    Extract(ExtractBench),
}

#[derive(Debug, Args)]
struct ExtractBench {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// One file's reading, or why it gave nothing.
#[derive(Debug, Serialize)]
struct Extracted {
    path: PathBuf,
    seconds: f64,
    pages: usize,
    /// Pages on which some text was read by OCR.
    ocr_pages: usize,
    characters: usize,
    error: Option<Problem>,
}

#[derive(Debug, Args)]
struct EmbedBench {
    /// Text files to cut into chunks
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// e1 (dense), e6 (sparse), e12 (late interaction) or all
    #[arg(long, default_value = "all", value_parser = crate::args::embedding_kind, value_name = "MODEL")]
    model: EmbeddingKind,
    /// Most chunks to embed
    #[arg(long, default_value_t = 64)]
    chunks: usize,
    /// How often they are embedded
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

impl Bench {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        match self.what {
            What::Search(bench) => return client::run(global, OnCollections::BenchSearch(bench)),
            What::Embed(bench) => output::print(&bench.measure(&global)?, global.json, describe_speed)?,
            What::Extract(bench) => {
                output::print(&bench.measure(&global)?, global.json, |files| describe_files(files))?
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl EmbedBench {
    fn measure(&self, global: &Global) -> Result<EmbeddingSpeed> {
        let mut text = String::new();
        for file in &self.files {
            let bytes = std::fs::read(file).map_err(|error| Error::io(file.display(), error))?;
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        global.engine()?.bench_embedding(self.model, &text, self.chunks, self.rounds)
    }
}

fn describe_speed(speed: &EmbeddingSpeed) -> String {
    let mut out = format!(
        "{}: {} chunks of 2000 characters, {:.0} tokens on average, {} threads, {} rounds\n",
        speed.model,
        speed.chunks,
        speed.tokens as f64 / speed.chunks as f64,
        speed.threads,
        speed.rounds
    );
    let _ = writeln!(out, "{:.2} chunks/s  {:.0} tokens/s", speed.chunks_per_second, speed.tokens_per_second);
    let _ = writeln!(
        out,
        "{:.0} GFLOP/s, {:.0} % of the matrix products' peak (ours {:.0}, candle's {:.0})",
        speed.gflops,
        speed.share_of_peak * 100.0,
        speed.peak_gflops,
        speed.candle_peak_gflops
    );
    let _ = write!(
        out,
        "query of {} tokens: p50 {:.1} ms  p95 {:.1} ms; first query, models loaded from disk: {:.0} ms; peak memory {:.0} MB",
        speed.query_tokens, speed.query_p50_ms, speed.query_p95_ms, speed.load_ms, speed.peak_memory_mb
    );
    out
}

impl ExtractBench {
    fn measure(&self, global: &Global) -> Result<Vec<Extracted>> {
        let engine = global.engine()?;
        let read = |path: &PathBuf| {
            let started = Instant::now();
            let inspected = engine.inspect(path, None);
            let seconds = started.elapsed().as_secs_f64();
            let (pages, error) = match inspected {
                Ok(inspection) => (inspection.pages, None),
                Err(error) => (Vec::new(), Some(Problem::from(&error))),
            };
            Extracted {
                path: path.clone(),
                seconds,
                pages: pages.len(),
                ocr_pages: pages.iter().filter(|page| page.ocr_confidence.is_some()).count(),
                characters: pages.iter().map(|page| page.text.chars().count()).sum(),
                error,
            }
        };
        Ok(self.files.iter().map(read).collect())
    }
}

fn describe_files(files: &[Extracted]) -> String {
    let mut out = String::new();
    for file in files {
        let _ = write!(out, "{:8.3} s  {:5} pages  {}", file.seconds, file.pages, file.path.display());
        let _ = match &file.error {
            Some(error) => writeln!(out, ": {}", error.message),
            None => writeln!(out),
        };
    }
    let (seconds, pages) =
        files.iter().fold((0.0, 0), |(seconds, pages), file| (seconds + file.seconds, pages + file.pages));
    let _ = write!(out, "{seconds:8.3} s  {pages:5} pages  {:.1} pages/s", pages as f64 / seconds.max(1e-9));
    out
}
