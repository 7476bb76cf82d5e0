//! Measures how fast a collection takes documents and answers, its size on disk and in memory, and how both grow.
//!
//!     store [--sizes 10000,100000] [--chunks N] [--dir DIR] [--seed S] [--peers] [--verify] [--vault]
//!
//! For each size (in chunks; default 10,000) a collection is loaded through the store's own API, closed, opened with a
//! warm and a cold page cache, searched, and then a tenth of its documents is deleted and put again in a new version.
//! Prints a table with two columns a size (loaded, and after those changes) and the same as JSON; progress goes to
//! stderr. A million chunks take about half an hour and 10 GB in DIR (default: the system's directory for temporary
//! files).
//!
//! Corpus: synthetic and seeded ([`corpus`]): documents of ten pages with three chunks of about 1,900 characters each,
//! words by Zipf's law from 150,000; 20 mentions a chunk of 150 entities a document; 384-dimensional unit vectors
//! around 4,096 topics and, within them, around their document. Searches ask for 100 and 500 chunks, the latter as
//! hybrid search does. Recall is measured against all vectors, compared one by one. With `--vault` each size is
//! measured a second time, in a vault. With `--peers`, usearch and tantivy take the same vectors and texts without
//! CaseTrack, in the same run.

mod corpus;
mod measure;
mod peers;
mod random;
mod report;

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, CollectionType, Timestamp};
use casetrack_store::schema::cf;
use casetrack_store::{Collection, Filter, LocalCollection, SparseVector, VectorModels};
use casetrack_vault::header::{Header, Protector};
use casetrack_vault::key::VaultKey;
use casetrack_vault::recovery::RecoveryKey;

use self::corpus::{Corpus, DIMENSION, MENTIONS_PER_CHUNK};
use self::measure::Spans;
use self::report::Report;

/// The number of hits that hybrid search requests from each index.
const K: usize = 500;
const QUERIES: usize = 200;
/// One document in this many is deleted and put again.
const CHANGED: usize = 10;

fn collection_id() -> CollectionId {
    CollectionId::from_bytes([7; 16])
}

static SPANS: LazyLock<Arc<Spans>> = LazyLock::new(Arc::default);

struct Arguments {
    sizes: Vec<usize>,
    dir: PathBuf,
    seed: u64,
    peers: bool,
    verify: bool,
    vault: bool,
}

fn arguments() -> Arguments {
    let mut parsed = Arguments {
        sizes: vec![10_000],
        dir: std::env::temp_dir(),
        seed: 1,
        peers: false,
        verify: false,
        vault: false,
    };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut value = || given.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--sizes" | "--chunks" => {
                parsed.sizes = value().split(',').map(|n| n.parse().expect("a number of chunks")).collect();
            }
            "--dir" => parsed.dir = value().into(),
            "--seed" => parsed.seed = value().parse().expect("a number"),
            "--peers" => parsed.peers = true,
            "--verify" => parsed.verify = true,
            "--vault" => parsed.vault = true,
            // cargo adds it
            "--bench" => {}
            _ => panic!("{name} is not known; see the first lines of benches/store/main.rs"),
        }
    }
    parsed
}

fn main() {
    let arguments = arguments();
    tracing::subscriber::set_global_default(Arc::clone(&SPANS)).expect("the first subscriber");
    let corpus = Corpus::new(arguments.seed);
    let mut report = Report::default();
    for &size in &arguments.sizes {
        let temp = tempfile::tempdir_in(&arguments.dir).expect("a directory to work in");
        run(&corpus, size, temp.path(), &arguments, None, &mut report);
        if arguments.vault {
            let key = VaultKey::random(collection_id()).expect("a key");
            let temp = tempfile::tempdir_in(&arguments.dir).expect("a directory to work in");
            run(&corpus, size, temp.path(), &arguments, Some(&key), &mut report);
        }
    }
    report.print();
}

fn create(dir: &Path, meta: &CollectionMeta, models: &VectorModels, key: Option<&VaultKey>) -> Collection {
    let Some(key) = key else { return LocalCollection::create(dir, meta, models).expect("a new collection").into() };
    let recovery = RecoveryKey::random().expect("a recovery key");
    let header = Header::create(key, &Protector::RecoveryKey(&recovery)).expect("a header");
    LocalCollection::create_vault(dir, meta, models, key, &header).expect("a new vault").into()
}

