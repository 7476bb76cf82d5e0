//! Hidden input of a person: passphrases and recovery keys. The client, which has the terminal, asks for them.

use std::io::{BufRead, Read};
use std::path::Path;

use casetrack_core::{Error, Password, Result};
use casetrack_engine::vaults::Opener;
use clap::Args;
use console::Term;
use serde::{Deserialize, Serialize};

use crate::prompt::can_ask;

/// Longer lines are refused; the engine takes fewer bytes.
const MAX_BYTES: u64 = 4096;

/// The key of a vault. The user is prompted for the passphrase, unless another key is named.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
pub struct VaultOpener {
    /// Open it with the 24 words of its recovery key
    #[arg(long, conflicts_with = "identity")]
    recovery: bool,
    /// Open it with this age identity file
    #[arg(long, value_name = "FILE")]
    identity: Option<std::path::PathBuf>,
    #[command(flatten)]
    from: PassphraseSource,
    #[arg(skip)]
    opener: Option<Opener>,
}

/// The source of passphrases.
#[derive(Debug, Clone, Copy, Default, Args, Serialize, Deserialize)]
pub struct PassphraseSource {
    /// Read passphrases (or the words) from standard input, one on each line, instead of asking at the terminal
    #[arg(long)]
    passphrase_stdin: bool,
}

impl VaultOpener {
    /// Asks for it.
    pub fn ask(&mut self) -> Result<()> {
        self.opener = Some(match &self.identity {
            Some(file) => Opener::Identity(read_identity(file)?),
            None if self.recovery => Opener::RecoveryKey(self.from.read("The 24 words of the recovery key")?),
            None => Opener::Passphrase(self.from.read("Passphrase")?),
        });
        Ok(())
    }

    /// True if the user is prompted for the passphrase.
    pub fn asks_for_passphrase(&self) -> bool {
        !self.recovery && self.identity.is_none() && !self.from.passphrase_stdin
    }

    /// With the secrets of a keychain.
    pub fn by_keychain(&self, secrets: Vec<Password>) -> Self {
        Self { opener: Some(Opener::Keychain(secrets)), ..self.clone() }
    }

    /// The source of further passphrases.
    pub fn from(&self) -> PassphraseSource {
        self.from
    }

    pub fn opener(self) -> Result<Opener> {
        self.opener.ok_or_else(|| Error::internal("No passphrase was asked for."))
    }
}

impl PassphraseSource {
    /// The next line of standard input, or of hidden input at the terminal.
    pub fn read(self, what: &str) -> Result<Password> {
        if self.passphrase_stdin { line() } else { typed(what) }
    }

    /// As [`read`](Self::read), twice at the terminal, because the input is hidden.
    pub fn read_new(self, what: &str) -> Result<Password> {
        let first = self.read(what)?;
        if first.reveal().is_empty() {
            return Err(Error::invalid("The passphrase is empty.").with_hint("Choose one that no one can guess."));
        }
        if !self.passphrase_stdin && typed("Repeat it")? != first {
            return Err(
                Error::invalid("The two passphrases are not the same.").with_hint("Nothing was changed. Try again.")
            );
        }
        Ok(first)
    }
}

fn typed(what: &str) -> Result<Password> {
    if !can_ask() {
        return Err(Error::invalid("CaseTrack cannot ask for the passphrase, because this is not a terminal.")
            .with_hint("Run the command in a terminal, or pass the passphrase with --passphrase-stdin."));
    }
    eprint!("{what}: ");
    let typed = Term::stderr().read_secure_line().map_err(|error| Error::io("the terminal", error))?;
    Ok(Password::from(typed))
}

fn line() -> Result<Password> {
    let mut line = String::with_capacity(MAX_BYTES as usize + 1);
    let read = std::io::stdin().lock().take(MAX_BYTES + 1).read_line(&mut line);
    // Overwritten when dropped, also after an error.
    let line = Password::from(line);
    read.map_err(|error| Error::io("standard input", error))?;
    let text = line.reveal().strip_suffix('\n').unwrap_or(line.reveal());
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(Error::invalid("Standard input has too few passphrases.")
            .with_hint("Write each passphrase on a line of its own."));
    }
    if line.reveal().len() as u64 > MAX_BYTES {
        return Err(Error::invalid(format!("A passphrase on standard input is longer than {MAX_BYTES} bytes.")));
    }
    Ok(Password::from(text.to_owned()))
}

/// The text of a file of identities.
pub fn read_identity(path: &Path) -> Result<Password> {
    let error = |error| Error::io(path.display(), error);
    let mut text = String::with_capacity(1024);
    let read = std::fs::File::open(path).map_err(error)?.take(MAX_BYTES).read_to_string(&mut text);
    let text = Password::from(text);
    read.map_err(error)?;
    Ok(text)
}
