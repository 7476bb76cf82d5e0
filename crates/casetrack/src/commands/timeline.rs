//! `casetrack timeline`

use casetrack_core::Result;
use casetrack_engine::briefing::{MAX_EVENTS, TimelineQuery};
use casetrack_engine::paging::Paging;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// List the dates in the documents, in order, with what they refer to
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Timeline {
    #[command(flatten)]
    target: InCollection,
    /// Earliest date: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Latest date
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only dates in this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Only dates with these words in their role, such as "effective" or "payment"
    #[arg(long, value_name = "WORDS")]
    role: Option<String>,
    /// Most dates to show
    #[arg(long, value_name = "N", default_value_t = MAX_EVENTS, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Dates to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
}

impl Timeline {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let Self { from, to, document, role, limit, offset, .. } = self;
        let query = TimelineQuery { from, to, document, role };
        let timeline = console.engine.collection_timeline(collection, query, Paging { offset, limit })?;
        console.print(&timeline, |timeline| text::overview::timeline(timeline, offset))?;
        Ok(0)
    }
}
