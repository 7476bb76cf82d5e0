//! Work in the background that leaves the machine usable: embedding rests between small batches.

use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::Cancel;

/// Most of the time that is spent resting, in percent.
const MAX_PERCENT: u8 = 90;
/// Chunks embedded between two rests: well under a second of work, so that the machine never stays busy for long.
const BATCH_CHUNKS: usize = 8;
/// The time between two checks for cancellation.
const POLL: Duration = Duration::from_millis(50);

/// How much of the time embedding rests.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pace {
    percent: u8,
}

impl Pace {
    /// Rests `percent` of the time, from 0 to 90; more counts as 90.
    pub fn resting(percent: u8) -> Self {
        Self { percent: percent.min(MAX_PERCENT) }
    }

    /// Chunks embedded at a time, of `most`.
    pub fn batch(self, most: usize) -> usize {
        if self.percent == 0 { most } else { BATCH_CHUNKS.min(most) }
    }

    /// Rests after work that took so long; cancelling ends it.
    pub fn rest(self, worked: Duration, cancel: &Cancel) {
        let share = f64::from(self.percent) / 100.0;
        let end = Instant::now() + worked.mul_f64(share / (1.0 - share));
        while !cancel.is_cancelled() && Instant::now() < end {
            thread::sleep(POLL.min(end.saturating_duration_since(Instant::now())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_a_share_of_the_time_after_small_batches() {
        let cancel = Cancel::default();
        let rested = |percent| {
            let started = Instant::now();
            Pace::resting(percent).rest(Duration::from_millis(20), &cancel);
            started.elapsed()
        };
        assert!(rested(50) >= Duration::from_millis(20));
        assert!(rested(75) >= Duration::from_millis(60));
        assert_eq!((Pace::resting(0).batch(64), Pace::resting(10).batch(64), Pace::resting(10).batch(3)), (64, 8, 3));
        assert_eq!(Pace::resting(100).percent, 90);
    }

    #[test]
    fn cancelling_ends_a_rest() {
        let cancel = Cancel::default();
        cancel.cancel();
        let started = Instant::now();
        Pace::resting(90).rest(Duration::from_secs(3600), &cancel);
        assert!(started.elapsed() < Duration::from_secs(600));
    }
}
