//! The parts of `casetrack start` that work on collections.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use casetrack_core::{CollectionId, CollectionMeta, Error, ErrorCode, Result};
use casetrack_engine::collections::CreateCollection;
use casetrack_engine::documents::DocumentSort;
use casetrack_engine::ingest::{IngestReport, IngestRequest};
use casetrack_engine::jobs::JobRequest;
use casetrack_engine::paging::Paging;
use casetrack_engine::search::SearchRequest;
use casetrack_engine::sheet::SheetRequest;
use casetrack_engine::watches::{Schedule, WatchRequest, WatchStatus};
use casetrack_engine::{ModelProfile, briefing, collections, documents, sheet};
use casetrack_text::format::{counted, one_line};
use casetrack_text::questions::{candidates, choose};
use casetrack_text::terminal::{dim, strong};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::ingest::status;
use super::tags::TagSource;
use crate::console::Console;

/// How many questions are proposed.
const QUESTIONS: usize = 3;

/// Make a collection of a folder (used by `casetrack start`)
#[derive(Debug, Args, Serialize, Deserialize)]
#[command(hide = true)]
pub struct StartFolder {
    pub folder: OsString,
    #[arg(long)]
    pub name: Option<String>,
    #[arg(long)]
    pub models: Option<ModelProfile>,
    #[arg(long)]
    pub no_watch: bool,
    #[command(flatten)]
    pub tags: TagSource,
    /// Also propose the questions, in one answer.
    #[arg(long)]
    pub with_questions: bool,
}

/// Propose questions about the collection of a folder (used by `casetrack start`)
#[derive(Debug, Args, Serialize, Deserialize)]
#[command(hide = true)]
pub struct StartQuestions {
    pub folder: OsString,
    #[arg(long)]
    pub name: Option<String>,
}

#[derive(Debug, Serialize)]
struct Started {
    collection: CollectionMeta,
    /// True if the collection is new.
    created: bool,
    ingestion: IngestReport,
    watch: Option<WatchStatus>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<Question>,
}

/// A question, and the place of the best passage about it.
#[derive(Debug, Clone, Serialize)]
struct Question {
    question: String,
    citation: String,
}

impl StartFolder {
    pub fn run(self, console: &Console) -> Result<u8> {
        let folder = console.path(&self.folder);
        let (collection, created) = find_or_create(console, &folder, self.name.as_deref(), self.models)?;
        let marks = self.tags.read(console)?;
        let request = JobRequest::IngestFolder(IngestRequest { marks, ..IngestRequest::new(vec![folder.clone()]) });
        let ingestion = console.work(collection.id, request, |report| report.ingestion)?;
        let watch = if self.no_watch {
            None
        } else {
            Some(watch(console, collection.id, &folder, self.tags.tags_from_folders)?)
        };
        let questions = if self.with_questions { questions(console, collection.id)? } else { Vec::new() };
        let status = status(ingestion.summary.stopped.is_some(), !ingestion.failed.is_empty());
        let started = Started { collection, created, ingestion, watch, questions };
        console.print(&started, |started| describe(started, &folder))?;
        Ok(status)
    }
}

impl StartQuestions {
    pub fn run(self, console: &Console) -> Result<u8> {
        let folder = console.path(&self.folder);
        let (collection, _) = find_or_create(console, &folder, self.name.as_deref(), None)?;
        let questions = questions(console, collection.id)?;
        let is_only = collections::sole_collection(console.host())?.is_some();
        let target = if is_only { String::new() } else { format!(" -c \"{}\"", one_line(&collection.name)) };
        let dressed = console.global.look.is_some();
        console.print(&questions, |questions| proposed(questions, &target, dressed))
    }
}

/// The collection that watches the folder, or has the name of the folder and documents from nowhere else; or else a new one.
fn find_or_create(
    console: &Console,
    folder: &Path,
    name: Option<&str>,
    models: Option<ModelProfile>,
) -> Result<(CollectionMeta, bool)> {
    let engine = &console.engine;
    let real = real(folder)?;
    if !real.is_dir() {
        return Err(Error::invalid(format!("{} is not a folder.", folder.display()))
            .with_hint("Read single files with `casetrack ingest`."));
    }
    if let Some(name) = name {
        return match collections::find_collection(engine.host(), name) {
            Ok(found) => Ok((found, false)),
            Err(error) if error.code == ErrorCode::NotFound => Ok((create(console, name, models)?, true)),
            Err(error) => Err(error),
        };
    }
    let is_its_own = |watch: &&WatchStatus| Path::new(&watch.folder) == real;
    if let Some(watch) = engine.list_watches(None).iter().find(is_its_own) {
        return Ok((collections::find_collection(engine.host(), &watch.collection_id.to_string())?, false));
    }
    let all = collections::list_collections(engine.host(), None)?;
    for name in names(&real) {
        let Some(found) = all.iter().find(|summary| summary.meta.name.to_lowercase() == name.to_lowercase()) else {
            return Ok((create(console, &name, models)?, true));
        };
        let documents = documents::list_documents(engine.host(), found.meta.id, DocumentSort::default())?;
        if documents.iter().all(|document| Path::new(&document.path).starts_with(&real)) {
            return Ok((found.meta.clone(), false));
        }
    }
    Err(Error::new(
        ErrorCode::AlreadyExists,
        format!("Other collections already have the names for {}.", folder.display()),
    )
    .with_hint("Choose a name with --name."))
}

