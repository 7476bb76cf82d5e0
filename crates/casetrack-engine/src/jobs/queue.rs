//! The order of jobs, and the listeners to their progress.

mod state;
mod users;
mod vaults;

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::{
    Cancel, CollectionId, Error, ErrorCode, JobId, Progress, ProgressSink, ProgressTotals, Result, Timestamp,
};
use casetrack_store::{Registry, locked};

use self::state::{Job, State};
use super::record::{JobRecord, Loaded, Records};
use super::{
    FailingFile, JobFilter, JobOrigin, JobReport, JobRequest, JobState, JobStatus, StartedJob, Work, no_such_job,
};
use casetrack_host::report::Problem;
use casetrack_host::{Host, caught, check_changeable, collections, lock};

/// Jobs that run at the same time, each in another collection: a small one need not wait for the night's work in another matter.
pub(super) const MAX_RUNNING: usize = 2;
/// Failed files that are listed while a job runs.
const MAX_FAILING: usize = 20;
/// Ended jobs that are remembered, of each origin: watches make many.
const REMEMBERED: usize = 50;
/// The interval at which a waiting caller checks for cancellation.
const CANCEL_CHECK: Duration = Duration::from_millis(50);
/// The longest wait for a cancelled job. It checks often; this is for one that is writing a large document.
const CANCEL_PATIENCE: Duration = Duration::from_secs(2);
/// The longest wait for jobs to pause, at the end of the process and for work that needs a collection for itself.
pub(crate) const PAUSE_PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Jobs {
    work: Box<dyn Work>,
    records: Records,
    state: Mutex<State>,
    /// Notified when a job ends.
    ended: Condvar,
}

impl Jobs {
    pub fn new(data_dir: &Path, registry: Registry, work: impl Work + 'static) -> Self {
        let work = Box::new(work);
        Self { work, records: Records::new(data_dir, registry), state: Mutex::default(), ended: Condvar::new() }
    }

    /// The job runs with the settings of `host`, also after a restart. Joins a job with the same request, settings and password.
    pub fn start(
        self: &Arc<Self>,
        host: &Host,
        collection: CollectionId,
        request: JobRequest,
        origin: JobOrigin,
    ) -> Result<StartedJob> {
        let collection = collections::find_collection(host, &collection.to_string())?;
        check_changeable(&collection)?;
        let target = request.target(host, &collection)?;
        let record = JobRecord {
            id: JobId::random(),
            collection_id: collection.id,
            collection: collection.name,
            request,
            target,
            config: host.config().clone(),
            origin,
            user: host.sight().user().map(str::to_owned),
            state: JobState::Queued,
            created_at: Timestamp::now(),
            started_at: None,
            finished_at: None,
            resumed: 0,
            problem: None,
            counts: ProgressTotals::default(),
        };
        let id = record.id;
        {
            let mut state = lock(&self.state);
            if state.held.contains(&record.collection_id) {
                return Err(match host.registry().key(record.collection_id) {
                    Err(error) => error,
                    // It is being moved into a vault, or out of it.
                    Ok(_) => Error::new(ErrorCode::InUse, format!("\"{}\" is being written again.", record.collection))
                        .with_hint("Try again later."),
                });
            }
            if let Some(job) = state.join(&record)? {
                return Ok(StartedJob { job, joined: true });
            }
            // Under the lock, so that the same request of another client finds it.
            self.records.save(&record)?;
            state.jobs.push(Job::new(record));
        }
        self.launch(host);
        Ok(StartedJob { job: self.status(id)?, joined: false })
    }

    pub fn resume(self: &Arc<Self>, host: &Host) -> Result<()> {
        lock(&self.state).held.extend(host.registry().locked()?);
        self.take(self.records.load()?)?;
        self.launch(host);
        Ok(())
    }

    /// Starts every job whose turn has come.
    fn launch(self: &Arc<Self>, host: &Host) {
        let mut state = lock(&self.state);
        while let Some(job) = state.next() {
            job.record.state = JobState::Running;
            job.record.started_at.get_or_insert_with(Timestamp::now);
            job.running_since = Some(Instant::now());
            let (id, config) = (job.record.id, job.record.config.clone());
            let jobs = Arc::clone(self);
            let host = host.for_job(config, job.record.user.as_deref(), job.record.collection_id);
            let started = host.and_then(|host| {
                self.records.save(&job.record)?;
                let run = move || jobs.run(&host, id);
                let thread = std::thread::Builder::new().name("job".to_owned());
                thread.spawn(run).map_err(|error| Error::io("a new thread", error))
            });
            if let Err(error) = started {
                let is_cancelled = error.code == ErrorCode::Cancelled;
                let ended = if is_cancelled { JobState::Cancelled } else { JobState::Failed };
                job.end(ended, Some(Problem::from(&error)));
                self.keep(&job.record);
                self.ended.notify_all();
            }
        }
    }

