//! Throughput of E1 embeddings on a text file cut into 2000-character chunks (stride 1800), the shape in which documents
//! are embedded, and latency of a short query.
//!
//! ```text
//! cargo run --release -p casetrack-embed --example embed_throughput -- FILE [chunks] [threads] [rounds]
//! ```
//!
//! Prints the time to load the model, chunks and tokens per second of the best round, and the median latency of a query.

use std::error::Error;
use std::time::{Duration, Instant};

use casetrack_core::Cancel;
use casetrack_embed::{DenseEncoder, DenseModel, E1_MODEL, EmbedOptions, Embedder, ModelManifest, find_models_dir};

const CHUNK: usize = 2000;
const STRIDE: usize = 1800;
const QUERY: &str = "When may either party terminate the agreement for convenience?";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: embed_throughput FILE [chunks=64] [threads=0] [rounds=3]")?;
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |text| text.parse());
    let (limit, threads, rounds) = (number(64)?, number(0)?, number(3)?);

    let text: Vec<char> = String::from_utf8_lossy(&std::fs::read(&path)?).chars().collect();
    let starts = (0..text.len().saturating_sub(CHUNK)).step_by(STRIDE).take(limit);
    let chunks: Vec<String> = starts.map(|start| text[start..start + CHUNK].iter().collect()).collect();
    if chunks.is_empty() {
        return Err(format!("{path} has fewer than {CHUNK} characters").into());
    }

    let models = find_models_dir(None)?;
    let embedder = Embedder::new(models.clone(), EmbedOptions { threads });
    let (first_query, _) = timed(|| embedder.embed_query(QUERY))?;
    println!("first query, model load included: {:.0} ms", milliseconds(first_query));

    let manifest = ModelManifest::load(&models)?;
    let model = DenseModel::load(&manifest, manifest.get(E1_MODEL)?)?;
    let tokens =
        chunks.iter().map(|chunk| Ok(model.tokenize_passage(chunk)?.len())).sum::<Result<usize, Box<dyn Error>>>()?;
    drop(model);

    let mut best = Duration::MAX;
    for _ in 0..rounds.max(1) {
        best = best.min(timed(|| embedder.embed_passages(&chunks, &Cancel::default()))?.0);
    }
    let seconds = best.as_secs_f64();
    println!("{} chunks, {} tokens mean, {threads} threads (0 = cores)", chunks.len(), tokens / chunks.len());
    println!("{:.2} chunks/s, {:.0} tokens/s", chunks.len() as f64 / seconds, tokens as f64 / seconds);

    let mut latencies =
        (0..100).map(|_| Ok(timed(|| embedder.embed_query(QUERY))?.0)).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    latencies.sort();
    println!(
        "query: {:.1} ms median, {:.1} ms at the 95th percentile",
        milliseconds(latencies[50]),
        milliseconds(latencies[95])
    );
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> casetrack_core::Result<T>) -> Result<(Duration, T), Box<dyn Error>> {
    let started = Instant::now();
    let result = work()?;
    Ok((started.elapsed(), result))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
