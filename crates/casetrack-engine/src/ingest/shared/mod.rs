//! Ingestion that several machines do together, into one collection of a database: the files are offered there as work, and every machine that takes
//! part takes a few at a time, until there are none.
//!
//! What a machine has taken is its own for a while, which it prolongs; where it is killed, others take that afterwards. Where two have read the same
//! file all the same, the store keeps the document of one. A file that cannot be read is put back with the reason: it may be there, or have
//! its password, on another machine. Machines name the files that nobody could read when nobody works any more, and who offered them takes them back.

mod holding;

use std::collections::{HashMap, HashSet};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{
    Cancel, DocumentType, Error, ErrorCode, JobId, Notice, Progress, ProgressSink, ProgressTotals, Result, Timestamp,
};
use casetrack_store::{Collection, Lease, SharedStore, WorkCounts, WorkFilter};
use serde::{Deserialize, Serialize};

use super::discover::{self, Discovery, FoundFile};
use super::{FailedFile, IngestReport, IngestRequest, Problem, Sharing, ingest_files};
use crate::host::Host;
use holding::{Held, LEASE};

/// Files that a machine takes at a time: enough to read some while others are embedded, and few, so that no machine has many while others have none.
const FILES: u32 = 8;
/// Between two looks for work, while others have all of it.
const PAUSE: Duration = Duration::from_millis(500);
/// Times that a file was taken and came to no end. Then it is probably it that ends the program.
const MOST_LOST: usize = 20;

/// The content of a piece of work: a file that is offered.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Offered {
    /// Of the files that were offered together, and how many these are.
    batch: JobId,
    files: u64,
    relative: String,
    in_folder: bool,
    settings: Settings,
    /// Why it could not be read, by machine.
    failures: Vec<Failure>,
}

/// The settings of ingestion, by the machine that offered a file.
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

impl Offered {
    fn of(lease: &Lease) -> Result<Self> {
        serde_json::from_slice(&lease.content).map_err(|error| {
            Error::new(
                ErrorCode::NewerSchema,
                format!("What is written down of {} cannot be read: {error}.", lease.name),
            )
            .with_hint("Another version of CaseTrack offered it: use the same one on all machines.")
        })
    }

    fn encode(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| Error::internal(format!("A file that is offered: {error}")))
    }

    /// Why nobody could read it.
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
                let message = format!("{path} was taken by machines several times, and each time the program ended.");
                Problem::from(&Error::new(ErrorCode::UnreadableFile, message))
            }
        };
        FailedFile { relative_path: self.relative.clone(), path: path.to_owned(), problem }
    }
}

/// A file that was taken.
struct Taken {
    lease: Lease,
    offered: Offered,
}

pub(super) fn ingest(
    host: &Host,
    collection: &Collection,
    request: &IngestRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
    let started = Instant::now();
    let server = host.only_on_server("Files that machines read together")?;
    let mut sharing = Working {
        host,
        server,
        collection,
        request,
        progress,
        cancel,
        machine: machine(),
        wanted: WorkFilter::default(),
        report: IngestReport { collection: collection.meta().name.clone(), ..IngestReport::default() },
        batches: HashMap::new(),
        own: 0,
        done: Arc::default(),
    };
    match request.sharing {
        Sharing::Offer => sharing.offer()?,
        _ => sharing.wanted = sharing.below(request.paths.iter().map(PathBuf::as_path))?,
    }
    let held = Held::default();
    let worked = thread::scope(|scope| {
        let keeping = thread::Builder::new().name("keep".into()).spawn_scoped(scope, || held.keep(server));
        keeping.map_err(|error| Error::io("a new thread", error))?;
        let worked = sharing.work(&held);
        held.end(server);
        worked
    });
    worked?;
    let mut report = sharing.report;
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

/// The name of this machine, for people.
fn machine() -> String {
    let kept = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = kept.or(named).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "another machine".to_owned())
}

struct Working<'w> {
    host: &'w Host,
    server: &'w dyn SharedStore,
    collection: &'w Collection,
    request: &'w IngestRequest,
    progress: &'w ProgressSink,
    cancel: &'w Cancel,
    machine: String,
    wanted: WorkFilter,
    report: IngestReport,
    /// How many files were offered together, of each batch that was seen.
    batches: HashMap<JobId, u64>,
    /// Files that this machine has done.
    own: u64,
    /// Files that all machines have done, as far as is known.
    done: Arc<AtomicU64>,
}

