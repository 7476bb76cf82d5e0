//! The `casetrack` command: argument parsing, output, and the process that owns a data directory. All logic is in
//! casetrack-engine.

mod args;
mod ask;
mod asking;
mod assistants;
mod commands;
mod console;
mod help;
mod keychain;
mod look;
mod manual;
mod marks;
mod options;
mod output;
mod owner;
mod pager;
mod privacy;
mod secrets;
mod service;
mod shell;
mod start;
mod stop;
mod stores;

use std::process::ExitCode;

fn main() -> ExitCode {
    privacy::without_core_dumps();
    let args = args::Args::from_command_line();
    if !matches!(args.command, Some(args::Command::Owner(_) | args::Command::Serve(_))) {
        output::init_logging(args.global.verbose, args.global.quiet);
    }
    let (json, color) = (args.global.json, args.global.color);
    match args.run() {
        Ok(exit) => exit,
        Err(error) => {
            output::print_error(&error, json, color);
            ExitCode::FAILURE
        }
    }
}
