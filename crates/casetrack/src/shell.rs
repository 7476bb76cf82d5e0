//! `casetrack completions` and `man`: files that a package installs for the shell and for `man`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use casetrack_core::{Error, Result};
use clap::{Args, Command};
use clap_complete::Shell;

/// Print the completions of commands and options for a shell
///
/// For bash: casetrack completions bash > ~/.local/share/bash-completion/completions/casetrack. For zsh, write it to _casetrack in a folder
/// of $fpath; for fish, to ~/.config/fish/completions/casetrack.fish.
#[derive(Debug, Args)]
pub struct Completions {
    shell: Shell,
}

impl Completions {
    pub fn run(self, command: &Command) -> Result<ExitCode> {
        // The generators also list hidden commands, which only the program itself calls.
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
        let mut command = Command::new("casetrack")
            .version(env!("CARGO_PKG_VERSION"))
            .disable_help_subcommand(true)
            .args(command.get_arguments().cloned())
            .subcommands(visible);
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "casetrack", &mut script);
        match std::io::stdout().lock().write_all(&script) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("standard output", error)),
            _ => Ok(ExitCode::SUCCESS),
        }
    }
}

/// Write the manual pages into a folder, one for each command
#[derive(Debug, Args)]
pub struct Man {
    /// Folder for casetrack.1, casetrack-search.1 and the others
    folder: PathBuf,
}

impl Man {
    pub fn run(self, command: Command) -> Result<ExitCode> {
        std::fs::create_dir_all(&self.folder).map_err(|error| Error::io(self.folder.display(), error))?;
        let mut command = command.disable_help_subcommand(true);
        command.build();
        write(&command, &self.folder)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the page of a built command, and the pages of the commands below it that are not hidden.
fn write(command: &Command, folder: &Path) -> Result<()> {
    // With the names of the commands above it: casetrack-models-pull.
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).render(&mut page);
    rendered.map_err(|error| Error::internal(format!("The page of {name}: {error}")))?;
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, page).map_err(|error| Error::io(path.display(), error))?;
    command.get_subcommands().filter(|command| !command.is_hide_set()).try_for_each(|below| write(below, folder))
}
