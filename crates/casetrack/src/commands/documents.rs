//! `casetrack documents`

use casetrack_core::Result;
use casetrack_engine::documents::DocumentSort;
use casetrack_text::{self as text, Reader};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// List the documents of a collection
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Documents {
    #[command(flatten)]
    target: InCollection,
    /// Sort order
    #[arg(long, value_enum, default_value_t = Sort::Name)]
    sort: Sort,
}

#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
enum Sort {
    Name,
    Date,
    Pages,
    Type,
}

impl Documents {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?;
        let sort = match self.sort {
            Sort::Name => DocumentSort::Name,
            Sort::Date => DocumentSort::Date,
            Sort::Pages => DocumentSort::Pages,
            Sort::Type => DocumentSort::Type,
        };
        let documents = engine.list_documents(collection.id, sort)?;
        console
            .print(&documents, |documents| text::documents::list(&collection.name, documents, Reader::CommandLine))?;
        Ok(0)
    }
}
