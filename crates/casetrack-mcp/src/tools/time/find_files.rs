//! `find_files_by_time`: more times, times in words, and text of files.

use casetrack_core::Notice;
use casetrack_engine::file_search::{DateMatches, DateSearch, DatedFile, FileDate};
use casetrack_engine::files::{Kind, Time, TimeField, TimeSearch};
use casetrack_engine::{file_search, files};
use casetrack_text::format::counted;

use super::{Sort, sentence};
use crate::answer::{Form, json};
use crate::tools::prelude::*;

pub(crate) struct FindFilesByTime;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindFilesParameters {
    /// Time to use: changed also counts changes of name and rights; first_seen is the time CaseTrack first saw the file; taken is for pictures;
    /// written, saved, sent (e-mail) and mentioned (any date in the text) come from indexed files
    #[serde(default)]
    time_field: Field,
    /// In the user's time zone: today, last week, last 3 days, since March, spring 2025, 2025-03, before 2025-03-05
    when: Option<String>,
    /// In place of when: first instant, with offset (2025-12-15T00:00:00Z)
    from: Option<String>,
    /// In place of when: first instant after the range
    to: Option<String>,
    /// Words in the files, as for searchFiles: the best files come first
    query: Option<String>,
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
    Taken,
    Written,
    Saved,
    Sent,
    Mentioned,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Created => "created",
            Self::Accessed => "accessed",
            Self::Changed => "changed",
            Self::FirstSeen => "first seen",
            Self::Taken => "taken",
            Self::Written => "written",
            Self::Saved => "saved",
            Self::Sent => "sent",
            Self::Mentioned => "mentioned",
        }
    }
}

impl From<Field> for FileDate {
    fn from(field: Field) -> Self {
        match field {
            Field::Modified => Self::Disk(TimeField::Modified),
            Field::Created => Self::Disk(TimeField::Created),
            Field::Accessed => Self::Disk(TimeField::Accessed),
            Field::Changed => Self::Disk(TimeField::Changed),
            Field::FirstSeen => Self::Disk(TimeField::FirstSeen),
            Field::Taken => Self::Taken,
            Field::Written => Self::Written,
            Field::Saved => Self::Saved,
            Field::Sent => Self::Sent,
            Field::Mentioned => Self::Mentioned,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundByTime {
    time_field: Field,
    /// First instant of when, or of from and to
    #[schemars(with = "Option<String>")]
    from: Option<Time>,
    /// The first instant after the range
    #[schemars(with = "Option<String>")]
    to: Option<Time>,
    files: Vec<DatedFile>,
    /// Continues the list
    next_cursor: Option<String>,
    /// Reasons why the answer is incomplete
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    notices: Vec<Notice>,
    #[serde(skip)]
    sort: Sort,
    #[serde(skip)]
    by_relevance: bool,
}

impl Tool for FindFilesByTime {
    const NAME: &'static str = "find_files_by_time";
    const TITLE: &'static str = "Find files by time";
    const DESCRIPTION: &'static str = "Find files on the user's disk by the time they were modified, created, \
        accessed, changed or first seen, taken, written, saved or sent, or by dates in them, with times in words such \
        as \"last week\"; and by name and content, such as the contract from Brandt in spring.";
    const ROW: Row = Row::new(Toolset::Time, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"when": "last week", "root": "$folder"}"#;
    const CONTRACT: Contract = Contract::TIME;
    type Parameters = FindFilesParameters;
    type Response = FoundByTime;

    fn call(context: &Context<'_>, parameters: FindFilesParameters) -> Result<Reply<FoundByTime>> {
        let FindFilesParameters { time_field, sort, .. } = parameters;
        let date = FileDate::from(time_field);
        let times = TimeSearch {
            root: parameters.root,
            path: parameters.path,
            field: if let FileDate::Disk(field) = date { field } else { TimeField::Modified },
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
        let by_relevance = parameters.query.is_some();
        let search = DateSearch { times, date, query: parameters.query };
        let roots = files::roots_or_home(context.engine.host(), &context.session.settings().roots);
        let DateMatches { from, to, matches: files, next_cursor, notices } =
            file_search::search_by_date(context.engine.host(), &roots, &search, context.cancel)?;
        let response = FoundByTime { time_field, from, to, files, next_cursor, notices, sort, by_relevance };
        Ok(Reply::new(response, |response| {
            let folders = response.files.iter().filter(|found| found.file.kind == Kind::Folder).count();
            let files = response.files.len() - folders;
            let notices = response.notices.iter().filter_map(Notice::plain).map(|notice| format!(" {notice}"));
            let notices: String = notices.collect();
            match response.by_relevance {
                true => format!("Found {}, the best first.{notices}", counted(files as u64, "file")),
                false => {
                    let (sort, field) = (response.sort, response.time_field.name());
                    sentence(files, folders, sort, field, response.next_cursor.is_some()) + &notices
                }
            }
        }))
    }

    /// Never cut: the limit of files bounds it.
    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        let (response, text) = reply.rendered();
        Ok(ToolOutput { text, structured: json(&response)? })
    }
}
