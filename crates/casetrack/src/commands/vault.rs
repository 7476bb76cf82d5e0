//! `casetrack unlock`, `lock` and `vault`
//!
//! The client asks for passphrases, and they travel through the owner's socket, which only the same user can open.

pub mod seal;

use std::time::Duration;

use casetrack_core::{CollectionId, CollectionMeta, Error, Password, Result};
use casetrack_engine::vaults;
use casetrack_engine::vaults::{AddedSlot, KeychainSlot, LockedVault, NewSlot, NewVault, SlotView, VaultSlots};
use casetrack_text::format::counted;
use clap::{Args, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use super::{CollectionCommand, KeychainUse};
use crate::console::Console;
use crate::secrets::VaultOpener;

/// Words of a recovery key in a row.
const ROW: usize = 4;

/// Unlock a vault, so that it can be used like any collection
///
/// Asks for its passphrase, or for permission to use the keychain, if the vault has a keychain slot (`casetrack vault add-slot keychain`).
/// It stays unlocked until it has not been used for a while, until `casetrack lock`, or until CaseTrack's background process ends. Its
/// paused jobs and watches continue. Only the ID of a locked vault is known: `casetrack collections` shows it.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct Unlock {
    /// ID of the vault, or the beginning of it [default: the only locked one]
    #[arg(value_name = "ID")]
    vault: Option<String>,
    /// Lock it after this time without use: 90s, 30m, 2h [default: lock_after of config.toml, or 30m]
    #[arg(long, value_name = "TIME", value_parser = casetrack_core::settings::duration)]
    idle: Option<Duration>,
    /// Accept a vault, or its header, that is older than the one last seen, because you restored it from a backup
    #[arg(long)]
    restored: bool,
    #[command(flatten)]
    with: VaultOpener,
}

impl Unlock {
    pub fn which(&self) -> FindVault {
        FindVault { vault: self.vault.clone() }
    }

    pub fn ask(&mut self) -> Result<()> {
        self.with.ask()
    }

    pub fn may_use_keychain(&self) -> bool {
        self.with.asks_for_passphrase()
    }

    pub fn opened_by_keychain(&self, secrets: Vec<Password>) -> Self {
        Self { with: self.with.by_keychain(secrets), ..self.clone() }
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let id = vaults::find_vault(engine.host(), self.vault.as_deref())?;
        let idle = idle(self.idle, console)?;
        let opener = self.with.opener()?;
        if self.restored {
            vaults::accept_restored(engine.host(), id, &opener)?;
        }
        let meta = engine.unlock(id, &opener, idle)?;
        console.print(&meta, |CollectionMeta { name, id, .. }| {
            format!("Unlocked \"{name}\" (ID: {}). {}", id.short(), until(idle))
        })
    }
}

/// How long a vault stays unlocked.
pub fn idle(given: Option<Duration>, console: &Console) -> Result<Duration> {
    Ok(given.unwrap_or(console.global.settings()?.vault.lock_after))
}

fn until(idle: Duration) -> String {
    let seconds = idle.as_secs();
    let time = match (seconds % 3600, seconds % 60) {
        (0, _) => counted(seconds / 3600, "hour"),
        (_, 0) => counted(seconds / 60, "minute"),
        _ => counted(seconds, "second"),
    };
    format!("It locks after {time} without use, with `casetrack lock`, and when CaseTrack's background process ends.")
}

/// Lock a vault
///
/// Removes its key and its texts from memory, after running calls have ended. Jobs and watches pause, and continue when it is unlocked.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Lock {
    /// Name, reference or ID of the vault [default: the only one]
    #[arg(value_name = "NAME", conflicts_with = "all")]
    vault: Option<String>,
    /// Lock all vaults
    #[arg(long)]
    all: bool,
}

