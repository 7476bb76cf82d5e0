//! Indexing folders, in jobs with numbers that are never used again.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use casetrack_catalog::space::{Job, JobFilter};
use casetrack_catalog::{Scope, Time, shown};
use casetrack_core::{Cancel, Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{in_field, is_denied_in_space, refused, space_path};
use casetrack_host::changes::SpaceChange;
use casetrack_host::{Host, caught};

const MAX_JOBS: usize = 64;
const MAX_LISTED: u32 = 1_000;
/// Between two notes of how far a job is.
const NOTED: Duration = Duration::from_secs(1);
/// The longest wait for the end of a cancelled job.
const CANCELLING: Duration = Duration::from_secs(5);

const STATUSES: [&str; 5] = ["pending", "running", "completed", "failed", "cancelled"];

#[derive(Debug, Clone)]
pub struct IndexSpace<'a> {
    pub root: &'a str,
    /// Answer at once, with the number of a job.
    pub in_background: bool,
    /// Index it even if that was done lately.
    pub force: bool,
    /// Seconds for which it need not be done again.
    pub max_age: f64,
}

/// The result of indexing, or the job that does it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpaceIndexed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<i64>,
    pub root: String,
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directories: Option<u64>,
    /// Bytes of content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// True if nothing was done because the folder was indexed lately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
}

/// A job as it is now. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobItem {
    pub job_id: i64,
    /// index or classify.
    pub kind: String,
    pub root: String,
    /// pending, running, completed, failed or cancelled.
    pub status: String,
    /// 0–100. It stays 0 until the end for a folder that is indexed for the first time, whose size is not known.
    pub progress: f64,
    /// Known below it so far; what an earlier job found counts, too.
    pub files: u64,
    /// Listed so far.
    pub directories: u64,
    /// Bytes of content, summed up at the end.
    pub total_size: u64,
    pub created_at: i64,
    pub started_at: Option<i64>,
    pub completed_at: Option<i64>,
    pub error: Option<String>,
    pub status_url: String,
}

impl From<Job> for JobItem {
    fn from(job: Job) -> Self {
        Self {
            job_id: job.id,
            kind: job.kind,
            root: job.path,
            status: job.status,
            progress: job.progress,
            files: job.files,
            directories: job.folders,
            total_size: job.bytes,
            created_at: job.created,
            started_at: job.started,
            completed_at: job.ended,
            error: job.error,
            status_url: status_url(job.id),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JobList {
    /// The latest first.
    pub jobs: Vec<JobItem>,
    pub count: u64,
}

#[derive(Debug, Clone, Default)]
pub struct JobsAsked<'a> {
    pub active: bool,
    pub status: Option<&'a str>,
    /// 0–100.
    pub min_progress: Option<f64>,
    pub max_progress: Option<f64>,
    /// 1 to 1,000.
    pub limit: u32,
    /// Left out in front.
    pub offset: u64,
}

// Errors name the parameter that they are about: see [`InField`](super::InField).
/// Indexes a folder or a file, unless that was done lately. The same folder again joins the job that runs.
///
/// Errors: a path that may not be read or is not there, too many jobs.
pub fn index_space(host: &Host, asked: &IndexSpace<'_>, cancel: &Cancel) -> Result<SpaceIndexed> {
    let started = Instant::now();
    let root = in_field("root", resolved_in_space(host, asked.root))?;
    if asked.max_age.is_nan() || asked.max_age < 0.0 {
        return Err(refused("maxAge", "maxAge must be a number of seconds, 0 or more"));
    }
    let text = shown(&root).into_owned();
    if let Some(reason) = why_to_skip(host, &root, &text, asked)? {
        return Ok(SpaceIndexed {
            root: text,
            status: "completed".to_owned(),
            duration_ms: Some(millis(started)),
            skipped: Some(true),
            skip_reason: Some(reason),
            ..SpaceIndexed::counted(0, 0, 0)
        });
    }
    let job = if asked.in_background { index_in_background(host, &root) } else { index_now(host, &root, cancel) };
    let job = in_field("root", job)?;
    let done = if asked.in_background {
        SpaceIndexed::default()
    } else {
        let counted = SpaceIndexed::counted(job.files, job.folders, job.bytes);
        SpaceIndexed { duration_ms: Some(millis(started)), skipped: Some(false), ..counted }
    };
    let (job_id, status_url) = (Some(job.id), Some(status_url(job.id)));
    Ok(SpaceIndexed { job_id, root: text, status: job.status, status_url, ..done })
}

impl SpaceIndexed {
    fn counted(files: u64, folders: u64, bytes: u64) -> Self {
        Self { files: Some(files), directories: Some(folders), total_size: Some(bytes), ..Self::default() }
    }
}

/// The path of a file or folder that is there and may be read.
pub(super) fn existing_in_space(host: &Host, path: &str) -> Result<PathBuf> {
    let path = space_path(host, path)?;
    check_there(&path)?;
    Ok(path)
}

/// Errors: a path that is not there, or cannot be read.
pub(super) fn check_there(path: &Path) -> Result<()> {
    path.symlink_metadata().map(drop).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            Error::new(ErrorCode::FileNotFound, format!("no such file or directory: {}", path.display()))
        }
        _ => Error::io(path.display(), error),
    })
}

