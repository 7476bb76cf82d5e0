//! Ingestion that several machines do together, into one collection of a database. One offers the files there as work, and every machine
//! takes a few at a time, until there are none.
//!
//! A machine has a lease on the files that it took, and prolongs it; if the machine is killed, others take the files when the lease ends. If two
//! machines read the same file, the store keeps the document of one. A file that cannot be read is put back with the reason: it may be there, or have
//! its password, on another machine. When all work is done, each machine reports the files that no machine could read, and the machine that offered
//! them withdraws them.

mod leases;

use std::collections::{HashMap, HashSet};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{
    DocumentType, Error, ErrorCode, JobId, Notice, Progress, ProgressSink, ProgressTotals, Result, Timestamp,
};
use casetrack_store::{Lease, SharedStore, WorkCounts, WorkFilter};
use crossbeam_channel::bounded;
use serde::{Deserialize, Serialize};

use super::discover::{self, Discovery};
use super::file::SourceFile;
use super::{FailedFile, IngestReport, IngestRequest, Problem, Sharing, WorkContext, ingest_files, record_unread};
use leases::{HeldLeases, LEASE};

/// Files that a machine takes at a time: enough to read some while others are embedded, and so few that no machine waits for another.
const FILES: u32 = 8;
/// The time between two queries for work, while others have all of it.
const PAUSE: Duration = Duration::from_millis(500);
/// Times that a file was taken and neither done nor put back. Then it probably ends the program.
const MOST_LOST: usize = 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Offer {
    /// The files that were offered together, and their number.
    batch: JobId,
    files: u64,
    relative: String,
    in_folder: bool,
    settings: Settings,
    /// The reasons why it could not be read, by machine.
    failures: Vec<Failure>,
}

/// The settings of the machine that offered a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Settings {
    document_type: Option<DocumentType>,
    skip_existing: bool,
    copy_original: bool,
    since: Option<Timestamp>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Failure {
    machine: String,
    problem: Problem,
}

impl Offer {
    fn of(lease: &Lease) -> Result<Self> {
        serde_json::from_slice(&lease.content).map_err(|error| {
            Error::new(ErrorCode::NewerSchema, format!("The record of {} cannot be read: {error}.", lease.name))
                .with_hint("Another version of CaseTrack shared it. Use the same version on all machines.")
        })
    }

    fn encode(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::internal(format!("A file that is offered: {error}")))
    }

    /// The report of a file that no machine could read.
    fn failed(&self, path: &str) -> FailedFile {
        let mut reasons = self.failures.iter();
        let problem = match reasons.next() {
            Some(first) => {
                let others: String =
                    reasons.map(|other| format!(" On {}: {}", other.machine, other.problem.message)).collect();
                let message = format!("On {}: {}{others}", first.machine, first.problem.message);
                Problem { message, ..first.problem.clone() }
            }
            None => {
                let message = format!("{path} was read several times, and the program crashed each time.");
                Problem::from(&Error::new(ErrorCode::UnreadableFile, message))
            }
        };
        FailedFile { relative_path: self.relative.clone(), path: path.to_owned(), container: None, problem }
    }
}

struct LeasedFile {
    lease: Lease,
    offered: Offer,
}

pub(super) fn ingest(work: WorkContext<'_>, request: &IngestRequest) -> Result<IngestReport> {
    let started = Instant::now();
    let server = work.host.only_on_server("Files that machines read together")?;
    let held = HeldLeases::default();
    let mut sharing = SharedIngestion {
        work,
        server,
        request,
        machine: machine(),
        wanted: WorkFilter::default(),
        report: IngestReport { collection: work.collection.meta().name.clone(), ..IngestReport::default() },
        batches: HashMap::new(),
        own: 0,
        done: Arc::default(),
        held: &held,
    };
    match request.sharing {
        Sharing::Offer => sharing.offer()?,
        _ => sharing.wanted = sharing.work_below(request.paths.iter().map(PathBuf::as_path))?,
    }
    thread::scope(|scope| {
        let held = sharing.held;
        let (work_ends, end) = bounded(0);
        let keeping =
            thread::Builder::new().name("keep".into()).spawn_scoped(scope, move || held.prolong(server, &end));
        keeping.map_err(|error| Error::io("a new thread", error))?;
        let worked = sharing.take_part();
        drop(work_ends);
        held.give_back(server);
        worked
    })?;
    let mut report = sharing.report;
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

fn machine() -> String {
    let kept = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = kept.or(named).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "another machine".to_owned())
}

