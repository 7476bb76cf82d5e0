//! The protocol side: how the server describes itself, listing and calling tools, and the stdio transport.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use casetrack_core::settings::ToolNames;
use casetrack_core::{Cancel, Error, ErrorCode, Result};
use casetrack_text::Reader;
use casetrack_text::format::shorten;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetSkillRequestParams, GetSkillResult,
    GetTaskParams, GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference, Role, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, ServerInitializeError, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::answer::Form;
use crate::confirmation::Step;
use crate::contract::{Contract, needs_safe_names};
use crate::guard::Guard;
use crate::instructions::instructions;
use crate::offer::Offer;
use crate::resources::Target;
use crate::resources::subscriptions::Subscriptions;
use crate::session::Session;
use crate::tool::{Effect, Tool};
use crate::tools::jobs::CancelJob;
use crate::{apps, completion, confirmation, prompts, resources, skills, table, tasks};
use results::{CHANGING_LIST, FIXED_LIST, answer, fresh, protocol_error};
use sampling::Sampling;

use casetrack_engine::space;

mod lines;
mod notifications;
mod records;
pub mod rejection;
mod results;
mod sampling;
#[cfg(test)]
mod tests;
mod work;

/// Longest request, in bytes. An 8 MB query whose every byte is escaped as `\u00xx` still fits. A longer one is answered with an
/// error.
pub const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Serves one client over a pair of streams, one JSON-RPC message per line, until `reader` ends. A tool loads its models when it first needs them.
///
/// Calls still running at the end have five seconds to answer; then they are cancelled, keeping what they committed. Needs a
/// Tokio runtime with I/O and time enabled. Fails when the client opens with something other than a handshake.
pub async fn serve(
    session: Arc<Session>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<()> {
    let transport = lines::Lines::new(reader, writer);
    let running = match Server::new(session, Transport::Stdio).serve(transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(Error::new(ErrorCode::Io, format!("The client did not open a session: {error}")).with_hint(
                "`casetrack mcp` is started by an MCP client, which communicates with it over stdin and \
                    stdout.",
            ));
        }
    };
    match running.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::internal(format!("The server stopped: {error}"))),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Stdio,
    Http,
}

