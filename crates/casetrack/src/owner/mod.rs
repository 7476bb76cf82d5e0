//! One process owns a data directory (invariant 8); every command and every assistant goes through it.
//!
//! The *owner* is a background process: `casetrack owner`, started by the first client that finds none, ended when it has had no
//! client for a while. It holds the lock of the data directory and the only [`Engine`](casetrack_engine::Engine) on it, and
//! listens on a local socket that only the same user can reach. A *client* is any other `casetrack` process: a command sends its
//! parsed arguments and prints what comes back; `casetrack mcp` passes lines between its standard streams and a session in the
//! owner.
//!
//! A background process, rather than the first client serving the others: no client's end, however sudden, touches the work of
//! another, models stay loaded from one command to the next, and nothing has to be handed over while it is in use. Should the
//! owner itself be killed, its clients start a new one and go on: [`relay`] replays the session, [`client`] repeats what can be
//! repeated.
//!
//! | file in `<data directory>/owner/` | |
//! |---|---|
//! | `lock` | locked by the owner; the operating system releases it, however the owner ends |
//! | `address.json` | where the owner listens |
//! | `socket` | the socket itself, where the path is short enough for one |
//! | `http-token` | what clients over HTTP must show, where the user has given none |
//! | `log` | warnings and errors of the owner |

mod address;
pub mod client;
pub mod connect;
pub mod console;
pub mod http;
pub mod log;
mod privacy;
pub mod relay;
pub mod serve;
mod session;
mod wire;
