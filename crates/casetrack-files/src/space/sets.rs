//! Making and changing sets, walking their graph, and sums.

use std::time::Duration;

use casetrack_catalog::space::{Change, Direction, Set, Totals};
use casetrack_core::{Cancel, Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::questions::{EntryPage, Metric, Paging};
use super::{EntryItem, MAX_ENTRIES, in_field, questions, refused, space_path};
use casetrack_host::Host;
use casetrack_host::changes::SpaceChange;

/// Longest wait for runs that fill a set.
const PATIENCE: Duration = Duration::from_secs(10);
/// The note of an answer that came before the end of such a run.
const FILLING: &str = "A plan or source is still filling this set or one below it: there may be more in it soon.";
const MAX_PATHS: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetItem {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Entries of the set itself.
    pub entry_count: u64,
    /// Sets directly below it.
    pub child_count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetList {
    pub resource_sets: Vec<SetItem>,
}

/// A set with its times and, if requested, its entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetDetails {
    #[serde(flatten)]
    pub set: SetItem,
    /// Seconds since 1970.
    pub created_at: i64,
    pub updated_at: i64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub page: Option<EntryPage>,
    /// A notice that the set is not complete yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetChildren {
    pub children: Vec<SetChild>,
    /// A notice that some set is not complete yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetChild {
    #[serde(flatten)]
    pub set: SetItem,
    /// Edges between them, where more than one may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The first 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<EntryItem>>,
    /// True if the set has other entries than these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetParent {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// A change of the paths of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Add,
    Remove,
}

impl Operation {
    /// Errors: another name than `add` and `remove`.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "add" => Ok(Self::Add),
            "remove" => Ok(Self::Remove),
            _ => Err(refused("operation", "operation must be \"add\" or \"remove\"")),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModifiedSet {
    pub resource_set: String,
    pub added: u64,
    pub removed: u64,
    pub entry_count: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_found: Vec<MissingPath>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingPath {
    pub path: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SetSum {
    pub resource_set: String,
    pub metric: String,
    pub value: u64,
    /// The sets directly below it, with everything below these. Shared entries count in each, and once in the value.
    pub breakdown: Vec<SumPart>,
    /// A notice that some set is not complete yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SumPart {
    pub name: String,
    pub value: u64,
}

impl Metric {
    fn of(self, totals: &Totals) -> u64 {
        match self {
            Self::Size => totals.bytes,
            Self::Allocated => totals.allocated,
            Self::Blocks => totals.allocated / 512,
            Self::Count => totals.count,
            Self::Files => totals.files,
            Self::Directories => totals.folders,
        }
    }
}

// Errors name the parameter that they are about: see [`InField`](super::InField).
/// Makes an empty set.
///
/// Errors: a name that is taken or that none can have.
pub fn create_set(host: &Host, name: &str, description: Option<&str>) -> Result<SetDetails> {
    let set = in_field("name", host.space()?.create_set(name, description))?;
    host.space_changed(SpaceChange::Sets);
    details(host, set, None, None)
}

/// All sets, in the order of their names.
pub fn list_sets(host: &Host, cancel: &Cancel) -> Result<SetList> {
    let sets = host.fresh_space(cancel)?.sets()?;
    Ok(SetList { resource_sets: items(host, sets)? })
}

/// A page of all sets, in the order of their names, and whether there are more.
pub fn page_of_sets(host: &Host, page: Paging, cancel: &Cancel) -> Result<(SetList, bool)> {
    let sets = host.fresh_space(cancel)?.sets()?;
    let has_more = sets.len() > page.offset.saturating_add(page.limit);
    let sets = sets.into_iter().skip(page.offset).take(page.limit).collect();
    Ok((SetList { resource_sets: items(host, sets)? }, has_more))
}

/// A set with its numbers and, if a page is requested, its entries, in the order of paths.
///
/// Errors: a set that does not exist.
pub fn get_set(host: &Host, name: &str, page: Option<Paging>, cancel: &Cancel) -> Result<SetDetails> {
    let notice = wait_for_runs(host, name, false, cancel)?;
    let set = in_field("name", host.fresh_space(cancel)?.set(name))?;
    let page = page.map(|page| questions::set_entries(host, name, page, cancel)).transpose()?;
    details(host, set, page, notice)
}

/// Adds paths to a set or removes them. Paths that are not indexed are read from the disk; missing ones are named in the answer.
///
/// Errors: a set that does not exist, a path that may not be read, too many paths.
pub fn modify_set(
    host: &Host,
    name: &str,
    operation: Operation,
    paths: &[String],
    cancel: &Cancel,
) -> Result<ModifiedSet> {
    if paths.len() > MAX_PATHS {
        return Err(refused("paths", format!("paths has {} items; the limit is {MAX_PATHS}", paths.len())));
    }
    let space = host.space()?;
    in_field("name", space.set(name).map(drop))?;
    let allowed = paths.iter().map(|path| (path, space_path(host, path)));
    let (mut checked, mut not_found) = (Vec::new(), Vec::new());
    for (path, result) in allowed {
        match result {
            Ok(path) => checked.push(path),
            Err(error) if error.code == casetrack_core::ErrorCode::FileNotFound => {
                not_found.push(MissingPath { path: path.clone(), reason: "no such file or directory".to_owned() });
            }
            Err(error) => return in_field("paths", Err(error)),
        }
    }
    let Change { added, removed, problems } = match operation {
        Operation::Add => space.add_paths(name, &checked, cancel)?,
        Operation::Remove => space.remove_paths(name, &checked)?,
    };
    not_found.extend(problems.into_iter().map(|problem| MissingPath { path: problem.path, reason: problem.reason }));
    host.space_changed(SpaceChange::Sets);
    let entry_count = details(host, space.set(name)?, None, None)?.set.entry_count;
    Ok(ModifiedSet { resource_set: name.to_owned(), added, removed, entry_count, not_found })
}

/// Deletes a set with its edges; files and other sets stay.
///
/// Errors: a set that does not exist.
pub fn delete_set(host: &Host, name: &str) -> Result<()> {
    in_field("name", host.space()?.delete_set(name))?;
    host.space_changed(SpaceChange::Sets);
    Ok(())
}

/// Puts a set below another, or takes it from there. Returns whether that changed anything.
///
/// Errors: a set that does not exist, an edge that closes a cycle.
pub fn set_child(host: &Host, parent: &str, child: &str, is_child: bool) -> Result<bool> {
    let space = host.space()?;
    in_field("parent", space.set(parent).map(drop))?;
    let changed = if is_child { space.add_edge(parent, child) } else { space.remove_edge(parent, child) };
    host.space_changed(SpaceChange::Sets);
    in_field("child", changed)
}

/// The sets below one, nearest first, to a depth or all, with the first entries of each if these are requested.
///
/// Errors: a set that does not exist, a depth of 0.
pub fn set_children(
    host: &Host,
    name: &str,
    depth: Option<u32>,
    entries: bool,
    cancel: &Cancel,
) -> Result<SetChildren> {
    let notice = wait_for_runs(host, name, true, cancel)?;
    host.fresh_space(cancel)?;
    let found = relatives(host, name, Direction::Children, depth)?;
    let (sets, depths): (Vec<Set>, Vec<u32>) = found.into_iter().unzip();
    let child = |(set, distance): (SetItem, u32)| {
        let page = Paging { limit: MAX_ENTRIES, offset: 0 };
        let entries = entries.then(|| questions::set_entries(host, &set.name, page, cancel)).transpose()?;
        let depth = (depth != Some(1)).then_some(distance);
        let has_more = entries.as_ref().map(|page| page.has_more);
        Ok(SetChild { set, depth, entries: entries.map(|page| page.entries), has_more })
    };
    let children = items(host, sets)?.into_iter().zip(depths).map(child).collect::<Result<_>>()?;
    Ok(SetChildren { children, notice })
}

/// The sets around one, nearest first, to a depth or all.
///
/// Errors: a set that does not exist, a depth of 0.
pub fn set_parents(host: &Host, name: &str, depth: Option<u32>) -> Result<Vec<SetParent>> {
    let parent =
        |(set, distance): (Set, u32)| SetParent { name: set.name, depth: (depth != Some(1)).then_some(distance) };
    Ok(relatives(host, name, Direction::Parents, depth)?.into_iter().map(parent).collect())
}

fn relatives(host: &Host, name: &str, direction: Direction, depth: Option<u32>) -> Result<Vec<(Set, u32)>> {
    if depth == Some(0) {
        return Err(refused("depth", "depth must be at least 1, or null for all"));
    }
    in_field("name", host.space()?.relatives(name, direction, depth))
}

/// Sums up a set, if `children` is true with the sets below it, to a depth of edges.
///
/// Errors: a set that does not exist, an unknown metric.
pub fn sum_set(
    host: &Host,
    name: &str,
    metric: &str,
    children: bool,
    depth: Option<u32>,
    cancel: &Cancel,
) -> Result<SetSum> {
    let metric = Metric::named(metric)?;
    let depth = if children { depth } else { Some(0) };
    let notice = wait_for_runs(host, name, children, cancel)?;
    let (totals, parts) = in_field("name", host.fresh_space(cancel)?.sum(name, depth))?;
    let part = |(set, totals): (Set, Totals)| SumPart { name: set.name, value: metric.of(&totals) };
    Ok(SetSum {
        resource_set: name.to_owned(),
        metric: metric.name().to_owned(),
        value: metric.of(&totals),
        breakdown: parts.into_iter().map(part).collect(),
        notice,
    })
}

/// Waits a moment for the runs of plans and sources that fill a set, or with `children` one below it, so that an answer right after the
/// start of a plan has the plan's entries. Returns the note for the answer if they continue.
pub(super) fn wait_for_runs(host: &Host, name: &str, children: bool, cancel: &Cancel) -> Result<Option<&'static str>> {
    let work = host.space_work();
    if !work.is_filling() {
        return Ok(None);
    }
    let mut sets = vec![name.to_owned()];
    if children && let Ok(below) = host.space()?.relatives(name, Direction::Children, None) {
        sets.extend(below.into_iter().map(|(set, _)| set.name));
    }
    Ok((!work.wait_until_filled(&sets, PATIENCE, cancel)).then_some(FILLING))
}

fn details(host: &Host, set: Set, page: Option<EntryPage>, notice: Option<&'static str>) -> Result<SetDetails> {
    let (created_at, updated_at) = (set.created, set.updated);
    let set = items(host, vec![set])?.pop().ok_or_else(|| Error::internal("A set has no numbers."))?;
    Ok(SetDetails { set, created_at, updated_at, page, notice })
}

fn items(host: &Host, sets: Vec<Set>) -> Result<Vec<SetItem>> {
    let counts = host.space()?.counts(&sets)?;
    let item = |(set, (entry_count, child_count)): (Set, (u64, u64))| SetItem {
        name: set.name,
        description: set.description,
        entry_count,
        child_count,
    };
    Ok(sets.into_iter().zip(counts).map(item).collect())
}
