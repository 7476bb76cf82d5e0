//! Limits on the calls of some tools by one client, over all its sessions.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_text::format::counted;
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);
/// Above this number, clients and tools without a call in the last minute are forgotten.
const MANY: usize = 1_000;

/// Calls in the last minute of tools with limits of their own, by client. The owner has one instance, so several sessions of a client share one limit.
#[derive(Debug, Default)]
pub struct RecentCalls(Mutex<HashMap<(String, &'static str), VecDeque<Instant>>>);

impl RecentCalls {
    /// Exact: of any `most` + 1 calls of a client within a minute, one is refused.
    pub(crate) fn count(&self, client: &str, tool: &'static str, most: u32, now: Instant) -> Result<()> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |call: &Instant| now.duration_since(*call) < MINUTE;
        if recent.len() > MANY {
            recent.retain(|_, calls| calls.back().is_some_and(is_recent));
        }
        let calls = recent.entry((client.to_owned(), tool)).or_default();
        while calls.front().is_some_and(|call| !is_recent(call)) {
            calls.pop_front();
        }
        if calls.len() < most as usize {
            calls.push_back(now);
            return Ok(());
        }
        let wait = calls.front().map_or(MINUTE, |&call| MINUTE.saturating_sub(now.duration_since(call)));
        let most = counted(most.into(), "call");
        Err(too_many(format!("{tool} has reached its limit of {most} per minute."), wait.as_secs_f64().ceil() as u64))
    }
}

/// An error with the time to try again.
pub(crate) fn too_many(message: String, seconds: u64) -> Error {
    let hint = format!("Try again in {}.", counted(seconds.max(1), "second"));
    Error::new(ErrorCode::TooManyCalls, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use casetrack_text::Reader;

    use super::*;

    #[test]
    fn a_tool_with_a_limit_of_its_own_is_refused_to_a_client_at_the_next_call_within_any_minute() {
        let recent = RecentCalls::default();
        let start = Instant::now();
        let at = |tenths: u64| start + Duration::from_millis(100 * tenths);
        (0..60).for_each(|i| recent.count("a", "searchFiles", 60, at(i)).unwrap());
        let error = recent.count("a", "searchFiles", 60, at(60)).unwrap_err();
        assert_eq!(
            Reader::Assistant.error(&error),
            "searchFiles has reached its limit of 60 calls per minute.\n\nTry again in 54 seconds."
        );
        recent.count("a", "openFile", 30, at(60)).unwrap();
        recent.count("b", "searchFiles", 60, at(60)).unwrap();
        assert!(recent.count("a", "searchFiles", 60, at(599)).is_err());
        // One for each that is older than a minute; refused ones do not count.
        recent.count("a", "searchFiles", 60, at(600)).unwrap();
        assert!(recent.count("a", "searchFiles", 60, at(600)).is_err());
        recent.count("a", "searchFiles", 60, at(601)).unwrap();
    }

    #[test]
    fn clients_that_made_no_call_in_the_last_minute_are_forgotten() {
        let recent = RecentCalls::default();
        let start = Instant::now();
        (0..=MANY).for_each(|i| recent.count(&i.to_string(), "openFile", 30, start).unwrap());
        recent.count("last", "openFile", 30, start + MINUTE).unwrap();
        assert_eq!(recent.0.lock().unwrap().len(), 1);
    }
}
