//! The state of one client's session.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use casetrack_core::settings::{CallLimits, Settings, SummaryModel, ToolNames, Toolset};
use casetrack_core::{Cancel, CollectionId, CollectionMeta, Error, ErrorCode, ProgressSink, Result};
use casetrack_engine::file_search::{Completion, Prompt};
use casetrack_engine::rights::Role;
use casetrack_engine::{Engine, collections};
use tokio::sync::watch;

use crate::audit::AuditLog;
use crate::member::{Engines, Member, Need};
use crate::recent::RecentCalls;

/// One client's session. Its active collection lasts as long as it does.
pub struct Session {
    engine: Arc<Engine>,
    settings: Settings,
    active: watch::Sender<Option<CollectionId>>,
    /// The only collection, which a tool read because none was active. An answer named it.
    assumed: Mutex<Option<CollectionId>>,
    audit: Option<Arc<AuditLog>>,
    recent: Arc<RecentCalls>,
    /// The model of the client, if it offers one.
    client_model: OnceLock<Box<dyn LanguageModel>>,
    /// The model of the settings.
    own_model: Option<Arc<dyn LanguageModel>>,
    /// The engines of the user, on a team server.
    engines: Option<Engines>,
    /// Answers are for a program that shows them, not for a model that pays for each word.
    shows_all: bool,
}

/// A language model, which is asked only if the settings allow it.
pub trait LanguageModel: Send + Sync {
    /// Host and port of its server. `None` if the client asks the model.
    fn host(&self) -> Option<&str>;

    /// The model's answer to a prompt, at most `max_tokens` long. Blocks.
    ///
    /// Errors: [`ErrorCode::Network`](casetrack_core::ErrorCode::Network) if it fails or takes too long.
    fn complete(&self, prompt: &Prompt, max_tokens: u32, cancel: &Cancel) -> Result<Completion>;
}

/// The engine, session and progress of a call.
pub(crate) struct Context<'a> {
    pub engine: &'a Engine,
    pub session: &'a Session,
    pub progress: &'a ProgressSink,
    pub cancel: &'a Cancel,
    /// The client accepts a job as the answer and asks for its result itself.
    pub as_task: bool,
    /// The tool changes nothing.
    pub reads: bool,
    /// The only collection, if the tool has read it because none was active.
    pub assumed: OnceLock<CollectionMeta>,
    /// The host of a language model that the tool has asked.
    pub contacted: &'a OnceLock<String>,
}

impl Session {
    pub fn new(engine: Arc<Engine>, settings: Settings, active: Option<CollectionId>) -> Self {
        let active = watch::Sender::new(active);
        Self {
            engine,
            settings,
            active,
            assumed: Mutex::default(),
            audit: None,
            recent: Arc::default(),
            client_model: OnceLock::new(),
            own_model: None,
            engines: None,
            shows_all: false,
        }
    }

    /// Records the calls of an assistant, unless the settings forbid it.
    pub fn audited(self, log: Arc<AuditLog>) -> Self {
        let enabled = self.settings().audit.enabled;
        Self { audit: enabled.then_some(log), ..self }
    }

    /// Lets tools ask the model of the settings.
    pub fn asking(self, model: Option<Arc<dyn LanguageModel>>) -> Self {
        Self { own_model: model, ..self }
    }

    /// Counts the calls of a client with those of its other sessions.
    pub fn counted(self, recent: Arc<RecentCalls>) -> Self {
        Self { recent, ..self }
    }

    /// Limits the session to the rights of a user of a server.
    pub fn for_user(self, member: Arc<dyn Member>) -> Self {
        let engines = Engines::new(&self.engine, member, &self.settings.serve);
        let engine = Arc::clone(engines.of(Role::Reader));
        Self { engine, engines: Some(engines), ..self }
    }

    /// The user of a server who owns the session.
    pub(crate) fn member(&self) -> Option<&dyn Member> {
        self.engines.as_ref().map(|engines| &*engines.member)
    }

    /// The engine that a tool works with.
    ///
    /// Errors: the user of a server may not call the tool.
    pub(crate) fn engine_for(&self, tool: &str, need: Need) -> Result<&Engine> {
        match &self.engines {
            Some(engines) => engines.for_tool(tool, need).map(|engine| &**engine),
            None => Ok(&self.engine),
        }
    }