/// As [`existing_in_space`], and a link to a folder is that folder.
pub(super) fn resolved_in_space(host: &Host, path: &str) -> Result<PathBuf> {
    let path = existing_in_space(host, path)?;
    if path.is_dir() { host.config().access.check(&path) } else { Ok(path) }
}

fn why_to_skip(host: &Host, root: &Path, text: &str, asked: &IndexSpace<'_>) -> Result<Option<String>> {
    // A folder that was deleted from the index since is indexed again.
    if asked.force || !host.catalog()?.knows(root)? {
        return Ok(None);
    }
    let Some(scanned) = host.space()?.last_indexed(text)? else { return Ok(None) };
    let age = Time::now().seconds.saturating_sub(scanned).max(0);
    Ok(((age as f64) < asked.max_age).then(|| {
        format!("Path was scanned {age} seconds ago (max age: {} seconds). Use force=true to re-index.", asked.max_age)
    }))
}

fn index_in_background(host: &Host, root: &Path) -> Result<Job> {
    let space = host.space()?;
    if let Some(id) = host.space_work().same("index", root) {
        return space.job(id);
    }
    let cancel = Cancel::default();
    let job = begin_job(host, "index", root, &cancel)?;
    let (owned, root, running) = (host.clone(), root.to_owned(), job.clone());
    let work = move || drop(run_index(&owned, running, &root, &cancel));
    if let Err(error) = std::thread::Builder::new().name("index".to_owned()).spawn(work) {
        host.space_work().end(job.id);
        return Err(Error::io("a new thread", error));
    }
    Ok(job)
}

/// Saves a job that is to be run now.
///
/// Errors: [`ErrorCode::InUse`] if too many have not ended.
pub(super) fn begin_job(host: &Host, kind: &'static str, path: &Path, cancel: &Cancel) -> Result<Job> {
    if host.space_work().count() >= MAX_JOBS {
        return Err(Error::new(
            ErrorCode::InUse,
            format!("{MAX_JOBS} jobs have not ended, the maximum: wait for one, or cancel it"),
        ));
    }
    let job = host.space()?.create_job(kind, &shown(path))?;
    host.space_work().begin(job.id, kind, path, cancel);
    host.space_changed(SpaceChange::Jobs);
    Ok(job)
}

/// Indexes a folder or file in this thread, as a job.
pub fn index_now(host: &Host, root: &Path, cancel: &Cancel) -> Result<Job> {
    let job = begin_job(host, "index", root, cancel)?;
    run_index(host, job, root, cancel)
}

fn run_index(host: &Host, mut job: Job, root: &Path, cancel: &Cancel) -> Result<Job> {
    let done = caught(|| indexed(host, &mut job, root, cancel));
    end_job(host, &mut job, &done, cancel)?;
    if done.is_ok() {
        host.space_changed(SpaceChange::Entries);
    }
    done.map(|()| job)
}

pub(super) fn end_job(host: &Host, job: &mut Job, done: &Result<()>, cancel: &Cancel) -> Result<()> {
    job.ended = Some(Time::now().seconds);
    match done {
        Ok(()) => (job.status, job.progress) = ("completed".to_owned(), 100.0),
        Err(_) if cancel.is_cancelled() => job.status = "cancelled".to_owned(),
        Err(error) => (job.status, job.error) = ("failed".to_owned(), Some(error.message.clone())),
    }
    let noted = host.space().and_then(|space| space.set_job(job));
    host.space_work().end(job.id);
    host.space_changed(SpaceChange::Jobs);
    noted
}

