//! The Secret Service, which the keychains of Linux desktops offer to all programs of a user.

use std::collections::HashMap;

use casetrack_core::Password;
use dbus_secret_service::{EncryptionType, Error, SecretService};
use zeroize::Zeroizing;

use super::{Keychain, Refusal, SERVICE};

/// How long the keychain may wait for its person to unlock it, in seconds.
const PATIENCE: u64 = 60;
/// The library waits two seconds for an answer. A keychain that is being started on a busy machine takes longer.
const ATTEMPTS: u32 = 15;

pub struct Secrets(SecretService);

/// Secrets travel unencrypted over the session bus: only programs of the same user are on it, and each of them can query the keychain
/// itself.
pub fn open() -> Result<Secrets, Refusal> {
    let connect = || SecretService::connect_with_max_prompt_timeout(EncryptionType::Plain, PATIENCE);
    patiently(connect).map(Secrets).map_err(|error| {
        tracing::debug!(%error, "no Secret Service");
        Refusal::Absent
    })
}

impl Keychain for Secrets {
    fn keep(&self, account: &str, label: &str, secret: &Password) -> Result<(), Refusal> {
        let keep = || {
            let keyring = self.0.get_default_collection()?;
            keyring.ensure_unlocked()?;
            let secret = secret.reveal().as_bytes();
            keyring.create_item(label, attributes(account), secret, true, "text/plain").map(drop)
        };
        patiently(keep).map_err(|error| match error {
            Error::NoResult => Refusal::Failed("it has no default keyring".to_owned()),
            other => refusal(other),
        })
    }

    fn find(&self, account: &str) -> Result<Option<Password>, Refusal> {
        let find = || {
            let found = self.0.search_items(attributes(account))?;
            let Some(item) = found.unlocked.first().or(found.locked.first()) else { return Ok(None) };
            item.ensure_unlocked()?;
            let secret = Zeroizing::new(item.get_secret()?);
            // Bytes that are not text are not our secret, and open nothing.
            Ok(Some(Password::from(String::from_utf8_lossy(&secret).into_owned())))
        };
        patiently(find).map_err(refusal)
    }

    fn forget(&self, account: &str) -> Result<bool, Refusal> {
        let forget = || {
            let found = self.0.search_items(attributes(account))?;
            let mut any = false;
            for item in found.unlocked.iter().chain(&found.locked) {
                item.ensure_unlocked()?;
                item.delete()?;
                any = true;
            }
            Ok(any)
        };
        patiently(forget).map_err(refusal)
    }
}

/// The attributes by which an entry is found, as other programs name them.
fn attributes(account: &str) -> HashMap<&str, &str> {
    HashMap::from([("service", SERVICE), ("username", account)])
}

/// Repeats work while the keychain does not answer in time.
fn patiently<T>(work: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 1..ATTEMPTS {
        match work() {
            Err(Error::Dbus(error)) if is_late(&error) => {}
            done => return done,
        }
    }
    work()
}

fn is_late(error: &dbus::Error) -> bool {
    const LATE: [&str; 3] = ["NoReply", "Timeout", "TimedOut"];
    let name = error.name().and_then(|name| name.strip_prefix("org.freedesktop.DBus.Error."));
    name.is_some_and(|name| LATE.contains(&name))
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Locked | Error::Prompt => Refusal::Locked,
        Error::Unavailable => Refusal::Absent,
        other => Refusal::Failed(other.to_string()),
    }
}
