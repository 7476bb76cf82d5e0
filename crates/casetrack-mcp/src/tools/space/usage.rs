//! Disk usage of folders, and equal files: not part of the contract.

use std::path::PathBuf;

use casetrack_engine::files::{DuplicateReport, FolderScope};
use casetrack_engine::space::{UsageTree, UsageTreeAsked};
use casetrack_engine::{files, space};

use crate::tools::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageParameters {
    /// Folder
    path: String,
    /// Levels of the tree
    #[serde(default = "crate::tools::number::<2>")]
    #[schemars(range(min = 1, max = 10))]
    depth: u32,
    /// The largest entries of each folder
    #[serde(default = "crate::tools::number::<10>")]
    #[schemars(range(min = 1, max = 100))]
    top: u32,
    /// size (bytes of content) or allocated (bytes on the disk)
    #[serde(default = "size")]
    metric: String,
}

fn size() -> String {
    "size".to_owned()
}

pub(crate) struct DiskUsage;

impl Tool for DiskUsage {
    const NAME: &'static str = "disk_usage";
    const TITLE: &'static str = "Show disk usage";
    const DESCRIPTION: &'static str =
        "Show the disk usage of a folder: a tree of the largest files and folders, as data and as bars of text.";
    const ROW: Row = Row::new(Toolset::Space, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"path": "$folder", "depth": 1}"#;
    const CONTRACT: Contract = Contract::SPACE;
    type Parameters = UsageParameters;
    type Response = UsageTree;

    fn call(context: &Context<'_>, parameters: UsageParameters) -> Result<Reply<UsageTree>> {
        let host = space::for_space(context.engine.host(), &context.session.settings().roots);
        let asked = UsageTreeAsked {
            path: &parameters.path,
            depth: parameters.depth as usize,
            top: parameters.top as usize,
            metric: &parameters.metric,
            cached: false,
        };
        Ok(Reply::new(space::usage_tree(&host, &asked, context.cancel)?, casetrack_text::space::usage))
    }

    /// Never cut: depth and width bound it.
    fn finish(reply: Reply<UsageTree>, _: Form) -> Result<ToolOutput> {
        let (tree, text) = reply.rendered();
        Ok(ToolOutput { text, ..super::answer(&tree)? })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuplicatesParameters {
    /// Folder
    path: String,
    /// Least size in bytes
    #[serde(default = "one")]
    min_size: u64,
    /// Maximum groups to return
    #[serde(default = "crate::tools::number::<100>")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn one() -> u64 {
    1
}

/// Groups of files with equal content, largest savings first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundDuplicates {
    path: String,
    groups: Vec<Group>,
    /// Groups in all
    group_count: u64,
    /// Bytes of all copies except one of each group
    reclaimable_bytes: u64,
    /// Files that could not be read, and why: the first 100
    unreadable: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Group {
    sha256: String,
    /// Size of each file, in bytes
    size: u64,
    reclaimable_bytes: u64,
    /// The first 100
    paths: Vec<String>,
    path_count: u64,
}

/// Paths of one group, and files that could not be read, that are named.
const NAMED: usize = 100;

impl From<DuplicateReport> for FoundDuplicates {
    fn from(report: DuplicateReport) -> Self {
        let groups = report.groups.into_iter().map(|mut group| {
            let path_count = group.paths.len() as u64;
            group.paths.truncate(NAMED);
            Group {
                sha256: group.sha256.to_string(),
                size: group.size_bytes,
                reclaimable_bytes: group.size_bytes.saturating_mul(path_count.saturating_sub(1)),
                paths: group.paths,
                path_count,
            }
        });
        Self {
            path: report.start,
            groups: groups.collect(),
            group_count: report.group_count,
            reclaimable_bytes: report.wasted_bytes,
            unreadable: report.unreadable.into_iter().take(NAMED).collect(),
        }
    }
}

space_tool!(FindDuplicates: "find_duplicates", "Find equal files", Reads, DuplicatesParameters => FoundDuplicates,
    r#"{"path": "$folder"}"#,
"Find files below a folder with equal content (SHA-256), largest savings first. Hard links to the same file are not \
 counted.",
|context, host, parameters| {
    let folder: PathBuf = space::folder_in_space(host, &parameters.path)?;
    let place = FolderScope { folder, cached: false };
    let report = files::duplicate_files(host, &place, parameters.min_size, parameters.limit as usize, context.cancel)?;
    Ok(report.into())
});
