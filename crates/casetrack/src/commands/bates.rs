//! `casetrack bates`

use casetrack_core::Result;
use casetrack_engine::documents;
use casetrack_engine::paging::Paging;
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
        let report =
            documents::bates_numbers(console.engine.host(), collection, self.document.as_deref(), Paging::ALL)?;
        console.print(&report, |report| text::bates::list(report, Reader::CommandLine))
    }
}
