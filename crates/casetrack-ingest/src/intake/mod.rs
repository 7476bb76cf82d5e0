//! The first stage of ingestion: files to documents, and the files inside containers.
//!
//! Several threads read, extract and analyse files before their turn. What becomes of each is decided in the order of discovery, one file at a time,
//! with the facts known by then; a document that was extracted for other circumstances is extracted again.
//!
//! A file inside a container is a document of its own. It is sent on before its container, so that a container that is stored has all
//! its members stored, whenever the program was ended. A container that did not change is opened again all the same: members that
//! failed before are tried again, the others are skipped. Its document names those that were not read.

#[cfg(test)]
mod tests;
mod threads;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, OnceLock};

use casetrack_core::{
    DocumentId, DocumentMeta, Error, ErrorCode, FileLimit, Limits, Progress, Result, Sha256, UnreadPart,
};
use casetrack_extract::{Attachment, ExtractOptions};

use self::threads::ExtractionThreads;
use super::file::{
    DocumentInFlight, Extracted, FileContent, FileInFlight, FileState, Outcome, RemovedMembers, SourceFile,
};
use super::pipeline::{FirstStage, StageEnded};
use super::{IngestRequest, SkipReason, SkippedFile, WorkContext};
use casetrack_host::documents::former::{self, FormerMember, FormerMembers};
use casetrack_host::documents::removal::RestorableDocuments;
use casetrack_host::{KeptCopy, lock, sha256};

pub(super) struct Intake<'a> {
    stage: FirstStage<'a>,
    request: &'a IngestRequest,
    restorable: &'a RestorableDocuments,
    contents: Mutex<Contents>,
    /// The documents by path, as they were when the first container was opened.
    by_path: OnceLock<BTreeMap<String, DocumentMeta>>,
    /// The documents whose removal is to be confirmed, as they were then.
    kept: OnceLock<Vec<FormerMember>>,
}

#[derive(Default)]
struct Contents {
    /// Those of files that threads extract, or have extracted, before their turn.
    begun: HashSet<Sha256>,
    /// The documents that are not committed yet, with their names.
    under_way: HashMap<Sha256, (DocumentId, String)>,
    /// Documents whose deletion follows their container. A file with their content is not a duplicate of them.
    leaving: HashSet<DocumentId>,
    /// Those that could not be read: documents of the collection with these contents stay.
    unread: HashSet<Sha256>,
}

/// The result of looking a file up in the collection, before it is extracted.
struct Lookup {
    earlier: Option<DocumentMeta>,
    /// The outcome of the file, if it need not be stored.
    outcome: Option<Outcome>,
}

impl Lookup {
    /// True if the file need not be extracted. A container is, for its members.
    fn is_done(&self) -> bool {
        self.outcome.is_some() && !self.was_container()
    }

    fn was_container(&self) -> bool {
        self.earlier.as_ref().is_some_and(DocumentMeta::is_container)
    }
}

/// The outcome of a file, and the files inside it.
struct Decision {
    outcome: Outcome,
    /// The files inside it.
    members: Vec<Attachment>,
    former: Option<Former>,
    unchanged: Option<Unchanged>,
}

/// The documents of files that only an earlier version of a container held.
struct Former {
    removed: RemovedMembers,
    /// They stay until their removal is confirmed.
    kept: Vec<FormerMember>,
}

/// For an unchanged container: the stored version, and a new one in case other members can be read now.
type Unchanged = (DocumentMeta, Box<DocumentInFlight>);

impl Decision {
    fn without_members(outcome: Outcome) -> Self {
        Self { outcome, members: Vec::new(), former: None, unchanged: None }
    }
}

impl<'a> Intake<'a> {
    pub fn new(stage: FirstStage<'a>, request: &'a IngestRequest, restorable: &'a RestorableDocuments) -> Self {
        Self { stage, request, restorable, contents: Mutex::default(), by_path: OnceLock::new(), kept: OnceLock::new() }
    }

    pub fn run(self, files: Vec<SourceFile>) {
        let limits = self.stage.work.host.config().limits;
        let advance = |file: FileInFlight, limits: &Limits| self.advance(file, limits);
        ExtractionThreads::with(advance, |threads| {
            let mut files = threads.in_order(files.into_iter().map(FileInFlight::discovered));
            while let Some(file) = files.next(&limits) {
                if self.pass_on(threads, file, &mut limits.clone()).is_err() {
                    return;
                }
            }
        });
    }

    // ---- before its turn ----

