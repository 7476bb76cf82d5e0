//! The first stage of ingestion: bytes to chunks, and the files inside containers.
//!
//! A file inside a container is a document of its own. It is sent on before its container, so that a container that is stored has all
//! its members stored, whenever the program was ended. A container that did not change is opened again all the same: members that
//! failed before are tried again, the others are skipped.

use std::collections::{BTreeMap, HashMap, HashSet};

use casetrack_core::{Chunk, ChunkId, DocumentId, DocumentMeta, ErrorCode, FileLimit, Limits, Result, Sha256};
use casetrack_embed::Outputs;
use casetrack_store::{Collection, SparseVector};

use super::ahead::{Made, Readers, Reading, Turn, Wanted};
use super::discover::{FoundFile, denied, failed};
use super::pipeline::{ChunkVectors, Ended, FirstStage, Outcome, Ready};
use super::prepare::Source;
use super::{IngestRequest, SkipReason, SkippedFile};

pub(super) struct Extracting<'a> {
    stage: FirstStage<'a>,
    request: &'a IngestRequest,
    /// Documents of this job that are not committed yet.
    under_way: HashMap<Sha256, (DocumentId, String)>,
    /// The documents by path, as they were when the first container was opened.
    by_path: Option<BTreeMap<String, DocumentMeta>>,
    /// Documents whose deletion follows their container. A file with their content is not a duplicate of them.
    leaving: HashSet<DocumentId>,
    /// Contents that could not be read in this run: what the collection has of them stays.
    unread: HashSet<Sha256>,
}

/// Where a source was found.
pub(super) struct Place {
    pub relative: String,
    /// Found in a folder or container, not asked for by name.
    pub in_folder: bool,
    /// 1 for a file on disk, 2 for a file inside it.
    pub depth: u32,
}

/// What is known of a source before it is read by a parser.
pub(super) enum Known {
    /// It need not be.
    Done(Outcome),
    ToRead {
        /// The document that is stored for its path.
        earlier: Option<Box<DocumentMeta>>,
        /// Where that is this source, a container, of which only the members are looked at: what is said of it.
        unchanged: Option<Outcome>,
    },
}

impl Known {
    /// `same_content`: the id and name of another document with the content of this one.
    pub fn of(
        reading: &Reading<'_>,
        source: &Source,
        place: &Place,
        same_content: impl FnOnce() -> Result<Option<(DocumentId, String)>>,
    ) -> Result<Self> {
        let skipped = |reason, document_id, detail| {
            Outcome::Skipped(SkippedFile {
                relative_path: place.relative.clone(),
                path: source.path.clone(),
                reason,
                document_id: Some(document_id),
                detail,
            })
        };
        let Some(earlier) = reading.collection.document_by_path(&source.path)? else {
            return Ok(match same_content()? {
                Some((id, same)) => {
                    let detail = format!("same content as {same}, matching SHA256");
                    Self::Done(skipped(SkipReason::Duplicate, id, detail))
                }
                None => Self::ToRead { earlier: None, unchanged: None },
            });
        };
        let same = earlier.sha256 == source.sha256;
        let by_this_job = same && reading.request.since.is_some_and(|since| earlier.ingested_at >= since);
        let is_done = by_this_job || same && reading.request.skip_existing;
        if !is_done {
            return Ok(Self::ToRead { earlier: Some(Box::new(earlier)), unchanged: None });
        }
        let detail = format!("already ingested as {}, matching SHA256", earlier.name);
        let outcome = match by_this_job {
            true => Outcome::Stored(place.relative.clone(), Box::new(earlier.clone())),
            false => skipped(SkipReason::Unchanged, earlier.id, detail),
        };
        Ok(match earlier.is_container() {
            true => Self::ToRead { earlier: Some(Box::new(earlier)), unchanged: Some(outcome) },
            false => Self::Done(outcome),
        })
    }
}

impl<'a> Extracting<'a> {
    pub fn new(stage: FirstStage<'a>, request: &'a IngestRequest) -> Self {
        let (under_way, leaving, unread) = Default::default();
        Self { stage, request, under_way, by_path: None, leaving, unread }
    }

    pub fn run(mut self, files: Vec<FoundFile>) {
        let reading = Reading::new(&self.stage, self.request);
        Readers::with(&reading, |readers| {
            let mut files = readers.in_order(files.into_iter().map(|file| {
                let place = Place { relative: file.relative.clone(), in_folder: file.in_folder, depth: 1 };
                (Wanted::File(file), place)
            }));
            let limits = self.stage.host.config().limits;
            while let Some(turn) = files.next(&limits) {
                if self.take(&reading, readers, turn, &mut limits.clone()).is_err() {
                    return;
                }
            }
        });
    }

