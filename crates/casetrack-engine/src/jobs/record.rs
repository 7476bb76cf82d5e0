//! Jobs on disk: `<data directory>/jobs/<id>.json`, and the report of each in the same folder. Files that belong to a vault are sealed with
//! its key ([`Registry::seal_owned`]).

use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, Error, ErrorCode, JobId, ProgressTotals, Result, Timestamp};
use casetrack_store::{Owned, Registry, owner, write_atomically};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{JobOrigin, JobReport, JobRequest, JobState};
use casetrack_host::EngineConfig;
use casetrack_host::report::Problem;

/// A job on disk. A job that runs is stored as running. If a process finds such a job when it starts, the job was interrupted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JobRecord {
    pub id: JobId,
    pub collection_id: CollectionId,
    pub collection: String,
    pub request: JobRequest,
    /// The file, folder or document, for people.
    pub target: String,
    pub config: EngineConfig,
    pub origin: JobOrigin,
    /// The user of a server who started it, and whose access to files it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    pub state: JobState,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub resumed: u32,
    pub problem: Option<Problem>,
    /// The counts so far; on disk, once it has ended.
    #[serde(default)]
    pub counts: ProgressTotals,
}

/// The folder of the jobs of a data directory.
pub(super) struct Records {
    directory: PathBuf,
    registry: Registry,
}

#[derive(Default)]
pub(super) struct Loaded {
    /// The oldest first.
    pub records: Vec<JobRecord>,
    pub locked: Vec<(JobId, CollectionId)>,
}

impl Records {
    pub fn new(data_dir: &Path, registry: Registry) -> Self {
        Self { directory: data_dir.join("jobs"), registry }
    }

    fn path(&self, id: JobId) -> PathBuf {
        self.directory.join(format!("{id}.json"))
    }

    fn report_path(&self, id: JobId) -> PathBuf {
        self.directory.join(format!("{id}.report"))
    }

    /// Durable when it returns.
    pub fn save(&self, record: &JobRecord) -> Result<()> {
        self.write(&self.path(record.id), record.collection_id, record)
    }

    pub fn save_report(&self, id: JobId, collection: CollectionId, report: &JobReport) -> Result<()> {
        self.write(&self.report_path(id), collection, report)
    }

    fn write(&self, path: &Path, collection: CollectionId, value: &impl Serialize) -> Result<()> {
        std::fs::create_dir_all(&self.directory).map_err(|error| Error::io(self.directory.display(), error))?;
        let bytes = serde_json::to_vec(value).map_err(|error| Error::internal(format!("A job: {error}")))?;
        write_atomically(path, &self.registry.seal_owned(collection, &owned_name(path), bytes)?)
    }

    pub fn report(&self, id: JobId, collection: CollectionId) -> Result<Option<JobReport>> {
        let path = self.report_path(id);
        if !path.exists() {
            return Ok(None);
        }
        let (report, owner) = self.read(&path)?;
        self.registry.check_owner(collection, &owned_name(&path), owner)?;
        Ok(Some(report))
    }

    /// The job of a file, if the file may belong to its collection.
    fn record(&self, path: &Path) -> Result<JobRecord> {
        let (record, owner) = self.read::<JobRecord>(path)?;
        self.registry.check_owner(record.collection_id, &owned_name(path), owner)?;
        Ok(record)
    }

    /// The content of a file, and the vault that it was sealed for.
    fn read<T: DeserializeOwned>(&self, path: &Path) -> Result<(T, Option<CollectionId>)> {
        let stored = std::fs::read(path).map_err(|error| Error::io(path.display(), error))?;
        let owner = owner(&stored);
        let bytes = self.registry.open_owned(&owned_name(path), stored)?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            Error::new(ErrorCode::Corrupt, format!("{} is damaged: {error}", path.display()))
                .with_hint("Delete the file; the documents that the job stored are not affected.")
        })?;
        Ok((value, owner))
    }

    /// The unsealed files of the jobs of a collection, by path in the data directory.
    pub fn written(&self, collection: CollectionId) -> Result<Vec<Owned>> {
        let mut written = Vec::new();
        let mut take = |path: &Path| -> Result<()> {
            let stored = std::fs::read(path).map_err(|error| Error::io(path.display(), error))?;
            let name = owned_name(path);
            let content = self.registry.open_owned(&name, stored)?;
            written.push(Owned { name, content });
            Ok(())
        };
        for record in self.load()?.records.iter().filter(|record| record.collection_id == collection) {
            take(&self.path(record.id))?;
            let report = self.report_path(record.id);
            if report.exists() {
                take(&report)?;
            }
        }
        Ok(written)
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

    /// All jobs. One that cannot be read is logged and stays on disk.
    pub fn load(&self) -> Result<Loaded> {
        let entries = match std::fs::read_dir(&self.directory) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Loaded::default()),
            entries => entries.map_err(|error| Error::io(self.directory.display(), error))?,
        };
        let (mut records, mut locked) = (Vec::<JobRecord>::new(), Vec::new());
        for entry in entries {
            let path = entry.map_err(|error| Error::io(self.directory.display(), error))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                match self.record(&path) {
                    Ok(record) => match self.registry.key(record.collection_id) {
                        Err(_) => locked.push((record.id, record.collection_id)),
                        Ok(_) => records.push(record),
                    },
                    Err(error) if error.code == ErrorCode::Locked => locked.extend(place_of_locked(&path)),
                    Err(error) => tracing::warn!(%error, "a job is left out"),
                }
            }
        }
        records.sort_by_key(|record| (record.created_at, record.id));
        Ok(Loaded { records, locked })
    }
}

/// The name that a file is sealed under.
fn owned_name(path: &Path) -> String {
    format!("jobs/{}", path.file_name().unwrap_or_default().to_string_lossy())
}

fn place_of_locked(path: &Path) -> Option<(JobId, CollectionId)> {
    let id = path.file_stem()?.to_str()?.parse().ok()?;
    Some((id, owner(&std::fs::read(path).ok()?)?))
}