    /// Reads a file, and extracts it unless it seems to be stored already.
    fn advance(&self, FileInFlight { file, state }: FileInFlight, limits: &Limits) -> FileInFlight {
        let content = match state {
            FileState::Read(content) => Ok(content),
            _ => self.read(&file),
        };
        let state = match content {
            Err(error) => FileState::Unreadable(error),
            // Errors are reported when its turn comes.
            Ok(content) => match self.look_up(&file, content.sha256, true) {
                Ok(lookup) if !lookup.is_done() && !self.stage.work.cancel.is_cancelled() => {
                    let extracted = self.extract(&file, &content, limits, &lookup);
                    FileState::Extracted(content, Box::new(extracted))
                }
                _ => FileState::Read(content),
            },
        };
        FileInFlight { file, state }
    }

    fn read(&self, file: &SourceFile) -> Result<FileContent> {
        let WorkContext { host, collection, progress, cancel } = self.stage.work;
        progress(Progress::Reading { path: file.path.display().to_string().into() });
        cancel.check()?;
        let copy = file.copy.as_deref().map(|path| KeptCopy { collection, path });
        FileContent::read(&file.path, copy, host.config())
    }

    /// Looks a file up in the collection and in this run. `early`: before its turn.
    fn look_up(&self, file: &SourceFile, sha256: Sha256, early: bool) -> Result<Lookup> {
        let Some(earlier) = self.stage.work.collection.document_by_path(&file.path.to_string_lossy())? else {
            let same = self.same_content(sha256, early)?;
            let outcome = same.map(|(id, name)| {
                let detail = format!("same content as {name}, matching SHA256");
                Outcome::Skipped(file.skipped(SkipReason::Duplicate, Some(id), detail))
            });
            return Ok(Lookup { earlier: None, outcome });
        };
        let same = earlier.sha256 == sha256;
        let outcome = if same && self.request.since.is_some_and(|since| earlier.ingested_at >= since) {
            Some(Outcome::StoredBefore(file.relative.clone(), Box::new(earlier.clone())))
        } else if same && self.request.skip_existing {
            let detail = format!("already ingested as {}, matching SHA256", earlier.name);
            Some(Outcome::Skipped(file.skipped(SkipReason::Unchanged, Some(earlier.id), detail)))
        } else {
            None
        };
        Ok(Lookup { earlier: Some(earlier), outcome })
    }

    /// The id and the path or name of another document with this content. `early`: also of one that a thread may be making.
    fn same_content(&self, sha256: Sha256, early: bool) -> Result<Option<(DocumentId, String)>> {
        let collection = self.stage.work.collection;
        let stored = collection.documents_by_sha256(sha256)?;
        let (stays, under_way) = {
            let mut contents = lock(&self.contents);
            let is_begun = early && !contents.begun.insert(sha256);
            let begun = is_begun.then(|| (DocumentId::random(), String::new()));
            let stays = stored.into_iter().find(|id| !contents.leaving.contains(id));
            (stays, contents.under_way.get(&sha256).cloned().or(begun))
        };
        match stays {
            Some(id) => Ok(collection.document(id)?.map(|meta| (id, meta.path))),
            None => Ok(under_way),
        }
    }

    fn extract(&self, file: &SourceFile, content: &FileContent, limits: &Limits, lookup: &Lookup) -> Extracted {
        let earlier = lookup.earlier.as_ref();
        Extracted::new(self.document(file, content, limits, earlier, lookup.outcome.is_none()), earlier, limits)
    }

    fn document(
        &self,
        file: &SourceFile,
        content: &FileContent,
        limits: &Limits,
        earlier: Option<&DocumentMeta>,
        to_store: bool,
    ) -> Result<DocumentInFlight> {
        let (host, request) = (self.stage.work.host, self.request);
        let restored = match earlier {
            None if to_store => self.restorable.claim(&content.path, content.sha256),
            _ => None,
        };
        let known = earlier.map(|earlier| earlier.id).or(restored.map(|removed| removed.id));
        let id = known.unwrap_or_else(DocumentId::random);
        // A name the user gave stays when the file is ingested again.
        let given = request.document_name.as_deref().filter(|_| file.depth == 1);
        let before = earlier.map(|earlier| earlier.name.as_str());
        let name = given.or(before).or(restored.and_then(|removed| removed.name.as_deref()));
        let kept_type = earlier.filter(|_| request.keep_types).map(|earlier| earlier.document_type);
        let document_type = request.document_type.or(kept_type);
        let (limits, password) = (*limits, request.password.clone());
        let options = ExtractOptions { limits, password, ..host.config().extract_options() };
        let extraction = host.readers().extract(&file.path, &content.bytes, &options, self.stage.work.cancel)?;
        let (mut stored, members) = content.document(extraction, host.config(), id, name, document_type);
        stored.meta.marks = restored.map(|removed| removed.marks.clone()).unwrap_or_default();
        if stored.chunks.is_empty() {
            return Err(Error::new(ErrorCode::EmptyFile, format!("{} contains no text.", content.path)));
        }
        let mut document = DocumentInFlight::new(file.relative.clone(), earlier.is_some(), stored, members);
        if to_store {
            self.stage.complete(&mut document, earlier.filter(|_| !request.embed_all))?;
        }
        Ok(document)
    }

