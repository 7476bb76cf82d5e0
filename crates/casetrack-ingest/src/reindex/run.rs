//! One reindexing: choose, then process again through the stages of ingestion.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use casetrack_core::{Cancel, Chunk, DocumentId, DocumentMeta, Error, ErrorCode, Page, Progress, ProgressSink, Result};
use casetrack_store::Collection;

use super::{ReindexReport, ReindexRequest, ReindexSource, ReindexedDocument, state};
use crate::discover::{Discovery, FoundFile, failed};
use crate::pace::Pace;
use crate::pipeline::{self, Ended, FirstStage, Outcome, Ready};
use crate::prepare::Prepared;
use crate::{FailedFile, IngestReport, IngestRequest, Problem, ingest_files};
use casetrack_host::documents::just_deleted;
use casetrack_host::{Host, annotations};

pub(super) fn run(
    host: &Host,
    collection: &Collection,
    request: &ReindexRequest,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<ReindexReport> {
    let started = std::time::Instant::now();
    // Where a part cannot be made, documents would lose it.
    host.embedder_of(collection)?;
    host.sparse_embedder_of(collection)?;
    host.token_embedder_of(collection)?;
    host.recognizer()?;

    let documents = collection.documents()?;
    let chosen = choose(&documents, request)?;
    let mut report = ReindexReport {
        collection: collection.meta().name.clone(),
        reparse: request.reparse,
        found: chosen.len() as u64,
        ..ReindexReport::default()
    };
    let mut todo: Vec<&DocumentMeta> = Vec::new();
    for meta in chosen {
        if cancel.is_cancelled() {
            report.summary.stopped = Some(Problem::from(&Error::cancelled()));
            return Ok(report);
        }
        // What this job stored before it was interrupted belongs to its report.
        let stored_at = if request.reparse { Some(meta.ingested_at) } else { meta.embedded_at };
        let by_this_job = request.since.is_some_and(|since| stored_at.is_some_and(|at| at >= since));
        if request.skip_unchanged && !by_this_job && is_unchanged(host, collection, &documents, meta, cancel)? {
            report.skipped += 1;
        } else {
            todo.push(meta);
        }
    }
    if todo.is_empty() {
        report.summary.duration_ms = started.elapsed().as_millis() as u64;
        return Ok(report);
    }
    let (ingested, copies) = match request.reparse {
        true => from_files(host, collection, request, &todo, progress, cancel)?,
        false => (from_stored(host, collection, request, &todo, progress, cancel)?, HashSet::new()),
    };
    add(&mut report, ingested, |path| match request.reparse {
        true if Path::new(path).ancestors().any(|path| copies.contains(path)) => ReindexSource::OriginalCopy,
        true => ReindexSource::SourceFile,
        false => ReindexSource::Stored,
    });
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

/// The documents to examine, by path. When files are read, what is inside a container is made with its outermost container.
fn choose<'a>(documents: &'a [DocumentMeta], request: &ReindexRequest) -> Result<Vec<&'a DocumentMeta>> {
    let by_path: HashMap<&str, usize> = documents.iter().enumerate().map(|(d, meta)| (meta.path.as_str(), d)).collect();
    let outermost = |d: usize| {
        let above = Path::new(&documents[d].path).ancestors().skip(1).filter_map(Path::to_str);
        above.filter_map(|path| by_path.get(path).copied()).filter(|&d| documents[d].is_container()).last().unwrap_or(d)
    };
    let mut chosen: BTreeSet<usize> = match &request.documents {
        None => (0..documents.len()).collect(),
        Some(ids) => {
            let place = |id: &DocumentId| {
                let found = documents.iter().position(|meta| meta.id == *id);
                found.ok_or_else(|| just_deleted(&format!("Document {id}")))
            };
            ids.iter().map(place).collect::<Result<_>>()?
        }
    };
    if request.reparse {
        chosen = chosen.into_iter().map(outermost).collect();
    } else {
        for d in chosen.clone() {
            let folder = format!("{}/", documents[d].path);
            let inside = |meta: &DocumentMeta| documents[d].is_container() && meta.path.starts_with(&folder);
            chosen.extend((0..documents.len()).filter(|&member| inside(&documents[member])));
        }
    }
    Ok(chosen.into_iter().map(|d| &documents[d]).collect())
}

