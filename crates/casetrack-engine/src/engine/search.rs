//! Finding passages, and what documents are about.

use casetrack_core::{Cancel, CollectionId, EntityType, ProgressSink, ReferenceKind, Result};

use super::Engine;
use crate::briefing::{
    self, CitationsReport, ClusterReport, ClusterStrategy, EntityListReport, EntityNetwork, EntitySort, MentionsReport,
    ReferenceListReport, ReferenceSort, RelatedReport, Relationship, StatisticsReport, SummaryReport, TimelineQuery,
    TimelineReport, TogetherReport,
};
use crate::eval::{self, EvalReport, EvalRequest, Evaluation};
use crate::paging::Paging;
use crate::search::compare::{self, Comparison};
use crate::search::similar::{self, SimilarChunks, Wanted};
use crate::search::{self, SearchRequest, SearchResponse};

impl Engine {
    /// Searches one collection. When a model is missing, or chunks lack its vectors, the other stages answer and a notice says so, as it
    /// does while documents are being ingested.
    pub fn search(&self, collection: CollectionId, request: &SearchRequest) -> Result<SearchResponse> {
        let ingestion = self.jobs.ingestion_notice(collection);
        let mut response = search::search(&self.host, collection, request)?;
        response.notices.extend(ingestion);
        Ok(response)
    }

    /// The passages most similar to the one with this id, by the cosine of their dense vectors; itself left out. `wanted.count` is
    /// 1–[`MAX_SIMILAR`](similar::MAX_SIMILAR).
    pub fn similar_chunks(&self, collection: CollectionId, id: &str, wanted: Wanted) -> Result<SimilarChunks> {
        similar::similar_chunks(&self.host, collection, id, wanted)
    }

    /// Searches two documents for a topic, each by itself; the best `count` (1–[`MAX_OF_EACH`](compare::MAX_OF_EACH)) passages of each.
    pub fn compare_documents(
        &self,
        collection: CollectionId,
        documents: [&str; 2],
        topic: &str,
        count: u32,
    ) -> Result<Comparison> {
        compare::compare_documents(&self.host, collection, documents, topic, count)
    }

    /// The entities that the documents, or one of them, mention; counts are those of the whole collection.
    pub fn list_entities(
        &self,
        collection: CollectionId,
        entity_type: Option<EntityType>,
        document: Option<&str>,
        sort_by: EntitySort,
        top_k: u32,
    ) -> Result<EntityListReport> {
        briefing::list_entities(&self.host, collection, entity_type, document, sort_by, top_k)
    }

    /// The passages that mention the entity of this name, an alias of it or something like it.
    pub fn entity_mentions(
        &self,
        collection: CollectionId,
        name: &str,
        entity_type: Option<EntityType>,
        top_k: u32,
    ) -> Result<MentionsReport> {
        briefing::entity_mentions(&self.host, collection, name, entity_type, top_k)
    }

    /// The passages that mention all of 2–5 entities.
    pub fn entity_relationships(
        &self,
        collection: CollectionId,
        names: &[String],
        top_k: u32,
    ) -> Result<TogetherReport> {
        briefing::entity_relationships(&self.host, collection, names, top_k)
    }

    /// The entities around one (`depth` 1–4 steps), or the people, organizations and places with most links; at most `top_k` (1–100).
    pub fn entity_graph(
        &self,
        collection: CollectionId,
        name: Option<&str>,
        depth: u32,
        top_k: u32,
    ) -> Result<EntityNetwork> {
        briefing::entity_graph(&self.host, collection, name, depth, top_k)
    }

    /// What documents refer to outside themselves, or what is of one kind.
    pub fn list_references(
        &self,
        collection: CollectionId,
        kind: Option<ReferenceKind>,
        sort_by: ReferenceSort,
        top_k: u32,
    ) -> Result<ReferenceListReport> {
        briefing::list_references(&self.host, collection, kind, sort_by, top_k)
    }

    pub fn reference_citations(&self, collection: CollectionId, name: &str, top_k: u32) -> Result<CitationsReport> {
        briefing::reference_citations(&self.host, collection, name, top_k)
    }

    /// The documents related to one in any of these ways; at most `top_k` (1–50).
    pub fn related_documents(
        &self,
        collection: CollectionId,
        name: &str,
        relationships: &[Relationship],
        top_k: u32,
    ) -> Result<RelatedReport> {
        briefing::related_documents(&self.host, collection, name, relationships, top_k)
    }

    /// Groups the documents; at most `max_clusters` (1–20) groups.
    pub fn document_clusters(
        &self,
        collection: CollectionId,
        strategy: ClusterStrategy,
        max_clusters: u32,
    ) -> Result<ClusterReport> {
        briefing::document_clusters(&self.host, collection, strategy, max_clusters)
    }

    pub fn collection_summary(&self, collection: CollectionId) -> Result<SummaryReport> {
        briefing::collection_summary(&self.host, collection)
    }

    /// A part of the timeline: the dates that a query asks for, by time. Of more than
    /// [`MAX_EVENTS`](briefing::MAX_EVENTS), those that matter most.
    pub fn collection_timeline(
        &self,
        collection: CollectionId,
        query: TimelineQuery,
        paging: Paging,
    ) -> Result<TimelineReport> {
        briefing::collection_timeline(&self.host, collection, query, paging)
    }

    pub fn collection_statistics(&self, collection: CollectionId) -> Result<StatisticsReport> {
        briefing::collection_statistics(&self.host, collection)
    }

    /// Measures retrieval on the judged questions of a folder. Blocks: ingestion takes its time, then each query is searched twice.
    ///
    /// All figures but times are the same at each run. Fails where the questions cannot be read, or a document that they name was
    /// not ingested.
    pub fn evaluate(&self, request: &EvalRequest, progress: &ProgressSink, cancel: &Cancel) -> Result<EvalReport> {
        eval::evaluate(&self.host, request, progress, cancel)
    }

    /// The steps of an evaluation, for development tools.
    pub fn evaluation(&self) -> Evaluation<'_> {
        Evaluation::new(&self.host)
    }
}
