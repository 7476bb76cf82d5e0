//! The face of the crate: the use cases of a [`Host`], with jobs and watches.

mod file_index;
pub mod plans;
mod vault_moves;
mod vaults;
mod work;

use std::sync::Arc;
use std::time::Duration;

use casetrack_core::{Cancel, CollectionId, CollectionMeta, JobId, ProgressSink, Result};
use plans::Plans;

use crate::jobs::{JobFilter, JobOrigin, JobReport, JobRequest, JobStatus, Jobs, StartedJob, no_such_job};
use crate::upkeep;
use crate::upkeep::migrate::MigrateReport;
use crate::watches::{Schedule, WatchRequest, WatchStatus, Watches};
use casetrack_host::changes::{Change, Listening};
use casetrack_host::rights::Role;
use casetrack_host::{EngineConfig, Host, StorePlace, collections};
use casetrack_search::{SearchRequest, SearchResponse};

/// One process has engines on a data directory (invariant 8). Cheap to share behind an `Arc`; all methods take `&self` and may
/// block. Most use cases are functions of the other modules that take its [`Host`]; the methods here also concern jobs and watches.
pub struct Engine {
    host: Host,
    pub(crate) jobs: Arc<Jobs>,
    watches: Arc<Watches>,
    pub(crate) plans: Arc<Plans>,
}

impl Engine {
    /// Creates the data directory if need be. Loads no model, opens no collection and connects to nothing.
    pub fn new(config: EngineConfig) -> Result<Self> {
        let host = Host::new(config)?;
        let (folder, registry) = (host.config().state_dir(), host.registry());
        let jobs = Arc::new(Jobs::new(&folder, registry.clone(), work::UseCases));
        let watches = Arc::new(Watches::new(&folder, registry.clone()));
        Ok(Self { host, jobs, watches, plans: Arc::default() })
    }

    /// The settings and the data directory that the use cases work with.
    pub fn host(&self) -> &Host {
        &self.host
    }

    #[cfg(test)]
    pub(crate) fn plans_and_jobs(&self) -> (&Arc<Plans>, &Arc<Jobs>) {
        (&self.plans, &self.jobs)
    }

    /// An engine on the same data directory with other settings: it shares the open collections, the processes that read files and, if their
    /// settings are the same, the models. `data_dir`, `store` and `reader` of `config` are ignored.
    pub fn with_config(&self, config: EngineConfig) -> Self {
        let (jobs, watches, plans) = (Arc::clone(&self.jobs), Arc::clone(&self.watches), Arc::clone(&self.plans));
        Self { host: self.host.with_config(config), jobs, watches, plans }
    }

    /// Clears away the remains of a crash: collections that were being made, deleted, or moved into a vault or out of it. Only for the owner
    /// of the data directory. `forget` is called when a collection has become a vault, as by [`seal_collection`](Self::seal_collection).
    pub fn clear_remains(&self, forget: impl FnOnce() -> Result<()>) -> Result<()> {
        let registry = self.host.registry();
        registry.clear_remains()?;
        if registry.owned_waiting()?.iter().any(|(id, _)| registry.is_vault(*id))
            && let Err(error) = forget()
        {
            tracing::warn!(%error, "a file about a collection could not be removed");
        }
        self.put_owned()
    }

    /// Calls `listener` after every change that any engine on this data directory makes, until the result is dropped; and after those that
    /// other clients of a database make, which may be reported twice.
    ///
    /// It is called in the thread that makes the change, which waits for it: it must return at once and must not use an engine.
    pub fn on_change(&self, listener: impl Fn(Change) + Send + Sync + 'static) -> Listening {
        let sight = self.host.sight().clone();
        self.host.follow_others();
        self.host.changes().listen(move |change| {
            let is_seen = match change {
                _ if !sight.is_limited() => true,
                Change::Collection(id) | Change::Evidence(id) => sight.sees(id),
                Change::Document { collection, .. } => sight.sees(collection),
                Change::Space(_) => sight.has_disk(),
            };
            if is_seen {
                listener(change);
            }
        })
    }
}

