//! `casetrack entities`

use casetrack_core::{EntityType, Result};
use casetrack_engine::briefing::EntitySort;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// List people, organizations, dates, amounts, places and concepts, or show where one is mentioned
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Entities {
    /// Show where the entity with this name is mentioned
    name: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// List only one type: person, organization, date, amount, location or concept
    #[arg(long = "type", value_parser = crate::args::entity_type, value_name = "TYPE")]
    entity_type: Option<EntityType>,
    /// List only entities that this document (name or ID) mentions
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    document: Option<String>,
    /// Number of entities or passages
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    top_k: u32,
}

impl Entities {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let collection = self.target.find(engine)?.id;
        match &self.name {
            Some(name) => {
                let mentions = engine.entity_mentions(collection, name, self.entity_type, self.top_k)?;
                console.print(&mentions, text::entities::mentions)?;
            }
            None => {
                let (document, sort_by) = (self.document.as_deref(), EntitySort::default());
                let list = engine.list_entities(collection, self.entity_type, document, sort_by, self.top_k)?;
                console.print(&list, text::entities::list)?;
            }
        }
        Ok(0)
    }
}
