//! The client's side of a command: sends it to the owner and prints the answer.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use casetrack_core::{Error, Result};

use super::connect::{Connection, connect};
use super::wire::{FromClient, FromOwner, Request, Run};
use crate::commands::CollectionCommand;
use crate::console::Output;
use crate::keychain::VaultSlots;
use crate::options::Global;
use crate::output;
use crate::privacy::umask;

/// How many times a command is sent if owners are killed while they run it.
const ATTEMPTS: u32 = 3;

/// The connection in use, for the handler of Ctrl-C.
static CURRENT: Mutex<Option<Arc<Connected>>> = Mutex::new(None);
/// Set once the handler is installed.
static HANDLED: OnceLock<()> = OnceLock::new();
type Connected = interprocess::local_socket::Stream;

#[derive(Debug)]
pub struct Ended {
    pub status: u8,
    /// The vault that it was to find for the client.
    pub vault: Option<VaultSlots>,
}

/// Runs a command in the owner of the data directory. Returns the exit status.
pub fn status_of(global: Global, command: CollectionCommand) -> Result<u8> {
    ended(global, command).map(|ended| ended.status)
}

/// As [`status_of`], with the command's data for the client.
pub fn ended(global: Global, command: CollectionCommand) -> Result<Ended> {
    let ended = send(global, command);
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = None;
    ended
}

fn send(global: Global, command: CollectionCommand) -> Result<Ended> {
    let data_dir = global.data_dir()?;
    let directory = std::env::current_dir().map_err(|error| Error::io("the working directory", error))?;
    let directory = directory.into_os_string();
    let (quiet, owner_of, repeatable) = (global.quiet, global.clone(), command.may_be_repeated());
    let may_page = !global.no_pager;
    let request = Request::Run(Box::new(Run { global, command, directory, umask: umask::get() }));
    cancel_on_signal()?;
    for attempt in 1.. {
        let connection = connect(&owner_of)?;
        *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection.writer));
        let mut printed = false;
        if connection.send(&request).is_ok()
            && let Some(ended) = follow(connection, quiet, may_page, &mut printed)?
        {
            return Ok(ended);
        }
        if !repeatable || printed || attempt == ATTEMPTS {
            break;
        }
        tracing::warn!("the process that works on the collections ended unexpectedly; trying again");
    }
    let message = "The process that works on the collections ended unexpectedly during this command.";
    let log = super::address::directory(&data_dir).join("log");
    Err(Error::internal(message).with_hint(format!(
        "Everything stored before is kept. Run the command again; if it happens again, please report it with the end \
         of {}.",
        log.display()
    )))
}

/// Prints the owner's messages. Returns how the command ended, or `None` if the owner has gone.
fn follow(mut connection: Connection, quiet: bool, may_page: bool, printed: &mut bool) -> Result<Option<Ended>> {
    let mut vault = None;
    let mut progress = output::Progress::new(quiet);
    let ended = loop {
        match connection.receive() {
            Some(FromOwner::Show(Output::Text(text))) => {
                progress.clear();
                *printed = true;
                output::print_result(&text, may_page)?;
            }
            Some(FromOwner::Show(Output::Progress(event))) => progress.show(event),
            Some(FromOwner::Show(Output::Log(line))) => progress.line(&line),
            Some(FromOwner::Show(Output::Vault(found))) => vault = Some(found),
            Some(FromOwner::Exit(status)) => break Ok(Some(Ended { status, vault })),
            Some(FromOwner::Failed(error)) => break Err(error),
            Some(FromOwner::Line(_) | FromOwner::Active(_) | FromOwner::Listening(_) | FromOwner::Opened(_)) => {}
            None => break Ok(None),
        }
    };
    progress.clear();
    ended
}

/// The first Ctrl-C requests a stop at the next safe point. The second stops waiting for it; neither loses anything.
fn cancel_on_signal() -> Result<()> {
    if HANDLED.set(()).is_err() {
        return Ok(());
    }
    let mut asked = false;
    ctrlc::set_handler(move || {
        let connection = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let cancel = |connection: Arc<Connected>| super::wire::send(&mut &*connection, &FromClient::Cancel).is_ok();
        if asked || !connection.is_some_and(cancel) {
            std::process::exit(130);
        }
        asked = true;
        eprintln!("stopping at the next safe point (Ctrl-C again to stop waiting)");
    })
    .map_err(|error| Error::internal(format!("signal handler: {error}")))
}
