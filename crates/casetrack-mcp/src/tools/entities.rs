//! Entities of the active collection: the list, their mentions and their relations.

use casetrack_core::EntityType;
use casetrack_engine::briefing;
use casetrack_engine::briefing::{EntityListReport, EntityNetwork, EntitySort, MentionsReport, TogetherReport};

use crate::tools::prelude::*;

pub(crate) struct ListEntities;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    /// Filter by entity type
    #[serde(default)]
    entity_type: Choice<EntityType, All>,
    /// Only entities of this document (name or ID)
    document_filter: Option<String>,
    /// Only names with these letters
    #[schemars(extend("x-rare" = true))]
    named: Option<String>,
    /// Sort order
    #[serde(default)]
    sort_by: EntitySort,
    /// Maximum entities to return
    #[serde(default = "super::number::<50>")]
    #[schemars(range(min = 1, max = 500))]
    top_k: u32,
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    offset: u32,
}

impl Tool for ListEntities {
    const NAME: &'static str = "list_entities";
    const TITLE: &'static str = "List entities";
    const DESCRIPTION: &'static str = "List all entities extracted from documents in the active collection, grouped by type. Shows name, type, mention \
        count, and number of documents mentioning each entity. Entities include: persons, organizations, dates, monetary \
        amounts, locations, and concepts.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"entity_type": "organization", "sort_by": "documents"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/entities"], |report| &mut report.list.entities, |report| &mut report.next_offset));
    type Parameters = ListParameters;
    type Response = EntityListReport;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<EntityListReport>> {
        let ListParameters { entity_type, document_filter, named, sort_by, top_k: limit, offset } = parameters;
        let (collection, document, named) = (context.active()?.id, document_filter.as_deref(), named.as_deref());
        let report = briefing::list_entities(
            context.engine.host(),
            collection,
            entity_type.one(),
            document,
            named,
            sort_by,
            Paging { offset, limit },
        )?;
        Ok(Reply::new(report, text::entities::list))
    }
}

pub(crate) struct FindEntity;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindParameters {
    /// Entity to find (e.g., 'John Smith', 'Acme Corp', '$1.2 million')
    entity: String,
    /// Type of entity to search for
    #[serde(default)]
    entity_type: Choice<EntityType, Any>,
    /// Most passages
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 100))]
    top_k: u32,
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    offset: u32,
}

impl Tool for FindEntity {
    const NAME: &'static str = "find_entity";
    const TITLE: &'static str = "Find an entity";
    const DESCRIPTION: &'static str = "Find all mentions of an entity (person, organization, date, amount) across documents. Uses the entity index \
        built during ingestion.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"entity": "$entity"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/mentions"], |report| &mut report.mentions, |report| &mut report.next_offset));
    type Parameters = FindParameters;
    type Response = MentionsReport;

    fn call(context: &Context<'_>, parameters: FindParameters) -> Result<Reply<MentionsReport>> {
        let FindParameters { entity, entity_type, top_k: limit, offset } = parameters;
        let (collection, paging) = (context.active()?.id, Paging { offset, limit });
        let report = briefing::find_entity(context.engine.host(), collection, &entity, entity_type.one(), paging)?;
        Ok(Reply::new(report, text::entities::mentions))
    }
}

pub(crate) struct GetEntityMentions;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MentionsParameters {
    /// Name of the entity to find (e.g., 'John Smith', 'Acme Corp', 'payment terms')
    entity_name: String,
    /// Type of entity
    #[serde(default)]
    entity_type: Choice<EntityType, Any>,
    /// Most passages
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 100))]
    top_k: u32,
    /// next_offset of the answer before
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    offset: u32,
}

