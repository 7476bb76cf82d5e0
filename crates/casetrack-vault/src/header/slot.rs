//! One slot: the key of a vault, wrapped.
//!
//! | bytes | |
//! |---|---|
//! | 1 | kind: 1 passphrase, 2 recovery key, 3 recipient of age, 4 keychain |
//! | 16 | id of the slot, random |
//! | 8 | when it was made, milliseconds since 1970 UTC, signed |
//! | 2 | length of the body |
//! | … | the body |
//!
//! The body of a **passphrase**: memory in KiB, passes and lanes of Argon2id (4 bytes each), salt (16), nonce (24), the
//! wrapped key (48). The body of a **recovery key** or a **keychain**: salt (16), nonce (24), the wrapped key (48).
//! These wrap with XChaCha20-Poly1305; the associated data is `casetrack slot`, the first 24 bytes of the header
//! (magic, version, collection), kind, id and time of the slot, and the bytes of the body before the nonce. The body of
//! a **recipient**: a file of age, encrypted to one recipient, which holds the 32 bytes of the key; `age -d` opens it.

use std::fmt;
use std::str::FromStr;

use casetrack_core::{CollectionId, Result, Timestamp};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::MAGIC;
use crate::age::{self, Identity, Recipient};
use crate::errors::refused;
use crate::key::VaultKey;
use crate::keychain::KeychainSecret;
use crate::passphrase::{Cost, Passphrase};
use crate::recovery::RecoveryKey;
use crate::secret::{Secret, random};

const SALT: usize = 16;
const NONCE: usize = 24;
const WRAPPED: usize = 48;
const MAX_BODY: usize = 1024;

#[derive(Debug)]
pub enum Protector<'a> {
    Passphrase(&'a Passphrase, Cost),
    RecoveryKey(&'a RecoveryKey),
    Recipient(&'a Recipient),
    /// The id is chosen before, since the keychain keeps the secret under it.
    Keychain(&'a KeychainSecret, SlotId),
}

#[derive(Debug)]
pub enum Credential<'a> {
    Passphrase(&'a Passphrase),
    RecoveryKey(&'a RecoveryKey),
    Identity(&'a Identity),
    Keychain(&'a KeychainSecret),
}

impl Credential<'_> {
    /// The slots that it may open.
    pub(super) fn kind(&self) -> SlotKind {
        match self {
            Self::Passphrase(_) => SlotKind::Passphrase,
            Self::RecoveryKey(_) => SlotKind::RecoveryKey,
            Self::Identity(_) => SlotKind::Recipient,
            Self::Keychain(_) => SlotKind::Keychain,
        }
    }

    /// In words.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Self::Passphrase(_) => "passphrase",
            Self::RecoveryKey(_) => "recovery key",
            Self::Identity(_) => "identity",
            Self::Keychain(_) => "secret of a keychain",
        }
    }
}

/// The kind of secret that opens a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    Passphrase,
    RecoveryKey,
    /// The identity that belongs to a recipient of age.
    Recipient,
    /// A secret in the keychain of a system.
    Keychain,
    /// A kind of a later version. It is kept as it is.
    Unknown(u8),
}

impl SlotKind {
    fn number(self) -> u8 {
        match self {
            Self::Passphrase => 1,
            Self::RecoveryKey => 2,
            Self::Recipient => 3,
            Self::Keychain => 4,
            Self::Unknown(number) => number,
        }
    }

    fn of(number: u8) -> Self {
        match number {
            1 => Self::Passphrase,
            2 => Self::RecoveryKey,
            3 => Self::Recipient,
            4 => Self::Keychain,
            number => Self::Unknown(number),
        }
    }
}

impl fmt::Display for SlotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passphrase => f.write_str("passphrase"),
            Self::RecoveryKey => f.write_str("recovery key"),
            Self::Recipient => f.write_str("identity of age"),
            Self::Keychain => f.write_str("secret of a keychain"),
            Self::Unknown(number) => write!(f, "key of kind {number}"),
        }
    }
}

/// Names a slot; shown as eight hexadecimal digits, which differ within a vault in all but one of a hundred million.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotId([u8; 16]);

impl SlotId {
    pub fn random() -> Result<Self> {
        random().map(Self)
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    pub fn short(self) -> ShortSlotId {
        let [a, b, c, d, ..] = self.0;
        ShortSlotId([a, b, c, d])
    }
}

impl fmt::Display for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The digits that people see of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortSlotId([u8; 4]);

impl ShortSlotId {
    /// True if they are those of this slot.
    pub fn is_of(self, id: SlotId) -> bool {
        id.0.starts_with(&self.0)
    }
}

impl FromStr for ShortSlotId {
    type Err = casetrack_core::Error;

    fn from_str(text: &str) -> Result<Self> {
        let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u32::from_str_radix(text, 16).ok().filter(|_| digits);
        let number = number.ok_or_else(|| {
            casetrack_core::Error::invalid(format!(
                "\"{text}\" is not the ID of a slot. An ID has eight hexadecimal digits."
            ))
            .with_hint("List the slots to see their IDs.")
        })?;
        Ok(Self(number.to_be_bytes()))
    }
}

/// The data that a slot is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlotBinding {
    pub version: u8,
    pub collection: CollectionId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub kind: SlotKind,
    pub id: SlotId,
    pub created_at: Timestamp,
    body: Vec<u8>,
}

