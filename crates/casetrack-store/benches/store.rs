//! How fast a collection takes documents and answers, and how large it is. Prints a table; takes the number of chunks as an
//! argument (default 10,000), and the directory to work in as a second one (default the system's for temporary files).
//!
//! Corpus: synthetic, seeded. Documents of 100 chunks of about 2,000 characters (words drawn by Zipf's law from 30,000), and
//! 384-dimensional unit vectors around 200 centres. Searches ask for 500 chunks, as hybrid search does. Peer in the same run:
//! nothing but usearch's exact search over the same vectors in memory.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use casetrack_core::{
    Block, BlockKind, Chunk, ChunkId, CollectionId, CollectionMeta, CollectionStatus, CollectionType, DocumentId,
    DocumentMeta, DocumentType, ExtractionMethod, FileFormat, Page, Properties, Sha256, Timestamp,
};
use casetrack_store::{Collection, Filter, StoredDocument, VectorModels};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

const DIMENSION: usize = 384;
const CHUNKS: usize = 100;
const CHUNKS_PER_PAGE: usize = 2;
const WORDS_PER_CHUNK: usize = 300;
const VOCABULARY: usize = 30_000;
const K: usize = 500;
const QUERIES: usize = 200;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let chunks: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let parent = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let temp = tempfile::tempdir_in(parent).expect("a directory to work in");
    let dir = temp.path().join("collection");
    let mut corpus = Corpus::new(1);
    let documents = chunks.div_ceil(CHUNKS);

    let meta = CollectionMeta {
        id: CollectionId::random(),
        name: "Bench".into(),
        reference: None,
        collection_type: CollectionType::Other,
        status: CollectionStatus::Active,
        created_at: Timestamp::now(),
    };
    let models = VectorModels { dense: "bench".into(), dense_dimension: DIMENSION as u32 };
    let collection = Collection::create(&dir, &meta, &models).expect("a new collection");
    let peer = Index::new(&IndexOptions {
        dimensions: DIMENSION,
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        ..IndexOptions::default()
    })
    .expect("a usearch index");
    peer.reserve(documents * CHUNKS).expect("memory");

    let (mut putting, mut ids) = (Duration::ZERO, Vec::new());
    for d in 0..documents {
        let document = corpus.document(d);
        let started = Instant::now();
        collection.put_document(&document).expect("a stored document");
        putting += started.elapsed();
        ids.push(document.meta.id);
        if documents * CHUNKS <= 100_000 {
            for (i, vector) in document.vectors.iter().enumerate() {
                peer.add((d * CHUNKS + i) as u64, vector).expect("a vector");
            }
        }
    }
    let started = Instant::now();
    collection.flush().expect("a flush");
    let flushing = started.elapsed();
    let stored = collection.counts().expect("counts").chunks;
    println!(
        "{stored} chunks in {documents} documents of {CHUNKS}; usearch computes with {}",
        peer.hardware_acceleration()
    );
    println!(
        "put        {:8.0} chunks/s (flush at the end: {:.2} s)",
        stored as f64 / putting.as_secs_f64(),
        flushing.as_secs_f64()
    );

    let all = Filter::default();
    let one = |n: usize| Filter { documents: Some(vec![ids[n * 7919 % ids.len()]]) };
    let half = Filter { documents: Some(ids.iter().copied().step_by(2).collect()) };
    let texts: Vec<String> = (0..QUERIES).map(|_| corpus.text(8)).collect();
    let vectors: Vec<Vec<f32>> = (0..QUERIES).map(|_| corpus.vector()).collect();
    let dense = |n: usize, filter: &Filter| collection.search_dense(&vectors[n], K, filter).expect("hits").len();
    let bm25 = |n: usize, filter: &Filter| collection.search_bm25(texts[n].as_str(), K, filter).expect("hits").len();
    report("bm25", |n| bm25(n, &all));
    report("bm25, 1 document", |n| bm25(n, &one(n)));
    report("bm25, half of them", |n| bm25(n, &half));
    report("dense", |n| dense(n, &all));
    report("dense, 1 document", |n| dense(n, &one(n)));
    report("dense, half of them", |n| dense(n, &half));
    if peer.size() > 0 {
        report("usearch exact, alone", |n| peer.exact_search(&vectors[n], K).expect("hits").keys.len());
        report("usearch HNSW, alone", |n| peer.search(&vectors[n], K).expect("hits").keys.len());
        let mut found = 0;
        for vector in &vectors {
            let exact = peer.exact_search(vector, 10).expect("hits").keys;
            let ours = collection.search_dense(vector, 10, &all).expect("hits");
            found += ours
                .iter()
                .filter(|hit| {
                    let document = ids.iter().position(|id| *id == hit.document).unwrap_or(usize::MAX);
                    exact.contains(&((document * CHUNKS) as u64 + u64::from(hit.index)))
                })
                .count();
        }
        println!("dense recall@10 {:.4}", found as f64 / (10 * QUERIES) as f64);
    }
    report("chunk by id", |n| {
        collection.chunk_at(ids[n % ids.len()], (n * 31 % CHUNKS) as u32).expect("a chunk").iter().len()
    });

    let started = Instant::now();
    let report = collection.verify().expect("a report");
    println!(
        "verify     {:8.2} s, {}",
        started.elapsed().as_secs_f64(),
        if report.is_clean() { "clean" } else { "NOT CLEAN" }
    );
    drop(collection);
    let started = Instant::now();
    let collection = Collection::open(&dir).expect("the collection");
    println!("open       {:8.0} ms", started.elapsed().as_secs_f64() * 1e3);
    let usage = collection.disk_usage().expect("sizes");
    let per_chunk = |bytes: u64| bytes / stored.max(1);
    println!(
        "bytes per chunk: truth {}, dense {}, bm25 {}, in all {}",
        per_chunk(usage.truth),
        per_chunk(usage.dense),
        per_chunk(usage.bm25),
        per_chunk(usage.truth + usage.dense + usage.bm25)
    );
    #[cfg(target_os = "linux")]
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
}

