//! Moving a collection to other models: vectors are made in a second directory of the collection, from what is stored, while searches use
//! the first; then the second takes its place.
//!
//! A document that the second directory has already is not made again, so a move that was interrupted goes on where it was.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use casetrack_core::{
    Cancel, CollectionId, DocumentId, DocumentMeta, Error, ErrorCode, Progress, ProgressSink, Result,
};
use casetrack_embed::{Embedder, Outputs};
use casetrack_store::{Collection, Store, VectorModels};

use super::{DiskSpace, ModelChange, ModelsWanted, ReindexReport, ReindexSource, run};
use crate::host::changes::Change;
use crate::host::{Host, described, token_model, vector_models};
use crate::ingest::discover::failed;
use crate::ingest::extracting::unchanged_vectors;
use crate::ingest::pace::Pace;
use crate::ingest::pipeline::{self, Ended, FirstStage, Outcome, Ready};
use crate::ingest::prepare::Prepared;
use crate::ingest::{IngestReport, Problem};

/// How long the replacement waits until nobody works with the collection.
const PATIENCE: Duration = Duration::from_secs(600);

impl Host {
    /// The disk that a move of a collection to other models takes until it is done, and what is free.
    pub fn space_to_move(&self, id: CollectionId) -> Result<DiskSpace> {
        self.only_on_disk("Moves to other models")?;
        self.registry().space_to_move(id)
    }

    /// See [`ReindexRequest::models`](super::ReindexRequest::models).
    pub(super) fn move_to_models(
        &self,
        id: CollectionId,
        wanted: &ModelsWanted,
        pace: Pace,
        progress: &ProgressSink,
        cancel: &Cancel,
    ) -> Result<ReindexReport> {
        self.only_on_disk("Moves to other models")?;
        let started = Instant::now();
        let source = self.collection_to_change(id)?;
        let (embedder, models) = self.wanted_models(&source, wanted)?;
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
            // There is nothing to go on with.
            self.registry().discard_move(id)?;
        } else {
            self.registry().space_to_move(id)?.check()?;
            let target = self.registry().moving(source.meta(), &models)?;
            let made = copy(self, &source, &target, true, pace, progress, cancel)?;
            drop(source);
            run::add(&mut report, made, |_| ReindexSource::Stored);
            refuse_gaps(&mut report);
            if report.summary.stopped.is_none() {
                self.replace(id, target, PATIENCE, cancel)?;
            }
        }
        report.summary.duration_ms = started.elapsed().as_millis() as u64;
        Ok(report)
    }

    /// The models that a collection is to have, and what makes their vectors.
    fn wanted_models(&self, source: &Collection, wanted: &ModelsWanted) -> Result<(Embedder, VectorModels)> {
        let (embedder, models) = match wanted.profile {
            Some(profile) => {
                let precision = wanted.precision.unwrap_or_else(|| self.config().precision_of(profile));
                let embedder = self.embedder_with(profile, precision)?;
                let models = vector_models(&embedder)?;
                (embedder, models)
            }
            None => (self.embedder_of(source)?, source.models().clone()),
        };
        let has_them = source.models().tokens.is_some();
        let tokens = match wanted.late_interaction {
            Some(true) => Some(self.token_model_of(&embedder)?),
            None if has_them && embedder.makes(Outputs::TOKENS)? => Some(token_model(&embedder)?),
            Some(false) | None => None,
        };
        Ok((embedder, VectorModels { tokens, ..models }))
    }

    /// Lets the second directory catch up with what changed since, while nobody works with the collection, and take its place.
    pub(super) fn replace(
        &self,
        id: CollectionId,
        mut target: Collection,
        patience: Duration,
        cancel: &Cancel,
    ) -> Result<()> {
        self.open_collections().while_closed(id, patience, cancel, || {
            let source = self.registry().open_collection(id)?;
            let silent: ProgressSink = Arc::new(|_| {});
            let made = copy(self, &source, &target, false, Pace::default(), &silent, cancel)?;
            if let Some(problem) = made.summary.stopped.or(made.failed.into_iter().next().map(|failed| failed.problem))
            {
                return Err(problem.into_error());
            }
            target.describe(source.meta().clone())?;
            let evidence = source.evidence()?;
            target.change_evidence(|tray| {
                *tray = evidence;
                Ok(())
            })?;
            drop((source, target));
            self.registry().replace_with_moved(id)
        })?;
        self.changes().notify(Change::Collection(id));
        Ok(())
    }
}

/// Whether a collection has all vectors that another one is to have.
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
        let hint =
            "Reindex these documents from their files, or delete them, and try again: what is done is not done twice.";
        report.summary.stopped = Some(Problem::from(&Error::new(ErrorCode::Corrupt, message).with_hint(hint)));
    }
}

/// Makes the documents of `target` those of `source`, with the vectors of `target`'s models. `all`: whether the report also has the
/// documents that were there already.
fn copy(
    host: &Host,
    source: &Collection,
    target: &Collection,
    all: bool,
    pace: Pace,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<IngestReport> {
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
    progress(Progress::ToEmbed { chunks });
    let load = |stage: FirstStage<'_>| {
        for meta in todo {
            let outcome = match is_there(meta) {
                true => Outcome::Stored(meta.name.clone(), Box::new(meta.clone())),
                false => ready(source, &stage, meta, there.get(&meta.id))
                    .unwrap_or_else(|error| Outcome::Failed(failed(meta.path.as_ref(), meta.name.clone(), &error))),
            };
            if let Err(Ended) = stage.send(outcome) {
                return;
            }
        }
    };
    pipeline::run_stages(host, target, report, load, pace, progress, cancel)
}

/// A document of `source`, with the vectors that it has itself where they stay, or an earlier version of it in the second directory has.
fn ready(
    source: &Collection,
    stage: &FirstStage<'_>,
    meta: &DocumentMeta,
    earlier: Option<&DocumentMeta>,
) -> Result<Outcome> {
    let (pages, chunks) = run::stored_text(source, meta)?;
    let vectors = match earlier {
        _ if has_all(source.models(), stage.collection.models()) => {
            unchanged_vectors(source, meta, &chunks, stage.wanted)?
        }
        Some(earlier) => unchanged_vectors(stage.collection, earlier, &chunks, stage.wanted)?,
        None => chunks.iter().map(|_| None).collect(),
    };
    let annotations = source.annotations(meta.id)?;
    Ok(Outcome::Ready(Box::new(Ready {
        relative: meta.name.clone(),
        replaced: earlier.is_some(),
        prepared: Prepared { meta: meta.clone(), pages, chunks, annotations, attachments: Vec::new() },
        vectors,
        original: None,
        from_stored: false,
    })))
}
