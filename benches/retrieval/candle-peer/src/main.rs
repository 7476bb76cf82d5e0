//! Speed of candle-transformers' own `BertModel`, the peer of `casetrack-lab bench embed --model e1`.
//!
//! usage: cargo run --release --manifest-path benches/retrieval/candle-peer/Cargo.toml -- MODEL_DIR CHUNKS ROUNDS FILE...
//!
//! MODEL_DIR holds config.json, tokenizer.json and model.safetensors, as models/e1-all-minilm-l6-v2 does. The files'
//! text is cut into at most CHUNKS chunks, as `casetrack-lab bench embed` cuts it. They are tokenised (at most 512 tokens
//! each), sorted by length, and go through the network in single precision in batches, padded to the longest of the
//! batch and masked; the tokens' vectors are averaged and normalised. All of this is timed, loading is not. Batch sizes
//! take turns within a round, and a round to warm up comes before the ROUNDS that count.
//!
//! Prints one JSON object: of the "batch" size with the best median, "chunks", "tokens" (without padding), "seconds" of
//! the median round (the upper one if ROUNDS is even) and "chunks_per_second". Those of every batch size go to stderr.
//! To compare, give `casetrack-lab bench embed` the same files, `--chunks` and `--rounds`; candle uses all cores (for
//! matrix products all physical ones) unless RAYON_NUM_THREADS gives the number of threads.

use std::time::Instant;
use std::{env, fs, iter};

use candle_core::{D, DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::BertModel;
use serde_json::{Value, json};
use tokenizers::{Encoding, Result, Tokenizer, TruncationParams};

/// Length of a chunk in characters, and the distance of the chunks' beginnings.
const CHUNK: usize = 2000;
const STRIDE: usize = 1800;
/// Tokens of the model's longest input.
const MAX_TOKENS: usize = 512;
const BATCH_SIZES: [usize; 3] = [1, 4, 8];

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [model, chunks, rounds, files @ ..] = arguments.as_slice() else {
        return Err("usage: candle-peer MODEL_DIR CHUNKS ROUNDS FILE...".into());
    };
    let (peer, rounds) = (Peer::load(model)?, rounds.parse::<usize>()?.max(1));
    let chunks = cut(files, chunks.parse()?)?;
    if chunks.is_empty() {
        return Err(format!("no chunks: CHUNKS is 0, or the files hold no more than {CHUNK} characters").into());
    }
    let tokens: usize = peer.tokenize(&chunks)?.iter().map(Encoding::len).sum();
    let mut times = BATCH_SIZES.map(|batch| (batch, Vec::new()));
    for round in 0..=rounds {
        for (batch, times) in &mut times {
            let started = Instant::now();
            peer.embed(&chunks, *batch)?;
            if round > 0 {
                times.push(started.elapsed().as_secs_f64());
            }
        }
    }
    let mut best = (f64::INFINITY, Value::Null);
    for (batch, mut times) in times {
        times.sort_by(f64::total_cmp);
        let (seconds, chunks) = (times[times.len() / 2], chunks.len());
        let speed = chunks as f64 / seconds;
        let report =
            json!({"batch": batch, "chunks": chunks, "tokens": tokens, "seconds": seconds, "chunks_per_second": speed});
        eprintln!("{report}");
        if seconds < best.0 {
            best = (seconds, report);
        }
    }
    println!("{}", best.1);
    Ok(())
}

/// The first `most` chunks of the files' text, one after the other; what is left at the end is not a chunk.
fn cut(files: &[String], most: usize) -> Result<Vec<String>> {
    let mut text = Vec::new();
    for file in files {
        let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        text.extend(String::from_utf8_lossy(&bytes).chars());
    }
    let starts = (0..text.len().saturating_sub(CHUNK)).step_by(STRIDE).take(most);
    Ok(starts.map(|start| text[start..start + CHUNK].iter().collect()).collect())
}

struct Peer {
    tokenizer: Tokenizer,
    model: BertModel,
}

impl Peer {
    fn load(folder: &str) -> Result<Self> {
        let read = |name| fs::read(format!("{folder}/{name}")).map_err(|error| format!("{folder}/{name}: {error}"));
        let mut tokenizer = Tokenizer::from_bytes(read("tokenizer.json")?)?;
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..Default::default() };
        tokenizer.with_padding(None).with_truncation(Some(truncation))?;
        let weights = VarBuilder::from_buffered_safetensors(read("model.safetensors")?, DType::F32, &Device::Cpu)?;
        let model = BertModel::load(weights, &serde_json::from_slice(&read("config.json")?)?)?;
        Ok(Self { tokenizer, model })
    }

    fn tokenize(&self, texts: &[String]) -> Result<Vec<Encoding>> {
        self.tokenizer.encode_batch_fast(texts.iter().map(String::as_str).collect(), true)
    }

    /// The texts' vectors, the shortest text's first.
    fn embed(&self, texts: &[String], batch: usize) -> Result<Vec<Vec<f32>>> {
        let mut encodings = self.tokenize(texts)?;
        encodings.sort_by_key(Encoding::len);
        let mut vectors = Vec::new();
        for batch in encodings.chunks(batch) {
            let longest = batch.iter().map(Encoding::len).max().unwrap_or(0);
            let padded = |values: fn(&Encoding) -> &[u32]| {
                let row = |encoding| values(encoding).iter().copied().chain(iter::repeat(0)).take(longest);
                Tensor::from_iter(batch.iter().flat_map(row), &Device::Cpu)?.reshape((batch.len(), longest))
            };
            let (ids, mask) = (padded(Encoding::get_ids)?, padded(Encoding::get_attention_mask)?);
            let hidden = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
            let mask = mask.to_dtype(DType::F32)?.unsqueeze(D::Minus1)?;
            let mean = hidden.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?;
            vectors.extend(mean.broadcast_div(&mean.sqr()?.sum_keepdim(1)?.sqrt()?)?.to_vec2()?);
        }
        Ok(vectors)
    }
}