/// Median and 99th percentile of one call for each query.
fn report(name: &str, search: impl Fn(usize) -> usize) {
    let mut times = Vec::new();
    let mut hits = 0;
    for n in 0..QUERIES {
        let started = Instant::now();
        hits += search(n);
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name:22} p50 {:7.3} ms  p99 {:7.3} ms  {:5.1} hits",
        times[QUERIES / 2],
        times[QUERIES * 99 / 100],
        hits as f64 / QUERIES as f64
    );
}

/// Reproducible texts and vectors.
struct Corpus {
    state: u64,
    centres: Vec<Vec<f32>>,
}

impl Corpus {
    fn new(seed: u64) -> Self {
        let mut corpus = Self { state: seed, centres: Vec::new() };
        corpus.centres = (0..200).map(|_| (0..DIMENSION).map(|_| corpus.uniform() - 0.5).collect()).collect();
        corpus
    }

    /// splitmix64
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0–1.
    fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Rank r has a probability of about 1/r.
    fn word(&mut self) -> String {
        let rank = (VOCABULARY as f32).powf(self.uniform()) as u64;
        let mut letters = rank.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let length = 2 + rank.ilog10().max(1) + (letters % 4) as u32;
        (0..length)
            .map(|_| {
                letters = letters.rotate_left(7).wrapping_mul(0x9e37_79b9);
                char::from(b'a' + (letters >> 32) as u8 % 26)
            })
            .collect()
    }

    fn text(&mut self, words: usize) -> String {
        let words: Vec<String> = (0..words).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn vector(&mut self) -> Vec<f32> {
        let centre = (self.next() % 200) as usize;
        let vector: Vec<f32> = (0..DIMENSION).map(|i| self.centres[centre][i] + 1.2 * (self.uniform() - 0.5)).collect();
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / norm).collect()
    }

    fn document(&mut self, number: usize) -> StoredDocument {
        let id = DocumentId::random();
        let (mut pages, mut chunks) = (Vec::new(), Vec::new());
        for p in 0..CHUNKS / CHUNKS_PER_PAGE {
            let mut page = Page {
                number: p as u32 + 1,
                text: String::new(),
                blocks: Vec::new(),
                line_boxes: Vec::new(),
                method: ExtractionMethod::Native,
                ocr_confidence: None,
                sheet_name: None,
            };
            for c in 0..CHUNKS_PER_PAGE {
                let text = self.text(WORDS_PER_CHUNK);
                let start = page.text.len() as u32;
                page.text.push_str(&text);
                let end = page.text.len() as u32;
                page.text.push('\n');
                page.blocks.push(Block { char_start: start, char_end: end, kind: BlockKind::Paragraph });
                let place = c as u32 + 1;
                chunks.push(Chunk {
                    id: ChunkId::derive(id, page.number, 0, &text),
                    index: chunks.len() as u32,
                    page: page.number,
                    char_start: start,
                    char_end: end,
                    byte_start: start,
                    byte_end: end,
                    paragraph_start: place,
                    paragraph_end: place,
                    line_start: place,
                    line_end: place,
                    sheet_name: None,
                    row_range: None,
                    column_range: None,
                    bounding_boxes: Vec::new(),
                    heading_path: vec!["Article".into()],
                    context: "Document > Article".into(),
                    text,
                });
            }
            pages.push(page);
        }
        let meta = DocumentMeta {
            id,
            name: format!("document{number}.txt"),
            path: format!("/bench/document{number}.txt"),
            sha256: Sha256(std::array::from_fn(|i| (number >> (8 * (i % 8))) as u8)),
            size_bytes: 0,
            format: FileFormat::Text,
            document_type: DocumentType::Other,
            title: None,
            properties: Properties::default(),
            extraction_method: ExtractionMethod::Native,
            page_count: pages.len() as u32,
            chunk_count: chunks.len() as u32,
            char_count: pages.iter().map(|page: &Page| page.text.len() as u64).sum(),
            warnings: Vec::new(),
            original_stored: false,
            ingested_at: Timestamp::now(),
            embedded_at: Some(Timestamp::now()),
        };
        let vectors = chunks.iter().map(|_| self.vector()).collect();
        StoredDocument { meta, pages, chunks, vectors, dense_model: "bench".into() }
    }
}
