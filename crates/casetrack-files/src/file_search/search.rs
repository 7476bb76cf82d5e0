//! Searching files: one item a file, with its best passage.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use casetrack_catalog::Time;
use casetrack_core::{DocumentId, Notice, Result};
use casetrack_store::{CatalogueEntry, Collection, Conditions, Expression, Words};

use super::evidence::{is_evident, without_secrets};
use super::excerpt::shown;
use super::names::{self, LEAST_SCORE, NAME_SCORE, NameQuery, Named, has_number};
use super::plain_query::{Asked, checked};
use super::pointer::{self, FILE_NAME};
use super::{FileMatch, FileMatches, FilePagination, FileSearch, content_words, current, extension, place};
use casetrack_host::paging::check_range;
use casetrack_host::{Host, collections};
use casetrack_search::{Filters, MAX_TOP_K, SearchRequest, SearchResult, has_operators};

/// Files that are searched for beyond the requested ones: some may be gone, or be parts of one file.
const SPARE: usize = 10;
/// Passages of each document, unless too many are requested.
const EACH: u32 = 3;
const FEW: usize = 200;
/// Candidates of each stage that are ranked first. All passages are ranked only if their files do not suffice; this takes longer the more
/// there are.
pub(super) const AMONG: usize = 1000;
const NAME_SNIPPET: &str = "Found by its name: its content is not in the index.";
const INDEXED_NAME_SNIPPET: &str = "Found by its name.";

/// Searches the files below the roots. Files elsewhere are not read, and only redacted text is returned.
///
/// Errors: an empty query, numbers out of their range, a root that may not be named.
pub fn search_files(host: &Host, of_session: &[PathBuf], search: &FileSearch) -> Result<FileMatches> {
    let query = checked(&search.query)?;
    check_range("k", search.k, 1..=super::MAX_FILES)?;
    let roots = crate::file_search_roots(host, of_session)?;
    let folders = match search.roots.as_deref() {
        None | Some([]) => roots.clone(),
        Some(named) => named.iter().map(|root| place::named(host, &roots, root)).collect::<Result<_>>()?,
    };
    let public = without_secrets(query);
    let query = public.as_deref().unwrap_or(query);
    let asked = Asked::of(query, search.exts.is_none(), search.years.is_none())?;
    let given = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
    let plain = |ext: &String| ext.trim_start_matches(['*', '.']).to_lowercase();
    let mut wanted = WantedFiles {
        text: asked.text.clone(),
        folders,
        exts: given(&search.exts).iter().map(plain).chain(asked.exts.iter().cloned()).collect(),
        years: given(&search.years).into_iter().chain(asked.filters.years.iter().cloned()).collect(),
        among: None,
        name: query.trim().to_owned(),
        first: search.offset as usize,
        count: search.k as usize,
    };
    let is_empty = search.offset > super::MAX_OFFSET || public.is_some() && content_words(query).is_empty();
    let mut matches = match is_empty {
        true => FileMatches::none(search.offset),
        false => matching(host, &wanted)?,
    };
    if matches.items.is_empty() && asked.has_filters() && matches.pagination.total_estimate == 0 {
        wanted.exts = given(&search.exts).iter().map(plain).collect();
        wanted.years = given(&search.years);
        matches = matching(host, &wanted)?;
        if !matches.items.is_empty() {
            let filters = [asked.filters.exts.as_slice(), &asked.filters.years].concat().join(", ");
            let notice =
                format!("Nothing was found with the filters of the query ({filters}): these files do not meet them.");
            matches.notices.push(notice.into());
        }
    } else if asked.has_filters() {
        matches.filters = Some(asked.filters);
    }
    if public.is_some() {
        matches.notices.push("The query has words that are redacted in answers: they were not searched.".into());
    }
    Ok(matches)
}

fn matching(host: &Host, wanted: &WantedFiles) -> Result<FileMatches> {
    let collection = collections::files_collection(host)?.map(|meta| host.collection(meta.id)).transpose()?;
    let collection = collection.as_deref().map(|open| &**open);
    let mut notices = Vec::new();
    let found = ranked(host, collection, wanted, &mut notices)?;
    let mut items = Vec::new();
    let mut changed = 0;
    for file in found.files.into_iter().skip(wanted.first).take(wanted.count) {
        items.push(match (file, collection) {
            (FoundFile::Named(named), _) => by_name(named),
            (FoundFile::Passage(passage), Some(collection)) => {
                changed += usize::from(passage.has_changed);
                item(collection, passage)?
            }
            (FoundFile::Passage(_), None) => continue,
        });
    }
    if changed > 0 {
        let notice = format!(
            "Changed since they were indexed: {changed} of these files. Call indexFolder to bring the index up to date."
        );
        notices.push(notice.into());
    }
    let returned = items.len() as u32;
    let total_estimate = match returned {
        // Past the end of the list.
        0 => found.total,
        _ => found.total.max(wanted.first as u64 + u64::from(returned)),
    };
    let pagination = FilePagination { offset: wanted.first as u32, returned, total_estimate };
    Ok(FileMatches { items, pagination, filters: None, notices })
}

