//! One reindexing: choose, then process again through the stages of ingestion.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use casetrack_core::{Chunk, DocumentId, DocumentMeta, Error, ErrorCode, Page, Progress, Result};
use casetrack_store::Collection;

use super::{ReindexReport, ReindexRequest, ReindexSource, ReindexedDocument, state};
use crate::discover::Discovery;
use crate::file::{DocumentInFlight, SourceFile, failed};
use crate::pace::Pace;
use crate::pipeline::{self, FirstStage};
use crate::{FailedFile, IngestReport, IngestRequest, Problem, WorkContext, ingest_files, record_unread};
use casetrack_host::documents::{just_deleted, members, outermost};

pub(super) fn run(work: WorkContext<'_>, request: &ReindexRequest) -> Result<ReindexReport> {
    let WorkContext { host, collection, cancel, .. } = work;
    let started = std::time::Instant::now();
    // If a part cannot be made, documents would lose it.
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
        // Documents that this job stored before it was interrupted belong to its report.
        let stored_at = if request.reparse { Some(meta.ingested_at) } else { meta.embedded_at };
        let by_this_job = request.since.is_some_and(|since| stored_at.is_some_and(|at| at >= since));
        if request.skip_unchanged && !by_this_job && is_unchanged(work, &documents, meta)? {
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
        true => from_files(work, request, &todo)?,
        false => (from_stored(work, request, &todo)?, HashSet::new()),
    };
    add(&mut report, ingested, |path| match request.reparse {
        true if Path::new(path).ancestors().any(|path| copies.contains(path)) => ReindexSource::OriginalCopy,
        true => ReindexSource::SourceFile,
        false => ReindexSource::Stored,
    });
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

/// The documents to examine, by path. When files are read, documents inside a container are made with its outermost container.
fn choose<'a>(documents: &'a [DocumentMeta], request: &ReindexRequest) -> Result<Vec<&'a DocumentMeta>> {
    let named: Vec<&DocumentMeta> = match &request.documents {
        None => documents.iter().collect(),
        Some(ids) => {
            let find = |id: &DocumentId| documents.iter().find(|meta| meta.id == *id);
            ids.iter()
                .map(|id| find(id).ok_or_else(|| just_deleted(&format!("Document {id}"))))
                .collect::<Result<_>>()?
        }
    };
    let chosen: Vec<&DocumentMeta> = match request.reparse {
        true => named.into_iter().map(|meta| outermost(documents, meta)).collect(),
        false => named.into_iter().flat_map(|meta| std::iter::once(meta).chain(members(documents, meta))).collect(),
    };
    Ok(chosen.into_iter().map(|meta| (&meta.path, meta)).collect::<BTreeMap<_, _>>().into_values().collect())
}

/// True if the file of a document, or the kept copy of a file that is gone, did not change, and nothing of the document or of those
/// inside it is missing.
fn is_unchanged(work: WorkContext<'_>, documents: &[DocumentMeta], meta: &DocumentMeta) -> Result<bool> {
    let WorkContext { host, collection, cancel, .. } = work;
    let sources = state::Sources { host, collection, documents, trust: false, cancel };
    if sources.of(meta)? != state::SourceState::Unchanged {
        return Ok(false);
    }
    for document in std::iter::once(meta).chain(members(documents, meta)) {
        if !state::lacks(host, collection, document)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads files again; with the result, the paths of documents whose kept copies were read.
fn from_files(
    work: WorkContext<'_>,
    request: &ReindexRequest,
    todo: &[&DocumentMeta],
) -> Result<(IngestReport, HashSet<PathBuf>)> {
    let mut copies = HashSet::new();
    let mut discovery = Discovery::default();
    for meta in todo {
        let path = PathBuf::from(&meta.path);
        let copy = match path.exists() {
            true => None,
            false => work.collection.kept_copy(meta).filter(|copy| copy.exists()),
        };
        if copy.is_some() {
            copies.insert(path.clone());
        } else if !path.exists() {
            discovery.failed.push(missing(meta));
            continue;
        }
        discovery.files.push(SourceFile { relative: meta.name.clone(), ..SourceFile::named(path, copy) });
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
    let mut report = ingest_files(work, &again, discovery)?;
    record_unread(work.collection, &report)?;
    report.found += gone;
    Ok((report, copies))
}

fn missing(meta: &DocumentMeta) -> FailedFile {
    let error = Error::new(ErrorCode::FileNotFound, format!("File not found: {}", meta.path)).with_hint(
        "Put the file back. If it was moved, sync its new folder. Without the file, embeddings can be rebuilt from \
         the stored text.",
    );
    failed(meta.path.as_ref(), meta.name.clone(), &error)
}

fn from_stored(work: WorkContext<'_>, request: &ReindexRequest, todo: &[&DocumentMeta]) -> Result<IngestReport> {
    let report = IngestReport { found: todo.len() as u64, ..IngestReport::default() };
    let is_done =
        |meta: &DocumentMeta| request.since.is_some_and(|since| meta.embedded_at.is_some_and(|at| at >= since));
    let chunks = todo.iter().filter(|meta| !is_done(meta)).map(|meta| u64::from(meta.chunk_count)).sum();
    (work.progress)(Progress::ToEmbed { chunks });
    let load = |stage: FirstStage<'_>| {
        stage.send_stored(todo, is_done, |meta| {
            let annotations = match stage.recognizer {
                Some(_) => None,
                None => work.collection.annotations(meta.id)?,
            };
            let mut document = DocumentInFlight::from_stored(meta, stored_text(work.collection, meta)?, annotations);
            stage.complete(&mut document, None)?;
            Ok(document)
        })
    };
    pipeline::run_stages(work, report, load, Pace::resting(request.throttle))
}

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
