//! `listRoots` and `indexFolder`.

use std::time::Duration;

use casetrack_engine::file_search::{self, IndexedFolder, Priority};
use casetrack_engine::files;

use super::{Versioned, finish, reply};
use crate::tools::prelude::*;

/// The time that a call waits: clients cut calls off at about 60 seconds.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct ListRoots;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Roots {
    /// Absolute paths, links resolved
    roots: Vec<String>,
}

impl Tool for ListRoots {
    const NAME: &'static str = "listRoots";
    const TITLE: &'static str = "List roots";
    const DESCRIPTION: &'static str = "Return the allow‑listed root directories.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = "{}";
    const CONTRACT: Contract = Contract::FILES;
    type Parameters = NoParameters;
    type Response = Versioned<Roots>;

    fn call(context: &Context<'_>, _: NoParameters) -> Result<Reply<Self::Response>> {
        let roots = files::file_search_roots(context.engine.host(), &context.session.settings().roots)?;
        Ok(reply(Roots { roots: roots.iter().map(|root| root.display().to_string()).collect() }))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}

pub(crate) struct IndexFolder;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexParameters {
    /// Target directory (must be within the allow-list)
    root: String,
    /// Force rebuild (drops prior docs for files in this root)
    #[serde(default)]
    full: bool,
    /// Scheduler hint
    #[serde(default)]
    priority: Priority,
}

impl Tool for IndexFolder {
    const NAME: &'static str = "indexFolder";
    const TITLE: &'static str = "Index a folder";
    const DESCRIPTION: &'static str = "Schedule or run indexing for a folder inside the allow‑listed roots. Performs incremental re‑indexing based on \
        file size and mtime.\n\nWaits up to 30 seconds; an answer with job means that indexing continues: call again to \
        wait.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Updates, Need::DISK);
    const SAMPLE: &'static str = r#"{"root": "$folder"}"#;
    const CONTRACT: Contract = Contract::FILES;
    type Parameters = IndexParameters;
    type Response = Versioned<IndexedFolder>;

    fn call(context: &Context<'_>, parameters: IndexParameters) -> Result<Reply<Self::Response>> {
        let IndexParameters { root, full, priority } = parameters;
        let request = file_search::IndexFolder { root, full, priority, patience: PATIENCE };
        let roots = &context.session.settings().roots;
        Ok(reply(context.engine.index_folder(roots, &request, context.progress, context.cancel)?))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}