    /// Does the work of a job, on its thread.
    fn run(self: &Arc<Self>, host: &Host, id: JobId) {
        let Some((record, cancel)) = lock(&self.state).job(id).map(|job| (job.record.clone(), job.cancel.clone()))
        else {
            return;
        };
        let progress: ProgressSink = {
            let jobs = Arc::clone(self);
            Arc::new(move |event| jobs.note(id, &event))
        };
        let work = |request: &JobRequest| {
            let work = || self.work.run(host, record.collection_id, request, &progress, &cancel);
            caught(work)
        };
        let continued = || record.request.clone().continued(record.created_at);
        let mut result = work(&if record.resumed == 0 { record.request.clone() } else { continued() });
        while let Ok((before, None)) = &result
            && self.was_asked_again(id)
        {
            result = work(&continued()).map(|(report, stopped)| (report.after(before), stopped));
        }
        self.finish(id, result);
        self.launch(host);
    }

    /// The newest first.
    pub fn list(&self, filter: JobFilter) -> Vec<JobStatus> {
        let state = lock(&self.state);
        // A job that is still ending is not listed if its vault is locked.
        let shown = state.jobs.iter().rev().filter(|job| !state.held.contains(&job.record.collection_id));
        let mut jobs: Vec<JobStatus> = shown.map(Job::status).collect();
        drop(state);
        jobs.retain(|job| {
            filter.collection.is_none_or(|id| job.collection_id == id) && !(filter.active && job.state.has_ended())
        });
        jobs
    }

    /// True if a job of the collection has not ended.
    pub fn has_work_of(&self, collection: CollectionId) -> bool {
        !self.list(JobFilter { collection: Some(collection), active: true }).is_empty()
    }

    /// The notice for readers of a collection while a job adds documents to it.
    pub fn ingestion_notice(&self, collection: CollectionId) -> Option<String> {
        let running = self.list(JobFilter { collection: Some(collection), active: true });
        let job = running.into_iter().find(|job| job.state == JobState::Running && job.kind.ingests())?;
        let files = job.files_total.map(|total| format!(": {} of {total} files are done", job.files_done));
        Some(format!("Ingestion is running{}. Results may be incomplete.", files.unwrap_or_default()))
    }

    pub fn status(&self, id: JobId) -> Result<JobStatus> {
        let mut state = lock(&self.state);
        let Some(status) = state.job(id).map(|job| job.status()) else { return Err(state.gone(id)) };
        if state.held.contains(&status.collection_id) { Err(locked(status.collection_id)) } else { Ok(status) }
    }

    pub fn find(&self, id: &str) -> Result<JobStatus> {
        let wanted = id.trim().to_ascii_lowercase();
        let mut found = self.list(JobFilter::default());
        found.retain(|job| wanted.len() >= 8 && job.job_id.to_string().starts_with(&wanted));
        match found.pop() {
            Some(job) if found.is_empty() => Ok(job),
            _ => {
                let is_meant = |job: &JobId| wanted.len() >= 8 && job.to_string().starts_with(&wanted);
                let state = lock(&self.state);
                let waiting = state.waiting.iter().find(|(job, _)| is_meant(job)).map(|(_, collection)| *collection);
                Err(waiting.map_or_else(|| no_such_job(id), locked))
            }
        }
    }

    pub fn report(&self, id: JobId) -> Result<Option<JobReport>> {
        let collection = self.status(id)?.collection_id;
        self.records.report(id, collection)
    }

