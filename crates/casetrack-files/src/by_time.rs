//! Searching files by their times, as assistants do: below roots that the user allowed, with errors that describe the correct request.

use std::path::{Component, Path, PathBuf};

use casetrack_catalog::{
    Entry, Facts, Kind, Order, Pattern, Query, QueryPage, Target, Time, TimeField, TimeRange, lexical, span,
};
use casetrack_core::{Cancel, Error, Result};

use super::{FileItem, answer, cursor, scan_first};
use casetrack_host::Host;

/// The order of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSort {
    Newest,
    Oldest,
    Path,
}

/// The request of a search. Texts are as the assistant gave them.
#[derive(Debug, Clone)]
pub struct TimeSearch {
    /// One of the allowed roots; the first if it is not given.
    pub root: Option<String>,
    /// A folder or file below it.
    pub path: Option<String>,
    pub field: TimeField,
    /// The first instant, in RFC 3339 with an offset.
    pub from: Option<String>,
    /// The first instant behind the range.
    pub to: Option<String>,
    /// A phrase such as "last week", in place of both.
    pub when: Option<String>,
    pub glob: Option<String>,
    pub name: Option<String>,
    /// Depth in folders; 0 is the direct children only.
    pub max_depth: Option<usize>,
    pub files: bool,
    pub folders: bool,
    pub sort: TimeSort,
    /// At least 1.
    pub limit: usize,
    pub cursor: Option<String>,
    /// True if files without such a time are found in any range.
    pub unknown_time: bool,
}

#[derive(Debug, Clone)]
pub struct TimeMatches {
    pub from: Option<Time>,
    pub to: Option<Time>,
    pub matches: Vec<FileItem>,
    pub next_cursor: Option<String>,
    /// Files of the walk, or of the index of a live folder, without the start. 0 if they are not requested.
    pub scanned_files: u64,
    pub scanned_folders: u64,
}

/// The folders that searches by time may look into: the [configured roots](configured_roots), or else the home folder.
pub fn roots_or_home(host: &Host, of_session: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots = configured_roots(host, of_session);
    if roots.is_empty() {
        roots.extend(dirs::home_dir().as_deref().map(resolved));
    }
    roots
}

fn resolved(path: &Path) -> PathBuf {
    casetrack_core::real_path(path).unwrap_or_else(|_| path.to_owned())
}

/// The roots of file search.
///
/// Errors: none is configured. The contract of Smart File Search has an internal error for that.
pub fn file_search_roots(host: &Host, of_session: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let roots = configured_roots(host, of_session);
    if roots.is_empty() {
        return Err(Error::internal("No root directory is configured for file search.").with_hint(
            "The user can start `casetrack mcp` with --root DIR, or name folders as allowed_roots in config.toml.",
        ));
    }
    Ok(roots)
}

/// The allowed roots and the roots of the session, each once.
pub fn configured_roots(host: &Host, of_session: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots = host.config().access.roots().to_vec();
    roots.extend(of_session.iter().map(|root| resolved(root)));
    let mut once = Vec::new();
    roots.retain(|root| {
        !once.contains(root) && {
            once.push(root.clone());
            true
        }
    });
    roots
}

/// Searches below one of `roots`. Each message of an error is one sentence that describes the correct request. `counts` is true if the
/// answer needs the numbers of files below a live folder, which cost a microsecond for each folder.
pub fn search_by_time(
    host: &Host,
    roots: &[PathBuf],
    search: &TimeSearch,
    counts: bool,
    cancel: &Cancel,
) -> Result<TimeMatches> {
    let (start, query) = question(host, roots, search)?;
    let facts = Facts::read(&start).map_err(|error| unreadable(&start, &error))?;
    let range = query.time.map(|(_, range)| range).unwrap_or_default();
    let matches = |found: QueryPage, next_cursor, scanned_files, scanned_folders| TimeMatches {
        from: range.from,
        to: range.to,
        matches: found.entries.into_iter().map(FileItem::from).collect(),
        next_cursor,
        scanned_files,
        scanned_folders,
    };
    if facts.kind != Kind::Folder {
        let entries = only_candidate(&start, facts, &query)?;
        return Ok(matches(QueryPage { entries, next: None }, None, 1, 0));
    }
    let reads_count = query.depends_on(TimeField::Accessed);
    let (scan, _) = scan_first(host, &start, query.max_depth, false, reads_count, cancel)?;
    let catalog = host.catalog()?;
    let found = answer(host, &query, cancel)?;
    let asks_created = search.field == TimeField::Created && !search.unknown_time;
    if found.entries.is_empty() && query.after.is_none() && asks_created && !catalog.knows_created(&start)? {
        return Err(unknown_created(&start));
    }
    let next = found.next.as_ref().map(|key| cursor::write(key, &described(roots, search)));
    let (files, folders) = match scan {
        Some(scan) => (scan.files, scan.folders),
        None if counts => catalog.count(&start, query.max_depth)?,
        None => (0, 0),
    };
    Ok(matches(found, next, files, folders))
}

