//! `casetrack collections`

use casetrack_core::{CollectionStatus, Result};
use casetrack_engine::collections::CollectionSummary;
use casetrack_text::Reader;
use casetrack_text::format::counted;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::owner::console::Console;

/// List the collections
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Collections {
    /// Archived ones, too
    #[arg(long)]
    all: bool,
}

impl Collections {
    pub fn run(self, console: &Console) -> Result<u8> {
        let mut collections = console.engine.list_collections(None)?;
        collections.retain(|summary| self.all || summary.meta.status != CollectionStatus::Archived);
        console.print(&collections, |collections| describe(collections))?;
        Ok(0)
    }
}

fn describe(collections: &[CollectionSummary]) -> String {
    if collections.is_empty() {
        return "There are no collections yet.\n\nNext: casetrack new NAME".to_owned();
    }
    let line = |summary: &CollectionSummary| {
        let counts = match (&summary.problem, summary.documents, summary.chunks) {
            (None, Some(documents), Some(chunks)) => {
                format!("{}, {}", counted(documents, "document"), counted(chunks, "chunk"))
            }
            (problem, ..) => problem.as_ref().map(|problem| Reader::CommandLine.hint(problem)).unwrap_or_default(),
        };
        let reference = summary.meta.reference.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
        let state = match summary.meta.status {
            CollectionStatus::Active => "",
            CollectionStatus::Closed => "closed, ",
            CollectionStatus::Archived => "archived, ",
        };
        format!("{}  {}{reference}  ({state}{counts})\n", summary.meta.id.short(), summary.meta.name)
    };
    collections.iter().map(line).collect()
}
