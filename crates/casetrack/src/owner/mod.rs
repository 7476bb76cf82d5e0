//! One process owns a data directory (invariant 8); every command and every assistant goes through it.
//!
//! The *owner* is a background process, `casetrack owner`. The first client that finds no owner starts one, and it exits when it
//! has had no client for a while. It holds the lock of the data directory and the only [`Engine`](casetrack_engine::Engine) on it,
//! and listens on a local socket that only the same user can reach. A *client* is any other `casetrack` process: a command sends
//! its parsed arguments and prints the answer; `casetrack mcp` passes lines between its standard streams and a session in the
//! owner.
//!
//! The owner is a background process, rather than the first client serving the others. So a client that exits, however suddenly, does not
//! disturb the work of another; models stay loaded from one command to the next; and nothing has to be handed
//! over while it is in use. If the owner itself is killed, its clients start a new one and continue: [`relay`] replays the
//! session, and [`client`] repeats commands that are safe to repeat.
//!
//! | file in `<data directory>/owner/` | |
//! |---|---|
//! | `lock` | locked by the owner; the operating system releases it, however the owner exits |
//! | `address.json` | the address of the owner |
//! | `address` | on a full disk: a link whose target is the address |
//! | `socket` | the socket itself, if the path is short enough for one |
//! | `http-token` | the token that clients over HTTP must send, if the user has not given one |
//! | `log` | warnings and errors of the owner |

mod address;
pub mod client;
mod connect;
#[cfg(feature = "serve")]
mod http;
mod log;
mod login;
pub mod mcp;
#[cfg(feature = "serve")]
pub mod open;
mod relay;
pub mod serve;
mod session;
#[cfg(feature = "serve")]
pub mod team;
mod wire;

pub use connect::{answers, stop};
