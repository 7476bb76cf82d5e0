//! Lists of search terms: the documents that have each term, and how often.

use std::collections::{BTreeMap, HashMap};

use casetrack_core::{CollectionId, DocumentId, Error, Notice, Result};
use casetrack_store::{Collection, Selection, WordConditions};
use schemars::JsonSchema;
use serde::Serialize;

use super::query::{self, Understood};
use super::{Filters, MAX_QUERY_CHARS, complete, filter, whole};
use casetrack_host::Host;
use casetrack_host::documents::shared_names;
use casetrack_host::paging::{Paging, Part};

pub const MAX_TERMS: usize = 1000;

#[derive(Debug, Clone, Default)]
pub struct TermsRequest {
    /// At most [`MAX_TERMS`], each with the notation of queries; words side by side are a phrase.
    pub terms: Vec<String>,
    /// Restrict to the document of this name or id.
    pub document: Option<String>,
    pub filters: Filters,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TermReport {
    pub collection: String,
    pub documents: u64,
    pub chunks: u64,
    /// The total of each term, in the order of the request.
    pub terms: Vec<TermTotal>,
    /// Documents that have any of the terms, and those that have none, which are not listed.
    pub documents_with_hits: u64,
    pub documents_without_hits: u64,
    pub passages_with_hits: u64,
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
    /// The documents that have any of the terms, by name, then path.
    pub rows: Vec<TermRow>,
    /// The offset to continue with; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TermTotal {
    /// From 1.
    pub number: u32,
    pub term: String,
    pub documents: u64,
    pub passages: u64,
    /// Documents that fulfil a term with AND or NOT over all their passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole_documents: Option<u64>,
    /// Why the term could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TermRow {
    pub document_name: String,
    /// Passages that have each term, by its number; 0 is left out.
    #[schemars(with = "BTreeMap<String, u64>")]
    pub passages: BTreeMap<u32, u64>,
}

/// Counts the passages of each document that have each of some terms. Counts everything; `paging` applies to the rows. Takes about 5 ms for a term
/// over 20,000 chunks.
///
/// A term that cannot be read counts as 0, with a problem in its total.
pub fn search_terms(
    host: &Host,
    collection: CollectionId,
    request: &TermsRequest,
    paging: Paging,
) -> Result<TermReport> {
    let terms: Vec<&str> = request.terms.iter().map(|term| term.trim()).filter(|term| !term.is_empty()).collect();
    check(&terms)?;
    let collection = host.collection(collection)?;
    let mut notices = Vec::new();
    let mut restricted = request.filters.clone();
    restricted.documents.extend(request.document.clone());
    let mut select =
        |own: &Filters| filter::left(host, &collection, [&restricted, own], &WordConditions::default(), &mut notices);
    let base = select(&Filters::default())?;
    let counts = collection.counts()?;
    let (documents, chunks) = match &base {
        Some(base) => (base.documents(), base.chunks()),
        None => (counts.documents, counts.chunks),
    };
    let mut search = |understood: &Understood| -> Result<(Selection, Option<u64>)> {
        let own = match understood.filters == Filters::default() {
            true => base.clone(),
            false => select(&understood.filters)?,
        };
        let whole = whole::documents(&collection, understood, own.as_deref())?;
        Ok((complete::found(&collection, understood, own.as_deref())?, whole))
    };
    let mut counted = Counted::default();
    for (number, term) in (1..).zip(terms) {
        counted.add(number, term, query::understand_term(term).and_then(|understood| search(&understood)));
    }
    let Counted { totals, rows, any } = counted;
    let unread = totals.iter().filter(|total| total.problem.is_some()).count();
    if unread > 0 {
        notices.push(format!("{unread} of {} terms could not be searched; the list gives the reasons.", totals.len()));
    }
    notices.push(
        "Counts are of passages. Case, accents and word endings make no difference, but a word with * is matched letter by \
         letter; words side by side are a phrase. AND, NOT and w/n hold within one passage; whole documents are those in which AND and NOT \
         hold over all passages."
            .to_owned(),
    );
    let with_hits = rows.len() as u64;
    let Part { items: rows, next_offset, .. } = paging.of(in_order(&collection, rows)?);
    Ok(TermReport {
        collection: collection.meta().name.clone(),
        documents,
        chunks,
        terms: totals,
        documents_with_hits: with_hits,
        documents_without_hits: documents.saturating_sub(with_hits),
        passages_with_hits: any.map_or(0, |any| any.chunks()),
        notices: notices.into_iter().map(Notice::from).collect(),
        rows,
        next_offset,
    })
}

/// The passages that have terms, counted so far.
#[derive(Default)]
struct Counted {
    totals: Vec<TermTotal>,
    rows: HashMap<DocumentId, BTreeMap<u32, u64>>,
    /// The passages that have any of them.
    any: Option<Selection>,
}

impl Counted {
    /// Adds the passages that have a term, and the number of documents that fulfil it as a whole.
    fn add(&mut self, number: u32, term: &str, found: Result<(Selection, Option<u64>)>) {
        let term = term.to_owned();
        let mut total = TermTotal { number, term, documents: 0, passages: 0, whole_documents: None, problem: None };
        match found {
            Ok((found, whole)) => {
                total.whole_documents = whole;
                for (document, passages) in found.chunks_by_document() {
                    total.documents += 1;
                    total.passages += passages;
                    self.rows.entry(document).or_default().insert(number, passages);
                }
                self.any = Some(self.any.take().map_or_else(|| found.clone(), |any| any.or(&found)));
            }
            Err(error) => total.problem = Some(error.message),
        }
        self.totals.push(total);
    }
}

/// The rows of the documents, by name, then path.
fn in_order(collection: &Collection, mut rows: HashMap<DocumentId, BTreeMap<u32, u64>>) -> Result<Vec<TermRow>> {
    let order = complete::order(collection)?;
    let catalogue = collection.catalogue()?;
    let shared = shared_names(&catalogue);
    let listed = catalogue.iter().filter_map(|entry| {
        let passages = rows.remove(&entry.id)?;
        let is_shared = shared.contains(entry.name.as_str());
        let document_name = if is_shared { entry.path.clone() } else { entry.name.clone() };
        Some((order.get(&entry.id), TermRow { document_name, passages }))
    });
    let mut rows: Vec<_> = listed.collect();
    rows.sort_by_key(|(place, _)| *place);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn check(terms: &[&str]) -> Result<()> {
    if terms.is_empty() {
        return Err(Error::invalid("There are no terms to search for.")
            .with_hint("Give words, phrases or expressions such as terminat* w/10 convenience."));
    }
    if terms.len() > MAX_TERMS {
        let message = format!("There are {} terms; the limit is {MAX_TERMS}.", terms.len());
        return Err(Error::invalid(message).with_hint("Search for them in several parts."));
    }
    match terms.iter().position(|term| term.chars().count() > MAX_QUERY_CHARS) {
        Some(at) => Err(Error::invalid(format!("Term {} has more than {MAX_QUERY_CHARS} characters.", at + 1))),
        None => Ok(()),
    }
}