/// All files that come into question. `start` is the start of the query; its limit is the most there may be.
///
/// Errors: more of them.
pub(crate) fn all_files(host: &Host, start: &Path, query: &Query, cancel: &Cancel) -> Result<Vec<Entry>> {
    let facts = Facts::read(start).map_err(|error| unreadable(start, &error))?;
    if facts.kind != Kind::Folder {
        return only_candidate(start, facts, query);
    }
    scan_first(host, start, query.max_depth, false, query.depends_on(TimeField::Accessed), cancel)?;
    let found = answer(host, query, cancel)?;
    match found.next {
        None => Ok(found.entries),
        Some(_) => Err(Error::invalid(format!(
            "More than {} files below '{}' come into question: give a folder below it as 'path', or part of the names.",
            query.limit,
            start.display()
        ))),
    }
}

/// The start of a search, judged by its names, and the query for the files below it.
pub fn question(host: &Host, roots: &[PathBuf], search: &TimeSearch) -> Result<(PathBuf, Query)> {
    if !search.files && !search.folders {
        return Err(Error::invalid("Nothing to search for: set 'includeFiles' or 'includeDirectories' to true."));
    }
    let range = range(search)?;
    // An empty path is the root, so an empty pattern means no pattern.
    let glob = search.glob.as_deref().filter(|glob| !glob.is_empty()).map(Pattern::glob).transpose()?;
    let name = search.name.as_deref().map(|name| Pattern::contains(Target::Name, name));
    let start = start(host, roots, search.root.as_deref(), search.path.as_deref())?;
    let mut query = Query {
        max_depth: search.max_depth,
        kinds: match (search.files, search.folders) {
            (true, true) => Vec::new(),
            (true, false) => vec![Kind::File, Kind::Link, Kind::Other],
            (false, _) => vec![Kind::Folder],
        },
        patterns: glob.into_iter().chain(name).collect(),
        time: Some((search.field, range)),
        unknown_time: search.unknown_time,
        order: match search.sort {
            TimeSort::Newest => Order::Newest(search.field),
            TimeSort::Oldest => Order::Oldest(search.field),
            TimeSort::Path => Order::Path,
        },
        limit: search.limit.max(1),
        ..Query::below(start.clone())
    };
    query.after = search.cursor.as_deref().map(|cursor| cursor::read(cursor, &described(roots, search))).transpose()?;
    Ok((start, query))
}

