//! `casetrack sheet`

use std::ffi::OsString;

use casetrack_core::Result;
use casetrack_engine::paging::Paging;
use casetrack_engine::sheet;
use casetrack_engine::sheet::{ColumnType, DefineColumn, SheetRequest};
use casetrack_text::format::counted;
use casetrack_text::{self as text};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::quotes::{Draft, read_draft};
use crate::console::Console;
use crate::options::{InCollection, named};

/// Compare the contracts of a collection in a table: parties, dates, term, law, notice, each with its citation
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Sheet {
    /// Name, ID or reference of the collection, as with -c
    #[arg(value_name = "COLLECTION")]
    named: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Columns to show, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    columns: Vec<String>,
    /// Show only the document with this name or ID. May be repeated
    #[arg(long = "document", value_name = "NAME")]
    documents: Vec<String>,
    /// A condition on the rows: governing_law=Delaware, expiry<2025, amounts>USD 1000000, venue (found), !venue (not found),
    /// tag:privileged, field:custodian=Smith. May be repeated
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    filter: Vec<String>,
    /// Column to sort by; -NAME for the opposite order [default: name of the document]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Print comma-separated values
    #[arg(long, conflicts_with_all = ["md", "xlsx"])]
    csv: bool,
    /// Print a table in Markdown
    #[arg(long, conflicts_with = "xlsx")]
    md: bool,
    /// Write a workbook for spreadsheet programs to this file
    #[arg(long, value_name = "FILE")]
    xlsx: Option<OsString>,
    /// Add a column of your own with this name, by --question, --pattern or --examples, or replace it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["columns", "documents", "filter", "sort", "csv", "md", "xlsx"])]
    define: Option<String>,
    /// With --define: the cell is the sentence of each document that answers this question
    #[arg(long, requires = "define", conflicts_with_all = ["pattern", "examples"])]
    question: Option<String>,
    /// With --define: the cell is the first match of this regular expression, or what its first group matches
    #[arg(long, value_name = "REGEX", requires = "define", allow_hyphen_values = true)]
    pattern: Option<String>,
    /// With --define: the cell is the clause that is most like those in this file of plain text, at least five with empty lines between them
    #[arg(long, value_name = "FILE", requires = "define", conflicts_with = "pattern", value_parser = read_draft)]
    examples: Option<Draft>,
    /// With --define: type of the values, text, date, duration or amount; others are left out
    #[arg(long = "type", value_name = "TYPE", requires = "define", default_value = "text", value_parser = named::<ColumnType>)]
    column_type: ColumnType,
    /// Remove the column of your own with this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["define", "columns", "documents", "filter", "sort", "csv", "md", "xlsx"])]
    remove: Option<String>,
}

impl Sheet {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { named, target, columns, documents, filter, sort, csv, md, xlsx, .. } = self;
        // A collection that is named as an argument takes precedence over the environment variable.
        let target = InCollection { collection: named.or(target.collection) };
        let collection = target.find(&console.engine)?;
        if let Some(name) = self.define {
            let (question, pattern, column_type) = (self.question, self.pattern, self.column_type);
            let examples = self.examples.as_ref().map(Draft::paragraphs).unwrap_or_default();
            let definition = DefineColumn { name, question, pattern, examples, column_type };
            let columns = sheet::define_column(console.host(), collection.id, definition)?;
            return console.print(&columns, |columns| text::sheet::columns(columns));
        }
        if let Some(name) = &self.remove {
            let columns = sheet::remove_column(console.host(), collection.id, name)?;
            return console.print(&columns, |columns| text::sheet::columns(columns));
        }
        let request = SheetRequest { documents, columns, filter, sort };
        let sheet = sheet::matter_sheet(console.host(), collection.id, &request, Paging::ALL)?;
        let Some(file) = xlsx else {
            return match (csv, md) {
                (true, _) => console.print_data(&sheet, text::sheet::csv),
                (_, true) => console.print_data(&sheet, text::sheet::markdown),
                _ => {
                    let width = console.global.look.map(|look| look.columns);
                    console.print(&sheet, |sheet| text::sheet::for_people(sheet, width))
                }
            };
        };
        let file = console.path(&file);
        console.write(&file, &casetrack_export::xlsx::of(&sheet)?)?;
        let written = json!({"file": file.display().to_string(), "rows": sheet.rows.len()});
        console.print(&written, |_| {
            let rows = counted(sheet.rows.len() as u64, "row");
            format!("Wrote {rows} to {}", text::format::one_line(&file.display().to_string()))
        })
    }
}
