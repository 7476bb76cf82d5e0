//! The libraries under the derived indexes, without CaseTrack, on the same texts and vectors.

use std::path::Path;
use std::time::{Duration, Instant};

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, TantivyDocument, Term};
use usearch::{IndexOptions, MetricKind, ScalarKind};

use crate::corpus::{Corpus, DIMENSION};
use crate::report::Report;
use crate::{K, QUERIES, Truth, measure, progress};

/// usearch with the options of the dense index, in memory.
pub fn usearch(corpus: &Corpus, documents: usize, truth: &Truth, report: &mut Report) {
    let index = usearch::Index::new(&IndexOptions {
        dimensions: DIMENSION,
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        connectivity: 16,
        expansion_add: 64,
        expansion_search: 384,
        multi: false,
    })
    .expect("a usearch index");
    eprintln!("usearch computes with {}", index.hardware_acceleration());
    let size = documents * Corpus::chunks_per_document();
    index.reserve_capacity_and_threads(size, 1).expect("memory");
    let mut adding = Duration::ZERO;
    for number in 0..documents {
        progress("usearch", number, documents);
        let vectors = corpus.vectors(number, 0);
        let started = Instant::now();
        for (chunk, vector) in vectors.iter().enumerate() {
            index.add((number * Corpus::chunks_per_document() + chunk) as u64, vector).expect("a vector");
        }
        adding += started.elapsed();
    }
    report.put("usearch alone, chunks/s", size as f64 / adding.as_secs_f64());
    report.put("usearch alone, bytes per chunk", index.serialized_length() as f64 / size as f64);
    let queries: Vec<_> = (0..QUERIES).map(|n| corpus.query_vector(n)).collect();
    let search = |k: usize| {
        move |n: usize, index: &usearch::Index, queries: &[Vec<f32>]| index.search(&queries[n], k).expect("hits").keys
    };
    for k in [100, K] {
        let latency = measure::latency(QUERIES, |n| search(k)(n, &index, &queries).len());
        report.latency(&format!("usearch alone, k = {k}"), latency);
    }
    let latency = measure::latency(20, |n| index.exact_search(&queries[n], K).expect("hits").keys.len());
    report.latency(&format!("usearch alone, exact, k = {K}"), latency);
    report.put("usearch alone, recall@10", truth.recall(|n| search(10)(n, &index, &queries)));
}

pub fn tantivy(corpus: &Corpus, documents: usize, dir: &Path, report: &mut Report) {
    let text = |option| {
        let indexing = TextFieldIndexing::default().set_tokenizer("default").set_index_option(option);
        TextOptions::default().set_indexing_options(indexing)
    };
    let mut builder = Schema::builder();
    let slot = builder.add_u64_field("slot", NumericOptions::default().set_fast());
    let body = builder.add_text_field("text", text(IndexRecordOption::WithFreqsAndPositions));
    let context = builder.add_text_field("context", text(IndexRecordOption::WithFreqs));
    std::fs::create_dir(dir).expect("a directory");
    let index = Index::create_in_dir(dir, builder.build()).expect("a tantivy index");
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 32 << 20).expect("a writer");
    let (mut adding, mut chunks) = (Duration::ZERO, 0);
    for number in 0..documents {
        progress("tantivy", number, documents);
        let document = corpus.document(number, 0);
        let started = Instant::now();
        for chunk in &document.chunks {
            let mut entry = TantivyDocument::new();
            entry.add_u64(slot, chunks);
            entry.add_text(body, &chunk.text);
            entry.add_text(context, &chunk.context);
            writer.add_document(entry).expect("an entry");
            chunks += 1;
        }
        adding += started.elapsed();
    }
    let started = Instant::now();
    writer.commit().expect("a commit");
    writer.wait_merging_threads().expect("merged segments");
    adding += started.elapsed();
    report.put("tantivy alone, chunks/s", chunks as f64 / adding.as_secs_f64());
    let bytes: u64 = std::fs::read_dir(dir)
        .expect("its files")
        .flatten()
        .map(|entry| entry.metadata().map_or(0, |metadata| metadata.len()))
        .sum();
    report.put("tantivy alone, bytes per chunk", bytes as f64 / chunks as f64);
    let searcher = index.reader().expect("a reader").searcher();
    for k in [100, K] {
        let latency = measure::latency(QUERIES, |n| {
            let query = corpus.query(n);
            let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
            for word in query.split(' ') {
                for field in [body, context] {
                    let term = TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs);
                    terms.push((Occur::Should, Box::new(term)));
                }
            }
            let top = TopDocs::with_limit(k).order_by_score();
            searcher.search(&BooleanQuery::new(terms), &top).expect("hits").len()
        });
        report.latency(&format!("tantivy alone, k = {k}"), latency);
    }
}
