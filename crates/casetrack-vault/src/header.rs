//! The header of a vault: its slots, each of which holds the key, wrapped for one passphrase, recovery key, recipient
//! or keychain.
//!
//! Numbers are little endian.
//!
//! | bytes | |
//! |---|---|
//! | 7 | `CTVAULT` |
//! | 1 | version: [`VERSION`] |
//! | 16 | id of the collection |
//! | 8 | generation, raised by each change |
//! | 1 | number of slots, at most [`MAX_SLOTS`] |
//! | … | the slots ([`slot`](self::slot)) |
//! | 32 | HMAC-SHA256 of all before, with the subkey for headers |
//! | 8 | the first bytes of the SHA-256 of all before |
//!
//! The checksum at the end distinguishes damage from a wrong passphrase, without any key. The HMAC proves that all
//! slots were written with the key: a slot that was added, taken from an earlier header or made cheaper to guess is
//! noticed when the vault is unlocked. A header that is an earlier one as a whole is not noticed by itself; its
//! generation is lower.

pub mod slot;

use std::fmt;

use casetrack_core::{CollectionId, Error, ErrorCode, Result, Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

pub use self::slot::{Credential, Protector, SlotId, SlotKind};
use self::slot::{Slot, SlotBinding};
use crate::errors::{newer, refused};
use crate::key::VaultKey;

pub const VERSION: u8 = 1;
/// Maximum slots of a vault.
pub const MAX_SLOTS: usize = 32;
pub const MAX_BYTES: usize = 64 << 10;

const MAGIC: &[u8; 7] = b"CTVAULT";
const MAC: usize = 32;
const CHECKSUM: usize = 8;

#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    collection: CollectionId,
    generation: u64,
    slots: Vec<Slot>,
    mac: [u8; MAC],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotInfo {
    pub id: SlotId,
    pub kind: SlotKind,
    pub created_at: Timestamp,
}

impl Header {
    pub fn create(key: &VaultKey, first: &Protector<'_>) -> Result<Self> {
        let empty = Self { collection: key.collection(), generation: 0, slots: Vec::new(), mac: [0; MAC] };
        empty.adding(key, first).map(|(header, _)| header)
    }

    /// This header with one more slot, and the id of that slot. Errors: [`ErrorCode::WrongKey`] if the key is another
    /// vault's, [`ErrorCode::InvalidArgument`] if there are [`MAX_SLOTS`] already.
    pub fn with_slot(&self, key: &VaultKey, protector: &Protector<'_>) -> Result<(Self, SlotId)> {
        self.check(key)?;
        self.adding(key, protector)
    }

    fn adding(&self, key: &VaultKey, protector: &Protector<'_>) -> Result<(Self, SlotId)> {
        if self.slots.len() >= MAX_SLOTS {
            return Err(Error::invalid(format!("The vault has {MAX_SLOTS} slots, which is the most it can have."))
                .with_hint("Remove one that is not needed any more, then try again."));
        }
        let slot = Slot::wrap(self.place(), key, protector)?;
        let id = slot.id;
        if self.slots.iter().any(|other| other.id.short() == id.short()) {
            return Err(Error::invalid(format!("The vault has a slot {id} already."))
                .with_hint("Nothing was changed. Try again: the id of a slot is random."));
        }
        let slots = self.slots.iter().cloned().chain([slot]).collect();
        Ok((self.changed(key, slots)?, id))
    }

    /// This header without a slot. The secret of that slot no longer opens the vault, but it still opens copies of the
    /// earlier header and files. Errors: [`ErrorCode::WrongKey`] as above, [`ErrorCode::NotFound`] if there is no such
    /// slot, [`ErrorCode::InvalidArgument`] for the last one that a person can open: a key that only a keychain has is
    /// lost with the keychain.
    pub fn without_slot(&self, key: &VaultKey, id: SlotId) -> Result<Self> {
        self.check(key)?;
        let slots: Vec<Slot> = self.slots.iter().filter(|slot| slot.id != id).cloned().collect();
        if slots.len() == self.slots.len() {
            return Err(Error::new(ErrorCode::NotFound, format!("The vault has no slot {id}."))
                .with_hint("List the slots to see their IDs."));
        }
        if slots.iter().all(|slot| matches!(slot.kind, SlotKind::Unknown(_) | SlotKind::Keychain)) {
            let last = match slots.iter().any(|slot| slot.kind == SlotKind::Keychain) {
                true => "the last one except the keychain, which can be lost: then no one could open the vault",
                false => "the last one: without it no one could open the vault",
            };
            return Err(Error::invalid(format!("Slot {id} is {last}.")).with_hint("Add another slot first."));
        }
        self.changed(key, slots)
    }

    /// This header with a generation above `generation`: for one that was restored from a backup on purpose. Errors:
    /// [`ErrorCode::WrongKey`].
    pub fn following(&self, key: &VaultKey, generation: u64) -> Result<Self> {
        self.check(key)?;
        let last = Self { generation: self.generation.max(generation), ..self.clone() };
        last.changed(key, self.slots.clone())
    }

    fn changed(&self, key: &VaultKey, slots: Vec<Slot>) -> Result<Self> {
        let generation = self.generation.checked_add(1).ok_or_else(|| refused("Counting the changes of a header"))?;
        let mut header = Self { collection: self.collection, generation, slots, mac: [0; MAC] };
        header.mac = header.hmac(key)?.finalize().into_bytes().into();
        Ok(header)
    }

    /// Finds a slot that this credential opens, and returns the key. A passphrase takes as long to try as its slots
    /// demand, at most some seconds each. Errors: [`ErrorCode::WrongKey`] if no slot opens, [`ErrorCode::Corrupt`] if
    /// the header was changed without the key.
    pub fn unlock(&self, credential: &Credential<'_>) -> Result<VaultKey> {
        self.open(credential).map(|(key, _)| key)
    }

    /// As [`unlock`](Self::unlock), with the slot that opened.
    pub fn open(&self, credential: &Credential<'_>) -> Result<(VaultKey, SlotId)> {
        let mut tried = false;
        for slot in self.slots.iter().filter(|slot| slot.kind == credential.kind()) {
            tried = true;
            if let Some(key) = slot.unwrap(self.place(), credential)? {
                return self.check(&key).map(|()| (key, slot.id)).map_err(|_| forged());
            }
        }
        let (with, kind) = (credential.what(), credential.kind());
        Err(match tried {
            true => Error::new(ErrorCode::WrongKey, format!("The vault does not open with this {with}."))
                .with_hint("Check what you typed, also capitals and the layout of the keyboard. Nothing was changed."),
            false => Error::new(ErrorCode::WrongKey, format!("The vault has no slot that opens with a {kind}."))
                .with_hint("List its slots to see what opens it."),
        })
    }

    /// Makes sure that this is the key of this vault, and that the header was written with it. Errors:
    /// [`ErrorCode::WrongKey`].
    pub fn check(&self, key: &VaultKey) -> Result<()> {
        let hmac = self.hmac(key)?;
        let own = key.collection() == self.collection && hmac.verify_slice(&self.mac).is_ok();
        let wrong = || Error::new(ErrorCode::WrongKey, "This is not the key of the vault.");
        own.then_some(()).ok_or_else(wrong)
    }

    fn hmac(&self, key: &VaultKey) -> Result<Hmac<Sha256>> {
        let hmac = Hmac::<Sha256>::new_from_slice(key.header()?.reveal());
        let mut hmac = hmac.map_err(|_| refused("HMAC"))?;
        hmac.update(&self.vouched());
        Ok(hmac)
    }

    pub fn collection(&self) -> CollectionId {
        self.collection
    }

    /// The number of changes of the slots.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// All slots, in the order in which they were added.
    pub fn slots(&self) -> impl Iterator<Item = SlotInfo> {
        self.slots.iter().map(|slot| SlotInfo { id: slot.id, kind: slot.kind, created_at: slot.created_at })
    }

    fn place(&self) -> SlotBinding {
        SlotBinding { version: VERSION, collection: self.collection }
    }

    fn vouched(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(1024);
        bytes.extend_from_slice(MAGIC);
        bytes.push(VERSION);
        bytes.extend_from_slice(self.collection.as_bytes());
        bytes.extend_from_slice(&self.generation.to_le_bytes());
        // At most MAX_SLOTS: both ways to a header check it.
        bytes.push(self.slots.len() as u8);
        for slot in &self.slots {
            slot.encode(&mut bytes);
        }
        bytes
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.vouched();
        bytes.extend_from_slice(&self.mac);
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum[..CHECKSUM]);
        bytes
    }

    /// Reads the file. Errors: [`ErrorCode::Corrupt`] if it is damaged or no header, [`ErrorCode::NewerSchema`] for a
    /// later format.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MAX_BYTES || !bytes.starts_with(MAGIC) {
            return Err(damaged());
        }
        match bytes.get(MAGIC.len()) {
            Some(&VERSION) => {}
            Some(&version) if version > VERSION => {
                return Err(newer("The header of the vault", version.into(), VERSION.into()));
            }
            _ => return Err(damaged()),
        }
        Self::decode_known(bytes).ok_or_else(damaged)
    }

    fn decode_known(bytes: &[u8]) -> Option<Self> {
        let (summed, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
        (Sha256::digest(summed)[..CHECKSUM] == *checksum).then_some(())?;
        let (vouched, mac) = summed.split_last_chunk::<MAC>()?;
        let rest = vouched.get(MAGIC.len() + 1..)?;
        let (collection, rest) = rest.split_first_chunk::<16>()?;
        let (generation, rest) = rest.split_first_chunk::<8>()?;
        let (&count, mut rest) = rest.split_first()?;
        let mut slots = Vec::new();
        for _ in 0..count {
            let slot;
            (slot, rest) = Slot::decode(rest)?;
            slots.push(slot);
        }
        (rest.is_empty() && slots.len() <= MAX_SLOTS).then_some(Self {
            collection: CollectionId::from_bytes(*collection),
            generation: u64::from_le_bytes(*generation),
            slots,
            mac: *mac,
        })
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots: Vec<_> = self.slots().collect();
        f.debug_struct("Header").field("collection", &self.collection).field("slots", &slots).finish_non_exhaustive()
    }
}

fn damaged() -> Error {
    Error::new(ErrorCode::Corrupt, "The header of the vault is damaged, so its key cannot be read.")
        .with_hint("Restore the header from a backup: without it nothing in the vault can be read.")
}

fn forged() -> Error {
    Error::new(ErrorCode::Corrupt, "The header of the vault was changed by someone who did not have its key.")
        .with_hint("Restore the header from a backup, and find out who can write to this folder.")
}

#[cfg(test)]
mod tests;