fn open(dir: &Path, key: Option<&VaultKey>) -> Collection {
    key.map_or_else(|| LocalCollection::open(dir), |key| LocalCollection::open_vault(dir, key))
        .expect("the collection")
        .into()
}

fn run(corpus: &Corpus, size: usize, temp: &Path, arguments: &Arguments, key: Option<&VaultKey>, report: &mut Report) {
    let dir = temp.join("collection");
    let documents = Corpus::documents_for(size);
    let chunks = documents * Corpus::chunks_per_document();
    let meta = CollectionMeta {
        id: collection_id(),
        name: "Bench".into(),
        reference: None,
        collection_type: CollectionType::Other,
        status: CollectionStatus::Active,
        created_at: Timestamp::now(),
    };
    let models = VectorModels {
        dense: "bench".into(),
        dense_dimension: DIMENSION as u32,
        sparse: Some("bench".into()),
        tokens: None,
    };
    report.column(if key.is_some() { format!("{chunks}, vault") } else { chunks.to_string() });
    report.memory("before", measure::memory());
    measure::forget_peak();
    let collection = create(&dir, &meta, &models, key);

    let mut versions = vec![0; documents];
    let loaded = put(corpus, &collection, "load", &(0..documents).collect::<Vec<_>>(), &versions, report);
    report.memory("peak while loading", loaded);
    let collection = measure_all(corpus, collection, &dir, key, &versions, report);
    let truth = Truth::new(corpus, &versions);
    report.put("dense recall@10", store_recall(corpus, &collection, &truth));

    if arguments.peers {
        peers::usearch(corpus, documents, &truth, report);
        peers::tantivy(corpus, documents, &temp.join("tantivy"), report);
    }

    report.column("changed");
    let changed: Vec<usize> = (0..documents).filter(|number| number % CHANGED == 3 % CHANGED).collect();
    let started = Instant::now();
    for (n, &number) in changed.iter().enumerate() {
        progress("delete", n, changed.len());
        assert!(collection.delete_document(Corpus::id(number)).expect("a deletion"));
        versions[number] = 1;
    }
    let gone = changed.len() * Corpus::chunks_per_document();
    report.put("deleted chunks/s", gone as f64 / started.elapsed().as_secs_f64());
    let changing = put(corpus, &collection, "put again", &changed, &versions, report);
    report.memory("peak while loading", changing);
    let collection = measure_all(corpus, collection, &dir, key, &versions, report);
    report.put("dense recall@10", store_recall(corpus, &collection, &Truth::new(corpus, &versions)));

    if arguments.verify {
        let started = Instant::now();
        let clean = collection.verify().expect("a report").is_clean();
        report.put("verify, s", started.elapsed().as_secs_f64());
        assert!(clean, "the collection is not clean");
    }
}

fn put(
    corpus: &Corpus,
    collection: &Collection,
    what: &str,
    numbers: &[usize],
    versions: &[u32],
    report: &mut Report,
) -> measure::Memory {
    SPANS.take();
    let (mut putting, mut computing) = (Duration::ZERO, Duration::ZERO);
    let (written, mut highest) = (measure::written(), measure::Memory::default());
    for (n, &number) in numbers.iter().enumerate() {
        progress(what, n, numbers.len());
        let document = corpus.document(number, versions[number]);
        let (started, busy) = (Instant::now(), measure::on_cpu());
        collection.put_document(&document).expect("a stored document");
        computing += measure::on_cpu() - busy;
        putting += started.elapsed();
        if n % 100 == 0 {
            let now = measure::memory();
            highest.anonymous = highest.anonymous.max(now.anonymous);
            highest.files = highest.files.max(now.files);
        }
    }
    let chunks = (numbers.len() * Corpus::chunks_per_document()) as f64;
    report.put(format!("{what}, chunks/s"), chunks / putting.as_secs_f64());
    report.put(format!("{what}, on CPU, ms a chunk"), computing.as_secs_f64() * 1e3 / chunks);
    for (name, time) in SPANS.take().into_iter().filter(|(_, time)| !time.is_zero()) {
        report.put(format!("{what}, {name}, ms a chunk"), time.as_secs_f64() * 1e3 / chunks);
    }
    let started = Instant::now();
    collection.flush().expect("a flush");
    report.put(format!("{what}, flush at the end, s"), started.elapsed().as_secs_f64());
    report.put(format!("{what}, bytes written a chunk"), (measure::written() - written) / chunks);
    report.put(format!("{what}, peak MB"), measure::memory().peak);
    highest
}

