//! `fs.search_by_time`, whose name, schemas and answers are a published contract.

use casetrack_engine::files::{FileItem, Kind, Time, TimeField, TimeMatches, TimeSearch};

use super::{Sort, search, sentence};
use crate::answer::{Form, json};
use crate::tools::prelude::*;

pub(crate) struct SearchByTime;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SearchByTimeParameters {
    root: Option<String>,
    path: Option<String>,
    time_field: Field,
    from: Option<String>,
    to: Option<String>,
    glob: Option<String>,
    recursive: Option<bool>,
    max_depth: Option<usize>,
    include_files: Option<bool>,
    #[serde(default)]
    include_directories: bool,
    #[serde(default)]
    sort: Sort,
    #[serde(default = "crate::tools::number::<100>")]
    limit: u32,
    cursor: Option<String>,
    #[serde(default)]
    include_unknown_time: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Field {
    Modified,
    Created,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchByTimeResponse {
    time_field: Field,
    range: Range,
    matches: Vec<Match>,
    next_cursor: Option<String>,
    stats: Stats,
    #[serde(skip)]
    sort: Sort,
}

#[derive(Serialize, JsonSchema)]
struct Range {
    #[schemars(with = "Option<String>")]
    from: Option<Time>,
    #[schemars(with = "Option<String>")]
    to: Option<Time>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    path: String,
    is_directory: bool,
    size_bytes: Option<u64>,
    #[schemars(with = "String")]
    modified_at: Time,
    #[schemars(with = "Option<String>")]
    created_at: Option<Time>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stats {
    scanned_files: u64,
    scanned_directories: u64,
    returned: usize,
}

impl From<FileItem> for Match {
    fn from(file: FileItem) -> Self {
        Self {
            path: file.path,
            is_directory: file.kind == Kind::Folder,
            size_bytes: file.size_bytes,
            modified_at: file.modified,
            created_at: file.created,
        }
    }
}

impl Tool for SearchByTime {
    const NAME: &'static str = "fs.search_by_time";
    const TITLE: &'static str = "Search files by time";
    const DESCRIPTION: &'static str =
        "Find files or directories below an allowed root by the time they were last modified or created.";
    const ROW: Row = Row::new(Toolset::Time, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"timeField": "modified", "root": "$folder"}"#;
    const CONTRACT: Contract = Contract::TIME
        .with_printed(include_str!("search_by_time.input.json"), include_str!("search_by_time.output.json"));
    type Parameters = SearchByTimeParameters;
    type Response = SearchByTimeResponse;

    fn call(context: &Context<'_>, parameters: SearchByTimeParameters) -> Result<Reply<SearchByTimeResponse>> {
        let SearchByTimeParameters { time_field, sort, .. } = parameters;
        let max_depth = if parameters.recursive.unwrap_or(true) { parameters.max_depth } else { Some(0) };
        let asked = TimeSearch {
            root: parameters.root,
            path: parameters.path,
            field: match time_field {
                Field::Modified => TimeField::Modified,
                Field::Created => TimeField::Created,
            },
            from: parameters.from,
            to: parameters.to,
            when: None,
            glob: parameters.glob,
            name: None,
            max_depth,
            files: parameters.include_files.unwrap_or(true),
            folders: parameters.include_directories,
            sort: sort.into(),
            limit: parameters.limit as usize,
            cursor: parameters.cursor,
            unknown_time: parameters.include_unknown_time,
        };
        let TimeMatches { from, to, matches, next_cursor, scanned_files, scanned_folders } = search(context, &asked)?;
        let matches: Vec<Match> = matches.into_iter().map(Match::from).collect();
        let stats = Stats { scanned_files, scanned_directories: scanned_folders, returned: matches.len() };
        let response =
            SearchByTimeResponse { time_field, range: Range { from, to }, matches, next_cursor, stats, sort };
        Ok(Reply::new(response, |response| {
            let folders = response.matches.iter().filter(|item| item.is_directory).count();
            let field = match response.time_field {
                Field::Modified => "modified",
                Field::Created => "created",
            };
            let files = response.matches.len() - folders;
            sentence(files, folders, response.sort, field, response.next_cursor.is_some())
        }))
    }

    /// Never cut: the limit of matches bounds it.
    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        let (response, text) = reply.rendered();
        Ok(ToolOutput { text, structured: json(&response)? })
    }
}
