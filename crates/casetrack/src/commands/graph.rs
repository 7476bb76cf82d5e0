//! `casetrack graph`

use casetrack_core::{Feature, Result};
use casetrack_engine::briefing::{to_dot, to_graphml};
use casetrack_text as text;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Show which entities are mentioned together, as text or as a graph file
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Graph {
    /// Entity in the middle [default: the entities with the most links]
    name: Option<String>,
    #[command(flatten)]
    target: InCollection,
    /// Steps from the entity in the middle (1-4)
    #[arg(long, default_value_t = 2, value_name = "N")]
    depth: u32,
    /// Largest number of entities
    #[arg(short = 'k', long, default_value_t = 20, value_name = "N")]
    top_k: u32,
    /// text, dot (for Graphviz) or graphml (for Gephi, yEd and others); --json gives JSON
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum, Serialize, Deserialize)]
enum Format {
    Text,
    Dot,
    Graphml,
}

impl Graph {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        engine.config().tier.check(Feature::EntityGraph)?;
        let collection = self.target.find(engine)?.id;
        let network = engine.entity_graph(collection, self.name.as_deref(), self.depth, self.top_k)?;
        console.print(&network, |network| match self.format {
            Format::Text => text::entities::network(network),
            Format::Dot => to_dot(&network.graph),
            Format::Graphml => to_graphml(&network.graph),
        })?;
        Ok(0)
    }
}
