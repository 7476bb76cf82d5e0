//! References: their targets and their places.

use casetrack_core::{Action, CollectionId, Error, ErrorCode, ReferenceKind, Relation, Result, hint};
use schemars::JsonSchema;
use serde::Serialize;

use super::snippet::{self, Snippet};
use casetrack_graph::{ListReferences, ReferenceList, ReferenceSort, ReferenceView, known};
use casetrack_host::Host;
use casetrack_host::paging::{Paging, Part, check_range};

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReferenceListReport {
    pub collection: String,
    #[serde(flatten)]
    pub list: ReferenceList,
    /// The offset to continue with; absent at the end.
    pub next_offset: Option<u64>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CitationsReport {
    pub collection: String,
    pub reference: ReferenceView,
    pub citations: Vec<CitationReport>,
    /// The offset to continue with; absent at the end.
    pub next_offset: Option<u64>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CitationReport {
    pub citations: u32,
    /// The relation of the citing document to the cited one, according to the text.
    pub relation: Option<Relation>,
    #[serde(flatten)]
    pub snippet: Snippet,
}

/// The references of documents to things outside themselves, all or of one kind.
pub fn list_references(
    host: &Host,
    collection: CollectionId,
    kind: Option<ReferenceKind>,
    sort_by: ReferenceSort,
    paging: Paging,
) -> Result<ReferenceListReport> {
    check_range("top_k", paging.limit, 1..=200)?;
    let known = known(host, collection)?;
    let mut list = known.graph().list_references(&ListReferences { kind, sort_by, top_k: paging.end() + 1 });
    let Part { items, next_offset, .. } = paging.of(list.references);
    list.references = items;
    Ok(ReferenceListReport { collection: known.name(), list, next_offset, notices: known.notices()? })
}

pub fn reference_citations(
    host: &Host,
    collection: CollectionId,
    name: &str,
    paging: Paging,
) -> Result<CitationsReport> {
    check_range("top_k", paging.limit, 1..=100)?;
    let known = known(host, collection)?;
    let found = {
        let graph = known.graph();
        let id = graph.resolve_reference(name, None)?;
        graph.citations(id, paging.end() + 1).ok_or_else(|| {
            let hint = hint!["See the references with ", Action::ListReferences, "."];
            Error::new(ErrorCode::NotFound, format!("Reference not found: \"{name}\".")).with_hint(hint)
        })?
    };
    let Part { items: chunks, next_offset, .. } = paging.of(found.chunks);
    let mut citations = Vec::new();
    for chunk in chunks {
        if let Some(snippet) = snippet::at(&known.collection, &chunk.place, snippet::AROUND, &host.config().citations)?
        {
            citations.push(CitationReport { citations: chunk.citations, relation: chunk.relation, snippet });
        }
    }
    let (collection, notices) = (known.name(), known.notices()?);
    Ok(CitationsReport { collection, reference: found.reference, citations, next_offset, notices })
}
