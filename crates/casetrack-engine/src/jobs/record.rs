//! What is written down of a job: `<data directory>/jobs/<id>.json`, and its report beside it.

use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, Error, JobId, ProgressTotals, Result, Timestamp};
use casetrack_store::write_atomically;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{JobOrigin, JobReport, JobRequest, JobState};
use crate::host::EngineConfig;
use crate::report::Problem;

/// A job on disk. While it runs, it is there as running: whoever finds it so knows that it was interrupted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JobRecord {
    pub id: JobId,
    pub collection_id: CollectionId,
    pub collection: String,
    pub request: JobRequest,
    /// What it works on, for people.
    pub target: String,
    /// The settings it runs with.
    pub config: EngineConfig,
    pub origin: JobOrigin,
    pub state: JobState,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub resumed: u32,
    pub problem: Option<Problem>,
    /// What was counted so far; on disk, once it has ended.
    #[serde(default)]
    pub counts: ProgressTotals,
}

/// The folder of the jobs of a data directory.
pub(super) struct Records {
    directory: PathBuf,
}

impl Records {
    pub fn new(data_dir: &Path) -> Self {
        Self { directory: data_dir.join("jobs") }
    }

    fn path(&self, id: JobId) -> PathBuf {
        self.directory.join(format!("{id}.json"))
    }

    fn report_path(&self, id: JobId) -> PathBuf {
        self.directory.join(format!("{id}.report"))
    }

    /// Durable when it returns.
    pub fn save(&self, record: &JobRecord) -> Result<()> {
        self.write(&self.path(record.id), record)
    }

    pub fn save_report(&self, id: JobId, report: &JobReport) -> Result<()> {
        self.write(&self.report_path(id), report)
    }

    fn write(&self, path: &Path, value: &impl Serialize) -> Result<()> {
        std::fs::create_dir_all(&self.directory).map_err(|error| Error::io(self.directory.display(), error))?;
        let bytes = serde_json::to_vec(value).map_err(|error| Error::internal(format!("A job: {error}")))?;
        write_atomically(path, &bytes)
    }

    pub fn report(&self, id: JobId) -> Result<Option<JobReport>> {
        let path = self.report_path(id);
        if path.exists() { read(&path).map(Some) } else { Ok(None) }
    }

    pub fn remove(&self, id: JobId) {
        for path in [self.path(id), self.report_path(id)] {
            if let Err(error) = std::fs::remove_file(&path)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(path = %path.display(), %error, "a finished job was not removed");
            }
        }
    }

    /// All jobs, the oldest first. One that cannot be read is logged and left where it is.
    pub fn load(&self) -> Result<Vec<JobRecord>> {
        let entries = match std::fs::read_dir(&self.directory) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| Error::io(self.directory.display(), error))?,
        };
        let mut records: Vec<JobRecord> = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| Error::io(self.directory.display(), error))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                match read(&path) {
                    Ok(record) => records.push(record),
                    Err(error) => tracing::warn!(%error, "a job is left out"),
                }
            }
        }
        records.sort_by_key(|record| (record.created_at, record.id));
        Ok(records)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path.display(), error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Error::new(casetrack_core::ErrorCode::Corrupt, format!("{} is damaged: {error}", path.display()))
            .with_hint("Delete the file; the documents that the job stored are not affected.")
    })
}
