//! A query in a collection, and the ranking of the results of one or several collections.

use std::collections::HashMap;
use std::sync::Arc;

use casetrack_core::{CollectionId, DocumentId, Notice, Result};
use casetrack_embed::SignQuery;
use casetrack_store::{self as store, Counts, Filter, WordConditions};

use super::fusion::{self, Candidate};
use super::late_interaction;
use super::preferences::{self, Preferences};
use super::recall::{Recall, Scope, recall};
use crate::query::{self, Understood};
use crate::{SearchRequest, filter};
use casetrack_host::{Host, OpenCollection};

pub(crate) struct CollectionQuery {
    pub collection: Arc<OpenCollection>,
    pub counts: Counts,
    pub documents: u64,
    pub chunks: u64,
    pub notices: Vec<Notice>,
    pub preferences: Preferences,
    /// The candidates found everywhere, then those of each preference.
    recalled: Vec<Recall>,
}

impl CollectionQuery {
    /// Asks a collection for `count` candidates of each stage.
    pub fn of(host: &Host, id: CollectionId, query: &str, request: &SearchRequest, count: usize) -> Result<Self> {
        let collection = host.collection(id)?;
        let Understood { text, filters, words, preferred, mut notices, .. } =
            query::understand(host, &collection, query)?;
        let mut restricted = request.filters.clone();
        restricted.documents.extend(request.document.clone());
        let mut select = |words| filter::left(host, &collection, [&restricted, &filters], words, &mut notices);
        let selection = select(&words)?;
        let counts = collection.counts()?;
        let (documents, chunks) = match &selection {
            Some(selection) => (selection.documents(), selection.chunks()),
            None => (counts.documents, counts.chunks),
        };
        if chunks == 0 && counts.chunks > 0 {
            let left = select(&WordConditions::default())?.map_or(counts.documents, |selection| selection.documents());
            notices.push(query::nothing_left(&words, left));
        }
        let count = match request.per_document {
            // Each document gets its own results.
            Some(_) => count.max(request.among.unwrap_or(chunks as usize)),
            None => count,
        };
        let preferences = Preferences::of(&collection, &text, preferred, selection.as_ref(), &mut notices)?;
        let everywhere = Scope { keywords: &text, filter: Filter { selection, documents: None } };
        let asked = &preferences.asked;
        let preferring = preferences.preferred.iter().map(|of| Scope { keywords: asked, filter: of.filter.clone() });
        let scopes: Vec<Scope<'_>> = std::iter::once(everywhere).chain(preferring).collect();
        let mut recalled = recall(host, &collection, asked, count, &scopes)?;
        let missing = recalled.first_mut().map(|everywhere| std::mem::take(&mut everywhere.notices));
        let notices = notices.into_iter().map(Notice::from).chain(missing.into_iter().flatten()).collect();
        Ok(Self { collection, counts, documents, chunks, notices, preferences, recalled })
    }

    /// The query for late interaction, if the collection has token vectors whose model covers the language of the found passages. None if the query
    /// prefers passages, such as those of a named document: late interaction would mix these with others again (docs/dev/embedding.md).
    pub fn late(&self) -> Option<&SignQuery> {
        self.recalled
            .first()
            .filter(|found| found.weights.dense > 0.0 && self.preferences.preferred.is_empty())?
            .late
            .as_deref()
    }
}

pub(crate) fn stages(asked: &[CollectionQuery]) -> Vec<String> {
    let has = |list: fn(&Recall) -> bool| asked.iter().filter_map(|asked| asked.recalled.first()).any(list);
    let lists = [
        ("BM25", true),
        ("dense E1", has(|found| found.dense.is_some())),
        ("sparse E6", has(|found| found.sparse.is_some())),
    ];
    let lists: Vec<&str> = lists.into_iter().filter_map(|(name, present)| present.then_some(name)).collect();
    let mut stages = vec![format!("recall ({})", lists.join(", "))];
    if lists.len() > 1 {
        stages.push("score fusion".to_owned());
    }
    for CollectionQuery { preferences, .. } in asked {
        let compares = (!preferences.comparisons.is_empty()).then_some("quantities");
        for stage in preferences.preferred.iter().map(|of| of.stage).chain(compares) {
            if !stages.iter().any(|known| known == stage) {
                stages.push(stage.to_owned());
            }
        }
    }
    if asked.iter().any(|asked| asked.late().is_some()) {
        stages.push(late_interaction::STAGE.to_owned());
    }
    stages
}

