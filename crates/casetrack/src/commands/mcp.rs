//! `casetrack mcp`

use std::net::SocketAddr;
use std::process::ExitCode;

use casetrack_core::Result;
use casetrack_mcp::settings::{self, Settings, Toolset};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::{self, Global};
use crate::owner::{http, relay};

/// Serve AI assistants over MCP on standard input and output, or over HTTP
#[derive(Debug, Args)]
pub struct Mcp {
    /// Start with this collection active
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
    /// Serve HTTP at this loopback address instead [without a value: 127.0.0.1:8310]; port 0 takes any free port. Clients must
    /// send the token in CASETRACK_TOKEN or, if that is not set, one that is generated and kept in a file
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "8310", value_parser = args::http_address)]
    http: Option<SocketAddr>,
    /// With --http: require no token, so that every program on this machine can connect
    #[arg(long, requires = "http")]
    no_token: bool,
    #[command(flatten)]
    offered: Offered,
}

/// Which tools assistants see. Options that are not given are taken from `config.toml` in the data directory.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct Offered {
    /// Offer only these sets of tools, separated by commas: core (always offered), ingest, graph, watch, all [default: core,
    /// ingest]
    #[arg(long, value_delimiter = ',', value_name = "SETS", value_parser = args::toolset)]
    toolsets: Option<Vec<Toolset>>,
    /// Offer only tools that change nothing
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    read_only: Option<bool>,
}

impl Offered {
    pub fn apply(&self, settings: &mut Settings) {
        if let Some(toolsets) = &self.toolsets {
            settings.toolsets = Some(toolsets.clone());
        }
        settings.read_only = self.read_only.unwrap_or(settings.read_only);
    }
}

impl Mcp {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        let data_dir = global.data_dir()?;
        // Report mistakes in the settings before anything is started.
        if global.settings()?.access(&data_dir)?.allows_any_root() {
            tracing::warn!(
                "assistants may have any file read that you can read, but for keys and credentials; allowed_roots in {} limits that",
                data_dir.join(settings::FILE).display()
            );
        }
        match self.http {
            Some(address) => http::run(global, self.offered, self.collection, address, self.no_token),
            None => relay::run(global, self.offered, self.collection),
        }
    }
}
