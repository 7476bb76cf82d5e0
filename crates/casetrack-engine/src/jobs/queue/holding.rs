//! Jobs of vaults: they stop when the vault is locked, and go on when it is unlocked.

use std::sync::{Arc, PoisonError};

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::Owned;

use super::{Job, JobState, Jobs, Loaded, PAUSE_PATIENCE, State};
use crate::host::{Host, lock};

impl Jobs {
    /// Takes over what was written down of jobs; those of collections that are locked are only counted.
    pub(super) fn take(&self, loaded: Loaded) -> Result<()> {
        let mut state = lock(&self.state);
        state.waiting.extend(loaded.locked);
        for mut record in loaded.records {
            if state.held.contains(&record.collection_id) {
                state.waiting.insert(record.id, record.collection_id);
                continue;
            }
            if state.job(record.id).is_some() {
                continue;
            }
            if record.state == JobState::Running {
                record.state = JobState::Queued;
                record.resumed += 1;
                self.records.save(&record)?;
                tracing::info!(job = %record.id, collection = %record.collection_id, "an interrupted job goes on");
            }
            state.jobs.push(Job::new(record));
        }
        state.jobs.sort_by_key(|job| (job.record.created_at, job.record.id));
        Ok(())
    }

    /// Interrupts the jobs of a collection, which go on when it is [released](Self::release), waits for them to pause, and forgets what they
    /// are about. How many have not ended.
    ///
    /// Errors: [`ErrorCode::InUse`] where one does not pause; then they go on.
    pub fn hold(self: &Arc<Self>, host: &Host, collection: CollectionId) -> Result<usize> {
        let mut state = lock(&self.state);
        state.held.insert(collection);
        let of_it = |job: &Job| job.record.collection_id == collection;
        state.jobs.iter().filter(|job| of_it(job) && job.running_since.is_some()).for_each(|job| job.cancel.cancel());
        let still_running = |state: &mut State| state.jobs.iter().any(|job| of_it(job) && job.running_since.is_some());
        let waited = self.ended.wait_timeout_while(state, PAUSE_PATIENCE, still_running);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            drop(state);
            self.release(host, collection)?;
            return Err(Error::new(ErrorCode::InUse, "A job of the collection is writing a large document.")
                .with_hint("Try again in a moment."));
        }
        let mut unfinished = 0;
        let mut waiting = Vec::new();
        state.jobs.retain(|job| {
            if of_it(job) {
                unfinished += usize::from(!job.record.state.has_ended());
                waiting.push((job.record.id, collection));
            }
            !of_it(job)
        });
        state.waiting.extend(waiting);
        drop(state);
        self.ended.notify_all();
        self.launch(host);
        Ok(unfinished)
    }

    /// What is written down of the jobs of a collection, which is [held](Self::hold).
    pub fn written(&self, collection: CollectionId) -> Result<Vec<Owned>> {
        self.records.written(collection)
    }

    /// Takes up the jobs of a collection again.
    pub fn release(self: &Arc<Self>, host: &Host, collection: CollectionId) -> Result<()> {
        {
            let mut state = lock(&self.state);
            state.held.remove(&collection);
            state.waiting.retain(|_, of| *of != collection);
        }
        let mut loaded = self.records.load()?;
        loaded.records.retain(|record| record.collection_id == collection);
        loaded.locked.retain(|(_, of)| *of == collection);
        self.take(loaded)?;
        self.launch(host);
        Ok(())
    }
}
