//! The header of a file of age: what it is, who can decrypt it, and an HMAC over both.

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
use super::{VERSION_LINE, WHAT, expand};
use crate::errors::{changed, refused};
use crate::secret::{Secret, random};
use crate::stream::explained;

/// No header is longer; one for a recipient has about 200 bytes.
const MAX_BYTES: usize = 64 << 10;
/// A line of a stanza's body that is shorter ends it.
const COLUMNS: usize = 64;
const X25519: &str = "X25519";
const X25519_INFO: &[u8] = b"age-encryption.org/v1/X25519";
const STANZA: &str = "-> ";
const END: &str = "---";

/// The 16 bytes that each recipient gets.
pub(super) struct FileKey(Zeroizing<[u8; 16]>);

impl FileKey {
    pub fn random() -> Result<Self> {
        random().map(|key| Self(Zeroizing::new(key)))
    }

    pub fn reveal(&self) -> &[u8] {
        self.0.as_slice()
    }

    /// The header of a file with this key.
    pub fn header(&self, recipients: &[&Recipient]) -> Result<Vec<u8>> {
        let mut text = format!("{VERSION_LINE}\n");
        for recipient in recipients {
            let ephemeral = StaticSecret::from(*Secret::random()?.reveal());
            let share = PublicKey::from(&ephemeral);
            let cipher = wrapping(&ephemeral, &recipient.0, &share, &recipient.0)?;
            let cipher = cipher.ok_or_else(|| refused("Encrypting to this recipient"))?;
            let wrapped = cipher.encrypt(&Nonce::default(), self.reveal()).map_err(|_| refused("Wrapping a key"))?;
            let (share, wrapped) = (BASE64.encode(share.as_bytes()), BASE64.encode(wrapped));
            text.push_str(&format!("{STANZA}{X25519} {share}\n{wrapped}\n"));
        }
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

/// The cipher that wraps the key of a file for a recipient, from one's own secret and the other's key; `None` for a key that
/// gives every secret the same result.
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

/// Reads a header and no byte more. `None` where no stanza is for this identity.
pub(super) fn open(identity: &Identity, from: &mut impl Read) -> Result<Option<FileKey>> {
    let mut header = Vec::with_capacity(512);
    if line(from, &mut header)? != VERSION_LINE {
        return Err(changed(WHAT));
    }
    let mut file_key = None;
    let mac = loop {
        let head = line(from, &mut header)?;
        if let Some(mac) = head.strip_prefix(END) {
            break mac.to_owned();
        }
        let arguments = head.strip_prefix(STANZA).ok_or_else(|| changed(WHAT))?;
        let body = body(from, &mut header)?;
        if file_key.is_none() {
            file_key = unwrap(identity, arguments, &body)?;
        }
    };
    let Some(file_key) = file_key else { return Ok(None) };
    // Up to and with the three dashes.
    let vouched = header.len() - mac.len() - 1;
    let mac = mac.strip_prefix(' ').and_then(|mac| BASE64.decode(mac).ok()).ok_or_else(|| changed(WHAT))?;
    file_key.hmac(&header[..vouched])?.verify_slice(&mac).map_err(|_| changed(WHAT))?;
    Ok(Some(file_key))
}

/// The key in a stanza, if it is for this identity.
fn unwrap(identity: &Identity, arguments: &str, body: &str) -> Result<Option<FileKey>> {
    let Some((X25519, share)) = arguments.split_once(' ') else { return Ok(None) };
    let share: Option<[u8; 32]> = BASE64.decode(share).ok().and_then(|share| share.try_into().ok());
    let share = PublicKey::from(share.ok_or_else(|| changed(WHAT))?);
    let Some(cipher) = wrapping(&identity.0, &share, &share, &identity.recipient().0)? else {
        return Err(changed(WHAT));
    };
    let wrapped = BASE64.decode(body).map_err(|_| changed(WHAT))?;
    // What does not open is for somebody else.
    let opened = cipher.decrypt(&Nonce::default(), wrapped.as_slice()).ok().map(Zeroizing::new);
    Ok(opened.and_then(|key| key.as_slice().try_into().ok()).map(|key| FileKey(Zeroizing::new(key))))
}

/// The body of a stanza: full lines, and a shorter one, which may be empty.
fn body(from: &mut impl Read, header: &mut Vec<u8>) -> Result<String> {
    let mut body = String::new();
    loop {
        let line = line(from, header)?;
        body.push_str(&line);
        if line.len() != COLUMNS {
            return Ok(body);
        }
    }
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
