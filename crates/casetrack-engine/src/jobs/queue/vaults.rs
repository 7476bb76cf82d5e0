//! Jobs of vaults: they stop when the vault is locked, and continue when it is unlocked.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use casetrack_core::{CollectionId, Error, ErrorCode, Result};
use casetrack_store::Owned;

use super::{Job, JobState, Jobs, Loaded, PAUSE_PATIENCE, State};
use casetrack_host::{Host, lock};

impl Jobs {
    /// Takes over jobs from disk; jobs of locked collections are only counted.
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
                tracing::info!(job = %record.id, collection = %record.collection_id, "an interrupted job continues");
            }
            state.jobs.push(Job::new(record));
        }
        state.jobs.sort_by_key(|job| (job.record.created_at, job.record.id));
        Ok(())
    }

    /// Stops the jobs of a collection, and starts none of them until it is [released](Self::release). Returns the number that have not
    /// ended.
    pub fn interrupt(&self, collection: CollectionId) -> usize {
        let mut state = lock(&self.state);
        state.held.insert(collection);
        let mut unfinished = 0;
        for job in state.jobs.iter_mut().filter(|job| job.record.collection_id == collection) {
            unfinished += usize::from(!job.record.state.has_ended());
            if job.running_since.is_some() {
                job.interrupted = true;
                job.cancel.cancel();
            }
        }
        unfinished
    }

    /// Waits for jobs that were [interrupted](Self::interrupt), and removes their requests. A job that has not stopped after `patience` is
    /// removed when it has, and continues like the others. Returns true if all have.
    pub fn settle(self: &Arc<Self>, host: &Host, collection: CollectionId, patience: Duration) -> bool {
        let running = |state: &mut State| {
            state.jobs.iter().any(|job| job.record.collection_id == collection && job.running_since.is_some())
        };
        let waited = self.ended.wait_timeout_while(lock(&self.state), patience, running);
        let (mut state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        state.put_away(collection);
        drop(state);
        self.ended.notify_all();
        self.launch(host);
        !waited.timed_out()
    }

    /// Interrupts the jobs of a collection, which continue when it is [released](Self::release), and waits for them to pause.
    ///
    /// Errors: [`ErrorCode::InUse`] if one does not pause; then they continue.
    pub fn hold(self: &Arc<Self>, host: &Host, collection: CollectionId) -> Result<()> {
        self.interrupt(collection);
        if self.settle(host, collection, PAUSE_PATIENCE) {
            return Ok(());
        }
        self.release(host, collection)?;
        Err(Error::new(ErrorCode::InUse, "A job of the collection is writing a large document.")
            .with_hint("Try again in a moment."))
    }

    /// The unsealed files of the jobs of a collection, which is [held](Self::hold).
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
