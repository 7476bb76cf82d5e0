//! Runs the judged queries and measures their rankings.

use std::collections::HashMap;

use casetrack_core::{Cancel, DocumentId, Error, Notice, Result};
use casetrack_store::{Collection, Filter, Hit};
use serde::Serialize;

use super::{Evaluation, Ingested};
use casetrack_search::ranking::late_interaction;
use casetrack_search::{RECALL, Recall, Scope, SearchRequest, Weights, recall};

/// Queries, and the expected results of each.
pub trait Judgements {
    fn queries(&self) -> usize;

    /// The text of a query (0 is the first), and the only document that it searches.
    fn query(&self, number: usize) -> (&str, Option<DocumentId>);

    /// The measures of each query, in the order of [`measure`](Self::measure)'s values.
    fn measures(&self) -> &'static [&'static str];

    /// The measures of one query's ranking, best passage first; each 0–1.
    fn measure(&self, number: usize, ranking: &[Hit]) -> Vec<f64>;
}

/// Makes a ranking, best first, of the stages' results; `None` if a stage that it needs did not answer.
type Rank = Box<dyn Fn(&Recall) -> Option<Vec<Hit>>>;

/// A named way of ranking the stages' results.
pub struct Ranking {
    pub name: String,
    pub rank: Rank,
}

impl Ranking {
    pub fn new(name: impl Into<String>, rank: impl Fn(&Recall) -> Option<Vec<Hit>> + 'static) -> Self {
        Self { name: name.into(), rank: Box::new(rank) }
    }

    /// Each stage by itself, and all fused as in searches.
    pub fn standard() -> Vec<Self> {
        vec![
            Self::new("BM25", |recall| Some(recall.bm25.clone())),
            Self::new("dense E1", |recall| recall.dense.clone()),
            Self::new("sparse E6", |recall| recall.sparse.clone()),
            Self::new("fused", |recall| Some(fused(recall, recall.weights))),
        ]
    }
}

/// The lists of the stages fused by score, best first.
pub fn fused(recall: &Recall, weights: Weights) -> Vec<Hit> {
    recall
        .fused_with(weights)
        .into_iter()
        .map(|found| Hit { document: found.document, index: found.index, score: found.score })
        .collect()
}

/// The same ranked again by late interaction of a weight; `None` if the collection has no token vectors.
pub fn ranked_again(recall: &Recall, weights: Weights, late: f32) -> Option<Vec<Hit>> {
    recall.late.as_ref()?;
    let candidates = late_interaction::with_weight(recall.fused_with(weights), &recall.max_sims, late);
    Some(
        candidates
            .into_iter()
            .map(|found| Hit { document: found.document, index: found.index, score: found.score })
            .collect(),
    )
}

pub struct Measurements {
    pub documents: u64,
    pub chunks: u64,
    /// The name and the values of each query for each ranking: the requested rankings, with the whole search after the
    pub systems: Vec<(String, Vec<Vec<f64>>)>,
    pub latency: Latency,
    pub notices: Vec<Notice>,
}

/// Times of searches in milliseconds, by nearest rank.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Latency {
    pub p50_ms: f64,
    pub p99_ms: f64,
}

impl Latency {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let rank = |share: f64| (share * times.len() as f64).ceil() as usize;
        let at = |share: f64| times.get(rank(share).saturating_sub(1)).copied().unwrap_or(0.0);
        Self { p50_ms: at(0.5), p99_ms: at(0.99) }
    }
}

/// The index of the whole search among the rankings: after the standard ones.
const WHOLE_SEARCH: usize = 4;

impl Evaluation<'_> {
    /// Runs each query in the stages, whose lists are ranked in each way, and in the whole search with `top_k` results.
    ///
    /// Fails when nothing is judged as relevant, and with `Cancelled` between two queries.
    pub fn measure(
        &self,
        ingested: &Ingested,
        judgements: &dyn Judgements,
        rankings: &[Ranking],
        top_k: u32,
        cancel: &Cancel,
    ) -> Result<Measurements> {
        let queries = judgements.queries();
        if queries == 0 {
            return Err(Error::invalid("No query has a relevant passage."));
        }
        let collection = &*ingested.collection;
        let order = Order::of(collection)?;
        let mut notices = ingested.notices.clone();
        let mut values: Vec<Vec<Vec<f64>>> = vec![Vec::new(); rankings.len()];
        let (mut of_search, mut times) = (Vec::new(), Vec::new());
        for number in 0..queries {
            cancel.check()?;
            let (text, within) = judgements.query(number);
            let request = SearchRequest {
                query: text.to_owned(),
                top_k,
                document: within.map(|document| document.to_string()),
                ..SearchRequest::default()
            };
            if number == 0 {
                // Loads models and indexes.
                casetrack_search::search(self.host, &[collection.meta().id], &request)?;
            }
            let response = casetrack_search::search(self.host, &[collection.meta().id], &request)?;
            times.push(response.elapsed_ms);
            let answers = response.results.iter().map(|result| Hit {
                document: result.chunk.provenance.document_id,
                index: result.chunk.provenance.chunk_index,
                score: result.score,
            });
            of_search.push(judgements.measure(number, &order.sorted(answers.collect())));

            let found = self.stages(collection, &order, text.trim(), within)?;
            for (ranking, values) in rankings.iter().zip(&mut values) {
                values.extend((ranking.rank)(&found).map(|hits| judgements.measure(number, &order.sorted(hits))));
            }
            for notice in found.notices {
                if !notices.contains(&notice) {
                    notices.push(notice);
                }
            }
        }
        let names = rankings.iter().map(|ranking| ranking.name.clone());
        let mut systems: Vec<_> = names.zip(values).collect();
        systems.insert(WHOLE_SEARCH.min(systems.len()), (format!("search, top {top_k}"), of_search));
        systems.retain(|(_, values)| values.len() == queries);
        let counts = collection.counts()?;
        let (documents, chunks) = (counts.documents, counts.chunks);
        Ok(Measurements { documents, chunks, systems, latency: Latency::of(times), notices })
    }

    /// The lists of the stages for one query.
    fn stages(
        &self,
        collection: &Collection,
        order: &Order,
        query: &str,
        within: Option<DocumentId>,
    ) -> Result<Recall> {
        let filter = Filter { documents: within.map(|document| vec![document]), ..Filter::default() };
        let mut found = recall(self.host, collection, query, RECALL, &[Scope { keywords: query, filter }])?.remove(0);
        found.max_sims = late_interaction::max_sims(collection, &found)?;
        found.bm25 = order.sorted(found.bm25);
        found.dense = found.dense.map(|hits| order.sorted(hits));
        found.sparse = found.sparse.map(|hits| order.sorted(hits));
        Ok(found)
    }
}

/// The place of each document in the order of paths. Ids are random, so that equal scores ordered by them would be in another order
/// each time that the documents are ingested.
struct Order(HashMap<DocumentId, usize>);

impl Order {
    fn of(collection: &Collection) -> Result<Self> {
        let documents = collection.documents()?;
        Ok(Self(documents.iter().enumerate().map(|(place, meta)| (meta.id, place)).collect()))
    }

    /// Sorts by score, equal scores by path and place in the document.
    fn sorted(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        let place = |hit: &Hit| (self.0.get(&hit.document), hit.index);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
        hits
    }
}
