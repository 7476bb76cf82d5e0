//! `casetrack evidence`

use std::ffi::OsString;
use std::path::Path;

use casetrack_core::{Error, Result};
use casetrack_engine::evidence;
use casetrack_engine::evidence::{AddEvidence, EvidenceFormat, UpdateEvidence};
use casetrack_engine::paging::Paging;
use casetrack_text as text;
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::last_search::LastSearch;
use crate::console::Console;
use crate::options::InCollection;

/// Collect passages as evidence, with notes and exhibit numbers, and export them
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Evidence {
    #[command(subcommand)]
    action: EvidenceAction,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
enum EvidenceAction {
    /// List the evidence in order, and check whether its sources still have the same words
    List {
        #[command(flatten)]
        target: InCollection,
    },
    Add(Add),
    /// Change the note, the exhibit number or the place of a passage
    Update {
        /// Its ID in the list
        id: u32,
        /// New note; "" removes the note
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        /// New exhibit number; "" removes the number
        #[arg(long, value_name = "NUMBER")]
        exhibit: Option<String>,
        /// New place in the order, from 1
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        position: Option<u32>,
        #[command(flatten)]
        target: InCollection,
    },
    /// Remove a passage
    Remove {
        /// Its ID in the list
        id: u32,
        #[command(flatten)]
        target: InCollection,
    },
    Export(Export),
}

/// Collect a passage, or words of a page
#[derive(Debug, Args, Serialize, Deserialize)]
struct Add {
    /// Number of a result of the last search, ID of a passage, or, with --page, name or ID of a document
    #[arg(value_name = "RESULT|PASSAGE|DOCUMENT")]
    source: String,
    /// Page of the document
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
    /// Words of that page, or of the passage's, word for word [default: the whole passage]
    #[arg(long, value_name = "TEXT")]
    quote: Option<String>,
    /// Your note on it
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// Number or letter of the exhibit
    #[arg(long, value_name = "NUMBER", default_value = "")]
    exhibit: String,
    #[command(flatten)]
    target: InCollection,
}

/// Write the evidence to a file: .docx, .pdf, .md or .csv
#[derive(Debug, Args, Serialize, Deserialize)]
struct Export {
    /// The new file; its ending selects the format
    file: OsString,
    /// Leave out the images of pages (docx, pdf)
    #[arg(long)]
    no_pictures: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    target: InCollection,
}

impl Evidence {
    pub fn run(self, console: &Console) -> Result<u8> {
        match self.action {
            EvidenceAction::List { target } => {
                let collection = target.find(&console.engine)?.id;
                let list = evidence::list_evidence(console.host(), collection, Paging::ALL)?;
                console.print(&list, text::evidence::list)
            }
            EvidenceAction::Add(command) => command.run(console),
            EvidenceAction::Update { id, note, exhibit, position, target } => {
                let request = UpdateEvidence { id, note, exhibit, position, remove: false };
                let collection = target.find(&console.engine)?.id;
                console.print(&evidence::update_evidence(console.host(), collection, request)?, text::evidence::updated)
            }
            EvidenceAction::Remove { id, target } => {
                let request = UpdateEvidence { id, remove: true, ..UpdateEvidence::default() };
                let collection = target.find(&console.engine)?.id;
                console.print(&evidence::update_evidence(console.host(), collection, request)?, text::evidence::removed)
            }
            EvidenceAction::Export(command) => command.run(console),
        }
    }

    /// Adding and removing twice is not the same as once.
    pub fn may_be_repeated(&self) -> bool {
        matches!(self.action, EvidenceAction::List { .. } | EvidenceAction::Update { .. })
    }
}

impl Add {
    fn run(self, console: &Console) -> Result<u8> {
        let Self { source, page, quote, note, exhibit, target } = self;
        // Pages are of documents; a chunk has its own.
        let (collection, chunk_id, document) = match page {
            Some(_) => (target.find(&console.engine)?.id, None, Some(source)),
            None => match LastSearch::chunk(&console.engine, &source)? {
                Some((collection, chunk, _)) => (collection, Some(chunk.to_string()), None),
                None => (target.find(&console.engine)?.id, Some(source), None),
            },
        };
        let request = AddEvidence { chunk_id, document, page, quote, chars: None, note, exhibit };
        console.print(&evidence::add_evidence(console.host(), collection, request)?, text::evidence::added)
    }
}

impl Export {
    fn run(self, console: &Console) -> Result<u8> {
        let file = console.path(&self.file);
        let format = Path::new(&self.file).extension().and_then(|extension| extension.to_str());
        let format = format.and_then(EvidenceFormat::of_extension).ok_or_else(|| {
            Error::invalid(format!("{} has no ending that selects a format.", file.display()))
                .with_hint("End the name in .docx, .pdf, .md or .csv.")
        })?;
        if !self.force && file.exists() {
            let message = format!("{} exists already.", file.display());
            return Err(Error::new(casetrack_core::ErrorCode::AlreadyExists, message)
                .with_hint("Choose another name, or replace it with --force."));
        }
        let collection = self.target.find(&console.engine)?.id;
        let exported =
            casetrack_export::evidence(&console.engine, collection, format, !self.no_pictures, &console.cancel)?;
        console.write(&file, &exported.bytes)?;
        let written = json!({
            "file": file.display().to_string(),
            "items": exported.items,
            "pictures": exported.pictures,
            "notices": exported.notices,
        });
        console.print(&written, |_| {
            let items = text::format::counted(exported.items, "passage");
            let mut said = format!("Wrote {items} to {}\n", text::format::one_line(&file.display().to_string()));
            text::format::push_notices(&mut said, &exported.notices);
            said.trim_end().to_owned()
        })
    }
}
