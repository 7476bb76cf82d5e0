//! `casetrack vault seal` and `unseal`

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::{CollectionId, Error, Password, Result};
use casetrack_engine::vaults::{MoveSpace, Moved, SealedCollection};
use casetrack_engine::{ResealProgress, Waiting, collections, vaults};
use casetrack_text::format::{bytes, counted, duration, visible};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::{idle, until, words_text};
use crate::commands::last_search::LastSearch;
use crate::console::Console;
use crate::privacy::empty_log;
use crate::prompt::{can_ask, confirm};
use crate::secrets::{PassphraseSource, VaultOpener};

/// Make a collection a vault: encrypt all its files on the disk
///
/// Asks for a passphrase, and prints a recovery key once. CaseTrack writes an encrypted copy of the collection and compares it. Then the
/// copy replaces the plain files, which are overwritten and removed. The ID, documents, tags, evidence, watches and jobs stay. Other calls
/// wait until it is done. If CaseTrack is killed before the exchange, nothing has changed; if later, it finishes at the next start.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Seal {
    /// Name, ID or reference of the collection
    #[arg(value_name = "NAME")]
    collection: String,
    /// Lock it after this time without use: 90s, 30m, 2h [default: lock_after of config.toml, or 30m]
    #[arg(long, value_name = "TIME", value_parser = casetrack_core::settings::duration)]
    idle: Option<Duration>,
    #[command(flatten)]
    from: PassphraseSource,
    #[arg(skip)]
    passphrase: Option<Password>,
}

impl Seal {
    pub fn can_move(&self) -> CanMove {
        CanMove { collection: Some(self.collection.clone()), unseal: false }
    }

    pub fn ask(&mut self) -> Result<()> {
        self.passphrase = Some(self.from.read_new("Passphrase of the vault")?);
        Ok(())
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let passphrase = self.passphrase.ok_or_else(|| Error::internal("No passphrase was asked for."))?;
        let engine = &console.engine;
        let id = collections::find_collection(engine.host(), &self.collection)?.id;
        let idle = idle(self.idle, console)?;
        let steps = Steps::new(console, "Encrypting");
        let hear = |moving| steps.hear(moving);
        let sealed = engine.seal_collection(id, &passphrase, idle, Waiting::hearing(&console.cancel, &hear), || {
            empty_log(&engine.host().config().data_dir)?;
            LastSearch::forget(engine)
        })?;
        let exports = Some(engine.host().config().data_dir.join("exports")).filter(|folder| holds_files(folder));
        console.print(&sealed, |sealed| sealed_text(sealed, idle, exports.as_deref()))
    }
}

fn holds_files(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// `exports` is the folder of assistants' exports from collections, if there are any.
fn sealed_text(sealed: &SealedCollection, idle: Duration, exports: Option<&Path>) -> String {
    let SealedCollection { moved, recovery_words } = sealed;
    let mut out = format!(
        "\"{}\" is now a vault (ID: {}): {}. {}\n",
        visible(&moved.meta.name),
        moved.meta.id.short(),
        what(moved),
        until(idle)
    );
    let _ = writeln!(
        out,
        "Overwritten and removed: {}, {}. On SSDs, and on file systems that copy on write or keep snapshots, their \
         content may stay readable with special tools until the blocks are used again.",
        counted(moved.overwritten_files, "plain file"),
        bytes(moved.overwritten_bytes)
    );
    if moved.linked_files > 0 {
        let _ = writeln!(
            out,
            "{} with another hard link, such as in a backup: removed here, and still readable there.",
            counted(moved.linked_files, "file")
        );
    }
    if let Some(left) = &moved.left {
        let _ = writeln!(
            out,
            "Some plain files are still there. CaseTrack removes them at its next start: {}",
            visible(left)
        );
    }
    let _ = write!(
        out,
        "Not encrypted: the original documents, exports and backups, and the lists of `casetrack files` and \
         `casetrack space`. If the log of tool calls records queries, it has the earlier ones.",
    );
    if let Some(folder) = exports {
        let _ = write!(
            out,
            "\nCheck {}: it has evidence that assistants exported before, and is not encrypted.",
            visible(&folder.display().to_string())
        );
    }
    let _ = write!(out, "\n\n{}", words_text(recovery_words));
    out
}

/// `12 documents, 340 passages, 25 files (3.1 s)`
fn what(moved: &Moved) -> String {
    let mut what = format!(
        "{}, {}, {}",
        counted(moved.documents, "document"),
        counted(moved.chunks, "passage"),
        counted(moved.files, "file")
    );
    if moved.missing_originals > 0 {
        let _ = write!(
            what,
            ", without {} that was missing before",
            counted(moved.missing_originals, "copy of a source file")
        );
    }
    let _ = write!(what, " ({})", duration(moved.duration_ms));
    what
}

/// Make a vault a plain collection: decrypt all its files on the disk
///
/// Asks for confirmation, and for the passphrase or another key of the vault. Only the encryption and its keys are removed. To encrypt it
/// again, with another key, use `casetrack vault seal`.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Unseal {
    /// ID of the vault, or the beginning of it; its name, while it is unlocked [default: the only one]
    #[arg(value_name = "NAME")]
    vault: Option<String>,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    with: VaultOpener,
}

