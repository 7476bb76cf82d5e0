//! `casetrack search-terms`

use casetrack_core::{Error, Result};
use casetrack_engine::paging::Paging;
use casetrack_engine::search;
use casetrack_engine::search::{Filters, WrittenFilters};
use casetrack_engine::terms::TermsRequest;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// Count which documents have which of a list of terms
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
        let report = search::search_terms(console.engine.host(), collection, &request, Paging::ALL)?;
        match self.csv {
            true => console.print_data(&report, text::terms::csv),
            false => console.print(&report, |report| text::terms::report(report, Reader::CommandLine)),
        }
    }
}
