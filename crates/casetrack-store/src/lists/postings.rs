//! The postings of one document.

use std::collections::HashMap;

use casetrack_core::{Chunk, DocumentMeta};
use casetrack_keyword::{Analysis, Indexer, TextField, analyzer, cover, exact_analyzer, names};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::tokenizer::{TextAnalyzer, Token};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    pub chunk: u32,
    pub count: u32,
    /// The number of terms in the field, as BM25 of the index on disk rounds it.
    pub length: u8,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermPostings {
    /// In the order of the chunks.
    pub chunks: Vec<Posting>,
    /// Only for the fields `Text` and `Exact`: as many for each chunk as its count, ascending.
    pub positions: Vec<u32>,
}

/// The postings of a document. The field `Names` is not in it: it follows from the document's name ([`name_terms`]), which may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inverted {
    /// By field and term, in this order.
    pub terms: Vec<((TextField, String), TermPostings)>,
    /// The numbers of terms in the fields `Text` and `Context`.
    pub text_tokens: u64,
    pub context_tokens: u64,
}

/// The analysis of the documents in one language.
enum Analyzers {
    Usual { text: TextAnalyzer, exact: TextAnalyzer },
    Own(Indexer),
}

impl Analyzers {
    fn of(language: Option<&str>) -> Self {
        let analysis = Analysis::of(language);
        match analysis.mark() {
            Some(_) => Self::Own(analysis.indexer()),
            None => Self::Usual { text: analyzer(), exact: exact_analyzer() },
        }
    }

    fn tokens(&mut self, field: TextField, text: &str) -> Vec<Token> {
        let analyzer = match (self, field) {
            (Self::Own(indexer), TextField::Exact) => return indexer.written(text).tokens,
            (Self::Own(indexer), _) => return indexer.terms(text).tokens,
            (Self::Usual { exact, .. }, TextField::Exact) => exact,
            (Self::Usual { text, .. }, _) => text,
        };
        let mut tokens = Vec::new();
        analyzer.token_stream(text).process(&mut |token| tokens.push(token.clone()));
        tokens
    }
}

pub fn invert(meta: &DocumentMeta, chunks: &[Chunk]) -> Inverted {
    let mut analyzers = Analyzers::of(meta.properties.language.as_deref());
    let (mut terms, mut text_tokens, mut context_tokens) = (Terms::new(), 0, 0);
    for chunk in chunks {
        let text = &chunk.text;
        text_tokens += add(&mut terms, &mut analyzers, TextField::Text, chunk.index, text);
        add(&mut terms, &mut analyzers, TextField::Exact, chunk.index, text);
        context_tokens += add(&mut terms, &mut analyzers, TextField::Context, chunk.index, &chunk.context);
        if chunk.index == 0 {
            add(&mut terms, &mut analyzers, TextField::Cover, 0, cover(text, meta.chunk_count));
        }
    }
    let mut terms: Vec<_> = terms.into_iter().collect();
    terms.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Inverted { terms, text_tokens, context_tokens }
}

/// The terms that a document with this name and title is called by, each once. `language` is its BCP 47 tag.
pub fn name_terms(name: &str, title: Option<&str>, language: Option<&str>) -> Vec<String> {
    let tokens = Analyzers::of(language).tokens(TextField::Names, &names(name, title));
    let mut terms: Vec<String> = tokens.into_iter().map(|token| token.text).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

type Terms = HashMap<(TextField, String), TermPostings>;

/// Adds the terms of a text; how many it has.
fn add(terms: &mut Terms, analyzers: &mut Analyzers, field: TextField, chunk: u32, text: &str) -> u64 {
    let tokens = analyzers.tokens(field, text);
    let length = FieldNormReader::fieldnorm_to_id(u32::try_from(tokens.len()).unwrap_or(u32::MAX));
    let with_positions = matches!(field, TextField::Text | TextField::Exact);
    let total = tokens.len() as u64;
    for token in tokens {
        let postings = terms.entry((field, token.text)).or_default();
        postings.positions.extend(with_positions.then_some(token.position as u32));
        match postings.chunks.last_mut().filter(|last| last.chunk == chunk) {
            Some(posting) => posting.count += 1,
            None => postings.chunks.push(Posting { chunk, count: 1, length }),
        }
    }
    total
}
