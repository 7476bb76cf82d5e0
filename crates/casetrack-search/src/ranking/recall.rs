//! The recall lists of one query, by stage. Search and evaluation both start from them.

use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

use casetrack_core::{Error, Notice, Result};
use casetrack_embed::{Embedder, Outputs, SignQuery};
use casetrack_store::{Collection, Filter, Hit, SparseVector};

use super::language::{self, ModelHits};
use super::late_interaction::{self, MaxSims};
use crate::{Weights, coverage};
use casetrack_host::Host;

/// The candidates of each recall source, best first.
#[derive(Debug, Clone)]
pub struct Recall {
    pub bm25: Vec<Hit>,
    /// `None` if the model is missing.
    pub dense: Option<Vec<Hit>>,
    /// `None` if the model is missing, or the collection has no learned-sparse vectors.
    pub sparse: Option<Vec<Hit>>,
    /// The query's token vectors, if the collection has token vectors.
    pub late: Option<Arc<SignQuery>>,
    /// The MaxSims of the best, in evaluations.
    pub max_sims: MaxSims,
    pub weights: Weights,
    /// Reasons for missing parts; empty if nothing is missing.
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone)]
pub struct Scope<'q> {
    pub keywords: &'q str,
    pub filter: Filter,
}

/// Asks every recall source for its best `count` chunks in each scope: BM25 for the scope's keywords, the models for `query`. A source that cannot
/// answer is left out, with a notice (in the first scope).
pub fn recall(
    host: &Host,
    collection: &Collection,
    query: &str,
    count: usize,
    scopes: &[Scope<'_>],
) -> Result<Vec<Recall>> {
    let Lists { bm25, mut dense, mut sparse, late, embedder, mut notices } =
        lists(host, collection, query, count, scopes)?;
    let counts = collection.counts()?;
    if sparse.is_some() && counts.sparse_chunks < counts.chunks {
        let missing = counts.chunks - counts.sparse_chunks;
        let all = counts.chunks;
        notices.push(
            format!(
                "{missing} of {all} chunks of the collection have no learned-sparse vectors (E6); only the other stages find them."
            )
            .into(),
        );
    }
    let found = ModelHits { dense: dense.as_mut(), sparse: sparse.as_mut() };
    let best = bm25.first().map_or(&[][..], Vec::as_slice);
    let mut weights = language::weights(collection, best, found, embedder.as_ref())?;
    if sparse.is_none() && weights.dense > 0.0 && dense.is_some() {
        weights.bm25 *= coverage::share(collection, query, best)?;
    }
    let (mut dense, mut sparse) = (dense.map(Vec::into_iter), sparse.map(Vec::into_iter));
    let late = late.map(Arc::new);
    let recalled = bm25.into_iter().map(|bm25| Recall {
        bm25,
        dense: dense.as_mut().and_then(Iterator::next),
        sparse: sparse.as_mut().and_then(Iterator::next),
        late: late.clone(),
        max_sims: MaxSims::new(),
        weights,
        notices: std::mem::take(&mut notices),
    });
    Ok(recalled.collect())
}

/// The candidates of all recall sources, a list for each scope.
struct Lists {
    bm25: Vec<Vec<Hit>>,
    dense: Option<Vec<Vec<Hit>>>,
    sparse: Option<Vec<Vec<Hit>>>,
    late: Option<SignQuery>,
    embedder: Option<Embedder>,
    notices: Vec<Notice>,
}

fn lists(host: &Host, collection: &Collection, query: &str, count: usize, scopes: &[Scope<'_>]) -> Result<Lists> {
    let mut notices = Vec::new();
    let (mut embedder, mut late) = (None, None);
    // In parallel: keyword search and the first model; then nearest neighbours and the second model.
    let (bm25, dense, sparse) = thread::scope(|threads| {
        let bm25 =
            threads.spawn(|| in_each(scopes, |scope| collection.search_bm25(scope.keywords, count, &scope.filter)));
        let late_with = host.token_embedder_of(collection).unwrap_or_else(|error| {
            tracing::warn!(%error, "late interaction is not available");
            notices.push(error.notice("Without late interaction (E12): "));
            None
        });
        let wanted = Outputs { tokens: late_with.is_some(), ..Outputs::DENSE };
        let embedded = host.embedder_of(collection).and_then(|own| {
            let mut embedded = embedder.insert(own).embed_query_as(query, wanted)?;
            Ok((embedded.dense.pop().ok_or_else(nothing)?, embedded.tokens.pop()))
        });
        let dense = match embedded {
            Ok((vector, tokens)) => {
                late = tokens.and_then(|tokens| late_interaction::prepared(&tokens, collection));
                let search = move |scope: &Scope<'_>| collection.search_dense(&vector, count, &scope.filter);
                Some(threads.spawn(move || in_each(scopes, search)))
            }
            Err(error) => {
                tracing::warn!(%error, "dense search is not available");
                notices.push(error.notice("Keyword search only: "));
                None
            }
        };
        let sparse = sparse_recall(host, collection, query, count, scopes);
        Result::Ok((joined(bm25)?, dense.map(joined).transpose()?, sparse))
    })?;
    let sparse = sparse.unwrap_or_else(|error| {
        tracing::warn!(%error, "learned-sparse search is not available");
        notices.push(error.notice("Without learned-sparse search (E6): "));
        None
    });
    Ok(Lists { bm25, dense, sparse, late, embedder, notices })
}

fn nothing() -> Error {
    Error::internal("The query has no vector")
}

fn in_each(scopes: &[Scope<'_>], search: impl Fn(&Scope<'_>) -> Result<Vec<Hit>>) -> Result<Vec<Vec<Hit>>> {
    scopes.iter().map(search).collect()
}

/// `None` if the collection has no learned-sparse vectors.
fn sparse_recall(
    host: &Host,
    collection: &Collection,
    query: &str,
    count: usize,
    scopes: &[Scope<'_>],
) -> Result<Option<Vec<Vec<Hit>>>> {
    let Some(embedder) = host.sparse_embedder_of(collection)? else { return Ok(None) };
    let vector = embedder.embed_query_as(query, Outputs::SPARSE)?.sparse.pop();
    let terms = vector.ok_or_else(nothing)?.terms;
    let vector = SparseVector { terms };
    in_each(scopes, |scope| collection.search_sparse(&vector, count, &scope.filter)).map(Some)
}

fn joined<T>(search: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    search.join().unwrap_or_else(|_| Err(Error::internal("A search ended unexpectedly; see the log")))
}