impl Working<'_> {
    /// Work on files in these places. A joining machine reads nothing elsewhere, whatever was offered.
    fn below<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Result<WorkFilter> {
        let mut wanted = WorkFilter::default();
        for path in paths {
            let real = self.host.config().access.check(path)?;
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

    /// Offers the files of the request.
    fn offer(&mut self) -> Result<()> {
        let mut discovery = discover::discover(self.request, self.host.config(), self.cancel)?;
        let shared: HashMap<String, FoundFile> = {
            // A name of work is text. Others are refused, which ingestion says.
            let (named, others) =
                discovery.files.into_iter().partition::<Vec<_>, _>(|file| file.path.to_str().is_some());
            discovery.files = others;
            named.into_iter().filter_map(|file| Some((file.path.to_str()?.to_owned(), file))).collect()
        };
        let silent: ProgressSink = Arc::new(|_| {});
        self.report = ingest_files(self.host, self.collection, self.request, discovery, &silent, self.cancel)?;
        let mut names: Vec<String> = shared.keys().cloned().collect();
        names.sort_unstable();
        let IngestRequest { document_type, skip_existing, copy_original, since, .. } = *self.request;
        let (batch, settings) = (JobId::random(), Settings { document_type, skip_existing, copy_original, since });
        let offered = self.server.offer(self.collection.meta().id, &names, &|name, files| {
            let (relative, in_folder) = match shared.get(name) {
                Some(file) => (file.relative.clone(), file.in_folder),
                None => (name.to_owned(), true),
            };
            Offered { batch, files, relative, in_folder, settings: settings.clone(), failures: Vec::new() }.encode()
        })?;
        if offered > 0 {
            self.batches.insert(batch, offered);
        }
        let existing = self.request.paths.iter().map(PathBuf::as_path).filter(|path| path.exists());
        self.wanted = self.below(existing)?;
        // Links lead out of folders.
        let is_elsewhere = |name: &String| !self.is_wanted(name);
        let elsewhere: Vec<String> = names.into_iter().filter(is_elsewhere).collect();
        self.wanted.names.extend(elsewhere);
        Ok(())
    }

    fn is_wanted(&self, name: &String) -> bool {
        let WorkFilter { names, prefixes, .. } = &self.wanted;
        names.contains(name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Takes files and ingests them until there are none, for this machine and all others.
    fn work(&mut self, held: &Held) -> Result<()> {
        let mut taken = self.take(held)?;
        while !self.cancel.is_cancelled() && self.report.summary.stopped.is_none() {
            if taken.is_empty() {
                let held_by_others = self.look()?;
                // What they had may have been put back since.
                taken = self.take(held)?;
                if taken.is_empty() && held_by_others == 0 {
                    break;
                }
                if taken.is_empty() {
                    self.rest();
                }
                continue;
            }
            let ended = self.ingest(taken)?;
            // Before it gives up what it has: a machine that has nothing is one that found nothing to do.
            taken = match self.cancel.is_cancelled() || self.report.summary.stopped.is_some() {
                true => Vec::new(),
                false => self.take(held)?,
            };
            self.settle(ended, held)?;
            self.look()?;
        }
        if self.cancel.is_cancelled() || self.report.summary.stopped.is_some() {
            self.report.summary.stopped.get_or_insert_with(|| Problem::from(&Error::cancelled()));
            return Ok(());
        }
        self.name_failures(held)?;
        let all = self.offered();
        let others = all.saturating_sub(self.own + self.report.failed.len() as u64);
        if others > 0 {
            self.report.summary.notices.push(format!("Other machines read {others} of the {all} files.").into());
        }
        Ok(())
    }

    /// Files of the batches that were seen.
    fn offered(&self) -> u64 {
        self.batches.values().fold(0, |all, files| all.saturating_add(*files))
    }

    fn take(&mut self, held: &Held) -> Result<Vec<Taken>> {
        let leases = self.server.take(self.collection.meta().id, &self.wanted, FILES, LEASE)?;
        held.add(&leases);
        let taken: Vec<Taken> = leases
            .into_iter()
            .map(|lease| Ok(Taken { offered: Offered::of(&lease)?, lease }))
            .collect::<Result<_>>()?;
        self.batches.extend(taken.iter().map(|file| (file.offered.batch, file.offered.files)));
        Ok(taken)
    }

    /// Ingests files. Gives each back with why it could not be read here.
    fn ingest(&mut self, taken: Vec<Taken>) -> Result<Vec<(Taken, Option<Problem>)>> {
        let mut ended = Vec::new();
        let mut groups: Vec<(Settings, Vec<Taken>, Vec<FoundFile>)> = Vec::new();
        for file in taken {
            let lost = (file.lease.taken as usize).saturating_sub(1 + file.offered.failures.len());
            let found = match lost > MOST_LOST {
                true => Err(Error::new(ErrorCode::UnreadableFile, "Whoever read it was ended, several times.")),
                false => self.find(&file),
            };
            match found {
                Err(error) => ended.push((file, Some(Problem::from(&error)))),
                Ok(found) => {
                    let settings = file.offered.settings.clone();
                    let group = match groups.iter().position(|(own, ..)| *own == settings) {
                        Some(at) => at,
                        None => {
                            groups.push((settings, Vec::new(), Vec::new()));
                            groups.len() - 1
                        }
                    };
                    groups[group].1.push(file);
                    groups[group].2.push(found);
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
            let mut report = ingest_files(self.host, self.collection, &request, discovery, &progress, self.cancel)?;
            // Those of members of containers stay: their container was read.
            let (own, others) = report.failed.into_iter().partition(|file| paths.contains(file.path.as_str()));
            report.failed = others;
            let mut problems: HashMap<String, Problem> =
                Vec::<FailedFile>::into_iter(own).map(|file| (file.path, file.problem)).collect();
            let done: HashSet<String> = {
                let stored = report.ingested.iter().map(|document| document.path.clone());
                stored.chain(report.skipped.iter().map(|file| file.path.clone())).collect()
            };
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

    /// A file that was offered, as it is on this machine.
    fn find(&self, file: &Taken) -> Result<FoundFile> {
        let path = PathBuf::from(&file.lease.name);
        let real = self.host.config().access.check(&path)?;
        if real != path {
            let message = format!("{} leads to {} on this machine.", path.display(), real.display());
            return Err(Error::new(ErrorCode::AccessDenied, message).with_hint("Ingest that file by itself."));
        }
        let Offered { relative, in_folder, .. } = &file.offered;
        Ok(FoundFile { path, relative: relative.clone(), in_folder: *in_folder, copy: None })
    }

    /// Reports the outcome of files to the other machines.
    fn settle(&mut self, ended: Vec<(Taken, Option<Problem>)>, held: &Held) -> Result<()> {
        for (Taken { mut lease, mut offered }, problem) in ended {
            held.drop(&lease);
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

    /// Names the files that nobody could read. The machine that offered them takes them back.
    fn name_failures(&mut self, held: &Held) -> Result<()> {
        // Others may offer more meanwhile, which is not theirs.
        let failed = std::mem::take(&mut self.wanted.except);
        self.wanted = WorkFilter { names: failed, ..WorkFilter::default() };
        loop {
            let taken = self.take(held)?;
            if taken.is_empty() && self.look()? == 0 || self.cancel.is_cancelled() {
                break;
            }
            if taken.is_empty() {
                // Another machine is naming it as well, or has come to try it.
                self.rest();
            }
            for Taken { lease, offered } in taken {
                let failed = offered.failed(&lease.name);
                (self.progress)(Progress::FileDone {
                    path: lease.name.clone().into(),
                    problem: Some(failed.problem.message.clone()),
                    files: self.done.fetch_add(1, Ordering::Relaxed) + 1,
                    chunks: self.report.summary.chunks,
                });
                self.report.failed.push(failed);
                self.report.found += 1;
                held.drop(&lease);
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

    /// Reports the work that is left. Returns the number of files that others have, of those that this machine wants.
    fn look(&self) -> Result<u64> {
        let WorkCounts { all: left, held } = self.server.work_left(self.collection.meta().id, &self.wanted)?;
        let total = self.offered().max(left);
        self.done.store(total - left, Ordering::Relaxed);
        let totals = ProgressTotals {
            total: Some(total),
            files: total - left,
            chunks: self.report.summary.chunks,
            ..ProgressTotals::default()
        };
        (self.progress)(Progress::Joined(totals));
        Ok(held)
    }

    /// The progress of some files as progress of all. A file that cannot be read here counts as failed only at the end.
    fn progress_of_all(&self, before: u64) -> ProgressSink {
        let (progress, done) = (Arc::clone(self.progress), Arc::clone(&self.done));
        Arc::new(move |event| match event {
            Progress::FileDone { path, chunks, .. } => {
                let files = done.fetch_add(1, Ordering::Relaxed) + 1;
                progress(Progress::FileDone { path, problem: None, files, chunks: before + chunks });
            }
            Progress::Reading { .. } => progress(event),
            // They are of these files only.
            Progress::Discovered { .. }
            | Progress::Joined(_)
            | Progress::ToEmbed { .. }
            | Progress::Embedded { .. } => {}
        })
    }

    fn rest(&self) {
        let until = Instant::now() + PAUSE;
        while !self.cancel.is_cancelled() && Instant::now() < until {
            thread::sleep(PAUSE / 10);
        }
    }
}
