//! One sync: examine the disk, plan, act.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use casetrack_core::{Action, DocumentMeta, Error, ErrorCode, Progress, Result, Sha256, hint};

use super::guard::{WithheldRemoval, has_files, withheld};
use super::plan::{DiskFile, Plan, plan};
use super::{GoneDocument, SyncReport, SyncRequest, SyncedFile, apply, inside};
use crate::discover::{Discovery, discover, has_extension};
use crate::file::{SourceFile, failed, skipped};
use crate::{IngestReport, IngestRequest, Problem, SkipReason, SkippedFile, WorkContext, ingest_files, record_unread};
use casetrack_extract::detect;
use casetrack_host::documents::removal::remember_removed;
use casetrack_host::documents::unread::ReadingOutcomes;
use casetrack_host::documents::{delete_whole, members, outermost};
use casetrack_host::{Host, Refusal, read, readable};

pub(super) fn run(work: WorkContext<'_>, request: &SyncRequest) -> Result<SyncReport> {
    let started = Instant::now();
    let mut report = SyncReport {
        collection: work.collection.meta().name.clone(),
        dry_run: request.dry_run,
        ..SyncReport::default()
    };
    let disk = FolderState::at(work, request, &mut report)?;
    (work.progress)(Progress::Discovered { files: report.found });
    let result = match disk.complete {
        true => act(work, request, disk, &mut report),
        false => Err(Error::cancelled()),
    };
    if let Err(error) = result {
        report.summary.stopped = Some(Problem::from(&error));
    }
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

struct FolderState {
    root: PathBuf,
    /// Files with the digests of their contents, in order.
    files: Vec<(SourceFile, DiskFile)>,
    awaited: HashSet<PathBuf>,
    seen: HashSet<PathBuf>,
    /// Folders that could not be listed, and files that could not be examined.
    unseen: Vec<PathBuf>,
    /// Paths that the report lists as failed or unsupported already.
    refused: HashSet<String>,
    complete: bool,
}

impl FolderState {
    /// Examines the folder. The report gets the number of files, and those that are not ingested.
    fn at(work: WorkContext<'_>, request: &SyncRequest, report: &mut SyncReport) -> Result<Self> {
        let WorkContext { host, cancel, .. } = work;
        let config = host.config();
        let root = config.access.check(&request.folder)?;
        if !root.is_dir() {
            return Err(Error::invalid(format!("{} is not a folder.", root.display())).with_hint(hint![
                "Ingest a single file with ",
                Action::IngestDocument,
                "."
            ]));
        }
        let all = IngestRequest {
            extensions: request.extensions.clone(),
            follow_links: request.follow_links,
            ..IngestRequest::new(vec![root.clone()])
        };
        let Discovery { files, failed, denied, not_files, .. } = discover(&all, config, cancel)?;
        let absolute = |path: &PathBuf| casetrack_core::real_path(path).unwrap_or_else(|_| path.clone());
        let awaited: HashSet<_> = request.awaited.iter().map(absolute).filter(|path| path.starts_with(&root)).collect();
        // A folder may have been reached through a link.
        let unlisted = failed.iter().map(|file| &file.path).chain(denied.iter().map(|folder| &folder.path));
        let unseen = unlisted.map(PathBuf::from).flat_map(|path| [absolute(&path), path]).collect();
        report.folder = root.display().to_string();
        report.found = (files.len() + not_files.len()) as u64;
        report.awaited = awaited.iter().map(|path| path.display().to_string()).collect();
        (report.failed, report.denied, report.unsupported) = (failed, denied, not_files);
        let mut disk = Self {
            root,
            files: Vec::with_capacity(files.len()),
            awaited,
            seen: files.iter().map(|file| file.path.clone()).collect(),
            unseen,
            refused: HashSet::new(),
            // Files that a cancelled walk did not find are not gone.
            complete: !cancel.is_cancelled(),
        };
        let known = host.known_files();
        // A preview changes nothing: the result of the last sync is valid for a file that it could not read.
        let trusts = request.trust_times || request.dry_run;
        for file in files {
            if cancel.is_cancelled() {
                disk.complete = false;
                return Ok(disk);
            }
            if disk.awaited.contains(&file.path) {
                continue;
            }
            let access = config.access.check(&file.path).map_err(|error| (error.code, error.message));
            if let Err((ErrorCode::AccessDenied, message)) = access {
                report.denied.push(skipped(&file.path, file.relative, SkipReason::Denied, message));
                disk.unseen.push(file.path);
                continue;
            }
            let read = readable(&file.path, &config.limits)
                .and_then(|metadata| known.digest(&file.path, &metadata, trusts, cancel));
            disk.add(file, read, report);
        }
        known.keep(&disk.root, |path| disk.seen.contains(path));
        Ok(disk)
    }

    fn add(&mut self, file: SourceFile, read: Result<(Sha256, Option<Refusal>)>, report: &mut SyncReport) {
        // Ingestion reports a path that is not Unicode.
        let path = file.path.display().to_string();
        let sha256 = match read {
            Ok((sha256, refusal)) => {
                match refusal {
                    Some(Refusal::Failed(problem)) => report.failed.push(problem),
                    Some(Refusal::Unsupported(skipped)) => report.unsupported.push(skipped),
                    None => return self.files.push((file, DiskFile { path, sha256: Some(sha256) })),
                }
                Some(sha256)
            }
            Err(error) => {
                match error.code {
                    ErrorCode::Cancelled => self.complete = false,
                    // It was deleted since the folder was listed.
                    ErrorCode::FileNotFound => {
                        report.found -= 1;
                        return;
                    }
                    _ => report.failed.push(failed(&file.path, file.relative.clone(), &error)),
                }
                None
            }
        };
        self.refused.insert(path.clone());
        self.files.push((file, DiskFile { path, sha256 }));
    }

    /// True if the file of a document that was not found does not exist.
    fn is_gone(&self, meta: &DocumentMeta, request: &SyncRequest) -> bool {
        let path = Path::new(&meta.path);
        if self.awaited.contains(path)
            || self.unseen.iter().any(|unseen| path.starts_with(unseen))
            || path.starts_with(&self.root) && !has_extension(path, request.extensions.as_deref())
        {
            return false;
        }
        use std::io::ErrorKind::{NotADirectory, NotFound};
        match casetrack_core::real_path(path) {
            Err(error) => matches!(error.kind(), NotFound | NotADirectory),
            // The path leads to a file that was found under another: by a link in its place, or by another case of its letters.
            Ok(real) => real != path && self.seen.contains(&real),
        }
    }
}

fn act(work: WorkContext<'_>, request: &SyncRequest, disk: FolderState, report: &mut SyncReport) -> Result<()> {
    let WorkContext { host, collection, .. } = work;
    let documents = match request.rebuild && !request.dry_run {
        true => without_earlier(work, request, &disk, report)?,
        false => collection.documents()?,
    };
    let files: Vec<DiskFile> = disk.files.iter().map(|(_, file)| file.clone()).collect();
    let (plan, remove) = guarded_plan(request, &disk, &files, &documents, report);
    let moves: Vec<(usize, &str)> = plan.moved.iter().map(|&(d, f)| (d, files[f].path.as_str())).collect();

    fill(report, &plan, &disk, &documents, request);
    if request.dry_run {
        report.moved = apply::moved(&documents, &moves);
        preview(report, &plan, &disk, &documents, remove);
        leave_out_unreadable(host, report, &disk);
        inside::settle(work, request, &disk.root, report)?;
        let changed = plan.changed.iter().map(|&f| files[f].path.as_str());
        inside::preview(work, request, changed.filter(|path| !disk.refused.contains(*path)), &documents, report);
        return Ok(());
    }

    if request.only_below.is_none() {
        record_refused(work, request, &plan, &disk, report)?;
    }
    apply::relocate(collection, apply::relocations(&documents, &moves))?;
    report.moved = apply::moved(&documents, &moves);
    let gone: Vec<&DocumentMeta> = plan.gone.iter().map(|&d| &documents[d]).collect();
    match remove {
        true => remove_gone(work, request, &gone, &documents, report)?,
        false => report.missing.extend(gone.into_iter().map(GoneDocument::from)),
    }

    let root = disk.root.clone();
    let wanted: HashSet<usize> = plan.fresh.iter().chain(&plan.changed).copied().collect();
    let is_wanted = |f: usize, path: &String| wanted.contains(&f) && !disk.refused.contains(path);
    let wanted = disk.files.into_iter().enumerate().filter(|(f, (_, on_disk))| is_wanted(*f, &on_disk.path));
    let files: Vec<SourceFile> = wanted.map(|(_, (file, _))| file).collect();
    if !files.is_empty() {
        ingest_wanted(work, request, files, report)?;
    } else if !report.moved.is_empty() || !report.removed.is_empty() {
        collection.flush()?;
    }
    // An index of files keeps nothing.
    if request.only_below.is_none() {
        inside::settle(work, request, &root, report)?;
    }
    Ok(())
}

fn ingest_wanted(
    work: WorkContext<'_>,
    request: &SyncRequest,
    files: Vec<SourceFile>,
    report: &mut SyncReport,
) -> Result<()> {
    let WorkContext { host, collection, .. } = work;
    let ingest = IngestRequest {
        confirm_removal: request.confirm_removal,
        document_type: request.document_type,
        since: request.since,
        ..IngestRequest::new(files.iter().map(|file| file.path.clone()).collect())
    };
    let discovery = Discovery { files, ..Discovery::default() };
    let mut ingested = ingest_files(work, &ingest, discovery)?;
    if request.only_below.is_none() {
        record_unread(collection, &ingested)?;
    }
    crate::note_versions(host, collection.meta().id, &mut ingested);
    remember(host, &ingested);
    add(report, ingested);
    Ok(())
}

/// The plan, and whether documents without files are removed. Reports a removal that needs to be confirmed.
fn guarded_plan(
    request: &SyncRequest,
    disk: &FolderState,
    files: &[DiskFile],
    documents: &[DocumentMeta],
    report: &mut SyncReport,
) -> (Plan, bool) {
    // A file that is still being written may be the new place of a document that seems gone.
    let paths: HashSet<&Path> = documents.iter().map(|meta| Path::new(&meta.path)).collect();
    let remove = request.remove_deleted && disk.awaited.iter().all(|path| paths.contains(path.as_path()));
    let planned = |remove| plan(&disk.root, files, documents, |meta| disk.is_gone(meta, request), remove);
    let plan = planned(remove);
    if remove && !request.confirm_removal {
        report.withheld = withheld_removal(&plan, disk, documents, request);
    }
    match report.withheld {
        Some(_) => (planned(false), false),
        None => (plan, remove),
    }
}

/// Removes documents without files, and keeps the data with which they can be restored.
fn remove_gone(
    work: WorkContext<'_>,
    request: &SyncRequest,
    gone: &[&DocumentMeta],
    documents: &[DocumentMeta],
    report: &mut SyncReport,
) -> Result<()> {
    let WorkContext { collection, cancel, .. } = work;
    // An index of files has no tags.
    if request.only_below.is_none() {
        let inside = gone.iter().flat_map(|meta| std::iter::once(*meta).chain(members(documents, meta)));
        remember_removed(collection, inside)?;
    }
    for meta in gone {
        cancel.check()?;
        delete_whole(collection, meta, documents)?;
        report.removed.push(GoneDocument::from(*meta));
    }
    Ok(())
}

/// Notes the files that are not ingested because they cannot be read, and forgets those that are gone. Where a folder is empty, its drive may
/// not be connected.
fn record_refused(
    work: WorkContext<'_>,
    request: &SyncRequest,
    plan: &Plan,
    disk: &FolderState,
    report: &SyncReport,
) -> Result<()> {
    let path = |f: usize| disk.files[f].1.path.as_str();
    let is_gone = |file: &str| {
        let file = Path::new(file);
        let is_awaited = disk.awaited.contains(file) || disk.unseen.iter().any(|unseen| file.starts_with(unseen));
        file.starts_with(&disk.root)
            && !is_awaited
            && has_extension(file, request.extensions.as_deref())
            && !file.exists()
            && (request.confirm_removal || file.parent().is_some_and(has_files))
    };
    let mut outcomes = ReadingOutcomes::default();
    outcomes.read(plan.unchanged.iter().chain(&plan.duplicates).map(|&(f, _)| path(f)));
    outcomes.read(plan.moved.iter().map(|&(_, f)| path(f)));
    outcomes.failed(&report.failed);
    outcomes.skipped(&report.unsupported);
    outcomes.record(work.collection, is_gone)
}

/// The removals of a plan, if they need to be confirmed.
fn withheld_removal(
    plan: &Plan,
    disk: &FolderState,
    documents: &[DocumentMeta],
    request: &SyncRequest,
) -> Option<WithheldRemoval> {
    let gone: HashSet<usize> = plan.gone.iter().copied().collect();
    if gone.is_empty() {
        return None;
    }
    let removable = documents.iter().enumerate().filter(|(_, meta)| {
        let path = Path::new(&meta.path);
        let is_member = outermost(documents, meta).id != meta.id;
        !is_member && path.starts_with(&disk.root) && has_extension(path, request.extensions.as_deref())
    });
    let removable: Vec<(&Path, bool)> = removable.map(|(d, meta)| (Path::new(&meta.path), gone.contains(&d))).collect();
    withheld(&disk.root, &removable)
}

/// Deletes the documents of the folder that this job has not made itself, and returns all that are left. Those of files that could not be
/// looked at stay; only those whose files are gone are reported as removed.
fn without_earlier(
    work: WorkContext<'_>,
    request: &SyncRequest,
    disk: &FolderState,
    report: &mut SyncReport,
) -> Result<Vec<DocumentMeta>> {
    let WorkContext { collection, cancel, .. } = work;
    let documents = collection.documents()?;
    for meta in &documents {
        let path = Path::new(&meta.path);
        let is_member = outermost(&documents, meta).id != meta.id;
        let is_new = request.since.is_some_and(|since| meta.ingested_at >= since);
        if is_member || is_new || !path.starts_with(&disk.root) {
            continue;
        }
        let is_gone = disk.is_gone(meta, request);
        if !is_gone && !disk.seen.contains(path) {
            continue;
        }
        cancel.check()?;
        delete_whole(collection, meta, &documents)?;
        if is_gone {
            report.removed.push(GoneDocument::from(meta));
        }
    }
    collection.documents()
}

/// Reports files that need no change.
fn fill(report: &mut SyncReport, plan: &Plan, disk: &FolderState, documents: &[DocumentMeta], request: &SyncRequest) {
    for &(f, d) in &plan.unchanged {
        let meta = &documents[d];
        if request.since.is_none_or(|since| meta.ingested_at < since) {
            report.unchanged += 1;
            continue;
        }
        // Stored by this job before it was interrupted.
        for stored in std::iter::once(meta).chain(members(documents, meta)) {
            report.summary.pages += u64::from(stored.page_count);
            report.summary.chunks += u64::from(stored.chunk_count);
            report.new.push(SyncedFile {
                document_id: Some(stored.id),
                name: stored.name.clone(),
                relative_path: format!("{}{}", disk.files[f].0.relative, &stored.path[meta.path.len()..]),
                path: stored.path.clone(),
                pages: stored.page_count,
                chunks: stored.chunk_count,
                warnings: stored.warnings.clone(),
            });
        }
    }
    for &(f, d) in &plan.duplicates {
        let (file, same) = (&disk.files[f].0, &documents[d]);
        let detail = format!("same content as {}, matching SHA256", same.path);
        let duplicate = skipped(&file.path, file.relative.clone(), SkipReason::Duplicate, detail);
        report.duplicates.push(SkippedFile { document_id: Some(same.id), ..duplicate });
    }
}

/// Reports the changes that the plan would make.
fn preview(report: &mut SyncReport, plan: &Plan, disk: &FolderState, documents: &[DocumentMeta], remove: bool) {
    let gone = plan.gone.iter().map(|&d| GoneDocument::from(&documents[d]));
    if remove {
        report.removed.extend(gone)
    } else {
        report.missing.extend(gone)
    }
    let mut contents = HashSet::new();
    for (list, is_new) in [(&plan.changed, false), (&plan.fresh, true)] {
        for &f in list {
            let (file, DiskFile { path, sha256 }) = &disk.files[f];
            if disk.refused.contains(path) {
                continue;
            }
            if is_new && sha256.is_some_and(|sha256| !contents.insert(sha256)) {
                let detail = "same content as another new file, matching SHA256".to_owned();
                report.duplicates.push(skipped(&file.path, file.relative.clone(), SkipReason::Duplicate, detail));
                continue;
            }
            let document = documents.iter().find(|meta| !is_new && meta.path == *path);
            let synced = SyncedFile {
                document_id: document.map(|meta| meta.id),
                name: document.map_or_else(|| apply::file_name(path).to_owned(), |meta| meta.name.clone()),
                relative_path: file.relative.clone(),
                path: path.clone(),
                pages: 0,
                chunks: 0,
                warnings: Vec::new(),
            };
            if is_new { report.new.push(synced) } else { report.changed.push(synced) }
        }
    }
}

/// Takes files out of a preview whose formats are not read, or whose damage shows before their pages are read.
fn leave_out_unreadable(host: &Host, report: &mut SyncReport, disk: &FolderState) {
    let found: HashMap<&str, &SourceFile> =
        disk.files.iter().map(|(file, known)| (known.path.as_str(), file)).collect();
    let (mut unsupported, mut broken) = (Vec::new(), Vec::new());
    let mut is_readable = |synced: &SyncedFile| {
        let Some(file) = found.get(synced.path.as_str()) else { return true };
        let (path, relative) = (&file.path, file.relative.clone());
        let detected = read(path, None, host.config()).and_then(|(bytes, _)| detect(path, &bytes));
        match detected {
            Ok(_) => return true,
            // Whether a password opens it is not known here.
            Err(error) if error.code == ErrorCode::NeedsPassword => return true,
            Err(error) if error.code == ErrorCode::UnsupportedFormat => {
                let file = skipped(path, relative, SkipReason::Unsupported, error.message);
                unsupported.push(SkippedFile { hint: error.hint, ..file });
            }
            Err(error) => broken.push(failed(path, relative, &error)),
        }
        false
    };
    report.new.retain(&mut is_readable);
    report.changed.retain(&mut is_readable);
    report.unsupported.extend(unsupported);
    report.failed.extend(broken);
}

/// Notes which files can only be ingested when they change.
fn remember(host: &Host, report: &IngestReport) {
    let known = host.known_files();
    const OF_THE_FILE: [ErrorCode; 3] = [ErrorCode::UnreadableFile, ErrorCode::EmptyFile, ErrorCode::NeedsPassword];
    for file in report.failed.iter().filter(|file| OF_THE_FILE.iter().any(|code| file.problem.code == code.name())) {
        known.refuse(Path::new(&file.path), Refusal::Failed(file.clone()));
    }
    for file in report.skipped.iter().filter(|file| file.reason == SkipReason::Unsupported) {
        known.refuse(Path::new(&file.path), Refusal::Unsupported(file.clone()));
    }
}

fn add(report: &mut SyncReport, ingested: IngestReport) {
    for document in ingested.ingested {
        if document.replaced { report.changed.push(document.into()) } else { report.new.push(document.into()) }
    }
    for file in ingested.skipped {
        match file.reason {
            SkipReason::Unchanged => report.unchanged += 1,
            SkipReason::Duplicate => report.duplicates.push(file),
            SkipReason::Unsupported => report.unsupported.push(file),
            SkipReason::Denied => report.denied.push(file),
        }
    }
    report.failed.extend(ingested.failed);
    report.gone_members.extend(ingested.gone_members);
    let (pages, chunks) = (report.summary.pages, report.summary.chunks);
    report.summary = ingested.summary;
    report.summary.pages += pages;
    report.summary.chunks += chunks;
}
