//! The header of a file of age: its format, the recipients, and an HMAC over both.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD as BASE64;
use casetrack_core::Result;
use chacha20poly1305::aead::Aead;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use super::keys::{Identity, Recipient};
use super::scrypt::{self, SALT, Work};
use super::{Key, VERSION_LINE, WHAT, expand};
use crate::errors::{changed, refused};
use crate::secret::{Secret, random};
use crate::stream::{TAG, explained};

/// No header is longer; one for a recipient has about 200 bytes.
const MAX_BYTES: usize = 64 << 10;
/// A line of a stanza's body that is shorter ends it; none is longer.
const COLUMNS: usize = 64;
const X25519: &str = "X25519";
const X25519_INFO: &[u8] = b"age-encryption.org/v1/X25519";
const SCRYPT: &str = "scrypt";
const STANZA: &str = "-> ";
const END: &str = "---";
const KEY: usize = 16;
const MAC: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    Recipients,
    Passphrase,
}

/// The 16 bytes that each recipient gets.
pub(super) struct FileKey(Zeroizing<[u8; KEY]>);

impl FileKey {
    pub fn random() -> Result<Self> {
        random().map(|key| Self(Zeroizing::new(key)))
    }

    pub fn reveal(&self) -> &[u8] {
        self.0.as_slice()
    }

    pub fn header(&self, recipients: &[&Recipient]) -> Result<Vec<u8>> {
        let mut text = format!("{VERSION_LINE}\n");
        for recipient in recipients {
            let ephemeral = StaticSecret::from(*Secret::random()?.reveal());
            let share = PublicKey::from(&ephemeral);
            let cipher = wrapping(&ephemeral, &recipient.0, &share, &recipient.0)?;
            let cipher = cipher.ok_or_else(|| refused("Encrypting to this recipient"))?;
            let share = BASE64.encode(share.as_bytes());
            text.push_str(&format!("{STANZA}{X25519} {share}\n{}\n", self.wrapped(&cipher)?));
        }
        self.finished(text)
    }

    pub fn header_for_passphrase(&self, passphrase: &str, work: Work) -> Result<Vec<u8>> {
        let salt: [u8; SALT] = random()?;
        let wrapped = self.wrapped(&scrypt::wrapping(passphrase, &salt, work)?)?;
        let salt = BASE64.encode(salt);
        self.finished(format!("{VERSION_LINE}\n{STANZA}{SCRYPT} {salt} {work}\n{wrapped}\n"))
    }

    fn wrapped(&self, cipher: &ChaCha20Poly1305) -> Result<String> {
        let wrapped = cipher.encrypt(&Nonce::default(), self.reveal()).map_err(|_| refused("Wrapping a key"))?;
        Ok(BASE64.encode(wrapped))
    }

    fn finished(&self, mut text: String) -> Result<Vec<u8>> {
        text.push_str(END);
        let mac = BASE64.encode(self.hmac(text.as_bytes())?.finalize().into_bytes());
        text.push_str(&format!(" {mac}\n"));
        Ok(text.into_bytes())
    }

    fn hmac(&self, header: &[u8]) -> Result<Hmac<Sha256>> {
        let key = expand(None, self.reveal(), b"header")?;
        let hmac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.reveal());
        let mut hmac = hmac.map_err(|_| refused("HMAC"))?;
        hmac.update(header);
        Ok(hmac)
    }
}

/// The cipher that wraps the key of a file for a recipient, from one's own secret and the other's key; `None` for a key
/// that gives every secret the same result.
fn wrapping(
    own: &StaticSecret,
    other: &PublicKey,
    share: &PublicKey,
    recipient: &PublicKey,
) -> Result<Option<ChaCha20Poly1305>> {
    let shared = own.diffie_hellman(other);
    if !shared.was_contributory() {
        return Ok(None);
    }
    let salt = [share.as_bytes().as_slice(), recipient.as_bytes()].concat();
    let key = expand(Some(&salt), shared.as_bytes(), X25519_INFO)?;
    Ok(Some(ChaCha20Poly1305::new(key.reveal().into())))
}

/// Reads a header and no byte more. `None` if no stanza is for this key.
pub(super) fn open(key: Key<'_>, from: &mut impl Read) -> Result<Option<FileKey>> {
    let Header { stanzas, vouched, mac } = Header::read(from)?;
    let mut file_key = None;
    for stanza in &stanzas {
        let found = match (key, stanza.kind()) {
            (Key::Identity(identity), X25519) => stanza.unwrap_with(identity)?,
            (Key::Passphrase(passphrase), SCRYPT) => stanza.unwrap_with_passphrase(passphrase)?,
            _ => None,
        };
        file_key = file_key.or(found);
    }
    let Some(file_key) = file_key else { return Ok(None) };
    file_key.hmac(&vouched)?.verify_slice(&mac).map_err(|_| changed(WHAT))?;
    Ok(Some(file_key))
}

