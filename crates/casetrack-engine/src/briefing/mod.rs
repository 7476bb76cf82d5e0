//! Answers about the content of a collection from its context graph, each with the passages that support it.
//!
//! | question | file |
//! |---|---|
//! | entities: which, where, with whom | `entities` |
//! | references: to what, where | `references` |
//! | documents: related ones, clusters | `documents` |
//! | the whole: summary, timeline, statistics | `overview` |

mod documents;
mod entities;
mod overview;
mod references;
mod roles;
mod snippet;

pub use casetrack_graph::{
    Cluster, ClusterStrategy, DocumentRef, EntityList, EntitySort, EntityView, GraphNode, ReferenceList, ReferenceSort,
    ReferenceView, RelatedDocument, Relationship, to_dot, to_graphml,
};
pub use documents::document_clusters;
pub use documents::related_documents;
pub use documents::{ClusterReport, RelatedReport};
pub use entities::entity_graph;
pub use entities::entity_mentions;
pub use entities::entity_relationships;
pub use entities::find_entity;
pub use entities::list_entities;
pub use entities::{EdgeReport, EntityListReport, EntityNetwork, MentionReport, MentionsReport, TogetherReport};
pub use overview::collection_statistics;
pub use overview::collection_summary;
pub use overview::collection_timeline;
pub use overview::{Coverage, EventReport, MAX_EVENTS, StatisticsReport, SummaryReport, TimelineQuery, TimelineReport};
pub use references::list_references;
pub use references::reference_citations;
pub use references::{CitationReport, CitationsReport, ReferenceListReport};
pub use roles::{ContractRole, PartOfContract};
pub use snippet::Snippet;
