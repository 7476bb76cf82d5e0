//! References: to what documents refer, and where.

use casetrack_core::{Action, CollectionId, Error, ErrorCode, ReferenceKind, Relation, Result, hint};
use schemars::JsonSchema;
use serde::Serialize;

use super::snippet::{self, Snippet};
use crate::graph::{ListReferences, ReferenceList, ReferenceSort, ReferenceView, known};
use crate::host::Host;
use crate::paging::check_range;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReferenceListReport {
    pub collection: String,
    #[serde(flatten)]
    pub list: ReferenceList,
    pub notices: Vec<String>,
}

/// Where something is referred to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CitationsReport {
    pub collection: String,
    pub reference: ReferenceView,
    pub citations: Vec<CitationReport>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CitationReport {
    /// In this passage.
    pub citations: u32,
    /// What the text says the citing document does to the one it cites.
    pub relation: Option<Relation>,
    #[serde(flatten)]
    pub snippet: Snippet,
}

impl Host {
    /// What documents refer to outside themselves, or what is of one kind.
    pub fn list_references(
        &self,
        collection: CollectionId,
        kind: Option<ReferenceKind>,
        sort_by: ReferenceSort,
        top_k: u32,
    ) -> Result<ReferenceListReport> {
        check_range("top_k", top_k, 1..=200)?;
        let known = known(self, collection)?;
        let list = known.graph().list_references(&ListReferences { kind, sort_by, top_k: top_k as usize });
        Ok(ReferenceListReport { collection: known.name(), list, notices: known.notices()? })
    }

    pub fn reference_citations(&self, collection: CollectionId, name: &str, top_k: u32) -> Result<CitationsReport> {
        check_range("top_k", top_k, 1..=100)?;
        let known = known(self, collection)?;
        let found = {
            let graph = known.graph();
            let id = graph.resolve_reference(name, None)?;
            graph.citations(id, top_k as usize).ok_or_else(|| {
                let hint = hint!["See the references with ", Action::ListReferences, "."];
                Error::new(ErrorCode::NotFound, format!("Reference not found: \"{name}\".")).with_hint(hint)
            })?
        };
        let mut citations = Vec::new();
        for chunk in found.chunks {
            if let Some(snippet) = snippet::at(&known.collection, &chunk.place, &self.config().citations)? {
                citations.push(CitationReport { citations: chunk.citations, relation: chunk.relation, snippet });
            }
        }
        Ok(CitationsReport {
            collection: known.name(),
            reference: found.reference,
            citations,
            notices: known.notices()?,
        })
    }
}
