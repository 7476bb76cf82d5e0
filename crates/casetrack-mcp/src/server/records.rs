//! The records of a call in the audit log and the metrics.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use casetrack_core::{ErrorCode, Result, Timestamp};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};

use super::{Server, Transport, client};
use crate::answer::ToolOutput;
use crate::table::Entry;
use crate::{audit, metrics};

pub(super) struct CallRecord {
    tool: &'static Entry,
    client: String,
    traceparent: Option<String>,
    arguments: Vec<String>,
    queries: Map<String, Value>,
    started: Instant,
    contacted: Arc<OnceLock<String>>,
}

impl CallRecord {
    /// The place for the host of a language model that the call asks.
    pub fn contacted(&self) -> Arc<OnceLock<String>> {
        Arc::clone(&self.contacted)
    }
}

impl Server {
    /// The name under which calls are counted. Over HTTP it is the user of a server, not the name that a session gives.
    pub(super) fn counted_as(&self, context: &RequestContext<RoleServer>) -> String {
        match self.transport {
            Transport::Stdio => format!("stdio {}", context.client_info().map(|info| info.name).unwrap_or_default()),
            Transport::Http => match self.session.member() {
                Some(member) => format!("http {}", member.user()),
                None => "http".to_owned(),
            },
        }
    }

    pub(super) fn begin_record(
        &self,
        tool: &'static Entry,
        arguments: Option<&Map<String, Value>>,
        context: &RequestContext<RoleServer>,
    ) -> CallRecord {
        let started = Instant::now();
        // The log is not encrypted, and a query may be about a vault, also about one that is still locked.
        let with_queries = self.session.settings().audit.queries && !self.session.engine().host().has_vaults();
        let (arguments, queries) = audit::arguments(arguments, &tool.input_schema, with_queries);
        let traceparent = audit::traceparent(context.meta.get_traceparent());
        let contacted = Arc::default();
        CallRecord { tool, client: client(context), traceparent, arguments, queries, started, contacted }
    }

    pub(super) fn record(&self, call: CallRecord, result: &Result<ToolOutput>) {
        let CallRecord { tool, client, traceparent, arguments, queries, started, contacted } = call;
        let outcome = result.as_ref().map_or_else(|error| error.code.name(), |_| "ok");
        metrics::record(tool.name, outcome, started.elapsed());
        let is_too_many = result.as_ref().is_err_and(|error| error.code == ErrorCode::TooManyCalls);
        // Of a server's users, whose calls beyond the limit must not push the others out of the log.
        if let (true, Some(member)) = (is_too_many, self.session.member()) {
            member.record_refusal(outcome);
        } else if let Some(log) = self.session.audit() {
            log.record(&audit::Call {
                time: Timestamp::now(),
                user: self.session.member().map(|member| member.user().to_owned()),
                client,
                transport: self.transport.name(),
                tool: tool.name,
                traceparent,
                arguments,
                queries,
                collection: self.session.active_id(),
                language_model: contacted.get().cloned(),
                outcome,
                ms: (started.elapsed().as_micros() as f64) / 1000.0,
                counts: result.as_ref().map(|output| audit::counts(&output.structured)).unwrap_or_default(),
            });
        }
    }
}
