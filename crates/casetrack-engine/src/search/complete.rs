//! Complete lists: all passages that fulfil a query which consists of conditions only, in the order of documents and their text.

use std::collections::HashMap;
use std::time::Instant;

use casetrack_core::{CollectionId, DocumentId, Error, Notice, Result};
use casetrack_store::{Collection, Conditions, Selection, WordConditions};
use schemars::JsonSchema;
use serde::Serialize;

use super::asking::{self, Restrictions};
use super::query::{self, Understood};
use super::{
    MAX_OFFSET, SearchRequest, SearchResponse, SearchResult, Surroundings, context, excerpt, folding, related,
    within_tier,
};
use crate::documents::chunks;
use crate::host::Host;

/// What a complete list has, with what is not shown of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CompleteList {
    /// The conditions on words as they were understood, in the notation of queries.
    pub condition: String,
    /// Documents and passages (chunks) that fulfil all conditions.
    pub documents: u64,
    pub passages: u64,
}

/// Checks what is only allowed in a complete list.
pub(super) fn check_ranked(request: &SearchRequest) -> Result<()> {
    if request.count_only {
        return Err(Error::invalid("Passages can only be counted where the query has conditions and no other words.")
            .with_hint(
                "Use phrases in quotes, words with a plus sign and operators, as in rent AND \"late payment\".",
            ));
    }
    crate::paging::check_range("offset", request.offset, 0..=MAX_OFFSET)
}

/// The passages of `base` (`None` for all) that fulfil the conditions of a query on words.
pub(super) fn found(collection: &Collection, understood: &Understood, base: Option<&Selection>) -> Result<Selection> {
    let words = understood.words.clone();
    let conditions = Conditions { words, expression: understood.expression.clone(), ..Conditions::default() };
    let found = collection.select(&conditions)?;
    Ok(base.map(|base| base.within(&found)).unwrap_or(found))
}

/// What users should know of how conditions match.
pub(super) fn how_words_match(understood: &Understood) -> &'static str {
    match understood.expression {
        Some(_) => {
            "Case, accents and English word endings make no difference, but a word with * is matched letter by letter. AND, NOT and w/n hold \
             within one passage."
        }
        None => {
            "Case, accents and English word endings make no difference. A * at the end of a word, as in termination*, matches it letter by \
             letter."
        }
    }
}

impl Host {
    /// The list of all passages that fulfil the conditions of a query, from `request.offset` on; `None` where it has words besides.
    pub(super) fn complete_list(
        &self,
        id: CollectionId,
        query: &str,
        request: &SearchRequest,
        started: Instant,
    ) -> Result<Option<SearchResponse>> {
        if !query::is_complete(query)? {
            return Ok(None);
        }
        let collection = &*self.collection(id)?;
        let mut understood = query::understand(collection, query)?;
        let mut notices = std::mem::take(&mut understood.notices);
        let filters = std::mem::take(&mut understood.filters);
        let restrictions = Restrictions::of(self, collection, request.restrictions(), filters, &mut notices)?;
        let base = restrictions.select(collection, &WordConditions::default())?;
        let counts = collection.counts()?;
        let (documents, chunks) = match &base {
            Some(base) => (base.documents(), base.chunks()),
            None => (counts.documents, counts.chunks),
        };
        let found = found(collection, &understood, base.as_deref())?;
        notices.push(how_words_match(&understood).to_owned());
        let list =
            CompleteList { condition: understood.written(), documents: found.documents(), passages: found.chunks() };
        let (mut results, mut next_offset) = (Vec::new(), None);
        if !request.count_only {
            let request = within_tier(request, self.config().tier, &mut notices);
            let end = u64::from(request.offset) + u64::from(request.top_k);
            next_offset = (end < list.passages && request.top_k > 0).then_some(end);
            results = listed(collection, &found, &understood.text, &request)?;
        }
        let related = match request.related {
            true => related::to(self, collection, &results)?,
            false => Vec::new(),
        };
        let (results, hits) = asking::as_asked(results, request.brief);
        Ok(Some(SearchResponse {
            query: request.query.trim().to_owned(),
            collection: collection.meta().name.clone(),
            total_documents: counts.documents,
            documents,
            chunks,
            elapsed_ms: started.elapsed().as_secs_f64() * 1000.0,
            tier: self.config().tier,
            stages: vec!["conditions".to_owned()],
            notices: notices.into_iter().map(Notice::from).collect(),
            complete: Some(list),
            next_offset,
            results,
            hits,
            related,
        }))
    }
}

/// The wanted part of the list. A passage that vanished since it was found is left out.
fn listed(
    collection: &Collection,
    found: &Selection,
    sought: &str,
    request: &SearchRequest,
) -> Result<Vec<SearchResult>> {
    let mut places = collection.places(found);
    let order = order(collection)?;
    let rank = |document: &DocumentId| order.get(document).copied().unwrap_or(usize::MAX);
    places.sort_by_key(|(document, index)| (rank(document), *document, *index));
    let mut passages = collection.passages();
    let mut pages = HashMap::new();
    let mut results = Vec::new();
    let wanted = places.into_iter().enumerate().skip(request.offset as usize).take(request.top_k as usize);
    for (n, (document, index)) in wanted {
        let Some(passage) = passages.at(document, index)? else { continue };
        let chunk = chunks::view(passage);
        let mut result = SearchResult {
            rank: n as u32 + 1,
            score: 1.0,
            collection: None,
            excerpt: excerpt::excerpt(sought, &chunk, request.brief),
            surroundings: Surroundings::default(),
            chunk,
            repeated_in: Vec::new(),
            bm25: None,
            dense: None,
            sparse: None,
            preferred: None,
        };
        folding::head_by_excerpt(collection, &mut result, &mut pages)?;
        result.surroundings = context::around(collection, &result.chunk.provenance, request.context)?;
        results.push(result);
    }
    Ok(results)
}

/// The place of each document in lists: by name, then path.
pub(super) fn order(collection: &Collection) -> Result<HashMap<DocumentId, usize>> {
    let mut entries = collection.catalogue()?.to_vec();
    entries.sort_by(|a, b| {
        let names = a.name.to_lowercase().cmp(&b.name.to_lowercase());
        names.then_with(|| a.name.cmp(&b.name)).then_with(|| a.path.cmp(&b.path))
    });
    Ok(entries.iter().enumerate().map(|(n, entry)| (entry.id, n)).collect())
}