impl Tool for GetEntityMentions {
    const NAME: &'static str = "get_entity_mentions";
    const TITLE: &'static str = "Show the mentions of an entity";
    const DESCRIPTION: &'static str = "Get all chunks that mention a specific entity, with context snippets showing how the entity is referenced. Uses \
        the entity index built during ingestion. Supports fuzzy matching on entity name.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"entity_name": "$entity"}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::with_next(&["/mentions"], |report| &mut report.mentions, |report| &mut report.next_offset));
    type Parameters = MentionsParameters;
    type Response = MentionsReport;

    fn call(context: &Context<'_>, parameters: MentionsParameters) -> Result<Reply<MentionsReport>> {
        let MentionsParameters { entity_name, entity_type, top_k: limit, offset } = parameters;
        let (collection, paging) = (context.active()?.id, Paging { offset, limit });
        let report =
            briefing::entity_mentions(context.engine.host(), collection, &entity_name, entity_type.one(), paging)?;
        Ok(Reply::new(report, text::entities::mentions))
    }
}

pub(crate) struct SearchEntityRelationships;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TogetherParameters {
    /// Entity names to find together (e.g., ['Acme Corp', 'Summit Services'])
    #[schemars(length(min = 2, max = 5))]
    entities: Vec<String>,
    /// Most passages
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 100))]
    top_k: u32,
}

impl Tool for SearchEntityRelationships {
    const NAME: &'static str = "search_entity_relationships";
    const TITLE: &'static str = "Find entities together";
    const DESCRIPTION: &'static str = "Find chunks where two or more entities are mentioned together. Use this to trace relationships (who interacted \
        with whom, what terms apply to which party). Pro tier only.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"entities": ["$entity", "$partner"]}"#;
    const LIST: Option<List<Self::Response>> = Some(List::new(&["/passages"], |report| &mut report.passages));
    type Parameters = TogetherParameters;
    type Response = TogetherReport;

    fn call(context: &Context<'_>, parameters: TogetherParameters) -> Result<Reply<TogetherReport>> {
        let TogetherParameters { entities, top_k } = parameters;
        let report = briefing::entity_relationships(context.engine.host(), context.active()?.id, &entities, top_k)?;
        Ok(Reply::new(report, text::entities::together))
    }
}

/// Edges of a brief answer.
const MOST_EDGES: usize = 60;

pub(crate) struct GetEntityGraph;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphParameters {
    /// Optional: center the graph on a specific entity. If omitted, returns the top entities by connectivity.
    entity_name: Option<String>,
    /// Its type
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    entity_type: Choice<EntityType, Any>,
    /// How many relationship hops to include from the center entity
    #[serde(default = "super::number::<2>")]
    #[schemars(range(min = 1, max = 4))]
    depth: u32,
    /// Maximum entities to include in the graph
    #[serde(default = "super::number::<20>")]
    #[schemars(range(min = 1, max = 100))]
    top_k: u32,
}

impl Tool for GetEntityGraph {
    const NAME: &'static str = "get_entity_graph";
    const TITLE: &'static str = "Show how entities relate";
    const DESCRIPTION: &'static str = "Show entity relationships across documents in the active collection. Returns a graph of entities connected by \
        co-occurrence in documents and chunks. Use this to understand how people, organizations, and concepts relate to \
        each other across the collection.";
    const ROW: Row = Row::new(Toolset::Graph, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"entity_name": "$entity", "depth": 1}"#;
    const LIST: Option<List<Self::Response>> =
        Some(List::new(&["/edges"], |report: &mut EntityNetwork| &mut report.edges).at_most(MOST_EDGES));
    type Parameters = GraphParameters;
    type Response = EntityNetwork;

    fn call(context: &Context<'_>, parameters: GraphParameters) -> Result<Reply<EntityNetwork>> {
        let GraphParameters { entity_name, entity_type, depth, top_k } = parameters;
        let (collection, name) = (context.active()?.id, entity_name.as_deref());
        let report = briefing::entity_graph(context.engine.host(), collection, name, entity_type.one(), depth, top_k)?;
        Ok(Reply::new(report, text::entities::network))
    }
}
