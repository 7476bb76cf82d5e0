//! The MCP server of CaseTrack: its tools, what they take and return, and the transports.
//!
//! A tool converts its parameters and calls the [`Engine`](casetrack_engine::Engine). Its answer is sent twice: as structured content that
//! follows the tool's output schema, and as text ([`casetrack_text`]). There is one table of tools; a tool is a type in the file of its
//! family under `tools` and one row in that table.

// The parameters of all tools are one literal in a test.
#![cfg_attr(test, recursion_limit = "512")]

mod answer;
mod apps;
mod arguments;
mod audit;
mod calls;
mod completion;
mod contract;
mod guard;
mod http;
mod instructions;
mod knocking;
mod metrics;
mod offer;
mod progress;
mod prompts;
mod recent;
mod resources;
mod schema;
mod server;
mod session;
pub mod settings;
mod table;
mod tasks;
mod team;
mod tool;
mod tools;

pub use audit::AuditLog;
pub use http::{
    Doors, Keys, PATH as HTTP_PATH, Team, Workbench, check_loopback, listen, listen_beyond, serve_http, serve_team,
};
pub use knocking::{knock, server_url};
pub use recent::RecentCalls;
pub use server::{MAX_REQUEST_BYTES, serve};
pub use session::{Session, ToolOutput};
pub use table::{may_be_repeated, tool_documents};
pub use team::{Askers, Certificate, Oidc, User, Users};
