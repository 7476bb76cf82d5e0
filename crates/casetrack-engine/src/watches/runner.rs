//! The thread that watches.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::{CollectionStatus, Error, ErrorCode, JobId, Result, Timestamp, WatchId};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::debounce::Pending;
use super::list::{Condition, Message, WatchRecord};
use super::{LastSync, Schedule, WatchState, Watches};
use crate::jobs::{JobFilter, JobKind, JobOrigin, JobRequest, JobState, JobStatus, Jobs};
use casetrack_host::documents::marking::MarkSource;
use casetrack_host::{DiskEvents, FolderIdentity, Host, Unwatchable, is_remote};
use casetrack_ingest::sync::{SyncRequest, WithheldRemoval};

/// The interval between two checks for due syncs.
const TICK: Duration = Duration::from_millis(250);
/// Between two checks of whether a folder exists.
const FOLDER_CHECK: Duration = Duration::from_secs(1);
const SCHEDULE_CHECK: Duration = Duration::from_secs(60);
/// Between two syncs of a folder that is polled.
pub(super) const POLL: Duration = Duration::from_secs(10);
/// Until a sync that failed as a whole is tried again.
const RETRY: Duration = Duration::from_secs(60);
/// Files and folders named that could not be read.
const FAILURES_NAMED: usize = 10;
/// Files that a container no longer holds, in the record of a watch.
const MEMBERS_NAMED: usize = 10;

pub(super) fn start(watches: &Arc<Watches>, host: &Host, jobs: &Arc<Jobs>) -> Result<()> {
    let (sender, receiver) = unbounded();
    watches.open(sender.clone())?;
    let data_dir =
        casetrack_core::real_path(&host.config().data_dir).unwrap_or_else(|_| host.config().data_dir.clone());
    let syncs = Syncs { host: host.clone(), jobs: Arc::clone(jobs), watches: Arc::clone(watches) };
    let runner = Runner { syncs, data_dir, sender, live: BTreeMap::new() };
    let thread = std::thread::Builder::new().name("watch".to_owned());
    thread.spawn(move || runner.run(&receiver)).map_err(|error| Error::io("a new thread", error))?;
    Ok(())
}

struct Runner {
    syncs: Syncs,
    data_dir: PathBuf,
    /// For the receivers of events.
    sender: Sender<Message>,
    live: BTreeMap<WatchId, Live>,
}

/// Begins syncs, and keeps their results.
struct Syncs {
    host: Host,
    jobs: Arc<Jobs>,
    watches: Arc<Watches>,
}

struct Live {
    record: WatchRecord,
    pending: Pending,
    notifier: Notifier,
    /// The folder that `notifier` watches: a folder that was removed and made again is another.
    seen: Option<FolderIdentity>,
    checked_at: Option<Instant>,
    /// The collection takes no changes.
    paused: bool,
    /// A sync is to begin now, quiet or not.
    overdue: bool,
    retry_at: Option<Instant>,
    /// When it was last checked whether a withheld removal was confirmed.
    answer_checked_at: Option<Instant>,
    job: Option<JobId>,
    /// Why the last attempt to start a sync failed.
    refused: Option<String>,
}

/// The means by which changes are noticed.
enum Notifier {
    Closed,
    /// The operating system reports them.
    System {
        _events: DiskEvents,
    },
    /// By comparing the folder now and then; `why` is the reason.
    Polling {
        next: Instant,
        why: String,
    },
}

