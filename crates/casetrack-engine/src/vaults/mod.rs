//! Vaults: collections that open only with a key. Making one, finding one that is locked, and its keys.
//!
//! Unlocking and locking concern jobs and watches as well: see [`Engine::unlock`](crate::Engine::unlock).

use std::time::Duration;

use casetrack_core::{Action, CollectionId, CollectionMeta, Error, ErrorCode, Password, Result, Timestamp, hint};
use casetrack_store::Store;
use casetrack_vault::age::{Identity, Recipient};
use casetrack_vault::header::{Credential, Header, Protector, SlotId, SlotInfo, SlotKind};
use casetrack_vault::key::VaultKey;
use casetrack_vault::keychain::KeychainSecret;
use casetrack_vault::passphrase::{Cost, Passphrase};
use casetrack_vault::recovery::RecoveryKey;
use serde::{Deserialize, Serialize};

use casetrack_host::collections::CreateCollection;
use casetrack_host::names::{Candidate, Kind, resolve};
use casetrack_host::{Host, collections};

/// A person's key to a vault. It does not show in logs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    Passphrase(Password),
    /// The 24 words.
    RecoveryKey(Password),
    /// The text of a file of identities of age.
    Identity(Password),
    /// The secrets of a keychain for the slots of the vault, as in [`KeychainSlot::secret`]. One of them must open it.
    Keychain(Vec<Password>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewSlot {
    Passphrase(Password),
    /// New words, which are returned once.
    RecoveryKey,
    /// A recipient of age: `age1…`.
    Recipient(String),
    /// A secret that a keychain has already.
    Keychain(KeychainSlot),
}

/// A slot for a keychain, before it is added: the process with access to the keychain makes it and keeps the secret there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeychainSlot {
    id: [u8; 16],
    secret: Password,
}

impl KeychainSlot {
    /// A new one, from the system's generator.
    pub fn random() -> Result<Self> {
        let secret = Password::from(KeychainSecret::random()?.text().to_string());
        Ok(Self { id: *SlotId::random()?.as_bytes(), secret })
    }

    /// The id that it will have, as [`SlotView::id`] shows it.
    pub fn id(&self) -> String {
        SlotId::from_bytes(self.id).to_string()
    }

    pub fn secret(&self) -> &Password {
        &self.secret
    }
}

#[derive(Debug, Clone)]
pub struct VaultRequest {
    pub collection: CreateCollection,
    pub passphrase: Password,
}

#[derive(Debug, Clone, Serialize)]
pub struct NewVault {
    #[serde(flatten)]
    pub meta: CollectionMeta,
    /// The 24 words of its recovery key. They are kept nowhere.
    pub recovery_words: Password,
}

/// The disk space that moving a collection into a vault, or out of it, takes while it is under way.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct MoveSpace {
    pub needed_bytes: u64,
    pub free_bytes: u64,
}

/// The report of moving a collection into a vault, or out of it. Everything was compared with its source.
#[derive(Debug, Clone, Serialize)]
pub struct Moved {
    #[serde(flatten)]
    pub meta: CollectionMeta,
    pub documents: u64,
    pub chunks: u64,
    /// Files besides the documents' store: indexes, copies of source files, uploads.
    pub files: u64,
    /// Copies of source files that were missing before.
    pub missing_originals: u64,
    /// Overwritten files of the plain form.
    pub overwritten_files: u64,
    pub overwritten_bytes: u64,
    /// Files that have a further name elsewhere, and were removed here without being overwritten.
    pub linked_files: u64,
    /// Why a part of the old form is still there; it goes when CaseTrack starts the next time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    pub duration_ms: u64,
}

#[derive(Debug, Clone, Serialize)]
pub struct SealedCollection {
    #[serde(flatten)]
    pub moved: Moved,
    /// The 24 words of its recovery key. They are kept nowhere.
    pub recovery_words: Password,
}

#[derive(Debug, Clone, Serialize)]
pub struct LockedVault {
    pub id: CollectionId,
    /// Always true.
    pub locked: bool,
    /// Jobs that continue when it is unlocked.
    pub interrupted_jobs: u64,
    /// False if a call is still ending, after which it is closed.
    pub closed: bool,
}

