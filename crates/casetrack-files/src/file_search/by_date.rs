//! Files by the times that they state of themselves, and by their content in a range of time: "the contract that I got from Brandt in spring".
//!
//! Answers are paths and dates, never text. The times come from the index of the search of files, except the time that a picture was taken,
//! which is read from the picture.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_catalog::{
    Entry, Facts, Key, Kind, Order, Pattern, Query, Target, Time, TimeField, TimeRange, shown, stated,
};
use casetrack_core::{Cancel, DocumentId, Error, Notice, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::plain_query::checked;
use super::search::{Files, WantedFiles};
use super::{current, search};
use crate::{FileItem, TimeMatches, TimeSearch, TimeSort, cursor};
use casetrack_graph::known;
use casetrack_host::{Host, OpenCollection, collections};

/// Most files that the catalogue gives for one answer; they cost about 20 microseconds each.
const MAX_COMPARED: usize = if cfg!(test) { 5 } else { 200_000 };
/// Files whose names end so may state when they were taken, within this number of bytes.
const PICTURES: &str = r"(?i)\.(jpe?g|tiff?|png|webp)$";
const BEGINNING: u64 = 1 << 18;

/// The id of an entry that was made of a file itself.
const UNKNOWN: i64 = 0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileDate {
    /// As the file system keeps it.
    Disk(TimeField),
    /// When a picture was taken, by its camera.
    Taken,
    /// When a document was made, as it states.
    Written,
    /// When a document was last saved, as it states.
    Saved,
    /// When a message was sent.
    Sent,
    Mentioned,
}

impl FileDate {
    /// The end of a sentence that begins with "when they were".
    fn name(self) -> &'static str {
        match self {
            Self::Disk(_) => "changed",
            Self::Taken => "taken",
            Self::Written => "written",
            Self::Saved => "saved",
            Self::Sent => "sent",
            Self::Mentioned => "mentioned",
        }
    }
}

#[derive(Debug, Clone)]
pub struct DateSearch {
    /// Its `field` counts if `date` is one of the disk.
    pub times: TimeSearch,
    pub date: FileDate,
    /// Content of the files. The best come first then, and the list does not continue.
    pub query: Option<String>,
}

#[derive(Debug, Clone)]
pub struct DateMatches {
    pub from: Option<Time>,
    pub to: Option<Time>,
    pub matches: Vec<DatedFile>,
    pub next_cursor: Option<String>,
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DatedFile {
    #[serde(flatten)]
    pub file: FileItem,
    /// The time that was asked for, as the file states it; only of those that files state
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

#[derive(Debug, Clone)]
struct Stated {
    span: TimeRange,
    text: String,
}

impl Stated {
    fn read(text: &str) -> Option<Self> {
        Some(Self { span: stated(text)?, text: text.to_owned() })
    }

    fn meets(&self, range: &TimeRange) -> bool {
        range.from.is_none_or(|from| self.span.to.is_none_or(|end| end > from))
            && range.to.is_none_or(|to| self.span.from.is_none_or(|begin| begin < to))
    }
}

struct DateQuery<'a> {
    search: &'a DateSearch,
    start: &'a Path,
    query: &'a Query,
    range: TimeRange,
    cancel: &'a Cancel,
}

impl DateQuery<'_> {
    /// Of several times, the one in the range by which a file comes first.
    fn chosen(&self, times: impl IntoIterator<Item = Stated>) -> Option<Stated> {
        let times = times.into_iter().filter(|time| time.meets(&self.range));
        match self.search.times.sort {
            TimeSort::Oldest => times.min_by_key(|time| time.span.from),
            _ => times.max_by_key(|time| time.span.from),
        }
    }
}

/// A file that may be an answer, with the time by which it is one.
struct Candidate {
    entry: Entry,
    stated: Option<Stated>,
}