impl Runner {
    fn run(mut self, receiver: &Receiver<Message>) {
        self.read_list();
        let mut schedules = Instant::now();
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // Thousands of files that change at once are thousands of events.
            for message in receiver.try_iter() {
                match message {
                    Message::Stop => return,
                    message => self.take(message),
                }
            }
            let now = Instant::now();
            if now.duration_since(schedules) >= SCHEDULE_CHECK {
                schedules = now;
                let time = Timestamp::now();
                for live in self.live.values_mut() {
                    live.overdue |= live.record.next_sync_at().is_some_and(|next| next <= time);
                }
            }
            for live in self.live.values_mut() {
                let condition = live.step(&self.syncs, &self.sender, now);
                self.syncs.watches.show(live.record.id, condition);
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Wake => self.read_list(),
            Message::Event(id, event) => {
                if let Some(live) = self.live.get_mut(&id) {
                    live.hear(event, &self.data_dir);
                }
            }
            Message::Stop => {}
        }
    }

    /// Takes over the changes in the list.
    fn read_list(&mut self) {
        let records = self.syncs.watches.records();
        self.live.retain(|id, _| records.iter().any(|record| record.id == *id));
        for record in records {
            match self.live.get_mut(&record.id) {
                Some(live) => {
                    // A folder that was not watched is synced once to begin with.
                    live.overdue |= live.record.schedule == Schedule::Manual && record.schedule != Schedule::Manual;
                    live.record = record;
                }
                None => drop(self.live.insert(record.id, Live::new(record))),
            }
        }
    }
}

impl Live {
    fn new(record: WatchRecord) -> Self {
        Self {
            overdue: record.schedule != Schedule::Manual,
            record,
            pending: Pending::default(),
            notifier: Notifier::Closed,
            seen: None,
            checked_at: None,
            paused: false,
            retry_at: None,
            answer_checked_at: None,
            job: None,
            refused: None,
        }
    }

    fn hear(&mut self, event: notify::Result<notify::Event>, data_dir: &Path) {
        match event {
            Ok(event) => {
                self.pending.take(&event, &self.record.folder, data_dir, Instant::now());
            }
            Err(error) => {
                tracing::warn!(folder = %self.record.folder.display(), %error, "a watched folder");
                self.notifier = polling(&Unwatchable::from(&error));
            }
        }
    }

    /// Runs the due syncs, and reports the state of the watch.
    fn step(&mut self, syncs: &Syncs, sender: &Sender<Message>, now: Instant) -> Condition {
        self.follow_job(syncs, now);
        let condition = |state, detail: Option<String>| Condition { state, detail, job: None };
        if self.record.schedule == Schedule::Manual {
            self.notifier = Notifier::Closed;
            self.pending.clear();
            self.overdue = false;
            return condition(WatchState::Manual, None);
        }
        if self.checked_at.is_none_or(|checked| now.duration_since(checked) >= FOLDER_CHECK) {
            self.checked_at = Some(now);
            // One that is gone is noticed when a sync begins.
            let meta = syncs.host.store().meta(self.record.collection_id);
            self.paused = meta.is_ok_and(|meta| meta.status != CollectionStatus::Active);
            if !self.paused {
                self.check_folder(sender, now);
            }
        }
        if self.paused {
            self.notifier = Notifier::Closed;
            self.pending.clear();
            self.retry_at = None;
            let detail = "The collection is closed or archived. The folder is synced when the collection is reopened.";
            return condition(WatchState::Paused, Some(detail.to_owned()));
        }
        if self.seen.is_none() {
            let detail = "The folder does not exist, or its drive is not connected. The documents stay; they are synced when it is back.";
            return condition(WatchState::FolderMissing, Some(detail.to_owned()));
        }
        let mut detail = None;
        if let Notifier::Polling { next, why } = &mut self.notifier {
            detail = Some(format!("Checked every {} seconds: {why}", POLL.as_secs()));
            if now >= *next {
                *next = now + POLL;
                self.overdue = true;
            }
        }
        self.overdue |= self.is_answered(syncs, now);
        let retry = self.retry_at.is_some_and(|at| now >= at);
        if self.job.is_none() && (self.overdue || retry || self.pending.is_due(now)) {
            self.begin_sync(syncs, now);
        }
        if let Some(job) = self.job {
            return Condition { state: WatchState::Syncing, detail, job: Some(job) };
        }
        if self.retry_at.is_some() {
            let last = self.record.last_sync.as_ref().and_then(|last| last.problem.as_ref());
            let why = self.refused.clone().or_else(|| last.map(|problem| problem.message.clone()));
            return condition(WatchState::Failing, why.or(detail));
        }
        match (self.pending.is_empty(), self.question()) {
            (false, _) => condition(WatchState::Pending, detail),
            (true, Some(question)) => condition(WatchState::AwaitingConfirmation, Some(question)),
            (true, None) => condition(WatchState::Watching, detail),
        }
    }

