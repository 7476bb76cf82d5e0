//! `casetrack documents`

use std::process::ExitCode;

use casetrack_core::Result;
use casetrack_engine::documents::DocumentSort;
use casetrack_mcp::text;
use clap::{Args, ValueEnum};

use crate::args::{Global, InCollection};
use crate::output;

/// List the documents of a collection
#[derive(Debug, Args)]
pub struct Documents {
    #[command(flatten)]
    target: InCollection,
    /// Order
    #[arg(long, value_enum, default_value_t = Sort::Name)]
    sort: Sort,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    Name,
    Date,
    Pages,
    Type,
}

impl Documents {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let engine = global.engine()?;
        let collection = engine.find_collection(&self.target.collection)?;
        let sort = match self.sort {
            Sort::Name => DocumentSort::Name,
            Sort::Date => DocumentSort::Date,
            Sort::Pages => DocumentSort::Pages,
            Sort::Type => DocumentSort::Type,
        };
        let documents = engine.list_documents(collection.id, sort)?;
        output::print(&documents, global.json, |documents| text::documents::list(&collection.name, documents))?;
        Ok(ExitCode::SUCCESS)
    }
}
