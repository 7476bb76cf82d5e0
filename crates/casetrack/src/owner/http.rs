//! `casetrack mcp --http`: the owner serves HTTP until the command that requested it ends.
//!
//! If the owner is killed, the command starts a new one that listens on the same port. The old sessions are lost: their clients
//! get 404 and open new ones, as the protocol specifies.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use casetrack_core::{CollectionId, Error, Result};
use casetrack_serve::HttpOptions;
use tokio::sync::mpsc::UnboundedSender;

use super::address;
use super::connect::connect;
use super::serve::OwnerState;
use super::session::{Reader, sessions};
use super::wire::{FromClient, FromOwner, Http, Request, SessionOptions};
use crate::console::Output;

const TOKEN_VARIABLE: &str = "CASETRACK_TOKEN";
/// Shortest token that a user may choose, in characters.
const MIN_TOKEN: usize = 16;
/// How many times an owner may be killed before it listens.
const ATTEMPTS: u32 = 3;

/// The token that HTTP clients must send, and its source.
pub(super) struct Token {
    pub value: String,
    /// The file it is kept in, unless the user gave it.
    file: Option<PathBuf>,
}

/// Serves HTTP until the user interrupts.
pub fn run(options: SessionOptions, address: SocketAddr, no_token: bool) -> Result<ExitCode> {
    casetrack_serve::check_loopback(address)?;
    let data_dir = options.global.data_dir()?;
    let token = if no_token { None } else { Some(token(&data_dir)?) };
    // The owner notices that the connection is closed, and stops listening.
    ctrlc::set_handler(|| std::process::exit(0))
        .map_err(|error| Error::internal(format!("signal handler: {error}")))?;
    let mut http = Http { options, address, token: token.as_ref().map(|token| token.value.clone()) };
    let mut attempts = 0;
    let mut shown = false;
    loop {
        let mut connection = connect(&http.options.global)?;
        // If the owner has gone since, the first message does not arrive.
        let _ = connection.send(&Request::Http(Box::new(http.clone())));
        attempts += 1;
        while let Some(word) = connection.receive() {
            match word {
                FromOwner::Listening(bound) => {
                    // The same port next time, because clients have it.
                    http.address = bound;
                    attempts = 0;
                    if !shown {
                        eprint!("{}", greeting(bound, token.as_ref()));
                        shown = true;
                    }
                }
                FromOwner::Show(Output::Log(line)) => eprintln!("{line}"),
                FromOwner::Failed(error) => return Err(error),
                _ => {}
            }
        }
        if attempts == ATTEMPTS {
            return Err(Error::internal("The process that works on the collections ends before it listens."));
        }
        tracing::warn!("the process that works on the collections ended unexpectedly; starting it again");
    }
}

/// The information that the user, or a program that starts this one, needs to connect.
fn greeting(address: SocketAddr, token: Option<&Token>) -> String {
    let token = match token {
        None => "No token is required: every program on this machine can connect.".to_owned(),
        Some(Token { file: Some(file), .. }) => {
            format!("Clients send the header \"Authorization: Bearer TOKEN\"; the token is in {}.", file.display())
        }
        Some(_) => {
            format!("Clients send the header \"Authorization: Bearer TOKEN\", with the token of {TOKEN_VARIABLE}.")
        }
    };
    format!("CaseTrack serves MCP at http://{address}{}\n{token}\n", casetrack_serve::HTTP_PATH)
}

/// The user's token, or else the one in the owner's directory, which is generated when it is first needed.
pub(super) fn token(data_dir: &Path) -> Result<Token> {
    if let Some(value) = std::env::var_os(TOKEN_VARIABLE) {
        let value = check(value.to_string_lossy().into_owned(), TOKEN_VARIABLE)?;
        return Ok(Token { value, file: None });
    }
    let path = address::create_directory(data_dir)?.join("http-token");
    let failed = |error| Error::io(path.display(), error);
    let value = match create_private(&path) {
        Ok(mut file) => {
            let value = format!("{}{}", CollectionId::random(), CollectionId::random()).replace('-', "");
            file.write_all(value.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
            value
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let mut value = String::new();
            std::fs::File::open(&path).and_then(|mut file| file.read_to_string(&mut value)).map_err(failed)?;
            check(value.trim().to_owned(), &path.display().to_string())?
        }
        Err(error) => return Err(failed(error)),
    };
    Ok(Token { value, file: Some(path) })
}

/// A new file that only this user can read.
fn create_private(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn check(token: String, source: &str) -> Result<String> {
    if token.len() >= MIN_TOKEN && token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(token);
    }
    Err(Error::invalid(format!(
        "The token in {source} is not valid: it needs {MIN_TOKEN} or more visible ASCII characters."
    ))
    .with_hint("Choose a long random token, or remove it, and CaseTrack generates one."))
}

/// The owner's side: listens until the client has gone.
pub(super) async fn serve(
    serving: &OwnerState,
    http: Http,
    mut reader: Reader,
    frames: &UnboundedSender<FromOwner>,
) -> Result<()> {
    let new_session = sessions(serving, http.options, frames)?;
    let listener = casetrack_serve::listen(http.address).await?;
    let bound = listener.local_addr().map_err(|error| Error::io("the HTTP listener", error))?;
    let _ = frames.send(FromOwner::Listening(bound));
    let options = HttpOptions { token: http.token, session: new_session, workbench: None };
    tokio::select! {
        ended = casetrack_serve::serve_http(listener, options) => ended,
        // The client sends nothing more; this ends when it has gone.
        _ = reader.next::<FromClient>() => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_kept_from_others() {
        let dir = tempfile::tempdir().unwrap();
        let made = token(dir.path()).unwrap();
        assert_eq!(made.value.len(), 64);
        assert_eq!(token(dir.path()).unwrap().value, made.value);
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&made.file.unwrap().metadata().unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(dir.path().join("owner/http-token"), "short").unwrap();
        assert!(token(dir.path()).err().unwrap().message.contains("16 or more"));
    }
}