impl Transport {
    fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

pub struct Server {
    session: Arc<Session>,
    subscriptions: Arc<Subscriptions>,
    notifying: OnceLock<notifications::Task>,
    transport: Transport,
    offer: Offer,
    guard: Guard,
}

impl ServerHandler for Server {
    /// Over HTTP, those with sessions: a tool call without one would have no active collection.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(match self.transport {
            Transport::Stdio => ProtocolVersion::KNOWN_VERSIONS,
            Transport::Http => ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE),
        })
    }

    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_tasks();
        let mut capabilities = match self.offer.has_collections() {
            true => capabilities.enable_skills().build(),
            false => capabilities.build(),
        };
        // The list of a session never changes, and a contract requires that the server states this.
        if let Some(tools) = &mut capabilities.tools {
            tools.list_changed = Some(false);
        }
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("casetrack", env!("CARGO_PKG_VERSION")).with_title("CaseTrack"))
            .with_instructions(instructions(&self.offer))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let safe = self.session.settings().tool_names == ToolNames::Safe || needs_safe_names(&client(&context));
        let views = apps::shows_views(context.client_capabilities().as_ref());
        let described = self.offer.tools().map(|tool| {
            let mut described = tool.describe(safe);
            described.meta = apps::tool_meta(tool.name).filter(|_| views);
            described
        });
        let of_view = views && self.offer.has_collections();
        let (ttl_ms, cache_scope) = fresh(&context, FIXED_LIST);
        let tools = described.chain(of_view.then(apps::more)).collect();
        Ok(ListToolsResult { ttl_ms, cache_scope, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let views = apps::shows_views(context.client_capabilities().as_ref());
        let mut request = if views { apps::meant(request) } else { Some(request) }.ok_or_else(|| {
            ErrorData::invalid_params("It continues the answer of a tool that has a view, from its next_offset.", None)
        })?;
        let given = confirmation::given(&mut request);
        let tool = table::find_or_suggest(&request.name, self.offer.tools())
            .map_err(|error| ErrorData::invalid_params(Reader::Assistant.error(&error), None))?;
        let record = self.begin_record(tool, request.arguments.as_ref(), &context);
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let as_task = tool.long && context.client_capabilities().is_some_and(|client| client.supports_tasks());
        let active = self.session.active_id();
        let mut result = self.admitted(tool, arguments, &context, as_task, record.contacted()).await;
        match confirmation::step(&result, given, &context) {
            Some(Step::Ask(question)) => {
                self.record(record, &result);
                return Ok((*question).into());
            }
            Some(Step::Call(confirmed)) => {
                result = self.admitted(tool, confirmed, &context, as_task, record.contacted()).await;
            }
            Some(Step::Decline) => result = Err(confirmation::declined()),
            None => {}
        }
        self.record(record, &result);
        if let Err(error) = &result
            && let Some(refused) = tool.contract.refused(error)
        {
            return Err(refused);
        }
        if let Ok(output) = &result
            && as_task
            && let Some(task) = tasks::created(self.session.engine(), output)
        {
            return Ok(CallToolResponse::Task(task));
        }
        let has_links = tool.row.effect != Effect::Deletes && knows_links(&context);
        let links = match &result {
            Ok(output) if has_links => self.links(active, &output.structured).await,
            _ => Vec::new(),
        };
        Ok(answer(result, links, tool.contract).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.check_collections()?;
        let get = move |session: &Session, _: &Cancel| {
            let form = Form::within(session.settings().limits.result_chars);
            tasks::get(session.engine(), &request.task_id, form, |result| answer(result, Vec::new(), Contract::USUAL))
        };
        self.blocking(get).await.map_err(protocol_error)
    }

    /// Jobs need no input from their clients.
    async fn update_task(&self, request: UpdateTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.session.engine().find_job(&request.task_id).map(drop).map_err(protocol_error)
    }

    async fn cancel_task(&self, request: CancelTaskParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let cancel = move |session: &Session, _: &Cancel| {
            let engine = session.engine_for(CancelJob::NAME, CancelJob::ROW.need)?;
            engine.cancel_job(engine.find_job(&request.task_id)?.job_id).map(drop)
        };
        self.blocking(cancel).await.map_err(protocol_error)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let mut fixed = Vec::new();
        if self.has_space() && cursor.is_none() {
            fixed.extend(resources::synthesis::fixed());
        }
        if !self.offer.has_collections() {
            let (ttl_ms, cache_scope) = fresh(&context, FIXED_LIST);
            return Ok(ListResourcesResult { ttl_ms, cache_scope, ..ListResourcesResult::with_all_items(fixed) });
        }
        let view = cursor.is_none() && apps::shows_views(context.client_capabilities().as_ref());
        fixed.extend(view.then(apps::resource));
        let listed = self.blocking(move |session, _| resources::list(session.engine(), cursor.as_deref())).await;
        let (mut resources, next_cursor) = listed.map_err(protocol_error)?;
        resources.extend(fixed);
        let (ttl_ms, cache_scope) = fresh(&context, CHANGING_LIST);
        let list = ListResourcesResult::with_all_items(resources);
        Ok(ListResourcesResult { next_cursor, ttl_ms, cache_scope, ..list })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut templates = if self.offer.has_collections() {
            resources::templates(self.offer.has(&["list_evidence"]))
        } else {
            Vec::new()
        };
        if self.has_space() {
            templates.extend(resources::synthesis::templates());
        }
        let (ttl_ms, cache_scope) = fresh(&context, FIXED_LIST);
        let list = ListResourceTemplatesResult::with_all_items(templates);
        Ok(ListResourceTemplatesResult { ttl_ms, cache_scope, ..list })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.check_resource(&request.uri)?;
        let uri = request.uri.clone();
        if uri == apps::URI
            && let Some(view) = apps::read()
        {
            return Ok(ReadResourceResult::new(vec![view]).into());
        }
        if let Some(file) = skills::read(&uri) {
            return Ok(ReadResourceResult::new(vec![file]).into());
        }
        let read = self.blocking(move |session, cancel| {
            let engine = session.engine();
            match resources::synthesis::is_one(&uri) {
                true => resources::synthesis::read(
                    engine,
                    &space::for_space(engine.host(), &session.settings().roots),
                    &uri,
                    cancel,
                ),
                false => resources::read(engine, &uri, cancel),
            }
        });
        let contents = tokio::select! {
            contents = read => contents,
            // Dropping it ends the work.
            () = context.ct.cancelled() => Err(Error::cancelled()),
        };
        let contents = contents.map_err(|error| resources::unreadable(&error, &request.uri))?;
        Ok(ReadResourceResult::new(contents).into())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.check_resource(&request.uri)?;
        self.watch(request.uri).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The SDK removes subscriptions that the capabilities do not offer.
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            let is_known = |uri: &String| resources::synthesis::is_one(uri) || resources::Target::parse(uri).is_ok();
            uris.retain(|uri| is_known(uri) && self.check_resource(uri).is_ok());
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.notify_subscription(context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(model) = Sampling::of(&context.peer) {
            self.session.set_client_model(Box::new(model));
        }
        self.notify_client(context.peer);
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = if self.offer.has_collections() { prompts::list() } else { Vec::new() };
        let (ttl_ms, cache_scope) = fresh(&context, FIXED_LIST);
        Ok(ListPromptsResult { ttl_ms, cache_scope, ..ListPromptsResult::with_all_items(prompts) })
    }

    /// The SDK refuses it in a session that does not declare skills.
    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let (ttl_ms, cache_scope) = fresh(&context, FIXED_LIST);
        Ok(ListSkillsResult { ttl_ms, cache_scope, ..ListSkillsResult::with_all_items(skills::list()) })
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let skill = skills::get(&request.uri).ok_or_else(|| {
            ErrorData::invalid_params(format!("No skill has the URI \"{}\".", shorten(&request.uri, 200)), None)
        })?;
        let mut result = GetSkillResult::new(skill);
        (result.ttl_ms, result.cache_scope) = fresh(&context, FIXED_LIST);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.check_collections()?;
        let make = move |session: &Session, _: &Cancel| {
            let arguments = request.arguments.unwrap_or_default();
            prompts::get(session.engine(), session.read_id(), &request.name, &arguments)
        };
        let (description, text) = self.blocking(make).await.map_err(protocol_error)?;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(description).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match &request.r#ref {
            Reference::Resource(template) => self.check_resource(&template.uri)?,
            _ => self.check_collections()?,
        }
        let complete = move |session: &Session, _: &Cancel| {
            let known = request.context.and_then(|context| context.arguments).unwrap_or_default();
            let argument = (request.argument.name.as_str(), request.argument.value.as_str());
            completion::complete(session.engine(), session.read_id(), &request.r#ref, argument, &known)
        };
        Ok(CompleteResult::new(self.blocking(complete).await.map_err(protocol_error)?))
    }

    /// Receives requests that do not parse as the request that their method names.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        match request.method.as_str() {
            "tools/call" => match results::call_with_text(request.params.as_ref()) {
                Some(call) => results::custom(self.call_tool(call, context).await?),
                None => Err(results::malformed_call()),
            },
            method => Err(ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                format!("Unknown method: {}", shorten(method, 80)),
                None,
            )),
        }
    }
}