/// The candidates of all collections, best first, each with the place of its collection in `asked`. Adds notices.
pub(crate) fn ranked(asked: &mut [CollectionQuery]) -> Result<Vec<(usize, Candidate)>> {
    let everywhere = joined(asked);
    let mut of_each: Vec<Vec<Candidate>> = asked.iter().map(|_| Vec::new()).collect();
    for (at, candidate) in everywhere {
        of_each[at].push(candidate);
    }
    // The same highest score for all, so that a preference of one collection takes nothing from another.
    let most = asked.iter().map(|asked| asked.preferences.most()).fold(0.0, f32::max);
    let compares = asked.iter().any(|asked| !asked.preferences.comparisons.is_empty());
    let mut ranked = Vec::new();
    for (at, (CollectionQuery { collection, preferences, recalled, .. }, candidates)) in
        asked.iter_mut().zip(of_each).enumerate()
    {
        let found = recalled.iter().skip(1);
        let mut candidates = fusion::prefer(candidates, preferences.preferred.iter().zip(found), 1.0 + most);
        if compares {
            candidates = preferences::compared(collection, &preferences.comparisons, candidates)?;
        }
        ranked.extend(candidates.into_iter().map(|candidate| (at, candidate)));
    }
    if asked.len() > 1 {
        ranked.sort_by(|(_, a), (_, b)| fusion::order(a, b));
    }
    let total = (1.0 + most) * if compares { preferences::WITH_COMPARED } else { 1.0 };
    let notice = late_interaction::ranked_again(asked, &mut ranked, total)?;
    if let Some(first) = asked.first_mut() {
        first.notices.extend(notice);
    }
    Ok(ranked)
}

/// The candidates found everywhere, fused: scores of a stage mean the same in all collections whose chunks the same model embedded, so its
/// lists become one.
fn joined(asked: &mut [CollectionQuery]) -> Vec<(usize, Candidate)> {
    if let [only] = asked {
        return only
            .recalled
            .first()
            .map_or_else(Vec::new, Recall::fused)
            .into_iter()
            .map(|found| (0, found))
            .collect();
    }
    let mut places: HashMap<(DocumentId, u32), usize> = HashMap::new();
    let mut all: Option<Recall> = None;
    for (at, found) in asked.iter().enumerate().filter_map(|(at, asked)| Some((at, asked.recalled.first()?.weighed())))
    {
        let lists = [Some(&found.bm25), found.dense.as_ref(), found.sparse.as_ref()];
        for hit in lists.into_iter().flatten().flatten() {
            places.entry((hit.document, hit.index)).or_insert(at);
        }
        match &mut all {
            None => all = Some(found),
            Some(all) => {
                all.weights = all.weights.most(found.weights);
                all.bm25.extend(&found.bm25);
                extend(&mut all.dense, found.dense.as_ref());
                extend(&mut all.sparse, found.sparse.as_ref());
            }
        }
    }
    let Some(mut all) = all else { return Vec::new() };
    for list in [Some(&mut all.bm25), all.dense.as_mut(), all.sparse.as_mut()].into_iter().flatten() {
        list.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    let place = |found: Candidate| Some((*places.get(&(found.document, found.index))?, found));
    all.fused().into_iter().filter_map(place).collect()
}

fn extend(list: &mut Option<Vec<store::Hit>>, more: Option<&Vec<store::Hit>>) {
    if let Some(more) = more {
        list.get_or_insert_default().extend(more);
    }
}
