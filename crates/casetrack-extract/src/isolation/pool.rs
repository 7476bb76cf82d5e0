//! The parent's side: workers that wait for files, and the watch over them.

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use casetrack_core::{Cancel, Error, ErrorCode, FileFormat, Limits, Page, Properties, Result};
use casetrack_pages::model::{
    Attachment, ExtractOptions, Extraction, PagePicture, RenderRequest, Resume, Step, can_be_raised,
};
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use super::attempts::{Attempts, in_progress};
use super::protocol::{Job, Reply, Task, read_frame, write_frame};
use super::stop_reason::StopReason;
use crate::extraction::complete;

/// How often a worker's time and memory are checked.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// The most pages that a worker reads at a time.
const MAX_PAGES_AT_A_TIME: u64 = 8;

/// A worker is replaced after this many files, so that leaks in its libraries do not add up.
const FILES_PER_WORKER: u32 = 200;

/// Variables of the environment that may hold passwords.
const PASSWORDS: [&str; 3] = ["CASETRACK_STORE", "CASETRACK_TOKEN", "PGPASSWORD"];

/// How to start a worker: a program and arguments that make it call [`serve`](super::serve).
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

/// Starts workers as needed and keeps those that are idle. May be used by several threads, each with a worker of its own.
pub struct WorkerPool {
    command: WorkerCommand,
    idle: Mutex<Vec<Worker>>,
}

struct Worker {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    files: u32,
}

#[derive(Clone, Copy)]
struct Order<'a> {
    task: &'a Task,
    path: &'a Path,
    bytes: &'a [u8],
    options: &'a ExtractOptions,
    resume: &'a Resume,
}

#[derive(Default)]
struct WorkerOutput {
    steps: Vec<Step>,
    pages: Vec<Page>,
    attachments: Vec<Attachment>,
}

impl WorkerPool {
    /// Starts nothing yet.
    pub fn new(command: WorkerCommand) -> Self {
        Self { command, idle: Mutex::new(Vec::new()) }
    }

    /// As [`extract`](crate::extract), in a worker process.
    ///
    /// A crash, or going beyond the limits of time, memory or output, ends the worker. If the page that did it is
    /// known, only that page is left out, with a warning. Otherwise it is an error on this file; if pages with text
    /// came before, they are returned with a warning that gives the place and the reason. A worker that crashes after
    /// it has read other files is replaced, and the file tried again.
    pub fn extract(&self, path: &Path, bytes: &[u8], options: &ExtractOptions, cancel: &Cancel) -> Result<Extraction> {
        let mut read = WorkerOutput::default();
        let mut attempts = Attempts::default();
        let mut extraction = loop {
            let order = Order { task: &Task::Extract, path, bytes, options, resume: &attempts.resume };
            match self.work(order, cancel, &mut read)? {
                Ok(Reply::Done { format, title, properties, unpaged, mut warnings }) => {
                    warnings.extend(attempts.warnings());
                    let WorkerOutput { pages, attachments, .. } = read;
                    break Extraction { format, title, properties, pages, unpaged, warnings, attachments };
                }
                Ok(reply) => match attempts.reason() {
                    // Nothing is left without the pages that were left out.
                    Some(stopped) => break recovered(path, bytes, read, stopped)?,
                    None => return Err(refused(reply)),
                },
                Err(stopped) if attempts.goes_on(&stopped, &read.steps, &read.pages) => {}
                Err(stopped) => break recovered(path, bytes, read, &stopped)?,
            }
        };
        complete(&mut extraction);
        Ok(extraction)
    }

    /// As [`render_page`](crate::render_page), in a worker process; `options.limits.max_page_seconds` is the time for it.
    pub fn render(
        &self,
        path: &Path,
        bytes: &[u8],
        options: &ExtractOptions,
        request: &RenderRequest,
        cancel: &Cancel,
    ) -> Result<PagePicture> {
        let task = &Task::Render(request.clone());
        let resume = &Resume::default();
        match self.work(Order { task, path, bytes, options, resume }, cancel, &mut WorkerOutput::default())? {
            Ok(Reply::Picture(picture)) => Ok(picture),
            Ok(reply) => Err(refused(reply)),
            Err(stopped) => {
                let (code, reason, hint) = stopped.explained("drawn")?;
                let message = format!("Page {} of {} could not be drawn: {reason}.", request.page, file_name(path));
                Err(Error::new(code, message).with_hint(hint))
            }
        }
    }

