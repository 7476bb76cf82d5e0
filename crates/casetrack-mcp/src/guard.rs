//! Limits on calls: per minute and at the same time by one session, and of some tools by one client.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_text::format::counted;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::recent::{RecentCalls, too_many};
use crate::table::Entry;
use casetrack_core::settings::CallLimits;

/// Longest wait for another call of the session to end: less than clients wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Guard {
    limits: CallLimits,
    slots: Semaphore,
    patience: Duration,
    bucket: Mutex<Bucket>,
    recent: Arc<RecentCalls>,
}

/// A token bucket: it holds the allowance of one minute and fills evenly.
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

    /// Admits a client's call of a tool, which is running as long as the permit lives.
    ///
    /// Errors: [`ErrorCode::TooManyCalls`], with the time to try again.
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
