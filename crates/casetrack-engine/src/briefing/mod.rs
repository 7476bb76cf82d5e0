//! Answers about the content of a collection from its context graph, each with the passages that support it.
//!
//! | question | file |
//! |---|---|
//! | which entities, where, and with which others | `entities` |
//! | which references, and where | `references` |
//! | words that are not entities | `words` |
//! | documents: related ones, clusters | `documents` |
//! | the whole: summary, timeline, statistics | `overview` |

mod documents;
mod entities;
mod overview;
mod references;
mod roles;
mod snippet;
mod words;

pub use casetrack_graph::{
    Cluster, ClusterStrategy, DocumentRef, EntityList, EntitySort, EntityView, GraphNode, ReferenceList, ReferenceSort,
    ReferenceView, RelatedDocument, Relationship, to_dot, to_graphml,
};
pub use documents::{ClusterReport, RelatedReport, document_clusters, related_documents};
pub use entities::{
    EdgeReport, EntityListReport, EntityNetwork, MentionReport, MentionsReport, TogetherReport, entity_graph,
    entity_mentions, entity_relationships, find_entity, list_entities,
};
pub use overview::{
    Coverage, EventReport, MAX_EVENTS, StatisticsReport, SummaryReport, TimelineQuery, TimelineReport,
    collection_statistics, collection_summary, collection_timeline,
};
pub use references::{CitationReport, CitationsReport, ReferenceListReport, list_references, reference_citations};
pub use roles::{ContractRole, PartOfContract};
pub use snippet::Snippet;