    // ---- its turn ----

    /// Sends on a file and everything inside it. Reduces `limits` by the files inside a file on disk. Returns the error of a file that was not
    /// read.
    fn pass_on(
        &self,
        threads: &ExtractionThreads,
        file: FileInFlight,
        limits: &mut Limits,
    ) -> std::result::Result<Option<Error>, StageEnded> {
        if self.stage.work.cancel.is_cancelled() {
            return Err(StageEnded);
        }
        let FileInFlight { file, state } = file;
        let (mut content, extracted) = match state {
            FileState::Discovered => {
                // There are no threads.
                let file = self.advance(FileInFlight::discovered(file), limits);
                return self.pass_on(threads, file, limits);
            }
            FileState::Read(content) => (content, None),
            FileState::Extracted(content, extracted) => (content, Some(*extracted)),
            FileState::Unreadable(error) => return self.not_read(&file, error),
        };
        let decision = match self.decide(&file, &mut content, extracted, limits) {
            Ok(decision) => decision,
            Err(error) => {
                if !(file.in_folder && error.code == ErrorCode::UnsupportedFormat) {
                    lock(&self.contents).unread.insert(content.sha256);
                }
                return self.not_read(&file, error);
            }
        };
        let Decision { outcome, members, former, unchanged } = decision;
        if !members.is_empty() {
            self.stage.send(Outcome::Opened(members.len() as u64))?;
        }
        let members = members.into_iter().map(|member| FileInFlight::member(&file, &content, member));
        let mut members = threads.in_order(members);
        let mut unread = Vec::new();
        while let Some(member) = members.next(limits) {
            let path = member.file.path.to_string_lossy().into_owned();
            if let Some(Error { code, message, hint, .. }) = self.pass_on(threads, member, limits)? {
                let name = path.strip_prefix(&format!("{}/", content.path)).unwrap_or(&path).to_owned();
                unread.push(UnreadPart { name, code: code.name().to_owned(), reason: message, hint });
            }
        }
        let outcome = self.with_unread(outcome, unchanged, unread);
        if let Outcome::Documents(documents) = &outcome {
            let metas = documents.iter().map(|document| &document.stored.meta);
            let under_way = metas.map(|meta| (meta.sha256, (meta.id, meta.name.clone())));
            lock(&self.contents).under_way.extend(under_way);
        }
        self.stage.send(outcome)?;
        if let Some(former) = former {
            self.let_go(content.path, former)?;
        }
        Ok(None)
    }

    /// Removes the documents of files that a container no longer holds, or has them noted.
    fn let_go(&self, container: String, former: Former) -> std::result::Result<(), StageEnded> {
        let Former { mut removed, kept } = former;
        let stays: HashSet<DocumentId> = {
            let contents = lock(&self.contents);
            let unread = removed.documents.iter().filter(|meta| contents.unread.contains(&meta.sha256));
            unread.map(|meta| meta.id).collect()
        };
        removed.documents.retain(|meta| !stays.contains(&meta.id));
        removed.gone.retain(|member| !stays.contains(&member.document_id));
        if !removed.documents.is_empty() {
            self.stage.send(Outcome::Removed(removed))?;
        }
        let was_kept = self.kept.get().is_some_and(|kept| kept.iter().any(|member| member.container == container));
        if !kept.is_empty() || was_kept {
            self.stage.send(Outcome::Kept(container, kept))?;
        }
        Ok(())
    }

    /// Puts the files inside a container that were not read into its record, each with a warning, except pictures without text. One that did not
    /// change is stored again if they are others than before.
    fn with_unread(&self, mut outcome: Outcome, unchanged: Option<Unchanged>, unread: Vec<UnreadPart>) -> Outcome {
        if let Some((earlier, mut document)) = unchanged.filter(|(earlier, _)| earlier.unread_parts != unread) {
            match self.stage.complete(&mut document, Some(&earlier)) {
                Ok(()) => outcome = Outcome::Documents(vec![*document]),
                Err(error) => tracing::warn!(%error, path = earlier.path, "the list of unread parts stays as it was"),
            }
        }
        if let Outcome::Documents(documents) = &mut outcome
            && let [document] = documents.as_mut_slice()
        {
            let meta = &mut document.stored.meta;
            // A mail may have many logos and photographs.
            let warned = unread.iter().filter(|part| !part.is_picture_without_text());
            meta.warnings.extend(warned.map(UnreadPart::warning));
            meta.unread_parts = unread;
        }
        outcome
    }

