//! The space browser: sets of files and folders, the graph that they form, their sources, and metadata of files. Names, parameters, answers and texts
//! of errors are a published contract.

/// A tool of the set: its name, title and effect, parameters and answer, a sample call, its description, and its work for a session's host.
macro_rules! space_tool {
    ($tool:ident: $name:literal, $title:literal, $effect:ident, $parameters:ty => $response:ty, $sample:literal, $description:literal, $call:expr) => {
        pub(crate) struct $tool;

        impl Tool for $tool {
            const NAME: &'static str = $name;
            const TITLE: &'static str = $title;
            const DESCRIPTION: &'static str = $description;
            const ROW: Row = Row::new(Toolset::Space, Effect::$effect, Need::DISK);
            const SAMPLE: &'static str = $sample;
            const CONTRACT: Contract = Contract::SPACE;
            type Parameters = $parameters;
            type Response = $response;

            fn call(context: &Context<'_>, parameters: $parameters) -> Result<Reply<$response>> {
                let call: fn(&Context<'_>, &Host, $parameters) -> Result<$response> = $call;
                let host = casetrack_engine::space::for_space(context.engine.host(), &context.session.settings().roots);
                // The text is made in the end, of the structured content.
                Ok(Reply::new(call(context, &host, parameters)?, |_| String::new()))
            }

            /// Never cut: limits bound it.
            fn finish(reply: Reply<$response>, _: Form) -> Result<ToolOutput> {
                $crate::tools::space::answer(&reply.rendered().0)
            }
        }
    };
}

mod classifier;
mod index;
mod navigation;
mod plans;
mod queries;
mod session;
mod sets;
mod sources;
mod usage;

pub(crate) use classifier::{ClassifierJobProgress, RerunClassifier};
pub(crate) use index::{CancelSpaceJob, Index, JobProgress, ListSpaceJobs};
pub(crate) use navigation::{ResourceChildren, ResourceParent};
pub(crate) use plans::{PlanCreate, PlanDelete, PlanExecute, PlanGet, PlanList, PlanUpdate};
pub(crate) use queries::{
    ResourceFuzzyMatch, ResourceIs, ResourceMetricRange, ResourceSearch, ResourceSum, ResourceTimeRange,
};
pub(crate) use session::SessionInfo;
pub(crate) use sets::{
    ResourceSetAddChild, ResourceSetCreate, ResourceSetDelete, ResourceSetGet, ResourceSetList, ResourceSetModify,
    ResourceSetRemoveChild,
};
pub(crate) use sources::{SourceCreate, SourceDelete, SourceExecute, SourceGet, SourceList, SourceStart, SourceStop};
pub(crate) use usage::{DiskUsage, FindDuplicates};

use casetrack_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::ToolOutput;

/// The parameter of tools that take only a name, with the description of that name.
macro_rules! named {
    ($named:ident, $description:literal) => {
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $named {
            #[doc = $description]
            name: String,
        }
    };
}

named!(SetName, "Resource-set name");
named!(SourceName, "Source name");
named!(PlanName, "Plan name");

/// A deleted item.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Deleted {
    name: String,
    deleted: bool,
}

impl Deleted {
    fn new(name: String) -> Self {
        Self { name, deleted: true }
    }
}

/// The structured content, which is also the text.
fn answer(response: &impl Serialize) -> Result<ToolOutput> {
    let structured = serde_json::to_value(response)
        .map_err(|error| Error::internal(format!("The response could not be written as JSON: {error}.")))?;
    Ok(ToolOutput { text: structured.to_string(), structured })
}
