//! `casetrack-lab bench`

mod embed;
mod extract;
mod search;

use casetrack_core::Result;

use crate::settings::Settings;

/// Measure the speed of this machine on your own documents
#[derive(Debug, clap::Subcommand)]
pub enum Bench {
    Search(search::SearchBench),
    Embed(embed::EmbedBench),
    Extract(extract::ExtractBench),
}

impl Bench {
    pub fn run(self, settings: &Settings) -> Result<()> {
        match self {
            Self::Search(bench) => bench.run(settings),
            Self::Embed(bench) => bench.run(settings),
            Self::Extract(bench) => bench.run(settings),
        }
    }
}
