//! `casetrack-lab bench embed`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, Error, Result};
use casetrack_embed::{Embedder, Model, Outputs, Side, TextModel, measure_matmul_peak, resident_memory};
use serde::Serialize;

use crate::output;
use crate::settings::{self, Settings};

/// Measure the speed of the models on chunks of 2000 characters
///
/// Takes the time of the rounds and a few seconds more. The machine should be idle.
#[derive(Debug, clap::Args)]
pub struct EmbedBench {
    /// Text files to cut into chunks
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// e1 (dense), e6 (sparse), e12 (late interaction) or all
    #[arg(long, default_value = "all", value_parser = settings::outputs, value_name = "MODEL")]
    model: Outputs,
    /// Largest number of chunks to embed
    #[arg(long, default_value_t = 64, value_name = "N")]
    chunks: usize,
    /// How many times they are embedded
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
}

/// Length in characters of the chunks, and the distance between their beginnings.
const CHUNK: usize = 2000;
const STRIDE: usize = 1800;

/// A question of 16 tokens, special tokens included.
const QUERY: &str = "When may either party to this agreement terminate it without cause or notice?";

const QUERIES: usize = 100;

/// How fast the models are on this machine. Rates are of the median round.
#[derive(Debug, Clone, Serialize)]
pub struct EmbeddingSpeed {
    pub model: String,
    pub threads: usize,
    pub chunks: usize,
    /// Tokens of all chunks, of the first model if there are several.
    pub tokens: usize,
    pub rounds: usize,
    /// Time of the median round.
    pub seconds: f64,
    pub chunks_per_second: f64,
    pub tokens_per_second: f64,
    /// Billions of floating-point operations a second that the networks' products need.
    pub gflops: f64,
    /// The rate of bare matrix products with the models' kernel.
    pub peak_gflops: f64,
    /// `gflops` divided by `peak_gflops`.
    pub share_of_peak: f64,
    /// Time from nothing to the first query's vector.
    pub load_ms: f64,
    pub query_tokens: usize,
    pub query_p50_ms: f64,
    pub query_p95_ms: f64,
    /// The most memory the process held, sampled every 10 ms.
    pub peak_memory_mb: f64,
}

impl EmbedBench {
    pub fn run(self, settings: &Settings) -> Result<()> {
        let mut text = String::new();
        for file in &self.files {
            let bytes = std::fs::read(file).map_err(|error| Error::io(file.display(), error))?;
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        output::print(&self.measure(settings, &text)?, settings.json, describe)
    }

    fn measure(&self, settings: &Settings, text: &str) -> Result<EmbeddingSpeed> {
        let characters: Vec<char> = text.chars().collect();
        let starts = (0..characters.len().saturating_sub(CHUNK)).step_by(STRIDE).take(self.chunks);
        let texts: Vec<String> = starts.map(|start| characters[start..start + CHUNK].iter().collect()).collect();
        if texts.is_empty() {
            return Err(Error::invalid(format!("The text is shorter than one chunk of {CHUNK} characters.")));
        }
        let (embedder, outputs) = (settings.embedder()?, self.model);
        let threads = match settings.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let peak_gflops = measure_matmul_peak(threads);
        let started = Instant::now();
        embedder.embed_query_as(QUERY, outputs)?;
        let load_ms = milliseconds(started.elapsed());

        let models = models(&embedder, outputs)?;
        let mut operations = 0;
        let mut tokens = 0;
        for (number, model) in models.iter().enumerate() {
            for text in &texts {
                let length = model.tokenize(text, Side::Passage)?.len();
                operations += model.operations(length);
                tokens += if number == 0 { length } else { 0 };
            }
        }
        let (seconds, peak_memory) = with_peak_memory(|| {
            let mut times = Vec::new();
            for _ in 0..self.rounds.max(1) {
                let started = Instant::now();
                embedder.embed(&texts, outputs, &Cancel::default())?;
                times.push(started.elapsed().as_secs_f64());
            }
            Ok(median(times))
        })?;
        let latencies = latencies(&embedder, outputs)?;
        let gflops = operations as f64 / seconds / 1e9;
        let names: Vec<&str> = models.iter().map(|model| model.spec().id.as_str()).collect();
        Ok(EmbeddingSpeed {
            model: names.join(" + "),
            threads,
            chunks: texts.len(),
            tokens,
            rounds: self.rounds.max(1),
            seconds,
            chunks_per_second: texts.len() as f64 / seconds,
            tokens_per_second: tokens as f64 / seconds,
            gflops,
            peak_gflops,
            share_of_peak: gflops / peak_gflops,
            load_ms,
            query_tokens: models[0].tokenize(QUERY, Side::Query)?.len(),
            query_p50_ms: latencies[QUERIES / 2],
            query_p95_ms: latencies[QUERIES * 95 / 100],
            peak_memory_mb: peak_memory as f64 / f64::from(1 << 20),
        })
    }
}

fn describe(speed: &EmbeddingSpeed) -> String {
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
        "{:.0} GFLOP/s, {:.0} % of the matrix products' peak ({:.0})",
        speed.gflops,
        speed.share_of_peak * 100.0,
        speed.peak_gflops
    );
    let _ = write!(
        out,
        "query of {} tokens: p50 {:.1} ms  p95 {:.1} ms; first query, models loaded from disk: {:.0} ms; peak memory {:.0} MB",
        speed.query_tokens, speed.query_p50_ms, speed.query_p95_ms, speed.load_ms, speed.peak_memory_mb
    );
    out
}

/// The times of the queries in milliseconds, ascending.
fn latencies(embedder: &Embedder, outputs: Outputs) -> Result<Vec<f64>> {
    let mut latencies = Vec::new();
    for _ in 0..QUERIES {
        let started = Instant::now();
        embedder.embed_query_as(QUERY, outputs)?;
        latencies.push(milliseconds(started.elapsed()));
    }
    latencies.sort_by(f64::total_cmp);
    Ok(latencies)
}

/// The models that make these outputs, each once.
fn models(embedder: &Embedder, outputs: Outputs) -> Result<Vec<Arc<Model>>> {
    let mut models: Vec<Arc<Model>> = Vec::new();
    for kind in [Outputs::DENSE, Outputs::SPARSE, Outputs::TOKENS] {
        if !outputs.and(kind).is_empty() {
            let model = embedder.model(kind)?;
            if !models.iter().any(|known| known.spec().id == model.spec().id) {
                models.push(model);
            }
        }
    }
    Ok(models)
}

/// Runs the work and returns the most memory that the process held during it, in bytes.
fn with_peak_memory<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, u64)> {
    let (done, peak) = (AtomicBool::new(false), AtomicU64::new(resident_memory()));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                peak.fetch_max(resident_memory(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        Ok((result?, peak.load(Ordering::Relaxed)))
    })
}

/// The middle one; of an even number the upper.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
