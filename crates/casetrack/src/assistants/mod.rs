//! The assistants that can use CaseTrack: where each keeps its configuration, how the server is put into it and taken out again, and
//! whether it starts from there.

mod change;
mod check;
mod clients;
#[cfg(test)]
mod configurations;
mod document;
mod file;
mod places;
mod remote;
mod server;
mod text;

pub use change::{Change, Plan, entry};
pub use check::{Checked, check};
pub use clients::Client;
pub use places::Places;
pub use remote::{Remote, Token};
pub use server::{Entry, Server};
