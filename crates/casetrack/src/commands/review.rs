//! Commands that review the documents of a collection: `casetrack bates`, `changes`, `hidden`, `redline`, `versions`, `threads`,
//! `obligations` and `search-terms`

use casetrack_core::{Error, ErrorCode, Result, Timestamp};
use casetrack_engine::paging::Paging;
use casetrack_engine::search::{Filters, MarkFilter, WrittenFilters};
use casetrack_engine::sheet::ObligationQuery;
use casetrack_engine::terms::TermsRequest;
use casetrack_engine::threads::ThreadQuery;
use casetrack_engine::versions::{USUAL_SIMILARITY, VersionQuery};
use casetrack_engine::{collections, documents, search, sheet, threads, versions};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// List the Bates numbers of documents, and which are missing or on several pages
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Bates {
    #[command(flatten)]
    target: InCollection,
    /// Only those of this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
}

impl Bates {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let report = documents::bates_numbers(console.host(), collection, self.document.as_deref(), Paging::ALL)?;
        console.print(&report, |report| text::bates::list(report, Reader::CommandLine))
    }
}

/// List the tracked changes of a document: insertions, deletions and moves, by whom and when
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Changes {
    /// Name or ID of a document
    document: String,
    #[command(flatten)]
    target: InCollection,
    /// Skip this many changes
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: u32,
    /// Most changes to list
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl Changes {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let paging = Paging { offset: self.offset, limit: self.limit };
        let list = documents::list_changes(console.host(), collection, &self.document, paging)?;
        console.print(&list, |list| text::tracked_changes::changes(list, Reader::CommandLine))
    }
}

/// List the text that files hold but do not show: covered, white, invisible, hidden by format, rows, columns or sheets
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Hidden {
    /// Name or ID of a document; without it, all documents
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Skip this many passages
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: u32,
    /// Most passages to list
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl Hidden {
    pub fn run(self, console: &Console) -> Result<u8> {
        let paging = Paging { offset: self.offset, limit: self.limit };
        let document = self.document.as_deref();
        let listed = self
            .target
            .find(&console.engine)
            .and_then(|collection| documents::find_hidden_text(console.host(), collection.id, document, paging));
        let list = listed.map_err(|error| collection_meant(error, console, "hidden", document))?;
        console.print(&list, |list| text::hidden_text::passages(list, Reader::CommandLine))
    }
}

/// Compare a version of a document with an older one, paragraph by paragraph
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Redline {
    /// Name or ID of the older version
    old_document: String,
    /// Name or ID of the newer version
    new_document: String,
    #[command(flatten)]
    target: InCollection,
    /// Most changes
    #[arg(long, value_name = "N", default_value_t = u32::MAX, hide_default_value = true)]
    limit: u32,
    /// Skip this many changes
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Redline {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { old_document, new_document, target, limit, offset } = self;
        let collection = target.find(&console.engine)?.id;
        let redline =
            versions::redline(console.host(), collection, [&old_document, &new_document], Paging { offset, limit })?;
        console.print(&redline, |redline| text::redline::redline(redline, offset, Reader::CommandLine))
    }
}

/// List groups of documents that are versions or near-duplicates of one another
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Versions {
    #[command(flatten)]
    target: InCollection,
    /// Only the group of this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Least share of three-word sequences in common (0.1–1)
    #[arg(long, value_name = "SHARE", default_value_t = USUAL_SIMILARITY)]
    min_similarity: f64,
    /// Most groups
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Skip this many groups
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Versions {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { target, document, min_similarity, limit, offset } = self;
        let collection = target.find(&console.engine)?.id;
        let query = VersionQuery { document, min_similarity };
        let report = versions::versions(console.host(), collection, &query, Paging { offset, limit })?;
        console.print(&report, |report| text::versions::list(report, offset, Reader::CommandLine))
    }
}

/// List e-mail threads: who answers whom, and which messages are missing
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Threads {
    /// Only the thread of this message or attachment (name or ID)
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Most threads
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Skip this many threads
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Threads {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { document, target, limit, offset } = self;
        let query = ThreadQuery { document };
        let listed = target
            .find(&console.engine)
            .and_then(|collection| threads::threads(console.host(), collection.id, &query, Paging { offset, limit }));
        let report = listed.map_err(|error| collection_meant(error, console, "threads", query.document.as_deref()))?;
        console.print(&report, |report| text::threads::list(report, offset, Reader::CommandLine))
    }
}

/// The error about a document that there is not, with another hint if a collection has its name.
fn collection_meant(error: Error, console: &Console, command: &str, document: Option<&str>) -> Error {
    let is_missing = matches!(error.code, ErrorCode::NotFound | ErrorCode::NoCollectionActive);
    let name = document.filter(|name| is_missing && collections::find_collection(console.host(), name).is_ok());
    match name {
        Some(name) => error.with_hint(format!("\"{name}\" is a collection: `casetrack {command} -c \"{name}\"`.")),
        None => error,
    }
}

/// List obligations: who must do what by when; or write them as a calendar
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Obligations {
    #[command(flatten)]
    target: InCollection,
    /// Only those of this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Only those of the party with this in its name
    #[arg(long, value_name = "NAME")]
    party: Option<String>,
    /// Earliest day: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Latest day
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only those of documents with this tag; -TAG for those without it. May be repeated
    #[arg(long, value_name = "TAG", allow_hyphen_values = true)]
    tag: Vec<String>,
    /// Only those of documents with this field, such as custodian=Smith. May be repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    field: Vec<String>,
    /// Print those that have a day as a calendar (iCalendar)
    #[arg(long)]
    ics: bool,
}

impl Obligations {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let Self { document, party, from, to, tag, field, ics, .. } = self;
        let tags = tag.iter().map(|tag| MarkFilter::tag(tag));
        let marks = tags.chain(field.iter().map(|field| MarkFilter::field(field))).collect::<Result<_>>()?;
        let query = ObligationQuery { document, party, from, to, marks };
        let report = sheet::obligations(console.host(), collection, &query, Paging::ALL)?;
        match ics {
            true => console.print_data(&report, |report| text::obligations::calendar(report, Timestamp::now())),
            false => console.print(&report, text::obligations::list),
        }
    }
}

