//! Jobs of users of a server.

use super::{JobState, Jobs};
use casetrack_host::report::Problem;
use casetrack_host::{Host, lock};

impl Jobs {
    /// Cancels the jobs of users who were removed, or may no longer change the collection. Documents that were stored by then stay.
    pub fn withdraw(&self, host: &Host) {
        let mut ended = false;
        for job in lock(&self.state).jobs.iter_mut().filter(|job| !job.record.state.has_ended()) {
            let Some(user) = &job.record.user else { continue };
            let Err(error) = host.rights_for_job(user, job.record.collection_id) else { continue };
            let problem = Problem::from(&error);
            job.cancel.cancel();
            if job.record.state == JobState::Queued {
                job.end(JobState::Cancelled, Some(problem));
                self.keep(&job.record);
                ended = true;
            } else {
                job.withdrawn = Some(problem);
            }
        }
        if ended {
            self.ended.notify_all();
        }
    }
}
