use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use casetrack_core::{Cancel, Error, Result};
use crossbeam_channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded, unbounded};

use crate::model::TextModel;
use crate::outputs::{Embeddings, Outputs, Side, SparseVector, TokenVectors};

/// Most tokens of a job, unless a single sequence is longer: enough for efficient matrix products, few enough that
/// threads finish a call at nearly the same time.
const TOKENS_PER_JOB: usize = 1024;

/// Interval at which a waiting caller checks its cancel flag.
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);

/// Threads for passages, each computing whole jobs, and as many for queries, so that a query never waits for passages
/// and the models of a query run at the same time. The threads serve all models and end when this is dropped.
pub struct Workers {
    passages: Sender<Job>,
    queries: Sender<Job>,
}

/// A model and the outputs wanted from it.
pub type Task = (Arc<dyn TextModel>, Outputs);

/// Sequences to encode, and the channel for the outputs.
struct Job {
    model: Arc<dyn TextModel>,
    wanted: Outputs,
    side: Side,
    first: usize,
    sequences: Vec<Vec<u32>>,
    cancel: Cancel,
    reply: Sender<Reply>,
}

/// The outputs of the sequences from number `first` on.
struct Reply {
    first: usize,
    outputs: Result<Embeddings>,
}

impl Workers {
    /// Starts `threads` threads for passages and `threads` for queries, at least one of each.
    pub fn start(threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        // A short queue: jobs wait as token ids in memory, and tokenising must only stay ahead of the encoder.
        let (passages, passage_jobs) = bounded(threads);
        let (queries, query_jobs) = unbounded();
        let spawn = |name: String, jobs: Receiver<Job>| {
            let spawned = thread::Builder::new().name(name).spawn(move || run(&jobs));
            spawned.map_err(|error| Error::io("a new thread for embedding", error))
        };
        for number in 0..threads {
            spawn(format!("embed-{number}"), passage_jobs.clone())?;
            spawn(format!("embed-query-{number}"), query_jobs.clone())?;
        }
        Ok(Self { passages, queries })
    }

    /// The outputs of each text, in order. Tokenises on the calling thread while the workers compute.
    pub fn embed_passages(&self, texts: &[String], tasks: &[Task], cancel: &Cancel) -> Result<Embeddings> {
        let (reply, replies) = unbounded();
        let mut outputs = room_for(texts.len(), tasks);
        let mut open_jobs = 0usize;
        // Model by model within one queue, so that a model's weights stay in cache from job to job.
        for (model, wanted) in tasks {
            let mut next = 0;
            while next < texts.len() {
                let first = next;
                let (mut sequences, mut tokens) = (Vec::new(), 0);
                while next < texts.len() {
                    let sequence = model.tokenize(&texts[next], Side::Passage)?;
                    tokens += sequence.len();
                    sequences.push(sequence);
                    next += 1;
                    // One more of the same length would go over.
                    if tokens + tokens / sequences.len() > TOKENS_PER_JOB {
                        break;
                    }
                }
                let (model, cancel, reply) = (model.clone(), cancel.clone(), reply.clone());
                let job = Job { model, wanted: *wanted, side: Side::Passage, first, sequences, cancel, reply };
                send(&self.passages, job)?;
                open_jobs += 1;
                for reply in replies.try_iter() {
                    store(reply, &mut outputs)?;
                    open_jobs -= 1;
                }
            }
        }
        drop(reply);
        while open_jobs > 0 {
            store(receive(&replies, cancel)?, &mut outputs)?;
            open_jobs -= 1;
        }
        Ok(outputs)
    }

    pub fn embed_query(&self, text: &str, tasks: &[Task]) -> Result<Embeddings> {
        let (reply, replies) = unbounded();
        let cancel = Cancel::default();
        let mut outputs = room_for(1, tasks);
        for (model, wanted) in tasks {
            let sequences = vec![model.tokenize(text, Side::Query)?];
            let (model, cancel, reply) = (model.clone(), cancel.clone(), reply.clone());
            send(&self.queries, Job { model, wanted: *wanted, side: Side::Query, first: 0, sequences, cancel, reply })?;
        }
        drop(reply);
        for _ in tasks {
            store(receive(&replies, &cancel)?, &mut outputs)?;
        }
        Ok(outputs)
    }
}

fn room_for(texts: usize, tasks: &[Task]) -> Embeddings {
    let wanted = |pick: fn(&Outputs) -> bool| if tasks.iter().any(|(_, wanted)| pick(wanted)) { texts } else { 0 };
    Embeddings {
        dense: vec![Vec::new(); wanted(|outputs| outputs.dense)],
        sparse: vec![SparseVector::default(); wanted(|outputs| outputs.sparse)],
        tokens: vec![TokenVectors::default(); wanted(|outputs| outputs.tokens)],
    }
}