/// Count the passages of each document that have each of a list of terms
///
/// A term is a word, a phrase, or an expression with AND, OR, NOT, parentheses, terminat* and w/10. Words side by side are a phrase.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct SearchTerms {
    /// The terms, or a text file with one term on each line
    #[arg(required = true, value_name = "FILE|TERM")]
    terms: Vec<String>,
    #[command(flatten)]
    target: InCollection,
    /// Search only the document with this name or ID
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Search only documents of this type (contract, invoice, …) or file format (pdf, …); can be repeated
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Search only files whose path matches, such as 'contracts/**/*.pdf'; can be repeated
    #[arg(long = "path", value_name = "GLOB")]
    paths: Vec<String>,
    /// Search only documents with this tag of yours, or without it (--tag=-privileged); can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Search only documents whose field of yours has this value, such as custodian=Smith; can be repeated
    #[arg(long = "field", value_name = "NAME=VALUE")]
    fields: Vec<String>,
    /// Print a table with a line for each document and a column for each term
    #[arg(long)]
    csv: bool,
}

impl SearchTerms {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let Self { kinds, paths, tags, fields, .. } = self;
        let written = WrittenFilters { kinds, paths, tags, fields, ..WrittenFilters::default() };
        let mut terms = self.terms;
        if let [only] = terms.as_slice()
            && console.path(only).is_file()
        {
            let path = console.path(only);
            let file = std::fs::read_to_string(&path).map_err(|error| Error::io(path.display(), error))?;
            terms = file.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect();
        }
        let request = TermsRequest { terms, document: self.document, filters: Filters::try_from(written)? };
        let report = search::search_terms(console.host(), collection, &request, Paging::ALL)?;
        match self.csv {
            true => console.print_data(&report, text::terms::csv),
            false => console.print(&report, |report| text::terms::report(report, Reader::CommandLine)),
        }
    }
}
