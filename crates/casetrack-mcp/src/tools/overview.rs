//! The active collection as a whole: a briefing, a timeline, statistics, and related documents.

use casetrack_engine::briefing;
use casetrack_engine::briefing::{
    ClusterReport, ClusterStrategy, RelatedReport, Relationship, StatisticsReport, SummaryReport, TimelineQuery,
    TimelineReport,
};

use crate::tools::prelude::*;

pub(crate) struct GetCollectionSummary;

impl Tool for GetCollectionSummary {
    const NAME: &'static str = "get_collection_summary";
    const TITLE: &'static str = "Brief me on the collection";
    const DESCRIPTION: &'static str = "Get a high-level briefing on the active collection. Returns: key stakeholders (people and organizations \
        mentioned most), key dates and events, key topics, document breakdown by category, key references \
        (most-referenced documents or external sources), most-mentioned entities, and collection statistics. This is the \
        FIRST tool the AI should call when starting work on a collection -- it provides the structural overview needed \
        to plan search strategy for 1000+ documents.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    type Parameters = NoParameters;
    type Response = SummaryReport;

    fn call(context: &Context<'_>, _: NoParameters) -> Result<Reply<SummaryReport>> {
        let report = briefing::collection_summary(context.engine.host(), context.active()?.id)?;
        Ok(Reply::new(report, |report| text::overview::summary(report, Reader::Assistant)))
    }
}

pub(crate) struct GetCollectionTimeline;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimelineParameters {
    /// Optional: filter events from this date (YYYY-MM-DD)
    start_date: Option<String>,
    /// Optional: filter events until this date (YYYY-MM-DD)
    end_date: Option<String>,
    /// Only events in this document (name or ID)
    document_filter: Option<String>,
    /// Only documents that name this
    entity: Option<String>,
    /// Only this role, such as 'payment'
    role: Option<String>,
    #[serde(flatten)]
    page: Page<100, 200, 200>,
}

impl Tool for GetCollectionTimeline {
    const NAME: &'static str = "get_collection_timeline";
    const TITLE: &'static str = "Show the timeline";
    const DESCRIPTION: &'static str = "Get a chronological timeline of key dates and events extracted from documents in the active collection. Each \
        event includes the date, description, and source document/chunk provenance. Use this to understand the narrative \
        sequence of events.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"start_date": "2019"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/events"], |report| &mut report.events, |report| &mut report.next_offset));
    type Parameters = TimelineParameters;
    type Response = TimelineReport;

    fn call(context: &Context<'_>, parameters: TimelineParameters) -> Result<Reply<TimelineReport>> {
        let TimelineParameters { start_date: from, end_date: to, document_filter: document, entity, role, page } =
            parameters;
        let query = TimelineQuery { from, to, document, entity, role };
        let report = briefing::collection_timeline(context.engine.host(), context.active()?.id, query, page.into())?;
        Ok(Reply::new(report, move |report| text::overview::timeline(report, page.offset, Reader::Assistant)))
    }
}

pub(crate) struct GetCollectionStatistics;

impl Tool for GetCollectionStatistics {
    const NAME: &'static str = "get_collection_statistics";
    const TITLE: &'static str = "Show statistics";
    const DESCRIPTION: &'static str = "Get detailed statistics about the active collection: document counts by type, page/chunk totals, entity and \
        reference counts, embedder coverage, storage usage. Useful for understanding collection scope and data quality.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    type Parameters = NoParameters;
    type Response = StatisticsReport;

    fn call(context: &Context<'_>, _: NoParameters) -> Result<Reply<StatisticsReport>> {
        let report = briefing::collection_statistics(context.engine.host(), context.active()?.id)?;
        Ok(Reply::new(report, text::overview::statistics))
    }
}

pub(crate) struct FindRelatedDocuments;

/// A kind of relationship, or all.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Relationships {
    #[default]
    All,
    SharedEntities,
    SharedReferences,
    SemanticSimilar,
    VersionChain,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindRelatedParameters {
    /// Document name or ID to find relationships for
    document_name: String,
    /// Kind of relationship
    #[serde(default)]
    relationship_type: Relationships,
    /// Number of documents to return
    #[serde(default = "super::number::<10>")]
    #[schemars(range(min = 1, max = 50))]
    top_k: u32,
}

