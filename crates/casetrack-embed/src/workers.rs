//! The threads that compute embeddings, and the queues that feed them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use casetrack_core::{Cancel, Error, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded, unbounded};

use crate::DenseEncoder;

/// Tokens of one job at most, unless a single sequence is longer: enough to keep the matrix products efficient, few enough
/// that a job ends within a fraction of a second and the threads finish a call at nearly the same time.
const TOKENS_PER_JOB: usize = 1024;

/// How often a waiting caller looks at its cancel flag.
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);

/// Threads for passages, each computing whole jobs, and one more thread for queries, so that a query never waits for
/// passages. The threads end when this is dropped.
pub struct Workers {
    encoder: Arc<dyn DenseEncoder>,
    passages: Sender<Job>,
    queries: Sender<Job>,
}

/// Sequences to encode, and where to send the vectors.
struct Job {
    first: usize,
    sequences: Vec<Vec<u32>>,
    cancel: Cancel,
    reply: Sender<Reply>,
}

/// The vectors of the sequences from number `first` on.
struct Reply {
    first: usize,
    vectors: Result<Vec<Vec<f32>>>,
}

impl Workers {
    /// Starts `threads` threads for passages (at least one) and one for queries.
    pub fn start(encoder: Arc<dyn DenseEncoder>, threads: usize) -> Result<Self> {
        // A short queue: jobs wait as token ids in memory, and tokenising must only stay ahead of the encoder.
        let (passages, passage_jobs) = bounded(threads.max(1));
        let (queries, query_jobs) = unbounded();
        let spawn = |name: String, jobs: Receiver<Job>| {
            let encoder = encoder.clone();
            let spawned = thread::Builder::new().name(name).spawn(move || run(encoder.as_ref(), &jobs));
            spawned.map_err(|error| Error::io("a new thread for embedding", error))
        };
        for number in 0..threads.max(1) {
            spawn(format!("embed-{number}"), passage_jobs.clone())?;
        }
        spawn("embed-query".to_owned(), query_jobs)?;
        Ok(Self { encoder, passages, queries })
    }

    /// One vector for each text, in order. Tokenises on the calling thread while the workers compute.
    pub fn embed_passages(&self, texts: &[String], cancel: &Cancel) -> Result<Vec<Vec<f32>>> {
        let (reply, replies) = unbounded();
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut open_jobs = 0usize;
        let mut next = 0;
        while next < texts.len() {
            let first = next;
            let (mut sequences, mut tokens) = (Vec::new(), 0);
            while next < texts.len() {
                let sequence = self.encoder.tokenize_passage(&texts[next])?;
                tokens += sequence.len();
                sequences.push(sequence);
                next += 1;
                // One more of the same length would go over.
                if tokens + tokens / sequences.len() > TOKENS_PER_JOB {
                    break;
                }
            }
            send(&self.passages, Job { first, sequences, cancel: cancel.clone(), reply: reply.clone() })?;
            open_jobs += 1;
            for reply in replies.try_iter() {
                store(reply, &mut vectors)?;
                open_jobs -= 1;
            }
        }
        drop(reply);
        while open_jobs > 0 {
            store(receive(&replies, cancel)?, &mut vectors)?;
            open_jobs -= 1;
        }
        Ok(vectors)
    }

    /// The vector of a query.
    pub fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        let (reply, replies) = bounded(1);
        let cancel = Cancel::default();
        let sequences = vec![self.encoder.tokenize_query(text)?];
        send(&self.queries, Job { first: 0, sequences, cancel: cancel.clone(), reply })?;
        receive(&replies, &cancel)?.vectors?.pop().ok_or_else(stopped)
    }
}

/// Queues a job, waiting for room; gives up when the job is cancelled.
fn send(queue: &Sender<Job>, mut job: Job) -> Result<()> {
    loop {
        if job.cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        match queue.send_timeout(job, CANCEL_INTERVAL) {
            Ok(()) => return Ok(()),
            Err(SendTimeoutError::Timeout(back)) => job = back,
            Err(SendTimeoutError::Disconnected(_)) => return Err(stopped()),
        }
    }
}

/// Waits for a reply; gives up when the job is cancelled.
fn receive(replies: &Receiver<Reply>, cancel: &Cancel) -> Result<Reply> {
    loop {
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        match replies.recv_timeout(CANCEL_INTERVAL) {
            Ok(reply) => return Ok(reply),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
        }
    }
}

fn store(reply: Reply, vectors: &mut [Vec<f32>]) -> Result<()> {
    for (slot, vector) in vectors[reply.first..].iter_mut().zip(reply.vectors?) {
        *slot = vector;
    }
    Ok(())
}

fn stopped() -> Error {
    Error::internal("The embedding threads have stopped")
}

