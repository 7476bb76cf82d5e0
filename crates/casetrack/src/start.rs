//! `casetrack start`: from a folder to an answer, in one command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use casetrack_core::{Error, Result};
use casetrack_engine::ModelProfile;
use clap::Args;

use crate::assistants::{ConfigPaths, Server};
use crate::commands::CollectionCommand;
use crate::commands::connect::{SERVER_NAME, connect, present, summary};
use crate::commands::start_folder::{StartFolder, StartQuestions, real};
use crate::commands::tags::TagSource;
use crate::options::Global;
use crate::output;
use crate::owner::client;
use crate::prompt::can_ask;

/// Make a folder a collection, watch it, and connect the assistants on this machine
///
/// Reads all files of the folder into a collection of the same name and keeps it up to date while CaseTrack runs. Finds the AI assistants
/// on this machine, and connects each after asking. Proposes three questions about the documents. Safe to repeat: unchanged files are
/// skipped, and connected assistants stay connected.
#[derive(Debug, Args)]
pub struct Start {
    /// Folder with your documents, with all its subfolders
    folder: OsString,
    /// Name of the collection [default: the name of the folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Models of a new collection: compact, quality or multilingual [default: --profile, or the models that the first documents need]
    #[arg(long, value_name = "PROFILE")]
    models: Option<ModelProfile>,
    /// Connect assistants without asking, and allow a whole home folder or disk
    #[arg(short = 'y', long)]
    yes: bool,
    /// Leave assistants as they are
    #[arg(long)]
    no_connect: bool,
    /// Do not watch the folder
    #[arg(long)]
    no_watch: bool,
    #[command(flatten)]
    tags: TagSource,
}

impl Start {
    pub fn run(self, global: Global) -> Result<ExitCode> {
        let Self { folder, name, models, yes, no_connect, no_watch, tags } = self;
        check(Path::new(&folder), yes)?;
        let with_questions = global.json;
        let begin = StartFolder { folder: folder.clone(), name: name.clone(), models, no_watch, tags, with_questions };
        let status = client::status_of(global.clone(), CollectionCommand::StartFolder(begin))?;
        // Interrupted or failed: further output would hide that.
        let is_done = status == 0 || status == 3;
        if is_done && !no_connect {
            connect_all(&global, yes)?;
        }
        if is_done && !with_questions {
            output::say("", &global)?;
            let questions = CollectionCommand::StartQuestions(StartQuestions { folder, name });
            client::status_of(global, questions)?;
        }
        Ok(ExitCode::from(status))
    }
}

/// Connects the assistants that are here. In JSON, without questions or output.
fn connect_all(global: &Global, yes: bool) -> Result<()> {
    let Ok(places) = ConfigPaths::of_user() else { return Ok(()) };
    let here = present(&places);
    if here.is_empty() || !yes && (global.json || !can_ask()) {
        if !here.is_empty() && !global.json && !global.quiet {
            let names: Vec<&str> = here.iter().map(|client| client.id()).collect();
            output::say(&format!("\nTo connect your assistants: casetrack connect {}", names.join(" ")), global)?;
        }
        return Ok(());
    }
    let mut args = global.as_arguments()?;
    args.push("mcp".to_owned());
    let entry = Server::this_program(args)?.into();
    for client in here {
        eprintln!();
        let outcome = connect(client, &places.config_file(client), SERVER_NAME, &entry, yes);
        output::say(&summary(&[outcome]), global)?;
    }
    Ok(())
}

/// Refuses a whole disk or home folder, which is probably a mistake: it holds more than documents.
fn check(folder: &Path, yes: bool) -> Result<()> {
    let real = real(folder)?;
    let home = dirs::home_dir().and_then(|home| casetrack_core::real_path(home).ok());
    if !yes && is_too_much(&real, home) {
        return Err(Error::invalid(format!("{} holds more than the documents of one matter.", real.display()))
            .with_hint("Name the folder of the matter, or add --yes to read all of it."));
    }
    Ok(())
}

fn is_too_much(folder: &Path, home: Option<PathBuf>) -> bool {
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_folder_and_what_is_above_it_are_too_much() {
        let home = || Some(PathBuf::from("/home/ann"));
        assert!(["/", "/home", "/home/ann"].iter().all(|folder| is_too_much(Path::new(folder), home())));
        assert!(!["/home/ann/matters", "/srv/documents"].iter().any(|folder| is_too_much(Path::new(folder), home())));
    }
}
