//! The keychain of macOS, and the Credential Manager of Windows.

use std::collections::HashMap;
use std::sync::Arc;

#[cfg(target_os = "macos")]
use apple_native_keyring_store::keychain::Store;
use casetrack_core::Password;
use keyring_core::api::CredentialStoreApi;
use keyring_core::{Entry, Error};
#[cfg(windows)]
use windows_native_keyring_store::Store;

use super::{Keychain, Refusal, SERVICE};

pub struct Native(Arc<Store>);

pub fn open() -> Result<Native, Refusal> {
    Store::new().map(Native).map_err(refusal)
}

impl Native {
    fn entry(&self, account: &str) -> Result<Entry, Refusal> {
        // Windows would take an entry along to other computers of a domain.
        let modifiers = if cfg!(windows) { HashMap::from([("persistence", "Local")]) } else { HashMap::new() };
        self.0.build(SERVICE, account, Some(&modifiers)).map_err(refusal)
    }
}

impl Keychain for Native {
    fn keep(&self, account: &str, _label: &str, secret: &Password) -> Result<(), Refusal> {
        self.entry(account)?.set_password(secret.reveal()).map_err(refusal)
    }

    fn find(&self, account: &str) -> Result<Option<Password>, Refusal> {
        match self.entry(account)?.get_password() {
            Ok(secret) => Ok(Some(Password::from(secret))),
            Err(Error::NoEntry) => Ok(None),
            // It is not one of ours, and opens nothing.
            Err(Error::BadEncoding(_)) => Ok(Some(Password::from(String::new()))),
            Err(error) => Err(refusal(error)),
        }
    }

    fn forget(&self, account: &str) -> Result<bool, Refusal> {
        match self.entry(account)?.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            Err(error) => Err(refusal(error)),
        }
    }
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::NoStorageAccess(_) => Refusal::Locked,
        Error::NoDefaultStore => Refusal::Absent,
        other => Refusal::Failed(other.to_string()),
    }
}
