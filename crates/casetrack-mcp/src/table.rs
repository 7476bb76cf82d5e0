//! The one table of all tools.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use casetrack_core::{Error, ErrorCode, Result};
use rmcp::model::ToolAnnotations;
use serde_json::Value;

use crate::answer::{self, Form, INCLUDE_BOXES, OFFSET};
use crate::arguments::closest;
use crate::contract::{Contract, safe_name};
use crate::schema::{self, JsonObject};
use crate::session::{Context, ToolOutput};
use crate::tool::{Effect, Tool, Toolset};
use crate::tools::{
    bates, chunks, collections, desk, documents, entities, evidence, files, hidden, index, ingest, jobs, navigation,
    obligations, overview, quotes, references, reindex, search, sheet, space, status, sync, tags, terms, threads, time,
    tracked, versions, watches,
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
        Entry::of::<tags::TagDocument>(),
        Entry::of::<search::SearchDocuments>(),
        Entry::of::<search::AskEveryDocument>(),
        Entry::of::<search::SearchSimilarChunks>(),
        Entry::of::<search::CompareDocuments>(),
        Entry::of::<versions::RedlineDocuments>(),
        Entry::of::<versions::ListVersions>(),
        Entry::of::<threads::ListThreads>(),
        Entry::of::<terms::SearchTerms>(),
        Entry::of::<quotes::VerifyQuote>(),
        Entry::of::<quotes::VerifyQuotes>(),
        Entry::of::<sheet::GetMatterSheet>(),
        Entry::of::<sheet::DefineColumn>(),
        Entry::of::<obligations::GetObligations>(),
        Entry::of::<bates::ListBates>(),
        Entry::of::<chunks::GetChunk>(),
        Entry::of::<chunks::GetDocumentChunks>(),
        Entry::of::<chunks::GetSourceContext>(),
        Entry::of::<tracked::ListChanges>(),
        Entry::of::<hidden::FindHiddenText>(),
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
        Entry::of::<time::SearchByTime>(),
        Entry::of::<time::FindFilesByTime>(),
        Entry::of::<files::ListRoots>(),
        Entry::of::<files::IndexFolder>(),
        Entry::of::<files::SearchFiles>(),
        Entry::of::<files::OpenFile>(),
        Entry::of::<files::SummarizeResults>(),
        Entry::of::<files::RewriteQuery>(),
        Entry::of::<index::SearchIndex>(),
        Entry::of::<index::SearchAddDocument>(),
        Entry::of::<index::SearchCreateIndex>(),
        Entry::of::<evidence::AddEvidenceTool>(),
        Entry::of::<evidence::ListEvidence>(),
        Entry::of::<evidence::UpdateEvidenceTool>(),
        Entry::of::<evidence::ExportEvidence>(),
        Entry::of::<desk::ReadPage>(),
        Entry::of::<desk::UpdateCollection>(),
        Entry::of::<desk::ListPaths>(),
        Entry::of::<space::Index>(),
        Entry::of::<space::JobProgress>(),
        Entry::of::<space::ListSpaceJobs>(),
        Entry::of::<space::CancelSpaceJob>(),
        Entry::of::<space::ResourceChildren>(),
        Entry::of::<space::ResourceParent>(),
        Entry::of::<space::ResourceSum>(),
        Entry::of::<space::ResourceTimeRange>(),
        Entry::of::<space::ResourceMetricRange>(),
        Entry::of::<space::ResourceIs>(),
        Entry::of::<space::ResourceFuzzyMatch>(),
        Entry::of::<space::ResourceSearch>(),
        Entry::of::<space::ResourceSetCreate>(),
        Entry::of::<space::ResourceSetList>(),
        Entry::of::<space::ResourceSetGet>(),
        Entry::of::<space::ResourceSetModify>(),
        Entry::of::<space::ResourceSetDelete>(),
        Entry::of::<space::ResourceSetAddChild>(),
        Entry::of::<space::ResourceSetRemoveChild>(),
        Entry::of::<space::SourceCreate>(),
        Entry::of::<space::SourceStart>(),
        Entry::of::<space::SourceStop>(),
        Entry::of::<space::SourceExecute>(),
        Entry::of::<space::SourceList>(),
        Entry::of::<space::SourceGet>(),
        Entry::of::<space::SourceDelete>(),
        Entry::of::<space::PlanCreate>(),
        Entry::of::<space::PlanExecute>(),
        Entry::of::<space::PlanList>(),
        Entry::of::<space::PlanGet>(),
        Entry::of::<space::PlanUpdate>(),
        Entry::of::<space::PlanDelete>(),
        Entry::of::<space::RerunClassifier>(),
        Entry::of::<space::ClassifierJobProgress>(),
        Entry::of::<space::SessionInfo>(),
        Entry::of::<space::DiskUsage>(),
        Entry::of::<space::FindDuplicates>(),
    ]
});