/// Use cases that concern jobs or watches as well.
impl Engine {
    /// Searches one collection, or several with one ranking. Locked vaults among several are left out, and a notice reports them. If a model is
    /// missing, or chunks lack its vectors, the other stages answer and a notice reports it. A notice also reports a running ingestion.
    pub fn search(&self, collections: &[CollectionId], request: &SearchRequest) -> Result<SearchResponse> {
        let (open, left_out) = self.without_locked(collections)?;
        let ingestions: Vec<_> = open.iter().filter_map(|&id| self.jobs.ingestion_notice(id)).collect();
        let mut response = casetrack_search::search(&self.host, &open, request)?;
        response.notices.extend(ingestions.into_iter().map(Into::into));
        response.notices.extend(left_out);
        Ok(response)
    }

    /// Renames a collection. Its id and its directory stay.
    ///
    /// Errors: as [`create_collection`](casetrack_host::collections::create_collection) for names; [`ErrorCode::InUse`](casetrack_core::ErrorCode::InUse)
    /// while something works with it.
    pub fn rename_collection(&self, id: CollectionId, name: &str) -> Result<CollectionMeta> {
        let renamed = upkeep::rename_collection(&self.host, id, name.trim())?;
        self.watches.rename_collection(id, &renamed.name);
        Ok(renamed)
    }

    /// Removes a collection and everything in it, for good; its watches end.
    pub fn delete_collection(&self, id: CollectionId) -> Result<()> {
        collections::delete_collection(&self.host, id)?;
        self.watches.forget_collection(id);
        Ok(())
    }

    /// See [`Host::copy_to_store`]; with `remove`, this collection and its watches are then removed, if the collection still equals the copy.
    pub fn migrate(
        &self,
        id: CollectionId,
        to: &StorePlace,
        remove: bool,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<MigrateReport> {
        let (mut report, copied) = upkeep::copy_to_store(&self.host, id, to, progress, cancel)?;
        if remove && report.left_out.is_empty() {
            upkeep::remove_copied(&self.host, id, &copied, cancel)?;
            self.watches.forget_collection(id);
            report.removed = true;
        }
        Ok(report)
    }
}

impl Engine {
    /// Saves a job and starts it as soon as its turn comes. If a job that has not ended has the same request, password and settings, joins
    /// that one instead. The job runs with the settings of this engine, also after a restart, and with the access to files that its user has
    /// when it begins or continues. It is cancelled if they may no longer change the collection: then, or at the next
    /// [`withdraw_jobs`](Self::withdraw_jobs).
    pub fn start_job(&self, collection: CollectionId, request: JobRequest, origin: JobOrigin) -> Result<StartedJob> {
        if !self.host.sight().is_limited() {
            return self.jobs.start(&self.host, collection, request, origin);
        }
        self.host.sight().admit_as(collection, Role::Editor)?;
        // Now, and not only when its turn comes, so that the caller gets the error.
        request.files().iter().try_for_each(|path| self.host.config().access.check(path).map(drop))?;
        self.jobs.start(&self.host, collection, request, origin)
    }

    /// Cancels the jobs of users who lost the right to them. Call this now and then, because no event reports such a loss.
    pub fn withdraw_jobs(&self) {
        self.jobs.withdraw(&self.host);
    }

    /// All known jobs, the newest first: all that have not ended, and the last ones that have.
    pub fn jobs(&self, filter: JobFilter) -> Vec<JobStatus> {
        let mut jobs = self.jobs.list(filter);
        jobs.retain(|job| self.host.sight().sees(job.collection_id));
        jobs
    }

    pub fn job(&self, id: JobId) -> Result<JobStatus> {
        let job = self.jobs.status(id);
        if !self.host.sight().is_limited() {
            return job;
        }
        match job {
            Ok(job) if self.host.sight().sees(job.collection_id) => {
                self.host.sight().admit(job.collection_id)?;
                Ok(job)
            }
            // A vault that is locked and must not be known, too.
            _ => Err(no_such_job(&id.to_string())),
        }
    }

    pub fn find_job(&self, id: &str) -> Result<JobStatus> {
        match self.jobs.find(id) {
            Ok(job) => match self.host.sight().sees(job.collection_id) {
                true => self.host.sight().admit(job.collection_id).map(|()| job),
                false => Err(no_such_job(id)),
            },
            Err(_) if self.host.sight().is_limited() => Err(no_such_job(id)),
            Err(error) => Err(error),
        }
    }