/// Searches below one of `roots`. Each message of an error is one sentence that describes the correct request.
///
/// Errors: as [`search_by_time`]; a time that is not known because nothing was indexed.
pub fn search_by_date(host: &Host, roots: &[PathBuf], search: &DateSearch, cancel: &Cancel) -> Result<DateMatches> {
    let text = search.query.as_deref().map(checked).transpose()?;
    if let (FileDate::Disk(_), None) = (search.date, text) {
        let TimeMatches { from, to, matches, next_cursor, .. } =
            crate::search_by_time(host, roots, &search.times, false, cancel)?;
        let matches = matches.into_iter().map(|file| DatedFile { file, date: None }).collect();
        return Ok(DateMatches { from, to, matches, next_cursor, notices: Vec::new() });
    }
    if search.times.folders {
        return Err(Error::invalid("Folders state no time and no text: set 'include_directories' to false."));
    }
    if text.is_some() && search.times.cursor.is_some() {
        return Err(Error::invalid("A list with 'query' has no next page: omit 'cursor', and raise 'limit'."));
    }
    let (start, mut query) = crate::question(host, roots, &TimeSearch { cursor: None, ..search.times.clone() })?;
    let range = query.time.map(|(_, range)| range).unwrap_or_default();
    query.kinds = vec![Kind::File];
    query.order = Order::Path;
    query.limit = MAX_COMPARED;
    match search.date {
        FileDate::Disk(_) => {}
        FileDate::Taken => {
            query.time = None;
            query.patterns.push(Pattern::regex(Target::Name, PICTURES)?);
        }
        _ => query.time = None,
    }
    let mut notices = Vec::new();
    let collection = collections::files_collection(host)?.map(|meta| host.collection(meta.id)).transpose()?;
    let wanted = DateQuery { search, start: &start, query: &query, range, cancel };
    let candidates = match search.date {
        FileDate::Disk(_) => {
            let files = crate::all_files(host, &start, &query, cancel)?.into_iter();
            files.map(|entry| Candidate { entry, stated: None }).collect()
        }
        FileDate::Taken => pictures(host, &wanted)?,
        _ => documents(host, &wanted, collection.as_ref(), &mut notices)?,
    };
    let (matches, next_cursor) = match text {
        Some(text) => {
            (best(host, candidates, text, &start, search.times.limit.max(1), collection.as_ref(), &mut notices)?, None)
        }
        None => page(
            candidates,
            search,
            format!("{roots:?} {:?}", TimeSearch { cursor: None, limit: 1, ..search.times.clone() }),
        )?,
    };
    let dated = |Candidate { mut entry, stated }: Candidate| -> Result<DatedFile> {
        if entry.id == UNKNOWN {
            entry.first_seen = host.catalog()?.first_seen(&entry.path)?.unwrap_or(entry.first_seen);
        }
        Ok(DatedFile { file: entry.into(), date: stated.map(|stated| stated.text) })
    };
    let matches = matches.into_iter().map(dated).collect::<Result<_>>()?;
    Ok(DateMatches { from: range.from, to: range.to, matches, next_cursor, notices })
}

fn pictures(host: &Host, wanted: &DateQuery<'_>) -> Result<Vec<Candidate>> {
    let mut candidates = Vec::new();
    for entry in crate::all_files(host, wanted.start, wanted.query, wanted.cancel)? {
        wanted.cancel.check()?;
        if let Some(stated) = wanted.chosen(taken(host, &entry.path)) {
            candidates.push(Candidate { entry, stated: Some(stated) });
        }
    }
    Ok(candidates)
}

/// The files whose documents state a time in the range. Only these are read, so that a whole disk may be the start.
fn documents(
    host: &Host,
    wanted: &DateQuery<'_>,
    collection: Option<&Arc<OpenCollection>>,
    notices: &mut Vec<Notice>,
) -> Result<Vec<Candidate>> {
    let files = collection.map(|collection| Files::of(collection)).transpose()?;
    let times = match (collection, &files) {
        (Some(collection), Some(files)) => stated_times(host, collection, files, wanted)?,
        _ => BTreeMap::new(),
    };
    if times.is_empty() {
        return Err(Error::invalid(format!(
            "Nothing below '{}' is indexed by its content, so when files were {} is not known: call indexFolder of the toolset \
             files first, or use 'modified'.",
            wanted.start.display(),
            wanted.search.date.name()
        )));
    }
    let (mut candidates, mut changed, mut folders) = (Vec::new(), 0, HashMap::new());
    for (path, times) in times {
        wanted.cancel.check()?;
        let Some(stated) = wanted.chosen(times) else { continue };
        let file = Path::new(path);
        let is_allowed = host.config().access.check_name(file).is_ok() && is_reached(wanted.start, file, &mut folders);
        let Some(metadata) = file.symlink_metadata().ok().filter(|_| is_allowed) else { continue };
        let (facts, first_seen) = (Facts::of(file, &metadata), Time::now());
        let entry = Entry { id: UNKNOWN, path: file.to_owned(), facts, first_seen };
        if !wanted.query.admits_below(&entry) {
            continue;
        }
        let indexed = files.as_ref().and_then(|files| files.file(path));
        match indexed.is_some_and(|indexed| current::is_as_indexed(host, file, &metadata, indexed.into())) {
            true => candidates.push(Candidate { entry, stated: Some(stated) }),
            false => changed += 1,
        }
    }
    if changed > 0 {
        let notice = format!(
            "Files that have changed since they were indexed, and are left out: {changed}. Call indexFolder to bring the index up to \
             date."
        );
        notices.push(notice.into());
    }
    Ok(candidates)
}

/// The time at which a picture was taken. An unreadable file states nothing.
fn taken(host: &Host, path: &Path) -> Option<Stated> {
    host.config().access.check_name(path).ok()?;
    let mut beginning = Vec::new();
    File::open(path).ok()?.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    Stated::read(&casetrack_extract::capture_time(&beginning)?)
}

