//! Refused logins and calls in the audit log: a bounded number of lines each minute, so that nobody can push the other lines out of it.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::Timestamp;
use serde::Serialize;

use crate::audit::AuditLog;

const MINUTE: Duration = Duration::from_secs(60);
/// Lines in a minute. How many more there were is said in the next one.
const MOST: u32 = 60;

#[derive(Serialize)]
struct Line<'a> {
    time: Timestamp,
    event: &'static str,
    reason: &'a str,
    /// Who it was, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    /// Refusals before it that have no line.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Default)]
struct Counted {
    since: Option<Instant>,
    lines: u32,
    left_out: u64,
}

/// See the module.
pub(crate) struct Refusals {
    log: Option<Arc<AuditLog>>,
    counted: Mutex<Counted>,
}

impl Refusals {
    /// Records nothing without a log.
    pub fn new(log: Option<Arc<AuditLog>>) -> Self {
        Self { log, counted: Mutex::default() }
    }

    pub fn record(&self, reason: &str, user: Option<&str>, address: Option<IpAddr>) {
        if let (Some(log), Some(left_out)) = (&self.log, self.count(Instant::now())) {
            log.record(&Line { time: Timestamp::now(), event: "refused", reason, user, address, left_out });
        }
    }

    /// How many were left out before this one; `None` where it is left out, too.
    fn count(&self, now: Instant) -> Option<u64> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.since.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            counted.since = Some(now);
            counted.lines = 0;
        }
        if counted.lines == MOST {
            counted.left_out += 1;
            return None;
        }
        counted.lines += 1;
        Some(std::mem::take(&mut counted.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_the_rest_is_counted() {
        let (refusals, now) = (Refusals::new(None), Instant::now());
        assert!((0..MOST).all(|_| refusals.count(now) == Some(0)));
        assert!((0..7).all(|_| refusals.count(now + MINUTE / 2).is_none()));
        assert_eq!(refusals.count(now + MINUTE), Some(7));
        assert_eq!(refusals.count(now + MINUTE), Some(0));
    }
}
