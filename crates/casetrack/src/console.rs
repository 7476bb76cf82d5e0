//! The client of a command that runs in the owner, as the command sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use casetrack_core::{Action, Cancel, CollectionId, Error, ErrorCode, Progress, ProgressSink, Result, hint};
use casetrack_engine::jobs::{JobOrigin, JobReport, JobRequest, JobState, StartedJob};
use casetrack_engine::{Engine, Host, vaults};
use casetrack_text::Reader;
use casetrack_text::format::{counted, thousands};
use casetrack_text::terminal::{dress, undress};
use serde::{Deserialize, Serialize};

use crate::keychain::VaultSlots;
use crate::options::Global;
use crate::privacy::umask;

/// How long one wait for a job lasts.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Between two waits for a job that is paused.
const PAUSE: Duration = Duration::from_millis(50);

/// Output that a client shows while it waits for a command.
#[derive(Debug, Serialize, Deserialize)]
pub enum Output {
    /// For standard output.
    Text(String),
    Progress(Progress),
    /// For standard error.
    Log(String),
    /// Not for people: the client needs the slots before it prompts for a passphrase.
    Vault(VaultSlots),
}

/// A client that waits for a command.
pub struct Console {
    pub global: Global,
    /// An engine with the settings of the client.
    pub engine: Arc<Engine>,
    /// Set when the client is interrupted or goes away.
    pub cancel: Cancel,
    pub directory: PathBuf,
    /// The permissions that files of the client's user do not get.
    pub umask: u32,
    /// Sends the client something to show. A client that has gone needs no answer.
    pub show: Arc<dyn Fn(Output) + Send + Sync>,
}

impl Console {
    pub fn host(&self) -> &Host {
        self.engine.host()
    }

    /// A path that the user gave, which may be relative to the client's directory.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.directory.join(path)
    }

    /// Gives a new file that the user requested the permissions of the user's files; the owner's files are private.
    pub fn hand_over(&self, file: &Path) -> Result<()> {
        umask::apply(self.umask, file).map_err(|error| Error::io(file.display(), error))
    }

    /// Prints a result: as JSON, or as the text that `text` makes of it, dressed for the client's terminal. Returns 0, the exit status of
    /// success.
    pub fn print<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<u8> {
        self.print_data(value, |value| match self.global.look {
            Some(look) => dress(&text(value), look),
            None => undress(&text(value)),
        })
    }

    /// As [`Self::print`], but the text is for a program or has its own colours, and goes out as it is.
    pub fn print_data<T: Serialize>(&self, value: &T, text: impl FnOnce(&T) -> String) -> Result<u8> {
        (self.show)(Output::Text(Reader::CommandLine.result(value, self.global.json, text)?));
        Ok(0)
    }

    /// Does work in a job, as the tools do, and waits for its end. `part` takes the report of this kind of work.
    ///
    /// A client that interrupts or disconnects cancels the job if it was started here. A job that was already running continues: another
    /// client started it.
    pub fn work<R>(
        &self,
        collection: CollectionId,
        request: JobRequest,
        part: impl FnOnce(JobReport) -> Option<R>,
    ) -> Result<R> {
        self.wait_for(self.engine.start_job(collection, request, JobOrigin::User)?, part)
    }

    /// Waits for the end of a job; see [`Self::work`].
    pub fn wait_for<R>(&self, started: StartedJob, part: impl FnOnce(JobReport) -> Option<R>) -> Result<R> {
        let StartedJob { mut job, joined } = started;
        let id = job.job_id;
        if job.state == JobState::Queued {
            self.note("Waiting for other work to finish.".to_owned());
        }
        let progress = self.progress();
        while !job.state.has_ended() {
            job = self.engine.wait_for_job(id, PATIENCE, &progress, &self.cancel)?;
            if job.state.has_ended() {
                break;
            }
            if !self.cancel.is_cancelled() {
                // This process is exiting, and closes the connection. The client connects to the next process, in which the job continues.
                std::thread::sleep(PAUSE);
                continue;
            }
            if joined {
                return Err(Error::new(ErrorCode::Cancelled, format!("Stopped waiting. Job {id} continues."))
                    .with_hint(hint!["See its progress with ", Action::GetJob, "."]));
            }
            self.engine.cancel_job(id)?;
            // It may still have a large document to store.
            job = self.engine.wait_for_job(id, PATIENCE, &progress, &Cancel::default())?;
            if !job.state.has_ended() {
                return Err(Error::cancelled());
            }
        }
        if job.state == JobState::Cancelled {
            let files = match job.files_total {
                Some(total) => format!("{} of {} are done. ", thousands(job.files_done), counted(total, "file")),
                None => String::new(),
            };
            self.note(format!(
                "Stopped. {files}Documents that were stored are kept. Run the same command again to \
                continue."
            ));
        }
        match (self.engine.job_report(id)?.and_then(part), job.problem) {
            (Some(report), _) => Ok(report),
            (None, Some(problem)) => Err(problem.into_error()),
            (None, None) => Err(Error::internal(format!("Job {id} left no report."))),
        }
    }

    pub fn note(&self, line: String) {
        if !self.global.quiet {
            (self.show)(Output::Log(line));
        }
    }

    /// Writes a file that the user requested. A new one gets the permissions of the user's files.
    pub fn write(&self, file: &Path, content: &[u8]) -> Result<()> {
        let is_new = !file.exists();
        std::fs::write(file, content).map_err(|error| Error::io(file.display(), error))?;
        if is_new { self.hand_over(file) } else { Ok(()) }
    }

    /// Sends the client the slots of a vault that a keychain opens.
    pub fn found_vault(&self, id: CollectionId) {
        // A damaged header reveals nothing; the next step reports it.
        let slots = vaults::vault_slots(self.host(), id).map(|vault| vault.slots).unwrap_or_default();
        let keychain_slots = slots.into_iter().filter(|slot| slot.kind == "keychain").map(|slot| slot.id).collect();
        (self.show)(Output::Vault(VaultSlots { id, keychain_slots }));
    }

    pub fn progress(&self) -> ProgressSink {
        let show = Arc::clone(&self.show);
        Arc::new(move |event: Progress| show(Output::Progress(event)))
    }
}
