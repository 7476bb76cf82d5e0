//! The MCP server of CaseTrack: its tools, their parameters and answers, and the transport over standard input and output. The crate
//! `casetrack-serve` has the transport over HTTP.
//!
//! A tool converts its parameters and calls the [`Engine`](casetrack_engine::Engine). Its answer is sent twice: as structured content that
//! follows the tool's output schema, and as text ([`casetrack_text`]). There is one table of tools; a tool is a type in the file of its
//! family under `tools` and one row in that table.

mod answer;
mod apps;
mod arguments;
mod audit;
mod calls;
mod completion;
mod confirmation;
mod contract;
mod definitions;
mod guard;
mod instructions;
mod member;
pub mod metrics;
mod offer;
mod progress;
mod prompts;
mod recent;
mod resources;
mod schema;
mod server;
mod session;
mod skills;
mod table;
mod tasks;
mod tool;
mod tools;

pub use answer::ToolOutput;
pub use audit::AuditLog;
pub use member::Member;
pub use recent::RecentCalls;
pub use server::{MAX_REQUEST_BYTES, Server, Transport, rejection, serve};
pub use session::{LanguageModel, Session};
pub use table::{may_be_repeated, schema_files};
