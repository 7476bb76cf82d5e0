//! The one table of all tools.

use casetrack_text::Reader;
use std::sync::{Arc, LazyLock};

use casetrack_core::{Error, ErrorCode, Feature, Result};
pub(crate) use casetrack_engine::settings::Toolset;
use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::closest;
use crate::schema::{self, JsonObject};
use crate::session::{Context, ToolOutput};
use crate::tools::{
    chunks, collections, documents, entities, ingest, jobs, navigation, overview, references, reindex, search, status,
    sync, watches,
};
use casetrack_text::format::shorten;

#[cfg(test)]
mod tests;

/// All tools, in the order in which clients list them. A new tool is one row here.
static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry::of::<collections::CreateCollection>(),
        Entry::of::<collections::ListCollections>(),
        Entry::of::<collections::SwitchCollection>(),
        Entry::of::<collections::DeleteCollection>(),
        Entry::of::<collections::GetCollectionInfo>(),
        Entry::of::<ingest::IngestDocument>(),
        Entry::of::<ingest::IngestFolder>(),
        Entry::of::<sync::SyncFolder>(),
        Entry::of::<watches::WatchFolder>(),
        Entry::of::<watches::UnwatchFolder>(),
        Entry::of::<watches::ListWatches>(),
        Entry::of::<watches::SetSyncSchedule>(),
        Entry::of::<jobs::ListJobs>(),
        Entry::of::<jobs::GetJob>(),
        Entry::of::<jobs::CancelJob>(),
        Entry::of::<documents::ListDocuments>(),
        Entry::of::<documents::GetDocument>(),
        Entry::of::<documents::DeleteDocument>(),
        Entry::of::<search::SearchDocuments>(),
        Entry::of::<search::SearchSimilarChunks>(),
        Entry::of::<search::CompareDocuments>(),
        Entry::of::<chunks::GetChunk>(),
        Entry::of::<chunks::GetDocumentChunks>(),
        Entry::of::<chunks::GetSourceContext>(),
        Entry::of::<overview::GetCollectionSummary>(),
        Entry::of::<overview::GetCollectionTimeline>(),
        Entry::of::<overview::GetCollectionStatistics>(),
        Entry::of::<entities::ListEntities>(),
        Entry::of::<entities::FindEntity>(),
        Entry::of::<entities::GetEntityMentions>(),
        Entry::of::<entities::SearchEntityRelationships>(),
        Entry::of::<entities::GetEntityGraph>(),
        Entry::of::<references::ListReferences>(),
        Entry::of::<references::GetReferenceCitations>(),
        Entry::of::<overview::FindRelatedDocuments>(),
        Entry::of::<overview::GetRelatedDocuments>(),
        Entry::of::<overview::FindDocumentClusters>(),
        Entry::of::<navigation::GetDocumentStructure>(),
        Entry::of::<navigation::BrowsePages>(),
        Entry::of::<navigation::ListDocumentsByType>(),
        Entry::of::<navigation::TraverseChunks>(),
        Entry::of::<reindex::ReindexDocument>(),
        Entry::of::<reindex::ReindexCollection>(),
        Entry::of::<reindex::GetIndexStatus>(),
        Entry::of::<status::GetStatus>(),
    ]
});

/// A tool: what it is called and says of itself, what it takes and returns, and what it does.
pub(crate) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    const TOOLSET: Toolset;
    /// What it needs that the Free tier lacks.
    const FEATURE: Option<Feature> = None;
    /// Whether its work is done by a job.
    const LONG: bool = false;
    /// Refuses unknown fields; the documentation and constraints of its fields become the input schema.
    type Parameters: DeserializeOwned + JsonSchema;
    /// The structured content.
    type Response: Serialize + JsonSchema;

    fn call(context: &Context<'_>, parameters: Self::Parameters) -> Result<Reply<Self::Response>>;
}

/// The parameters of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

