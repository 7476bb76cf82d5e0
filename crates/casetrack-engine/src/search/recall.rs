//! The recall lists of one query, by stage. Search and evaluation both start from them.

use std::thread::{self, ScopedJoinHandle};

use casetrack_core::{Error, Notice, Result};
use casetrack_embed::Outputs;
use casetrack_store::{Collection, Filter, Hit, SparseVector};

use crate::host::Host;

/// What each recall source found, best first.
#[derive(Debug, Clone)]
pub struct Recall {
    pub bm25: Vec<Hit>,
    /// `None` where the model is missing.
    pub dense: Option<Vec<Hit>>,
    /// `None` where the model is missing, or the collection has no learned-sparse vectors.
    pub sparse: Option<Vec<Hit>>,
    /// What is missing and why; empty if nothing is.
    pub notices: Vec<Notice>,
}

/// Asks every recall source for its best `count` chunks: BM25 for `keywords`, the models for `query`, which are the same
/// unless keywords were corrected. A source that cannot answer is left out, and a notice says so.
pub(crate) fn recall(
    host: &Host,
    collection: &Collection,
    keywords: &str,
    query: &str,
    count: usize,
    filter: &Filter,
) -> Result<Recall> {
    let mut notices = Vec::new();
    // Beside each other: keyword search and the first model; then nearest neighbours and the second model.
    let (bm25, dense, sparse) = thread::scope(|scope| {
        let bm25 = scope.spawn(|| collection.search_bm25(keywords, count, filter));
        let dense = match host.embedder_of(collection).and_then(|embedder| embedder.embed_query(query)) {
            Ok(vector) => Some(scope.spawn(move || collection.search_dense(&vector, count, filter))),
            Err(error) => {
                tracing::warn!(%error, "dense search is not available");
                notices.push(error.notice("Keyword search only: "));
                None
            }
        };
        let sparse = sparse_recall(host, collection, query, count, filter);
        Result::Ok((joined(bm25)?, dense.map(joined).transpose()?, sparse))
    })?;
    let sparse = match sparse {
        Ok(hits) => hits,
        Err(error) => {
            tracing::warn!(%error, "learned-sparse search is not available");
            notices.push(error.notice("Without learned-sparse search (E6): "));
            None
        }
    };
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
    Ok(Recall { bm25, dense, sparse, notices })
}

/// `None` where the collection has no learned-sparse vectors.
fn sparse_recall(
    host: &Host,
    collection: &Collection,
    query: &str,
    count: usize,
    filter: &Filter,
) -> Result<Option<Vec<Hit>>> {
    let Some(embedder) = host.sparse_embedder_of(collection)? else { return Ok(None) };
    let vector = embedder.embed_query_as(query, Outputs::SPARSE)?.sparse.pop();
    let terms = vector.ok_or_else(|| Error::internal("The query was embedded into nothing"))?.terms;
    collection.search_sparse(&SparseVector { terms }, count, filter).map(Some)
}

fn joined(search: ScopedJoinHandle<'_, Result<Vec<Hit>>>) -> Result<Vec<Hit>> {
    search.join().unwrap_or_else(|_| Err(Error::internal("A search ended unexpectedly; the log says where")))
}
