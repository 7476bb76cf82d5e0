//! The state of the server.

use casetrack_core::CollectionId;
use casetrack_engine::status::Status;
use casetrack_engine::upkeep;

use crate::tools::prelude::*;

pub(crate) struct GetStatus;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ServerStatus {
    #[serde(flatten)]
    status: Status,
    /// The collection that documents and searches of this session go to.
    active_collection: Option<ActiveCollection>,
}

#[derive(Serialize, JsonSchema)]
struct ActiveCollection {
    id: CollectionId,
    name: String,
}

impl Tool for GetStatus {
    const NAME: &'static str = "get_status";
    const TITLE: &'static str = "Server status";
    const DESCRIPTION: &'static str =
        "Get CaseTrack server status including version, license tier, loaded models, and storage usage.";
    const ROW: Row = Row::new(Toolset::Core, Effect::Reads, Need::READ);
    const SAMPLE: &'static str = "{}";
    type Parameters = NoParameters;
    type Response = ServerStatus;

    fn call(context: &Context<'_>, _: NoParameters) -> Result<Reply<ServerStatus>> {
        let status = upkeep::status(context.engine.host())?;
        // No active collection, or one that vanished, is a state to report here and not a failure.
        let active_collection = context.active().ok().map(|meta| ActiveCollection { id: meta.id, name: meta.name });
        Ok(Reply::new(ServerStatus { status, active_collection }, |answer| {
            text::status::status(&answer.status, answer.active_collection.as_ref().map(|active| active.name.as_str()))
        }))
    }
}
