//! Threads that read and extract files before their turn. The files come back in order.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::thread;

use casetrack_core::Limits;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use crate::file::FileInFlight;

/// Threads, at most: most files are read in a process of their own, with the memory that it takes.
const MAX_THREADS: usize = 8;
/// Files that are in work or wait for their turn, for each thread.
const FILES_PER_THREAD: usize = 2;
/// Bytes that these files have together, if they are several: bounds memory.
const MAX_BYTES: u64 = 64 << 20;

type Task = (FileInFlight, Limits, Sender<FileInFlight>);

pub(super) struct ExtractionThreads {
    tasks: Sender<Task>,
    threads: usize,
}

impl ExtractionThreads {
    /// Runs `work`, which gives files to the threads, while they are there. Each does `advance` with the files that it gets.
    pub fn with(advance: impl Fn(FileInFlight, &Limits) -> FileInFlight + Sync, work: impl FnOnce(&Self)) {
        let (tasks, queue) = unbounded::<Task>();
        let wanted = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let run = |(file, limits, answer): Task| {
            // If the work ended early, no one waits for the file.
            let _ = answer.send(advance(file, &limits));
        };
        thread::scope(|scope| {
            let start = |_: &usize| {
                let (queue, run) = (queue.clone(), &run);
                let read = move || queue.iter().for_each(run);
                thread::Builder::new().name("read".into()).spawn_scoped(scope, read).is_ok()
            };
            let threads = (0..wanted).filter(start).count();
            work(&Self { tasks, threads });
            // If the work ended early, no one waits for the rest.
            while queue.try_recv().is_ok() {}
        });
    }

    /// These files, in their order.
    pub fn in_order<I: Iterator<Item = FileInFlight>>(&self, files: I) -> InOrder<'_, I> {
        InOrder { threads: self, files: files.peekable(), ahead: VecDeque::new(), bytes: 0 }
    }
}

pub(super) struct InOrder<'t, I: Iterator<Item = FileInFlight>> {
    threads: &'t ExtractionThreads,
    files: Peekable<I>,
    /// The files that the threads have, each with its bytes.
    ahead: VecDeque<(Receiver<FileInFlight>, u64)>,
    bytes: u64,
}

impl<I: Iterator<Item = FileInFlight>> InOrder<'_, I> {
    /// The next file, once a thread is done with it; as it is if there are no threads. `limits` are for those that no thread has yet.
    pub fn next(&mut self, limits: &Limits) -> Option<FileInFlight> {
        while self.ahead.len() < FILES_PER_THREAD * self.threads.threads {
            let fits = |file: &FileInFlight| self.ahead.is_empty() || self.bytes + file.size() <= MAX_BYTES;
            let Some(file) = self.files.next_if(fits) else { break };
            let bytes = file.size();
            self.bytes += bytes;
            let (answer, done) = bounded(1);
            self.ahead.push_back((done, bytes));
            // The queue is there as long as this is.
            let _ = self.threads.tasks.send((file, *limits, answer));
        }
        if self.threads.threads == 0 {
            return self.files.next();
        }
        let (done, bytes) = self.ahead.pop_front()?;
        self.bytes -= bytes;
        // A thread that panicked sends nothing, and ends the stage with its panic once the other threads have ended.
        done.recv().ok()
    }
}
