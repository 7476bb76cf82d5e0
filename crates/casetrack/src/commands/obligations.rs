//! `casetrack obligations`

use casetrack_core::{Result, Timestamp};
use casetrack_engine::paging::Paging;
use casetrack_engine::search::MarkFilter;
use casetrack_engine::sheet;
use casetrack_engine::sheet::ObligationQuery;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::console::Console;
use crate::options::InCollection;

/// List who must do what by when, or write it as a calendar
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Obligations {
    #[command(flatten)]
    target: InCollection,
    /// Only those of this document (name or ID)
    #[arg(long, value_name = "NAME")]
    document: Option<String>,
    /// Only those of the party with this in its name
    #[arg(long, value_name = "NAME")]
    party: Option<String>,
    /// Earliest day: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    from: Option<String>,
    /// Latest day
    #[arg(long, value_name = "DATE")]
    to: Option<String>,
    /// Only those of documents with this tag; -TAG for those without it. May be repeated
    #[arg(long, value_name = "TAG", allow_hyphen_values = true)]
    tag: Vec<String>,
    /// Only those of documents with this field, such as custodian=Smith. May be repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    field: Vec<String>,
    /// Print those that have a day as a calendar (iCalendar)
    #[arg(long)]
    ics: bool,
}

impl Obligations {
    pub fn run(self, console: &Console) -> Result<u8> {
        let collection = self.target.find(&console.engine)?.id;
        let Self { document, party, from, to, tag, field, ics, .. } = self;
        let tags = tag.iter().map(|tag| MarkFilter::tag(tag));
        let marks = tags.chain(field.iter().map(|field| MarkFilter::field(field))).collect::<Result<_>>()?;
        let query = ObligationQuery { document, party, from, to, marks };
        let report = sheet::obligations(console.engine.host(), collection, &query, Paging::ALL)?;
        match ics {
            true => console.print_data(&report, |report| text::obligations::calendar(report, Timestamp::now())),
            false => console.print(&report, text::obligations::list),
        }
    }
}