    /// Runs a job in a worker: returns its last answer, or why the worker was ended. Fails only when no worker can be started.
    fn work(&self, order: Order<'_>, cancel: &Cancel, read: &mut WorkerOutput) -> Result<Result<Reply, StopReason>> {
        let mut worker = match self.idle().pop() {
            Some(worker) => worker,
            None => Worker::start(&self.command)?,
        };
        read.start_over(order.resume.read.len());
        let mut ended = worker.run(order, cancel, read);
        if matches!(ended, Err(StopReason::Crashed(_))) && worker.files > 0 {
            // An earlier file may have left its parser in a bad state: this one must not pay for it.
            worker = Worker::start(&self.command)?;
            read.start_over(order.resume.read.len());
            ended = worker.run(order, cancel, read);
        }
        if ended.is_ok() {
            worker.files += 1;
            if worker.files < FILES_PER_WORKER {
                self.idle().push(worker);
            }
        }
        Ok(ended)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        // Workers are put in and taken out whole, so the list is sound even after a panic.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()
}

fn refused(reply: Reply) -> Error {
    match reply {
        Reply::Failed { code, message, hint } => {
            let error = Error::new(code, message);
            match hint {
                Some(hint) => error.with_hint(hint),
                None => error,
            }
        }
        _ => Error::internal("A worker process answered a different request"),
    }
}

impl WorkerOutput {
    /// Forgets the answers of a worker after this many pages.
    fn start_over(&mut self, pages: usize) {
        self.steps.clear();
        self.pages.truncate(pages);
        self.attachments.clear();
    }
}

/// The pages from before a worker was ended, or the error if there are none.
fn recovered(path: &Path, bytes: &[u8], read: WorkerOutput, stopped: &StopReason) -> Result<Extraction> {
    let (code, reason, hint) = stopped.explained("finished")?;
    let WorkerOutput { pages, attachments, .. } = read;
    let name = file_name(path);
    // A protected file is opened only in a worker; its name is enough here.
    let format = match crate::detect(path, bytes) {
        Err(error) if error.code == ErrorCode::NeedsPassword => {
            path.extension().and_then(|extension| FileFormat::from_extension(extension.to_str()?))
        }
        detected => detected.ok(),
    };
    match (pages.last().map(|page| page.number), format) {
        (Some(last), Some(format)) if pages.iter().any(|page| !page.blocks.is_empty()) => Ok(Extraction {
            format,
            title: None,
            properties: Properties::default(),
            pages,
            unpaged: false,
            attachments,
            warnings: vec![
                format!(
                    "Only pages 1 to {last} were read: {reason}{}. {}",
                    stopped.limit().map_or_else(String::new, can_be_raised),
                    hint.plain().unwrap_or_default()
                )
                .trim_end()
                .to_owned(),
            ]
            .into_iter()
            // Files inside come last.
            .chain(may_hold_files(format).then(|| "Files inside it, if there are any, are missing.".to_owned()))
            .collect(),
        }),
        _ => Err(Error::new(code, format!("{name} could not be read: {reason}.")).with_hint(hint)),
    }
}

fn may_hold_files(format: FileFormat) -> bool {
    let is_plain = matches!(format, FileFormat::Csv | FileFormat::Text | FileFormat::Markdown | FileFormat::Html);
    !is_plain && format != FileFormat::Image
}

impl Worker {
    fn start(command: &WorkerCommand) -> Result<Self> {
        let mut process = Command::new(&command.program);
        process.args(&command.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Pages are recognised side by side by several workers, not by threads of one.
        process.env("OMP_THREAD_LIMIT", "1");
        // The reader of a hostile file must not have them.
        for name in PASSWORDS {
            process.env_remove(name);
        }
        let failed = |error| Error::io(format_args!("a worker process ({})", command.program.display()), error);
        let mut child = process.spawn().map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self { child, input, output: BufReader::new(output), files: 0 }),
            _ => Err(Error::internal("A worker process has no pipes")),
        }
    }