struct SharedIngestion<'w> {
    work: WorkContext<'w>,
    server: &'w dyn SharedStore,
    request: &'w IngestRequest,
    machine: String,
    wanted: WorkFilter,
    report: IngestReport,
    /// The number of files of each batch that was seen.
    batches: HashMap<JobId, u64>,
    /// Files that this machine has done.
    own: u64,
    /// The known number of files that all machines have finished.
    done: Arc<AtomicU64>,
    held: &'w HeldLeases,
}

impl SharedIngestion<'_> {
    /// Work on files in these places. A joining machine reads nothing elsewhere, even if another machine offers it.
    fn work_below<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Result<WorkFilter> {
        let mut wanted = WorkFilter::default();
        for path in paths {
            let real = self.work.host.config().access.check(path)?;
            let name = real.to_str().ok_or_else(|| {
                Error::invalid(format!("{} is not Unicode.", path.display())).with_hint("Give the folder another name.")
            })?;
            match real.is_dir() {
                true if name.ends_with(MAIN_SEPARATOR) => wanted.prefixes.push(name.to_owned()),
                true => wanted.prefixes.push(format!("{name}{MAIN_SEPARATOR}")),
                false => wanted.names.push(name.to_owned()),
            }
        }
        Ok(wanted)
    }

    fn offer(&mut self) -> Result<()> {
        let mut discovery = discover::discover(self.request, self.work.host.config(), self.work.cancel)?;
        // A name of work is text. Ingestion refuses and reports the others.
        let named = discovery.files.extract_if(.., |file| file.path.to_str().is_some());
        let shared: HashMap<String, SourceFile> =
            named.filter_map(|file| Some((file.path.to_str()?.to_owned(), file))).collect();
        let silent: ProgressSink = Arc::new(|_| {});
        self.report = ingest_files(WorkContext { progress: &silent, ..self.work }, self.request, discovery)?;
        let mut names: Vec<String> = shared.keys().cloned().collect();
        names.sort_unstable();
        let IngestRequest { document_type, skip_existing, copy_original, since, .. } = *self.request;
        let (batch, settings) = (JobId::random(), Settings { document_type, skip_existing, copy_original, since });
        let offered = self.server.offer(self.work.collection.meta().id, &names, &|name, files| {
            let (relative, in_folder) = match shared.get(name) {
                Some(file) => (file.relative.clone(), file.in_folder),
                None => (name.to_owned(), true),
            };
            Offer { batch, files, relative, in_folder, settings: settings.clone(), failures: Vec::new() }.encode()
        })?;
        if offered > 0 {
            self.batches.insert(batch, offered);
        }
        let existing = self.request.paths.iter().map(PathBuf::as_path).filter(|path| path.exists());
        self.wanted = self.work_below(existing)?;
        // Links lead out of folders.
        let WorkFilter { names: wanted, prefixes, .. } = &self.wanted;
        names.retain(|name| !wanted.contains(name) && !prefixes.iter().any(|prefix| name.starts_with(prefix)));
        self.wanted.names.append(&mut names);
        Ok(())
    }

    /// Takes files and ingests them until there are none, for this machine and all others.
    fn take_part(&mut self) -> Result<()> {
        let mut taken = self.take()?;
        while !self.is_stopped() {
            if taken.is_empty() {
                let held_by_others = self.update_progress()?;
                // What they had may have been put back since.
                taken = self.take()?;
                if taken.is_empty() && held_by_others == 0 {
                    break;
                }
                if taken.is_empty() {
                    self.rest();
                }
                continue;
            }
            let ended = self.ingest(taken)?;
            // Before it settles those that it has: a machine without a file has found no work.
            taken = match self.is_stopped() {
                true => Vec::new(),
                false => self.take()?,
            };
            self.settle(ended)?;
            self.update_progress()?;
        }
        if self.is_stopped() {
            self.report.summary.stopped.get_or_insert_with(|| Problem::from(&Error::cancelled()));
            return Ok(());
        }
        self.name_failures()?;
        let all = self.offered();
        let others = all.saturating_sub(self.own + self.report.failed.len() as u64);
        if others > 0 {
            self.report.summary.notices.push(format!("Other machines read {others} of the {all} files.").into());
        }
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.work.cancel.is_cancelled() || self.report.summary.stopped.is_some()
    }

    /// Files of the batches that were seen.
    fn offered(&self) -> u64 {
        self.batches.values().fold(0, |all, files| all.saturating_add(*files))
    }

    fn take(&mut self) -> Result<Vec<LeasedFile>> {
        let leases = self.server.take(self.work.collection.meta().id, &self.wanted, FILES, LEASE)?;
        self.held.add(&leases);
        let file = |lease| Ok(LeasedFile { offered: Offer::of(&lease)?, lease });
        let taken: Vec<LeasedFile> = leases.into_iter().map(file).collect::<Result<_>>()?;
        self.batches.extend(taken.iter().map(|file| (file.offered.batch, file.offered.files)));
        Ok(taken)
    }

    /// Ingests files. Returns each with the problem if it could not be read here.
    fn ingest(&mut self, taken: Vec<LeasedFile>) -> Result<Vec<(LeasedFile, Option<Problem>)>> {
        let mut ended = Vec::new();
        let mut groups: Vec<(Settings, Vec<LeasedFile>, Vec<SourceFile>)> = Vec::new();
        for file in taken {
            let lost = (file.lease.taken as usize).saturating_sub(1 + file.offered.failures.len());
            let found = match lost > MOST_LOST {
                true => Err(Error::new(
                    ErrorCode::UnreadableFile,
                    "Every process that tried to read this file crashed \
                    or was killed.",
                )),
                false => self.find(&file),
            };
            match found {
                Err(error) => ended.push((file, Some(Problem::from(&error)))),
                Ok(found) => {
                    let settings = file.offered.settings.clone();
                    match groups.iter_mut().find(|(own, ..)| *own == settings) {
                        Some((_, files, sources)) => {
                            files.push(file);
                            sources.push(found);
                        }
                        None => groups.push((settings, vec![file], vec![found])),
                    }
                }
            }
        }
        for (Settings { document_type, skip_existing, copy_original, since }, files, found) in groups {
            let request = IngestRequest {
                document_type,
                skip_existing,
                copy_original,
                since,
                password: self.request.password.clone(),
                throttle: self.request.throttle,
                ..IngestRequest::new(Vec::new())
            };
            let discovery = Discovery { files: found, ..Discovery::default() };
            let paths: HashSet<&str> = files.iter().map(|file| file.lease.name.as_str()).collect();
            let progress = self.progress_of_all(self.report.summary.chunks);
            let mut report = ingest_files(WorkContext { progress: &progress, ..self.work }, &request, discovery)?;
            record_unread(self.work.collection, &report)?;
            // Those of members of containers stay: their container was read.
            let own = report.failed.extract_if(.., |file| paths.contains(file.path.as_str()));
            let mut problems: HashMap<String, Problem> = own.map(|file| (file.path, file.problem)).collect();
            let stored = report.ingested.iter().map(|document| &document.path);
            let done: HashSet<String> = stored.chain(report.skipped.iter().map(|file| &file.path)).cloned().collect();
            for file in files {
                let problem = match problems.remove(&file.lease.name) {
                    // It was not its turn before the end.
                    None if !done.contains(&file.lease.name) => report.summary.stopped.clone(),
                    problem => problem,
                };
                ended.push((file, problem));
            }
            self.add(report);
        }
        Ok(ended)
    }

    fn find(&self, file: &LeasedFile) -> Result<SourceFile> {
        let path = PathBuf::from(&file.lease.name);
        let real = self.work.host.config().access.check(&path)?;
        if real != path {
            let message = format!("{} leads to {} on this machine.", path.display(), real.display());
            return Err(Error::new(ErrorCode::AccessDenied, message).with_hint("Ingest that file by itself."));
        }
        let Offer { relative, in_folder, .. } = &file.offered;
        Ok(SourceFile {
            path,
            relative: relative.clone(),
            in_folder: *in_folder,
            depth: 1,
            container: None,
            copy: None,
        })
    }

    /// Removes files that are done from the work, and puts the others back.
    fn settle(&mut self, ended: Vec<(LeasedFile, Option<Problem>)>) -> Result<()> {
        for (LeasedFile { mut lease, mut offered }, problem) in ended {
            self.held.remove(&lease);
            let settled = match problem {
                None => self.server.finish(&lease).map(|()| self.own += 1),
                Some(problem) => {
                    if self.report.summary.stopped.is_none() {
                        let machine = self.machine.clone();
                        offered.failures.push(Failure { machine, problem });
                        lease.content = offered.encode()?;
                    }
                    self.wanted.except.push(lease.name.clone());
                    self.server.put_back(&lease)
                }
            };
            match settled {
                // Its time was over, and another one has it.
                Err(error) if error.code == ErrorCode::WrongState => {
                    tracing::debug!(%error, "a file was taken by others")
                }
                settled => settled?,
            }
        }
        Ok(())
    }

    /// Reports the files that no machine could read. The machine that offered them withdraws them.
    fn name_failures(&mut self) -> Result<()> {
        // Only these: others may offer more meanwhile.
        let failed = std::mem::take(&mut self.wanted.except);
        self.wanted = WorkFilter { names: failed, ..WorkFilter::default() };
        loop {
            let taken = self.take()?;
            if taken.is_empty() && self.update_progress()? == 0 || self.work.cancel.is_cancelled() {
                break;
            }
            if taken.is_empty() {
                // Another machine is naming it as well, or has come to try it.
                self.rest();
            }
            for LeasedFile { lease, offered } in taken {
                let failed = offered.failed(&lease.name);
                (self.work.progress)(Progress::FileDone {
                    path: lease.name.clone().into(),
                    problem: Some(failed.problem.message.clone()),
                    files: self.done.fetch_add(1, Ordering::Relaxed) + 1,
                    chunks: self.report.summary.chunks,
                });
                self.report.failed.push(failed);
                self.report.found += 1;
                self.held.remove(&lease);
                self.wanted.names.retain(|name| *name != lease.name);
                let settled = match self.request.sharing {
                    Sharing::Offer => self.server.finish(&lease),
                    _ => self.server.put_back(&lease),
                };
                settled?;
            }
        }
        Ok(())
    }

    fn add(&mut self, other: IngestReport) {
        let report = &mut self.report;
        report.found += other.found;
        report.ingested.extend(other.ingested);
        report.skipped.extend(other.skipped);
        report.failed.extend(other.failed);
        report.gone_members.extend(other.gone_members);
        report.withheld_members.extend(other.withheld_members);
        let (summary, other) = (&mut report.summary, other.summary);
        summary.pages += other.pages;
        summary.chunks += other.chunks;
        summary.chunks_embedded += other.chunks_embedded;
        summary.chunks_reused += other.chunks_reused;
        // Each run has the same notices, with other numbers.
        let words = |notice: &Notice| -> String {
            notice.render(|_| String::new()).chars().filter(|c| !c.is_ascii_digit()).collect()
        };
        for notice in other.notices {
            if summary.notices.iter().all(|known| words(known) != words(&notice)) {
                summary.notices.push(notice);
            }
        }
        summary.stopped = other.stopped;
    }

    // ---- progress, over all machines ----

    /// Reports how much is done. Returns the number of files that others have, of those that this machine wants.
    fn update_progress(&self) -> Result<u64> {
        let WorkCounts { all: left, held } = self.server.work_left(self.work.collection.meta().id, &self.wanted)?;
        let total = self.offered().max(left);
        self.done.store(total - left, Ordering::Relaxed);
        let totals = ProgressTotals {
            total: Some(total),
            files: total - left,
            chunks: self.report.summary.chunks,
            ..ProgressTotals::default()
        };
        (self.work.progress)(Progress::Joined(totals));
        Ok(held)
    }

    /// The progress of some files as progress of all. A file that cannot be read here has failed only if no other machine can read it, which
    /// is known at the end.
    fn progress_of_all(&self, before: u64) -> ProgressSink {
        let (progress, done) = (Arc::clone(self.work.progress), Arc::clone(&self.done));
        Arc::new(move |event| match event {
            Progress::FileDone { path, chunks, .. } => {
                let files = done.fetch_add(1, Ordering::Relaxed) + 1;
                progress(Progress::FileDone { path, problem: None, files, chunks: before + chunks });
            }
            Progress::Reading { .. } => progress(event),
            // These count the files of this run only.
            Progress::Discovered { .. }
            | Progress::Joined(_)
            | Progress::ToEmbed { .. }
            | Progress::Embedded { .. } => {}
        })
    }

    fn rest(&self) {
        let until = Instant::now() + PAUSE;
        while !self.work.cancel.is_cancelled() && Instant::now() < until {
            thread::sleep(PAUSE / 10);
        }
    }
}