/// The lock of a file with this header.
pub(super) fn lock(from: &mut impl Read) -> Result<Lock> {
    let header = Header::read(from)?;
    Ok(if header.stanzas.iter().any(|stanza| stanza.kind() == SCRYPT) { Lock::Passphrase } else { Lock::Recipients })
}

struct Header {
    stanzas: Vec<Stanza>,
    /// The bytes of which the HMAC is made: up to and with the three dashes.
    vouched: Vec<u8>,
    mac: [u8; MAC],
}

/// The key of the file, wrapped for one recipient.
struct Stanza {
    arguments: Vec<String>,
    body: Vec<u8>,
}

impl Header {
    fn read(from: &mut impl Read) -> Result<Self> {
        let mut read = Vec::with_capacity(512);
        if line(from, &mut read)? != VERSION_LINE {
            return Err(changed(WHAT));
        }
        let mut stanzas = Vec::new();
        let mac = loop {
            let head = line(from, &mut read)?;
            match head.strip_prefix(END) {
                Some(mac) => break mac.to_owned(),
                None => stanzas.push(Stanza::read(&head, from, &mut read)?),
            }
        };
        let vouched = read[..read.len() - mac.len() - 1].to_vec();
        let mac = mac.strip_prefix(' ').and_then(|mac| BASE64.decode(mac).ok()?.try_into().ok());
        let mac: [u8; MAC] = mac.ok_or_else(|| changed(WHAT))?;
        // Anyone who can guess a passphrase could make a file that seems to come from the owner of an identity.
        let with_passphrase = stanzas.iter().any(|stanza| stanza.kind() == SCRYPT);
        if stanzas.is_empty() || with_passphrase && stanzas.len() > 1 {
            return Err(changed(WHAT));
        }
        Ok(Self { stanzas, vouched, mac })
    }
}

impl Stanza {
    /// `head` is its first line.
    fn read(head: &str, from: &mut impl Read, read: &mut Vec<u8>) -> Result<Self> {
        let arguments = head.strip_prefix(STANZA).ok_or_else(|| changed(WHAT))?;
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        let is_well_formed =
            |argument: &String| !argument.is_empty() && argument.bytes().all(|byte| byte.is_ascii_graphic());
        if !arguments.iter().all(is_well_formed) {
            return Err(changed(WHAT));
        }
        let mut body = String::new();
        loop {
            let line = line(from, read)?;
            body.push_str(&line);
            match line.len() {
                COLUMNS => {}
                0..COLUMNS => break,
                _ => return Err(changed(WHAT)),
            }
        }
        let body = BASE64.decode(body).map_err(|_| changed(WHAT))?;
        Ok(Self { arguments, body })
    }

    fn kind(&self) -> &str {
        self.arguments.first().map(String::as_str).unwrap_or_default()
    }

    /// The key, if it is for this identity.
    fn unwrap_with(&self, identity: &Identity) -> Result<Option<FileKey>> {
        let [_, share] = self.arguments.as_slice() else { return Err(changed(WHAT)) };
        let share = PublicKey::from(decoded::<32>(share)?);
        let Some(cipher) = wrapping(&identity.0, &share, &share, &identity.recipient().0)? else {
            return Err(changed(WHAT));
        };
        self.unwrapped(&cipher)
    }

    /// The key, if it is for this passphrase.
    fn unwrap_with_passphrase(&self, passphrase: &str) -> Result<Option<FileKey>> {
        let [_, salt, work] = self.arguments.as_slice() else { return Err(changed(WHAT)) };
        let (salt, work) = (decoded::<SALT>(salt)?, Work::from_header(work)?);
        self.check_length()?;
        self.unwrapped(&scrypt::wrapping(passphrase, &salt, work)?)
    }

    /// A longer key would let a file decrypt to different things for different recipients.
    fn check_length(&self) -> Result<()> {
        if self.body.len() == KEY + TAG { Ok(()) } else { Err(changed(WHAT)) }
    }

    fn unwrapped(&self, cipher: &ChaCha20Poly1305) -> Result<Option<FileKey>> {
        self.check_length()?;
        // A stanza that does not open is for another recipient.
        let opened = cipher.decrypt(&Nonce::default(), self.body.as_slice()).ok().map(Zeroizing::new);
        Ok(opened.and_then(|key| key.as_slice().try_into().ok()).map(|key| FileKey(Zeroizing::new(key))))
    }
}

fn decoded<const N: usize>(text: &str) -> Result<[u8; N]> {
    let bytes = BASE64.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| changed(WHAT))
}

/// The next line, which is added to `header` as it is.
fn line(from: &mut impl Read, header: &mut Vec<u8>) -> Result<String> {
    let start = header.len();
    loop {
        let mut byte = [0];
        let read = from.read(&mut byte).map_err(|error| explained(WHAT, error))?;
        if read == 0 || header.len() >= MAX_BYTES {
            return Err(changed(WHAT));
        }
        header.push(byte[0]);
        if byte == *b"\n" {
            let line = std::str::from_utf8(&header[start..header.len() - 1]);
            return line.map(str::to_owned).map_err(|_| changed(WHAT));
        }
    }
}
