//! Tools of the workbench: pages with their layout, collections, and paths of files.

use casetrack_core::{CollectionMeta, CollectionStatus, Error};
use casetrack_engine::desk::{PageLayout, PathEntry};
use casetrack_engine::{collections, desk, upkeep};

use crate::tools::prelude::*;

pub(crate) struct ReadPage;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageParameters {
    /// Name or ID of a document
    document: String,
    /// From 1
    #[schemars(range(min = 1))]
    page: u32,
    /// With the names on the page
    #[serde(default)]
    names: bool,
}

impl Tool for ReadPage {
    const NAME: &'static str = "read_page";
    const TITLE: &'static str = "Read a page with its layout";
    const DESCRIPTION: &'static str = "Read one page of a document of the active collection: its text, the places of its lines in points, its \
        chunks, tracked changes and hidden texts.";
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = r#"{"document": "$document", "page": 1, "names": true}"#;
    type Parameters = PageParameters;
    type Response = PageLayout;

    fn call(context: &Context<'_>, parameters: PageParameters) -> Result<Reply<PageLayout>> {
        let page = desk::page_layout(
            context.engine.host(),
            context.active()?.id,
            &parameters.document,
            parameters.page,
            parameters.names,
        )?;
        Ok(Reply::new(page, |page| {
            let name = text::marks::name(&page.document_name);
            format!("{name}, page {} of {}\n\n{}", page.page, page.page_count, text::marks::document_text(&page.text))
        }))
    }
}

pub(crate) struct UpdateCollection;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectionParameters {
    /// Name or ID of the collection
    collection: String,
    /// New name
    name: Option<String>,
    /// New state: closed can be read but not changed, archived is hidden
    state: Option<CollectionStatus>,
}

impl Tool for UpdateCollection {
    const NAME: &'static str = "update_collection";
    const TITLE: &'static str = "Rename, close, archive or reopen a collection";
    const DESCRIPTION: &'static str =
        "Give a collection another name, or close, archive or reopen it. Nothing is deleted.";
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Updates, Need::OWN);
    const SAMPLE: &'static str = r#"{"collection": "$collection", "state": "active"}"#;
    type Parameters = CollectionParameters;
    type Response = CollectionMeta;

    fn call(context: &Context<'_>, parameters: CollectionParameters) -> Result<Reply<CollectionMeta>> {
        let CollectionParameters { collection, name, state } = parameters;
        if name.is_none() && state.is_none() {
            return Err(Error::invalid("Give a new name or state."));
        }
        let mut meta = collections::find_collection(context.engine.host(), &collection)?;
        if let Some(name) = name {
            meta = context.engine.rename_collection(meta.id, &name)?;
        }
        if let Some(state) = state {
            meta = upkeep::set_collection_status(context.engine.host(), meta.id, state)?;
        }
        Ok(Reply::new(meta, |meta| format!("{} is {}.", text::marks::name(&meta.name), meta.status.label())))
    }
}

pub(crate) struct ListPaths;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathParameters {
    /// Beginning of an absolute path, or of one below ~
    prefix: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Paths {
    /// At most 50: folders first, then by name.
    paths: Vec<PathEntry>,
}

impl Tool for ListPaths {
    const NAME: &'static str = "list_paths";
    const TITLE: &'static str = "Complete a path";
    const DESCRIPTION: &'static str =
        "List the files and folders on this machine whose paths begin with the typed text.";
    const ROW: Row = Row::new(Toolset::Workbench, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"prefix": "$file"}"#;
    type Parameters = PathParameters;
    type Response = Paths;

    fn call(context: &Context<'_>, parameters: PathParameters) -> Result<Reply<Paths>> {
        let paths = desk::complete_path(context.engine.host(), &parameters.prefix)?;
        Ok(Reply::new(Paths { paths }, |paths| {
            let lines: Vec<String> =
                paths.paths.iter().map(|entry| text::marks::name(&entry.path).into_owned()).collect();
            if lines.is_empty() { "No path begins with this.".to_owned() } else { lines.join("\n") }
        }))
    }
}
