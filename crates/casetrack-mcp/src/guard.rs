//! How much may be asked for: calls per minute and calls at the same time by one session, and calls of some tools by one client.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_text::format::counted;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::settings::CallLimits;
use crate::table::Entry;

/// Longest wait for another call of the session to end: less than clients wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time that limits of tools are for.
const MINUTE: Duration = Duration::from_secs(60);
/// Clients and tools beyond which those that made no call in the last minute are forgotten.
const MANY: usize = 1_000;

/// When each client called the tools that have limits of their own, in the last minute. The owner has one: a client that opens several sessions,
/// or one after another, does not get more.
#[derive(Debug, Default)]
pub struct RecentCalls(Mutex<HashMap<(String, &'static str), VecDeque<Instant>>>);

impl RecentCalls {
    /// Exact: of any `most` + 1 calls of a client within a minute, one is refused.
    fn count(&self, client: &str, tool: &'static str, most: u32, now: Instant) -> Result<()> {
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

pub(crate) struct Guard {
    limits: CallLimits,
    slots: Semaphore,
    patience: Duration,
    bucket: Mutex<Bucket>,
    recent: Arc<RecentCalls>,
}

/// A token bucket: it holds what one minute allows and fills evenly.
struct Bucket {
    calls: f64,
    filled: Instant,
}

impl Guard {
    pub fn new(limits: CallLimits, recent: Arc<RecentCalls>) -> Self {
        let bucket = Bucket { calls: f64::from(limits.calls_per_minute), filled: Instant::now() };
        Self {
            limits,
            slots: Semaphore::new(limits.concurrent_calls as usize),
            patience: PATIENCE,
            bucket: Mutex::new(bucket),
            recent,
        }
    }

    /// Lets a client's call of a tool begin; it is running as long as the permit lives.
    ///
    /// Errors: [`ErrorCode::TooManyCalls`], which says when to try again.
    pub async fn enter(&self, client: &str, tool: &Entry) -> Result<SemaphorePermit<'_>> {
        let now = Instant::now();
        self.count(now)?;
        if let Some(most) = tool.calls_per_minute {
            self.recent.count(client, tool.name, most, now)?;
        }
        match tokio::time::timeout(self.patience, self.slots.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => {
                let running = counted(self.limits.concurrent_calls.into(), "call");
                let message = format!("This session already has {running} running, which is its limit.");
                Err(Error::new(ErrorCode::TooManyCalls, message).with_hint("Try again when a call has been answered."))
            }
        }
    }

    fn count(&self, now: Instant) -> Result<()> {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let most = f64::from(self.limits.calls_per_minute);
        let each_second = most / 60.0;
        bucket.calls = most.min(bucket.calls + now.duration_since(bucket.filled).as_secs_f64() * each_second);
        bucket.filled = now;
        if bucket.calls >= 1.0 {
            bucket.calls -= 1.0;
            return Ok(());
        }
        let seconds = ((1.0 - bucket.calls) / each_second).ceil();
        let message = format!(
            "This session has reached its limit of {} per minute.",
            counted(self.limits.calls_per_minute.into(), "call")
        );
        Err(too_many(message, seconds as u64))
    }
}

fn too_many(message: String, seconds: u64) -> Error {
    let hint = format!("Try again in {}.", counted(seconds.max(1), "second"));
    Error::new(ErrorCode::TooManyCalls, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorKind;
    use casetrack_text::Reader;

    use super::*;

    #[test]
    fn calls_are_counted_by_the_minute() {
        let limits = CallLimits { calls_per_minute: 30, ..CallLimits::default() };
        let guard = Guard::new(limits, Arc::default());
        let now = Instant::now();
        (0..30).for_each(|_| guard.count(now).unwrap());
        let error = guard.count(now).unwrap_err();
        assert_eq!(
            Reader::Assistant.error(&error),
            "This session has reached its limit of 30 calls per minute.\n\nTry again in 2 seconds."
        );
        assert_eq!(error.kind(), ErrorKind::User);
        assert_eq!(ErrorCode::from_name(error.code.name()), ErrorCode::TooManyCalls);
        let later = now + Duration::from_millis(2_100);
        guard.count(later).unwrap();
        assert_eq!(guard.count(later).unwrap_err().code, ErrorCode::TooManyCalls);
    }

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

    #[tokio::test]
    async fn calls_wait_for_each_other_but_not_forever() {
        let limits = CallLimits { concurrent_calls: 1, ..CallLimits::default() };
        let mut guard = Guard::new(limits, Arc::default());
        guard.patience = Duration::from_millis(50);
        let tool = crate::table::find("get_status").unwrap();
        let first = guard.enter("test", tool).await.unwrap();
        let error = guard.enter("test", tool).await.unwrap_err();
        assert_eq!(error.message, "This session already has 1 call running, which is its limit.");
        // Polled first, the second call waits until the first has ended.
        let (second, ()) = tokio::join!(biased; guard.enter("test", tool), async move { drop(first) });
        drop(second.unwrap());
    }
}
