//! Files are read, extracted and analysed by several threads before their turn comes. What became of each is taken in order, one at a
//! time, by the thread that knows what came before.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;

use casetrack_core::{
    Cancel, DocumentId, DocumentMeta, Error, ErrorCode, Limits, Progress, ProgressSink, Result, Sha256, Timestamp,
};
use casetrack_embed::Outputs;
use casetrack_extract::ExtractOptions;
use casetrack_nlp::Recognizer;
use casetrack_store::Collection;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::IngestRequest;
use super::discover::FoundFile;
use super::extracting::{Known, Place, unchanged_vectors};
use super::pipeline::{ChunkVectors, FirstStage};
use super::prepare::{PrepareOptions, Prepared, Source};
use casetrack_host::{Host, Kept, annotations, lock};

/// Threads that read files, at most: most files are read in a process of their own, with the memory that it takes.
const MAX_READERS: usize = 8;
/// For each reader, files that are being read or wait for their turn.
const FILES_PER_READER: usize = 2;
/// Bytes that these files have together, where they are several: bounds memory.
const MAX_BYTES: u64 = 64 << 20;

/// What is read.
pub(super) enum Wanted {
    File(FoundFile),
    /// A file inside another, which is in memory.
    Member(Source),
}

impl Wanted {
    fn bytes(&self) -> u64 {
        match self {
            Wanted::File(file) => {
                file.copy.as_ref().unwrap_or(&file.path).metadata().map_or(0, |metadata| metadata.len())
            }
            Wanted::Member(source) => source.bytes.len() as u64,
        }
    }
}

/// A file whose turn it is.
pub(super) struct Turn {
    pub place: Place,
    pub path: PathBuf,
    pub source: Result<Source>,
    /// What was made of it; `None` where it seemed to be stored already.
    pub made: Option<Made>,
}

/// A document that was made of a source, perhaps before its turn.
pub(super) struct Made {
    /// The document that was stored for its path then.
    earlier: Option<(DocumentId, Timestamp)>,
    limits: Limits,
    pub document: Result<(Prepared, Vec<Option<ChunkVectors>>)>,
}

impl Made {
    /// Whether it is what would be made now.
    pub fn still_holds(&self, earlier: Option<&DocumentMeta>, limits: &Limits) -> bool {
        let holds_files = self.document.as_ref().is_ok_and(|(prepared, _)| !prepared.attachments.is_empty());
        self.earlier == earlier.map(version) && (!holds_files || self.limits == *limits)
    }
}

fn version(meta: &DocumentMeta) -> (DocumentId, Timestamp) {
    (meta.id, meta.ingested_at)
}

/// What all threads that read work with.
pub(super) struct Reading<'a> {
    pub host: &'a Host,
    pub collection: &'a Collection,
    pub request: &'a IngestRequest,
    wanted: Outputs,
    recognizer: Option<&'a dyn Recognizer>,
    progress: &'a ProgressSink,
    pub cancel: &'a Cancel,
    /// Contents that are, or were, read before their turn; one that comes again will be a duplicate.
    begun: Mutex<HashSet<Sha256>>,
}

impl<'a> Reading<'a> {
    pub fn new(stage: &FirstStage<'a>, request: &'a IngestRequest) -> Self {
        let &FirstStage { host, collection, wanted, recognizer, progress, cancel, .. } = stage;
        Self { host, collection, request, wanted, recognizer, progress, cancel, begun: Mutex::default() }
    }

    fn read(&self, wanted: Wanted, place: Place, limits: &Limits) -> Turn {
        let (path, source) = match wanted {
            Wanted::Member(source) => (PathBuf::from(&source.path), Ok(source)),
            Wanted::File(FoundFile { path, copy, .. }) => {
                (self.progress)(Progress::Reading { path: path.display().to_string().into() });
                let copy = copy.as_deref().map(|path| Kept { collection: self.collection, path });
                let source = match self.cancel.is_cancelled() {
                    true => Err(Error::cancelled()),
                    false => Source::read(&path, copy, self.host.config()),
                };
                (path, source)
            }
        };
        let made = source.as_ref().ok().and_then(|source| self.make_ahead(source, &place, limits));
        Turn { place, path, source, made }
    }

    fn make_ahead(&self, source: &Source, place: &Place, limits: &Limits) -> Option<Made> {
        if self.cancel.is_cancelled() {
            return None;
        }
        let stored = || {
            let ids = self.collection.documents_by_sha256(source.sha256)?;
            let is_begun = !lock(&self.begun).insert(source.sha256);
            let id = ids.into_iter().next().or_else(|| is_begun.then(DocumentId::random));
            Ok(id.map(|id| (id, String::new())))
        };
        match Known::of(self, source, place, stored) {
            Ok(Known::ToRead { earlier, unchanged }) => {
                Some(self.make(source, place, limits, earlier.as_deref(), unchanged.is_none()))
            }
            // What is wrong is said when its turn comes.
            Ok(Known::Done(_)) | Err(_) => None,
        }
    }

    /// Extracts a source and, where it is to be stored, analyses it.
    pub fn make(
        &self,
        source: &Source,
        place: &Place,
        limits: &Limits,
        earlier: Option<&DocumentMeta>,
        to_store: bool,
    ) -> Made {
        let document = self.document(source, place, limits, earlier, to_store);
        Made { earlier: earlier.map(version), limits: *limits, document }
    }

