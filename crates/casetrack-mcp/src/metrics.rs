//! Counts of the tool calls of this process, as text for Prometheus (exposition format 0.0.4). They name tools and outcomes, and nothing of questions
//! or answers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Calls with their time in seconds, by tool and outcome.
type Calls = BTreeMap<(&'static str, &'static str), (u64, f64)>;

static CALLS: Mutex<Calls> = Mutex::new(BTreeMap::new());

/// Counts a call. The outcome is `ok` or the name of an error's code.
pub(crate) fn record(tool: &'static str, outcome: &'static str, time: Duration) {
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let (count, seconds) = calls.entry((tool, outcome)).or_default();
    *count += 1;
    *seconds += time.as_secs_f64();
}

/// All counts. `sessions` are those that are open over HTTP.
pub fn text(sessions: usize) -> String {
    written(&CALLS.lock().unwrap_or_else(PoisonError::into_inner), sessions)
}

fn written(calls: &Calls, sessions: usize) -> String {
    let mut text = String::from(
        "# HELP casetrack_http_sessions Sessions that are open over HTTP.\n# TYPE casetrack_http_sessions gauge\n",
    );
    let _ = writeln!(text, "casetrack_http_sessions {sessions}");
    text.push_str("# HELP casetrack_tool_calls_total Calls of tools.\n# TYPE casetrack_tool_calls_total counter\n");
    for ((tool, outcome), (count, _)) in calls {
        let _ = writeln!(text, "casetrack_tool_calls_total{{tool=\"{tool}\",outcome=\"{outcome}\"}} {count}");
    }
    text.push_str(
        "# HELP casetrack_tool_seconds_total Time until the answers to calls.\n# TYPE casetrack_tool_seconds_total counter\n",
    );
    for ((tool, outcome), (_, seconds)) in calls {
        let _ = writeln!(text, "casetrack_tool_seconds_total{{tool=\"{tool}\",outcome=\"{outcome}\"}} {seconds:.6}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_lines_with_their_tool_and_outcome() {
        let calls = Calls::from([(("openFile", "ok"), (2, 0.25)), (("searchFiles", "access_denied"), (1, 0.001))]);
        let text = written(&calls, 3);
        for line in [
            "casetrack_http_sessions 3",
            "# TYPE casetrack_tool_calls_total counter",
            "casetrack_tool_calls_total{tool=\"openFile\",outcome=\"ok\"} 2",
            "casetrack_tool_calls_total{tool=\"searchFiles\",outcome=\"access_denied\"} 1",
            "casetrack_tool_seconds_total{tool=\"openFile\",outcome=\"ok\"} 0.250000",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
        record("listRoots", "ok", Duration::from_millis(1));
        assert!(super::text(0).contains("tool=\"listRoots\""));
    }
}