    /// The report of a job that has ended; `None` before its end, and if it failed before it did anything.
    pub fn job_report(&self, id: JobId) -> Result<Option<JobReport>> {
        self.admit_job(id)?;
        self.jobs.report(id)
    }

    /// Blocks until a job has ended, `patience` is over, `cancel` is set or jobs are paused, and returns its state then. `progress` is
    /// called first with the progress of the job, if it has begun, and then with each report. `cancel` ends the waiting, not the job.
    pub fn wait_for_job(
        &self,
        id: JobId,
        patience: Duration,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<JobStatus> {
        self.admit_job(id)?;
        self.jobs.wait(id, patience, progress, cancel)
    }

    /// Cancels a job, and waits a moment for its end. The stored documents are kept. A job that has already ended stays unchanged.
    pub fn cancel_job(&self, id: JobId) -> Result<JobStatus> {
        self.admit_job(id)?;
        self.jobs.cancel(id)
    }

    /// Refuses a job of a collection that must not be known.
    fn admit_job(&self, id: JobId) -> Result<()> {
        if self.host.sight().is_limited() { self.job(id).map(drop) } else { Ok(()) }
    }

    /// Continues the jobs that the end of a process interrupted. For the owner of the data directory, once.
    pub fn resume_jobs(&self) -> Result<()> {
        self.jobs.resume(&self.host)
    }

    /// Interrupts all jobs, which continue when the next owner of the data directory starts, and waits for them to pause.
    pub fn pause_jobs(&self) {
        self.jobs.pause();
    }

    /// True if a job has not ended.
    pub fn has_work(&self) -> bool {
        self.host.space_work().count() > 0
            || self.plans.count_runs() > 0
            || !self.jobs.list(JobFilter { active: true, ..JobFilter::default() }).is_empty()
    }
}

impl Engine {
    /// Watches a folder for a collection from now on, also after a restart, and syncs it at once unless the schedule is manual.
    ///
    /// Errors: a path that is not a folder; a folder if the collection already watches it, a folder around it or a folder in it.
    pub fn watch_folder(&self, collection: CollectionId, request: WatchRequest) -> Result<WatchStatus> {
        self.host.sight().admit_as(collection, Role::Editor)?;
        self.watches.watch(&self.host.unlimited(), collection, request)
    }

    /// Ends a watch, by its folder or id. The documents stay.
    pub fn unwatch_folder(&self, folder_or_id: &str) -> Result<WatchStatus> {
        self.watches.remove(self.watches.find(folder_or_id)?)
    }

    /// All watches, of one collection or of all, the oldest first.
    pub fn list_watches(&self, collection: Option<CollectionId>) -> Vec<WatchStatus> {
        let mut watches = self.watches.list(collection);
        watches.retain(|watch| self.host.sight().sees(watch.collection_id));
        watches
    }

    /// Changes when a watch, found by its folder or id, syncs, and, if given, the removal of documents.
    pub fn set_sync_schedule(
        &self,
        folder_or_id: &str,
        schedule: Schedule,
        auto_remove_deleted: Option<bool>,
    ) -> Result<WatchStatus> {
        self.watches.set_schedule(folder_or_id, schedule, auto_remove_deleted)
    }

    /// Begins to watch the folders in `watches.json` and the live folders of files; plans and sources continue. For the owner of the data
    /// directory, once.
    pub fn start_watches(&self) -> Result<()> {
        self.host.live_files().start(&self.host)?;
        self.plans.start(&self.host, &self.jobs)?;
        self.watches.hide(self.host.registry().locked()?);
        self.watches.start(&self.host, &self.jobs)
    }

    /// Stops watching. The list of watches stays unchanged.
    pub fn stop_watches(&self) {
        self.plans.stop(&self.host);
        self.host.live_files().stop();
        self.watches.stop();
    }

    /// Saves and closes the collections that are not in use. This writes their indexes and records the last state of vaults, which reveals
    /// an older copy.
    pub fn close_collections(&self) {
        let open = self.host.open_collections();
        for id in open.ids() {
            if let Err(error) = open.close(id) {
                tracing::warn!(collection = %id, %error, "not closed");
            }
        }
    }
}
