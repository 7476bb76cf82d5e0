//! `casetrack-lab`: measurements and experiments for the development of CaseTrack.
//!
//! It is built from the engine's and the models' own functions, so that its measurements hold for the product.

mod bench;
mod embed;
mod eval;
mod output;
mod read_files;
mod settings;

use std::process::ExitCode;

use casetrack_core::Result;
use casetrack_text::Reader;
use clap::{Parser, Subcommand};

use settings::Settings;

/// Measurements and experiments for the development of CaseTrack
#[derive(Debug, Parser)]
#[command(name = "casetrack-lab", version, after_help = "Exit status: 0 on success, 1 on an error, 2 on wrong usage.")]
struct Args {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eval(eval::Eval),
    #[command(subcommand)]
    Bench(bench::Bench),
    Embed(embed::Embed),
    ReadFiles(read_files::ReadFiles),
}

fn main() -> ExitCode {
    let Args { settings, command } = Args::parse();
    let filter = tracing_subscriber::EnvFilter::new(if settings.quiet { "error" } else { "warn" });
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .without_time()
        .init();
    match run(command, &settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if settings.json {
                // If stdout is closed, no reader is left.
                let _ = output::print_line(&Reader::CommandLine.error_as_json(&error));
            } else {
                eprintln!("error: {}", Reader::CommandLine.error(&error));
            }
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, settings: &Settings) -> Result<()> {
    match command {
        Command::Eval(command) => command.run(settings),
        Command::Bench(command) => command.run(settings),
        Command::Embed(command) => command.run(settings),
        Command::ReadFiles(command) => command.run(),
    }
}