/// The files that answer the query by their passages or names, best first, as far as they are needed.
pub(super) fn ranked(
    host: &Host,
    collection: Option<&Collection>,
    wanted: &WantedFiles,
    notices: &mut Vec<Notice>,
) -> Result<FileResults> {
    let words = content_words(&wanted.text);
    let mut found = match collection {
        Some(collection) => by_content(host, collection, wanted, &words, notices)?,
        None => FileResults::default(),
    };
    if collection.is_none() {
        notices.push("Nothing is indexed yet: call indexFolder first.".into());
    }
    // Operators are about the content, but a query may also be the name of a file that has such signs.
    let in_names: &[String] = if has_operators(&wanted.text)? { &[] } else { &words };
    let names = NameQuery {
        name: &wanted.name,
        words: in_names,
        exts: &wanted.exts,
        years: &wanted.years,
        among: wanted.among.as_ref(),
    };
    found.add_named(names::find(host, collection, &wanted.folders, &names)?);
    found.put_first(|path| names::is_called(path, &wanted.name));
    Ok(found)
}

/// The files whose passages answer the query, best first, as far as they are needed.
fn by_content(
    host: &Host,
    collection: &Collection,
    wanted: &WantedFiles,
    words: &[String],
    notices: &mut Vec<Notice>,
) -> Result<FileResults> {
    let files = Files::of(collection)?;
    let Some(chosen) = files.chosen(collection, wanted)? else { return Ok(FileResults::default()) };
    let needed = wanted.first + wanted.count + SPARE;
    let each = if needed <= FEW { EACH } else { 1 };
    let mut request = SearchRequest {
        query: wanted.text.clone(),
        top_k: u32::try_from(needed * each as usize).unwrap_or(MAX_TOP_K).min(MAX_TOP_K),
        filters: Filters { only: Some(Arc::new(chosen)), ..Filters::default() },
        per_document: Some(each),
        among: Some(AMONG),
        ..SearchRequest::default()
    };
    let mut found = RankedFiles::new(host, &files);
    loop {
        let response = casetrack_search::search(host, &[collection.meta().id], &request)?;
        let complete = response.complete.as_ref().map(|list| list.documents);
        let count = response.results.len();
        let mut has_evidence = complete.is_some();
        for result in response.results {
            if complete.is_some() || is_evident(&result, words) {
                has_evidence = true;
                found.add(result);
            }
        }
        let is_partial = complete.is_none() && request.among.is_some_and(|among| response.chunks > among as u64);
        if has_evidence && is_partial && found.files.len() < needed {
            (found.before, found.least) = (found.files.len(), found.files.last().map_or(found.least, FoundFile::score));
            request.among = None;
            continue;
        }
        request.offset += count as u32;
        // Lower results have no better reasons.
        let has_more = has_evidence && count == request.top_k as usize;
        if !has_more || found.files.len() >= needed || request.offset > super::MAX_OFFSET {
            let filters = request.filters.only.as_deref();
            let all = found.files.len() as u64;
            let total = match complete {
                _ if !has_evidence || !has_more && !is_partial => all,
                Some(complete) => complete.max(all),
                None => with_words(collection, words, filters)?.max(all),
            };
            // The quotation of passages with marks is no matter here: nothing is quoted.
            let is_of_quotes = |notice: &Notice| {
                notice.plain().is_some_and(|text| text.contains("tracked changes") || text.contains("hidden text"))
            };
            notices.extend(response.notices.into_iter().filter(|notice| !is_of_quotes(notice)));
            return Ok(FileResults { files: found.files, total });
        }
    }
}

/// The files of one ranking of passages, and then of a second one that continues it.
struct RankedFiles<'f> {
    host: &'f Host,
    index: &'f Files,
    files: Vec<FoundFile>,
    /// The place of each file among them; `None` for a file that is gone or may not be shown.
    places: HashMap<String, Option<usize>>,
    /// The number of files of the first ranking, and the score of the last of them.
    before: usize,
    least: f32,
}

impl<'f> RankedFiles<'f> {
    fn new(host: &'f Host, index: &'f Files) -> Self {
        Self { host, index, files: Vec::new(), places: HashMap::new(), before: 0, least: 1.0 }
    }

