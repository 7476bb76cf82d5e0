//! Complete lists: all passages that fulfil a query of conditions only, in the order of documents and their text.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use casetrack_core::{CitationStyle, CollectionId, DocumentId, Error, Notice, Result};
use casetrack_store::{Collection, Conditions, Expression, Selection, WordConditions, Words};
use schemars::JsonSchema;
use serde::Serialize;

use super::query::{self, Understood};
use super::worth::Question;
use super::{
    Filters, Hit, MAX_OFFSET, SearchRequest, SearchResponse, SearchResult, context, excerpt, filter, of_changes,
    of_hidden, related_passages, results, whole, within_tier,
};
use casetrack_compare::quotes::{Broken, over_page_breaks};
use casetrack_host::documents::chunks;
use casetrack_host::{Host, OpenCollection};

/// Most phrases of a query that are looked for at page breaks.
const MAX_PHRASES: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct CompleteList {
    /// The conditions on words, in the notation of queries.
    pub condition: String,
    /// Documents and passages (chunks) that fulfil all conditions.
    pub documents: u64,
    pub passages: u64,
    /// Documents that fulfil AND and NOT over all their passages; absent if the condition has neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_documents: Option<u64>,
    /// Passages in the whole list: fewer than `passages` if only some of each document are wanted.
    #[serde(skip)]
    pub listed: u64,
}

pub(super) fn check_ranked(request: &SearchRequest) -> Result<()> {
    if request.count_only {
        return Err(Error::invalid("Passages can only be counted if the query has only conditions.").with_hint(
            "Use phrases in quotes, words with a plus sign and operators, as in rent AND \"late payment\".",
        ));
    }
    casetrack_host::paging::check_range("offset", request.offset, 0..=MAX_OFFSET)
}

/// The passages of `base` (`None` for all) that fulfil the conditions of a query on words.
pub(super) fn found(collection: &Collection, understood: &Understood, base: Option<&Selection>) -> Result<Selection> {
    let words = understood.words.clone();
    let conditions = Conditions { words, expression: understood.expression.clone(), ..Conditions::default() };
    let found = collection.select(&conditions)?;
    Ok(base.map(|base| base.within(&found)).unwrap_or(found))
}

pub(super) fn how_words_match(understood: &Understood) -> &'static str {
    match understood.expression {
        Some(_) => {
            "Case, accents and word endings make no difference, but a word with * is matched letter by letter. AND, NOT and w/n hold \
             within one passage, which is of one page."
        }
        None => {
            "Case, accents and word endings make no difference. A * at the end of a word, as in termination*, matches it letter by \
             letter."
        }
    }
}

struct CollectionMatches {
    collection: Arc<OpenCollection>,
    /// The text by which the passages were found.
    sought: String,
    places: Vec<(DocumentId, u32)>,
}

/// The list of several collections, one after the other.
#[derive(Default)]
struct Gathered {
    list: CompleteList,
    found: Vec<CollectionMatches>,
    /// Documents in the collections, before filters.
    total: u64,
    /// Documents and chunks that were searched.
    documents: u64,
    chunks: u64,
    notices: Vec<String>,
}