/// Queues a job, waiting for room; fails when the job is cancelled.
fn send(queue: &Sender<Job>, mut job: Job) -> Result<()> {
    loop {
        job.cancel.check()?;
        match queue.send_timeout(job, CANCEL_INTERVAL) {
            Ok(()) => return Ok(()),
            Err(SendTimeoutError::Timeout(back)) => job = back,
            Err(SendTimeoutError::Disconnected(_)) => return Err(stopped()),
        }
    }
}

/// Waits for a reply; fails when the job is cancelled.
fn receive(replies: &Receiver<Reply>, cancel: &Cancel) -> Result<Reply> {
    loop {
        cancel.check()?;
        match replies.recv_timeout(CANCEL_INTERVAL) {
            Ok(reply) => return Ok(reply),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(stopped()),
        }
    }
}

fn store(reply: Reply, outputs: &mut Embeddings) -> Result<()> {
    fn put<T>(slots: &mut [T], first: usize, values: Vec<T>) {
        // Outputs that were not wanted have no slots.
        for (slot, value) in slots.iter_mut().skip(first).zip(values) {
            *slot = value;
        }
    }
    let found = reply.outputs?;
    put(&mut outputs.dense, reply.first, found.dense);
    put(&mut outputs.sparse, reply.first, found.sparse);
    put(&mut outputs.tokens, reply.first, found.tokens);
    Ok(())
}

fn stopped() -> Error {
    Error::internal("The embedding threads have stopped")
}

