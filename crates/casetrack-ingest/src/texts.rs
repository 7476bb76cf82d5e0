//! A text that comes as a text, not as a file: a document with a copy of it in the collection.

use std::collections::BTreeMap;
use std::path::Path;

use casetrack_core::{Cancel, CollectionId, DocumentId, Error, ErrorCode, ProgressSink, Result};
use casetrack_extract::extract_text;

use super::file::{DocumentInFlight, FileContent, Outcome};
use super::pace::Pace;
use super::pipeline::{self, FirstStage};
use super::{IngestReport, Problem, WorkContext};
use casetrack_host::{Host, sha256};

/// A document of a collection that has no file.
pub struct Text<'t> {
    /// Replaces the path of a file, and is unique to the document.
    pub path: String,
    pub name: &'t str,
    pub content: &'t str,
    /// Fields that the document has afterwards; those that the user gave it stay. `None` takes a field away.
    pub fields: BTreeMap<&'static str, Option<String>>,
}

/// Stores a text as a document, or puts it in the place of the one with its path, in one step. Returns true if there was one. Chunks
/// that did not change keep their vectors. Blocks until it can be searched; `cancel` stops it within a second and changes nothing.
///
/// Errors: a text without words, a missing model, a collection that cannot be changed.
pub fn put_text(
    host: &Host,
    collection: CollectionId,
    text: Text<'_>,
    progress: &ProgressSink,
    cancel: &Cancel,
) -> Result<bool> {
    let collection = &*host.collection_to_change(collection)?;
    let work = WorkContext { host, collection, progress, cancel };
    let earlier = collection.document_by_path(&text.path)?;
    let id = earlier.as_ref().map_or_else(DocumentId::random, |earlier| earlier.id);
    let bytes = text.content.as_bytes().to_vec();
    let content = FileContent { sha256: sha256(&bytes), path: text.path, file_name: text.name.to_owned(), bytes };
    let is_unchanged = earlier.as_ref().is_some_and(|earlier| earlier.sha256 == content.sha256);
    if !is_unchanged {
        let mut refused = None;
        let first = |stage: FirstStage<'_>| match document(&stage, text.content, content, id) {
            Ok(document) => drop(stage.send(Outcome::Documents(vec![document]))),
            Err(error) => refused = Some(error),
        };
        let report = IngestReport { found: 1, ..IngestReport::default() };
        let report = pipeline::run_stages(work, report, first, Pace::default())?;
        if let Some(error) = refused {
            return Err(error);
        }
        let problem = report.summary.stopped.or_else(|| report.failed.into_iter().next().map(|file| file.problem));
        if let Some(problem) = problem.map(Problem::into_error) {
            return Err(problem);
        }
        if report.ingested.is_empty() {
            let message = format!("{} was stored by another call in the meantime.", text.name);
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

fn document(stage: &FirstStage<'_>, text: &str, content: FileContent, id: DocumentId) -> Result<DocumentInFlight> {
    let config = stage.work.host.config();
    let extraction = extract_text(Path::new(&content.path), text, &config.extract_options())?;
    let (mut stored, members) = content.document(extraction, config, id, None, None);
    if stored.chunks.is_empty() {
        return Err(Error::new(ErrorCode::EmptyFile, format!("{} contains no text.", stored.meta.name)));
    }
    stored.meta.original_stored = true;
    let earlier = stage.work.collection.document(id)?;
    let mut document = DocumentInFlight::new(stored.meta.name.clone(), earlier.is_some(), stored, members);
    stage.complete(&mut document, earlier.as_ref())?;
    Ok(DocumentInFlight { original: Some(content.bytes), ..document })
}
