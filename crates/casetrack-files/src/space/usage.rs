//! The disk usage of a folder, as a tree of the largest parts.

use std::path::PathBuf;

use casetrack_catalog::space::Branch;
use casetrack_catalog::{Kind, ScanReport, shown};
use casetrack_core::{Cancel, Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::{in_field, index_jobs, kind_name, refused};
use casetrack_host::Host;

/// Deepest tree, and most entries of one folder.
const MAX_DEPTH: usize = 10;
const MAX_WIDTH: usize = 100;
const MAX_ENTRIES: usize = 2_000;

/// A folder whose use of the disk is asked for.
#[derive(Debug, Clone)]
pub struct UsageTreeAsked<'a> {
    pub path: &'a str,
    /// Levels, 1 to 10.
    pub depth: usize,
    /// The largest entries of each folder, 1 to 100.
    pub top: usize,
    /// size or allocated.
    pub metric: &'a str,
    /// Answer from the last walk.
    pub cached: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsageTree {
    /// size or allocated: the order of the entries.
    pub metric: String,
    pub tree: UsageBranch,
    /// Files and folders that could not be looked at.
    pub unreadable: u64,
}

/// An entry, and its largest entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsageBranch {
    pub path: String,
    pub name: String,
    /// file, directory, link or other.
    pub kind: &'static str,
    /// Bytes of content, with all below it. A file with several names counts once, at one of them.
    pub size: u64,
    /// Bytes that the file system has set aside for it.
    pub allocated: u64,
    pub files: u64,
    pub directories: u64,
    /// The largest first, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub children: Vec<UsageBranch>,
    /// Entries that are not among the children, and their total size.
    #[serde(skip_serializing_if = "is_none")]
    pub others: u64,
    #[serde(skip_serializing_if = "is_none")]
    pub others_size: u64,
    #[serde(skip_serializing_if = "is_none")]
    pub others_allocated: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_none(number: &u64) -> bool {
    *number == 0
}

impl From<Branch> for UsageBranch {
    fn from(branch: Branch) -> Self {
        let name = branch.path.file_name().map(|name| name.to_string_lossy().into_owned());
        Self {
            path: shown(&branch.path).into_owned(),
            name: name.unwrap_or_else(|| "/".to_owned()),
            kind: kind_name(branch.kind),
            size: branch.totals.bytes,
            allocated: branch.totals.allocated,
            files: branch.totals.files - u64::from(branch.kind != Kind::Folder && branch.totals.files > 0),
            directories: branch.totals.folders,
            children: branch.children.into_iter().map(Self::from).collect(),
            others: branch.others,
            others_size: branch.other_totals.bytes,
            others_allocated: branch.other_totals.allocated,
        }
    }
}

impl UsageTree {
    /// The size of an entry by the metric of the tree.
    pub fn of(&self, branch: &UsageBranch) -> u64 {
        if self.metric == "allocated" { branch.allocated } else { branch.size }
    }
}

/// The disk usage of a folder, as a tree of the largest entries. It is walked first, unless it is live.
///
/// Errors: a path that may not be read or is no folder, numbers out of their ranges.
pub fn usage_tree(host: &Host, asked: &UsageTreeAsked<'_>, cancel: &Cancel) -> Result<UsageTree> {
    let by_allocated = match asked.metric {
        "size" => false,
        "allocated" => true,
        _ => return Err(refused("metric", "metric must be one of size, allocated")),
    };
    for (field, value, most) in [("depth", asked.depth, MAX_DEPTH), ("top", asked.top, MAX_WIDTH)] {
        if value == 0 || value > most {
            return Err(refused(field, format!("{field} must be between 1 and {most}")));
        }
    }
    let folder = folder_in_space(host, asked.path)?;
    let (scan, _) = crate::scan_first(host, &folder, None, asked.cached, false, cancel)?;
    let tree = host.space()?.tree(&folder, asked.depth, asked.top, by_allocated)?;
    let tree = tree.ok_or_else(|| Error::new(ErrorCode::NotFound, format!("{} is not indexed yet", folder.display())));
    let mut tree = UsageBranch::from(in_field("path", tree)?);
    let mut left = MAX_ENTRIES;
    prune(&mut tree, &mut left);
    let unreadable = scan.map_or(0, |ScanReport { problem_count, .. }| problem_count);
    Ok(UsageTree { metric: asked.metric.to_owned(), tree, unreadable })
}

/// The path of a folder that is there and may be read.
///
/// Errors: a path that may not be read or is not a folder.
pub fn folder_in_space(host: &Host, path: &str) -> Result<PathBuf> {
    let folder = in_field("path", index_jobs::resolved_in_space(host, path))?;
    if folder.is_dir() { Ok(folder) } else { Err(refused("path", format!("{} is not a folder", folder.display()))) }
}

/// Leaves out the smallest levels of a tree that has too many entries.
fn prune(branch: &mut UsageBranch, left: &mut usize) {
    let kept = branch.children.len().min(*left);
    for child in branch.children.drain(kept..) {
        branch.others += 1;
        branch.others_size += child.size;
        branch.others_allocated += child.allocated;
    }
    *left -= kept;
    branch.children.iter_mut().for_each(|child| prune(child, left));
}
