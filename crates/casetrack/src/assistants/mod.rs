//! The assistants that can use CaseTrack: the path of each configuration, adding and removing the server, and a check that it starts.

mod change;
mod check;
mod clients;
mod config_paths;
#[cfg(test)]
mod configurations;
mod document;
mod file;
mod remote;
mod server;
mod text;

pub use change::{Change, Plan, entry};
pub use check::{ServerCheck, check};
pub use clients::Client;
pub use config_paths::ConfigPaths;
pub use remote::{Remote, Token};
pub use server::{Entry, Server};
