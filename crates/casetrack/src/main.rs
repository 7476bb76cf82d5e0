//! The `casetrack` command: argument parsing, output, and the process that owns a data directory. All logic is in
//! casetrack-engine.

mod args;
mod assistants;
mod commands;
mod console;
mod dispatch;
mod help;
mod keychain;
mod language_model;
mod manual;
mod options;
mod output;
mod owner;
mod pager;
mod privacy;
mod prompt;
mod redaction;
mod secrets;
#[cfg(not(feature = "serve"))]
mod serve_substitute;
mod service;
mod shell;
mod start;
mod stop;
mod stores;
mod style;

use std::process::ExitCode;

fn main() -> ExitCode {
    privacy::without_core_dumps();
    #[cfg(windows)]
    privacy::keep_streams();
    let args = args::Args::from_command_line();
    if !args.command.as_ref().is_some_and(args::Command::has_own_log) {
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
