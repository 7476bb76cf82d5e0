//! `casetrack mcp`

#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use casetrack_core::{Result, settings};
use clap::Args;

#[cfg(feature = "serve")]
use super::http;
use super::relay;
use super::wire::SessionOptions;
#[cfg(feature = "serve")]
use crate::options::http_address;
use crate::options::{Global, ToolOptions, absolute, access};

/// Serve AI assistants over MCP on standard input and output, or over HTTP
#[derive(Debug, Args)]
pub struct Mcp {
    /// Start with this collection active
    #[arg(short, long, value_name = "NAME")]
    collection: Option<String>,
    /// Serve HTTP at this loopback address instead [without a value: 127.0.0.1:8310]; port 0 takes any free port. Clients must
    /// send the token in CASETRACK_TOKEN or, if that is not set, one that is generated and kept in a file
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, default_missing_value = "8310", value_parser = http_address)]
    http: Option<SocketAddr>,
    /// With --http: require no token, so that every program on this machine can connect
    #[cfg(feature = "serve")]
    #[arg(long, requires = "http")]
    no_token: bool,
    #[command(flatten)]
    offered: ToolOptions,
    /// Like --root, for several folders in a row, as MCP bundles write them
    #[arg(long = "roots", value_name = "DIR", num_args = 1.., hide = true, value_parser = absolute)]
    more_roots: Vec<PathBuf>,
}

impl Mcp {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        let data_dir = global.data_dir()?;
        // Report mistakes in the settings before anything is started.
        if access(&global.settings()?, &data_dir)?.allows_any_root() {
            tracing::warn!(
                "assistants can read every file that you can read, except keys and credentials; allowed_roots in {} \
                 limits this",
                data_dir.join(settings::FILE).display()
            );
        }
        let mut offered = self.offered;
        offered.add_roots(self.more_roots);
        let options = SessionOptions { global, offered, collection: self.collection, active: None };
        #[cfg(feature = "serve")]
        if let Some(address) = self.http {
            return http::run(options, address, self.no_token);
        }
        relay::run(options)
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
        assert_eq!(options.mcp.more_roots, ["/a b", "/c"].map(|root| std::path::absolute(root).unwrap()));
    }
}
