//! The command line, defined once. Help texts are the user's documentation: keep them complete.

use std::process::ExitCode;

use casetrack_core::Result;
use clap::{Parser, Subcommand};

use crate::commands::{self, OnCollections};
use crate::options::Global;
use crate::owner;

#[derive(Debug, Parser)]
#[command(
    name = "casetrack",
    version,
    about = "Search your own documents on your own machine, with exact citations.",
    after_help = "Exit status: 0 on success, 1 on an error or if `verify`, `repair`, `doctor` or `models` found a problem, 2 on \
                  wrong usage, 3 if `ingest`, `sync` or `reindex` finished but some files could not be read."
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    #[command(flatten)]
    OnCollections(OnCollections),
    Inspect(commands::inspect::Inspect),
    Doctor(commands::doctor::Doctor),
    Eval(commands::eval::Eval),
    Models(commands::models::Models),
    Mcp(owner::mcp::Mcp),
    Open(owner::open::Open),
    Schemas(commands::schemas::Schemas),
    ReadFiles(commands::read_files::ReadFiles),
    Stop(owner::mcp::Stop),
    Owner(owner::serve::Owner),
}

impl Args {
    /// Runs the command. Returns the exit status.
    pub fn run(self) -> Result<ExitCode> {
        let Self { mut global, command } = self;
        global.make_absolute()?;
        match command {
            Command::OnCollections(command) => owner::client::run(global, command),
            Command::Inspect(command) => command.run(&global),
            Command::Doctor(command) => command.run(&global),
            Command::Eval(command) => command.run(&global),
            Command::Models(command) => command.run(&global),
            Command::Mcp(command) => command.run(global),
            Command::Open(command) => command.run(global),
            Command::Schemas(command) => command.run(),
            Command::ReadFiles(command) => command.run(),
            Command::Stop(command) => command.run(&global),
            Command::Owner(command) => command.run(&global),
        }
    }
}
