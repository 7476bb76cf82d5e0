//! `casetrack mcp`

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use casetrack_core::Result;
use casetrack_mcp::settings;
use clap::Args;

use super::wire::SessionOptions;
use super::{http, relay};
use crate::options::{Global, ToolOptions, absolute, http_address};

/// Serve AI assistants over MCP on standard input and output, or over HTTP
#[derive(Debug, Args)]
pub struct Mcp {
    /// Start with this collection active
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
    /// Serve HTTP at this loopback address instead [without a value: 127.0.0.1:8310]; port 0 takes any free port. Clients must
    /// send the token in CASETRACK_TOKEN or, if that is not set, one that is generated and kept in a file
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "8310", value_parser = http_address)]
    http: Option<SocketAddr>,
    /// With --http: require no token, so that every program on this machine can connect
    #[arg(long, requires = "http")]
    no_token: bool,
    #[command(flatten)]
    offered: ToolOptions,
    /// As --root, for several folders one after the other, as MCP bundles write them
    #[arg(long = "roots", value_name = "DIR", num_args = 1.., hide = true, value_parser = absolute)]
    more_roots: Vec<PathBuf>,
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
        let Self { collection, http, no_token, mut offered, more_roots } = self;
        offered.add_roots(more_roots);
        let options = SessionOptions { global, offered, collection, active: None };
        match http {
            Some(address) => http::run(options, address, no_token),
            None => relay::run(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_may_follow_each_other_as_bundles_write_them() {
        #[derive(clap::Parser)]
        struct Options {
            #[command(flatten)]
            mcp: Mcp,
        }
        let line = ["casetrack", "--read-only=true", "--roots", "/a b", "/c"];
        let options: Options = clap::Parser::parse_from(line);
        assert_eq!(options.mcp.more_roots, [PathBuf::from("/a b"), PathBuf::from("/c")]);
    }
}
