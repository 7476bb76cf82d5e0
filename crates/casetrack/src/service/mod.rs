//! `casetrack service`: the owner of the data directory runs from login on, so that folders are watched without an assistant.

mod launchd;
mod systemd;
mod task;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

use casetrack_core::{Error, ErrorCode, Result};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::assistants::Server;
use crate::options::Global;
use crate::{output, owner};

/// How long a service may take to start, or a manager to let go of an earlier one, and the pause between two looks.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(250);

/// Keep watching folders from login on, even if no assistant is connected
///
/// Installs a service of your user, without administrator rights: a systemd unit on Linux, a launch agent on macOS, a scheduled task on
/// Windows. The service is the background process that every command starts, except that it does not exit after five minutes. Only Linux
/// has been tested.
#[derive(Debug, Args)]
pub struct Service {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
enum Action {
    /// Install the service and start it; safe to repeat, for example with another --data-dir
    Install,
    /// Start it again after `casetrack stop`
    Start,
    /// Show whether it is installed and running
    Status,
    /// Stop the service and remove it; collections and watches stay
    Uninstall,
}

#[derive(Debug, Serialize)]
struct Status {
    /// systemd, launchd or the Task Scheduler.
    manager: &'static str,
    /// The file that describes the service.
    file: PathBuf,
    installed: bool,
    running: bool,
}

/// The parts of a service.
struct Definition {
    program: String,
    /// Options of the program before its command.
    options: Vec<String>,
}

/// A manager of services: the file that describes one, and the commands that have it take effect.
struct Manager {
    name: &'static str,
    file: PathBuf,
    content: fn(&Definition) -> String,
    /// A word of the command, as the file has it.
    word: fn(&str) -> String,
    /// The bytes of a text in the file.
    encode: fn(&str) -> Vec<u8>,
    install: Vec<Vec<String>>,
    start: Vec<Vec<String>>,
    /// Ends the service until it is started again, or until the next login. Empty if the manager never restarts a process that has ended.
    stop: Vec<Vec<String>>,
    status: Vec<String>,
    /// Reads the output of `status`: does the manager have the service, and does it run?
    is_loaded: fn(&Output) -> bool,
    is_running: fn(&Output) -> bool,
    /// True if the manager only starts the process, so that it cannot report that it runs.
    lets_go: bool,
    /// True if the manager refuses a service for some seconds after an earlier one of the name was ended.
    refuses_for_a_while: bool,
    uninstall: Vec<Vec<String>>,
    /// Run before the installation, whether or not they succeed: they stop an earlier service.
    before: Vec<Vec<String>>,
    /// Run after the file is gone.
    after: Vec<Vec<String>>,
}

impl Service {
    pub fn run(self, global: &Global) -> Result<ExitCode> {
        let manager = of_this_system()?;
        match self.action {
            Action::Install => manager.install(global)?,
            Action::Start => manager.start()?,
            Action::Uninstall => manager.uninstall()?,
            Action::Status => {}
        }
        let data_dir = global.data_dir()?;
        if matches!(self.action, Action::Install | Action::Start) {
            manager.wait(&data_dir);
        }
        let status = manager.status(&data_dir);
        output::print(&status, global, |status| describe(status, self.action))?;
        let is_well = self.action == Action::Uninstall || status.running;
        Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Manager {
    fn install(&self, global: &Global) -> Result<()> {
        let program = Server::this_program(Vec::new())?.command;
        let mut options = global.as_arguments()?;
        if !options.iter().any(|option| option == "--data-dir") {
            // The service does not have the environment of this shell.
            options.splice(0..0, ["--data-dir".to_owned(), global.data_dir()?.to_string_lossy().into_owned()]);
        }
        let content = (self.content)(&Definition { program, options });
        if let Some(folder) = self.file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display(), error))?;
        }
        self.before.iter().for_each(|command| drop(output_of(command)));
        std::fs::write(&self.file, (self.encode)(&content)).map_err(|error| Error::io(self.file.display(), error))?;
        self.install.iter().try_for_each(|command| self.succeed(command))
    }

    fn start(&self) -> Result<()> {
        if !self.file.exists() {
            return Err(Error::new(ErrorCode::FileNotFound, "The service is not installed.")
                .with_hint("Install it with `casetrack service install`."));
        }
        if output_of(&self.status).is_ok_and(|output| (self.is_running)(&output) && !self.lets_go) {
            return Ok(());
        }
        // One that is loaded and does not run is put away first: managers start no service twice.
        self.stop()?;
        self.start.iter().try_for_each(|command| self.succeed(command))
    }

