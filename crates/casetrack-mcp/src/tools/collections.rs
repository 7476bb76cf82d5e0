//! Create, list, switch, delete and describe collections.

use casetrack_core::{CollectionId, CollectionMeta, CollectionStatus, CollectionType};
use casetrack_engine::collections::{self, CollectionInfo, CollectionSummary, CreateCollection as Request};

use super::unconfirmed;
use crate::tools::prelude::*;

pub(crate) struct CreateCollection;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateParameters {
    /// Collection name (e.g., 'Project Alpha', 'Acme Corp Partnership')
    name: String,
    /// Optional identifier or reference number
    collection_id: Option<String>,
    /// Type of document collection
    collection_type: Option<CollectionType>,
    /// compact, quality or multilingual
    #[schemars(extend("x-rare" = true))]
    profile: Option<String>,
}

impl Tool for CreateCollection {
    const NAME: &'static str = "create_collection";
    const TITLE: &'static str = "Create a collection";
    const DESCRIPTION: &'static str = "Create a new document collection. Creates an isolated database for this collection on your machine. \
        Automatically switches to the new collection.";
    const ROW: Row = Row::new(Toolset::Ingest, Effect::Creates, Need::CREATE);
    const SAMPLE: &'static str = r#"{"name": "Notes", "collection_id": "N-1", "collection_type": "research"}"#;
    type Parameters = CreateParameters;
    type Response = CollectionMeta;

    fn call(context: &Context<'_>, parameters: CreateParameters) -> Result<Reply<CollectionMeta>> {
        let created = collections::create_collection(
            context.engine.host(),
            Request {
                name: parameters.name,
                reference: parameters.collection_id,
                collection_type: parameters.collection_type.unwrap_or_default(),
                models: parameters.profile.map(|profile| profile.parse()).transpose()?,
                late_interaction: false,
            },
        )?;
        context.session.set_active(created.id);
        Ok(Reply::new(created, text::collections::created))
    }
}

pub(crate) struct ListCollections;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParameters {
    /// Filter by collection status
    #[serde(default = "active")]
    status_filter: Choice<CollectionStatus, All>,
}

fn active() -> Choice<CollectionStatus, All> {
    Choice::One(CollectionStatus::Active)
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CollectionList {
    /// Oldest first.
    collections: Vec<CollectionSummary>,
    /// The collection that documents and searches of this session go to.
    active_collection: Option<CollectionId>,
    /// Locked vaults, of which only the IDs are known. Only a person can unlock one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locked: Vec<CollectionId>,
}

impl Tool for ListCollections {
    const NAME: &'static str = "list_collections";
    const TITLE: &'static str = "List collections";
    const DESCRIPTION: &'static str =
        "List all collections. Shows name, type, status, document count, and which collection is active.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"status_filter": "all"}"#;
    type Parameters = ListParameters;
    type Response = CollectionList;

    fn call(context: &Context<'_>, parameters: ListParameters) -> Result<Reply<CollectionList>> {
        let status = parameters.status_filter.one();
        let collections = collections::list_collections(context.engine.host(), status)?;
        let active_collection = context.session.active_id();
        let locked =
            collections::locked_collections(context.engine.host())?.into_iter().map(|vault| vault.id).collect();
        Ok(Reply::new(CollectionList { collections, active_collection, locked }, move |list| {
            text::collections::list(&list.collections, status, list.active_collection, &list.locked)
        }))
    }
}

pub(crate) struct SwitchCollection;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchParameters {
    /// Collection name or ID to switch to
    collection_name: String,
}

impl Tool for SwitchCollection {
    const NAME: &'static str = "switch_collection";
    const TITLE: &'static str = "Switch to a collection";
    const DESCRIPTION: &'static str =
        "Switch to a different collection. All subsequent operations (ingest, search) will use this collection.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"collection_name": "$collection"}"#;
    type Parameters = SwitchParameters;
    type Response = CollectionSummary;

    fn call(context: &Context<'_>, parameters: SwitchParameters) -> Result<Reply<CollectionSummary>> {
        let found = collections::find_collection(context.engine.host(), &parameters.collection_name)?;
        // Opens it, so that one that cannot be read is refused here and not at the first search.
        let summary = collections::collection_info(context.engine.host(), found.id)?.summary;
        context.session.set_active(found.id);
        Ok(Reply::new(summary, text::collections::switched))
    }
}

pub(crate) struct DeleteCollection;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteParameters {
    /// Collection name or ID to delete
    collection_name: String,
    /// Must be true to confirm deletion
    #[schemars(extend("default" = false))]
    confirm: bool,
}

impl Tool for DeleteCollection {
    const NAME: &'static str = "delete_collection";
    const TITLE: &'static str = "Delete a collection";
    const DESCRIPTION: &'static str =
        "Permanently delete a collection and all its documents, embeddings, and data. This cannot be undone.";
    const ROW: Row = Row::new(Toolset::Watch, Effect::Deletes, Need::OWN);
    const SAMPLE: &'static str = r#"{"collection_name": "$collection", "confirm": true}"#;
    type Parameters = DeleteParameters;
    /// The collection that was deleted.
    type Response = CollectionSummary;

    fn call(context: &Context<'_>, parameters: DeleteParameters) -> Result<Reply<CollectionSummary>> {
        let found = collections::find_collection(context.engine.host(), &parameters.collection_name)?;
        let summary = collections::summarise(context.engine.host(), found);
        if !parameters.confirm {
            return Err(unconfirmed(&text::collections::description(&summary)));
        }
        context.engine.delete_collection(summary.meta.id)?;
        context.session.forget(summary.meta.id);
        Ok(Reply::new(summary, text::collections::deleted))
    }
}

pub(crate) struct GetCollectionInfo;

impl Tool for GetCollectionInfo {
    const NAME: &'static str = "get_collection_info";
    const TITLE: &'static str = "Describe the active collection";
    const DESCRIPTION: &'static str =
        "Get detailed information about the active collection including document list and storage usage.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    type Parameters = NoParameters;
    type Response = CollectionInfo;

    fn call(context: &Context<'_>, _: NoParameters) -> Result<Reply<CollectionInfo>> {
        let info = collections::collection_info(context.engine.host(), context.active()?.id)?;
        Ok(Reply::new(info, text::collections::info))
    }
}
