//! Documents that belong together.

use casetrack_core::{CollectionId, DocumentMeta, Feature, Result};
use schemars::JsonSchema;
use serde::Serialize;

use casetrack_graph::{
    ClusterRequest, ClusterStrategy, Clusters, RelatedDocument, RelatedRequest, Relationship, known,
};
use casetrack_host::Host;
use casetrack_host::documents::{document_named, just_deleted};
use casetrack_host::paging::check_range;

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

/// The documents related to one in any of these ways; at most `top_k` (1–50).
pub fn related_documents(
    host: &Host,
    collection: CollectionId,
    name: &str,
    relationships: &[Relationship],
    top_k: u32,
) -> Result<RelatedReport> {
    check_range("top_k", top_k, 1..=50)?;
    let known = known(host, collection)?;
    let document = document_named(&known.collection, name)?;
    let request =
        RelatedRequest { document: document.id, relationships: relationships.to_vec(), top_k: top_k as usize };
    let found = known.graph().related_documents(&request).ok_or_else(|| just_deleted(&document.name))?;
    Ok(RelatedReport { document, total: found.total, related: found.related, notices: known.notices()? })
}

/// Groups the documents; at most `max_clusters` (1–20) groups.
pub fn document_clusters(
    host: &Host,
    collection: CollectionId,
    strategy: ClusterStrategy,
    max_clusters: u32,
) -> Result<ClusterReport> {
    host.config().tier.check(Feature::DocumentClusters)?;
    check_range("max_clusters", max_clusters, 1..=20)?;
    let known = known(host, collection)?;
    let clusters = known.graph().clusters(&ClusterRequest { strategy, max_clusters: max_clusters as usize });
    Ok(ClusterReport { collection: known.name(), clusters, notices: known.notices()? })
}