    fn add(&mut self, mut result: SearchResult) {
        let (host, index) = (self.host, self.index);
        let Some((path, member)) = index.of_document(result.chunk.provenance.document_id) else { return };
        let place = *self.places.entry(path.to_owned()).or_insert_with(|| {
            let (modified, has_changed) = seen(host, index, path)?;
            let passage = Passage { path: path.to_owned(), modified, has_changed, passages: Vec::new() };
            self.files.push(FoundFile::Passage(passage));
            Some(self.files.len() - 1)
        });
        let Some(place) = place.filter(|place| *place >= self.before) else { return };
        if let Some(FoundFile::Passage(passage)) = self.files.get_mut(place) {
            // The ranking gives 0 to the last of its passages, which is an answer as well.
            result.score = (LEAST_SCORE + (1.0 - LEAST_SCORE) * result.score).min(self.least);
            passage.passages.push((result, member.map(str::to_owned)));
        }
    }
}

/// The time of a file's last change, and true if it is another than the indexed one; `None` if it is gone or may not be shown.
fn seen(host: &Host, files: &Files, path: &str) -> Option<(Time, bool)> {
    let file = Path::new(path);
    if host.config().access.check_name(file).is_err() {
        return None;
    }
    let metadata = file.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let is_current = files.file(path).is_some_and(|entry| current::is_as_indexed(host, file, &metadata, entry.into()));
    Some((Time::from(metadata.modified().ok()?), !is_current))
}

/// The conditions of a search, with all filters.
#[derive(Default)]
pub(super) struct WantedFiles {
    pub text: String,
    pub folders: Vec<PathBuf>,
    /// Without the dot, in lower case; any if there are none.
    pub exts: Vec<String>,
    /// One of them, if there are some.
    pub years: Vec<String>,
    /// No others than these paths.
    pub among: Option<HashSet<String>>,
    /// The query: files of this name, with or without their extension, come first. Empty if names do not count.
    pub name: String,
    pub first: usize,
    pub count: usize,
}

impl WantedFiles {
    fn is_among(&self, path: &str) -> bool {
        self.among.as_ref().is_none_or(|among| among.contains(path))
    }
}

/// Files in the order of the answer.
#[derive(Default)]
pub(super) struct FileResults {
    pub files: Vec<FoundFile>,
    total: u64,
}

impl FileResults {
    /// Puts files that were found by their names between those of a better and a lesser score. A file that was also found by its content keeps
    /// its passages, and its place is the same on all pages, whether or not the page needs its passages.
    fn add_named(&mut self, named: Vec<Named>) {
        let mut added = Vec::new();
        for named in named {
            let at = self.files.iter().position(|file| file.path() == named.path);
            let Some(at) = at else {
                self.total += 1;
                added.push(FoundFile::Named(named));
                continue;
            };
            if self.files.get(at).is_some_and(|file| file.score() < named.score) {
                let mut file = self.files.remove(at);
                file.set_score(named.score);
                added.push(file);
            }
        }
        let at = self.files.iter().position(|file| file.score() < NAME_SCORE).unwrap_or(self.files.len());
        self.files.splice(at..at, added);
    }

    /// Puts files first with the highest score.
    fn put_first(&mut self, is_first: impl Fn(&str) -> bool) {
        let (mut first, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.files).into_iter().partition(|file| is_first(file.path()));
        first.iter_mut().for_each(|file| file.set_score(1.0));
        self.files = first;
        self.files.extend(others);
    }
}

pub(super) enum FoundFile {
    Passage(Passage),
    Named(Named),
}

impl FoundFile {
    pub fn path(&self) -> &str {
        match self {
            Self::Passage(passage) => &passage.path,
            Self::Named(named) => &named.path,
        }
    }

    pub fn has_changed(&self) -> bool {
        matches!(self, Self::Passage(passage) if passage.has_changed)
    }

    fn score(&self) -> f32 {
        match self {
            Self::Passage(passage) => passage.passages.first().map_or(0.0, |(result, _)| result.score),
            Self::Named(named) => named.score,
        }
    }

    fn set_score(&mut self, score: f32) {
        match self {
            Self::Passage(passage) => passage.passages.iter_mut().take(1).for_each(|(result, _)| result.score = score),
            Self::Named(named) => named.score = score,
        }
    }
}

/// A file with the passages that were found in it, best first, each with the name of the document inside the file.
pub(super) struct Passage {
    path: String,
    modified: Time,
    has_changed: bool,
    passages: Vec<(SearchResult, Option<String>)>,
}

/// The documents of the index with their files, or the files that contain them.
pub(super) struct Files {
    pub entries: Arc<[Arc<CatalogueEntry>]>,
    /// The length of the file's path in the document's path.
    of: HashMap<DocumentId, (usize, usize)>,
}

