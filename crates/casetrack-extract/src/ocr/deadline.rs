//! Computing time: the time of a thread on the processor, so that a busy machine makes no page unreadable.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// True once the thread that made it has computed long enough. Only that thread reads it.
pub(super) struct Deadline(Duration);

impl Deadline {
    pub fn after(time: Duration) -> Self {
        Self(thread_time().saturating_add(time))
    }

    pub fn left(&self) -> Duration {
        self.0.saturating_sub(thread_time())
    }

    pub fn is_over(&self) -> bool {
        thread_time() >= self.0
    }
}

/// The time that this thread has computed, from some beginning; if the system does not report it, the time that has
/// passed.
fn thread_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    computed().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed())
}

/// The first number of Linux' `schedstat` is the time on the processor in nanoseconds.
#[cfg(target_os = "linux")]
fn computed() -> Option<Duration> {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    schedule.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(not(target_os = "linux"))]
fn computed() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_takes_no_time_and_computing_does() {
        if computed().is_some() {
            let deadline = Deadline::after(Duration::from_millis(50));
            std::thread::sleep(Duration::from_millis(60));
            assert!(!deadline.is_over());
            while !deadline.is_over() {
                std::hint::spin_loop();
            }
        }
        assert!(Deadline::after(Duration::ZERO).is_over());
    }
}
