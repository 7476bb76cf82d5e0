//! The one table of all tools.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use casetrack_core::{Error, ErrorCode, Result};
use rmcp::model::ToolAnnotations;
use serde_json::{Value, json};

use crate::answer::{self, DETAIL, Detail, Form, OFFSET, ToolOutput};
use crate::arguments::{Expected, closest};
use crate::contract::{Contract, safe_name};
use crate::definitions;
use crate::schema::{self, JsonObject};
use crate::session::Context;
use crate::tool::{Effect, Row, Tool};
use crate::tools::{
    bates, changes, chunks, collections, desk, documents, entities, evidence, files, hidden, index, ingest, jobs,
    navigation, obligations, overview, quotes, references, reindex, search, sheet, space, status, sync, tags, terms,
    threads, time, versions, watches,
};
use casetrack_text::format::shorten;

#[cfg(test)]
mod tests;

/// The rows of tools, by their modules.
macro_rules! rows {
    ($($family:ident::{$($tool:ident),+ $(,)?}),+ $(,)?) => { vec![$($(Entry::of::<$family::$tool>()),+),+] };
}

/// All tools, in the order in which clients list them. A new tool is one name here.
static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    rows![
        collections::{CreateCollection, ListCollections, SwitchCollection, DeleteCollection, GetCollectionInfo},
        ingest::{IngestDocument, IngestFolder},
        sync::{SyncFolder},
        watches::{WatchFolder, ListWatches, SetSyncSchedule, UnwatchFolder},
        jobs::{ListJobs, GetJob, CancelJob},
        documents::{ListDocuments, GetDocument, DeleteDocument},
        tags::{TagDocument},
        search::{SearchDocuments, AskEveryDocument, SearchSimilarChunks, CompareDocuments},
        versions::{RedlineDocuments, ListVersions},
        threads::{ListThreads},
        terms::{SearchTerms},
        quotes::{VerifyQuote, VerifyQuotes},
        sheet::{GetMatterSheet, DefineColumn},
        obligations::{GetObligations},
        bates::{ListBates},
        chunks::{GetChunk, GetDocumentChunks, GetSourceContext},
        changes::{ListChanges},
        hidden::{FindHiddenText},
        overview::{GetCollectionSummary, GetCollectionTimeline, GetCollectionStatistics},
        entities::{ListEntities, FindEntity, GetEntityMentions, SearchEntityRelationships, GetEntityGraph},
        references::{ListReferences, GetReferenceCitations},
        overview::{FindRelatedDocuments, GetRelatedDocuments, FindDocumentClusters},
        navigation::{GetDocumentStructure, BrowsePages, ListDocumentsByType, TraverseChunks},
        reindex::{ReindexDocument, ReindexCollection, GetIndexStatus},
        status::{GetStatus},
        time::{SearchByTime, FindFilesByTime},
        files::{ListRoots, IndexFolder, SearchFiles, OpenFile, SummarizeResults, RewriteQuery},
        index::{SearchIndex, SearchAddDocument, SearchCreateIndex},
        evidence::{AddEvidenceTool, ListEvidence, UpdateEvidenceTool, ExportEvidence},
        desk::{ReadPage, UpdateCollection, ListPaths},
        space::{
            Index, JobProgress, ListSpaceJobs, CancelSpaceJob, ResourceChildren, ResourceParent,
            ResourceSum, ResourceTimeRange, ResourceMetricRange, ResourceIs, ResourceFuzzyMatch,
            ResourceSearch, ResourceSetCreate, ResourceSetList, ResourceSetGet, ResourceSetModify,
            ResourceSetDelete, ResourceSetAddChild, ResourceSetRemoveChild, SourceCreate, SourceStart,
            SourceStop, SourceExecute, SourceList, SourceGet, SourceDelete, PlanCreate, PlanExecute,
            PlanList, PlanGet, PlanUpdate, PlanDelete, RerunClassifier, ClassifierJobProgress, SessionInfo,
            DiskUsage, FindDuplicates,
        },
    ]
});