impl Server {
    pub fn new(session: Arc<Session>, transport: Transport) -> Self {
        let settings = session.settings();
        let offer = Offer::new(settings).for_user(session.member());
        let guard = Guard::new(settings.limits, session.recent_calls());
        Self { session, transport, offer, guard, subscriptions: Arc::default(), notifying: OnceLock::new() }
    }

    /// True if the space browser is offered. A team server offers it only to administrators, because it shows the disk.
    fn has_space(&self) -> bool {
        self.offer.has_space() && self.session.member().is_none_or(|member| member.has_disk())
    }

    /// Refuses to read collections in a session that offers no tool for them.
    fn check_collections(&self) -> Result<(), ErrorData> {
        let refusal =
            "This session offers no tools for collections; the user can start `casetrack mcp` with --toolsets core,….";
        if self.offer.has_collections() { Ok(()) } else { Err(ErrorData::invalid_params(refusal, None)) }
    }

    /// Refuses a resource whose tools the session does not offer.
    fn check_resource(&self, uri: &str) -> Result<(), ErrorData> {
        if !resources::synthesis::is_one(uri) {
            self.check_collections()?;
            // Notes of the user are for those who are offered the tools of evidence.
            return match Target::parse(uri) {
                Ok(Target::Evidence { .. }) if !self.offer.has(&["list_evidence"]) => {
                    let refusal = "This session does not offer evidence; the user can start `casetrack mcp` with --toolsets workbench,….";
                    Err(ErrorData::invalid_params(refusal, None))
                }
                _ => Ok(()),
            };
        }
        let refusal = "This session does not offer the space browser; the user can start `casetrack mcp` with --toolsets space,….";
        if self.has_space() { Ok(()) } else { Err(ErrorData::invalid_params(refusal, None)) }
    }
}

/// Name and version of the client, from the request or else the handshake.
fn client(context: &RequestContext<RoleServer>) -> String {
    let client = context.client_info().map(|client| format!("{} {}", client.name, client.version));
    shorten(&client.unwrap_or_default(), 100)
}

/// True if the client's version of the protocol has links to resources in the results of tools.
fn knows_links(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2025_06_18.as_str())
}
