//! The files on the disk, whether or not a collection has them: finding them, their disk usage, and duplicates.
//!
//! A question walks its folder first, so that the answer is of now. A live folder needs no walk: its changes are followed. An answer from
//! the last walk is marked as such.

mod by_time;
mod catalog_copy;
pub(crate) mod cursor;
mod duplicates;
pub mod file_search;
pub mod indexes;
pub mod space;

use std::path::{Path, PathBuf};

pub use by_time::{TimeMatches, TimeSearch, TimeSort};
use casetrack_catalog::{Entry, Facts, QueryPage, Scope, shown};
pub use casetrack_catalog::{
    Kind, Order, Pattern, Problem, Query, ScanReport, Target, Time, TimeField, TimeRange, Usage, span,
};
use casetrack_core::{Cancel, Error, ErrorCode, Result};
pub use catalog_copy::{CatalogExport, CatalogImport};
pub use duplicates::{DuplicateReport, Duplicates};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use by_time::all_files;
pub use by_time::{configured_roots, file_search_roots, question, roots_or_home, search_by_time};
use casetrack_host::Host;
pub use casetrack_host::{LiveStage, LiveState};
pub use catalog_copy::{export_file_catalog, import_file_catalog};
pub use duplicates::duplicate_files;

/// A file or folder, as it was when the answer was made. Times are RFC 3339 in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileItem {
    /// Absolute. Invalid Unicode is shown as U+FFFD.
    pub path: String,
    /// file, folder, link or other.
    #[schemars(with = "String")]
    pub kind: Kind,
    /// Null for a folder.
    pub size_bytes: Option<u64>,
    #[schemars(with = "String")]
    pub modified: Time,
    /// Null if the file system does not keep it.
    #[schemars(with = "Option<String>")]
    pub created: Option<Time>,
    #[schemars(with = "String")]
    pub accessed: Time,
    /// When its content, name or rights last changed.
    #[schemars(with = "String")]
    pub changed: Time,
    /// When CaseTrack first met it.
    #[schemars(with = "String")]
    pub first_seen: Time,
}