    /// For the workbench: all tools, and answers that are not cut. The limits of assistants do not apply to the user, except those on files.
    pub fn for_workbench(mut self) -> Self {
        self.settings.toolsets = Some(vec![Toolset::All, Toolset::Workbench]);
        self.settings.read_only = false;
        self.settings.tool_names = ToolNames::Literal;
        self.shows_all = true;
        self.settings.limits = CallLimits { calls_per_minute: 100_000, concurrent_calls: 64, result_chars: 10_000_000 };
        self
    }

    /// For the workbench of a user of a server: like [`for_workbench`](Self::for_workbench), but the administrator's read-only setting applies, and
    /// calls are limited.
    pub fn for_browser_of_user(self) -> Self {
        let read_only = self.settings.read_only;
        let mut session = self.for_workbench();
        session.settings.read_only = read_only;
        session.settings.limits.calls_per_minute = 6_000;
        session.settings.limits.concurrent_calls = 8;
        session
    }

    /// True if every answer is in full detail.
    pub(crate) fn shows_all(&self) -> bool {
        self.shows_all
    }

    pub(crate) fn audit(&self) -> Option<&AuditLog> {
        self.audit.as_deref()
    }

    pub(crate) fn recent_calls(&self) -> Arc<RecentCalls> {
        Arc::clone(&self.recent)
    }

    /// Sets the client's model, once.
    pub(crate) fn set_client_model(&self, model: Box<dyn LanguageModel>) {
        let _ = self.client_model.set(model);
    }

    /// The model of the settings, for all tools that use one.
    pub(crate) fn own_model(&self) -> Option<&dyn LanguageModel> {
        self.own_model.as_deref()
    }

    /// The model that writes summaries: that of the settings, or the client's if the settings allow it.
    pub(crate) fn summary_model(&self) -> Option<&dyn LanguageModel> {
        let may_ask_client = self.settings.summaries.model == SummaryModel::Client;
        let of_client = || self.client_model.get().filter(|_| may_ask_client).map(|model| &**model);
        self.own_model().or_else(of_client)
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    pub fn watch_active(&self) -> watch::Receiver<Option<CollectionId>> {
        self.active.subscribe()
    }

    pub(crate) fn set_active(&self, collection: CollectionId) {
        self.active.send_replace(Some(collection));
    }

    pub(crate) fn forget(&self, collection: CollectionId) {
        self.active.send_if_modified(|active| active.take_if(|active| *active == collection).is_some());
    }

    pub(crate) fn active_id(&self) -> Option<CollectionId> {
        *self.active.borrow()
    }

    /// The active collection, or the one that was [assumed](Context::active) for reading.
    pub(crate) fn read_id(&self) -> Option<CollectionId> {
        self.active_id().or_else(|| *self.assumed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the collection that was assumed. Returns whether it is another than before.
    pub(crate) fn assume(&self, collection: CollectionId) -> bool {
        self.assumed.lock().unwrap_or_else(PoisonError::into_inner).replace(collection) != Some(collection)
    }
}

impl Context<'_> {
    /// Asks a language model, which the audit log records.
    pub fn ask(&self, model: &dyn LanguageModel, prompt: &Prompt, max_tokens: u32) -> Result<Completion> {
        if let Some(host) = model.host() {
            let _ = self.contacted.set(host.to_owned());
        }
        model.complete(prompt, max_tokens, self.cancel)
    }

    /// The active collection; without one, a tool that changes nothing takes the only collection, which the answer names. Nothing is
    /// written to a collection that was not chosen. Errors if there is none, or if it no longer exists.
    pub fn active(&self) -> Result<CollectionMeta> {
        let Some(id) = self.session.active_id() else {
            let sole = collections::sole_collection(self.engine.host())?.ok_or_else(no_active_collection)?;
            if !self.reads {
                let only = casetrack_text::format::one_line(&sole.name);
                return Err(no_active_collection()
                    .with_hint(format!("The only collection is \"{only}\". Nothing was written: choose it first.")));
            }
            return Ok(self.assumed.get_or_init(|| sole).clone());
        };
        collections::find_collection(self.engine.host(), &id.to_string()).map_err(|error| {
            if error.code != ErrorCode::NotFound {
                return error;
            }
            self.session.forget(id);
            Error::new(ErrorCode::NotFound, format!("The active collection no longer exists (ID: {}).", id.short()))
                .with_hint("Find one with list_collections, then choose it with switch_collection.")
        })
    }
}

fn no_active_collection() -> Error {
    Error::new(
        ErrorCode::NoCollectionActive,
        "No active collection. Create or switch to a collection first:\n  \
         - create_collection: Create a new collection\n  \
         - switch_collection: Switch to an existing collection\n  \
         - list_collections: See all collections",
    )
}
