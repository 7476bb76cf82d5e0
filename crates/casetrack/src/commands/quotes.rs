//! `casetrack verify-quote` and `verify-quotes`

use std::io::Read;

use casetrack_core::{Error, Result};
use casetrack_engine::paging::Paging;
use casetrack_engine::quotes;
use casetrack_engine::quotes::{QuoteRequest, QuoteStatus};
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// The exit status of a check.
fn status(is_right: bool) -> u8 {
    if is_right { 0 } else { 3 }
}

/// Check whether a quotation is in the documents, word for word
///
/// Ellipses ("…", "[…]") and alterations in brackets ("[T]he") are taken into account. If no passage is exact, shows the nearest one and
/// each word that differs. The exit status is 3 if the quotation differs or is not found.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct VerifyQuote {
    /// The quotation
    #[arg(allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    target: InCollection,
    /// Look only in the document with this name or ID
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Show at most this many places
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: u32,
    /// Skip this many places
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl VerifyQuote {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let paging = Paging { offset: self.offset, limit: self.limit };
        let request = QuoteRequest { text: self.text, document: self.document, paging };
        let check = quotes::verify_quote(console.host(), collection, &request)?;
        console.print(&check, |check| text::quotes::quotation(check, Reader::CommandLine))?;
        Ok(status(check.status == QuoteStatus::Exact))
    }
}

/// Check every quotation of a draft, and its citation
///
/// Finds text in quotation marks of at least three words (two with a number), block quotations, and citations of documents. Shows one row
/// for each, in the order of the draft. The exit status is 3 if a quotation differs or is not found, or if a citation does not fit.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct VerifyQuotes {
    /// A file of plain text or Markdown, or - for standard input
    #[arg(value_name = "FILE", value_parser = read_draft)]
    draft: Draft,
    #[command(flatten)]
    target: InCollection,
    /// Show at most this many quotations
    #[arg(long, value_name = "N", default_value_t = 500)]
    limit: u32,
    /// Skip this many quotations
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

/// The text of a draft. The client reads it, because the owner does not have the client's standard input.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Draft(String);

pub(super) fn read_draft(file: &str) -> Result<Draft> {
    let mut bytes = Vec::new();
    match file {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Error::io("standard input", error))?,
        _ => std::fs::File::open(file)
            .and_then(|mut open| open.read_to_end(&mut bytes))
            .map_err(|error| Error::io(file, error))?,
    };
    let text = String::from_utf8(bytes).map_err(|_| Error::invalid(format!("{file} is not a text in UTF-8.")))?;
    Ok(Draft(text))
}

impl Draft {
    /// The parts between empty lines.
    pub fn paragraphs(&self) -> Vec<String> {
        let mut paragraphs = vec![String::new()];
        for line in self.0.lines().map(str::trim) {
            match paragraphs.last_mut() {
                Some(last) if !line.is_empty() => *last = format!("{last} {line}").trim_start().to_owned(),
                Some(last) if !last.is_empty() => paragraphs.push(String::new()),
                _ => {}
            }
        }
        paragraphs.retain(|paragraph| !paragraph.is_empty());
        paragraphs
    }
}

impl VerifyQuotes {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let paging = Paging { offset: self.offset, limit: self.limit };
        let check = quotes::verify_quotes(console.host(), collection, &self.draft.0, paging)?;
        console.print(&check, |check| text::quotes::draft(check, Reader::CommandLine))?;
        let counts = check.counts;
        Ok(status(counts.differ + counts.not_found + counts.citations_that_do_not_fit == 0))
    }
}