    pub fn wait(&self, id: JobId, patience: Duration, progress: &ProgressSink, cancel: &Cancel) -> Result<JobStatus> {
        let deadline = Instant::now() + patience;
        let listener = self.listen(id, progress)?;
        let mut state = lock(&self.state);
        loop {
            let pausing = state.pausing;
            let Some(job) = state.job(id) else { return Err(state.gone(id)) };
            let left = deadline.saturating_duration_since(Instant::now());
            if job.record.state.has_ended() || pausing || left.is_zero() || cancel.is_cancelled() {
                job.listeners.retain(|(number, _)| *number != listener);
                return Ok(job.status());
            }
            state = self.ended.wait_timeout(state, left.min(CANCEL_CHECK)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds a listener, once it has received the present counts. Its number is for removing it.
    fn listen(&self, id: JobId, progress: &ProgressSink) -> Result<u64> {
        let mut heard = ProgressTotals::default();
        loop {
            let mut state = lock(&self.state);
            let number = state.next_listener;
            let Some(job) = state.job(id) else { return Err(state.gone(id)) };
            let counts = job.record.counts;
            if counts == heard || job.record.state.has_ended() {
                job.listeners.push((number, Arc::clone(progress)));
                state.next_listener += 1;
                return Ok(number);
            }
            drop(state);
            progress(Progress::Joined(counts));
            heard = counts;
        }
    }

    pub fn cancel(&self, id: JobId) -> Result<JobStatus> {
        {
            let mut state = lock(&self.state);
            let Some(job) = state.job(id) else { return Err(state.gone(id)) };
            job.cancel.cancel();
            if job.record.state == JobState::Queued {
                job.end(JobState::Cancelled, Some(Problem::from(&Error::cancelled())));
                self.keep(&job.record);
                self.ended.notify_all();
            }
        }
        let ignore: ProgressSink = Arc::new(|_| {});
        self.wait(id, CANCEL_PATIENCE, &ignore, &Cancel::default())
    }

    pub fn pause(&self) {
        let mut state = lock(&self.state);
        state.pausing = true;
        state.jobs.iter().filter(|job| job.record.state == JobState::Running).for_each(|job| job.cancel.cancel());
        self.ended.notify_all();
        let still_running = |state: &mut State| {
            state.jobs.iter().any(|job| job.record.state == JobState::Running && job.running_since.is_some())
        };
        let _ended = self.ended.wait_timeout_while(state, PAUSE_PATIENCE, still_running);
    }

    /// Saves the outcome of a job. If that fails, the job runs again after a restart, which changes nothing.
    fn keep(&self, record: &JobRecord) {
        if let Err(error) = self.records.save(record) {
            tracing::warn!(job = %record.id, %error, "the end of a job was not saved");
        }
    }

    fn finish(&self, id: JobId, result: Result<(JobReport, Option<Problem>)>) {
        let Some(collection) = lock(&self.state).job(id).map(|job| job.record.collection_id) else { return };
        if let Ok((report, _)) = &result
            && let Err(error) = self.records.save_report(id, collection, report)
        {
            tracing::warn!(job = %id, %error, "the report of a job was not saved");
        }
        let mut state = lock(&self.state);
        let (pausing, held) = (state.pausing, state.held.contains(&collection));
        let Some(job) = state.job(id) else { return };
        let mut problem = result.map_or_else(|error| Some(Problem::from(&error)), |(_, stopped)| stopped);
        if problem.is_some() && job.withdrawn.is_some() {
            problem = job.withdrawn.take();
        }
        let is = |code: ErrorCode| problem.as_ref().is_some_and(|problem| problem.code == code.name());
        let cancelled = is(ErrorCode::Cancelled);
        if job.interrupted && (cancelled || is(ErrorCode::Locked)) || cancelled && pausing {
            // It stays as running on disk, and continues when its collection is there again, or with the next process.
            job.running_since = None;
            if !held && !pausing {
                job.go_on();
            }
        } else {
            let ended = match &problem {
                None => JobState::Completed,
                Some(_) if cancelled => JobState::Cancelled,
                Some(_) => JobState::Failed,
            };
            job.end(ended, problem);
            self.keep(&job.record);
            self.forget_old(&mut state);
        }
        if held {
            state.put_away(collection);
        }
        drop(state);
        self.ended.notify_all();
    }

    /// True if the job has to run again before it ends; otherwise no request can join it any longer.
    fn was_asked_again(&self, id: JobId) -> bool {
        lock(&self.state).job(id).is_some_and(|job| {
            job.closed = !std::mem::take(&mut job.asked_again);
            !job.closed
        })
    }

    fn forget_old(&self, state: &mut State) {
        for origin in [JobOrigin::User, JobOrigin::Watch] {
            let of_origin = |job: &Job| job.record.state.has_ended() && job.record.origin == origin;
            let mut too_many = state.jobs.iter().filter(|job| of_origin(job)).count().saturating_sub(REMEMBERED);
            state.jobs.retain(|job| {
                let forgotten = too_many > 0 && of_origin(job);
                if forgotten {
                    too_many -= 1;
                    self.records.remove(job.record.id);
                }
                !forgotten
            });
        }
    }

    fn note(&self, id: JobId, event: &Progress) {
        let listeners: Vec<ProgressSink> = {
            let mut state = lock(&self.state);
            let Some(job) = state.job(id) else { return };
            job.record.counts.add(event);
            if let Progress::FileDone { path, problem: Some(message), .. } = event {
                if job.failing.len() == MAX_FAILING {
                    job.failing.pop_front();
                }
                job.failing.push_back(FailingFile { path: path.display().to_string(), message: message.clone() });
            }
            job.listeners.iter().map(|(_, listener)| Arc::clone(listener)).collect()
        };
        // Called without the lock: a listener may read the state of jobs.
        listeners.iter().for_each(|listener| listener(event.clone()));
    }
}