impl Lock {
    pub fn run(self, console: &Console) -> Result<u8> {
        let engine = &console.engine;
        let ids = match self.all {
            true => vaults::unlocked_vaults(engine.host())?,
            false => vec![vaults::find_vault(engine.host(), self.vault.as_deref())?],
        };
        let (mut locked, mut failed) = (Vec::new(), None);
        for id in ids {
            match engine.lock(id) {
                Ok(vault) => locked.push(vault),
                // The others are locked all the same.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let shown = |locked: &Vec<LockedVault>| match locked.as_slice() {
            [] => "No vault is unlocked.".to_owned(),
            all => all.iter().map(locked_vault).collect::<Vec<_>>().join("\n"),
        };
        match failed {
            Some(error) if locked.is_empty() => Err(error),
            Some(error) => console.print(&locked, shown).and(Err(error)),
            None => console.print(&locked, shown),
        }
    }
}

fn locked_vault(vault: &LockedVault) -> String {
    let mut text = format!("Locked {}.", vault.id.short());
    if vault.interrupted_jobs > 0 {
        let jobs = counted(vault.interrupted_jobs, "job");
        text.push_str(&format!(" Interrupted: {jobs}, to continue when it is unlocked."));
    }
    if !vault.closed {
        text.push_str(" A running call is still ending; the vault accepts no other.");
    }
    text
}

/// Make a collection a vault, and list and change the slots of a vault
///
/// Each slot holds a key that opens the vault: a passphrase, a recovery key, an age recipient or the keychain. Changing slots takes a
/// moment, however large the vault is, and always needs a key of the vault, even while it is unlocked.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct Vault {
    #[command(subcommand)]
    command: VaultCommand,
}

#[derive(Debug, Subcommand, Serialize, Deserialize)]
enum VaultCommand {
    Seal(seal::Seal),
    Unseal(seal::Unseal),
    /// List the slots of a vault
    Slots {
        #[command(flatten)]
        which: VaultName,
    },
    AddSlot(AddSlot),
    RemoveSlot(RemoveSlot),
    ChangePassphrase(ChangePassphrase),
}

impl Vault {
    /// The check before any question to the user.
    pub fn before_asking(&self) -> Option<CollectionCommand> {
        let which = match &self.command {
            VaultCommand::Slots { .. } => return None,
            VaultCommand::Seal(command) => return Some(CollectionCommand::CanMove(command.can_move())),
            VaultCommand::Unseal(command) => return Some(CollectionCommand::CanMove(command.can_move())),
            VaultCommand::AddSlot(command) => &command.which,
            VaultCommand::RemoveSlot(command) => &command.which,
            VaultCommand::ChangePassphrase(command) => &command.which,
        };
        Some(CollectionCommand::FindVault(FindVault { vault: which.vault.clone() }))
    }

    pub fn ask(&mut self) -> Result<()> {
        match &mut self.command {
            VaultCommand::Slots { .. } => Ok(()),
            VaultCommand::Seal(command) => command.ask(),
            VaultCommand::Unseal(command) => command.ask(),
            VaultCommand::AddSlot(command) => command.ask(),
            VaultCommand::RemoveSlot(command) => command.with.ask(),
            VaultCommand::ChangePassphrase(command) => command.ask(),
        }
    }

    pub fn run(self, console: &Console) -> Result<u8> {
        match self.command {
            VaultCommand::Seal(command) => command.run(console),
            VaultCommand::Unseal(command) => command.run(console),
            VaultCommand::Slots { which } => {
                console.print(&vaults::vault_slots(console.host(), which.find(console)?)?, slots_text)
            }
            VaultCommand::AddSlot(command) => command.run(console),
            VaultCommand::RemoveSlot(command) => command.run(console),
            VaultCommand::ChangePassphrase(command) => command.run(console),
        }
    }

    pub fn may_be_repeated(&self) -> bool {
        matches!(self.command, VaultCommand::Slots { .. })
    }

    pub fn keychain_use(&self) -> Option<KeychainUse> {
        match &self.command {
            VaultCommand::AddSlot(command) if command.kind == Kind::Keychain => Some(KeychainUse::AddSlot),
            VaultCommand::RemoveSlot(command) => Some(KeychainUse::RemoveSlots(Some(command.slot.clone()))),
            VaultCommand::Unseal(_) => Some(KeychainUse::RemoveSlots(None)),
            _ => None,
        }
    }

