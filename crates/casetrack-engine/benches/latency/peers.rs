//! Only the libraries under two of the recall sources, on the same texts and vectors.

use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::{Index, IndexWriter, TantivyDocument, Term};
use usearch::{IndexOptions, MetricKind, ScalarKind};

use crate::corpus::Corpus;
use crate::{K, latencies};

/// A text and a context field, the tokenizer for English; finds the best [`K`] and reads the stored text of the first ten.
pub fn tantivy(corpus: &Corpus, documents: usize, queries: &[String], searches: usize, dir: &Path) -> Vec<f64> {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("en_stem")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let options = TextOptions::default().set_indexing_options(indexing).set_stored();
    let mut builder = Schema::builder();
    let (body, context) = (builder.add_text_field("text", options.clone()), builder.add_text_field("context", options));
    std::fs::create_dir_all(dir).expect("a directory");
    let index = Index::create_in_dir(dir, builder.build()).expect("a tantivy index");
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 64 << 20).expect("a writer");
    for number in 0..documents {
        for (text, around) in corpus.texts(number) {
            let mut entry = TantivyDocument::new();
            entry.add_text(body, text);
            entry.add_text(context, around);
            writer.add_document(entry).expect("an entry");
        }
    }
    writer.commit().expect("a commit");
    writer.wait_merging_threads().expect("merged segments");
    let searcher = index.reader().expect("a reader").searcher();
    let mut analyzer = index.tokenizers().get("en_stem").expect("a tokenizer");
    let parsed: Vec<BooleanQuery> = queries
        .iter()
        .map(|query| {
            let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
            let mut stream = analyzer.token_stream(query);
            while let Some(token) = stream.next() {
                for field in [body, context] {
                    let term = Term::from_field_text(field, &token.text);
                    terms.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
                }
            }
            BooleanQuery::new(terms)
        })
        .collect();
    latencies(searches, |n| {
        let top = TopDocs::with_limit(K).order_by_score();
        let found = searcher.search(&parsed[n % parsed.len()], &top).expect("hits");
        let texts = found.iter().take(10).map(|(_, place)| {
            let stored: TantivyDocument = searcher.doc(*place).expect("a stored entry");
            stored.get_first(body).and_then(|text| text.as_str()).map_or(0, str::len)
        });
        texts.sum()
    })
}

/// The options of the dense index, in memory; asked for the [`K`] nearest of passages' vectors. Nothing is embedded or read.
pub fn usearch(corpus: &Corpus, documents: usize, searches: usize) -> Vec<f64> {
    let asked: Vec<Vec<f32>> = (0..searches).flat_map(|n| corpus.vectors(documents + n).take(1)).collect();
    let index = usearch::Index::new(&IndexOptions {
        dimensions: asked[0].len(),
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        connectivity: 16,
        expansion_add: 64,
        expansion_search: 384,
        multi: false,
    })
    .expect("a usearch index");
    let vectors = (0..documents).flat_map(|number| corpus.vectors(number));
    for (key, vector) in (0..).zip(vectors) {
        if key == index.capacity() as u64 {
            index.reserve_capacity_and_threads(2 * index.capacity() + 1024, 1).expect("memory");
        }
        index.add(key, &vector).expect("a vector");
    }
    latencies(searches, |n| index.search(&asked[n % asked.len()], K).expect("hits").keys.len())
}