    /// The removal that the last sync did not make.
    fn withheld(&self) -> Option<&WithheldRemoval> {
        let last = self.record.last_sync.as_ref().filter(|_| self.record.auto_remove_deleted);
        last.and_then(|last| last.withheld.as_ref())
    }

    /// The words that ask for the confirmation of a removal.
    fn question(&self) -> Option<String> {
        let members = self.record.last_sync.as_ref().map_or(0, |last| last.withheld_members);
        self.withheld().map(to_confirm).or_else(|| (members > 0).then(|| members_to_confirm(members)))
    }

    /// True if a removal that was withheld may have been confirmed since, or its files may be back. A drive that is connected below the folder
    /// causes no event.
    fn is_answered(&mut self, syncs: &Syncs, now: Instant) -> bool {
        let (Some(_), Some(last)) = (self.question(), &self.record.last_sync) else { return false };
        if self.answer_checked_at.is_some_and(|checked| now.duration_since(checked) < FOLDER_CHECK) {
            return false;
        }
        let is_settled = Timestamp::now().0.saturating_sub(last.finished_at.0) >= RETRY.as_millis() as i64;
        let examples = self.withheld().map_or(&[][..], |withheld| withheld.examples.as_slice());
        let are_back = is_settled && examples.iter().any(|path| Path::new(path).exists());
        let jobs = syncs.jobs.list(JobFilter { collection: Some(self.record.collection_id), active: false });
        let confirms = |job: &JobStatus| {
            job.origin == JobOrigin::User
                && job.kind == JobKind::SyncFolder
                && job.finished_at.is_some_and(|finished| finished > last.finished_at)
        };
        let is_answered = are_back || jobs.iter().any(confirms);
        self.answer_checked_at = Some(now);
        is_answered
    }

    fn follow_job(&mut self, syncs: &Syncs, now: Instant) {
        let Some(id) = self.job else { return };
        let status = match syncs.jobs.status(id) {
            Ok(status) if !status.state.has_ended() => return,
            Ok(status) => status,
            // Removed already.
            Err(_) => return self.job = None,
        };
        self.job = None;
        self.retry_at = (status.state == JobState::Failed).then(|| now + RETRY);
        let last = last_sync(&syncs.jobs, &status);
        self.record.last_sync = Some(last.clone());
        if let Err(error) = syncs.watches.change(self.record.id, |record| record.last_sync = Some(last)) {
            tracing::warn!(%error, "the end of a sync was not saved");
        }
    }

    fn check_folder(&mut self, sender: &Sender<Message>, now: Instant) {
        let there = FolderIdentity::of(&self.record.folder);
        if there.is_none() {
            self.notifier = Notifier::Closed;
            self.pending.clear();
            self.retry_at = None;
        } else if there != self.seen || matches!(self.notifier, Notifier::Closed) {
            let again = self.seen.is_some() || self.record.last_sync.is_some();
            self.notifier = open_notifier(&self.record, sender);
            // Changes before, and while the watching began.
            self.overdue |= !again;
            self.pending.mark(now);
        }
        self.seen = there;
    }