    /// Reports a file that was not read, and returns the reason.
    fn not_read(&self, file: &SourceFile, error: Error) -> std::result::Result<Option<Error>, StageEnded> {
        let reason = match error.code {
            ErrorCode::AccessDenied => Some(SkipReason::Denied),
            ErrorCode::UnsupportedFormat => Some(SkipReason::Unsupported),
            _ => None,
        };
        self.stage.send(match reason.filter(|_| file.in_folder) {
            Some(reason) => {
                let skipped = file.skipped(reason, None, error.message.clone());
                Outcome::Skipped(SkippedFile { hint: error.hint.clone(), ..skipped })
            }
            None => file.failed(&error),
        })?;
        Ok(Some(error))
    }

    /// Decides the outcome of a file; `extracted` was made before its turn.
    fn decide(
        &self,
        file: &SourceFile,
        content: &mut FileContent,
        extracted: Option<Extracted>,
        limits: &mut Limits,
    ) -> Result<Decision> {
        let lookup = self.look_up(file, content.sha256, false)?;
        let was_container = lookup.was_container();
        let lookup = match lookup.outcome {
            Some(outcome) if !was_container => return Ok(Decision::without_members(outcome)),
            outcome => Lookup { outcome, ..lookup },
        };
        let extracted = extracted.filter(|extracted| extracted.still_holds(lookup.earlier.as_ref(), limits));
        let extracted = extracted.unwrap_or_else(|| self.extract(file, content, limits, &lookup));
        let mut document = extracted.document?;
        let mut members = std::mem::take(&mut document.members);
        let meta = &mut document.stored.meta;
        if file.depth >= limits.max_container_depth && !members.is_empty() {
            meta.warnings.push(format!(
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

        let former = match meta.is_container() || was_container {
            true => Some(self.former_members(content, &members)?),
            false => None,
        };
        let kept_before = lookup.earlier.as_ref().is_some_and(|earlier| earlier.original_stored);
        meta.original_stored = self.request.copy_original || kept_before;
        let bytes = std::mem::take(&mut content.bytes);
        document.original = meta.original_stored.then_some(bytes);
        Ok(match (lookup.outcome, lookup.earlier) {
            (Some(outcome), Some(earlier)) => {
                Decision { outcome, members, former, unchanged: Some((earlier, Box::new(document))) }
            }
            _ => Decision { outcome: Outcome::Documents(vec![document]), members, former, unchanged: None },
        })
    }

    /// The documents that an earlier version of a container held and this one does not. Noted before its members are examined, so
    /// that one that was only renamed does not count as a duplicate of itself.
    fn former_members(&self, container: &FileContent, members: &[Attachment]) -> Result<Former> {
        let collection = self.stage.work.collection;
        if self.by_path.get().is_none() {
            let documents = collection.documents()?;
            let _ = self.by_path.set(documents.into_iter().map(|meta| (meta.path.clone(), meta)).collect());
        }
        if self.kept.get().is_none() {
            let _ = self.kept.set(former::kept(collection)?);
        }
        let members: Vec<_> = members.iter().map(|member| (member.name.as_str(), sha256(&member.bytes))).collect();
        let folder = format!("{}/", container.path);
        let below = self.by_path.get().into_iter().flat_map(|by_path| by_path.range(folder.clone()..));
        let inside = below.map(|(_, meta)| meta).take_while(|meta| meta.path.starts_with(&folder));
        let former = FormerMembers::of(&container.path, inside, &members);

        // Once kept, they stay so, however many files the container has by now.
        let waiting: HashSet<DocumentId> = self.kept.get().into_iter().flatten().map(|kept| kept.document_id).collect();
        let is_to_confirm = former.is_to_confirm();
        let is_kept = |meta: &DocumentMeta| is_to_confirm || waiting.contains(&meta.id);
        let FormerMembers { renamed: mut documents, gone, .. } = former;
        let (kept, gone): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|meta| !self.request.confirm_removal && is_kept(meta));
        let named = |metas: &[DocumentMeta]| -> Vec<FormerMember> {
            metas.iter().filter_map(|meta| FormerMember::of(meta, &container.path)).collect()
        };
        let (gone_members, kept) = (named(&gone), named(&kept));
        documents.extend(gone);
        lock(&self.contents).leaving.extend(documents.iter().map(|meta| meta.id));
        Ok(Former { removed: RemovedMembers { documents, gone: gone_members }, kept })
    }
}
