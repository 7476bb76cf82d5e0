//! The `casetrack` command: argument parsing, output, and the process that owns a data directory. All logic is in
//! casetrack-engine.

mod args;
mod commands;
mod console;
mod options;
mod output;
mod owner;
mod privacy;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    if !matches!(args.command, args::Command::Owner(_)) {
        output::init_logging(args.global.verbose, args.global.quiet);
    }
    let json = args.global.json;
    match args.run() {
        Ok(exit) => exit,
        Err(error) => {
            output::print_error(&error, json);
            ExitCode::FAILURE
        }
    }
}
