//! `casetrack changes`

use casetrack_core::Result;
use casetrack_engine::documents;
use casetrack_engine::paging::Paging;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// List the tracked changes of a document: what was inserted, deleted and moved, by whom and when
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Changes {
    /// Name or ID of a document
    document: String,
    #[command(flatten)]
    target: InCollection,
    /// Changes to pass over
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
        let list = documents::list_changes(console.engine.host(), collection, &self.document, paging)?;
        console.print(&list, |list| text::tracked::changes(list, Reader::CommandLine))
    }
}
