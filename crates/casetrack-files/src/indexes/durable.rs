//! Indexes that are collections: their documents are texts, found by the search of collections.
//!
//! The collection has the index's name and, as its reference, `index:NAME`, by which it is found, so that there is no second list, and a
//! matter of the user is no index unless the user gives it such a reference.

use std::collections::{BTreeMap, HashSet};

use casetrack_core::{Cancel, CollectionId, CollectionMeta, DocumentId, ProgressSink, Result};
use casetrack_store::{Collection, Conditions, WordConditions};
use serde_json::{Map, Value};

use super::{IndexMatch, IndexMatches, ParsedQuery};
use casetrack_host::collections::CreateCollection;
use casetrack_host::text_index::{Added, Query, Tokenizer, highlights};
use casetrack_host::{Host, collections};
use casetrack_ingest::Text;
use casetrack_search::{MAX_TOP_K, SearchRequest, SearchResult};

/// The beginning of the reference of such a collection.
const REFERENCE: &str = "index:";
/// The beginning of the paths of its documents.
const PATH: &str = "index://";
/// Their ending, which is the format of the kept copies.
const SUFFIX: &str = ".txt";
/// The most documents that a search names; beyond that, results that a query does not allow are removed afterwards.
const MAX_NAMED: usize = 100;
/// The field of a document that holds its metadata, as JSON.
const METADATA: &str = "metadata";

pub(super) fn durable_index(host: &Host, name: &str) -> Result<Option<CollectionId>> {
    let is_its = |meta: &CollectionMeta| index_of(meta) == Some(name);
    Ok(host.store().list()?.iter().find(|meta| is_its(meta)).map(|meta| meta.id))
}

pub(super) fn durable_indexes(host: &Host) -> Result<usize> {
    Ok(host.store().list()?.iter().filter(|meta| index_of(meta).is_some()).count())
}

pub(super) fn create_durable_index(host: &Host, name: &str) -> Result<()> {
    let reference = Some(format!("{REFERENCE}{name}"));
    let request = CreateCollection { name: name.to_owned(), reference, ..CreateCollection::default() };
    collections::create_collection(host, request).map(drop)
}

pub(super) fn add_to_durable_index(
    host: &Host,
    collection: CollectionId,
    index: &str,
    (id, content, metadata): (&str, &str, Map<String, Value>),
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<Added> {
    let metadata = (!metadata.is_empty()).then(|| Value::Object(metadata).to_string());
    let text = Text { path: path(index, id), name: id, content, fields: BTreeMap::from([(METADATA, metadata)]) };
    let replaced = casetrack_ingest::put_text(host, collection, text, progress, cancel)?;
    Ok(Added { replaced, tokens: Tokenizer::default().count(content) })
}

/// Ranks as the search of collections does, by the best passage of each document. Its score is 0–1.
pub(super) fn search_durable_index(
    host: &Host,
    id: CollectionId,
    index: &str,
    query: &str,
    most: usize,
) -> Result<IndexMatches> {
    let query = Query::parse(query, Tokenizer::default());
    let mut matches = IndexMatches { query_parsed: Some(ParsedQuery::from(&query)), ..IndexMatches::default() };
    let sought: Vec<String> = query.sought().iter().map(|words| words.join(" ")).collect();
    let collection = host.collection(id)?;
    let fulfilling = fulfilling(&collection, &query)?;
    let left = fulfilling.as_ref().map_or(collection.counts()?.documents, |left| left.len() as u64);
    if sought.is_empty() || left == 0 {
        return Ok(matches);
    }
    let mut request =
        SearchRequest { query: sought.join(" "), top_k: MAX_TOP_K, per_document: Some(1), ..SearchRequest::default() };
    if let Some(few) = fulfilling.as_ref().filter(|left| left.len() <= MAX_NAMED) {
        request.filters.documents = few.iter().map(DocumentId::to_string).collect();
    }
    let found = casetrack_search::search(host, &[id], &request)?;
    matches.notices = found.notices;
    let folder = folder(index);
    for SearchResult { score, chunk, excerpt, .. } in found.results {
        if fulfilling.as_ref().is_some_and(|left| !left.contains(&chunk.provenance.document_id)) {
            continue;
        }
        // A file that another client put into the collection is no document of the index.
        let path = chunk.provenance.file_path.strip_prefix(&folder);
        let Some(doc_id) = path.and_then(|path| path.strip_suffix(SUFFIX)) else { continue };
        matches.total_matches += 1;
        if matches.results.len() < most {
            let meta = collection.document(chunk.provenance.document_id)?;
            let metadata = meta.and_then(|meta| serde_json::from_str(meta.marks.field(METADATA)?).ok());
            let mut shown = highlights(&chunk.text, &query, Tokenizer::default());
            if shown.is_empty() {
                let words: Vec<&str> = excerpt.text.split_whitespace().collect();
                shown.push(words.join(" "));
            }
            matches.results.push(IndexMatch {
                doc_id: doc_id.to_owned(),
                score: short(score),
                highlights: shown,
                metadata: metadata.unwrap_or_default(),
            });
        }
    }
    if fulfilling.is_some() {
        matches.total_matches = left;
    }
    matches.results.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.doc_id.cmp(&b.doc_id)));
    Ok(matches)
}

/// A number whose text is as short as it was before: 0.94, not 0.9399999976158142.
fn short(score: f32) -> f64 {
    score.to_string().parse().unwrap_or(f64::from(score))
}

fn index_of(meta: &CollectionMeta) -> Option<&str> {
    meta.reference.as_deref()?.strip_prefix(REFERENCE)
}

/// The name for the path of a document's file. It does not depend on the place of the data directory.
fn path(index: &str, id: &str) -> String {
    format!("{}{id}{SUFFIX}", folder(index))
}

fn folder(index: &str) -> String {
    format!("{PATH}{index}/")
}

/// The documents with all required and no excluded words, in any passages; `None` if no word is required or excluded.
fn fulfilling(collection: &Collection, query: &Query) -> Result<Option<HashSet<DocumentId>>> {
    let with = |words: &Vec<String>| -> Result<HashSet<DocumentId>> {
        let words = WordConditions { required: vec![words.join(" ")], ..WordConditions::default() };
        let conditions = Conditions { words, ..Conditions::default() };
        Ok(collection.select(&conditions)?.document_ids().collect())
    };
    let required = query.required();
    if required.is_empty() && query.must_not.is_empty() {
        return Ok(None);
    }
    let mut left: HashSet<DocumentId> = collection.select(&Conditions::default())?.document_ids().collect();
    for words in &required {
        let with = with(words)?;
        left.retain(|document| with.contains(document));
    }
    for words in &query.must_not {
        let with = with(words)?;
        left.retain(|document| !with.contains(document));
    }
    Ok(Some(left))
}