/// The folder or file to search, judged by its names before any access: a path outside the roots is refused in the same words, even if it
/// does not exist. A link on the way is refused, so that none leads out.
fn start(host: &Host, roots: &[PathBuf], root: Option<&str>, path: Option<&str>) -> Result<PathBuf> {
    let shown = |text: &str| text.chars().take(200).collect::<String>();
    let listed: Vec<String> = roots.iter().map(|root| format!("'{}'", root.display())).collect();
    let root = match root {
        None => roots
            .first()
            .ok_or_else(|| Error::invalid("No root is allowed: the user can start `casetrack mcp` with --root DIR."))?,
        Some(text) => roots.iter().find(|root| lexical(Path::new(text)).as_ref() == Some(*root)).ok_or_else(|| {
            Error::invalid(format!(
                "The root '{}' is not allowed: use {}, and 'path' for a folder below it.",
                shown(text),
                listed.join(" or ")
            ))
        })?,
    };
    let text = path.unwrap_or_default();
    let outside = || {
        Error::invalid(format!(
            "The path '{}' is not below the root: give it relative to '{}', without leaving it.",
            shown(text),
            root.display()
        ))
    };
    let is_rooted = |component: Component<'_>| matches!(component, Component::RootDir | Component::Prefix(_));
    if Path::new(text).components().any(is_rooted) {
        return Err(outside());
    }
    let relative = lexical(Path::new(text)).ok_or_else(outside)?;
    let mut start = root.clone();
    for name in relative.components() {
        start.push(name);
        host.config().access.check_name(&start)?;
        let facts = Facts::read(&start).map_err(|error| unreadable(&start, &error))?;
        if facts.kind == Kind::Link {
            return Err(Error::invalid(format!(
                "The path '{}' leads through a link, which is not followed: use the path that the link stands for, if it is below the \
                 root.",
                shown(text)
            )));
        }
    }
    Ok(start)
}

/// A start that is a file is the only candidate.
///
/// Errors: the time of creation is requested, but unknown.
fn only_candidate(start: &Path, facts: Facts, query: &Query) -> Result<Vec<Entry>> {
    let asks_created = query.time.is_some_and(|(field, _)| field == TimeField::Created) && !query.unknown_time;
    if asks_created && facts.created.is_none() {
        return Err(unknown_created(start));
    }
    let entry = Entry { id: 0, path: start.to_owned(), facts, first_seen: Time::now() };
    let name = start.file_name().map(Path::new).unwrap_or(start);
    Ok(if query.admits(&entry, name) { vec![entry] } else { Vec::new() })
}

fn unknown_created(start: &Path) -> Error {
    Error::invalid(format!(
        "The file system of '{}' does not keep creation times: use 'modified', or set 'includeUnknownTime' to true.",
        start.display()
    ))
}

fn range(search: &TimeSearch) -> Result<TimeRange> {
    if let Some(when) = &search.when {
        if search.from.is_some() || search.to.is_some() {
            return Err(Error::invalid("Give either 'when' or 'from' and 'to', not both."));
        }
        return span(when);
    }
    let bound = |name: &str, text: &Option<String>| {
        let parsed = text.as_deref().map(Time::parse).transpose();
        parsed.map_err(|error| Error::invalid(format!("Invalid '{name}': {}", error.message)))
    };
    let range = TimeRange { from: bound("from", &search.from)?, to: bound("to", &search.to)? };
    match (range.from, range.to) {
        (Some(from), Some(to)) if from >= to => Err(Error::invalid("Invalid range: 'from' must be earlier than 'to'.")),
        _ => Ok(range),
    }
}

/// The question of a cursor: the whole request except its start and page size. A phrase such as "last 3 days" stays the same while the
/// instants that it means pass.
fn described(roots: &[PathBuf], search: &TimeSearch) -> String {
    format!("{roots:?} {:?}", TimeSearch { cursor: None, limit: 1, ..search.clone() })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let path = path.display();
    Error::invalid(match error.kind() {
        std::io::ErrorKind::NotFound => format!("There is no '{path}': check the spelling, or search its folder."),
        std::io::ErrorKind::PermissionDenied => format!("'{path}' cannot be read: the user has no permission for it."),
        _ => format!("'{path}' cannot be read: {error}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_whose_time_of_creation_is_unknown_is_no_empty_answer() {
        let dir = tempfile::tempdir().unwrap();
        let start = dir.path().join("a.txt");
        std::fs::write(&start, "x").unwrap();
        let facts = Facts { created: None, ..Facts::read(&start).unwrap() };
        let mut query = Query { time: Some((TimeField::Created, TimeRange::default())), ..Query::below(start.clone()) };
        let refused = only_candidate(&start, facts, &query).unwrap_err().message;
        assert!(refused.contains("does not keep creation times"), "{refused}");
        query.unknown_time = true;
        assert_eq!(only_candidate(&start, facts, &query).unwrap().len(), 1);
    }
}
