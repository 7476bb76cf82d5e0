//! Reports of files that were not ingested, and of why work ended early.

use casetrack_core::{DocumentId, Error, ErrorCode, Hint, Notice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SkippedFile {
    pub relative_path: String,
    pub path: String,
    pub reason: SkipReason,
    pub document_id: Option<DocumentId>,
    pub detail: String,
    /// Relative path of the file that it is inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The remedy for a file of a format that is not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub hint: Option<Hint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// This path was ingested before and its content is the same.
    Unchanged,
    /// Another file with the same SHA-256 is in the collection.
    Duplicate,
    /// A file in a folder whose format CaseTrack does not read.
    Unsupported,
    /// A file or folder in a folder that the rules of access keep from being read.
    Denied,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FailedFile {
    pub relative_path: String,
    pub path: String,
    /// Relative path of the file that it is inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    #[serde(flatten)]
    pub problem: Problem,
}

/// Counts, duration and notices of the work.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkSummary {
    /// Count for the documents that were ingested or rebuilt.
    pub pages: u64,
    /// Count for the documents that were ingested or rebuilt.
    pub chunks: u64,
    pub chunks_embedded: u64,
    /// Chunks that kept their vectors because their text did not change, or have those of another chunk with the same text. Reindexing makes
    /// all vectors again.
    pub chunks_reused: u64,
    pub duration_ms: u64,
    /// Notices: missing parts, and new documents that are versions of others.
    #[schemars(with = "Vec<String>")]
    pub notices: Vec<Notice>,
    /// Why the work ended before all was done. Finished work is kept.
    pub stopped: Option<Problem>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Stable snake_case name, such as `needs_password`.
    pub code: String,
    pub message: String,
    #[schemars(with = "Option<String>")]
    pub hint: Option<Hint>,
}

impl Problem {
    pub fn into_error(self) -> Error {
        let error = Error::new(ErrorCode::from_name(&self.code), self.message);
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        Self { code: error.code.name().to_owned(), message: error.message.clone(), hint: error.hint.clone() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for another job of its collection, or for its turn.
    Queued,
    Running,
    /// Ended; the outcome of every file is in its report.
    Completed,
    /// Ended early; the documents that it stored until then are kept.
    Failed,
    /// Ended early because someone cancelled it; the documents that it stored until then are kept.
    Cancelled,
}

impl JobState {
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}
