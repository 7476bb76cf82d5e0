//! The command line, defined once. Help texts are the user's documentation: keep them complete.

use std::process::ExitCode;

use casetrack_core::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde_json::json;

use crate::commands::{self, CollectionCommand};
use crate::options::Global;
use crate::{dispatch, help, manual, output, owner, service, shell, start, stop, style};

#[derive(Debug, Parser)]
#[command(
    name = "casetrack",
    version,
    disable_help_subcommand = true,
    about = "Search your own documents on your own machine, with exact citations.",
    after_help = "`casetrack help` lists the documents that come with the program; `casetrack help troubleshooting` shows one.\n\nExit status: 0 on success, 1 on an error or if `verify`, `repair`, `doctor` or `models` found a problem, 2 on \
                  wrong usage, 3 if `ingest`, `sync` or `reindex` finished but some files could not be read, or if \
                  `verify-quote` or `verify-quotes` found a fault."
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The command line, with its commands in groups.
pub fn command() -> clap::Command {
    let columns = style::of_results(style::ColorChoice::default()).map_or(100, |look| look.columns);
    help::grouped(Args::command(), columns).term_width(columns)
}

#[derive(Debug, Subcommand)]
pub enum Command {
    #[command(flatten)]
    CollectionCommand(CollectionCommand),
    Inspect(commands::inspect::Inspect),
    Doctor(commands::doctor::Doctor),
    Eval(commands::eval::Eval),
    Models(commands::models::Models),
    Start(start::Start),
    Service(service::Service),
    Mcp(owner::mcp::Mcp),
    #[cfg(feature = "serve")]
    Serve(owner::team::Serve),
    #[cfg(feature = "serve")]
    Open(owner::open::Open),
    Connect(commands::connect::Connect),
    Disconnect(commands::connect::Disconnect),
    Completions(shell::Completions),
    Man(shell::Man),
    Schemas(commands::schemas::Schemas),
    ReadFiles(commands::read_files::ReadFiles),
    Help(manual::Help),
    Stop(stop::Stop),
    Owner(owner::serve::Owner),
}

impl Command {
    /// True if the command sets up its log by itself.
    pub fn has_own_log(&self) -> bool {
        #[cfg(feature = "serve")]
        if matches!(self, Self::Serve(_)) {
            return true;
        }
        matches!(self, Self::Owner(_))
    }
}

impl Args {
    /// The arguments of the program. Ends the program after help, or with a message about a fault.
    pub fn from_command_line() -> Self {
        Self::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit())
    }

    /// Runs the command. Returns the exit status.
    pub fn run(self) -> Result<ExitCode> {
        let Self { mut global, command } = self;
        global.make_absolute()?;
        if !global.json {
            global.look = style::of_results(global.color);
        }
        let Some(command) = command else {
            output::print(&json!({"version": env!("CARGO_PKG_VERSION")}), &global, |_| help::WELCOME.to_owned())?;
            return Ok(ExitCode::SUCCESS);
        };
        match command {
            Command::CollectionCommand(command) => dispatch::run(global, command),
            Command::Inspect(command) => command.run(&global),
            Command::Doctor(command) => command.run(&global),
            Command::Eval(command) => command.run(&global),
            Command::Models(command) => command.run(&global),
            Command::Start(command) => command.run(global),
            Command::Service(command) => command.run(&global),
            Command::Mcp(command) => command.run(global),
            #[cfg(feature = "serve")]
            Command::Serve(command) => command.run(global),
            #[cfg(feature = "serve")]
            Command::Open(command) => command.run(global),
            Command::Connect(command) => command.run(&global),
            Command::Disconnect(command) => command.run(&global),
            Command::Completions(command) => command.run(&Self::command()),
            Command::Man(command) => command.run(Self::command()),
            Command::Schemas(command) => command.run(),
            Command::ReadFiles(command) => command.run(),
            Command::Help(command) => command.run(&global, self::command()),
            Command::Stop(command) => command.run(&global),
            Command::Owner(command) => command.run(&global),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Args::command();
        let mut known: Vec<&str> = help::GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        known.sort_unstable();
        let mut actual: Vec<&str> =
            command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
        actual.sort_unstable();
        let is_served = |name: &str| matches!(name, "serve" | "open" | "users");
        known.retain(|name| cfg!(feature = "serve") || !is_served(name));
        assert_eq!(known, actual);
    }

    #[test]
    fn no_line_of_the_help_is_longer_than_the_terminal() {
        let help = help::grouped(Args::command(), 80).term_width(80).render_long_help().to_string();
        assert!(help.contains("Find and read") && help.contains("  search-terms   "), "{help}");
        let long: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{long:?}");
    }
}