impl Tool for FindRelatedDocuments {
    const NAME: &'static str = "find_related_documents";
    const TITLE: &'static str = "Find related documents";
    const DESCRIPTION: &'static str = "Find documents related to a given document. Relationships detected: shared entities, shared references, semantic \
        similarity (E1 cosine), and version chains. Returns related documents ranked by relationship strength.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_name": "$document", "relationship_type": "semantic_similar"}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/related"], |report| &mut report.related));
    type Parameters = FindRelatedParameters;
    type Response = RelatedReport;

    fn call(context: &Context<'_>, parameters: FindRelatedParameters) -> Result<Reply<RelatedReport>> {
        let FindRelatedParameters { document_name, relationship_type, top_k } = parameters;
        let relationships: &[Relationship] = match relationship_type {
            Relationships::All => &[],
            Relationships::SharedEntities => &[Relationship::SharedEntities],
            Relationships::SharedReferences => &[Relationship::SharedReferences],
            Relationships::SemanticSimilar => &[Relationship::SemanticSimilar],
            Relationships::VersionChain => &[Relationship::VersionChain, Relationship::ExplicitReference],
        };
        related(context, &document_name, relationships, top_k)
    }
}

pub(crate) struct GetRelatedDocuments;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetRelatedParameters {
    /// Document name or ID
    document_name: String,
    /// Number of documents to return
    #[serde(default = "super::number::<10>")]
    #[schemars(range(min = 1, max = 50))]
    top_k: u32,
}

impl Tool for GetRelatedDocuments {
    const NAME: &'static str = "get_related_documents";
    const TITLE: &'static str = "Show related documents";
    const DESCRIPTION: &'static str = "Given a document, find related docs via the knowledge graph. Uses shared entities, references, and semantic \
        similarity to surface connections. This is a knowledge-graph-first approach compared to find_related_documents \
        which also supports explicit relationship types.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document_name": "$document"}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/related"], |report| &mut report.related));
    type Parameters = GetRelatedParameters;
    type Response = RelatedReport;

    fn call(context: &Context<'_>, parameters: GetRelatedParameters) -> Result<Reply<RelatedReport>> {
        related(context, &parameters.document_name, &[], parameters.top_k)
    }
}

fn related(
    context: &Context<'_>,
    name: &str,
    relationships: &[Relationship],
    top_k: u32,
) -> Result<Reply<RelatedReport>> {
    let report = briefing::related_documents(context.engine.host(), context.active()?.id, name, relationships, top_k)?;
    Ok(Reply::new(report, text::overview::related))
}

pub(crate) struct FindDocumentClusters;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClusterParameters {
    /// Clustering strategy: 'topical' = semantic similarity, 'entity' = shared people/orgs, 'reference' = shared external sources,
    /// 'document_type' = by type
    #[serde(default)]
    strategy: ClusterStrategy,
    /// Maximum groups to return
    #[serde(default = "super::number::<10>")]
    #[schemars(range(min = 1, max = 20))]
    max_clusters: u32,
}

impl Tool for FindDocumentClusters {
    const NAME: &'static str = "find_document_clusters";
    const TITLE: &'static str = "Group documents";
    const DESCRIPTION: &'static str = "Group all documents in the collection by theme or topic using semantic clustering. Returns clusters of related \
        documents with a label describing what they share. Pro tier only. Use this to understand the structure of a \
        large collection (100+ documents) at a glance.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"strategy": "document_type"}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/clusters"], |report| &mut report.clusters.clusters));
    type Parameters = ClusterParameters;
    type Response = ClusterReport;

    fn call(context: &Context<'_>, parameters: ClusterParameters) -> Result<Reply<ClusterReport>> {
        let ClusterParameters { strategy, max_clusters } = parameters;
        let report = briefing::document_clusters(context.engine.host(), context.active()?.id, strategy, max_clusters)?;
        Ok(Reply::new(report, text::overview::clusters))
    }
}