    fn document(
        &self,
        source: &Source,
        place: &Place,
        limits: &Limits,
        earlier: Option<&DocumentMeta>,
        to_store: bool,
    ) -> Result<(Prepared, Vec<Option<ChunkVectors>>)> {
        let id = earlier.map_or_else(DocumentId::random, |earlier| earlier.id);
        // A name the user gave stays when the file is ingested again.
        let given = self.request.document_name.as_deref().filter(|_| place.depth == 1);
        let kept = earlier.map(|earlier| earlier.name.as_str());
        let kept_type = earlier.filter(|_| self.request.keep_types).map(|earlier| earlier.document_type);
        let chosen = PrepareOptions { name: given.or(kept), document_type: self.request.document_type.or(kept_type) };
        let options = ExtractOptions {
            limits: *limits,
            password: self.request.password.clone(),
            ..self.host.config().extract_options()
        };
        let mut prepared = source.prepare(self.host, &options, id, &chosen, self.cancel)?;
        if prepared.chunks.is_empty() {
            return Err(Error::new(ErrorCode::EmptyFile, format!("{} contains no text.", source.path)));
        }
        if !to_store {
            return Ok((prepared, Vec::new()));
        }
        if let Some(recognizer) = self.recognizer {
            prepared.annotations = Some(annotations(recognizer, &prepared.meta, &prepared.pages, self.cancel)?);
        }
        let vectors = match earlier {
            Some(earlier) if !self.request.embed_all => {
                unchanged_vectors(self.collection, earlier, &prepared.chunks, self.wanted)?
            }
            _ => prepared.chunks.iter().map(|_| None).collect(),
        };
        Ok((prepared, vectors))
    }
}

struct Task {
    wanted: Wanted,
    place: Place,
    limits: Limits,
    answer: Sender<Turn>,
}

/// The threads that read.
pub(super) struct Readers<'r> {
    reading: &'r Reading<'r>,
    tasks: Sender<Task>,
    queue: Receiver<Task>,
    threads: usize,
}

impl<'r> Readers<'r> {
    /// Runs `work`, which gives the readers what to read, while they are there.
    pub fn with(reading: &Reading<'_>, work: impl FnOnce(&Readers<'_>)) {
        let (tasks, queue) = unbounded::<Task>();
        let wanted = thread::available_parallelism().map_or(1, usize::from).min(MAX_READERS);
        thread::scope(|scope| {
            let start = |_: &usize| {
                let queue = queue.clone();
                let read = move || queue.iter().for_each(|task| task.run(reading));
                thread::Builder::new().name("read".into()).spawn_scoped(scope, read).is_ok()
            };
            let threads = (0..wanted).filter(start).count();
            let readers = Readers { reading, tasks, queue: queue.clone(), threads };
            work(&readers);
            // Where the work ended early, nobody waits for the rest.
            while readers.queue.try_recv().is_ok() {}
        });
    }

    /// These, in their order.
    pub fn in_order<I: Iterator<Item = (Wanted, Place)>>(&self, wanted: I) -> InOrder<'_, I> {
        InOrder { readers: self, wanted, waiting: None, ahead: VecDeque::new(), bytes: 0 }
    }
}

impl Task {
    fn run(self, reading: &Reading<'_>) {
        let turn = reading.read(self.wanted, self.place, &self.limits);
        // Where the work ended early, nobody waits for it.
        let _ = self.answer.send(turn);
    }
}

pub(super) struct InOrder<'r, I> {
    readers: &'r Readers<'r>,
    wanted: I,
    /// One for which there was no room yet, and its bytes.
    waiting: Option<(Wanted, Place, u64)>,
    /// What is being read, each with its bytes.
    ahead: VecDeque<(Receiver<Turn>, u64)>,
    bytes: u64,
}

impl<I: Iterator<Item = (Wanted, Place)>> InOrder<'_, I> {
    /// The next one, once it has been read. `limits` are for those that are not being read yet.
    pub fn next(&mut self, limits: &Limits) -> Option<Turn> {
        while self.ahead.len() < FILES_PER_READER * self.readers.threads.max(1) {
            let next = self.waiting.take().or_else(|| {
                let (wanted, place) = self.wanted.next()?;
                let bytes = wanted.bytes();
                Some((wanted, place, bytes))
            });
            let Some((wanted, place, bytes)) = next else { break };
            if !self.ahead.is_empty() && self.bytes + bytes > MAX_BYTES {
                self.waiting = Some((wanted, place, bytes));
                break;
            }
            self.bytes += bytes;
            let (answer, turn) = bounded(1);
            self.ahead.push_back((turn, bytes));
            // The queue is there as long as the readers are.
            let _ = self.readers.tasks.send(Task { wanted, place, limits: *limits, answer });
        }
        if self.readers.threads == 0 {
            self.readers.queue.try_iter().for_each(|task| task.run(self.readers.reading));
        }
        let (turn, bytes) = self.ahead.pop_front()?;
        self.bytes -= bytes;
        // A reader that panicked answers nothing, and ends the program's part in this when the others have ended.
        turn.recv().ok()
    }
}