fn measure_all(
    corpus: &Corpus,
    collection: Collection,
    dir: &Path,
    key: Option<&VaultKey>,
    versions: &[u32],
    report: &mut Report,
) -> Collection {
    let timed = |report: &mut Report, what: &str, step: &dyn Fn() -> Collection| {
        let started = Instant::now();
        let collection = step();
        report.put(what, started.elapsed().as_secs_f64() * 1e3);
        collection
    };
    let started = Instant::now();
    drop(collection);
    report.put("close, ms", started.elapsed().as_secs_f64() * 1e3);
    let collection = timed(report, "open, ms", &|| open(dir, key));
    for (name, time) in SPANS.take().into_iter().filter(|(_, time)| !time.is_zero()) {
        report.put(format!("open, {name}, ms"), time.as_secs_f64() * 1e3);
    }
    drop(collection);
    let collection = if measure::chill(dir) {
        let collection = timed(report, "open with a cold cache, ms", &|| open(dir, key));
        let started = Instant::now();
        let all = Filter::default();
        collection.search_dense(&corpus.query_vector(QUERIES), K, &all).expect("hits");
        report.put("first dense search after it, ms", started.elapsed().as_secs_f64() * 1e3);
        let started = Instant::now();
        collection.search_bm25(corpus.query(QUERIES).as_str(), K, &all).expect("hits");
        report.put("first BM25 search after it, ms", started.elapsed().as_secs_f64() * 1e3);
        let started = Instant::now();
        collection.search_sparse(&corpus.sparse_query(QUERIES), K, &all).expect("hits");
        report.put("first sparse search after it, ms", started.elapsed().as_secs_f64() * 1e3);
        collection
    } else {
        open(dir, key)
    };
    let usage = collection.disk_usage().expect("sizes");
    let chunks = collection.counts().expect("counts").chunks as f64;
    let kinds = [("truth", usage.truth), ("dense", usage.dense), ("bm25", usage.bm25), ("sparse", usage.sparse)];
    for (kind, bytes) in kinds {
        report.put(format!("bytes a chunk, {kind}"), bytes as f64 / chunks);
    }
    let families = collection.stats().expect("sizes").families;
    let annotations: u64 = families.iter().filter(|family| family.0 == cf::ANNOTATIONS).map(|family| family.1).sum();
    report.put("bytes a mention, annotations", annotations as f64 / (chunks * MENTIONS_PER_CHUNK as f64));
    report.put("bytes a chunk, in all", kinds.iter().map(|kind| kind.1).sum::<u64>() as f64 / chunks);

    let all = Filter::default();
    let half =
        Filter { documents: Some((0..versions.len()).step_by(2).map(Corpus::id).collect()), ..Filter::default() };
    let one = |n: usize| Filter { documents: Some(vec![Corpus::id(n * 7919 % versions.len())]), ..Filter::default() };
    let texts: Vec<String> = (0..QUERIES).map(|n| corpus.query(n)).collect();
    let vectors: Vec<Vec<f32>> = (0..QUERIES).map(|n| corpus.query_vector(n)).collect();
    let bm25 = |n: usize, k, filter: &Filter| collection.search_bm25(texts[n].as_str(), k, filter).expect("hits").len();
    let dense = |n: usize, k, filter: &Filter| collection.search_dense(&vectors[n], k, filter).expect("hits").len();
    let weights: Vec<SparseVector> = (0..QUERIES).map(|n| corpus.sparse_query(n)).collect();
    let sparse = |n: usize, k, filter: &Filter| collection.search_sparse(&weights[n], k, filter).expect("hits").len();
    for k in [100, K] {
        report.latency(&format!("BM25, k = {k}"), measure::latency(QUERIES, |n| bm25(n, k, &all)));
        report.latency(&format!("dense, k = {k}"), measure::latency(QUERIES, |n| dense(n, k, &all)));
        report.latency(&format!("sparse, k = {k}"), measure::latency(QUERIES, |n| sparse(n, k, &all)));
    }
    let latency = measure::latency(QUERIES, |n| bm25(n, K, &one(n)));
    report.latency("BM25 in one document", latency);
    report.latency("dense in one document", measure::latency(QUERIES, |n| dense(n, K, &one(n))));
    report.latency("sparse in one document", measure::latency(QUERIES, |n| sparse(n, K, &one(n))));
    report.latency("BM25 in half of them", measure::latency(QUERIES / 4, |n| bm25(n, K, &half)));
    report.latency("dense in half of them", measure::latency(QUERIES / 4, |n| dense(n, K, &half)));
    report.latency("sparse in half of them", measure::latency(QUERIES / 4, |n| sparse(n, K, &half)));
    let read = |n: usize| collection.chunk_at(Corpus::id(n * 7919 % versions.len()), 7).expect("a chunk").iter().len();
    report.latency("read a chunk", measure::latency(QUERIES, read));
    report.memory("searching", measure::memory());
    collection
}