/// A worker's life: job after job until the queue is closed.
fn run(encoder: &dyn DenseEncoder, jobs: &Receiver<Job>) {
    for job in jobs {
        if job.cancel.is_cancelled() {
            continue;
        }
        // A panic is a defect, but it must cost this job only, not the thread and every job after it.
        let encoded = catch_unwind(AssertUnwindSafe(|| encoder.encode_tokens(&job.sequences)));
        let vectors = encoded.unwrap_or_else(|_| Err(Error::internal("The embedding computation panicked")));
        // Nobody listens any more when the caller was cancelled.
        let _ = job.reply.send(Reply { first: job.first, vectors });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    /// Encodes a text as its length, after a pause; panics on "panic".
    #[derive(Default)]
    struct SlowLengths {
        pause: Duration,
        jobs: AtomicUsize,
    }

    impl DenseEncoder for SlowLengths {
        fn dimension(&self) -> usize {
            1
        }

        fn max_tokens(&self) -> usize {
            10_000
        }

        fn tokenize_passage(&self, text: &str) -> Result<Vec<u32>> {
            Ok(text.bytes().map(u32::from).collect())
        }

        fn tokenize_query(&self, text: &str) -> Result<Vec<u32>> {
            self.tokenize_passage(text)
        }

        fn encode_tokens(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
            self.jobs.fetch_add(1, Ordering::SeqCst);
            thread::sleep(self.pause);
            assert!(!sequences.contains(&self.tokenize_passage("panic")?));
            Ok(sequences.iter().map(|sequence| vec![sequence.len() as f32]).collect())
        }
    }

    fn texts(lengths: impl Iterator<Item = usize>) -> Vec<String> {
        lengths.map(|length| "x".repeat(length)).collect()
    }

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        let encoder = Arc::new(SlowLengths::default());
        let workers = Workers::start(encoder.clone(), 3).unwrap();
        let texts = texts((0..500).map(|i| i * 7919 % 700));
        let vectors = workers.embed_passages(&texts, &Cancel::default()).unwrap();
        assert!(vectors.iter().zip(&texts).all(|(vector, text)| *vector == [text.len() as f32]));
        assert!(encoder.jobs.load(Ordering::SeqCst) > 100);
        assert!(workers.embed_passages(&[], &Cancel::default()).unwrap().is_empty());
    }

    #[test]
    fn short_texts_share_a_job() {
        let encoder = Arc::new(SlowLengths::default());
        let workers = Workers::start(encoder.clone(), 2).unwrap();
        workers.embed_passages(&texts(std::iter::repeat_n(TOKENS_PER_JOB / 8, 16)), &Cancel::default()).unwrap();
        assert_eq!(encoder.jobs.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn cancelling_stops_callers_and_queued_jobs() {
        let encoder = Arc::new(SlowLengths { pause: Duration::from_millis(100), ..Default::default() });
        let workers = Workers::start(encoder.clone(), 2).unwrap();
        let cancel = Cancel::default();
        let started = Instant::now();
        let result = thread::scope(|scope| {
            let call = scope.spawn(|| workers.embed_passages(&texts(std::iter::repeat_n(600, 1000)), &cancel));
            thread::sleep(Duration::from_millis(150));
            cancel.cancel();
            call.join().unwrap()
        });
        assert_eq!(result.unwrap_err().code, casetrack_core::ErrorCode::Cancelled);
        assert!(started.elapsed() < Duration::from_secs(1));
        assert!(encoder.jobs.load(Ordering::SeqCst) < 20);
        let after = workers.embed_passages(&texts([5].into_iter()), &Cancel::default()).unwrap();
        assert_eq!(after, [[5.0]]);
    }

    #[test]
    fn a_query_does_not_wait_for_queued_passages() {
        let encoder = Arc::new(SlowLengths { pause: Duration::from_millis(50), ..Default::default() });
        let workers = Workers::start(encoder.clone(), 1).unwrap();
        thread::scope(|scope| {
            let passages =
                scope.spawn(|| workers.embed_passages(&texts(std::iter::repeat_n(600, 10)), &Cancel::default()));
            thread::sleep(Duration::from_millis(20));
            assert_eq!(workers.embed_query("four").unwrap(), [4.0]);
            assert!(!passages.is_finished());
            assert_eq!(passages.join().unwrap().unwrap().len(), 10);
        });
    }

    #[test]
    fn a_panic_fails_its_job_and_no_other() {
        let workers = Workers::start(Arc::new(SlowLengths::default()), 1).unwrap();
        let error = workers.embed_passages(&["panic".to_owned()], &Cancel::default()).unwrap_err();
        assert_eq!(error.code, casetrack_core::ErrorCode::Internal);
        assert_eq!(workers.embed_query("still here").unwrap(), [10.0]);
    }
}
