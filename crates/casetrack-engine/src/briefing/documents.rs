//! Documents that belong together.

use casetrack_core::{Action, CollectionId, DocumentMeta, Error, ErrorCode, Result, hint};
use schemars::JsonSchema;
use serde::Serialize;

use super::entities::check;
use crate::documents::find_document;
use crate::graph::{ClusterRequest, ClusterStrategy, Clusters, RelatedDocument, RelatedRequest, Relationship, known};
use crate::host::Host;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RelatedReport {
    pub document: DocumentMeta,
    /// Related documents, also those that are not listed.
    pub total: u64,
    /// Strongest first, each with what relates it.
    pub related: Vec<RelatedDocument>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClusterReport {
    pub collection: String,
    #[serde(flatten)]
    pub clusters: Clusters,
    pub notices: Vec<String>,
}

impl Host {
    /// The documents related to one in any of these ways; at most `top_k` (1–50).
    pub fn related_documents(
        &self,
        collection: CollectionId,
        name: &str,
        relationships: &[Relationship],
        top_k: u32,
    ) -> Result<RelatedReport> {
        check(top_k, 50)?;
        let known = known(self, collection)?;
        let document = find_document(&known.collection, name)?;
        let request =
            RelatedRequest { document: document.id, relationships: relationships.to_vec(), top_k: top_k as usize };
        let found = known.graph().related_documents(&request);
        let found = found.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("{} was just deleted.", document.name)).with_hint(hint![
                "See the documents with ",
                Action::ListDocuments,
                "."
            ])
        })?;
        Ok(RelatedReport { document, total: found.total, related: found.related, notices: known.notices()? })
    }

    /// Groups the documents; at most `max_clusters` (1–20) groups.
    pub fn document_clusters(
        &self,
        collection: CollectionId,
        strategy: ClusterStrategy,
        max_clusters: u32,
    ) -> Result<ClusterReport> {
        if !(1..=20).contains(&max_clusters) {
            return Err(Error::invalid(format!("max_clusters is {max_clusters}; it must be between 1 and 20.")));
        }
        let known = known(self, collection)?;
        let clusters = known.graph().clusters(&ClusterRequest { strategy, max_clusters: max_clusters as usize });
        Ok(ClusterReport { collection: known.name(), clusters, notices: known.notices()? })
    }
}