fn store_recall(corpus: &Corpus, collection: &Collection, truth: &Truth) -> f64 {
    let all = Filter::default();
    truth.recall(|n| {
        let hits = collection.search_dense(&corpus.query_vector(n), 10, &all).expect("hits");
        hits.iter().map(|hit| Truth::key(number_of(hit.document), hit.index as usize)).collect()
    })
}

fn number_of(document: casetrack_core::DocumentId) -> usize {
    let bytes = document.as_bytes()[8..].try_into().expect("eight bytes");
    u64::from_be_bytes(bytes) as usize
}

/// The ten nearest chunks of each query, by comparing it with all vectors as they are stored, in half precision.
pub struct Truth(Vec<Vec<u64>>);

impl Truth {
    fn new(corpus: &Corpus, versions: &[u32]) -> Self {
        let queries: Vec<Vec<f32>> = (0..QUERIES).map(|n| corpus.query_vector(n)).collect();
        let mut best: Vec<Vec<(f32, u64)>> = vec![Vec::new(); QUERIES];
        for (number, &version) in versions.iter().enumerate() {
            progress("exact search", number, versions.len());
            for (chunk, vector) in corpus.vectors(number, version).iter().enumerate() {
                let vector: Vec<f32> = vector.iter().map(|&x| half::f16::from_f32(x).to_f32()).collect();
                for (query, best) in queries.iter().zip(&mut best) {
                    let score = dot(query, &vector);
                    if best.len() < 10 || best[9].0 < score {
                        best.truncate(9);
                        best.push((score, Self::key(number, chunk)));
                        best.sort_by(|a, b| b.0.total_cmp(&a.0));
                    }
                }
            }
        }
        Self(best.into_iter().map(|best| best.into_iter().map(|(_, key)| key).collect()).collect())
    }

    fn key(number: usize, chunk: usize) -> u64 {
        (number * Corpus::chunks_per_document() + chunk) as u64
    }

    /// The share of them that a search for ten finds.
    fn recall(&self, search: impl Fn(usize) -> Vec<u64>) -> f64 {
        let found = |n: usize| {
            let keys = search(n);
            self.0[n].iter().filter(|key| keys.contains(key)).count()
        };
        (0..QUERIES).map(found).sum::<usize>() as f64 / (10 * QUERIES) as f64
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    for (x, y) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for i in 0..16 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum()
}

/// Reports now and then how far a loop has come.
fn progress(what: &str, done: usize, of: usize) {
    static SHOWN: std::sync::Mutex<Option<(Instant, Instant, String)>> = std::sync::Mutex::new(None);
    let mut shown = SHOWN.lock().expect("no panic");
    let now = Instant::now();
    match shown.as_mut() {
        Some((started, last, name)) if name == what => {
            if now - *last > Duration::from_secs(10) {
                *last = now;
                eprintln!("{what}: {done} of {of} documents after {:.0} s", (now - *started).as_secs_f64());
            }
        }
        _ => *shown = Some((now, now, what.to_owned())),
    }
}