/// Whether the file of a document, or the kept copy of a file that is gone, is what it was, and nothing of the document or of those
/// inside it is missing.
fn is_unchanged(
    host: &Host,
    collection: &Collection,
    documents: &[DocumentMeta],
    meta: &DocumentMeta,
    cancel: &Cancel,
) -> Result<bool> {
    let sources = state::Sources { host, collection, documents, trust: false, cancel };
    if sources.of(meta)? != state::Source::Unchanged {
        return Ok(false);
    }
    let folder = format!("{}/", meta.path);
    let members = documents.iter().filter(|member| meta.is_container() && member.path.starts_with(&folder));
    for document in std::iter::once(meta).chain(members) {
        if !state::lacks(host, collection, document)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads files again; with the result, the paths of documents whose kept copies were read.
fn from_files(
    host: &Host,
    collection: &Collection,
    request: &ReindexRequest,
    todo: &[&DocumentMeta],
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<(IngestReport, HashSet<PathBuf>)> {
    let mut copies = HashSet::new();
    let mut discovery = Discovery::default();
    for meta in todo {
        let path = PathBuf::from(&meta.path);
        let copy = match path.exists() {
            true => None,
            false => match collection.kept_copy(meta).filter(|copy| copy.exists()) {
                Some(copy) => Some(copy),
                None => {
                    discovery.failed.push(missing(meta));
                    continue;
                }
            },
        };
        if copy.is_some() {
            copies.insert(path.clone());
        }
        discovery.files.push(FoundFile { path, relative: meta.name.clone(), in_folder: false, copy });
    }
    let again = IngestRequest {
        skip_existing: false,
        keep_types: true,
        embed_all: true,
        password: request.password.clone(),
        since: request.since,
        throttle: request.throttle,
        ..IngestRequest::new(Vec::new())
    };
    let gone = discovery.failed.len() as u64;
    let mut report = ingest_files(host, collection, &again, discovery, progress, cancel)?;
    report.found += gone;
    Ok((report, copies))
}

fn missing(meta: &DocumentMeta) -> FailedFile {
    let error = Error::new(ErrorCode::FileNotFound, format!("File not found: {}", meta.path)).with_hint(
        "Put the file back; where it was moved, sync the folder that it is in now. Without the file, embeddings can be rebuilt \
         from what is stored.",
    );
    failed(meta.path.as_ref(), meta.name.clone(), &error)
}

/// Makes vectors and annotations of what is stored.
fn from_stored(
    host: &Host,
    collection: &Collection,
    request: &ReindexRequest,
    todo: &[&DocumentMeta],
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
    let report = IngestReport { found: todo.len() as u64, ..IngestReport::default() };
    let is_done =
        |meta: &DocumentMeta| request.since.is_some_and(|since| meta.embedded_at.is_some_and(|at| at >= since));
    let chunks = todo.iter().filter(|meta| !is_done(meta)).map(|meta| u64::from(meta.chunk_count)).sum();
    progress(Progress::ToEmbed { chunks });
    let load = |stage: FirstStage<'_>| {
        for &meta in todo {
            let outcome = match is_done(meta) {
                true => Outcome::Stored(meta.name.clone(), Box::new(meta.clone())),
                false => ready(&stage, meta)
                    .unwrap_or_else(|error| Outcome::Failed(failed(meta.path.as_ref(), meta.name.clone(), &error))),
            };
            if let Err(Ended) = stage.send(outcome) {
                return;
            }
        }
    };
    pipeline::run_stages(host, collection, report, load, Pace::resting(request.throttle), progress, cancel)
}

/// A stored document without its vectors.
fn ready(stage: &FirstStage<'_>, meta: &DocumentMeta) -> Result<Outcome> {
    let (pages, chunks) = stored_text(stage.collection, meta)?;
    let annotations = match stage.recognizer {
        Some(recognizer) => Some(annotations(recognizer, meta, &pages, stage.cancel)?),
        None => stage.collection.annotations(meta.id)?,
    };
    let vectors = chunks.iter().map(|_| None).collect();
    let prepared = Prepared { meta: meta.clone(), pages, chunks, annotations, attachments: Vec::new() };
    Ok(Outcome::Ready(Box::new(Ready {
        relative: meta.name.clone(),
        replaced: true,
        prepared,
        vectors,
        original: None,
        from_stored: true,
    })))
}

/// The pages and chunks of a stored document.
pub(super) fn stored_text(collection: &Collection, meta: &DocumentMeta) -> Result<(Vec<Page>, Vec<Chunk>)> {
    let damaged = |page| {
        Error::new(ErrorCode::Corrupt, format!("Page {page} of {} is missing.", meta.name))
            .with_hint("Reindex the document from its file.")
    };
    let page = |number| collection.page(meta.id, number)?.ok_or_else(|| damaged(number));
    let pages = (1..=meta.page_count).map(page).collect::<Result<Vec<_>>>()?;
    Ok((pages, collection.chunks(meta.id)?))
}

pub(super) fn add(report: &mut ReindexReport, made: IngestReport, read_from: impl Fn(&str) -> ReindexSource) {
    report.reindexed.extend(made.ingested.into_iter().map(|document| ReindexedDocument {
        read_from: read_from(&document.path),
        document_id: document.document_id,
        name: document.name,
        path: document.path,
        pages: document.pages,
        chunks: document.chunks,
        warnings: document.warnings,
    }));
    report.failed.extend(made.failed);
    report.summary = made.summary;
}