/// An answer in both forms.
pub(crate) struct Reply<R> {
    pub text: String,
    pub response: R,
}

/// What a tool may change, told to clients as hints so that they can decide when to ask the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing but, at most, what is active in the session.
    Reads,
    /// Adds something with every call.
    Creates,
    /// Brings about a state; repeating the call changes nothing further.
    Updates,
    /// Removes data for good.
    Deletes,
}

/// A row of the table.
pub(crate) struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub effect: Effect,
    pub long: bool,
    pub toolset: Toolset,
    pub input_schema: Arc<JsonObject>,
    pub output_schema: Arc<JsonObject>,
    /// Takes arguments that were checked against `input_schema`.
    pub handler: fn(&Context<'_>, Value) -> Result<ToolOutput>,
}

impl Entry {
    fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            effect: T::EFFECT,
            long: T::LONG,
            toolset: T::TOOLSET,
            input_schema: Arc::new(schema::parameters::<T::Parameters>()),
            output_schema: Arc::new(schema::response::<T::Response>()),
            handler: handle::<T>,
        }
    }

    /// The tool as clients see it.
    pub fn describe(&self) -> rmcp::model::Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::Reads)
            .destructive(self.effect == Effect::Deletes)
            .idempotent(self.effect != Effect::Creates)
            .open_world(false);
        rmcp::model::Tool::new(self.name, self.description, Arc::clone(&self.input_schema))
            .with_title(self.title)
            .with_raw_output_schema(Arc::clone(&self.output_schema))
            .with_annotations(annotations)
    }
}

fn handle<T: Tool>(context: &Context<'_>, arguments: Value) -> Result<ToolOutput> {
    if let Some(feature) = T::FEATURE {
        context.engine.config().tier.check(feature)?;
    }
    let parameters = serde_json::from_value(arguments)
        .map_err(|error| Error::invalid(format!("{} cannot read its arguments: {error}.", T::NAME)))?;
    let reply = T::call(context, parameters)?;
    Ok(ToolOutput { text: reply.text, structured: structured(&reply.response)? })
}

/// Goes through text, because a direct conversion widens `f32` values to 0.9399999976158142 where their text is 0.94.
pub(crate) fn structured(response: &impl Serialize) -> Result<Value> {
    let mut value = serde_json::to_string(response)
        .and_then(|text| serde_json::from_str(&text))
        .map_err(|error| Error::internal(format!("The response could not be written as JSON: {error}.")))?;
    Reader::Assistant.render_hints(&mut value);
    Ok(value)
}

/// All rows, in order.
pub(crate) fn tools() -> &'static [Entry] {
    &TABLE
}

/// The row of a tool, or an error that suggests a similar name.
pub(crate) fn find(name: &str) -> Result<&'static Entry> {
    tools().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let mut message = format!("Unknown tool: \"{}\".", shorten(name, 80));
        let names: Vec<&str> = tools().iter().map(|entry| entry.name).collect();
        if let Some(similar) = closest(name, names.iter().copied()) {
            message.push_str(&format!(" Did you mean \"{similar}\"?"));
        }
        Error::new(ErrorCode::NotFound, message).with_hint(format!("The tools are: {}.", names.join(", ")))
    })
}

/// Whether a call that may have been carried out already can be made once more to the same end.
pub fn may_be_repeated(tool: &str) -> bool {
    tools().iter().any(|entry| entry.name == tool && matches!(entry.effect, Effect::Reads | Effect::Updates))
}

/// One JSON document for each tool, by name: exactly what `tools/list` says of it.
pub fn tool_documents() -> Vec<(String, Value)> {
    tools()
        .iter()
        .map(|entry| {
            let mut document = serde_json::to_value(entry.describe()).unwrap_or_default();
            // The same order of keys, whether or not a dependency makes serde_json keep the order of insertion.
            document.sort_all_objects();
            (entry.name.to_owned(), document)
        })
        .collect()
}
