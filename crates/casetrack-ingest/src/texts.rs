//! A text that comes as a text, not as a file: a document with a copy of it in the collection.

use std::collections::BTreeMap;
use std::path::Path;

use casetrack_core::{Cancel, CollectionId, DocumentId, Error, ErrorCode, ProgressSink, Result};
use casetrack_extract::extract_text;

use super::extracting::unchanged_vectors;
use super::pace::Pace;
use super::pipeline::{self, FirstStage, Outcome, Ready};
use super::prepare::{PrepareOptions, Source};
use super::{IngestReport, Problem};
use casetrack_host::{Host, annotations, sha256};

/// A document of a collection that has no file.
pub struct Text<'t> {
    /// Stands for the path of a file: it tells the document from all others.
    pub path: String,
    pub name: &'t str,
    pub content: &'t str,
    /// Fields that the document has afterwards; those that the user gave it stay. `None` takes a field away.
    pub fields: BTreeMap<&'static str, Option<String>>,
}

/// Stores a text as a document, or puts it in the place of the one with its path, in one step; whether there was one. What did not
/// change keeps its vectors. Blocks until it can be searched; `cancel` stops it within a second and changes nothing.
///
/// Errors: a text without words, a missing model, and what prevents a change of the collection.
pub fn put_text(
    host: &Host,
    collection: CollectionId,
    text: Text<'_>,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<bool> {
    let collection = host.collection_to_change(collection)?;
    let earlier = collection.document_by_path(&text.path)?;
    let id = earlier.as_ref().map_or_else(DocumentId::random, |earlier| earlier.id);
    let bytes = text.content.as_bytes().to_vec();
    let source = Source { sha256: sha256(&bytes), path: text.path, file_name: text.name.to_owned(), bytes };
    let is_unchanged = earlier.as_ref().is_some_and(|earlier| earlier.sha256 == source.sha256);
    if !is_unchanged {
        let mut document = None;
        let first = |stage: FirstStage<'_>| {
            let ready = ready(&stage, source, id);
            match ready {
                Ok(ready) => drop(stage.send(Outcome::Ready(Box::new(ready)))),
                Err(error) => document = Some(error),
            }
        };
        let report = IngestReport { found: 1, ..IngestReport::default() };
        let report = pipeline::run_stages(host, &collection, report, first, Pace::default(), progress, cancel)?;
        if let Some(error) = document {
            return Err(error);
        }
        let problem = report.summary.stopped.or_else(|| report.failed.into_iter().next().map(|file| file.problem));
        if let Some(problem) = problem.map(Problem::into_error) {
            return Err(problem);
        }
        if report.ingested.is_empty() {
            let message = format!("{} was stored meanwhile by another call.", text.name);
            return Err(Error::new(ErrorCode::InUse, message).with_hint("Try again."));
        }
    }
    collection.change_marks(&[id], |_, marks| {
        for (name, value) in &text.fields {
            match value {
                Some(value) => drop(marks.fields.insert((*name).to_owned(), value.clone())),
                None => marks.clear_field(name),
            }
        }
        Ok(())
    })?;
    Ok(earlier.is_some())
}

/// The text on its way to the store.
fn ready(stage: &FirstStage<'_>, mut source: Source, id: DocumentId) -> Result<Ready> {
    let host = stage.host;
    let extraction = extract_text(Path::new(&source.path), text(&source)?, &host.config().extract_options())?;
    let chosen = PrepareOptions { name: None, document_type: None };
    let mut prepared = source.prepared(extraction, host, id, &chosen);
    if prepared.chunks.is_empty() {
        return Err(Error::new(ErrorCode::EmptyFile, format!("{} contains no text.", prepared.meta.name)));
    }
    prepared.meta.original_stored = true;
    if let Some(recognizer) = stage.recognizer {
        prepared.annotations = Some(annotations(recognizer, &prepared.meta, &prepared.pages, stage.cancel)?);
    }
    let earlier = stage.collection.document(id)?;
    let vectors = match &earlier {
        Some(earlier) => unchanged_vectors(stage.collection, earlier, &prepared.chunks, stage.wanted)?,
        None => prepared.chunks.iter().map(|_| None).collect(),
    };
    let bytes = std::mem::take(&mut source.bytes);
    let (relative, replaced) = (prepared.meta.name.clone(), earlier.is_some());
    Ok(Ready { relative, replaced, prepared, vectors, original: Some(bytes), from_stored: false })
}

fn text(source: &Source) -> Result<&str> {
    std::str::from_utf8(&source.bytes).map_err(|error| Error::internal(format!("{}: {error}", source.path)))
}
