//! Measures a whole search in a large collection: query in, passages with their places out.
//!
//!     latency --from DATA_DIR COLLECTION --queries FILE [--chunks 100000] [--per-document 10] [--work FOLDER] [--rounds 3] [--clients 8]
//!             [--every]
//!
//! The collection is made of another one's passages, which are taken again and again, each time with some words and weights
//! changed and the vectors moved ([`corpus`]); FILE holds one query a line. It is made in FOLDER, or
//! found there by another run, or in a folder that is removed at the end. Measured are searches one after
//! another, the same of one document each, and as many clients at once; and, in the same run, what tantivy and usearch alone take
//! for the same texts and vectors; or, with `--every`, only ten of the queries asked of every document. Prints a table and the same as
//! JSON. Everything random is seeded.

mod corpus;
mod peers;

use std::path::PathBuf;
use std::time::Instant;

use casetrack_core::{CollectionType, Result};
use casetrack_engine::collections::CreateCollection;
use casetrack_engine::every::{EveryRequest, MAX_ROWS};
use casetrack_engine::search::{RECALL, SearchRequest};
use casetrack_engine::{Engine, EngineConfig, collections, search};
use casetrack_store::{Collection, Registry, Store};

use self::corpus::Corpus;

/// The number of hits that hybrid search requests of each source.
const K: usize = RECALL;
/// Queries that are asked of every document.
const QUESTIONS: usize = 10;
/// The name of the collection that is made.
const LARGE: &str = "Large";
/// The folder of the index of only tantivy.
const TANTIVY: &str = "tantivy";

struct Arguments {
    from: PathBuf,
    collection: String,
    queries: Vec<String>,
    chunks: usize,
    per_document: usize,
    work: Option<PathBuf>,
    rounds: usize,
    clients: usize,
    every: bool,
}

fn arguments() -> Arguments {
    let (mut from, mut collection, mut queries) = (PathBuf::new(), String::new(), Vec::new());
    let (mut chunks, mut per_document, mut work, mut rounds, mut clients) = (100_000, 10, None, 3, 8);
    let mut every = false;
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let mut value = || given.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--from" => (from, collection) = (value().into(), value()),
            "--queries" => {
                let text = std::fs::read_to_string(value()).expect("a file of queries");
                queries = text.lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect();
            }
            "--chunks" => chunks = value().parse().expect("a number"),
            "--per-document" => per_document = value().parse().expect("a number"),
            "--every" => every = true,
            "--work" => work = Some(value().into()),
            "--rounds" => rounds = value().parse().expect("a number"),
            "--clients" => clients = value().parse().expect("a number"),
            // `cargo bench` adds it.
            "--bench" => {}
            _ => panic!("unknown option {name}"),
        }
    }
    assert!(!queries.is_empty() && !collection.is_empty(), "--from DATA_DIR COLLECTION and --queries FILE are needed");
    Arguments { from, collection, queries, chunks, per_document, work, rounds, clients, every }
}

