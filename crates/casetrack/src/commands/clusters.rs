//! `casetrack clusters`

use casetrack_core::{Feature, Result};
use casetrack_engine::briefing::ClusterStrategy;
use casetrack_text as text;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::InCollection;
use crate::owner::console::Console;

/// Group the documents by what they have in common
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Clusters {
    #[command(flatten)]
    target: InCollection,
    /// topical (similar content), entity (a shared person or organization), reference (a shared citation) or document_type
    #[arg(long, default_value = "topical", value_parser = crate::args::cluster_strategy, value_name = "STRATEGY")]
    by: ClusterStrategy,
    /// Largest number of groups
    #[arg(short = 'n', long, default_value_t = 10, value_name = "N")]
    max_clusters: u32,
}

impl Clusters {
    pub fn run(self, console: &Console) -> Result<u8> {
        console.engine.config().tier.check(Feature::DocumentClusters)?;
        let collection = self.target.find(&console.engine)?.id;
        let clusters = console.engine.document_clusters(collection, self.by, self.max_clusters)?;
        console.print(&clusters, text::overview::clusters)?;
        Ok(0)
    }
}
