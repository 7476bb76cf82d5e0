//! The trait of tools.

use casetrack_core::Result;
pub(crate) use casetrack_core::settings::Toolset;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::answer::{self, Form, List, Reply, ToolOutput};
use crate::contract::Contract;
pub(crate) use crate::member::Need;
use crate::session::Context;

/// A tool: its name and description, its parameters and response, and its work.
pub(crate) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const ROW: Row;
    /// The arguments of a call, as a JSON object. The table explains `$document` and the other placeholders.
    const SAMPLE: &'static str;
    /// The form of its calls and answers.
    const CONTRACT: Contract = Contract::USUAL;
    /// Most calls of one session in any minute, if the contract names a limit; the session's own limit applies as well.
    const CALLS_PER_MINUTE: Option<u32> = None;
    /// True if a job does its work.
    const LONG: bool = false;
    /// True if clients should treat a call as one that may remove data.
    const DESTRUCTIVE: bool = matches!(Self::ROW.effect, Effect::Deletes);
    /// The list of its answer, by whose items a long answer is cut.
    const LIST: Option<List<Self::Response>> = None;
    /// Removes the parts of its response that a brief answer does not show.
    const SHORTEN: Option<fn(&mut Self::Response)> = None;
    /// Refuses unknown fields; the documentation and constraints of its fields become the input schema.
    type Parameters: DeserializeOwned + JsonSchema;
    type Response: Serialize + JsonSchema + 'static;

    fn call(context: &Context<'_>, parameters: Self::Parameters) -> Result<Reply<Self::Response>>;

    fn finish(reply: Reply<Self::Response>, form: Form) -> Result<ToolOutput> {
        answer::finish(reply, Self::LIST, Self::SHORTEN, form)
    }
}

/// The place of a tool: its set, its effect, and the rights that it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub toolset: Toolset,
    pub effect: Effect,
    pub need: Need,
}

impl Row {
    pub const fn new(toolset: Toolset, effect: Effect, need: Need) -> Self {
        Self { toolset, effect, need }
    }
}

/// The parameters of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

/// The changes that a tool may make. Clients get it as hints, to decide when to ask the user.
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