impl From<Entry> for FileItem {
    fn from(Entry { path, facts, first_seen, .. }: Entry) -> Self {
        let (path, size_bytes) = (shown(&path).into_owned(), (facts.kind != Kind::Folder).then_some(facts.size));
        let Facts { kind, modified, created, accessed, changed, .. } = facts;
        Self { path, kind, size_bytes, modified, created, accessed, changed, first_seen }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Indexed {
    pub root: String,
    #[serde(flatten)]
    pub report: ScanReport,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundFiles {
    pub start: String,
    pub files: Vec<FileItem>,
    pub has_more: bool,
    /// The walk that came before; null if the folder is live, or the answer is from the last one.
    pub scan: Option<ScanReport>,
    /// True if the changes of the folder are followed, so that no walk was needed.
    pub live: bool,
}

/// The disk usage of a folder's children, the largest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageReport {
    pub start: String,
    pub children: Vec<ChildUsage>,
    pub total: Usage,
    pub scan: Option<ScanReport>,
    pub live: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChildUsage {
    pub name: String,
    pub is_folder: bool,
    #[serde(flatten)]
    pub usage: Usage,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileRoot {
    pub path: String,
    pub added: Time,
    /// When it was last indexed as a whole.
    pub indexed: Option<Time>,
    pub entries: u64,
    /// The state of following it; null if it is not to be followed.
    pub live: Option<LiveState>,
}

/// A folder that is live from now on, or is not any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchedFiles {
    pub root: String,
    /// Null if it is not followed any more.
    pub live: Option<LiveState>,
}

/// A folder to look in, and whether to walk it first.
#[derive(Debug, Clone)]
pub struct FolderScope {
    pub folder: PathBuf,
    /// Answer from the last walk.
    pub cached: bool,
}

// Files, on the command line of the user.
/// Walks a folder and stores its content in the catalogue.
pub fn index_files(host: &Host, folder: &Path, cancel: &Cancel) -> Result<Indexed> {
    let folder = host.config().access.check(folder)?;
    Ok(Indexed { root: shown(&folder).into_owned(), report: scan_files(host, &folder, None, cancel)? })
}

/// Answers a question about files. `query` names the folder.
///
/// Errors: as [`index_files`].
pub fn find_files(host: &Host, mut query: Query, cached: bool, cancel: &Cancel) -> Result<FoundFiles> {
    query.start = host.config().access.check(&query.start)?;
    let (scan, live) =
        scan_first(host, &query.start, query.max_depth, cached, query.depends_on(TimeField::Accessed), cancel)?;
    let found = answer(host, &query, cancel)?;
    Ok(FoundFiles {
        start: shown(&query.start).into_owned(),
        files: found.entries.into_iter().map(FileItem::from).collect(),
        has_more: found.next.is_some(),
        scan,
        live,
    })
}

/// The disk usage of each child of a folder. A file with several names counts once.
pub fn file_usage(host: &Host, place: &FolderScope, cancel: &Cancel) -> Result<UsageReport> {
    let start = host.config().access.check(&place.folder)?;
    let (scan, live) = scan_first(host, &start, None, place.cached, false, cancel)?;
    let (children, total) = host.catalog()?.usage(&start, cancel)?;
    let child = |(name, usage): (std::ffi::OsString, Usage)| {
        let path = start.join(&name);
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        ChildUsage { name: name.to_string_lossy().into_owned(), is_folder, usage }
    };
    let mut children: Vec<ChildUsage> = children.into_iter().map(child).collect();
    children.sort_by(|a, b| b.usage.allocated.cmp(&a.usage.allocated).then_with(|| a.name.cmp(&b.name)));
    Ok(UsageReport { start: shown(&start).into_owned(), children, total, scan, live })
}

pub fn file_roots(host: &Host) -> Result<Vec<FileRoot>> {
    let root = |root: casetrack_catalog::Root| FileRoot {
        path: shown(&root.path).into_owned(),
        added: root.added,
        indexed: root.scanned,
        entries: root.entries,
        live: root.live.then(|| {
            let starting = LiveState { stage: LiveStage::Starting, why: None };
            host.live_files().state(&root.path).unwrap_or(starting)
        }),
    };
    Ok(host.catalog()?.roots()?.into_iter().map(root).collect())
}

/// Removes an indexed folder from the catalogue. Nothing on the disk changes.
///
/// Errors: a folder that is not an indexed one.
pub fn forget_file_root(host: &Host, folder: &Path) -> Result<()> {
    let resolved = casetrack_core::real_path(folder).unwrap_or_else(|_| folder.to_owned());
    host.live_files().unwatch(&resolved);
    if host.catalog()?.forget_root(&resolved)? {
        return Ok(());
    }
    Err(Error::new(ErrorCode::NotFound, format!("{} is not indexed as a folder of its own.", folder.display()))
        .with_hint("List the folders with `casetrack files roots`."))
}

/// Reads the whole catalogue of files and compares its parts.
///
/// Errors: [`ErrorCode::Corrupt`].
pub fn check_file_catalog(host: &Host) -> Result<()> {
    host.catalog()?.check()
}

/// Makes a folder live from now on, also after a restart: it is watched and walked, and then its changes are followed.
///
/// Errors: as [`index_files`]. A folder that cannot be watched is no error: its state has the reason.
pub fn watch_files(host: &Host, folder: &Path, cancel: &Cancel) -> Result<WatchedFiles> {
    let folder = host.config().access.check(folder)?;
    std::fs::read_dir(&folder).map_err(|error| Error::io(folder.display(), error))?;
    host.catalog()?.set_live(&folder, true)?;
    let live = host.live_files().watch(host, &folder, cancel)?;
    Ok(WatchedFiles { root: shown(&folder).into_owned(), live: Some(live) })
}

/// Ends the following of a folder. It stays indexed.
///
/// Errors: a folder that is not live.
pub fn unwatch_files(host: &Host, folder: &Path) -> Result<WatchedFiles> {
    let folder = casetrack_core::real_path(folder).unwrap_or_else(|_| folder.to_owned());
    if !host.catalog()?.set_live(&folder, false)? {
        return Err(Error::new(ErrorCode::NotFound, format!("{} is not live.", folder.display()))
            .with_hint("List the folders with `casetrack files roots`."));
    }
    host.live_files().unwatch(&folder);
    Ok(WatchedFiles { root: shown(&folder).into_owned(), live: None })
}

/// Brings the catalogue below a folder up to date, unless it is live. Returns the walk, and whether the folder is live. Nothing reports that
/// a file was read, so a question for that walks live folders too.
pub(crate) fn scan_first(
    host: &Host,
    start: &Path,
    max_depth: Option<usize>,
    cached: bool,
    reads_count: bool,
    cancel: &Cancel,
) -> Result<(Option<ScanReport>, bool)> {
    if cached {
        return Ok((None, false));
    }
    // A folder that cannot be followed any more is walked, which also reports the reason.
    let live = !reads_count && host.live_files().bring_up_to_date(host, start, cancel).unwrap_or(false);
    // The walk checks that the folder is there; a live one may have been deleted this moment.
    if live && std::fs::read_dir(start).is_ok() {
        return Ok((None, true));
    }
    Ok((Some(scan_files(host, start, max_depth, cancel)?), false))
}

fn scan_files(host: &Host, start: &Path, max_depth: Option<usize>, cancel: &Cancel) -> Result<ScanReport> {
    let access = &host.config().access;
    let scope = Scope { start, max_depth, is_closed: &|path| access.is_closed(path) };
    host.catalog()?.scan(&scope, cancel)
}

/// Answers a question. A catalogue that proves to be damaged is made again first.
fn answer(host: &Host, query: &Query, cancel: &Cancel) -> Result<QueryPage> {
    let find = || host.catalog()?.find(query, &|path| is_denied(host, path), cancel);
    match find() {
        Err(error) if error.code == ErrorCode::Corrupt => {
            scan_files(host, &query.start, None, cancel)?;
            find()
        }
        found => found,
    }
}

fn is_denied(host: &Host, path: &Path) -> bool {
    host.config().access.check_name(path).is_err()
}