    /// Sends on a source and everything inside it. What the files inside a file on disk use of `limits` is taken off.
    fn take(
        &mut self,
        reading: &Reading<'_>,
        readers: &Readers<'_>,
        turn: Turn,
        limits: &mut Limits,
    ) -> std::result::Result<(), Ended> {
        if self.stage.cancel.is_cancelled() {
            return Err(Ended);
        }
        let Turn { place, path, source, made } = turn;
        let mut source = match source {
            Ok(source) => source,
            Err(error) if place.in_folder && error.code == ErrorCode::AccessDenied => {
                return self.stage.send(Outcome::Skipped(denied(&path, place.relative, error)));
            }
            Err(error) => return self.stage.send(Outcome::Failed(failed(&path, place.relative, &error))),
        };
        let outcome = self.examine(reading, &mut source, &place, made, limits).and_then(|mut examined| {
            let former = self.former_members(&source, &examined)?;
            let members = std::mem::take(&mut examined.members);
            Ok((examined.outcome, members, former))
        });
        let (outcome, members, mut former) = match outcome {
            Ok(found) => found,
            Err(error) if place.in_folder && error.code == ErrorCode::UnsupportedFormat => {
                let skipped = SkippedFile {
                    relative_path: place.relative,
                    path: source.path,
                    reason: SkipReason::Unsupported,
                    document_id: None,
                    detail: error.message,
                };
                return self.stage.send(Outcome::Skipped(skipped));
            }
            Err(error) => {
                self.unread.insert(source.sha256);
                return self.stage.send(Outcome::Failed(failed(&path, place.relative, &error)));
            }
        };
        if !members.is_empty() {
            self.stage.send(Outcome::Opened(members.len() as u64))?;
        }
        let mut members = readers.in_order(members.into_iter().map(|member| {
            let relative = format!("{}/{}", place.relative, member.name);
            let place = Place { relative, in_folder: true, depth: place.depth + 1 };
            (Wanted::Member(source.member(member)), place)
        }));
        while let Some(turn) = members.next(limits) {
            self.take(reading, readers, turn, limits)?;
        }
        if let Outcome::Ready(ready) = &outcome {
            let meta = &ready.prepared.meta;
            self.under_way.insert(meta.sha256, (meta.id, meta.name.clone()));
        }
        self.stage.send(outcome)?;
        former.retain(|meta| !self.unread.contains(&meta.sha256));
        if former.is_empty() { Ok(()) } else { self.stage.send(Outcome::Removed(former)) }
    }

    /// `made`: what was made of the source before its turn.
    fn examine(
        &mut self,
        reading: &Reading<'_>,
        source: &mut Source,
        place: &Place,
        made: Option<Made>,
        limits: &mut Limits,
    ) -> Result<Examined> {
        let (collection, sha256) = (self.stage.collection, source.sha256);
        let same_content = || {
            let mut same = collection.documents_by_sha256(sha256)?.into_iter();
            Ok(match same.find(|id| !self.leaving.contains(id)) {
                Some(id) => collection.document(id)?.map(|meta| (id, meta.path)),
                None => self.under_way.get(&sha256).cloned(),
            })
        };
        let (earlier, unchanged) = match Known::of(reading, source, place, same_content)? {
            Known::Done(outcome) => return Ok(Examined { outcome, members: Vec::new(), is_container: false }),
            Known::ToRead { earlier, unchanged } => (earlier, unchanged),
        };
        let made = made.filter(|made| made.still_holds(earlier.as_deref(), limits));
        let made = made.unwrap_or_else(|| reading.make(source, place, limits, earlier.as_deref(), unchanged.is_none()));
        let (mut prepared, vectors) = made.document?;
        let mut members = std::mem::take(&mut prepared.attachments);
        if place.depth >= limits.max_container_depth && !members.is_empty() {
            prepared.meta.warnings.push(format!(
                "The {} files inside were left out: containers are opened {} deep (the limit on the {} can be raised).",
                members.len(),
                limits.max_container_depth,
                FileLimit::ContainerDepth.quantity()
            ));
            members.clear();
        }
        limits.max_attachments = limits.max_attachments.saturating_sub(members.len() as u32);
        let bytes: u64 = members.iter().map(|member| member.bytes.len() as u64).sum();
        limits.max_attachment_bytes = limits.max_attachment_bytes.saturating_sub(bytes);

        let is_container =
            prepared.meta.is_container() || earlier.as_ref().is_some_and(|earlier| earlier.is_container());
        let outcome = match unchanged {
            Some(outcome) => outcome,
            None => {
                let keep_original =
                    self.request.copy_original || earlier.as_ref().is_some_and(|earlier| earlier.original_stored);
                prepared.meta.original_stored = keep_original;
                let bytes = std::mem::take(&mut source.bytes);
                Outcome::Ready(Box::new(Ready {
                    relative: place.relative.clone(),
                    replaced: earlier.is_some(),
                    prepared,
                    vectors,
                    original: keep_original.then_some(bytes),
                    from_stored: false,
                }))
            }
        };
        Ok(Examined { outcome, members, is_container })
    }

