//! CaseTrack over HTTP: the protocol and the workbench on loopback, a server for a team with users, TLS and OpenID Connect, and the language model
//! of the settings.
//!
//! The sessions, tools and limits are those of [`casetrack_mcp`]; this crate decides who gets a session.

mod http;
mod language_model;
mod remote;
mod team;

pub use http::{
    HttpOptions, Keys, PATH as HTTP_PATH, Team, Workbench, check_loopback, listen, listen_beyond, serve_http,
    serve_team,
};
pub use language_model::ChatModel;
pub use remote::{probe_server, server_url};
pub use team::{Certificate, JobOwners, Oidc, User, Users};
