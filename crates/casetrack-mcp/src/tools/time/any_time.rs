//! `find_files_by_time`: more times, and times as people say them.

use casetrack_core::Result;
use casetrack_engine::files::{FileItem, Kind, Time, TimeField, TimeMatches, TimeSearch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Sort, search, sentence};
use crate::answer::{Form, Reply, json};
use crate::contract::Contract;
use crate::session::{Context, ToolOutput};
use crate::tool::{Effect, Tool, Toolset};

pub(crate) struct FindFilesByTime;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindFilesParameters {
    /// Time to go by: changed also counts changes of name and rights; first_seen is when CaseTrack met the file
    #[serde(default)]
    time_field: Field,
    /// In the user's time zone: today, last week, last 3 days, since March, spring 2025, 2025-03, before 2025-03-05
    when: Option<String>,
    /// In place of when: first instant, with offset (2025-12-15T00:00:00Z)
    from: Option<String>,
    /// In place of when: first instant after the range
    to: Option<String>,
    /// Text in the name
    name: Option<String>,
    /// Pattern such as *.pdf or contracts/**
    glob: Option<String>,
    /// Allowed root; default: the first
    root: Option<String>,
    /// Folder below it
    path: Option<String>,
    /// Folders, too
    #[serde(default)]
    include_directories: bool,
    /// Order
    #[serde(default)]
    sort: Sort,
    /// Most files
    #[serde(default = "crate::tools::number::<50>")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
    /// next_cursor of the previous answer
    cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Field {
    #[default]
    Modified,
    Created,
    Accessed,
    Changed,
    FirstSeen,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Created => "created",
            Self::Accessed => "accessed",
            Self::Changed => "changed",
            Self::FirstSeen => "first seen",
        }
    }
}

impl From<Field> for TimeField {
    fn from(field: Field) -> Self {
        match field {
            Field::Modified => Self::Modified,
            Field::Created => Self::Created,
            Field::Accessed => Self::Accessed,
            Field::Changed => Self::Changed,
            Field::FirstSeen => Self::FirstSeen,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundByTime {
    time_field: Field,
    /// What when, or from and to, mean: the first instant
    #[schemars(with = "Option<String>")]
    from: Option<Time>,
    /// The first instant after the range
    #[schemars(with = "Option<String>")]
    to: Option<Time>,
    files: Vec<FileItem>,
    /// Continues the list
    next_cursor: Option<String>,
    #[serde(skip)]
    sort: Sort,
}

impl Tool for FindFilesByTime {
    const NAME: &'static str = "find_files_by_time";
    const TITLE: &'static str = "Find files by time";
    const DESCRIPTION: &'static str = "Find files on the user's disk by when they were modified, created, accessed, changed or first \
        seen, with times in words such as \"last week\", and by name.";
    const EFFECT: Effect = Effect::Reads;
    const TOOLSET: Toolset = Toolset::Time;
    const CONTRACT: Contract = Contract::TIME;
    type Parameters = FindFilesParameters;
    type Response = FoundByTime;

    fn call(context: &Context<'_>, parameters: FindFilesParameters) -> Result<Reply<FoundByTime>> {
        let FindFilesParameters { time_field, sort, .. } = parameters;
        let asked = TimeSearch {
            root: parameters.root,
            path: parameters.path,
            field: time_field.into(),
            from: parameters.from,
            to: parameters.to,
            when: parameters.when,
            glob: parameters.glob,
            name: parameters.name,
            max_depth: None,
            files: true,
            folders: parameters.include_directories,
            sort: sort.into(),
            limit: parameters.limit as usize,
            cursor: parameters.cursor,
            unknown_time: false,
        };
        let TimeMatches { from, to, matches: files, next_cursor, .. } = search(context, &asked)?;
        let response = FoundByTime { time_field, from, to, files, next_cursor, sort };
        Ok(Reply::new(response, |response| {
            let folders = response.files.iter().filter(|file| file.kind == Kind::Folder).count();
            let files = response.files.len() - folders;
            sentence(files, folders, response.sort, response.time_field.name(), response.next_cursor.is_some())
        }))
    }

    /// Never cut: the limit of files bounds it.
    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        let (response, text) = reply.rendered();
        Ok(ToolOutput { text, structured: json(&response)? })
    }
}
