//! The jobs of the queue, and the choice of the next one.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use casetrack_core::{Cancel, CollectionId, Error, ErrorCode, JobId, ProgressSink, Result, Timestamp};
use casetrack_store::locked;

use super::super::record::JobRecord;
use super::super::{FailingFile, JobState, JobStatus, no_such_job, same};
use super::MAX_RUNNING;
use casetrack_host::report::Problem;

#[derive(Default)]
pub(super) struct State {
    /// The oldest first.
    pub jobs: Vec<Job>,
    /// Locked collections: the queue holds none of their jobs, and takes none.
    pub held: HashSet<CollectionId>,
    /// The jobs that continue when their collection is unlocked.
    pub waiting: HashMap<JobId, CollectionId>,
    /// No job starts any more.
    pub pausing: bool,
    pub next_listener: u64,
}

pub(super) struct Job {
    pub record: JobRecord,
    /// The time at which it started in this process.
    pub running_since: Option<Instant>,
    pub cancel: Cancel,
    /// It was stopped so that its collection can be locked or written again, and continues afterwards.
    pub interrupted: bool,
    /// The problem to report, if its user lost the right to it.
    pub withdrawn: Option<Problem>,
    /// The same request came again after it began, perhaps for new files.
    pub asked_again: bool,
    /// Its work is over: the same request gets another job now.
    pub closed: bool,
    pub listeners: Vec<(u64, ProgressSink)>,
    /// See [`JobStatus::failing`].
    pub failing: VecDeque<FailingFile>,
}

impl Job {
    pub fn new(record: JobRecord) -> Self {
        Self {
            record,
            running_since: None,
            cancel: Cancel::default(),
            interrupted: false,
            withdrawn: None,
            asked_again: false,
            closed: false,
            listeners: Vec::new(),
            failing: VecDeque::new(),
        }
    }

    pub fn status(&self) -> JobStatus {
        let Self { record, running_since, .. } = self;
        let totals = record.counts;
        let rate = running_since.map(|since| totals.chunks as f64 / since.elapsed().as_secs_f64().max(0.001));
        let left = running_since.and_then(|since| Some(since.elapsed().as_secs_f64() * totals.left()?));
        JobStatus {
            job_id: record.id,
            kind: record.request.kind(),
            state: record.state,
            origin: record.origin,
            collection_id: record.collection_id,
            collection: record.collection.clone(),
            target: record.target.clone(),
            created_at: record.created_at,
            started_at: record.started_at,
            finished_at: record.finished_at,
            files_total: totals.total,
            files_done: totals.files,
            files_failed: totals.failed,
            failing: self.failing.iter().cloned().collect(),
            chunks: totals.chunks,
            chunks_per_second: rate.map(|rate| (rate * 10.0).round() / 10.0),
            seconds_left: left.map(|left| left.ceil() as u64),
            resumed: record.resumed,
            problem: record.problem.clone(),
        }
    }

    /// Lets a job that was interrupted run again.
    pub fn go_on(&mut self) {
        self.cancel = Cancel::default();
        self.interrupted = false;
        self.record.state = JobState::Queued;
        self.record.resumed += 1;
    }

    pub fn end(&mut self, state: JobState, problem: Option<Problem>) {
        if state == JobState::Completed {
            // Files that needed nothing were not reported one by one.
            let counts = &mut self.record.counts;
            counts.files = counts.total.unwrap_or(counts.files);
        }
        self.running_since = None;
        self.listeners.clear();
        self.failing.clear();
        self.record.state = state;
        self.record.problem = problem;
        self.record.finished_at = Some(Timestamp::now());
    }
}

impl State {
    /// Joins the active job with the same request and settings as a new one, if there is one.
    ///
    /// Errors: [`ErrorCode::InUse`] for an active job that conflicts with the new one.
    pub fn join(&mut self, new: &JobRecord) -> Result<Option<JobStatus>> {
        let is_active = |job: &Job| !job.record.state.has_ended() && job.record.collection_id == new.collection_id;
        let is_same = |job: &Job| job.record.request.is_same(&new.request) && same(&job.record.config, &new.config);
        if let Some(same) = self.jobs.iter_mut().find(|job| is_active(job) && !job.closed && is_same(job)) {
            same.asked_again = same.record.state == JobState::Running;
            return Ok(Some(same.status()));
        }
        let conflicts = |job: &&Job| is_active(job) && job.record.request.conflicts_with(&new.request);
        let Some(conflict) = self.jobs.iter().find(conflicts) else { return Ok(None) };
        let message = format!("{} is being indexed by another request.", conflict.record.target);
        Err(Error::new(ErrorCode::InUse, message)
            .with_hint("Try again later, or make the same request to wait for it."))
    }

    pub fn gone(&self, id: JobId) -> Error {
        self.waiting.get(&id).map_or_else(|| no_such_job(&id.to_string()), |collection| locked(*collection))
    }

    /// Removes the requests of the jobs of a collection, except those that are still ending.
    pub fn put_away(&mut self, collection: CollectionId) {
        let (waiting, jobs) = (&mut self.waiting, &mut self.jobs);
        jobs.retain(|job| {
            let stays = job.record.collection_id != collection || job.running_since.is_some();
            if !stays {
                waiting.insert(job.record.id, collection);
            }
            stays
        });
    }

    pub fn job(&mut self, id: JobId) -> Option<&mut Job> {
        self.jobs.iter_mut().rev().find(|job| job.record.id == id)
    }

    pub fn next(&mut self) -> Option<&mut Job> {
        let running: Vec<_> = self.jobs.iter().filter(|job| job.record.state == JobState::Running).collect();
        if self.pausing || running.len() >= MAX_RUNNING {
            return None;
        }
        let busy: Vec<_> =
            running.iter().map(|job| job.record.collection_id).chain(self.held.iter().copied()).collect();
        let its_turn =
            |job: &&mut Job| job.record.state == JobState::Queued && !busy.contains(&job.record.collection_id);
        // Of the most urgent ones the oldest.
        self.jobs.iter_mut().filter(its_turn).min_by_key(|job| Reverse(job.record.request.priority()))
    }
}
