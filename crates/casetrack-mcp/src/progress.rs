//! Progress notifications of a running tool, for clients that ask for them.

use std::sync::Arc;
use std::time::Instant;

use casetrack_core::{Progress, ProgressSink, ProgressTotals};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::watch;

use casetrack_text::format::{counted, thousands};

/// The latest counts of a running operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    totals: ProgressTotals,
    /// Chunks counted when the last file was finished.
    chunks_at_file: u64,
    /// The time and number of the first count of chunks: a job may have been running before.
    first: Option<(Instant, u64)>,
}

impl Counts {
    fn apply(&mut self, event: &Progress) {
        self.totals.add(event);
        if matches!(event, Progress::FileDone { .. } | Progress::Joined(_)) {
            self.chunks_at_file = self.totals.chunks;
        }
        if matches!(event, Progress::Embedded { .. } | Progress::Joined(_)) {
            self.first.get_or_insert((Instant::now(), self.totals.chunks));
        }
    }

    /// Chunks per second, once it can be measured.
    fn rate(&self) -> Option<f64> {
        let (since, chunks) = self.first?;
        let (made, elapsed) = (self.totals.chunks.checked_sub(chunks)?, since.elapsed().as_secs_f64());
        (made > 0 && elapsed > 0.5).then(|| made as f64 / elapsed)
    }

    /// Finished files, plus a part of one that grows with the chunks embedded since: the protocol wants a value that
    /// increases with every notification, and a single large file would otherwise stay at zero.
    fn value(&self) -> f64 {
        let since = (self.totals.chunks - self.chunks_at_file) as f64;
        self.totals.files as f64 + since / (since + 100.0)
    }

    /// `12 of 47 files, 340 chunks, 21.3 chunks/s`
    fn message(&self) -> String {
        let files = match self.totals.total {
            Some(total) => format!("{} of {}", thousands(self.totals.files), counted(total, "file")),
            None => counted(self.totals.files, "file"),
        };
        let rate = self.rate().map(|rate| format!(", {rate:.1} chunks/s")).unwrap_or_default();
        format!("{files}, {}{rate}", counted(self.totals.chunks, "chunk"))
    }

    pub fn notification(&self, token: ProgressToken) -> ProgressNotificationParam {
        let notification = ProgressNotificationParam::new(token, self.value()).with_message(self.message());
        match self.totals.total {
            Some(total) => notification.with_total(total as f64),
            None => notification,
        }
    }
}

/// A sink that never blocks, and the counts that its events add up to.
pub(crate) fn channel() -> (ProgressSink, watch::Receiver<Counts>) {
    let (sender, receiver) =
        watch::channel(Counts { totals: ProgressTotals::default(), chunks_at_file: 0, first: None });
    let sink: ProgressSink = Arc::new(move |event| {
        // It changes no count, and each notification must have a greater value.
        if !matches!(event, Progress::Reading { .. } | Progress::ToEmbed { .. }) {
            sender.send_modify(|counts| counts.apply(&event));
        }
    });
    (sink, receiver)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_value_increases_with_every_event_and_the_message_counts_files_and_chunks() {
        let (sink, counts) = channel();
        let done = |files, chunks| Progress::FileDone { path: PathBuf::new(), problem: None, files, chunks };
        let events = [
            Progress::Discovered { files: 47 },
            Progress::Embedded { chunks: 32 },
            Progress::Embedded { chunks: 10_000 },
            done(1, 10_000),
            Progress::Embedded { chunks: 10_032 },
            done(2, 10_032),
            done(12, 10_340),
        ];
        let mut last = -1.0;
        for event in events {
            sink(event);
            let value = counts.borrow().value();
            assert!(value > last, "{value} after {last}");
            last = value;
        }
        let notification = counts.borrow().notification(ProgressToken(rmcp::model::NumberOrString::Number(1)));
        assert_eq!(notification.message.as_deref(), Some("12 of 47 files, 10,340 chunks"));
        assert_eq!((notification.progress, notification.total), (12.0, Some(47.0)));
    }
}