fn indexed(host: &Host, job: &mut Job, root: &Path, cancel: &Cancel) -> Result<()> {
    let (space, catalog, access) = (host.space()?, host.catalog()?, &host.config().access);
    (job.status, job.started) = ("running".to_owned(), Some(Time::now().seconds));
    space.set_job(job)?;
    if !root.is_dir() {
        let (picked, problems) = space.pick_paths(&[root.to_owned()], cancel)?;
        if let Some(problem) = problems.into_iter().next() {
            return Err(Error::invalid(format!("{}: {}", problem.path, problem.reason)));
        }
        job.files = picked.len();
        job.bytes = root.symlink_metadata().map_or(0, |metadata| metadata.len());
        return Ok(());
    }
    // As many folders as were there at the last time.
    let expected = catalog.count(root, None)?.1;
    let (listed, noted) = (AtomicU64::new(0), Mutex::new(Instant::now()));
    let note = |_: &Path| {
        let listed = listed.fetch_add(1, Ordering::Relaxed) + 1;
        // Others that walk do not wait for the note.
        let Ok(mut noted) = noted.try_lock() else { return };
        if noted.elapsed() < NOTED {
            return;
        }
        *noted = Instant::now();
        let files = catalog.count(root, None).map_or(0, |(files, _)| files);
        let progress = match expected {
            0 => 0.0,
            _ => (listed as f64 * 100.0 / expected as f64).min(99.0).floor(),
        };
        // The next note, or the end, reports it too.
        drop(space.set_job(&Job { files, folders: listed, progress, ..job.clone() }));
        host.space_changed(SpaceChange::Jobs);
    };
    let scope = Scope { start: root, max_depth: None, is_closed: &|path| access.is_closed(path) };
    catalog.scan_watched(&scope, &note, cancel)?;
    let totals = space.totals_below(root)?;
    (job.files, job.folders, job.bytes) = (totals.files, totals.folders, totals.bytes);
    Ok(())
}

/// A job by its number, as a text.
///
/// Errors: a text that is no number, a job that does not exist.
pub fn space_job(host: &Host, id: &str) -> Result<JobItem> {
    visible_job(host, in_field("jobId", job_number(id))?).map(JobItem::from)
}

/// The jobs that index paths that the session may see, the latest first.
///
/// Errors: a status that there is not, a limit out of its range.
pub fn space_jobs(host: &Host, asked: &JobsAsked<'_>) -> Result<JobList> {
    let &JobsAsked { active, status, min_progress, max_progress, limit, offset } = asked;
    if status.is_some_and(|status| !STATUSES.contains(&status)) {
        return Err(refused("status", format!("status must be one of {}", STATUSES.join(", "))));
    }
    if limit == 0 || limit > MAX_LISTED {
        return Err(refused("limit", format!("limit must be between 1 and {MAX_LISTED}")));
    }
    let space = host.space()?;
    let (mut jobs, mut left_out) = (Vec::new(), 0);
    for read in (0..).step_by(MAX_LISTED as usize) {
        let kind = Some("index");
        let wish = JobFilter { kind, active, status, min_progress, max_progress, limit: MAX_LISTED, offset: read };
        let page = space.jobs(&wish)?;
        let is_last = page.len() < MAX_LISTED as usize;
        for job in page.into_iter().filter(|job| !is_denied_in_space(host, Path::new(&job.path))) {
            if left_out < offset {
                left_out += 1;
            } else if jobs.len() < limit as usize {
                jobs.push(JobItem::from(job));
            }
        }
        if is_last || jobs.len() >= limit as usize {
            break;
        }
    }
    Ok(JobList { count: jobs.len() as u64, jobs })
}

/// A job of a path that may be seen.
pub(super) fn visible_job(host: &Host, id: i64) -> Result<Job> {
    let job = host.space()?.job(id).and_then(|job| match is_denied_in_space(host, Path::new(&job.path)) {
        true => Err(Error::new(ErrorCode::NotFound, "job not found")),
        false => Ok(job),
    });
    in_field("jobId", job)
}

/// Ends a job that has not ended, and waits a moment for it. The indexed files stay.
///
/// Errors: a job that does not exist or has ended.
pub fn cancel_space_job(host: &Host, id: &str, cancel: &Cancel) -> Result<JobItem> {
    let space = host.space()?;
    let id = in_field("jobId", job_number(id))?;
    let job = visible_job(host, id)?;
    if !host.space_work().cancel(id) {
        return Err(refused("jobId", format!("job is already {}", space.job(job.id)?.status)));
    }
    let until = Instant::now() + CANCELLING;
    loop {
        let job = space.job(id)?;
        let has_ended = !matches!(job.status.as_str(), "pending" | "running");
        if has_ended || cancel.is_cancelled() || Instant::now() > until {
            return Ok(job.into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn job_number(id: &str) -> Result<i64> {
    id.trim().parse().map_err(|_| Error::invalid("jobId must be the number of a job"))
}

fn status_url(id: i64) -> String {
    format!("synthesis://jobs/{id}")
}

fn millis(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