pub(crate) struct Entry {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub row: Row,
    pub sample: &'static str,
    pub destructive: bool,
    pub long: bool,
    pub contract: Contract,
    pub calls_per_minute: Option<u32>,
    pub input_schema: Arc<JsonObject>,
    /// The parameters as [listed](schema::listed).
    listed_input: Arc<JsonObject>,
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
            (answer::has_exact_places(&output_schema), DETAIL),
        ];
        if let Some(Value::Object(properties)) = input_schema.get_mut("properties") {
            for (_, parameter) in added.into_iter().filter(|(has, _)| *has) {
                properties.insert(parameter.name.into(), (parameter.schema)());
            }
        }
        let rare = schema::take_rare(&mut input_schema);
        let listed_input = match T::CONTRACT.printed {
            Some(_) => input_schema.clone(),
            None => schema::listed(&input_schema, &rare, T::CONTRACT != Contract::USUAL),
        };
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            row: T::ROW,
            sample: T::SAMPLE,
            destructive: T::DESTRUCTIVE,
            long: T::LONG,
            contract: T::CONTRACT,
            calls_per_minute: T::CALLS_PER_MINUTE,
            input_schema: Arc::new(input_schema),
            listed_input: Arc::new(listed_input),
            output_schema: Arc::new(output_schema),
            handler: handle::<T>,
        }
    }

    /// The rules for the arguments of a call.
    pub fn expected(&self) -> Expected<'_> {
        Expected {
            tool: self.name,
            contract: self.contract,
            schema: &self.input_schema,
            reads: self.row.effect == Effect::Reads,
        }
    }

    /// True if calls choose how much detail an answer has for each passage.
    pub fn has_detail(&self) -> bool {
        self.input_schema.get("properties").is_some_and(|properties| properties.get(DETAIL.name).is_some())
    }

    /// The tool as clients see it. Clients put the whole list before the model, so rare parameters and the fields of answers are only in the
    /// [document](tool_documents) of the tool. A printed schema is listed as it is. `safe` is whether the client takes only
    /// [safe names](safe_name).
    pub fn describe(&self, safe: bool) -> rmcp::model::Tool {
        let name = if safe { safe_name(self.name).into() } else { Cow::Borrowed(self.name) };
        match self.contract.printed {
            Some(_) => self.described(name, &self.listed_input, Arc::clone(&self.output_schema)),
            None => self.described(name, &self.listed_input, Arc::new(schema::brief(&self.output_schema))),
        }
    }

    fn described(
        &self,
        name: Cow<'static, str>,
        input_schema: &Arc<JsonObject>,
        output_schema: Arc<JsonObject>,
    ) -> rmcp::model::Tool {
        // What is destroyed or repeated has a meaning only for tools that change something; the list of tools is to be short.
        let annotations = match self.row.effect {
            // A contract recommends this annotation.
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
        rmcp::model::Tool::new(name, self.description, Arc::clone(input_schema))
            .with_title(self.title)
            .with_raw_output_schema(output_schema)
            .with_annotations(annotations)
    }
}

fn handle<T: Tool>(context: &Context<'_>, mut arguments: Value) -> Result<ToolOutput> {
    let adds_offset = T::LIST.is_some_and(|list| list.adds_offset());
    let mut form = Form::take(&mut arguments, context.session.settings().limits.result_chars, adds_offset);
    if context.session.shows_all() {
        form.detail = Detail::Full;
    }
    let parameters = serde_json::from_value(arguments)
        .map_err(|error| Error::invalid(format!("{} cannot read its arguments: {error}.", T::NAME)))?;
    T::finish(T::call(context, parameters)?, form)
}

pub(crate) fn tools() -> &'static [Entry] {
    &TABLE
}

/// The row of a tool, by its name or its [safe name](safe_name), or an error that suggests a similar name.
pub(crate) fn find(name: &str) -> Result<&'static Entry> {
    find_or_suggest(name, tools().iter())
}

/// As [`find`], but the error names only the tools that are `offered`.
pub(crate) fn find_or_suggest(name: &str, offered: impl Iterator<Item = &'static Entry>) -> Result<&'static Entry> {
    tools().iter().find(|entry| entry.name == name || safe_name(entry.name) == name).ok_or_else(|| {
        let mut message = format!("Unknown tool: \"{}\".", shorten(name, 80));
        let names: Vec<&str> = offered.map(|entry| entry.name).collect();
        if let Some(similar) = closest(name, names.iter().copied()) {
            message.push_str(&format!(" Did you mean \"{similar}\"?"));
        }
        Error::new(ErrorCode::NotFound, message).with_hint(format!("The tools are: {}.", names.join(", ")))
    })
}

/// True if a call that may have been carried out already can be repeated safely.
pub fn may_be_repeated(tool: &str) -> bool {
    find(tool).is_ok_and(|entry| matches!(entry.row.effect, Effect::Reads | Effect::Updates))
}

/// The document of each tool, by name: what `tools/list` returns for it, with the full output schema.
fn tool_documents() -> impl Iterator<Item = (&'static str, Value)> {
    tools().iter().map(|entry| {
        // A printed schema stays as it is.
        let output_schema = match entry.contract.printed {
            Some(_) => Arc::clone(&entry.output_schema),
            None => Arc::new(definitions::with_definitions(&entry.output_schema)),
        };
        let document = entry.described(Cow::Borrowed(entry.name), &entry.input_schema, output_schema);
        (entry.name, serde_json::to_value(document).unwrap_or_default())
    })
}

/// The files of `schemas/`, by name: the [document](tool_documents) of each tool, and `calls.json` with the [sample calls](sample_calls).
pub fn schema_files() -> BTreeMap<String, String> {
    let documents = tool_documents().map(|(name, document)| (format!("{name}.json"), document));
    let calls = ("calls.json".to_owned(), Value::from(sample_calls()));
    documents
        .chain([calls])
        .map(|(name, mut document)| {
            // The same order of keys, whether or not a dependency makes serde_json keep the order of insertion.
            document.sort_all_objects();
            (name, definitions::printed(&document))
        })
        .collect()
}

/// The sample call of each tool, in an order in which all of them can succeed: deletions come last, the smallest first.
///
/// Tests and scripts replace `$collection`, `$document`, `$other` (a second document), `$chunk`, `$job`, `$file` and `$folder` (absolute
/// paths), `$query`, `$quote`, `$entity`, `$partner` (a second entity) and `$reference`.
fn sample_calls() -> Vec<Value> {
    let is_deletion = |entry: &&Entry| entry.row.effect == Effect::Deletes;
    let others = tools().iter().filter(|entry| !is_deletion(entry));
    others
        .chain(tools().iter().rev().filter(is_deletion))
        .map(|entry| {
            let arguments: Value = entry.sample.parse().unwrap_or_default();
            json!({"tool": entry.name, "toolset": entry.row.toolset, "arguments": arguments})
        })
        .collect()
}
