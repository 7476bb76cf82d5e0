//! What a tool is.

use casetrack_core::{Feature, Result};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::answer::{self, Form, List, Reply};
use crate::contract::Contract;
use crate::session::{Context, ToolOutput};
pub(crate) use crate::settings::Toolset;

/// A tool: its name and description, what it takes and returns, and what it does.
pub(crate) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    const TOOLSET: Toolset;
    /// The form of its calls and answers.
    const CONTRACT: Contract = Contract::USUAL;
    /// Most calls of one session in any minute, where the contract names a limit; the session's own holds as well.
    const CALLS_PER_MINUTE: Option<u32> = None;
    /// What it needs that the Free tier lacks.
    const FEATURE: Option<Feature> = None;
    /// Whether its work is done by a job.
    const LONG: bool = false;
    /// Whether clients should treat a call as one that may remove data.
    const DESTRUCTIVE: bool = matches!(Self::EFFECT, Effect::Deletes);
    /// The list that its answer consists of, by whose items a long answer is cut.
    const LIST: Option<List<Self::Response>> = None;
    /// Refuses unknown fields; the documentation and constraints of its fields become the input schema.
    type Parameters: DeserializeOwned + JsonSchema;
    /// The structured content.
    type Response: Serialize + JsonSchema + 'static;

    fn call(context: &Context<'_>, parameters: Self::Parameters) -> Result<Reply<Self::Response>>;

    /// Both forms of an answer.
    fn finish(reply: Reply<Self::Response>, form: Form) -> Result<ToolOutput> {
        answer::finish(reply, Self::LIST, form)
    }
}

/// The parameters of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

/// What a tool may change. Clients get it as hints, to decide when to ask the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Changes nothing except, at most, which collection is active in the session.
    Reads,
    /// Adds something with every call.
    Creates,
    /// Establishes a state; repeating the call changes nothing further.
    Updates,
    /// Removes data for good.
    Deletes,
}
