//! The state of one client's session, and the way every tool call takes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use casetrack_core::{Cancel, CollectionId, CollectionMeta, Error, ErrorCode, ProgressSink, Result};
use casetrack_engine::Engine;
use serde_json::Value;
use tokio::sync::watch;

use crate::audit::AuditLog;
use crate::settings::Settings;
use crate::{arguments, table};

/// The answer of a tool, for people and for programs. Each form is at most as long as the settings say, and marks the words of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    pub text: String,
    /// Follows the tool's output schema; always an object.
    pub structured: Value,
}

/// One client's session. Its active collection lasts as long as it does.
pub struct Session {
    engine: Arc<Engine>,
    settings: Settings,
    active: watch::Sender<Option<CollectionId>>,
    /// Where the calls of assistants are recorded, if at all.
    audit: Option<Arc<AuditLog>>,
}

/// What a tool works with.
pub(crate) struct Context<'a> {
    pub engine: &'a Engine,
    pub session: &'a Session,
    pub progress: &'a ProgressSink,
    pub cancel: &'a Cancel,
    /// The client accepts a job as the answer and asks for its result itself.
    pub as_task: bool,
}

impl Session {
    pub fn new(engine: Arc<Engine>, settings: Settings, active: Option<CollectionId>) -> Self {
        Self { engine, settings, active: watch::Sender::new(active), audit: None }
    }

    /// Records what an assistant calls, unless the settings say otherwise.
    pub fn audited(self, log: Arc<AuditLog>) -> Self {
        let enabled = self.settings().audit.enabled;
        Self { audit: enabled.then_some(log), ..self }
    }

    pub(crate) fn audit(&self) -> Option<&AuditLog> {
        self.audit.as_deref()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The active collection and its changes.
    pub fn watch_active(&self) -> watch::Receiver<Option<CollectionId>> {
        self.active.subscribe()
    }

    /// Calls a tool and blocks until it is done. A panic inside it becomes an [`ErrorCode::Internal`] error.
    ///
    /// `arguments` is an object, or null for none. `cancel` ends the wait for a job, not the job; other tools are too short to check
    /// it. `as_task` is whether the client accepts a job as the answer.
    pub fn call(
        &self,
        tool: &str,
        arguments: Value,
        progress: &ProgressSink,
        cancel: &Cancel,
        as_task: bool,
    ) -> Result<ToolOutput> {
        let tool = table::find(tool)?;
        let arguments = arguments::check(tool.name, &tool.input_schema, arguments)?;
        let context = Context { engine: &self.engine, session: self, progress, cancel, as_task };
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| (tool.handler)(&context, arguments)))
            .unwrap_or_else(|panic| Err(panicked(tool.name, panic.as_ref())));
        let outcome = result.as_ref().map_or_else(|error| error.code.name(), |_| "ok");
        tracing::debug!(tool = tool.name, outcome, elapsed_ms = started.elapsed().as_millis() as u64, "tool call");
        result
    }

    pub(crate) fn set_active(&self, collection: CollectionId) {
        self.active.send_replace(Some(collection));
    }

    /// Clears the active collection if it is this one.
    pub(crate) fn forget(&self, collection: CollectionId) {
        self.active.send_if_modified(|active| active.take_if(|active| *active == collection).is_some());
    }

    pub(crate) fn active_id(&self) -> Option<CollectionId> {
        *self.active.borrow()
    }
}

impl Context<'_> {
    /// The active collection. Errors if there is none, or if it no longer exists.
    pub fn active(&self) -> Result<CollectionMeta> {
        let Some(id) = self.session.active_id() else {
            // The only collection is meant.
            let sole = self.engine.sole_collection()?.ok_or_else(no_active_collection)?;
            self.session.set_active(sole.id);
            return Ok(sole);
        };
        self.engine.find_collection(&id.to_string()).map_err(|error| {
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

fn panicked(tool: &str, panic: &(dyn Any + Send)) -> Error {
    let reason = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::internal(format!("{tool} failed: {}", reason.unwrap_or("panic without a message")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_asks_for_a_report() {
        for (panic, reason) in [
            (catch_unwind(|| panic!("plain")).unwrap_err(), "get_chunk failed: plain"),
            (catch_unwind(|| panic!("formatted {}", 1)).unwrap_err(), "get_chunk failed: formatted 1"),
        ] {
            let error = panicked("get_chunk", panic.as_ref());
            assert_eq!((error.code, error.message.as_str()), (ErrorCode::Internal, reason));
        }
    }
}