fn run(jobs: &Receiver<Job>) {
    for job in jobs {
        if job.cancel.is_cancelled() {
            continue;
        }
        // A panic is a defect, but it must cost this job only, not the thread and every job after it.
        let encoded = catch_unwind(AssertUnwindSafe(|| job.model.encode(&job.sequences, job.side, job.wanted)));
        let outputs = encoded.unwrap_or_else(|_| Err(Error::internal("The embedding computation panicked")));
        // The receiver is gone when the caller was cancelled.
        let _ = job.reply.send(Reply { first: job.first, outputs });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Encodes a text as its length; panics on "panic". With a gate, each job of passages waits until the other end receives.
    #[derive(Default)]
    struct Lengths {
        gate: Option<Sender<()>>,
        jobs: AtomicUsize,
    }

    impl TextModel for Lengths {
        fn tokenize(&self, text: &str, _: Side) -> Result<Vec<u32>> {
            Ok(text.bytes().map(u32::from).collect())
        }

        fn encode(&self, sequences: &[Vec<u32>], side: Side, wanted: Outputs) -> Result<Embeddings> {
            self.jobs.fetch_add(1, Ordering::SeqCst);
            if let (Some(gate), Side::Passage) = (&self.gate, side) {
                gate.send(()).unwrap();
            }
            assert!(!sequences.contains(&self.tokenize("panic", side)?));
            let lengths = sequences.iter().map(|sequence| sequence.len() as f32);
            let mut outputs = Embeddings::default();
            if wanted.dense {
                outputs.dense = lengths.clone().map(|length| vec![length]).collect();
            }
            if wanted.sparse {
                outputs.sparse = lengths.map(|length| SparseVector { terms: vec![(7, length)] }).collect();
            }
            Ok(outputs)
        }
    }

    fn workers(model: &Arc<Lengths>, threads: usize) -> (Workers, [Task; 1]) {
        (Workers::start(threads).unwrap(), [(model.clone(), Outputs::DENSE)])
    }

    fn texts(lengths: impl Iterator<Item = usize>) -> Vec<String> {
        lengths.map(|length| "x".repeat(length)).collect()
    }

    #[test]
    fn outputs_come_in_the_order_of_the_texts() {
        let model = Arc::new(Lengths::default());
        let (workers, tasks) = workers(&model, 3);
        let texts = texts((0..500).map(|i| i * 7919 % 700));
        let found = workers.embed_passages(&texts, &tasks, &Cancel::default()).unwrap();
        assert!(found.dense.iter().zip(&texts).all(|(vector, text)| *vector == [text.len() as f32]));
        assert!(found.sparse.is_empty() && found.tokens.is_empty());
        assert!(model.jobs.load(Ordering::SeqCst) > 100);
        assert_eq!(workers.embed_passages(&[], &tasks, &Cancel::default()).unwrap(), Embeddings::default());
    }

    #[test]
    fn the_outputs_of_several_models_come_together() {
        let (dense, sparse) = (Arc::new(Lengths::default()), Arc::new(Lengths::default()));
        let tasks: [Task; 2] = [(dense, Outputs::DENSE), (sparse.clone(), Outputs::SPARSE)];
        let workers = Workers::start(2).unwrap();
        let texts = texts((0..100).map(|i| i * 31 % 700));
        let found = workers.embed_passages(&texts, &tasks, &Cancel::default()).unwrap();
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(found.dense[i], [text.len() as f32]);
            assert_eq!(found.sparse[i].terms, [(7, text.len() as f32)]);
        }
        let query = workers.embed_query("four", &tasks).unwrap();
        assert_eq!((query.dense.len(), query.sparse.len(), query.tokens.len()), (1, 1, 0));
    }

    #[test]
    fn short_texts_share_a_job() {
        let model = Arc::new(Lengths::default());
        let (workers, tasks) = workers(&model, 2);
        let texts = texts(std::iter::repeat_n(TOKENS_PER_JOB / 8, 16));
        workers.embed_passages(&texts, &tasks, &Cancel::default()).unwrap();
        assert_eq!(model.jobs.load(Ordering::SeqCst), 2);
    }

    /// A model whose passages wait, and the end of its gate that lets them pass, job by job.
    fn waiting() -> (Arc<Lengths>, Receiver<()>) {
        let (sender, gate) = bounded(0);
        (Arc::new(Lengths { gate: Some(sender), ..Default::default() }), gate)
    }

    #[test]
    fn cancelling_stops_callers_and_queued_jobs() {
        let (model, gate) = waiting();
        let (workers, tasks) = workers(&model, 2);
        let cancel = Cancel::default();
        let many = texts(std::iter::repeat_n(600, 1000));
        let result = thread::scope(|scope| {
            let call = scope.spawn(|| workers.embed_passages(&many, &tasks, &cancel));
            gate.recv().unwrap();
            cancel.cancel();
            // The caller does not wait for the jobs that are being computed.
            call.join().unwrap()
        });
        assert_eq!(result.unwrap_err().code, casetrack_core::ErrorCode::Cancelled);
        thread::scope(|scope| {
            let after = scope.spawn(|| workers.embed_passages(&texts([5].into_iter()), &tasks, &Cancel::default()));
            while !after.is_finished() {
                let _ = gate.recv_timeout(CANCEL_INTERVAL);
            }
            assert_eq!(after.join().unwrap().unwrap().dense, [[5.0]]);
        });
        // One that had passed, two that were being computed, the last one, and none of those in the queue.
        assert!(model.jobs.load(Ordering::SeqCst) <= 4);
    }

    #[test]
    fn a_query_does_not_wait_for_queued_passages() {
        let (model, gate) = waiting();
        let (workers, tasks) = workers(&model, 1);
        let texts = texts(std::iter::repeat_n(600, 10));
        thread::scope(|scope| {
            let passages = scope.spawn(|| workers.embed_passages(&texts, &tasks, &Cancel::default()));
            gate.recv().unwrap();
            // Nine jobs of passages wait until the query has its answer.
            assert_eq!(workers.embed_query("four", &tasks).unwrap().dense, [[4.0]]);
            (1..10).for_each(|_| gate.recv().unwrap());
            assert_eq!(passages.join().unwrap().unwrap().dense.len(), 10);
        });
    }

    /// A model that encodes only while another one does.
    struct Together(std::sync::Barrier);

    impl TextModel for Together {
        fn tokenize(&self, _: &str, _: Side) -> Result<Vec<u32>> {
            Ok(vec![1])
        }

        fn encode(&self, _: &[Vec<u32>], _: Side, _: Outputs) -> Result<Embeddings> {
            self.0.wait();
            Ok(Embeddings { dense: vec![vec![1.0]], ..Default::default() })
        }
    }

    #[test]
    fn the_models_of_a_query_run_beside_each_other() {
        let model = Arc::new(Together(std::sync::Barrier::new(2)));
        let tasks: [Task; 2] = [(model.clone(), Outputs::DENSE), (model, Outputs::DENSE)];
        assert_eq!(Workers::start(2).unwrap().embed_query("four", &tasks).unwrap().dense, [[1.0]]);
    }

    #[test]
    fn a_panic_fails_its_job_and_no_other() {
        let (workers, tasks) = workers(&Arc::new(Lengths::default()), 1);
        let error = workers.embed_passages(&["panic".to_owned()], &tasks, &Cancel::default()).unwrap_err();
        assert_eq!(error.code, casetrack_core::ErrorCode::Internal);
        assert_eq!(workers.embed_query("still here", &tasks).unwrap().dense, [[10.0]]);
    }
}
