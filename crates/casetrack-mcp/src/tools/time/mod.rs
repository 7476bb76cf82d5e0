//! Finding files by their times, below the roots that the user allowed.

mod by_time;
mod find_files;

pub(crate) use by_time::SearchByTime;
pub(crate) use find_files::FindFilesByTime;

use casetrack_core::Result;
use casetrack_engine::files;
use casetrack_engine::files::{TimeMatches, TimeSearch, TimeSort};
use casetrack_text::format::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::session::Context;

/// The order of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    TimeDesc,
    TimeAsc,
    PathAsc,
}

impl From<Sort> for TimeSort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::TimeDesc => Self::Newest,
            Sort::TimeAsc => Self::Oldest,
            Sort::PathAsc => Self::Path,
        }
    }
}

fn search(context: &Context<'_>, search: &TimeSearch) -> Result<TimeMatches> {
    let roots = files::roots_or_home(context.engine.host(), &context.session.settings().roots);
    files::search_by_time(context.engine.host(), &roots, search, true, context.cancel)
}

/// `Found 2 files (sorted by modified desc).`
fn sentence(files: usize, folders: usize, sort: Sort, field: &str, has_more: bool) -> String {
    let files = (files > 0 || folders == 0).then(|| counted(files as u64, "file"));
    let folders = match folders {
        0 => None,
        1 => Some("1 directory".to_owned()),
        several => Some(format!("{several} directories")),
    };
    let found: Vec<String> = files.into_iter().chain(folders).collect();
    let order = match sort {
        Sort::TimeDesc => format!("{field} desc"),
        Sort::TimeAsc => format!("{field} asc"),
        Sort::PathAsc => "path asc".to_owned(),
    };
    let more = if has_more { " There are more: call again with the same arguments and this cursor." } else { "" };
    format!("Found {} (sorted by {order}).{more}", found.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_is_the_contracts() {
        let said = |files, folders, more| sentence(files, folders, Sort::TimeDesc, "modified", more);
        assert_eq!(said(2, 0, false), "Found 2 files (sorted by modified desc).");
        assert_eq!(said(0, 0, false), "Found 0 files (sorted by modified desc).");
        assert_eq!(said(1, 2, false), "Found 1 file and 2 directories (sorted by modified desc).");
        assert_eq!(sentence(0, 1, Sort::PathAsc, "created", false), "Found 1 directory (sorted by path asc).");
        assert!(said(1000, 0, true).starts_with("Found 1,000 files (sorted by modified desc). There are more:"));
    }
}