/// The folder without links and dots in its path.
pub fn real(folder: &Path) -> Result<PathBuf> {
    casetrack_core::real_path(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(ErrorCode::FileNotFound, format!("There is no folder {}.", folder.display()))
                .with_hint("Check how it is spelled. A path with spaces needs quotation marks around it.")
        }
        _ => Error::io(folder.display(), error),
    })
}

/// Names for a collection of the folder: its name, with the folders above it if that is taken.
fn names(folder: &Path) -> Vec<String> {
    let part = |path: &Path| path.file_name().map(|name| name.to_string_lossy().trim().to_owned());
    let own = part(folder).filter(|name| !name.is_empty()).unwrap_or_else(|| "Documents".to_owned());
    let above = folder.parent().and_then(part).filter(|name| !name.is_empty());
    let longer = above.map(|above| format!("{own} ({above})"));
    let numbered = (2..100).map(|number| format!("{own} {number}"));
    [own.clone()].into_iter().chain(longer).chain(numbered).collect()
}

fn create(console: &Console, name: &str, models: Option<ModelProfile>) -> Result<CollectionMeta> {
    let request = CreateCollection { name: name.to_owned(), models, ..CreateCollection::default() };
    collections::create_collection(console.host(), request)
}

/// The watch of the folder, which may have been there before.
fn watch(console: &Console, collection: CollectionId, folder: &Path, tags_from_folders: bool) -> Result<WatchStatus> {
    let engine = &console.engine;
    let real = real(folder)?;
    if let Some(watch) =
        engine.list_watches(Some(collection)).into_iter().find(|watch| Path::new(&watch.folder) == real)
    {
        return Ok(watch);
    }
    let (schedule, auto_remove_deleted, extensions) = (Schedule::OnChange, false, None);
    let request = WatchRequest { folder: real, schedule, auto_remove_deleted, extensions, tags_from_folders };
    engine.watch_folder(collection, request)
}

/// Questions that a search in the collection finds something for.
fn questions(console: &Console, collection: CollectionId) -> Result<Vec<Question>> {
    let engine = &console.engine;
    let summary = briefing::collection_summary(engine.host(), collection)?;
    let sheet = sheet::matter_sheet(engine.host(), collection, &SheetRequest::default(), Paging::ALL)?;
    let mut places = Vec::new();
    let chosen = choose(candidates(&summary, &sheet), QUESTIONS, |question| {
        let request = SearchRequest { query: question.to_owned(), top_k: 1, ..SearchRequest::default() };
        let found = engine.search(&[collection], &request).ok();
        let place = found.and_then(|found| Some(found.results.first()?.excerpt.citation.clone()));
        let is_found = place.is_some();
        places.extend(place);
        is_found
    });
    let question = |(question, citation)| Question { question, citation };
    Ok(chosen.into_iter().zip(places).map(question).collect())
}

fn describe(started: &Started, folder: &Path) -> String {
    let mut text = text::ingest::folder(&started.ingestion, &folder.display().to_string(), Reader::CommandLine);
    let name = one_line(&started.collection.name);
    text.push_str(&match started.created {
        true => format!("\n\nThe new collection \"{name}\" has them."),
        false => format!("\n\nThe collection \"{name}\" has them."),
    });
    if started.watch.is_some() {
        text.push_str(
            " It is kept up to date with the folder while CaseTrack runs; after `casetrack service \
            install`, CaseTrack always runs.",
        );
    }
    for Question { question, citation } in &started.questions {
        text.push_str(&format!("\n{} ({})", one_line(question), one_line(citation)));
    }
    text
}

/// Questions to begin with; `target` names the collection if there are several.
fn proposed(questions: &[Question], target: &str, dressed: bool) -> String {
    if questions.is_empty() {
        return format!("Next: casetrack search WORDS{target}");
    }
    let heading = format!(
        "Ask, for example ({} about the content of the documents):",
        counted(questions.len() as u64, "question")
    );
    let mut text = if dressed { strong(&heading) } else { heading };
    for Question { question, citation } in questions {
        let command = format!("casetrack search \"{}\"{target}", one_line(question).replace('"', ""));
        let place = format!("first result: {}", one_line(citation));
        let place = if dressed { dim(&place) } else { place };
        text.push_str(&format!("\n\n  {command}\n    {place}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_is_called_after_its_folder() {
        let names = names(Path::new("/home/ann/Acme/contracts"));
        assert_eq!(names[..3], ["contracts", "contracts (Acme)", "contracts 2"]);
        assert_eq!(super::names(Path::new("/"))[0], "Documents");
    }

    #[test]
    fn questions_can_be_pasted_into_a_shell() {
        let question =
            Question { question: "Is liability limited in \"A\"?".to_owned(), citation: "A.pdf, p. 1".to_owned() };
        let text = proposed(&[question], " -c \"Two\"", false);
        assert!(
            text.contains(
                "\n  casetrack search \"Is liability limited in A?\" -c \"Two\"\n    first result: A.pdf, p. 1"
            ),
            "{text}"
        );
        assert_eq!(proposed(&[], "", false), "Next: casetrack search WORDS");
    }
}
