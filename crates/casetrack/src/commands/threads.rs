//! `casetrack threads`

use casetrack_core::Result;
use casetrack_engine::paging::Paging;
use casetrack_engine::threads;
use casetrack_engine::threads::ThreadQuery;
use casetrack_text::{self as text, Reader};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// List conversations by e-mail: who answers whom, and which messages are missing
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Threads {
    /// Only the thread of this message, or of the message that this document is attached to (name or ID)
    document: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Most threads
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Skip this many threads
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Threads {
    pub fn run(self, console: &Console) -> Result<u8> {
        let Self { document, target, limit, offset } = self;
        let collection = target.find(&console.engine)?.id;
        let report =
            threads::threads(console.engine.host(), collection, &ThreadQuery { document }, Paging { offset, limit })?;
        console.print(&report, |report| text::threads::list(report, offset, Reader::CommandLine))
    }
}
