//! `casetrack hidden`

use casetrack_core::Result;
use casetrack_engine::documents;
use casetrack_engine::paging::Paging;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// List the text that files hold but do not show: covered, white, invisible, hidden by format, rows, columns or sheets
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Hidden {
    /// Name or ID of a document; without it, all documents
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Passages to pass over
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: u32,
    /// Most passages to list
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

impl Hidden {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let paging = Paging { offset: self.offset, limit: self.limit };
        let list = documents::find_hidden_text(console.engine.host(), collection, self.document.as_deref(), paging)?;
        console.print(&list, |list| text::hidden::passages(list, Reader::CommandLine))
    }
}
