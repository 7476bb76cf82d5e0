//! One file per command.

pub mod call;
pub mod clusters;
pub mod collections;
pub mod compact;
pub mod compare;
pub mod doctor;
pub mod documents;
pub mod entities;
pub mod eval;
pub mod export;
pub mod graph;
pub mod import;
pub mod index_status;
pub mod ingest;
pub mod inspect;
pub mod jobs;
pub mod lifecycle;
pub mod mcp;
pub mod models;
pub mod new;
pub mod page;
pub mod read_files;
pub mod references;
pub mod reindex;
pub mod related;
pub mod repair;
pub mod schemas;
pub mod search;
pub mod show;
pub mod similar;
pub mod stats;
pub mod stop;
pub mod summary;
pub mod sync;
pub mod timeline;
pub mod verify;
pub mod watches;

use std::process::ExitCode;

use casetrack_core::Result;

use crate::args::{Args, Command};
use crate::owner::client;

pub fn run(args: Args) -> Result<ExitCode> {
    let mut global = args.global;
    global.make_absolute()?;
    match args.command {
        Command::OnCollections(command) => client::run(global, command),
        Command::Inspect(command) => command.run(&global),
        Command::Doctor(command) => command.run(&global),
        Command::Eval(command) => command.run(&global),
        Command::Models(command) => command.run(&global),
        Command::Mcp(command) => command.run(global),
        Command::Schemas(command) => command.run(),
        Command::ReadFiles(command) => command.run(),
        Command::Stop(command) => command.run(&global),
        Command::Owner(command) => command.run(&global),
    }
}