impl Gathered {
    /// Adds the passages of a collection. `restricted` are all filters of the request.
    fn add(
        &mut self,
        host: &Host,
        collection: Arc<OpenCollection>,
        query: &str,
        request: &SearchRequest,
        restricted: &Filters,
    ) -> Result<()> {
        let mut understood = query::understand(host, &collection, query)?;
        let how = understood.has_words().then(|| how_words_match(&understood).to_owned());
        for notice in std::mem::take(&mut understood.notices).into_iter().chain(how) {
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
        let notices = &mut self.notices;
        let mut left =
            |own: &Filters| filter::left(host, &collection, [restricted, own], &WordConditions::default(), notices);
        let base = left(&understood.filters)?;
        // If a query has only fields, they are its conditions and not its scope.
        let searched = match understood.has_words() {
            true => base.clone(),
            false => left(&Filters::default())?,
        };
        let counts = collection.counts()?;
        self.total += counts.documents;
        self.documents += searched.as_ref().map_or(counts.documents, |searched| searched.documents());
        self.chunks += searched.as_ref().map_or(counts.chunks, |searched| searched.chunks());
        let found = found(&collection, &understood, base.as_deref())?;
        self.list.documents += found.documents();
        if let Some(whole) = whole::documents(&collection, &understood, base.as_deref())? {
            *self.list.whole_documents.get_or_insert_default() += whole;
        }
        self.list.passages += found.chunks();
        self.list.condition = understood.written();
        for phrase in phrases(&understood).iter().filter(|_| request.offset == 0) {
            let broken = over_page_breaks(&collection, &host.config().citations, phrase, base.as_deref())?;
            self.notices.extend(of_breaks(phrase, &broken));
        }
        let places = places(&collection, &found, request.per_document)?;
        self.list.listed += places.len() as u64;
        self.found.push(CollectionMatches { collection, sought: understood.text, places });
        Ok(())
    }
}

/// The list of all passages that fulfil a query of conditions only, from `request.offset` on, of one collection after the other; `None`
/// for other queries.
pub(super) fn complete_list(
    host: &Host,
    collections: &[CollectionId],
    query: &str,
    request: &SearchRequest,
    started: Instant,
) -> Result<Option<SearchResponse>> {
    if !query::is_complete(query)? {
        return Ok(None);
    }
    let mut restricted = request.filters.clone();
    restricted.documents.extend(request.document.clone());
    let mut gathered = Gathered::default();
    for &id in collections {
        gathered.add(host, host.collection(id)?, query, request, &restricted)?;
    }
    let Gathered { list, found, total, documents, chunks, mut notices } = gathered;
    if list.listed < list.passages {
        let most = request.per_document.unwrap_or_default();
        notices.push(format!("At most {most} passages of each document are listed."));
    }
    let (mut results, mut next_offset) = (Vec::new(), None);
    if !request.count_only {
        let request = within_tier(request, host.config().tier, &mut notices);
        let end = u64::from(request.offset) + u64::from(request.top_k);
        next_offset = (end < list.listed && request.top_k > 0).then_some(end);
        results = listed(&found, &request, &host.config().citations)?;
    }
    let mut related = Vec::new();
    if request.related {
        for CollectionMatches { collection, sought, .. } in &found {
            related.extend(related_passages::to(host, collection, sought, &results)?);
        }
    }
    notices.extend(of_changes(&results));
    notices.extend(of_hidden(&results));
    let (results, hits) = Hit::instead_of(results, request.brief);
    let names: Vec<&str> = found.iter().map(|found| found.collection.meta().name.as_str()).collect();
    Ok(Some(SearchResponse {
        query: query.to_owned(),
        collection: names.join(", "),
        total_documents: total,
        documents,
        chunks,
        elapsed_ms: started.elapsed().as_secs_f64() * 1000.0,
        tier: host.config().tier,
        stages: vec!["conditions".to_owned()],
        notices: notices.into_iter().map(Notice::from).collect(),
        complete: Some(list),
        next_offset,
        results,
        hits,
        deleted: None,
        related,
    }))
}

/// The phrases that passages may have; passages do not include phrases at a page break.
fn phrases(understood: &Understood) -> Vec<String> {
    fn of_words(words: &Words, phrases: &mut Vec<String>) {
        match words {
            Words::Phrase(phrase) => phrases.push(phrase.clone()),
            Words::Any(any) => any.iter().for_each(|words| of_words(words, phrases)),
            Words::Near { .. } => {}
        }
    }
    fn of(expression: &Expression, phrases: &mut Vec<String>) {
        match expression {
            Expression::Words(words) => of_words(words, phrases),
            Expression::All(all) | Expression::Any(all) => all.iter().for_each(|one| of(one, phrases)),
            Expression::Not(_) => {}
        }
    }
    let mut phrases = understood.words.required.clone();
    understood.expression.iter().for_each(|expression| of(expression, &mut phrases));
    phrases.retain(|phrase| phrase.contains(char::is_whitespace));
    phrases.truncate(MAX_PHRASES);
    phrases
}

fn of_breaks(phrase: &str, broken: &Broken) -> Option<String> {
    if broken.total == 0 {
        return None;
    }
    let places: Vec<&str> = broken.places.iter().map(|place| place.citation.as_str()).collect();
    let least = if broken.is_cut { "at least " } else { "" };
    let more = if broken.total > places.len() as u64 { "; …" } else { "" };
    let count = match broken.total {
        1 => "1 place".to_owned(),
        total => format!("{total} places"),
    };
    Some(format!(
        "The phrase \"{phrase}\" also crosses a page break in {least}{count}. These places are not counted or listed: {}{more}",
        places.join("; ")
    ))
}

/// The places of the selection, in the order of the list, at most `of_each` of a document.
fn places(collection: &Collection, found: &Selection, of_each: Option<u32>) -> Result<Vec<(DocumentId, u32)>> {
    let mut places = collection.places(found);
    let order = order(collection)?;
    let rank = |document: &DocumentId| order.get(document).copied().unwrap_or(usize::MAX);
    places.sort_by_key(|(document, index)| (rank(document), *document, *index));
    if let Some(most) = of_each {
        let mut before: Option<(DocumentId, u32)> = None;
        places.retain(|(document, _)| {
            let number = before.filter(|(last, _)| last == document).map_or(1, |(_, number)| number + 1);
            before = Some((*document, number));
            number <= most
        });
    }
    Ok(places)
}

/// The wanted part of the list. A passage that vanished since it was found is left out.
fn listed(all: &[CollectionMatches], request: &SearchRequest, style: &CitationStyle) -> Result<Vec<SearchResult>> {
    let mut results = Vec::new();
    let mut pages = HashMap::new();
    let mut passed = 0usize;
    let (offset, end) = (request.offset as usize, request.offset as usize + request.top_k as usize);
    for CollectionMatches { collection, sought, places } in all {
        let (mut passages, question) = (collection.passages(), Question::of(sought));
        for (n, (document, index)) in (passed..).zip(places).take_while(|(n, _)| *n < end) {
            if n < offset {
                continue;
            }
            let Some(passage) = passages.at(*document, *index)? else { continue };
            let mut chunk = chunks::view(passage, style);
            let excerpt = results::shown(collection, &mut chunk, &mut pages, |chunk, blocks| {
                excerpt::excerpt(&question, chunk, blocks, request.extent())
            })?;
            let name = (all.len() > 1).then(|| collection.meta().name.clone());
            let mut result = SearchResult::new(n + 1, 1.0, name, chunk, excerpt);
            result.surroundings = context::around(collection, &result.chunk.provenance, request.context)?;
            results.push(result);
        }
        passed += places.len();
    }
    Ok(results)
}

pub(super) fn order(collection: &Collection) -> Result<HashMap<DocumentId, usize>> {
    let mut entries = collection.catalogue()?.to_vec();
    entries.sort_by(|a, b| {
        let names = a.name.to_lowercase().cmp(&b.name.to_lowercase());
        names.then_with(|| a.name.cmp(&b.name)).then_with(|| a.path.cmp(&b.path))
    });
    Ok(entries.iter().enumerate().map(|(n, entry)| (entry.id, n)).collect())
}
