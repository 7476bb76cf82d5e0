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
    /// The server that gets redacted snippets and queries for summarizeResults and rewriteQuery, if the settings name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    language_model: Option<ModelServer>,
}

#[derive(Serialize, JsonSchema)]
struct ModelServer {
    /// With its port, if the settings name that
    host: String,
    model: String,
    /// Runs on the same machine
    local: bool,
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
        let language_model = context.session.settings().language_model.as_ref().map(|settings| ModelServer {
            host: settings.host().to_owned(),
            model: settings.model.clone(),
            local: settings.is_local(),
        });
        Ok(Reply::new(ServerStatus { status, active_collection, language_model }, |answer| {
            let active = answer.active_collection.as_ref().map(|active| active.name.as_str());
            let model = answer.language_model.as_ref().map(|server| (server.model.as_str(), server.host.as_str()));
            text::status::status(&answer.status, active, model)
        }))
    }
}
