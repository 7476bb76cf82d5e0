//! A command on collections in the client: its conditions, its questions to the user, and its use of the keychain of the system. Then the
//! owner runs it.

use std::process::ExitCode;

use casetrack_core::{ErrorCode, Result};
use casetrack_engine::vaults::KeychainSlot;

use crate::commands::{CollectionCommand, KeychainUse};
use crate::keychain::{self, VaultSlots};
use crate::options::Global;
use crate::owner::client;
use crate::prompt::{can_ask, confirm_unless_no};

pub fn run(global: Global, mut command: CollectionCommand) -> Result<ExitCode> {
    let vault = match command.before_asking() {
        Some(first) => client::ended(global.clone(), first)?.vault,
        None => None,
    };
    let status = match (command.keychain_use(), vault) {
        (Some(KeychainUse::Unlock), Some(vault)) => unlock(global, command, &vault),
        (Some(KeychainUse::AddSlot), Some(vault)) => add_slot(global, command, &vault),
        (Some(KeychainUse::RemoveSlots(named)), Some(vault)) => remove_slots(global, command, &vault, named.as_deref()),
        _ => {
            command.ask()?;
            client::status_of(global, command)
        }
    };
    status.map(ExitCode::from)
}

/// Opens the vault with the keychain if a person at the terminal agrees, or else with a passphrase.
fn unlock(global: Global, mut command: CollectionCommand, vault: &VaultSlots) -> Result<u8> {
    if keychain_is_wanted(vault)? {
        let why = match keychain::open()
            .map_err(|refusal| keychain::needs_passphrase(&refusal))
            .and_then(|keychain| vault.secrets(&*keychain))
        {
            Ok(secrets) => match client::status_of(global.clone(), command.opened_by_keychain(secrets)?) {
                Err(error) if error.code == ErrorCode::WrongKey => keychain::WRONG.to_owned(),
                done => return done,
            },
            Err(why) => why,
        };
        eprintln!("{why}");
    }
    command.ask()?;
    client::status_of(global, command)
}

/// True if the keychain may be used. A person at the terminal must agree, so that a program which runs commands does not unlock a vault
/// unawares.
fn keychain_is_wanted(vault: &VaultSlots) -> Result<bool> {
    let question = format!("Unlock the vault {} with the keychain of this computer?", vault.id.short());
    Ok(!vault.keychain_slots.is_empty() && can_ask() && confirm_unless_no(&question)?)
}

/// The keychain has the secret before the vault has the slot, so that no slot is left without one.
fn add_slot(global: Global, mut command: CollectionCommand, vault: &VaultSlots) -> Result<u8> {
    // Before the user types a passphrase for nothing.
    let keychain = keychain::open().map_err(|refusal| keychain::not_added(&refusal))?;
    command.ask()?;
    let slot = KeychainSlot::random()?;
    keychain::keep(&*keychain, vault.id, &slot)?;
    let again = command.before_asking();
    command.take_keychain_slot(slot.clone())?;
    let done = client::status_of(global.clone(), command);
    if !matches!(done, Ok(0)) {
        // An owner that was killed may have added it.
        let now = again.and_then(|find| client::ended(global, find).ok()).and_then(|ended| ended.vault);
        if now.is_some_and(|vault| !vault.keychain_slots.contains(&slot.id()))
            && let Some(left) = keychain::take_back(&*keychain, vault.id, &slot)
        {
            eprintln!("{left}");
        }
    }
    done
}

/// Runs the command, then deletes the keychain entries of the slots that it removed: of the named slot, or of all slots.
fn remove_slots(global: Global, mut command: CollectionCommand, vault: &VaultSlots, named: Option<&str>) -> Result<u8> {
    command.ask()?;
    let quiet = global.quiet;
    let status = client::status_of(global, command)?;
    let is_gone = |slot: &&String| status == 0 && named.is_none_or(|named| slot.eq_ignore_ascii_case(named.trim()));
    let gone: Vec<&String> = vault.keychain_slots.iter().filter(is_gone).collect();
    if gone.is_empty() {
        return Ok(status);
    }
    let keychain = keychain::open();
    for slot in gone {
        let said = vault.forget(keychain.as_deref().map_err(Clone::clone), slot);
        if !quiet {
            eprintln!("{said}");
        }
    }
    Ok(status)
}