fn main() -> Result<()> {
    let Arguments { from, collection, queries, chunks, per_document, work: kept, rounds, clients, every } = arguments();
    let own = format!("casetrack-latency-{}", std::process::id());
    let work = kept.clone().unwrap_or_else(|| std::env::temp_dir().join(own));
    let source = Registry::open(&from)?;
    let found = source.list()?.into_iter().find(|meta| meta.name == collection).expect("the collection");
    let corpus = Corpus::of(&source.open_collection(found.id)?, per_document)?;

    let engine = || Engine::new(EngineConfig::new(work.clone()));
    let documents = corpus.documents_for(chunks);
    let id = match collections::find_collection(engine()?.host(), LARGE) {
        Ok(made) => made.id,
        Err(_) => {
            let collection_type = CollectionType::Other;
            let request = CreateCollection { name: LARGE.into(), collection_type, ..CreateCollection::default() };
            let id = collections::create_collection(engine()?.host(), request)?.id;
            fill(&Registry::open(&work)?.open_collection(id)?, &corpus, documents)?;
            id
        }
    };

    let engine = engine()?;
    let searches = rounds * queries.len();
    let ask = |n: usize, document: Option<String>| {
        let request = SearchRequest { query: queries[n % queries.len()].clone(), document, ..SearchRequest::default() };
        let response = engine.search(&[id], &request).expect("an answer");
        assert_eq!(response.stages[0], "recall (BM25, dense E1, sparse E6)", "{:?}", response.notices);
        response.results.len()
    };
    let mut report = Report::default();
    report.put("documents", documents as f64);
    report.put("chunks", chunks as f64);
    if every {
        let ask = |n: usize| {
            let question = queries[n % queries.len()].clone();
            let request = EveryRequest { question, documents: Vec::new(), brief: true, offset: 0, limit: MAX_ROWS };
            search::ask_every_document(engine.host(), id, &request).expect("an answer").rows.len()
        };
        report.latency("a question to every document", latencies(QUESTIONS, ask));
        report.print();
        return finish(engine, kept, work);
    }
    report.latency("search", latencies(searches, |n| ask(n, None)));
    let one = |n: usize| Some(Corpus::id(n * 7919 % documents).to_string());
    report.latency("search of one document", latencies(searches, |n| ask(n, one(n))));

    let started = Instant::now();
    let mut times: Vec<f64> = std::thread::scope(|scope| {
        let client = |number: usize| move || timed(searches, |n| ask(n + number * 31, None));
        let clients: Vec<_> = (0..clients).map(|number| scope.spawn(client(number))).collect();
        clients.into_iter().flat_map(|client| client.join().expect("no panic")).collect()
    });
    report.put(format!("{clients} clients, searches/s"), times.len() as f64 / started.elapsed().as_secs_f64());
    times.sort_by(f64::total_cmp);
    report.latency(&format!("{clients} clients"), times);

    report.latency("tantivy alone", peers::tantivy(&corpus, documents, &queries, searches, &work.join(TANTIVY)));
    report.latency("usearch alone", peers::usearch(&corpus, documents, searches));
    report.latency("search, again", latencies(searches, |n| ask(n, None)));
    report.print();
    std::fs::remove_dir_all(work.join(TANTIVY)).expect("the folder of tantivy");
    finish(engine, kept, work)
}

/// Removes the collection, unless it is to be kept.
fn finish(engine: Engine, kept: Option<PathBuf>, work: PathBuf) -> Result<()> {
    drop(engine);
    if kept.is_none() {
        std::fs::remove_dir_all(work).expect("the folder of the bench");
    }
    Ok(())
}

fn fill(large: &Collection, corpus: &Corpus, documents: usize) -> Result<()> {
    for number in 0..documents {
        large.put_document(&corpus.document(number, large.models()))?;
        if number % 1000 == 999 {
            eprintln!("{} of {documents} documents", number + 1);
        }
    }
    large.flush()
}

/// Times in milliseconds, in ascending order, of calls after some to warm up.
fn latencies(calls: usize, call: impl Fn(usize) -> usize) -> Vec<f64> {
    for n in 0..calls.min(20) {
        call(n);
    }
    let mut times = timed(calls, call);
    times.sort_by(f64::total_cmp);
    times
}

fn timed(calls: usize, call: impl Fn(usize) -> usize) -> Vec<f64> {
    let one = |n| {
        let started = Instant::now();
        call(n);
        started.elapsed().as_secs_f64() * 1e3
    };
    (0..calls).map(one).collect()
}

#[derive(Default)]
struct Report(Vec<(String, f64)>);

impl Report {
    fn put(&mut self, name: impl Into<String>, value: f64) {
        self.0.push((name.into(), value));
    }

    fn latency(&mut self, what: &str, times: Vec<f64>) {
        for (name, share) in [("p50", 50), ("p95", 95), ("p99", 99)] {
            self.put(format!("{what}, {name} ms"), times[(times.len() - 1) * share / 100]);
        }
    }

    fn print(&self) {
        for (name, value) in &self.0 {
            println!("{name:32} {value:10.1}");
        }
        let json: serde_json::Map<_, _> = self.0.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
        println!("{}", serde_json::Value::Object(json));
    }
}
