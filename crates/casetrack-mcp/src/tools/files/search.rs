//! `searchFiles` and `openFile`.

use casetrack_engine::file_search::{self, FileMatches, FilePreview, FileSearch};

use super::{Versioned, finish, reply};
use crate::tools::prelude::*;

pub(crate) struct SearchFiles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchFilesParameters {
    /// Natural-language query, or one with AND, OR, NOT, NEAR/n and parentheses
    query: String,
    /// Max results
    #[serde(default = "crate::tools::number::<10>")]
    #[schemars(range(min = 1, max = 100))]
    k: u32,
    /// Pagination offset
    #[serde(default)]
    #[schemars(range(min = 0))]
    offset: u32,
    /// Restrict to extensions ('.docx'); in place of those that the query names
    exts: Option<Vec<String>>,
    /// Only results containing these years (filename or content); in place of those that the query names
    years: Option<Vec<String>>,
    /// Restrict search to specific allow-listed roots
    roots: Option<Vec<String>>,
}

impl Tool for SearchFiles {
    const NAME: &'static str = "searchFiles";
    const TITLE: &'static str = "Search files";
    const DESCRIPTION: &'static str = "Keyword + optional semantic search using the index. Supports simple filter extraction (exts/years) and returns \
        ranked results with snippets.\n\nThe query may have AND, OR, NOT, NEAR/n and parentheses. Files that are newer \
        than the last indexFolder are not found.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"query": "$query"}"#;
    const CONTRACT: Contract = Contract::FILES;
    const CALLS_PER_MINUTE: Option<u32> = Some(60);
    type Parameters = SearchFilesParameters;
    type Response = Versioned<FileMatches>;

    fn call(context: &Context<'_>, parameters: SearchFilesParameters) -> Result<Reply<Self::Response>> {
        let SearchFilesParameters { query, k, offset, exts, years, roots } = parameters;
        let search = FileSearch { query, k, offset, exts, years, roots };
        Ok(reply(context.engine.search_files(&context.session.settings().roots, &search)?))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}

pub(crate) struct OpenFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenFileParameters {
    /// Absolute file path within allow-listed roots
    path: String,
    /// Locator for finer context: page 3, slide 7, sheet 'Q2'
    pointer: Option<String>,
    /// Additional characters before the hit
    #[serde(default = "crate::tools::number::<200>")]
    #[schemars(range(min = 0))]
    before: u32,
    /// Additional characters after the hit
    #[serde(default = "crate::tools::number::<200>")]
    #[schemars(range(min = 0))]
    after: u32,
}

impl Tool for OpenFile {
    const NAME: &'static str = "openFile";
    const TITLE: &'static str = "Preview a file";
    const DESCRIPTION: &'static str = "Return a **safe preview** (snippet) for a given file and optional pointer. Enforces snippet length limits and \
        redaction.\n\nA preview has at most 2,048 bytes.";
    const ROW: Row = Row::new(Toolset::Files, Effect::Reads, Need::DISK);
    const SAMPLE: &'static str = r#"{"path": "$file"}"#;
    const CONTRACT: Contract = Contract::FILES;
    const CALLS_PER_MINUTE: Option<u32> = Some(30);
    type Parameters = OpenFileParameters;
    type Response = Versioned<FilePreview>;

    fn call(context: &Context<'_>, parameters: OpenFileParameters) -> Result<Reply<Self::Response>> {
        let OpenFileParameters { path, pointer, before, after } = parameters;
        let request = file_search::OpenFile { path, pointer, before, after };
        Ok(reply(file_search::open_file(context.engine.host(), &context.session.settings().roots, &request)?))
    }

    fn finish(reply: Reply<Self::Response>, _: Form) -> Result<ToolOutput> {
        finish(reply)
    }
}
