//! The move of a collection to other models. Vectors are made in a second directory of the collection, from the stored chunks, while
//! searches use the first; then the second takes its place.
//!
//! A document that the second directory has already is not made again, so an interrupted move continues.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::{
    Cancel, CollectionId, DocumentId, DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result,
};
use casetrack_embed::{Embedder, Outputs};
use casetrack_store::{Collection, Store, VectorModels};

use super::{DiskSpace, ModelChange, ModelsWanted, ReindexReport, ReindexSource, run};
use crate::file::DocumentInFlight;
use crate::pace::Pace;
use crate::pipeline::{self, FirstStage};
use crate::vectors::unchanged_vectors;
use crate::{IngestReport, Problem, WorkContext};
use casetrack_host::changes::Change;
use casetrack_host::{Host, described, token_model, vector_models};

/// Longest wait of the replacement until the collection is idle.
const PATIENCE: Duration = Duration::from_secs(600);

/// The disk space that a move of a collection to other models takes until it is done, and the free space.
pub fn space_to_move(host: &Host, id: CollectionId) -> Result<DiskSpace> {
    host.only_on_disk("Moves to other models")?;
    host.registry().space_to_move(id)
}

/// See [`ReindexRequest::models`](super::ReindexRequest::models).
pub(super) fn move_to_models(
    host: &Host,
    id: CollectionId,
    wanted: &ModelsWanted,
    pace: Pace,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<ReindexReport> {
    host.only_on_disk("Moves to other models")?;
    let started = Instant::now();
    let source = host.collection_to_change(id)?;
    let (embedder, models) = wanted_models(host, &source, wanted)?;
    // Loaded before anything is made: a model may be missing, and no vectors may be lost on the way.
    embedder.model(Outputs::DENSE)?;
    if source.models().sparse.is_some() && embedder.makes(Outputs::SPARSE)? {
        embedder.model(Outputs::SPARSE)?;
    }
    if models.tokens.is_some() {
        embedder.model(Outputs::TOKENS)?;
    }
    let change = ModelChange { from: described(source.models()), to: described(&models) };
    let mut report = ReindexReport {
        collection: source.meta().name.clone(),
        found: source.counts()?.documents,
        models: Some(change),
        ..ReindexReport::default()
    };
    if *source.models() == models {
        // There is nothing to continue.
        host.registry().discard_move(id)?;
    } else {
        host.registry().space_to_move(id)?.check()?;
        let target = host.registry().moving(source.meta(), &models)?;
        let made = copy(WorkContext { host, collection: &target, progress, cancel }, &source, true, pace)?;
        drop(source);
        run::add(&mut report, made, |_| ReindexSource::Stored);
        refuse_gaps(&mut report);
        if report.summary.stopped.is_none() {
            replace(host, id, target, PATIENCE, cancel)?;
        }
    }
    report.summary.duration_ms = started.elapsed().as_millis() as u64;
    Ok(report)
}

/// The models that a collection is to have, and the embedder that makes their vectors.
fn wanted_models(host: &Host, source: &Collection, wanted: &ModelsWanted) -> Result<(Embedder, VectorModels)> {
    let (embedder, models) = match wanted.profile {
        Some(profile) => {
            let precision = wanted.precision.unwrap_or_else(|| host.config().precision_of(profile));
            let embedder = host.embedder_with(profile, precision)?;
            let models = vector_models(&embedder)?;
            (embedder, models)
        }
        None => (host.embedder_of(source)?, source.models().clone()),
    };
    let has_them = source.models().tokens.is_some();
    let tokens = match wanted.late_interaction {
        Some(true) => Some(host.token_model_of(&embedder)?),
        None if has_them && embedder.makes(Outputs::TOKENS)? => Some(token_model(&embedder)?),
        Some(false) | None => None,
    };
    Ok((embedder, VectorModels { tokens, ..models }))
}

/// Brings the second directory up to date, while the collection is idle, and puts it in the place of the first.
pub(super) fn replace(
    host: &Host,
    id: CollectionId,
    mut target: Collection,
    patience: Duration,
    cancel: &Cancel,
) -> Result<()> {
    host.open_collections().while_closed(id, patience, cancel, || {
        let source = host.registry().open_collection(id)?;
        let silent: ProgressSink = Arc::new(|_| {});
        let work = WorkContext { host, collection: &target, progress: &silent, cancel };
        let made = copy(work, &source, false, Pace::default())?;
        if let Some(problem) = made.summary.stopped.or(made.failed.into_iter().next().map(|failed| failed.problem)) {
            return Err(problem.into_error());
        }
        target.describe(source.meta().clone())?;
        let evidence = source.evidence()?;
        target.change_evidence(|tray| {
            *tray = evidence;
            Ok(())
        })?;
        drop((source, target));
        host.registry().replace_with_moved(id)
    })?;
    host.changes().notify(Change::Collection(id));
    Ok(())
}

/// True if a collection has all vectors that another one is to have.
fn has_all(source: &VectorModels, target: &VectorModels) -> bool {
    source.dense == target.dense
        && (target.sparse.is_none() || source.sparse == target.sparse)
        && (target.tokens.is_none() || source.tokens == target.tokens)
}

/// A document that could not be copied would be lost by the replacement.
fn refuse_gaps(report: &mut ReindexReport) {
    if report.summary.stopped.is_none() && !report.failed.is_empty() {
        let message = format!(
            "{} of {} documents could not be given other vectors, so the collection stays with its models.",
            report.failed.len(),
            report.found
        );
        let hint = "Reindex these documents from their files, or delete them, and try again: finished work is kept.";
        report.summary.stopped = Some(Problem::from(&Error::new(ErrorCode::Corrupt, message).with_hint(hint)));
    }
}

/// Gives the collection of `work` the documents of `source`, with the vectors of its own models. `all`: the report also has the documents
/// that the collection already had.
fn copy(work: WorkContext<'_>, source: &Collection, all: bool, pace: Pace) -> Result<IngestReport> {
    let target = work.collection;
    let documents = source.documents_as_stored()?;
    let paths: HashMap<DocumentId, &str> = documents.iter().map(|meta| (meta.id, meta.path.as_str())).collect();
    let mut there: HashMap<DocumentId, DocumentMeta> = HashMap::new();
    for meta in target.documents()? {
        // Deleted since, or moved: another document may have its path now.
        if paths.get(&meta.id) == Some(&meta.path.as_str()) {
            there.insert(meta.id, meta);
        } else {
            target.delete_document(meta.id)?;
        }
    }
    let is_there = |meta: &DocumentMeta| {
        there
            .get(&meta.id)
            .is_some_and(|other| DocumentMeta { embedded_at: meta.embedded_at, ..other.clone() } == *meta)
    };
    let todo: Vec<&DocumentMeta> = documents.iter().filter(|meta| all || !is_there(meta)).collect();
    let report = IngestReport { found: todo.len() as u64, ..IngestReport::default() };
    if todo.is_empty() {
        return Ok(report);
    }
    let is_made_again = |meta: &&&DocumentMeta| !is_there(meta) && !has_all(source.models(), target.models());
    let chunks = todo.iter().filter(is_made_again).map(|meta| u64::from(meta.chunk_count)).sum();
    (work.progress)(Progress::ToEmbed { chunks });
    let load = |stage: FirstStage<'_>| {
        stage.send_stored(&todo, is_there, |meta| document(source, &stage, meta, there.get(&meta.id)))
    };
    pipeline::run_stages(work, report, load, pace)
}

/// A document of `source`, with its own vectors if they stay, or those that an earlier version of it in the second directory has.
fn document(
    source: &Collection,
    stage: &FirstStage<'_>,
    meta: &DocumentMeta,
    earlier: Option<&DocumentMeta>,
) -> Result<DocumentInFlight> {
    let (pages, chunks) = run::stored_text(source, meta)?;
    let vectors = match earlier {
        _ if has_all(source.models(), stage.work.collection.models()) => {
            Some(unchanged_vectors(source, meta, &chunks, stage.outputs)?)
        }
        Some(earlier) => Some(unchanged_vectors(stage.work.collection, earlier, &chunks, stage.outputs)?),
        None => None,
    };
    let document = DocumentInFlight::from_stored(meta, (pages, chunks), source.annotations(meta.id)?);
    let vectors = vectors.unwrap_or(document.vectors);
    Ok(DocumentInFlight { replaced: earlier.is_some(), from_stored: false, vectors, ..document })
}
