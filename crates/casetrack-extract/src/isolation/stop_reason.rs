use casetrack_core::{Action, Error, ErrorCode, FileLimit, Hint, Result, hint};
use casetrack_pages::model::split_or_raise;

/// The reason for which a worker ended before it had finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    Time(u64),
    Memory(u64),
    Output,
    Cancelled,
    /// By itself: the parser crashed.
    Crashed(String),
}

impl StopReason {
    pub fn on_page(&self) -> String {
        match self {
            StopReason::Time(seconds) => format!("it took more than {seconds} seconds of computing"),
            StopReason::Memory(megabytes) => format!("it took more than {megabytes} MB of memory"),
            StopReason::Crashed(how) => format!("its parser crashed ({how})"),
            StopReason::Output | StopReason::Cancelled => "reading was stopped".to_owned(),
        }
    }

    pub fn limit(&self) -> Option<FileLimit> {
        match self {
            StopReason::Time(_) => Some(FileLimit::PageTime),
            StopReason::Memory(_) => Some(FileLimit::ReaderMemory),
            StopReason::Output => Some(FileLimit::TextLength),
            StopReason::Cancelled | StopReason::Crashed(_) => None,
        }
    }

    /// The code, reason and hint of the error; an error of its own when the job was only cancelled. `done` completes "no page was …".
    pub fn explained(&self, done: &str) -> Result<(ErrorCode, String, Hint)> {
        Ok(match self {
            StopReason::Time(seconds) => (
                ErrorCode::UnreadableFile,
                format!("no page was {done} within {seconds} seconds of computing"),
                hint!["If the file is sound but slow to read, ", Action::RaiseLimit(FileLimit::PageTime), "."],
            ),
            StopReason::Memory(megabytes) => (
                ErrorCode::FileTooLarge,
                format!("reading it took more than {megabytes} MB of memory"),
                split_or_raise(FileLimit::ReaderMemory),
            ),
            StopReason::Output => (
                ErrorCode::FileTooLarge,
                "it gives more text than is read from one file".to_owned(),
                split_or_raise(FileLimit::TextLength),
            ),
            StopReason::Crashed(how) => (
                ErrorCode::UnreadableFile,
                format!("its parser crashed ({how})"),
                "That is a fault of CaseTrack: please report it. The file may open after it is saved again, or in another format."
                    .into(),
            ),
            StopReason::Cancelled => return Err(Error::cancelled()),
        })
    }
}
