//! The passages of two documents on one topic, side by side.

use casetrack_core::{Action, CollectionId, DocumentMeta, Error, Feature, Notice, Result, hint};
use schemars::JsonSchema;
use serde::Serialize;

use super::{SearchRequest, SearchResult, search};
use casetrack_host::Host;
use casetrack_host::documents::document_named;
use casetrack_host::paging::check_range;

pub const MAX_OF_EACH: u32 = 20;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Comparison {
    pub topic: String,
    pub collection: String,
    pub a: SideOfComparison,
    pub b: SideOfComparison,
    /// Reasons why the search was incomplete; empty if it was complete.
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
}

/// The passages of one document, best first. Scores are comparable only within a side.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SideOfComparison {
    pub document: DocumentMeta,
    pub results: Vec<SearchResult>,
}

/// Searches two documents for a topic, each by itself; the best `count` (1–[`MAX_OF_EACH`](compare::MAX_OF_EACH)) passages of each.
pub fn compare_documents(
    host: &Host,
    collection: CollectionId,
    documents: [&str; 2],
    topic: &str,
    count: u32,
) -> Result<Comparison> {
    host.config().tier.check(Feature::CompareDocuments)?;
    check_range("top_k_per_document", count, 1..=MAX_OF_EACH)?;
    let opened = host.collection(collection)?;
    let [a, b] = [document_named(&opened, documents[0])?, document_named(&opened, documents[1])?];
    if a.id == b.id {
        return Err(Error::invalid(format!("Both names mean the same document, {}.", a.name)).with_hint(hint![
            "Name two different documents. List them with ",
            Action::ListDocuments,
            "."
        ]));
    }
    let mut notices: Vec<Notice> = Vec::new();
    let mut side = |document: DocumentMeta| -> Result<SideOfComparison> {
        let request = SearchRequest {
            query: topic.to_owned(),
            top_k: count,
            document: Some(document.id.to_string()),
            short: true,
            ..SearchRequest::default()
        };
        let response = search(host, &[collection], &request)?;
        for notice in response.notices {
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        Ok(SideOfComparison { document, results: response.results })
    };
    let (a, b) = (side(a)?, side(b)?);
    Ok(Comparison { topic: topic.trim().to_owned(), collection: opened.meta().name.clone(), a, b, notices })
}
