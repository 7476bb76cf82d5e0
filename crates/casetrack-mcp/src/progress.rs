//! Progress of a running tool, told to a client that asked for it.

use std::sync::Arc;

use casetrack_core::{Progress, ProgressSink};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::watch;

use crate::text::format::{counted, thousands};

/// The latest counts of a running operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Counts {
    /// Files to look at, once known.
    total: Option<u64>,
    files: u64,
    chunks: u64,
    /// Chunks counted when the last file was finished.
    chunks_at_file: u64,
}

impl Counts {
    fn apply(&mut self, event: &Progress) {
        match event {
            Progress::Discovered { files } => self.total = Some(*files),
            Progress::FileDone { files, chunks, .. } => {
                self.files = self.files.max(*files);
                self.chunks = self.chunks.max(*chunks);
                self.chunks_at_file = self.chunks;
            }
            Progress::Embedded { chunks } => self.chunks = self.chunks.max(*chunks),
        }
    }

    /// Finished files, plus a part of one that grows with the chunks embedded since: the protocol wants a value that
    /// increases with every notification, and a single large file would otherwise stay at zero.
    fn value(&self) -> f64 {
        let since = (self.chunks - self.chunks_at_file) as f64;
        self.files as f64 + since / (since + 100.0)
    }

    /// `12 of 47 files, 340 chunks`
    fn message(&self) -> String {
        let files = match self.total {
            Some(total) => format!("{} of {}", thousands(self.files), counted(total, "file")),
            None => counted(self.files, "file"),
        };
        format!("{files}, {}", counted(self.chunks, "chunk"))
    }

    /// The notification of these counts.
    pub fn notification(&self, token: ProgressToken) -> ProgressNotificationParam {
        let notification = ProgressNotificationParam::new(token, self.value()).with_message(self.message());
        match self.total {
            Some(total) => notification.with_total(total as f64),
            None => notification,
        }
    }
}

/// A sink that never blocks, and the counts that its events add up to.
pub(crate) fn channel() -> (ProgressSink, watch::Receiver<Counts>) {
    let (sender, receiver) = watch::channel(Counts::default());
    let sink: ProgressSink = Arc::new(move |event| sender.send_modify(|counts| counts.apply(&event)));
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