    /// The documents that an earlier version of a container held and this one does not. Noted before its members are examined, so
    /// that one that was only renamed does not count as a duplicate of itself.
    fn former_members(&mut self, source: &Source, now: &Examined) -> Result<Vec<DocumentMeta>> {
        let mut former = Vec::new();
        if !now.is_container {
            return Ok(former);
        }
        let by_path = match &mut self.by_path {
            Some(by_path) => by_path,
            empty => {
                let documents = self.stage.collection.documents()?;
                empty.insert(documents.into_iter().map(|meta| (meta.path.clone(), meta)).collect())
            }
        };
        let names: HashSet<&str> = now.members.iter().map(|member| member.name.as_str()).collect();
        let folder = format!("{}/", source.path);
        for (path, meta) in by_path.range(folder.clone()..) {
            let Some(name) = path.strip_prefix(&folder) else { break };
            let inside_a_member = name.match_indices('/').any(|(at, _)| names.contains(&name[..at]));
            if !inside_a_member && !names.contains(name) {
                self.leaving.insert(meta.id);
                former.push(meta.clone());
            }
        }
        Ok(former)
    }
}

struct Examined {
    outcome: Outcome,
    members: Vec<casetrack_extract::Attachment>,
    is_container: bool,
}

/// The vectors of the chunks that `earlier` has with the same text and context: of those that have all that is wanted.
pub(crate) fn unchanged_vectors(
    collection: &Collection,
    earlier: &DocumentMeta,
    chunks: &[Chunk],
    wanted: Outputs,
) -> Result<Vec<Option<ChunkVectors>>> {
    let contexts: HashMap<ChunkId, String> =
        collection.chunks(earlier.id)?.into_iter().map(|chunk| (chunk.id, chunk.context)).collect();
    let mut known: HashMap<ChunkId, Vec<f32>> = collection.vectors(earlier.id)?.into_iter().collect();
    let mut known_sparse: HashMap<ChunkId, SparseVector> = match wanted.sparse {
        true => collection.sparse_vectors(earlier.id)?.into_iter().collect(),
        false => HashMap::new(),
    };
    let mut known_tokens: HashMap<ChunkId, Vec<u8>> = HashMap::new();
    if wanted.tokens {
        for span in collection.chunk_spans(earlier.id)? {
            let signs = collection.token_vectors_at(earlier.id, span.index)?;
            known_tokens.extend(signs.map(|signs| (span.id, signs)));
        }
    }
    let take = |chunk: &Chunk| {
        let same = contexts.get(&chunk.id).is_some_and(|context| *context == chunk.context);
        let of_chunk = known_sparse.remove(&chunk.id);
        let tokens = known_tokens.remove(&chunk.id);
        if !same || of_chunk.is_some() != wanted.sparse || tokens.is_some() != wanted.tokens {
            return None;
        }
        Some(ChunkVectors { dense: known.remove(&chunk.id)?, sparse: of_chunk, tokens })
    };
    Ok(chunks.iter().map(take).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use casetrack_core::{
        Cancel, CollectionId, CollectionMeta, CollectionStatus, CollectionType, ProgressSink, Timestamp,
    };
    use casetrack_store::{StoredDocument, VectorModels};

    use super::*;
    use crate::prepare::Prepared;
    use casetrack_host::{EngineConfig, Host};

    fn message(attachments: [(&str, &str); 2]) -> String {
        let mut message = "From: Ann <ann@example.com>\r\nMIME-Version: 1.0\r\nSubject: Lease\r\n\
            Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n\r\nSee the files.\r\n"
            .to_owned();
        for (name, text) in attachments {
            message += &format!("--B\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\r\n{text}\r\n");
        }
        message + "--B--\r\n"
    }

    /// What the first stage sends of these files.
    fn outcomes(host: &Host, collection: &Collection, files: &[std::path::PathBuf]) -> Vec<Outcome> {
        let (sender, outcomes) = crossbeam_channel::unbounded();
        let (cancel, progress) = (Cancel::default(), Arc::new(|_: casetrack_core::Progress| {}) as ProgressSink);
        let (wanted, recognizer) = (Outputs::DENSE, None);
        let stage = FirstStage { host, collection, wanted, recognizer, sender, progress: &progress, cancel: &cancel };
        let found = files.iter().map(|file| FoundFile::kept(None, file.clone())).collect();
        Extracting::new(stage, &IngestRequest::new(Vec::new())).run(found);
        outcomes.iter().collect()
    }

    fn store(collection: &Collection, ready: Ready) {
        let Prepared { mut meta, pages, chunks, annotations, .. } = ready.prepared;
        meta.embedded_at = Some(Timestamp::now());
        let vectors = chunks.iter().map(|_| vec![1.0, 0.0]).collect();
        let stored = StoredDocument {
            meta,
            pages,
            chunks,
            vectors,
            dense_model: "m".to_owned(),
            sparse_vectors: Vec::new(),
            sparse_model: None,
            token_vectors: Vec::new(),
            token_model: None,
            annotations,
        };
        collection.put_document(&stored).unwrap();
    }

    fn empty_collection() -> (tempfile::TempDir, Host, Arc<casetrack_host::OpenCollection>) {
        let dir = tempfile::tempdir().unwrap();
        let host = Host::new(EngineConfig::new(dir.path().join("home"))).unwrap();
        let meta = CollectionMeta {
            id: CollectionId::random(),
            name: "Mail".to_owned(),
            reference: None,
            collection_type: CollectionType::default(),
            status: CollectionStatus::Active,
            created_at: Timestamp::now(),
        };
        let models = VectorModels { dense: "m".to_owned(), dense_dimension: 2, sparse: None, tokens: None };
        host.store().create(&meta, &models).unwrap();
        let collection = host.collection(meta.id).unwrap();
        (dir, host, collection)
    }

    #[test]
    fn files_are_sent_in_the_order_of_discovery_however_long_each_takes() {
        let (dir, host, collection) = empty_collection();
        let (mut files, mut expected) = (Vec::new(), Vec::new());
        for n in 0..40 {
            let file = dir.path().join(format!("{n:02}.txt"));
            // Every fourth takes long, and every fifth has the content of the first.
            let text = match n {
                n if n % 5 == 0 => "The tenant pays the rent.".to_owned(),
                n if n % 4 == 0 => format!("Clause {n}. The tenant pays. ").repeat(5000),
                n => format!("Clause {n}."),
            };
            std::fs::write(&file, text).unwrap();
            expected.push(format!("{} {n:02}.txt", if n > 0 && n % 5 == 0 { "duplicate of 00.txt" } else { "ready" }));
            files.push(file);
        }
        files.insert(20, dir.path().join("missing.txt"));
        expected.insert(20, "failed missing.txt".to_owned());
        let sent: Vec<String> = outcomes(&host, &collection, &files)
            .into_iter()
            .map(|outcome| match outcome {
                Outcome::Ready(ready) => format!("ready {}", ready.relative),
                Outcome::Skipped(file) => {
                    let of = file.detail.trim_start_matches("same content as ").split(',').next().unwrap().to_owned();
                    format!("duplicate of {of} {}", file.relative_path)
                }
                Outcome::Failed(file) => format!("failed {}", file.relative_path),
                _ => String::new(),
            })
            .collect();
        assert_eq!(sent, expected);
    }

    #[test]
    fn members_that_left_a_container_are_removed_after_it_and_not_by_the_first_stage() {
        let (dir, host, collection) = empty_collection();
        let file = dir.path().join("a.eml");
        let (lease, plan) = ("The tenant pays rent quarterly in advance.", "The plan of the cellar.");
        std::fs::write(&file, message([("lease.txt", lease), ("old.txt", plan)])).unwrap();
        for outcome in outcomes(&host, &collection, std::slice::from_ref(&file)) {
            if let Outcome::Ready(ready) = outcome {
                store(&collection, *ready);
            }
        }
        let paths = || -> Vec<String> { collection.documents().unwrap().into_iter().map(|meta| meta.path).collect() };
        let before = paths();
        assert_eq!(before.len(), 3, "{before:?}");

        std::fs::write(&file, message([("lease.txt", lease), ("renamed.txt", plan)])).unwrap();
        let sent = outcomes(&host, &collection, std::slice::from_ref(&file));
        assert_eq!(paths(), before, "a run that ends here has lost nothing");
        let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        let sent: Vec<String> = sent
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Ready(ready) => Some(format!("store {}", name(&ready.prepared.meta.path))),
                Outcome::Removed(former) => Some(format!("remove {}", name(&former[0].path))),
                _ => None,
            })
            .collect();
        assert_eq!(sent, ["store renamed.txt", "store a.eml", "remove old.txt"]);
    }
}
