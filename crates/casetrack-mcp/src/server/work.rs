//! Runs tools and other work of requests on threads that may block.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use casetrack_core::{Cancel, Error, Result};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::time::MissedTickBehavior;

use super::Server;
use crate::answer::ToolOutput;
use crate::session::Session;
use crate::{progress, table};

/// Shortest time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

impl Server {
    /// Runs a tool that is offered, once the session may make another call.
    pub(super) async fn admitted(
        &self,
        tool: &'static table::Entry,
        arguments: Value,
        context: &RequestContext<RoleServer>,
        as_task: bool,
        contacted: Arc<OnceLock<String>>,
    ) -> Result<ToolOutput> {
        // A call that is refused counts as well.
        let _permit = self.guard.enter(&self.counted_as(context), tool).await?;
        self.offer.check(tool)?;
        self.run(tool, arguments, context, as_task, contacted).await
    }

    /// Runs something on a thread that may block; dropping this future cancels it.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Session, &Cancel) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let cancel = Cancel::default();
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        let session = Arc::clone(&self.session);
        let done = tokio::task::spawn_blocking(move || work(&session, &cancel)).await;
        done.unwrap_or_else(|error| Err(Error::internal(format!("The request was aborted: {error}"))))
    }

    /// Runs a tool on a thread that may block, and passes on progress and cancellation.
    pub(super) async fn run(
        &self,
        tool: &'static table::Entry,
        arguments: Value,
        context: &RequestContext<RoleServer>,
        as_task: bool,
        contacted: Arc<OnceLock<String>>,
    ) -> Result<ToolOutput> {
        let cancel = Cancel::default();
        // The transport drops this future when it shuts down; the thread must then stop too.
        let _cancel_on_drop = CancelOnDrop(cancel.clone());
        let (sink, mut counts) = progress::channel();
        let mut call = {
            let (session, cancel) = (Arc::clone(&self.session), cancel.clone());
            tokio::task::spawn_blocking(move || {
                session.call_entry(tool, arguments, &sink, &cancel, as_task, &contacted)
            })
        };
        let token = context.meta.get_progress_token();
        let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                finished = &mut call => {
                    return finished.unwrap_or_else(|error| Err(Error::internal(format!("{} was aborted: {error}", tool.name))));
                }
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                _ = ticks.tick(), if token.is_some() => {
                    let news = counts.has_changed().unwrap_or(false).then(|| *counts.borrow_and_update());
                    if let (Some(counts), Some(token)) = (news, token.clone()) {
                        // A client that cannot be notified of progress can still be answered.
                        let _ = context.peer.notify_progress(counts.notification(token)).await;
                    }
                }
            }
        }
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
