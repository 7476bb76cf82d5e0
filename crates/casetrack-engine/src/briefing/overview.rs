//! The whole of a collection: a briefing, a timeline, statistics.

use std::collections::HashSet;

use casetrack_core::{CitationStyle, CollectionId, CollectionMeta, DocumentId, Result};
use casetrack_store::{Conditions, WordConditions};
use schemars::JsonSchema;
use serde::Serialize;

use super::snippet::{self, Snippet};
use crate::upkeep;
use crate::upkeep::stats::CollectionStats;
use casetrack_graph::{
    AmbiguousDate, CollectionGraph, DocumentGroup, EntityView, GraphStatistics, GraphSummary, ReferenceView,
    Stakeholder, TimelineEvent, TimelineRequest, Topic, chunks_with_entities, known,
};
use casetrack_host::Host;
use casetrack_host::documents::document_named;
use casetrack_host::paging::{Paging, Part};
use casetrack_search::DateRange;

/// Maximum number of dates with two readings in a notice.
const EXAMPLES: usize = 5;
/// Most events of one timeline, over all its parts.
pub const MAX_EVENTS: u32 = 200;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SummaryReport {
    pub collection: CollectionMeta,
    /// Those whose role a document states count most.
    pub organizations: Vec<Stakeholder>,
    pub people: Vec<Stakeholder>,
    /// The dates that matter most, by time.
    pub key_dates: Vec<EventReport>,
    pub topics: Vec<Topic>,
    pub documents: Vec<DocumentGroup>,
    pub references: Vec<ReferenceView>,
    pub top_entities: Vec<EntityView>,
    pub statistics: GraphStatistics,
    pub coverage: Coverage,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TimelineReport {
    pub collection: String,
    /// Events that were asked for.
    pub total: u64,
    /// Of these, the events that matter most, at most [`MAX_EVENTS`]: they are the timeline, which is listed in parts.
    pub selected: u64,
    /// By time.
    pub events: Vec<EventReport>,
    /// The offset to continue with; `None` at the end.
    pub next_offset: Option<u64>,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct TimelineQuery {
    /// First and last day: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`, which include the whole month or year.
    pub from: Option<String>,
    pub to: Option<String>,
    /// Name or id: only the dates that this document states.
    pub document: Option<String>,
    /// Only dates in documents that mention this entity; a name that fits several means any of them, and one that fits none the documents
    /// that contain its words.
    pub entity: Option<String>,
    /// Only dates whose role contains these words: "effective" finds "effective date".
    pub role: Option<String>,
}

/// A date and its place in a document.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EventReport {
    #[serde(flatten)]
    pub event: TimelineEvent,
    /// The first place that states it.
    pub source: Option<Snippet>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StatisticsReport {
    pub collection: CollectionMeta,
    pub statistics: GraphStatistics,
    pub coverage: Coverage,
    pub storage: CollectionStats,
    pub notices: Vec<String>,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Coverage {
    pub chunks: u64,
    /// With a dense vector (E1).
    pub dense_chunks: u64,
    /// With a learned-sparse vector (E6).
    pub sparse_chunks: u64,
    pub documents: u64,
    /// Whose entities and references are known.
    pub annotated_documents: u64,
}

pub fn collection_summary(host: &Host, collection: CollectionId) -> Result<SummaryReport> {
    let known = known(host, collection)?;
    let GraphSummary { organizations, people, key_dates, topics, documents, references, top_entities, statistics } =
        known.graph().summary();
    Ok(SummaryReport {
        collection: known.collection.meta().clone(),
        organizations,
        people,
        key_dates: events(&known, key_dates, &host.config().citations)?,
        topics,
        documents,
        references,
        top_entities,
        statistics,
        coverage: coverage(&known)?,
        notices: known.notices()?,
    })
}

/// A part of the timeline: the dates that a query requests, by time. If there are more than
/// [`MAX_EVENTS`](briefing::MAX_EVENTS), the most important ones.
pub fn collection_timeline(
    host: &Host,
    collection: CollectionId,
    query: TimelineQuery,
    paging: Paging,
) -> Result<TimelineReport> {
    let TimelineQuery { from, to, document, entity, role } = query;
    // Checked as every other date is.
    DateRange::between(from.as_deref(), to.as_deref())?;
    let known = known(host, collection)?;
    let document = document.map(|name| document_named(&known.collection, &name)).transpose()?.map(|meta| meta.id);
    let mut documents: Option<HashSet<DocumentId>> = document.map(|id| HashSet::from([id]));
    let mut notices = known.notices()?;
    if let Some(entity) = entity {
        let mut mentioning = documents_with(host, &known, collection, entity, &mut notices)?;
        if let Some(one) = &documents {
            mentioning.retain(|document| one.contains(document));
        }
        documents = Some(mentioning);
    }
    let request = TimelineRequest { documents, from, to, role, top_k: MAX_EVENTS as usize, with_role_only: false };
    let timeline = known.graph().timeline(&request);
    notices.extend(ambiguous(&timeline.ambiguous));
    let Part { items, total: selected, next_offset } = paging.of(timeline.events);
    let (collection, total) = (known.name(), timeline.total);
    let events = events(&known, items, &host.config().citations)?;
    Ok(TimelineReport { collection, total, selected, events, next_offset, notices })
}

pub fn collection_statistics(host: &Host, collection: CollectionId) -> Result<StatisticsReport> {
    let known = known(host, collection)?;
    let statistics = known.graph().statistics();
    Ok(StatisticsReport {
        collection: known.collection.meta().clone(),
        statistics,
        coverage: coverage(&known)?,
        storage: upkeep::collection_stats(host, collection)?,
        notices: known.notices()?,
    })
}

fn events(known: &CollectionGraph, events: Vec<TimelineEvent>, style: &CitationStyle) -> Result<Vec<EventReport>> {
    let report = |event: TimelineEvent| {
        let place = event.sources.first().map(|source| &source.place);
        let source =
            place.map(|place| snippet::at(&known.collection, place, snippet::CLOSE, style)).transpose()?.flatten();
        Ok(EventReport { event, source })
    };
    events.into_iter().map(report).collect()
}

/// The dates that the timeline leaves out.
fn ambiguous(dates: &[AmbiguousDate]) -> Option<String> {
    let example = |date: &AmbiguousDate| {
        let AmbiguousDate { written, date, document } = date;
        format!("{written} is {} or {} ({})", date.first, date.last, document.name)
    };
    let mut listed: Vec<String> = dates.iter().take(EXAMPLES).map(example).collect();
    if let Some(more @ 1..) = dates.len().checked_sub(EXAMPLES) {
        listed.push(format!("{more} more"));
    }
    (!dates.is_empty()).then(|| {
        format!(
            "Some dates in digits are left out, because their documents do not show whether the day or the month comes first: {}.",
            listed.join("; ")
        )
    })
}

/// The documents that mention an entity; if analysis found none of this name, the documents that have it word for word.
fn documents_with(
    host: &Host,
    known: &CollectionGraph,
    collection: CollectionId,
    entity: String,
    notices: &mut Vec<String>,
) -> Result<HashSet<DocumentId>> {
    let names = [entity];
    match chunks_with_entities(host, collection, &[&names], notices) {
        Ok(chunks) => Ok(chunks.unwrap_or_default().into_iter().map(|(document, _)| document).collect()),
        Err(error) => {
            let [entity] = &names;
            let words = WordConditions { required: vec![entity.clone()], ..WordConditions::default() };
            let selection = known.collection.select(&Conditions { words, ..Conditions::default() })?;
            let documents: HashSet<DocumentId> = selection.document_ids().collect();
            if documents.is_empty() {
                return Err(error);
            }
            notices.push(format!(
                "No entity is named \"{entity}\". The list has the statements of documents that contain these words."
            ));
            Ok(documents)
        }
    }
}

fn coverage(known: &CollectionGraph) -> Result<Coverage> {
    let counts = known.collection.counts()?;
    Ok(Coverage {
        chunks: counts.chunks,
        // No chunk is stored without one.
        dense_chunks: counts.chunks,
        sparse_chunks: counts.sparse_chunks,
        documents: counts.documents,
        annotated_documents: counts.annotated_documents,
    })
}