    /// Runs one job and hands results to `read` as they arrive. After an error the worker must not be used again.
    fn run(&mut self, order: Order<'_>, cancel: &Cancel, read: &mut WorkerOutput) -> Result<Reply, StopReason> {
        let Self { child, input, output, .. } = self;
        let progress = Progress::default();
        let (finished, finish) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let progress = &progress;
            let watch = scope.spawn(move || watch(child, &order.options.limits, cancel, progress, finish));
            let talked = talk(input, output, order, progress, read);
            drop(finished);
            let stopped = watch.join().unwrap_or(None);
            match (talked, stopped) {
                (Ok(Some(reply)), _) => Ok(reply),
                (_, Some(stopped)) => Err(stopped),
                (Err(error), None) if error.kind() == io::ErrorKind::FileTooLarge => Err(StopReason::Output),
                (Ok(None), None) => Err(StopReason::Crashed("it ended by itself".to_owned())),
                (Err(error), None) => Err(StopReason::Crashed(error.to_string())),
            }
        })
        .map_err(|stopped| match stopped {
            StopReason::Crashed(how) => StopReason::Crashed(self.exit_status().unwrap_or(how)),
            other => other,
        })
    }

    fn exit_status(&mut self) -> Option<String> {
        // The pipe closes a moment before the process is gone.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status.to_string());
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Already gone in most cases; a process that is not waited for would stay as a zombie.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends the file and receives the answer; `None` if the worker ended before it was complete.
fn talk(
    input: &mut ChildStdin,
    output: &mut BufReader<ChildStdout>,
    order: Order<'_>,
    progress: &Progress,
    read: &mut WorkerOutput,
) -> io::Result<Option<Reply>> {
    let Order { task, path, bytes, options, resume } = order;
    let path = path.to_string_lossy().into_owned();
    let job =
        Job { path, task: task.clone(), options: options.clone(), resume: resume.clone(), length: bytes.len() as u64 };
    match write_frame(input, &job).and_then(|()| input.write_all(bytes)).and_then(|()| input.flush()) {
        // It has ended, but may have named the page.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
        _ => {}
    }
    // A character takes at most 4 bytes. Its share of blocks and boxes is counted as three times as much.
    let mut text_left = options.limits.max_text_chars.saturating_mul(16).saturating_add(1 << 20);
    let mut attachments_left = options.limits.max_attachment_bytes.saturating_add(1 << 20);
    loop {
        match read_frame::<Reply>(output, text_left.max(attachments_left))? {
            Some(Reply::Step(step)) => read.steps.push(step),
            Some(Reply::Page(page)) => {
                text_left = spent(text_left, 4 * page.text.len() as u64)?;
                read.pages.push(page);
            }
            Some(Reply::Attachment(attachment)) => {
                attachments_left = spent(attachments_left, attachment.bytes.len() as u64)?;
                read.attachments.push(attachment);
            }
            other => return Ok(other),
        }
        progress.answers.fetch_add(1, Ordering::Relaxed);
        progress.pages.store(in_progress(&read.steps, read.pages.len()) as u64, Ordering::Relaxed);
    }
}

/// The rest of a budget; an error when it is too small.
fn spent(budget: u64, amount: u64) -> io::Result<u64> {
    budget.checked_sub(amount).ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))
}

#[derive(Default)]
struct Progress {
    answers: AtomicU64,
    /// Pages that it is busy with at a time.
    pages: AtomicU64,
}

/// Watches a working process until `finish` closes; kills it when it exceeds a limit, and returns which one.
///
/// The time is computing time, so that a busy machine makes no page unreadable; each page that it is busy with has the
/// limit to itself. A process that does not compute at all has as much time on the clock.
fn watch(
    child: &mut Child,
    limits: &Limits,
    cancel: &Cancel,
    progress: &Progress,
    finish: mpsc::Receiver<()>,
) -> Option<StopReason> {
    let pid = Pid::from_u32(child.id());
    let mut system = System::new();
    let limit = Duration::from_secs(limits.max_page_seconds);
    // The answers that came, and the time computed when the last one did; the time computed, and since when it has been the same.
    let (mut seen, mut computed_before, mut computed, mut idle_since) =
        (u64::MAX, Duration::ZERO, Duration::ZERO, Instant::now());
    let mut kill = |stopped| {
        // If it ended by itself in the meantime, there is nothing to kill.
        let _ = child.kill();
        Some(stopped)
    };
    loop {
        if finish.recv_timeout(WATCH_INTERVAL) != Err(mpsc::RecvTimeoutError::Timeout) {
            return None;
        }
        system.refresh_processes_specifics(
            ProcessesToUpdate::Some(&[pid]),
            false,
            ProcessRefreshKind::nothing().with_memory().with_cpu(),
        );
        let (memory, now_computed) = system
            .process(pid)
            .map_or((0, computed), |process| (process.memory(), Duration::from_millis(process.accumulated_cpu_time())));
        if now_computed != computed {
            (computed, idle_since) = (now_computed, Instant::now());
        }
        let answers = progress.answers.load(Ordering::Relaxed);
        if answers != seen {
            (seen, computed_before, idle_since) = (answers, computed, Instant::now());
        }
        if cancel.is_cancelled() {
            return kill(StopReason::Cancelled);
        }
        let pages = progress.pages.load(Ordering::Relaxed).clamp(1, MAX_PAGES_AT_A_TIME) as u32;
        if computed.saturating_sub(computed_before) >= limit * pages || idle_since.elapsed() >= limit {
            return kill(StopReason::Time(limits.max_page_seconds));
        }
        if memory > limits.max_reader_bytes {
            return kill(StopReason::Memory(limits.max_reader_bytes >> 20));
        }
    }
}

#[cfg(all(test, unix))]
#[path = "tests.rs"]
mod tests;