impl Unseal {
    pub fn can_move(&self) -> CanMove {
        CanMove { collection: self.vault.clone(), unseal: true }
    }

    pub fn ask(&mut self) -> Result<()> {
        if !self.yes {
            if !can_ask() {
                return Err(Error::invalid("CaseTrack cannot ask for confirmation, because this is not a terminal.")
                    .with_hint("Run the command in a terminal, or add --yes."));
            }
            if !confirm("Anyone who can read its files can then read the documents. Decrypt the vault?")? {
                return Err(Error::invalid("The vault was not decrypted.").with_hint("Nothing was changed."));
            }
        }
        self.with.ask()
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let id = vaults::find_vault(engine.host(), self.vault.as_deref())?;
        let opener = self.with.opener()?;
        LastSearch::forget(engine)?;
        let steps = Steps::new(console, "Decrypting");
        let hear = |moving| steps.hear(moving);
        let moved = engine.unseal_collection(id, &opener, Waiting::hearing(&console.cancel, &hear))?;
        console.print(&moved, unsealed_text)
    }
}

fn unsealed_text(moved: &Moved) -> String {
    let mut out = format!(
        "\"{}\" is no longer a vault (ID: {}): {}. Anyone who can read its files can read it.",
        visible(&moved.meta.name),
        moved.meta.id.short(),
        what(moved)
    );
    if let Some(left) = &moved.left {
        let _ = write!(
            out,
            "\nSome encrypted files are still there. CaseTrack removes them at its next start: {}",
            visible(left)
        );
    }
    out
}

/// Reports at intervals the progress of a collection that is being moved.
struct Steps<'c> {
    console: &'c Console,
    what: &'static str,
    state: Mutex<StepState>,
}

struct StepState {
    at: Instant,
    /// True once a line was printed.
    any: bool,
}

/// Shorter steps are not worth a line.
const BETWEEN_LINES: Duration = Duration::from_secs(3);

impl<'c> Steps<'c> {
    fn new(console: &'c Console, what: &'static str) -> Self {
        Self { console, what, state: Mutex::new(StepState { at: Instant::now(), any: false }) }
    }

    fn hear(&self, moving: ResealProgress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let percent = |done: u64, of: u64| done.saturating_mul(100) / of.max(1);
        let line = match moving {
            ResealProgress::Overwriting if state.any => "Overwriting the plain files.".to_owned(),
            ResealProgress::Overwriting => return,
            _ if state.at.elapsed() < BETWEEN_LINES => return,
            ResealProgress::Entries { done, of } => {
                format!("{} and comparing the documents: {} %", self.what, percent(done, of))
            }
            ResealProgress::Files { done, of } => format!("{} indexes and copies: {} %", self.what, percent(done, of)),
        };
        *state = StepState { at: Instant::now(), any: true };
        self.console.note(line);
    }
}

/// Checks that a collection can be moved into a vault or out of it, before the user is asked for a passphrase, and reports the disk space
/// that it takes.
#[derive(Debug, Args, Serialize, Deserialize)]
#[command(hide = true)]
pub struct CanMove {
    collection: Option<String>,
    #[arg(long)]
    unseal: bool,
}

impl CanMove {
    pub fn run(self, console: &Console) -> Result<u8> {
        let id = self.find(console)?;
        if self.unseal {
            console.found_vault(id);
        }
        let MoveSpace { needed_bytes, free_bytes } = console.engine.space_to_seal(id)?;
        console.note(format!(
            "It takes up to {} of disk space while it runs; {} are free.",
            bytes(needed_bytes),
            bytes(free_bytes)
        ));
        Ok(0)
    }

    fn find(&self, console: &Console) -> Result<CollectionId> {
        let (engine, name) = (&console.engine, self.collection.as_deref());
        if self.unseal {
            return vaults::find_vault(engine.host(), name);
        }
        let found = collections::find_collection(engine.host(), name.unwrap_or_default())?;
        match vaults::unlocked_vaults(engine.host())?.contains(&found.id) {
            true => Err(Error::invalid(format!("\"{}\" is already a vault.", found.name))
                .with_hint("List its slots with `casetrack vault slots`.")),
            false => Ok(found.id),
        }
    }
}
