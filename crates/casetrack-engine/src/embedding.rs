//! The models on their own: vectors of given texts for scripts, and their speed on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, Error, Result};
use casetrack_embed::{
    Embedder, Embeddings, Model, Outputs, Side, SignVectors, TextModel, measure_matmul_peak, resident_memory,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::host::Host;

/// Which output of the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingKind {
    /// One vector a text (E1).
    Dense,
    /// Weights of vocabulary terms (E6).
    Sparse,
    /// One vector a token (E12).
    LateInteraction,
    /// All three, as ingestion would need them.
    All,
}

impl EmbeddingKind {
    fn outputs(self) -> Outputs {
        match self {
            Self::Dense => Outputs::DENSE,
            Self::Sparse => Outputs::SPARSE,
            Self::LateInteraction => Outputs::TOKENS,
            Self::All => Outputs::ALL,
        }
    }
}

/// What to make of texts.
#[derive(Debug, Clone, Copy)]
pub struct EmbedRequest {
    pub kind: EmbeddingKind,
    pub side: Side,
    /// Token vectors as computed instead of as stored.
    pub exact: bool,
}

/// Length in characters of the chunks that [`bench_embedding`] cuts, and the distance of their beginnings.
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
    /// Of the median round.
    pub seconds: f64,
    pub chunks_per_second: f64,
    pub tokens_per_second: f64,
    /// Billions of floating-point operations a second that the networks' products need.
    pub gflops: f64,
    /// The same of products alone, by our kernel and by candle's.
    pub peak_gflops: f64,
    pub candle_peak_gflops: f64,
    /// `gflops` of the greater of the two.
    pub share_of_peak: f64,
    /// Time from nothing to the first query's vector.
    pub load_ms: f64,
    pub query_tokens: usize,
    pub query_p50_ms: f64,
    pub query_p95_ms: f64,
    /// The most memory the process held, sampled every 10 ms.
    pub peak_memory_mb: f64,
}

pub(crate) fn embed_texts(
    host: &Host,
    request: &EmbedRequest,
    texts: &[String],
    cancel: &Cancel,
) -> Result<Vec<Value>> {
    let embedder = host.embedder()?;
    let outputs = request.kind.outputs();
    let embeddings = match request.side {
        Side::Passage => embedder.embed(texts, outputs, cancel)?,
        Side::Query => {
            let mut all = Embeddings::default();
            for text in texts {
                let one = embedder.embed_query_as(text, outputs)?;
                all.dense.extend(one.dense);
                all.sparse.extend(one.sparse);
                all.tokens.extend(one.tokens);
            }
            all
        }
    };
    let mut values = vec![Map::new(); texts.len()];
    for (value, vector) in values.iter_mut().zip(embeddings.dense) {
        value.insert("vector".to_owned(), json!(vector));
    }
    if outputs.sparse {
        let model = embedder.model(Outputs::SPARSE)?;
        for (value, vector) in values.iter_mut().zip(embeddings.sparse) {
            let terms = vector.terms.iter().map(|&(id, weight)| (token(&model, id), json!(weight)));
            value.insert("terms".to_owned(), Value::Object(terms.collect()));
        }
    }
    if outputs.tokens {
        let model = embedder.model(Outputs::TOKENS)?;
        let dimension = model.token_dimension();
        for (value, mut found) in values.iter_mut().zip(embeddings.tokens) {
            if request.side == Side::Passage && !request.exact {
                found.vectors = SignVectors::new(&found, dimension).decode();
            }
            let tokens: Vec<String> = found.tokens.iter().map(|&id| token(&model, id)).collect();
            let vectors: Vec<&[f32]> = found.vectors.chunks_exact(dimension).collect();
            value.insert("tokens".to_owned(), json!(tokens));
            value.insert("vectors".to_owned(), json!(vectors));
        }
    }
    Ok(values.into_iter().map(Value::Object).collect())
}

pub(crate) fn bench_embedding(
    host: &Host,
    kind: EmbeddingKind,
    text: &str,
    chunks: usize,
    rounds: usize,
) -> Result<EmbeddingSpeed> {
    let characters: Vec<char> = text.chars().collect();
    let starts = (0..characters.len().saturating_sub(CHUNK)).step_by(STRIDE).take(chunks);
    let texts: Vec<String> = starts.map(|start| characters[start..start + CHUNK].iter().collect()).collect();
    if texts.is_empty() {
        return Err(Error::invalid(format!("The text is shorter than one chunk of {CHUNK} characters.")));
    }
    let (embedder, outputs) = (host.embedder()?, kind.outputs());
    let threads = match host.config().threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let peak = measure_matmul_peak(threads)?;
    let started = Instant::now();
    embedder.embed_query_as(QUERY, outputs)?;
    let load_ms = milliseconds(started.elapsed());

    let models = models(embedder, outputs)?;
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
        for _ in 0..rounds.max(1) {
            let started = Instant::now();
            embedder.embed(&texts, outputs, &Cancel::default())?;
            times.push(started.elapsed().as_secs_f64());
        }
        Ok(median(times))
    })?;
    let mut latencies = Vec::new();
    for _ in 0..QUERIES {
        let started = Instant::now();
        embedder.embed_query_as(QUERY, outputs)?;
        latencies.push(milliseconds(started.elapsed()));
    }
    latencies.sort_by(f64::total_cmp);
    let gflops = operations as f64 / seconds / 1e9;
    let names: Vec<&str> = models.iter().map(|model| model.spec().id.as_str()).collect();
    Ok(EmbeddingSpeed {
        model: names.join(" + "),
        threads,
        chunks: texts.len(),
        tokens,
        rounds: rounds.max(1),
        seconds,
        chunks_per_second: texts.len() as f64 / seconds,
        tokens_per_second: tokens as f64 / seconds,
        gflops,
        peak_gflops: peak.kernel,
        candle_peak_gflops: peak.candle,
        share_of_peak: gflops / peak.kernel.max(peak.candle),
        load_ms,
        query_tokens: models[0].tokenize(QUERY, Side::Query)?.len(),
        query_p50_ms: latencies[QUERIES / 2],
        query_p95_ms: latencies[QUERIES * 95 / 100],
        peak_memory_mb: peak_memory as f64 / f64::from(1 << 20),
    })
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

/// Runs the work and returns the most memory the process held meanwhile, in bytes.
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

fn token(model: &Model, id: u32) -> String {
    model.tokenizer().token(id).unwrap_or_else(|| id.to_string())
}

/// The middle one; of an even number the upper.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