    pub fn take_keychain_slot(&mut self, slot: KeychainSlot) -> Result<()> {
        match &mut self.command {
            VaultCommand::AddSlot(command) => command.keychain = Some(slot),
            _ => return Err(Error::internal("Only `vault add-slot` adds a slot.")),
        }
        Ok(())
    }
}

#[derive(Debug, Args, Serialize, Deserialize)]
struct VaultName {
    /// ID of the vault, or the beginning of it; its name, while it is unlocked [default: the only one]
    #[arg(short = 'c', long = "collection", value_name = "NAME")]
    vault: Option<String>,
}

impl VaultName {
    fn find(&self, console: &Console) -> Result<CollectionId> {
        vaults::find_vault(console.host(), self.vault.as_deref())
    }
}

fn slots_text(vault: &VaultSlots) -> String {
    let name = vault.name.as_ref().map(|name| format!("\"{name}\" ")).unwrap_or_default();
    let state = match vault.locks_in_seconds {
        _ if vault.locked => "locked".to_owned(),
        Some(left) => format!("unlocked; locks in {} without use", counted(left.div_ceil(60), "minute")),
        None => "unlocked".to_owned(),
    };
    let mut text = format!("Vault {name}(ID: {}), {state}. It opens with:\n\n", vault.id.short());
    for slot in &vault.slots {
        text.push_str(&format!("  {}  {:<12}  added {}\n", slot.id, kind(slot), slot.created_at));
    }
    text
}

