//! `casetrack tag`

use std::ffi::OsString;

use casetrack_core::{Error, Result};
use casetrack_engine::documents;
use casetrack_engine::marking::{MarkChanges, MarkSource, MarkTable};
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// Set your own tags and fields on documents
///
/// Searches take them as filters: tag:privileged, -tag:privileged, field:custodian=Smith. They stay when a document is ingested again,
/// renamed or moved. Give changes, or read tags with --csv or --from-folders.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Tag {
    /// Names or IDs of documents
    #[arg(value_name = "DOCUMENT", required_unless_present_any = ["csv", "from_folders"])]
    documents: Vec<String>,
    #[command(flatten)]
    target: InCollection,
    /// Add this tag; can be repeated
    #[arg(long, value_name = "TAG", requires = "documents")]
    add: Vec<String>,
    /// Remove this tag; can be repeated
    #[arg(long, value_name = "TAG", requires = "documents")]
    remove: Vec<String>,
    /// Set a field, such as custodian=Smith; can be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "documents")]
    set: Vec<String>,
    /// Clear the field with this name; can be repeated
    #[arg(long, value_name = "NAME", requires = "documents")]
    clear: Vec<String>,
    /// Read tags and fields from a CSV file. Its first line names the columns: the document (document, file or path), the tags (separated
    /// by semicolons); each other column is a field
    #[arg(long, value_name = "FILE", conflicts_with_all = ["documents", "from_folders"])]
    csv: Option<OsString>,
    /// Name of the column with the document, if it has another name
    #[arg(long, value_name = "NAME", requires = "csv")]
    column: Option<String>,
    /// Tag every document with the names of its folders, below the folder that all of them share
    #[arg(long, conflicts_with = "documents")]
    from_folders: bool,
}

impl Tag {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let report = if let Some(file) = &self.csv {
            let path = console.path(file);
            let csv = std::fs::read_to_string(&path).map_err(|error| Error::io(path.display(), error))?;
            documents::mark_from_table(console.host(), collection, &MarkTable { csv, document_column: self.column })?
        } else if self.from_folders {
            documents::mark_from_folders(console.host(), collection)?
        } else {
            let Self { add, remove, set, clear, .. } = self;
            let changes = MarkChanges { add_tags: add, remove_tags: remove, set_fields: set, clear_fields: clear };
            documents::mark_documents(console.host(), collection, &self.documents, &changes)?
        };
        console.print(&report, text::tags::report)
    }
}

/// The source of imported tags of documents.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct TagSource {
    /// Tag every document with the names of its folders, below the folder that is read
    #[arg(long)]
    pub tags_from_folders: bool,
    /// Set tags and fields from a CSV file, as `casetrack tag --csv` does
    #[arg(long, value_name = "FILE")]
    tags_csv: Option<OsString>,
}

impl TagSource {
    pub fn read(&self, console: &Console) -> Result<MarkSource> {
        let read = |file: &OsString| {
            let path = console.path(file);
            std::fs::read_to_string(&path).map_err(|error| Error::io(path.display(), error))
        };
        Ok(MarkSource { folders: self.tags_from_folders, csv: self.tags_csv.as_ref().map(read).transpose()? })
    }
}
