//! Single entries of the catalogue, all of them page by page, statistics of sets, and how much there is of everything.

use std::path::Path;

use casetrack_catalog::space::{Direction, Totals};
use casetrack_catalog::{Entry, Facts, Key, Order, Query, shown};
use casetrack_core::{Cancel, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Serialize;

use super::{EntryItem, MAX_ENTRIES, in_field, index_jobs, is_denied_in_space, sets};
use casetrack_host::Host;

/// All but RFC 3986's unreserved characters.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of an entry, its path as one segment.
pub(super) fn uri(path: &Path) -> String {
    format!("synthesis://nodes/{}", utf8_percent_encode(&shown(path), ESCAPED))
}

/// Entries of the catalogue, in the order of their paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodePage {
    pub nodes: Vec<EntryItem>,
    /// The address of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetStats {
    pub resource_set: String,
    pub entry_count: u64,
    pub file_count: u64,
    pub directory_count: u64,
    /// Bytes of content; a file with several names counts once.
    pub total_size: u64,
    /// Bytes that the file system has set aside.
    pub allocated: u64,
    pub child_count: u64,
    pub parent_count: u64,
    /// Counts of the set without the sets below it.
    pub own: OwnStats,
    /// A notice that some set is not complete yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OwnStats {
    pub entry_count: u64,
    pub file_count: u64,
    pub directory_count: u64,
    pub total_size: u64,
    pub allocated: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionInfo {
    pub database_path: String,
    /// Bytes.
    pub database_size: u64,
    pub entry_count: u64,
    pub resource_set_count: u64,
    pub source_count: u64,
    pub plan_count: u64,
}

impl From<Totals> for OwnStats {
    fn from(Totals { count, files, folders, bytes, allocated }: Totals) -> Self {
        Self { entry_count: count, file_count: files, directory_count: folders, total_size: bytes, allocated }
    }
}

impl From<Entry> for EntryItem {
    fn from(Entry { path, facts, first_seen, .. }: Entry) -> Self {
        Self::new(&path, facts, first_seen.seconds)
    }
}

/// One entry, as the disk describes it now.
///
/// Errors: a path that may not be read or is not there.
pub fn node(host: &Host, path: &str) -> Result<EntryItem> {
    let path = in_field("path", index_jobs::existing_in_space(host, path))?;
    let facts = Facts::read(&path).map_err(|error| casetrack_core::Error::io(path.display(), error))?;
    let first_seen = host.catalog()?.first_seen(&path)?.map(|time| time.seconds);
    Ok(EntryItem::new(&path, facts, first_seen.unwrap_or_default()))
}

/// A page of all entries of the catalogue behind a path, in the order of paths. Each is read again.
pub fn nodes(host: &Host, after: Option<&Path>, cancel: &Cancel) -> Result<NodePage> {
    host.live_files().bring_all_up_to_date(host, cancel);
    let after = after.map(|path| Key::new(None, path));
    let query = Query { order: Order::Path, after, limit: MAX_ENTRIES, ..Query::below(Path::new("/")) };
    let found = host.catalog()?.find(&query, &|path| is_denied_in_space(host, path), cancel)?;
    let last = found.next.and(found.entries.last());
    let next = last.map(|entry| {
        format!("synthesis://nodes?after={}", percent_encode(entry.path.as_os_str().as_encoded_bytes(), ESCAPED))
    });
    Ok(NodePage { next, nodes: found.entries.into_iter().map(EntryItem::from).collect() })
}

/// Statistics of a set, with and without the sets below it.
///
/// Errors: a set that does not exist.
pub fn set_stats(host: &Host, name: &str, cancel: &Cancel) -> Result<SetStats> {
    let notice = sets::wait_for_runs(host, name, true, cancel)?;
    let space = host.fresh_space(cancel)?;
    let all = in_field("name", space.sum(name, None))?.0;
    let own = space.sum(name, Some(0))?.0;
    Ok(SetStats {
        resource_set: name.to_owned(),
        entry_count: all.count,
        file_count: all.files,
        directory_count: all.folders,
        total_size: all.bytes,
        allocated: all.allocated,
        child_count: space.relatives(name, Direction::Children, Some(1))?.len() as u64,
        parent_count: sets::set_parents(host, name, Some(1))?.len() as u64,
        own: own.into(),
        notice,
    })
}

/// The size of all parts, and their place on disk.
pub fn space_info(host: &Host) -> Result<SessionInfo> {
    let space = host.space()?;
    let numbers = space.numbers()?;
    Ok(SessionInfo {
        database_path: shown(&space.path()).into_owned(),
        database_size: numbers.bytes,
        entry_count: numbers.entries,
        resource_set_count: numbers.sets,
        source_count: numbers.sources,
        plan_count: numbers.plans,
    })
}