    fn begin_sync(&mut self, syncs: &Syncs, now: Instant) {
        self.overdue = false;
        self.retry_at = None;
        let request = SyncRequest {
            remove_deleted: self.record.auto_remove_deleted,
            extensions: self.record.extensions.clone(),
            awaited: self.pending.begin(now),
            trust_times: true,
            marks: MarkSource { folders: self.record.tags_from_folders, csv: None },
            ..SyncRequest::new(self.record.folder.clone())
        };
        let host = syncs.host.with_recorded(self.record.config.clone());
        let (collection, request) = (self.record.collection_id, JobRequest::SyncFolder(request));
        let started = syncs.jobs.start(&host, collection, request, JobOrigin::Watch);
        match started {
            Ok(started) => {
                self.refused = None;
                self.job = Some(started.job.job_id);
            }
            Err(error) if error.code == ErrorCode::NotFound => {
                // The collection's directory was deleted or moved away.
                tracing::warn!(folder = %self.record.folder.display(), collection = self.record.collection, "the watch of a collection that is gone ends");
                syncs.watches.forget_collection(self.record.collection_id);
            }
            Err(error) => {
                self.refused = Some(error.message);
                self.retry_at = Some(now + RETRY);
            }
        }
    }
}

fn to_confirm(withheld: &WithheldRemoval) -> String {
    format!(
        "{} Put the files back, or connect their drive. To remove the documents, sync the folder with --remove-deleted \
         --confirm-removal (sync_folder: remove_deleted and confirm_removal).",
        withheld.reason()
    )
}

fn members_to_confirm(documents: u64) -> String {
    let documents = if documents == 1 { "1 document".to_owned() } else { format!("{documents} documents") };
    format!(
        "Mailboxes or archives lost more than half of their files at once, so {documents} of files that they no longer hold were kept. To \
         remove them, sync the folder with --confirm-removal (sync_folder: confirm_removal)."
    )
}

fn last_sync(jobs: &Jobs, status: &JobStatus) -> LastSync {
    let report = jobs.report(status.job_id).ok().flatten().and_then(|report| report.sync).unwrap_or_default();
    let failures = report.failed.iter().map(|file| format!("{}: {}", file.relative_path, file.problem.message));
    LastSync {
        finished_at: status.finished_at.unwrap_or_else(Timestamp::now),
        job_id: status.job_id,
        new: report.new.len() as u64,
        changed: report.changed.len() as u64,
        moved: report.moved.len() as u64,
        removed: report.removed.len() as u64,
        missing: report.missing.len() as u64,
        withheld: report.withheld,
        gone_members: report.gone_members.len() as u64,
        gone_member_paths: report.gone_members.iter().take(MEMBERS_NAMED).map(|member| member.path.clone()).collect(),
        withheld_members: report.withheld_members.len() as u64,
        failed: failures.take(FAILURES_NAMED).collect(),
        failed_count: report.failed.len() as u64,
        // A link back to a folder around it is no file that was not read.
        unsupported: report.unsupported.iter().filter(|file| !Path::new(&file.path).is_dir()).count() as u64,
        problem: status.problem.clone(),
    }
}

/// Has the operating system report changes, or polls if it cannot.
fn open_notifier(record: &WatchRecord, sender: &Sender<Message>) -> Notifier {
    if is_remote(&record.folder) {
        let why = "it is on a network drive, whose changes the operating system does not report.".to_owned();
        return Notifier::Polling { next: Instant::now() + POLL, why };
    }
    let (id, sender) = (record.id, sender.clone());
    let forward = move |event| {
        // The receiver has ended.
        let _ = sender.send(Message::Event(id, event));
    };
    match DiskEvents::below(&record.folder, forward) {
        Ok(events) => Notifier::System { _events: events },
        Err(error) => {
            tracing::warn!(folder = %record.folder.display(), why = error.why, "the operating system does not watch a folder");
            polling(&error)
        }
    }
}

fn polling(error: &Unwatchable) -> Notifier {
    Notifier::Polling { next: Instant::now() + POLL, why: error.why.clone() }
}
