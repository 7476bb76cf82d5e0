//! Resource sets: files and folders that a user or an assistant puts together, an acyclic graph of such sets, and sums and questions about
//! them. Names of fields and texts of errors follow a published contract.

mod conditions;
mod contents;
mod definitions;
mod index_jobs;
mod media;
mod nodes;
mod questions;
mod sets;
mod sources;
#[cfg(test)]
mod tests;
mod usage;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::path::{Path, PathBuf};

use casetrack_catalog::space::Member;
use casetrack_catalog::{Facts, Kind, lexical, shown};
use casetrack_core::{Error, ErrorCode, ErrorKind, Result};
use casetrack_host::Host;
pub use contents::{
    ClassifierJob, MetadataItem, MetadataPage, ThumbnailItem, ThumbnailPicture, classifier_job, classify_if_new,
    classify_in_job, metadata_by_hash, metadata_page, node_metadata, node_thumbnail,
};
pub use definitions::{Definition, Outcome, PlanDefinition, PlanSourceDefinition, read_plan};
pub use index_jobs::{
    IndexSpace, JobItem, JobList, JobsAsked, SpaceIndexed, cancel_space_job, index_now, index_space, space_job,
    space_jobs,
};
pub use nodes::{NodePage, SessionInfo, SetStats, node, nodes, set_stats, space_info};
pub use questions::{
    Comparison, EntryPage, Matching, Metric, MetricRange, Paging, SetSearch, TimeRangeSearch, find_equal,
    find_in_metric_range, find_in_time_range, find_matching, search_set,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
pub use sets::{
    MissingPath, ModifiedSet, Operation, SetChild, SetChildren, SetDetails, SetItem, SetList, SetParent, SetSum,
    SumPart, create_set, delete_set, get_set, list_sets, modify_set, page_of_sets, set_child, set_children,
    set_parents, sum_set,
};
pub use sources::{SourceSpec, index_source, is_hidden, is_hidden_plan, run_source, visible_plan, visible_source};
pub use usage::{UsageBranch, UsageTree, UsageTreeAsked, folder_in_space, usage_tree};

pub const MAX_ENTRIES: usize = 1_000;

/// The parameter that an error is about, as the source of that error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InField(pub Cow<'static, str>);

impl fmt::Display for InField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}", self.0)
    }
}

impl StdError for InField {}

impl InField {
    /// The parameter that an error is about, if it names one.
    pub fn of(error: &Error) -> Option<&str> {
        error.source().and_then(|source| source.downcast_ref::<Self>()).map(|field| &*field.0)
    }
}

/// Adds the parameter to an error that the caller or the owner of the machine can correct, unless it names one.
pub fn in_field<T>(field: impl Into<Cow<'static, str>>, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error.kind() {
        ErrorKind::User | ErrorKind::Environment if InField::of(&error).is_none() => {
            error.with_source(InField(field.into()))
        }
        _ => error,
    })
}

pub fn refused(field: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Error {
    Error::invalid(reason).with_source(InField(field.into()))
}

/// Reads a value of the type that it names.
///
/// Errors: a type that is missing or unknown; another invalid form.
fn of_type<T: DeserializeOwned>(value: &Value, types: &[&str], at: &str) -> Result<T> {
    let is_known = value.get("type").and_then(Value::as_str).is_some_and(|name| types.contains(&name));
    if !is_known {
        return Err(refused(at.to_owned(), format!("type must be one of {}", types.join(", "))));
    }
    T::deserialize(value).map_err(|error| refused(at.to_owned(), error.to_string()))
}

/// A file or folder of a set, as it was when the answer was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryItem {
    /// Absolute. Invalid Unicode is shown as U+FFFD.
    pub path: String,
    pub parent: String,
    pub name: String,
    /// file, directory, link or other.
    pub kind: &'static str,
    /// In lower case, without a dot; empty if there is none.
    pub extension: String,
    /// Bytes.
    pub size: u64,
    /// Blocks of 512 bytes that the file system has set aside.
    pub blocks: u64,
    /// Seconds since 1970.
    pub mtime: i64,
    pub ctime: i64,
    /// When it was added to the set; of an entry of the catalogue, when it was first met.
    pub added_at: i64,
    /// `mtime` in RFC 3339, in UTC.
    pub modified: String,
}

impl From<Member> for EntryItem {
    fn from(Member { path, facts, added }: Member) -> Self {
        Self::new(&path, facts, added)
    }
}

impl EntryItem {
    fn new(path: &Path, facts: Facts, added: i64) -> Self {
        let text = |path: Option<&Path>| path.map(|path| shown(path).into_owned()).unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        Self {
            path: text(Some(path)),
            parent: text(path.parent()),
            name,
            kind: kind_name(facts.kind),
            extension: extension.unwrap_or_default(),
            size: facts.size,
            blocks: facts.allocated / 512,
            mtime: facts.modified.seconds,
            ctime: facts.changed.seconds,
            added_at: added,
            modified: facts.modified.to_string(),
        }
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Folder => "directory",
        Kind::Link => "link",
        Kind::Other => "other",
    }
}

fn kind_named(field: &'static str, name: &str) -> Result<Kind> {
    [Kind::File, Kind::Folder, Kind::Link, Kind::Other]
        .into_iter()
        .find(|kind| kind_name(*kind) == name)
        .ok_or_else(|| refused(field, "kind must be one of file, directory, link, other"))
}

/// A host for one session: it sees files below the allowed folders and the session's folders, and all files if there are neither.
pub fn for_space(host: &Host, of_session: &[PathBuf]) -> Host {
    match of_session.is_empty() && host.config().access.allows_any_root() {
        true => host.clone(),
        false => host.within(&crate::configured_roots(host, of_session)),
    }
}

/// The path that a caller means: absolute, its folders without links, and allowed. It is judged by its names before any access, and need not
/// exist.
pub(crate) fn space_path(host: &Host, path: &str) -> Result<PathBuf> {
    let clean = lexical(Path::new(path)).filter(|path| path.is_absolute());
    let clean = clean.ok_or_else(|| Error::invalid(format!("\"{path}\" is not an absolute path")))?;
    let access = &host.config().access;
    access.check_name(&clean)?;
    if is_denied_in_space(host, &clean) {
        return Err(Error::new(ErrorCode::AccessDenied, format!("{path} is outside the allowed folders")));
    }
    let (Some(parent), Some(name)) = (clean.parent(), clean.file_name()) else { return Ok(clean) };
    if access.roots().contains(&clean) {
        return Ok(clean);
    }
    let path = access.check(parent)?.join(name);
    access.check_name(&path)?;
    Ok(path)
}

/// True if an entry is not shown: the deny list covers it, or it is outside the folders of the session.
pub fn is_denied_in_space(host: &Host, path: &Path) -> bool {
    let access = &host.config().access;
    let is_outside = !access.allows_any_root() && !access.roots().iter().any(|root| path.starts_with(root));
    is_outside || access.check_name(path).is_err()
}