impl Slot {
    /// Wraps the key for this protector.
    pub fn wrap(place: SlotBinding, key: &VaultKey, protector: &Protector<'_>) -> Result<Self> {
        let id = match protector {
            Protector::Keychain(_, id) => *id,
            _ => SlotId::random()?,
        };
        let (kind, body, wrapping) = match protector {
            Protector::Passphrase(passphrase, cost) => {
                if !cost.is_acceptable() {
                    return Err(casetrack_core::Error::invalid(format!(
                        "These parameters of Argon2id are refused: {cost:?}."
                    )));
                }
                let salt = random()?;
                let Cost { memory_kib, passes, lanes } = *cost;
                let cost_bytes = [memory_kib, passes, lanes].map(u32::to_le_bytes).concat();
                let wrapping = passphrase.derive(*cost, &salt)?;
                (SlotKind::Passphrase, [cost_bytes.as_slice(), &salt].concat(), Some(wrapping))
            }
            Protector::RecoveryKey(recovery) => {
                let salt = random()?;
                (SlotKind::RecoveryKey, salt.to_vec(), Some(recovery.derive(place.collection, &salt)?))
            }
            Protector::Recipient(recipient) => {
                (SlotKind::Recipient, age::encrypt(&[recipient], key.master().reveal())?, None)
            }
            Protector::Keychain(secret, _) => {
                let salt = random()?;
                (SlotKind::Keychain, salt.to_vec(), Some(secret.derive(place.collection, &salt)?))
            }
        };
        let mut slot = Self { kind, id, created_at: Timestamp::now(), body };
        if let Some(wrapping) = wrapping {
            let nonce: [u8; NONCE] = random()?;
            let payload = Payload { msg: key.master().reveal(), aad: &slot.associated(place, &slot.body) };
            let wrapped = XChaCha20Poly1305::new(wrapping.reveal().into()).encrypt(&XNonce::from(nonce), payload);
            slot.body.extend_from_slice(&nonce);
            slot.body.extend_from_slice(&wrapped.map_err(|_| refused("Wrapping a key"))?);
        }
        Ok(slot)
    }

    /// The key; `None` if the credential does not open the slot.
    pub fn unwrap(&self, place: SlotBinding, credential: &Credential<'_>) -> Result<Option<VaultKey>> {
        if let Credential::Identity(identity) = credential {
            let key = age::decrypt(identity, &self.body)?.map(Zeroizing::new);
            let key = key.and_then(|key| Secret::copied(&key));
            return Ok(key.map(|key| VaultKey::from_secret(place.collection, key)));
        }
        let Some((parameters, sealed)) = self.body.split_at_checked(self.body.len().saturating_sub(NONCE + WRAPPED))
        else {
            return Ok(None);
        };
        let wrapping = match credential {
            Credential::Passphrase(passphrase) => match cost_and_salt(parameters) {
                Some((cost, salt)) => passphrase.derive(cost, &salt)?,
                None => return Ok(None),
            },
            Credential::RecoveryKey(recovery) => match parameters.try_into() {
                Ok(salt) => recovery.derive(place.collection, salt)?,
                Err(_) => return Ok(None),
            },
            Credential::Keychain(secret) => match parameters.try_into() {
                Ok(salt) => secret.derive(place.collection, salt)?,
                Err(_) => return Ok(None),
            },
            Credential::Identity(_) => return Ok(None),
        };
        let Some((nonce, wrapped)) = sealed.split_first_chunk::<NONCE>() else { return Ok(None) };
        let payload = Payload { msg: wrapped, aad: &self.associated(place, parameters) };
        let opened = XChaCha20Poly1305::new(wrapping.reveal().into()).decrypt(&XNonce::from(*nonce), payload);
        let key = opened.ok().map(Zeroizing::new).and_then(|key| Secret::copied(&key));
        Ok(key.map(|key| VaultKey::from_secret(place.collection, key)))
    }

    fn associated(&self, place: SlotBinding, parameters: &[u8]) -> Vec<u8> {
        let head = [place.version];
        let own = [self.kind.number()];
        let time = self.created_at.0.to_le_bytes();
        let parts: [&[u8]; 8] =
            [b"casetrack slot", MAGIC, &head, place.collection.as_bytes(), &own, &self.id.0, &time, parameters];
        parts.concat()
    }

    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.kind.number());
        bytes.extend_from_slice(&self.id.0);
        bytes.extend_from_slice(&self.created_at.0.to_le_bytes());
        // At most MAX_BODY: those of ours are shorter, and others were decoded.
        bytes.extend_from_slice(&(self.body.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&self.body);
    }

    /// The slot that the bytes begin with, and what follows it.
    pub fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&kind, rest) = bytes.split_first()?;
        let (id, rest) = rest.split_first_chunk::<16>()?;
        let (created_at, rest) = rest.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (body, rest) = rest.split_at_checked(length).filter(|_| length <= MAX_BODY)?;
        let (kind, created_at) = (SlotKind::of(kind), Timestamp(i64::from_le_bytes(*created_at)));
        Some((Self { kind, id: SlotId(*id), created_at, body: body.to_vec() }, rest))
    }
}

fn cost_and_salt(parameters: &[u8]) -> Option<(Cost, [u8; SALT])> {
    let (memory_kib, rest) = parameters.split_first_chunk::<4>()?;
    let (passes, rest) = rest.split_first_chunk::<4>()?;
    let (lanes, salt) = rest.split_first_chunk::<4>()?;
    let [memory_kib, passes, lanes] = [memory_kib, passes, lanes].map(|number| u32::from_le_bytes(*number));
    let cost = Cost { memory_kib, passes, lanes };
    Some((cost, salt.try_into().ok()?)).filter(|(cost, _)| cost.is_acceptable())
}
