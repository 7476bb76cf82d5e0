//! The common path of all tool calls.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Instant;

use casetrack_core::{Cancel, Error, ProgressSink, Result};
use casetrack_text::format::one_line;
use serde_json::Value;

use crate::answer::{self, ToolOutput};
use crate::arguments;
use crate::session::{Context, Session};
use crate::table::{self, Entry};

impl Session {
    /// Calls a tool and blocks until it is done. A panic inside it becomes an [`ErrorCode::Internal`] error.
    ///
    /// `arguments` is an object, or null for none. `cancel` ends the wait for a job, not the job; other tools are too short to check
    /// it. `as_task` is true if the client accepts a job as the answer.
    pub fn call(
        &self,
        tool: &str,
        arguments: Value,
        progress: &ProgressSink,
        cancel: &Cancel,
        as_task: bool,
    ) -> Result<ToolOutput> {
        self.call_entry(table::find(tool)?, arguments, progress, cancel, as_task, &OnceLock::new())
    }

    pub(crate) fn call_entry(
        &self,
        tool: &Entry,
        arguments: Value,
        progress: &ProgressSink,
        cancel: &Cancel,
        as_task: bool,
        contacted: &OnceLock<String>,
    ) -> Result<ToolOutput> {
        let engine = self.engine_for(tool.name, tool.row.need)?;
        let expected = tool.expected();
        let mut arguments = arguments;
        if tool.has_detail() {
            answer::read_earlier(&mut arguments);
        }
        let arguments = arguments::check(expected, arguments)?;
        let reads = expected.reads;
        let assumed = OnceLock::new();
        let context = Context { engine, session: self, progress, cancel, as_task, reads, assumed, contacted };
        let started = Instant::now();
        let mut result = catch_unwind(AssertUnwindSafe(|| (tool.handler)(&context, arguments)))
            .unwrap_or_else(|panic| Err(panicked(tool.name, panic.as_ref())));
        if let (Ok(output), Some(assumed)) = (&mut result, context.assumed.get())
            && self.assume(assumed.id)
        {
            let name = one_line(&assumed.name);
            let note = format!(
                "No collection is active, so this answer is about the only one, \"{name}\". Choose it with switch_collection before you change anything."
            );
            output.text = format!("{note}\n\n{}", output.text);
        }
        let outcome = result.as_ref().map_or_else(|error| error.code.name(), |_| "ok");
        tracing::debug!(tool = tool.name, outcome, elapsed_ms = started.elapsed().as_millis() as u64, "tool call");
        result
    }
}

fn panicked(tool: &str, panic: &(dyn Any + Send)) -> Error {
    let reason = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::internal(format!("{tool} failed: {}", reason.unwrap_or("panic without a message")))
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorCode;

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
