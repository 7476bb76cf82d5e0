//! Asks the user to confirm work that needs it, in versions of the protocol in which the answer of a call can ask for input.
//!
//! The client repeats its call with the answer of the user and with the question. The question names everything that would be lost, so the user is
//! asked again if that has changed. Without such a version, or such a client, the call is refused and the assistant asks the user.

use std::fmt;

use casetrack_core::{Error, Result};
use casetrack_text::format::visible;
use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, CallToolRequestParams, ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, PrimitiveSchemaDefinition,
    ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::Value;

/// The parameter of tools, the key of the request for input, and the field of its form.
const CONFIRM: &str = "confirm";

/// The consequence of work that was not confirmed, as the source of its error.
#[derive(Debug)]
pub(crate) struct Unconfirmed(String);

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unconfirmed {}

/// The refusal of work that was not confirmed. `done` is the verb of the work, such as "deleted", and `consequence` a sentence.
pub(crate) fn unconfirmed(done: &str, consequence: String) -> Error {
    Error::invalid(format!("confirm must be true; nothing was {done}."))
        .with_hint(format!("{consequence} Ask the user, then call again with confirm set to true."))
        .with_source(Unconfirmed(consequence))
}

/// The answer of the user that a call brings.
pub(crate) struct Given {
    is_yes: bool,
    /// The question that was asked.
    question: Option<String>,
    /// The arguments of the call, confirmed.
    confirmed: Value,
}

/// The next step after a tool refused work that was not confirmed.
pub(crate) enum Step {
    Ask(Box<InputRequiredResult>),
    /// Call the tool again, with these arguments.
    Call(Value),
    Decline,
}

/// The answer that a call brings, which is taken from it.
pub(crate) fn given(call: &mut CallToolRequestParams) -> Option<Given> {
    let answer = call.input_responses.take()?.remove(CONFIRM)?;
    let is_yes = serde_json::from_value::<ElicitResult>(answer).is_ok_and(|answer| {
        let confirms = answer.content.as_ref().and_then(|content| content.get(CONFIRM)) == Some(&Value::Bool(true));
        answer.action == ElicitationAction::Accept && confirms
    });
    let mut confirmed = call.arguments.clone().unwrap_or_default();
    confirmed.insert(CONFIRM.to_owned(), Value::Bool(true));
    Some(Given { is_yes, question: call.request_state.take(), confirmed: Value::Object(confirmed) })
}

/// The next step after a failure. `None` if it is not about a confirmation, or if the client cannot ask the user.
pub(crate) fn step<T>(result: &Result<T>, given: Option<Given>, context: &RequestContext<RoleServer>) -> Option<Step> {
    let error = result.as_ref().err()?;
    let Unconfirmed(question) = std::error::Error::source(error)?.downcast_ref::<Unconfirmed>()?;
    let version = context.protocol_version()?;
    if version.as_str() < ProtocolVersion::V_2026_07_28.as_str() || !shows_forms(&context.client_capabilities()?) {
        return None;
    }
    Some(match given.filter(|given| given.question.as_ref() == Some(question)) {
        Some(Given { is_yes: true, confirmed, .. }) => Step::Call(confirmed),
        Some(_) => Step::Decline,
        None => Step::Ask(Box::new(ask(question))),
    })
}

/// True if the client can show a form to the user. A client that names no kind of input has forms.
fn shows_forms(client: &ClientCapabilities) -> bool {
    client.elicitation.as_ref().is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

fn ask(question: &str) -> InputRequiredResult {
    let field = PrimitiveSchemaDefinition::Boolean(BooleanSchema::new().title("Yes, do this"));
    let mut form = ElicitationSchema::new([(CONFIRM.to_owned(), field)].into());
    form.required = Some(vec![CONFIRM.to_owned()]);
    let request = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: visible(question).into_owned(),
        requested_schema: form,
    };
    let request = InputRequest::Elicitation(ElicitRequest::new(request));
    InputRequiredResult::new(Some([(CONFIRM.to_owned(), request)].into()), Some(question.to_owned()))
}

pub(crate) fn declined() -> Error {
    Error::invalid("The user declined; nothing was changed.")
}