#[derive(Debug, Clone, Serialize)]
pub struct VaultSlots {
    pub id: CollectionId,
    /// Absent while it is locked.
    pub name: Option<String>,
    pub locked: bool,
    /// Seconds until it locks if it is not used; absent while it is locked.
    pub locks_in_seconds: Option<u64>,
    /// In the order in which they were added.
    pub slots: Vec<SlotView>,
}

/// The description of a slot that needs no key.
#[derive(Debug, Clone, Serialize)]
pub struct SlotView {
    /// Eight hexadecimal digits.
    pub id: String,
    /// `passphrase`, `recovery_key`, `recipient`, `keychain`, or `unknown` for one of a later version.
    pub kind: &'static str,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, Serialize)]
pub struct AddedSlot {
    pub slot: SlotView,
    /// The words of a new recovery key, which are not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_words: Option<Password>,
}

impl From<SlotInfo> for SlotView {
    fn from(slot: SlotInfo) -> Self {
        let kind = match slot.kind {
            SlotKind::Passphrase => "passphrase",
            SlotKind::RecoveryKey => "recovery_key",
            SlotKind::Recipient => "recipient",
            SlotKind::Keychain => "keychain",
            SlotKind::Unknown(_) => "unknown",
        };
        Self { id: slot.id.to_string(), kind, created_at: slot.created_at }
    }
}

impl Opener {
    fn open(&self, header: &Header) -> Result<(VaultKey, SlotId)> {
        match self {
            Self::Passphrase(text) => header.open(&Credential::Passphrase(&Passphrase::new(text.reveal())?)),
            Self::RecoveryKey(words) => {
                header.open(&Credential::RecoveryKey(&RecoveryKey::from_words(words.reveal())?))
            }
            Self::Identity(text) => header.open(&Credential::Identity(&Identity::from_text(text.reveal())?)),
            Self::Keychain(secrets) => {
                let mut opened = Err(Error::new(ErrorCode::WrongKey, "The keychain has no entry for this vault."));
                for secret in secrets {
                    opened = match KeychainSecret::from_text(secret.reveal()) {
                        Ok(secret) => header.open(&Credential::Keychain(&secret)),
                        // It was replaced by something else.
                        Err(error) => Err(Error::new(ErrorCode::WrongKey, error.message)),
                    };
                    if opened.as_ref().map_or_else(|error| error.code != ErrorCode::WrongKey, |_| true) {
                        break;
                    }
                }
                opened
            }
        }
    }
}

pub(crate) fn create_vault(host: &Host, request: VaultRequest, idle: Duration) -> Result<NewVault> {
    host.only_on_disk("Vaults")?;
    let passphrase = Passphrase::new(request.passphrase.reveal())?;
    let is_open = collections::leaves_models_open(host, &request.collection);
    let (meta, models) = collections::new_collection(host, request.collection)?;
    let (key, header, recovery_words) = new_key(host, meta.id, &passphrase)?;
    let mut collection = host.registry().create_vault(&meta, &models, key, &header)?;
    if is_open {
        collection.leave_models_open()?;
    }
    host.note_unlocked(meta.id, idle);
    host.open_collections().adopt(collection);
    Ok(NewVault { meta, recovery_words })
}

/// A key for a collection, the header that holds it for this passphrase and for a new recovery key, and the words of that.
pub(crate) fn new_key(host: &Host, id: CollectionId, passphrase: &Passphrase) -> Result<(VaultKey, Header, Password)> {
    let key = VaultKey::random(id)?;
    let recovery = RecoveryKey::random()?;
    let header = {
        let _one_at_a_time = host.trying_a_passphrase();
        Header::create(&key, &Protector::Passphrase(passphrase, Cost::DEFAULT))?
    };
    let (header, _) = header.with_slot(&key, &Protector::RecoveryKey(&recovery))?;
    Ok((key, header, words(&recovery)?))
}

pub(crate) fn open_header(host: &Host, id: CollectionId, opener: &Opener) -> Result<VaultKey> {
    let _one_at_a_time = host.trying_a_passphrase();
    host.registry().open_header(id, |header| opener.open(header)).map(|(_, key, _)| key)
}

/// Finds a vault: by the beginning of its id, and, if it is unlocked, by its name or reference. With `None` the only one that is locked, or
/// else the only one there is.
///
/// Errors: [`ErrorCode::NotFound`] if no or several vaults match; [`ErrorCode::InvalidArgument`] for a collection that is not a vault.
pub fn find_vault(host: &Host, name: Option<&str>) -> Result<CollectionId> {
    host.only_on_disk("Vaults")?;
    let (locked, unlocked) = (host.registry().locked()?, host.registry().unlocked()?);
    let Some(name) = name else {
        let several = |ids: &[CollectionId]| {
            let ids: Vec<String> = ids.iter().map(|id| id.short()).collect();
            Error::new(ErrorCode::NotFound, format!("Which vault? There are {}: {}.", ids.len(), ids.join(", ")))
                .with_hint("Name one by the beginning of its ID.")
        };
        return match (locked.as_slice(), unlocked.as_slice()) {
            ([only], _) | ([], [only]) => Ok(*only),
            ([], []) => Err(Error::new(ErrorCode::NotFound, "There is no vault.").with_hint(
                "Create one with `casetrack new --vault`, or encrypt a collection with `casetrack vault \
                    seal`.",
            )),
            ([], several_of_them) | (several_of_them, _) => Err(several(several_of_them)),
        };
    };
    let metas: Vec<CollectionMeta> =
        unlocked.iter().map(|id| host.registry().meta(*id)).collect::<Result<_>>().unwrap_or_default();
    let ids: Vec<CollectionId> = locked.iter().chain(&unlocked).copied().collect();
    let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let candidates: Vec<Candidate<'_>> = ids
        .iter()
        .zip(&texts)
        .map(|(id, text)| {
            let meta = metas.iter().find(|meta| meta.id == *id);
            let aliases = meta.and_then(|meta| meta.reference.as_deref()).into_iter().collect();
            Candidate { name: meta.map_or(text, |meta| &meta.name), aliases, id: text.clone() }
        })
        .collect();
    match resolve(Kind::Collection, name, &candidates) {
        Ok(found) => Ok(ids[found]),
        Err(error) => match collections::find_collection(host, name) {
            Ok(meta) => Err(Error::invalid(format!("The collection \"{}\" is not a vault.", meta.name))
                .with_hint("Anyone who can read its files can read it. To encrypt it, use `casetrack vault seal`.")),
            Err(_) if locked.is_empty() => Err(error),
            Err(_) => {
                let short: Vec<String> = locked.iter().map(|id| id.short()).collect();
                let message = format!("There is no vault \"{name}\". Only the ID of a locked vault is known.");
                let hint = hint!["Locked: ", short.join(", "), ". ", Action::Unlock(None)];
                Err(Error::new(ErrorCode::NotFound, message).with_hint(hint))
            }
        },
    }
}

/// True if a collection is a vault, locked or not.
pub fn is_vault(host: &Host, id: CollectionId) -> bool {
    host.registry().is_vault(id)
}

pub fn unlocked_vaults(host: &Host) -> Result<Vec<CollectionId>> {
    host.registry().unlocked()
}

/// Accepts a vault that its owner put back from a backup, although it is older than its last seen state.
///
/// Errors: as for unlocking.
pub fn accept_restored(host: &Host, id: CollectionId, opener: &Opener) -> Result<()> {
    let key = open_header(host, id, opener)?;
    host.registry().accept_restored(id, &key)
}

/// The slots that open a vault. Needs no key, so the list is not authenticated.
pub fn vault_slots(host: &Host, id: CollectionId) -> Result<VaultSlots> {
    let header = host.registry().vault_header(id)?;
    let meta = host.registry().meta(id).ok();
    Ok(VaultSlots {
        id,
        locked: host.registry().key(id).is_err(),
        name: meta.map(|meta| meta.name),
        locks_in_seconds: host.locks_in(id).map(|left| left.as_secs()),
        slots: header.slots().map(SlotView::from).collect(),
    })
}

/// Adds a slot. Writes only the header. The vault need not be unlocked, and keeps its state. `opener` must open it, so that finding it unlocked
/// is not enough to make a key for later.
///
/// Errors: as for unlocking; [`ErrorCode::InvalidArgument`] if there are as many as there can be.
pub fn add_slot(host: &Host, id: CollectionId, opener: &Opener, slot: &NewSlot) -> Result<AddedSlot> {
    let _one_at_a_time = host.trying_a_passphrase();
    let (header, key, _) = host.registry().open_header(id, |header| opener.open(header))?;
    let (header, added, recovery_words) = match slot {
        NewSlot::Passphrase(text) => {
            let passphrase = Passphrase::new(text.reveal())?;
            let (header, added) = header.with_slot(&key, &Protector::Passphrase(&passphrase, Cost::DEFAULT))?;
            (header, added, None)
        }
        NewSlot::RecoveryKey => {
            let recovery = RecoveryKey::random()?;
            let (header, added) = header.with_slot(&key, &Protector::RecoveryKey(&recovery))?;
            (header, added, Some(words(&recovery)?))
        }
        NewSlot::Keychain(slot) => {
            let secret = KeychainSecret::from_text(slot.secret.reveal())?;
            let protector = Protector::Keychain(&secret, SlotId::from_bytes(slot.id));
            let (header, added) = header.with_slot(&key, &protector)?;
            (header, added, None)
        }
        NewSlot::Recipient(text) => {
            let recipient: Recipient = text.trim().parse()?;
            let (header, added) = header.with_slot(&key, &Protector::Recipient(&recipient))?;
            (header, added, None)
        }
    };
    host.registry().replace_vault_header(id, &header, &key)?;
    let info = header.slots().find(|slot| slot.id == added);
    let slot = info.map(SlotView::from).ok_or_else(|| Error::internal("The new slot is missing."))?;
    Ok(AddedSlot { slot, recovery_words })
}

/// Removes a slot, named by its digits; never the last one.
///
/// Errors: as for [`add_slot`]; [`ErrorCode::NotFound`] if there is no such slot.
pub fn remove_slot(host: &Host, id: CollectionId, opener: &Opener, slot: &str) -> Result<SlotView> {
    let _one_at_a_time = host.trying_a_passphrase();
    let header = host.registry().vault_header(id)?;
    let wanted: casetrack_vault::header::slot::ShortSlotId = slot.trim().parse()?;
    let found = header.slots().find(|slot| wanted.is_of(slot.id)).ok_or_else(|| {
        Error::new(ErrorCode::NotFound, format!("The vault has no slot {slot}."))
            .with_hint("List the slots to see their IDs.")
    })?;
    let (header, key, _) = host.registry().open_header(id, |header| opener.open(header))?;
    host.registry().replace_vault_header(id, &header.without_slot(&key, found.id)?, &key)?;
    Ok(found.into())
}

/// Puts another passphrase in the place of one; the other slots stay.
pub fn change_passphrase(host: &Host, id: CollectionId, old: &Password, new: &Password) -> Result<AddedSlot> {
    let new = Passphrase::new(new.reveal())?;
    let _one_at_a_time = host.trying_a_passphrase();
    let old = Opener::Passphrase(old.clone());
    let (header, key, replaced) = host.registry().open_header(id, |header| old.open(header))?;
    let (header, added) = header.with_slot(&key, &Protector::Passphrase(&new, Cost::DEFAULT))?;
    let header = header.without_slot(&key, replaced)?;
    host.registry().replace_vault_header(id, &header, &key)?;
    let info = header.slots().find(|slot| slot.id == added);
    let slot = info.map(SlotView::from).ok_or_else(|| Error::internal("The new slot is missing."))?;
    Ok(AddedSlot { slot, recovery_words: None })
}

fn words(recovery: &RecoveryKey) -> Result<Password> {
    recovery.words().map(|words| Password::from(words.to_string()))
}