impl Files {
    pub fn of(collection: &Collection) -> Result<Self> {
        let entries = collection.catalogue()?;
        let mut of = HashMap::with_capacity(entries.len());
        // In the order of paths, the members of a container follow it, and between are only paths that begin like it.
        let mut containers: Vec<&str> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            while containers.last().is_some_and(|container| !entry.path.starts_with(container)) {
                containers.pop();
            }
            let is_inside = |container: &&&str| entry.path[container.len()..].starts_with(std::path::MAIN_SEPARATOR);
            let file = containers.iter().find(is_inside).map(|container| container.len());
            of.insert(entry.id, (at, file.unwrap_or(entry.path.len())));
            if entry.is_container && file.is_none() {
                containers.push(&entry.path);
            }
        }
        Ok(Self { entries: Arc::clone(&entries), of })
    }

    /// The file of a document, and the name that it has inside the file.
    pub fn of_document(&self, document: DocumentId) -> Option<(&str, Option<&str>)> {
        let (at, length) = *self.of.get(&document)?;
        let path = self.entries.get(at)?.path.as_str();
        let (file, inside) = path.split_at_checked(length)?;
        Some((file, inside.get(1..)))
    }

    pub fn file(&self, path: &str) -> Option<&CatalogueEntry> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(at).map(|entry| &**entry)
    }

    /// The documents that the filters leave; `None` if no document is left.
    fn chosen(&self, collection: &Collection, wanted: &WantedFiles) -> Result<Option<HashSet<DocumentId>>> {
        let year = |year: &String| Expression::Words(Words::Phrase(year.clone()));
        let dated: HashSet<DocumentId> = match wanted.years.as_slice() {
            [] => HashSet::new(),
            years => {
                let expression = Expression::Any(years.iter().map(year).collect());
                let conditions = Conditions { expression: Some(expression), ..Conditions::default() };
                collection.select(&conditions)?.chunks_by_document().map(|(document, _)| document).collect()
            }
        };
        let is_left = |id: &DocumentId| {
            let Some((path, _)) = self.of_document(*id) else { return false };
            let name = path.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or(path);
            wanted.folders.iter().any(|folder| Path::new(path).starts_with(folder))
                && wanted.is_among(path)
                && (wanted.exts.is_empty() || {
                    let own = extension(path);
                    wanted.exts.iter().any(|ext| own.strip_prefix('.').is_some_and(|own| own == ext))
                })
                && (wanted.years.is_empty()
                    || dated.contains(id)
                    || wanted.years.iter().any(|year| has_number(name, year)))
        };
        let chosen: HashSet<DocumentId> = self.of.keys().copied().filter(is_left).collect();
        Ok((!chosen.is_empty()).then_some(chosen))
    }
}

fn with_words(collection: &Collection, words: &[String], only: Option<&HashSet<DocumentId>>) -> Result<u64> {
    if words.is_empty() {
        return Ok(0);
    }
    let expression = Expression::Any(words.iter().map(|word| Expression::Words(Words::Phrase(word.clone()))).collect());
    let documents = only.map(|only| only.iter().copied().collect());
    let conditions = Conditions { documents, expression: Some(expression), ..Conditions::default() };
    Ok(collection.select(&conditions)?.documents())
}

/// A file with its best passage, whose page is redacted before the excerpt is cut out of it.
fn item(collection: &Collection, found: Passage) -> Result<FileMatch> {
    let Passage { path, modified, passages, .. } = found;
    let mut pointers: Vec<String> = Vec::new();
    let mut best = None;
    for (result, member) in &passages {
        let place = &result.chunk.provenance;
        let Some(document) = collection.document(place.document_id)? else { continue };
        let mut place = place.clone();
        (place.line_start, place.line_end) = (result.excerpt.line_start, result.excerpt.line_end);
        let pointer = pointer::of(&document, &place, member.as_deref());
        if best.is_none() {
            let page = collection.page(place.document_id, place.page)?.map(|page| page.text).unwrap_or_default();
            best = Some((
                result.score,
                shown(&page, result.excerpt.char_start as usize..result.excerpt.char_end as usize),
            ));
        }
        if !pointers.contains(&pointer) {
            pointers.push(pointer);
        }
    }
    let (score, snippet) = best.map_or_else(Default::default, |(score, shown)| (score, (shown.text, shown.redacted)));
    let (snippet, redacted) = snippet;
    let mut pointers = pointers.into_iter();
    Ok(FileMatch {
        pointer: pointers.next().unwrap_or_else(|| FILE_NAME.to_owned()),
        more: pointers.collect(),
        ext: extension(&path),
        path,
        snippet,
        score,
        modified: modified.in_seconds(),
        redacted,
    })
}

fn by_name(Named { path, modified, score, is_indexed }: Named) -> FileMatch {
    FileMatch {
        pointer: FILE_NAME.to_owned(),
        snippet: if is_indexed { INDEXED_NAME_SNIPPET } else { NAME_SNIPPET }.to_owned(),
        score,
        ext: extension(&path),
        path,
        modified: modified.in_seconds(),
        redacted: false,
        more: Vec::new(),
    }
}
