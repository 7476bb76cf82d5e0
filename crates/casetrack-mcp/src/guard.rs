//! How much one session may ask for: calls per minute, and calls at the same time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_text::format::counted;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::settings::CallLimits;

/// Longest wait for another call of the session to end: less than clients wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time that limits of tools are for.
const MINUTE: Duration = Duration::from_secs(60);

pub(crate) struct Guard {
    limits: CallLimits,
    slots: Semaphore,
    patience: Duration,
    bucket: Mutex<Bucket>,
    /// Of tools with a limit of their own, when they were called within the last minute.
    tools: Mutex<HashMap<&'static str, VecDeque<Instant>>>,
}

/// A token bucket: it holds what one minute allows and fills evenly.
struct Bucket {
    calls: f64,
    filled: Instant,
}

impl Guard {
    pub fn new(limits: CallLimits) -> Self {
        let bucket = Bucket { calls: f64::from(limits.calls_per_minute), filled: Instant::now() };
        Self {
            limits,
            slots: Semaphore::new(limits.concurrent_calls as usize),
            patience: PATIENCE,
            bucket: Mutex::new(bucket),
            tools: Mutex::default(),
        }
    }

    /// Counts a call of a tool that may be called so often within any 60 seconds. A call that is refused does not count.
    ///
    /// Errors: [`ErrorCode::TooManyCalls`], which says when to try again.
    pub fn count_of(&self, tool: &'static str, per_minute: Option<u32>) -> Result<()> {
        per_minute.map_or(Ok(()), |most| self.count_of_at(tool, most, Instant::now()))
    }

    fn count_of_at(&self, tool: &'static str, most: u32, now: Instant) -> Result<()> {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = tools.entry(tool).or_default();
        while calls.front().is_some_and(|called| now.duration_since(*called) >= MINUTE) {
            calls.pop_front();
        }
        let Some(first) = calls.front().copied().filter(|_| calls.len() >= most as usize) else {
            calls.push_back(now);
            return Ok(());
        };
        let seconds = MINUTE.saturating_sub(now.duration_since(first)).as_secs_f64().ceil().max(1.0);
        let wait = counted(seconds as u64, "second");
        Err(Error::new(ErrorCode::TooManyCalls, format!("{tool} may be called {most} times a minute."))
            .with_hint(format!("Try again in {wait}.")))
    }

    /// Lets a call begin; it is running as long as the permit lives.
    ///
    /// Errors: [`ErrorCode::TooManyCalls`], which says when to try again.
    pub async fn enter(&self) -> Result<SemaphorePermit<'_>> {
        self.count(Instant::now())?;
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
        let seconds = ((1.0 - bucket.calls) / each_second).ceil().max(1.0);
        let message = format!(
            "This session has reached its limit of {} per minute.",
            counted(self.limits.calls_per_minute.into(), "call")
        );
        let wait = counted(seconds as u64, "second");
        Err(Error::new(ErrorCode::TooManyCalls, message).with_hint(format!("Try again in {wait}.")))
    }
}

#[cfg(test)]
mod tests {
    use casetrack_core::ErrorKind;
    use casetrack_text::Reader;

    use super::*;

    #[test]
    fn calls_are_counted_by_the_minute() {
        let guard = Guard::new(CallLimits { calls_per_minute: 30, ..CallLimits::default() });
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
    fn a_tool_with_a_limit_of_its_own_is_refused_at_the_next_call_within_a_minute() {
        let guard = Guard::new(CallLimits::default());
        let begin = Instant::now();
        for n in 0..60 {
            guard.count_of_at("searchFiles", 60, begin + Duration::from_millis(n * 500)).unwrap();
        }
        let error = guard.count_of_at("searchFiles", 60, begin + Duration::from_secs(30)).unwrap_err();
        assert_eq!(error.full_text(), "searchFiles may be called 60 times a minute.\n\nTry again in 30 seconds.");
        guard.count_of_at("openFile", 30, begin).unwrap();
        guard.count_of_at("searchFiles", 60, begin + MINUTE).unwrap();
        assert!(guard.count_of_at("searchFiles", 60, begin + MINUTE).is_err());
        guard.count_of("listRoots", None).unwrap();
    }

    #[tokio::test]
    async fn calls_wait_for_each_other_but_not_forever() {
        let mut guard = Guard::new(CallLimits { concurrent_calls: 1, ..CallLimits::default() });
        guard.patience = Duration::from_millis(50);
        let first = guard.enter().await.unwrap();
        let error = guard.enter().await.unwrap_err();
        assert_eq!(error.message, "This session already has 1 call running, which is its limit.");
        // Polled first, the second call waits until the first has ended.
        let (second, ()) = tokio::join!(biased; guard.enter(), async move { drop(first) });
        drop(second.unwrap());
    }
}