fn kind(slot: &SlotView) -> &'static str {
    match slot.kind {
        "passphrase" => "passphrase",
        "recovery_key" => "recovery key",
        "recipient" => "age identity",
        "keychain" => "keychain",
        _ => "of a later version",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
enum Kind {
    /// Another passphrase; CaseTrack asks for it
    Passphrase,
    /// 24 words, which are printed once
    Recovery,
    /// An age recipient: the matching age identity opens the vault
    Recipient,
    /// A secret in the keychain of this computer: `casetrack unlock` then needs no passphrase here
    Keychain,
}

/// Add a slot to a vault
///
/// With `keychain`, every program that you run while you are logged in can open the vault. While the computer is switched off, the vault is
/// as safe as your login. CaseTrack uses it only in `casetrack unlock` at a terminal, and asks first; assistants cannot use it.
#[derive(Debug, Args, Serialize, Deserialize)]
struct AddSlot {
    /// The kind of slot
    kind: Kind,
    /// The recipient: age1…
    #[arg(value_name = "RECIPIENT", required_if_eq("kind", "recipient"))]
    recipient: Option<String>,
    #[command(flatten)]
    which: VaultName,
    #[command(flatten)]
    with: VaultOpener,
    #[arg(skip)]
    new: Option<Password>,
    #[arg(skip)]
    keychain: Option<KeychainSlot>,
}

impl AddSlot {
    fn ask(&mut self) -> Result<()> {
        if self.recipient.is_some() && self.kind != Kind::Recipient {
            return Err(Error::invalid("Only `add-slot recipient` takes a recipient.").with_hint("Leave it out."));
        }
        self.with.ask()?;
        if self.kind == Kind::Passphrase {
            self.new = Some(self.with.from().read_new("New passphrase")?);
        }
        Ok(())
    }

    fn run(self, console: &Console) -> Result<u8> {
        let missing = || Error::internal("CaseTrack did not ask for the secret of the slot.");
        let id = self.which.find(console)?;
        let slot = match self.kind {
            Kind::Passphrase => NewSlot::Passphrase(self.new.ok_or_else(missing)?),
            Kind::Recovery => NewSlot::RecoveryKey,
            Kind::Recipient => NewSlot::Recipient(self.recipient.ok_or_else(missing)?),
            Kind::Keychain => NewSlot::Keychain(self.keychain.ok_or_else(missing)?),
        };
        let added = vaults::add_slot(console.host(), id, &self.with.opener()?, &slot)?;
        console.print(&added, |AddedSlot { slot, recovery_words }| {
            let words = recovery_words.as_ref().map(|words| format!("\n\n{}", words_text(words))).unwrap_or_default();
            let warning = if slot.kind == "keychain" { IN_KEYCHAIN } else { "" };
            format!("Added slot {} ({}).{warning}{words}", slot.id, kind(slot))
        })
    }
}

/// Advice for users who add a keychain.
const IN_KEYCHAIN: &str =
    " While you are logged in here, every program that you run can open the vault through the keychain.";

/// Remove a slot of a vault, never the last one
///
/// Removing a keychain slot also deletes the keychain entry. Old copies of the vault still open with the removed key.
#[derive(Debug, Args, Serialize, Deserialize)]
struct RemoveSlot {
    /// The slot, as `casetrack vault slots` shows it
    slot: String,
    #[command(flatten)]
    which: VaultName,
    #[command(flatten)]
    with: VaultOpener,
}

impl RemoveSlot {
    fn run(self, console: &Console) -> Result<u8> {
        let id = self.which.find(console)?;
        let removed = vaults::remove_slot(console.host(), id, &self.with.opener()?, &self.slot)?;
        console.print(&removed, |slot| format!("Removed slot {} ({}).", slot.id, kind(slot)))
    }
}

/// Change a passphrase; the other slots stay
#[derive(Debug, Args, Serialize, Deserialize)]
struct ChangePassphrase {
    #[command(flatten)]
    which: VaultName,
    #[command(flatten)]
    from: crate::secrets::PassphraseSource,
    #[arg(skip)]
    old_and_new: Option<(Password, Password)>,
}

impl ChangePassphrase {
    fn ask(&mut self) -> Result<()> {
        let old = self.from.read("Present passphrase")?;
        self.old_and_new = Some((old, self.from.read_new("New passphrase")?));
        Ok(())
    }

    fn run(self, console: &Console) -> Result<u8> {
        let missing = || Error::internal("No passphrases were asked for.");
        let (old, new) = self.old_and_new.ok_or_else(missing)?;
        let changed = vaults::change_passphrase(console.host(), self.which.find(console)?, &old, &new)?;
        console.print(&changed, |changed| format!("Changed the passphrase (slot {}).", changed.slot.id))
    }
}

/// Finds the vault, before the user is asked for its passphrase, and sends the client the slots that a keychain opens.
#[derive(Debug, Args, Serialize, Deserialize)]
#[command(hide = true)]
pub struct FindVault {
    vault: Option<String>,
}

impl FindVault {
    pub fn run(self, console: &Console) -> Result<u8> {
        console.found_vault(vaults::find_vault(console.host(), self.vault.as_deref())?);
        Ok(0)
    }
}

/// The text of `casetrack new --vault`.
pub fn created(vault: &NewVault, idle: Duration) -> String {
    let NewVault { meta: CollectionMeta { id, name, .. }, recovery_words } = vault;
    format!(
        "Created the vault \"{name}\" (ID: {}). {}\n\n{}\n\nNext: casetrack ingest PATH... -c \"{name}\"",
        id.short(),
        until(idle),
        words_text(recovery_words)
    )
}

/// How the words of a recovery key are shown.
pub fn words_text(words: &Password) -> String {
    let words: Vec<&str> = words.reveal().split(' ').collect();
    let rows = words.chunks(ROW).enumerate().map(|(row, words)| {
        let numbered = words.iter().enumerate().map(|(place, word)| format!("{:>2} {word:<10}", row * ROW + place + 1));
        format!("    {}", numbered.collect::<Vec<_>>().join("").trim_end())
    });
    format!(
        "Recovery key. Write these 24 words down and keep them safe from others. They open the vault if \
         the passphrase is lost, and are shown only once. Without the passphrase and these words, no one can read the \
         vault again.\n\n{}",
        rows.collect::<Vec<_>>().join("\n")
    )
}
