//! Results of tools, and errors, as messages of the protocol.

use std::collections::BTreeMap;
use std::time::Duration;

use casetrack_core::{Cancel, CollectionId, Error, ErrorKind, Result};
use casetrack_engine::collections;
use casetrack_text::Reader;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomResult, ProtocolVersion,
    Resource,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

use super::Server;
use crate::answer::ToolOutput;
use crate::contract::Contract;
use crate::resources::links;
use crate::schema::JsonObject;
use crate::session::Session;

/// The time for which a client may keep a list that does not change during a session, and a list that does.
pub(super) const FIXED_LIST: Duration = Duration::from_secs(3600);
pub(super) const CHANGING_LIST: Duration = Duration::from_secs(5);

impl Server {
    /// The links of an answer. It concerns the collections that it names, and otherwise the collection that was active before the call, unless
    /// another call has switched it meanwhile.
    pub(super) async fn links(&self, before: Option<CollectionId>, structured: &Value) -> Vec<Resource> {
        let names = links::names(structured);
        let has_names = !names.is_empty();
        let find = move |session: &Session, _: &Cancel| {
            let host = session.engine().host();
            let id = |name: &String| collections::find_collection(host, name).ok().filter(|found| found.name == *name);
            Ok(names.into_iter().filter_map(|name| id(&name).map(|found| (name, found.id))).collect())
        };
        let named = if has_names { self.blocking(find).await.unwrap_or_default() } else { BTreeMap::new() };
        let active = self.session.read_id().filter(|_| before == self.session.active_id());
        links::links(&links::Collections { active, named }, structured)
    }
}

pub(super) fn answer(result: Result<ToolOutput>, links: Vec<Resource>, contract: Contract) -> CallToolResult {
    result.map_or_else(|error| contract.failure(&error), |output| success(output, links, contract))
}

fn success(output: ToolOutput, links: Vec<Resource>, contract: Contract) -> CallToolResult {
    let mut content = contract.blocks(&output);
    content.extend(links.into_iter().map(ContentBlock::resource_link));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(output.structured);
    result.with_meta(contract.meta())
}

/// The time for which a client may keep a list. It depends on the client and the user, so no one else may keep it. Earlier versions of the protocol
/// have no such fields.
pub(super) fn fresh(context: &RequestContext<RoleServer>, time: Duration) -> (Option<u64>, Option<CacheScope>) {
    let version = ProtocolVersion::V_2026_07_28;
    match context.protocol_version().is_some_and(|spoken| spoken.as_str() >= version.as_str()) {
        true => (u64::try_from(time.as_millis()).ok(), Some(CacheScope::Private)),
        false => (None, None),
    }
}

/// The protocol's error for a request that is not the call of a tool.
pub(super) fn protocol_error(error: Error) -> ErrorData {
    match error.kind() {
        ErrorKind::User => ErrorData::invalid_params(Reader::Assistant.error(&error), None),
        _ => ErrorData::internal_error(Reader::Assistant.error(&error), None),
    }
}

/// The call whose arguments, an object, were written as a text, or were an empty list, which is how some languages write an empty object.
pub(super) fn call_with_text(params: Option<&Value>) -> Option<CallToolRequestParams> {
    let params = params?;
    let name = params.get("name")?.as_str()?.to_owned();
    let arguments = match params.get("arguments")? {
        Value::String(text) => serde_json::from_str::<Option<JsonObject>>(text).ok()?.unwrap_or_default(),
        Value::Array(list) if list.is_empty() => JsonObject::new(),
        _ => return None,
    };
    let mut call = CallToolRequestParams::new(name).with_arguments(arguments);
    call.input_responses = params.get("inputResponses").and_then(|given| serde_json::from_value(given.clone()).ok());
    call.request_state = params.get("requestState").and_then(Value::as_str).map(str::to_owned);
    Some(call)
}

/// The protocol's error for the call of a tool that cannot be read.
pub(super) fn malformed_call() -> ErrorData {
    ErrorData::invalid_params(
        "The params of tools/call are malformed: they need a string \"name\" and may have an object \"arguments\", such as \
         {\"name\": \"search_documents\", \"arguments\": {\"query\": \"rent\"}}.",
        None,
    )
}

/// The answer to a call that the SDK could not read.
pub(super) fn custom(response: CallToolResponse) -> Result<CustomResult, ErrorData> {
    let result = match response {
        CallToolResponse::Complete(result) => serde_json::to_value(result),
        CallToolResponse::Task(task) => serde_json::to_value(task),
        CallToolResponse::InputRequired(question) => serde_json::to_value(question),
        other => return Err(ErrorData::internal_error(format!("No such answer was expected: {other:?}"), None)),
    };
    result.map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