/// The times that the documents of each file below the start state. A file that is indexed but states no such time is there without times.
fn stated_times<'f>(
    host: &Host,
    collection: &Arc<OpenCollection>,
    files: &'f Files,
    wanted: &DateQuery<'_>,
) -> Result<BTreeMap<&'f str, Vec<Stated>>> {
    let date = wanted.search.date;
    let mut mentioned: HashMap<DocumentId, Vec<Stated>> = HashMap::new();
    if date == FileDate::Mentioned {
        for (document, value) in known(host, collection.meta().id)?.graph().dates() {
            let (Some(first), Some(last)) = (stated(&value.first), stated(&value.last)) else { continue };
            let span = TimeRange { from: first.from, to: last.to };
            let text =
                if value.first == value.last { value.first.clone() } else { format!("{}/{}", value.first, value.last) };
            mentioned.entry(document).or_default().push(Stated { span, text });
        }
    }
    let mut times: BTreeMap<&str, Vec<Stated>> = BTreeMap::new();
    for document in files.entries.iter() {
        let Some((path, inside)) = files.of_document(document.id) else { continue };
        if !Path::new(path).starts_with(wanted.start) {
            continue;
        }
        let is_message = document.format.is_mail();
        // Documents inside a file have times of their own; a mailbox is sent as its messages are.
        let text = match date {
            FileDate::Written if !is_message && inside.is_none() => document.created.as_deref(),
            FileDate::Saved if !is_message && inside.is_none() => document.modified.as_deref(),
            FileDate::Sent if is_message => document.created.as_deref(),
            _ => None,
        };
        let of_file = times.entry(path).or_default();
        of_file.extend(text.and_then(Stated::read));
        of_file.extend(mentioned.remove(&document.id).unwrap_or_default());
    }
    Ok(times)
}

/// Those that answer a query, best first.
fn best(
    host: &Host,
    candidates: Vec<Candidate>,
    text: &str,
    start: &Path,
    limit: usize,
    collection: Option<&Arc<OpenCollection>>,
    notices: &mut Vec<Notice>,
) -> Result<Vec<Candidate>> {
    let mut by_path: HashMap<String, Candidate> =
        candidates.into_iter().map(|candidate| (shown(&candidate.entry.path).into_owned(), candidate)).collect();
    if by_path.is_empty() {
        return Ok(Vec::new());
    }
    let folder = if start.is_dir() { start } else { start.parent().unwrap_or(start) };
    let wanted = WantedFiles {
        text: text.to_owned(),
        folders: vec![folder.to_owned()],
        among: Some(by_path.keys().cloned().collect::<HashSet<String>>()),
        count: limit,
        ..WantedFiles::default()
    };
    let collection = collection.map(|open| &***open);
    let found = search::ranked(host, collection, &wanted, notices)?;
    let files = found.files.iter().take(limit);
    let changed = files.clone().filter(|file| file.has_changed()).count();
    if changed > 0 {
        let notice = format!(
            "Changed since they were indexed: {changed} of these files. Call indexFolder to bring the index up to date."
        );
        notices.push(notice.into());
    }
    Ok(files.filter_map(|file| by_path.remove(file.path())).collect())
}

/// True if there are only folders between a start and a path below it. `known` keeps the checked paths.
fn is_reached(start: &Path, path: &Path, known: &mut HashMap<PathBuf, bool>) -> bool {
    let Some(folder) = path.parent().filter(|_| path != start) else { return true };
    if let Some(is_reached) = known.get(folder) {
        return *is_reached;
    }
    let is_folder = folder == start || folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let reached = is_folder && (folder == start || is_reached(start, folder, known));
    known.insert(folder.to_owned(), reached);
    reached
}

/// A part of a list in the requested order, and the place at which it continues.
fn page(candidates: Vec<Candidate>, search: &DateSearch, asked: String) -> Result<(Vec<Candidate>, Option<String>)> {
    let question = format!("{asked} {:?}", search.date);
    // The order of a time that the list is not by; only its direction counts.
    let order = match search.times.sort {
        TimeSort::Newest => Order::Newest(TimeField::Modified),
        TimeSort::Oldest => Order::Oldest(TimeField::Modified),
        TimeSort::Path => Order::Path,
    };
    let key = |candidate: &Candidate| {
        let time = candidate.stated.as_ref().and_then(|stated| stated.span.from);
        Key::new(time.filter(|_| order != Order::Path), &candidate.entry.path)
    };
    let mut ranked: Vec<_> = candidates.into_iter().map(|candidate| (order.rank(key(&candidate)), candidate)).collect();
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(cursor) = &search.times.cursor {
        let after = order.rank(cursor::read(cursor, &question)?);
        ranked.retain(|(rank, _)| *rank > after);
    }
    let limit = search.times.limit.max(1);
    let has_more = ranked.len() > limit;
    ranked.truncate(limit);
    let next = match ranked.last() {
        Some((_, last)) if has_more => Some(cursor::write(&key(last), &question)),
        _ => None,
    };
    Ok((ranked.into_iter().map(|(_, candidate)| candidate).collect(), next))
}
