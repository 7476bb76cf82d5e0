//! The keychain of the system, and its secrets for slots of vaults: GNOME Keyring, KWallet or another Secret Service on Linux, the keychain
//! of macOS, the Credential Manager of Windows.
//!
//! Only the client reaches it, with a person at the terminal. The owner, which serves assistants, never does: a test checks that no other
//! file names the libraries.

#[cfg(any(target_os = "macos", windows))]
mod native;
#[cfg(not(any(target_os = "macos", windows)))]
mod secret_service;
#[cfg(test)]
mod tests;

use std::fmt;

use casetrack_core::{CollectionId, Error, ErrorCode, Password, Result};
use casetrack_engine::vaults::KeychainSlot;
use serde::{Deserialize, Serialize};

const SERVICE: &str = "CaseTrack";

/// A store of secrets by their account.
pub trait Keychain {
    /// Stores a secret, replacing one of the same account. The system may show people its `label`.
    fn keep(&self, account: &str, label: &str, secret: &Password) -> Result<(), Refusal>;
    /// `None` if there is no such entry.
    fn find(&self, account: &str) -> Result<Option<Password>, Refusal>;
    /// Returns true if there was such an entry.
    fn forget(&self, account: &str) -> Result<bool, Refusal>;
}

/// Why the keychain did not do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is none, or it does not answer.
    Absent,
    Locked,
    /// In the system's words.
    Failed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("there is no keychain that can be reached from this terminal"),
            Self::Locked => f.write_str("the keychain is locked, and was not unlocked"),
            Self::Failed(why) => write!(f, "the keychain failed: {why}"),
        }
    }
}

/// Reaches the keychain. It may ask for its own password when it is used, in its own window.
pub fn open() -> Result<Box<dyn Keychain>, Refusal> {
    #[cfg(any(target_os = "macos", windows))]
    let keychain = native::open()?;
    #[cfg(not(any(target_os = "macos", windows)))]
    let keychain = secret_service::open()?;
    Ok(Box::new(keychain))
}

/// The client's information on a vault before it asks for a passphrase.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VaultSlots {
    pub id: CollectionId,
    /// The ids of the slots that a keychain opens, of this computer or of another.
    pub keychain_slots: Vec<String>,
}

impl VaultSlots {
    /// The secrets in the keychain for its slots.
    ///
    /// Errors: one sentence with the reason why a passphrase is needed.
    pub fn secrets(&self, keychain: &dyn Keychain) -> Result<Vec<Password>, String> {
        let mut found = Vec::new();
        for slot in &self.keychain_slots {
            found.extend(keychain.find(&account(self.id, slot)).map_err(|refusal| needs_passphrase(&refusal))?);
        }
        if found.is_empty() {
            return Err(
                "The keychain of this computer has no entry for the vault, so another key must open it.".to_owned()
            );
        }
        Ok(found)
    }

    /// Deletes the entry of a removed slot, and returns a sentence on the result.
    pub fn forget(&self, keychain: Result<&dyn Keychain, Refusal>, slot: &str) -> String {
        match keychain.and_then(|keychain| keychain.forget(&account(self.id, slot))) {
            Ok(true) => format!("The keychain's entry for slot {slot} is deleted."),
            Ok(false) => format!(
                "The keychain of this computer has no entry for slot {slot}. If it was added on another computer, delete the entry \"{SERVICE}\", {}, there.",
                account(self.id, slot)
            ),
            Err(refusal) => format!(
                "The keychain's entry for slot {slot} could not be deleted: {refusal}. It no longer opens the vault; \
                 delete \"{SERVICE}\", {}, in the keychain.",
                account(self.id, slot)
            ),
        }
    }
}

/// The message if the keychain has another secret.
pub const WRONG: &str = "The keychain entry does not open the vault, so another key must open it.";

/// Why something else must open the vault.
pub fn needs_passphrase(refusal: &Refusal) -> String {
    let mut why = refusal.to_string();
    if let Some(first) = why.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{why}, so another key must open the vault.")
}

/// Keeps the secret of a slot that is about to be added, and makes sure that it is there.
pub fn keep(keychain: &dyn Keychain, vault: CollectionId, slot: &KeychainSlot) -> Result<()> {
    let account = account(vault, &slot.id());
    let label = format!("{SERVICE}: vault {}", vault.short());
    let kept = keychain.keep(&account, &label, slot.secret()).and_then(|()| keychain.find(&account));
    match kept.map_err(|refusal| not_added(&refusal))? {
        Some(found) if found == *slot.secret() => Ok(()),
        _ => Err(not_added(&Refusal::Failed("it does not return the stored secret".to_owned()))),
    }
}

/// Deletes an entry that no slot came of.
pub fn take_back(keychain: &dyn Keychain, vault: CollectionId, slot: &KeychainSlot) -> Option<String> {
    let account = account(vault, &slot.id());
    let refusal = keychain.forget(&account).err()?;
    Some(format!(
        "The keychain has an entry that opens nothing, and it could not be deleted: {refusal}. Delete \"{SERVICE}\", {account}, in the keychain."
    ))
}

/// The error if the keychain does not take a secret.
pub fn not_added(refusal: &Refusal) -> Error {
    Error::new(ErrorCode::WrongState, format!("The vault was not changed: {refusal}.")).with_hint(
        "Unlock the keychain, or log in at the desktop, then try again. Without a keychain, a passphrase or a recovery key opens the vault.",
    )
}

fn account(vault: CollectionId, slot: &str) -> String {
    format!("{vault}/{slot}")
}
