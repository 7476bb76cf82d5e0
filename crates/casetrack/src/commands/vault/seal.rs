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

/// Make a vault of a collection: encrypt everything that it has on the disk
///
/// Asks for a passphrase, and prints a recovery key once. The collection is written a second time, encrypted, and compared; then the encrypted form takes
/// the place of the plain one, whose files are overwritten and removed. Its ID and all that is in it stay: documents, tags, evidence, watches, jobs.
/// Calls wait until it is done. Killed before the exchange, nothing has changed; killed later, the rest is done when CaseTrack starts again.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Seal {
    /// Name, ID or reference of the collection
    #[arg(value_name = "NAME")]
    collection: String,
    /// Lock it when nobody has asked for it for so long: 90s, 30m, 2h [default: lock_after of config.toml, or 30m]
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
        let passphrase = self.passphrase.ok_or_else(|| Error::internal("Nobody was asked for a passphrase."))?;
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
        "\"{}\" is a vault now (ID: {}): {}. {}\n",
        visible(&moved.meta.name),
        moved.meta.id.short(),
        what(moved),
        until(idle)
    );
    let _ = writeln!(
        out,
        "Overwritten and removed: {}, {}. On SSDs, and on file systems that copy on write or keep snapshots, what was in them may stay \
         readable with special tools until the blocks are used again.",
        counted(moved.overwritten_files, "plain file"),
        bytes(moved.overwritten_bytes)
    );
    if moved.linked_files > 0 {
        let _ = writeln!(
            out,
            "{} with a further name elsewhere, such as in a backup made of links: removed here, and still readable there.",
            counted(moved.linked_files, "file")
        );
    }
    if let Some(left) = &moved.left {
        let _ = writeln!(
            out,
            "A part of the plain files is still there, and goes when CaseTrack starts the next time: {}",
            visible(left)
        );
    }
    let _ = write!(
        out,
        "Still plain: the documents where they were ingested from, exports and backups, and the lists of `casetrack files` and `casetrack space`. \
         If you let the log of tool calls record queries, it has those from before.",
    );
    if let Some(folder) = exports {
        let _ = write!(
            out,
            "\nLook at {}: evidence that assistants exported before lies there, and can be read.",
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

/// Make a collection that anybody can read of a vault: decrypt everything that it has on the disk
///
/// Asks whether to do it, and for something that opens the vault. Everything stays but the encryption and what opens it; to encrypt it again, with another key, use
/// `casetrack vault seal`.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Unseal {
    /// ID of the vault, or the beginning of it; its name, while it is unlocked [default: the only one]
    #[arg(value_name = "NAME")]
    vault: Option<String>,
    /// Do it without asking
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
                return Err(Error::invalid("There is nobody at a terminal to ask whether to decrypt the vault.")
                    .with_hint("Run the command in a terminal, or add --yes."));
            }
            if !confirm("Whoever can read its files can then read the documents. Decrypt the vault?")? {
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
        "\"{}\" is no vault any more (ID: {}): {}. Whoever can read its files can read it.",
        visible(&moved.meta.name),
        moved.meta.id.short(),
        what(moved)
    );
    if let Some(left) = &moved.left {
        let _ = write!(
            out,
            "\nA part of the encrypted files is still there, and goes when CaseTrack starts the next time: {}",
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
            ResealProgress::Overwriting if state.any => "Overwriting what is not encrypted.".to_owned(),
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
            "It takes up to {} of the disk while it is under way; {} are free.",
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
            true => Err(Error::invalid(format!("\"{}\" is a vault already.", found.name))
                .with_hint("See what opens it with `casetrack vault slots`.")),
            false => Ok(found.id),
        }
    }
}