    fn stop(&self) -> Result<()> {
        if !self.is_loaded() {
            return Ok(());
        }
        let ended = self.stop.iter().try_for_each(|command| succeed(command));
        // A manager that releases a service late may report that it is still at work.
        if self.refuses_for_a_while && Self::until(|| !self.is_loaded()) { Ok(()) } else { ended }
    }

    fn is_loaded(&self) -> bool {
        output_of(&self.status).is_ok_and(|output| (self.is_loaded)(&output))
    }

    /// True if the installed service keeps this data directory.
    fn keeps(&self, data_dir: &Path) -> bool {
        let word = (self.encode)(&(self.word)(&path_text(data_dir)));
        std::fs::read(&self.file).is_ok_and(|text| text.windows(word.len()).any(|part| part == word))
    }

    fn uninstall(&self) -> Result<()> {
        if !self.file.exists() {
            return Ok(());
        }
        let ended = self.stop().and_then(|()| self.uninstall.iter().try_for_each(|command| succeed(command)));
        std::fs::remove_file(&self.file).map_err(|error| Error::io(self.file.display(), error))?;
        self.after.iter().for_each(|command| drop(output_of(command)));
        ended
    }

    /// Runs a command that makes or starts the service, again while the manager may still refuse it.
    fn succeed(&self, command: &[String]) -> Result<()> {
        let mut result = succeed(command);
        if self.refuses_for_a_while && result.is_err() {
            Self::until(|| {
                result = succeed(command);
                result.is_ok()
            });
        }
        result
    }

    /// Waits until the service runs: managers start it after they have answered.
    fn wait(&self, data_dir: &Path) {
        Self::until(|| self.status(data_dir).running);
    }

    /// True if it holds before the timeout.
    fn until(mut holds: impl FnMut() -> bool) -> bool {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if holds() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// `data_dir` is the data directory that the service holds.
    fn status(&self, data_dir: &Path) -> Status {
        let installed = self.file.exists();
        let says_so = installed && output_of(&self.status).is_ok_and(|output| (self.is_running)(&output));
        let running = says_so && (!self.lets_go || owner::answers(data_dir));
        Status { manager: self.name, file: self.file.clone(), installed, running }
    }
}

/// Stops the service that keeps this data directory, which would start the owner again. Returns whether there is such a service.
pub fn stop(data_dir: &Path) -> Result<bool> {
    match of_this_system() {
        Ok(manager) if manager.keeps(data_dir) => manager.stop().map(|()| true),
        _ => Ok(false),
    }
}

fn of_this_system() -> Result<Manager> {
    let no_home = || {
        Error::new(ErrorCode::FileNotFound, "This user has no home folder for a service.")
            .with_hint("Set HOME, then try again.")
    };
    match std::env::consts::OS {
        "windows" => Ok(task::manager(&dirs::data_local_dir().ok_or_else(no_home)?)),
        "macos" => Ok(launchd::manager(&dirs::home_dir().ok_or_else(no_home)?)),
        _ => Ok(systemd::manager(&dirs::config_dir().ok_or_else(no_home)?)),
    }
}

fn describe(status: &Status, action: Action) -> String {
    let Status { manager, file, installed, running } = status;
    let file = file.display();
    match (action, installed, running) {
        (Action::Uninstall, ..) => "The service is removed. Collections and watches stay as they are.".to_owned(),
        (_, true, true) => format!("The service runs under {manager}, and starts at login ({file})."),
        (_, true, false) => format!(
            "The service is installed ({file}), but does not run under {manager}.\n\nNext: casetrack service start"
        ),
        (_, false, _) => "The service is not installed.\n\nNext: casetrack service install".to_owned(),
    }
}

fn output_of(command: &[String]) -> std::io::Result<Output> {
    let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    Command::new(program).args(arguments).stdin(std::process::Stdio::null()).output()
}

fn succeed(command: &[String]) -> Result<()> {
    let line = command.join(" ");
    let output = output_of(command).map_err(|error| {
        Error::new(ErrorCode::MissingDependency, format!("`{line}` could not be run: {error}"))
            .with_hint("The service needs the service manager of this system. Without it, keep an assistant connected.")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Error::new(ErrorCode::Io, format!("`{line}` failed: {}", said.trim())).with_hint(
        "The service needs a session of your user with this service manager, such as a login on the \
            machine itself.",
    ))
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