/// A row of the table.
pub(crate) struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub effect: Effect,
    pub destructive: bool,
    pub long: bool,
    pub toolset: Toolset,
    pub contract: Contract,
    pub calls_per_minute: Option<u32>,
    pub input_schema: Arc<JsonObject>,
    pub output_schema: Arc<JsonObject>,
    /// Takes arguments that were checked against `input_schema`.
    pub handler: fn(&Context<'_>, Value) -> Result<ToolOutput>,
}

impl Entry {
    fn of<T: Tool>() -> Self {
        let (mut input_schema, output_schema) = match T::CONTRACT.printed {
            Some(printed) => printed.schemas(),
            None => (schema::parameters::<T::Parameters>(), schema::response::<T::Response>()),
        };
        let added = [
            (T::LIST.is_some_and(|list| list.adds_offset()), OFFSET),
            (answer::has_exact_places(&output_schema), INCLUDE_BOXES),
        ];
        if let Some(Value::Object(properties)) = input_schema.get_mut("properties") {
            for (_, parameter) in added.into_iter().filter(|(has, _)| *has) {
                properties.insert(parameter.name.into(), (parameter.schema)());
            }
        }
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            effect: T::EFFECT,
            destructive: T::DESTRUCTIVE,
            long: T::LONG,
            toolset: T::TOOLSET,
            contract: T::CONTRACT,
            calls_per_minute: T::CALLS_PER_MINUTE,
            input_schema: Arc::new(input_schema),
            output_schema: Arc::new(output_schema),
            handler: handle::<T>,
        }
    }

    /// The tool as clients see it. Clients put the whole list before the model, so the output schema only names the fields; the full one
    /// is in the [document](tool_documents) of the tool. A printed schema is listed as it is. `safe` is whether the client takes only
    /// [safe names](safe_name).
    pub fn describe(&self, safe: bool) -> rmcp::model::Tool {
        let name = if safe { safe_name(self.name).into() } else { Cow::Borrowed(self.name) };
        match self.contract.printed {
            Some(_) => self.described(name, Arc::clone(&self.output_schema)),
            None => self.described(name, Arc::new(schema::brief(&self.output_schema))),
        }
    }

    fn described(&self, name: Cow<'static, str>, output_schema: Arc<JsonObject>) -> rmcp::model::Tool {
        // What is destroyed or repeated has a meaning only for tools that change something; the list of tools is to be short.
        let annotations = match self.effect {
            // A contract recommends to say so.
            Effect::Reads if self.contract.printed.is_some() => {
                ToolAnnotations::new().read_only(true).destructive(false)
            }
            Effect::Reads => ToolAnnotations::new().read_only(true),
            effect => ToolAnnotations::new()
                .read_only(false)
                .destructive(self.destructive)
                .idempotent(effect != Effect::Creates),
        };
        let annotations = annotations.open_world(false);
        rmcp::model::Tool::new(name, self.description, Arc::clone(&self.input_schema))
            .with_title(self.title)
            .with_raw_output_schema(output_schema)
            .with_annotations(annotations)
    }
}

fn handle<T: Tool>(context: &Context<'_>, mut arguments: Value) -> Result<ToolOutput> {
    if let Some(feature) = T::FEATURE {
        context.engine.host().config().tier.check(feature)?;
    }
    let adds_offset = T::LIST.is_some_and(|list| list.adds_offset());
    let form = Form::take(&mut arguments, context.session.settings().limits.result_chars, adds_offset);
    let parameters = serde_json::from_value(arguments)
        .map_err(|error| Error::invalid(format!("{} cannot read its arguments: {error}.", T::NAME)))?;
    T::finish(T::call(context, parameters)?, form)
}

/// All rows, in order.
pub(crate) fn tools() -> &'static [Entry] {
    &TABLE
}

/// The row of a tool, by its name or its [safe name](safe_name), or an error that suggests a similar name.
pub(crate) fn find(name: &str) -> Result<&'static Entry> {
    tools().iter().find(|entry| entry.name == name || safe_name(entry.name) == name).ok_or_else(|| {
        let mut message = format!("Unknown tool: \"{}\".", shorten(name, 80));
        let names: Vec<&str> = tools().iter().map(|entry| entry.name).collect();
        if let Some(similar) = closest(name, names.iter().copied()) {
            message.push_str(&format!(" Did you mean \"{similar}\"?"));
        }
        Error::new(ErrorCode::NotFound, message).with_hint(format!("The tools are: {}.", names.join(", ")))
    })
}

/// Whether a call that may have been carried out already can be repeated safely.
pub fn may_be_repeated(tool: &str) -> bool {
    find(tool).is_ok_and(|entry| matches!(entry.effect, Effect::Reads | Effect::Updates))
}

/// One JSON document for each tool, by name: what `tools/list` says about it, with the full output schema.
pub fn tool_documents() -> Vec<(String, Value)> {
    tools()
        .iter()
        .map(|entry| {
            let mut document =
                serde_json::to_value(entry.described(Cow::Borrowed(entry.name), Arc::clone(&entry.output_schema)))
                    .unwrap_or_default();
            // The same order of keys, whether or not a dependency makes serde_json keep the order of insertion.
            document.sort_all_objects();
            (entry.name.to_owned(), document)
        })
        .collect()
}
