//! OpenDocument ([ODF] Part 2, 3.4): each part is compressed, then encrypted, as META-INF/manifest.xml describes.

use std::io::{Cursor, Write};

use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use blowfish::Blowfish;
use casetrack_core::{Error, Result};
use casetrack_pages::container::xml::{Element, XmlError, XmlReader};
use casetrack_pages::container::zip::{ZipContainer, uncompressed};
use casetrack_pages::model::Source;
use casetrack_pages::text::encoding;
use flate2::read::DeflateDecoder;
use sha1::Sha1;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::attempt::{Attempt, DecryptedFile, Refusal};
use super::crypto::{AES_BLOCK_BYTES, Hash, aes_cbc};

/// The prefix of the media type of every OpenDocument file.
const MIME_TYPE: &[u8] = b"application/vnd.oasis.opendocument";
const PLAIN_MANIFEST: &[u8] =
    b"<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>";
const MANIFEST: &str = "META-INF/manifest.xml";
/// Most rounds of PBKDF2 for one file, all parts together: some tens of seconds. LibreOffice writes 100 000 for
/// each part.
const MAX_ROUNDS: u32 = 20_000_000;
const MAX_KEY_BYTES: usize = 56;
/// How much of a part its checksum covers.
const SUMMED_BYTES: usize = 1024;

const INCOMPLETE: Refusal = Refusal::Damaged("the description of its encryption is incomplete");

struct EncryptedPart {
    name: String,
    cipher: Cipher,
    vector: Vec<u8>,
    salt: Vec<u8>,
    rounds: u32,
    key_bytes: usize,
    /// The hash of the password.
    start_hash: Hash,
    check: Option<(Hash, Vec<u8>)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cipher {
    Aes,
    Blowfish,
}

pub(super) fn decrypted(source: &Source, password: Option<&str>) -> Result<Option<DecryptedFile>> {
    // A container that is not sound is left to its reader.
    let Ok(mut container) = ZipContainer::open(source) else { return Ok(None) };
    let is_document = container.part("mimetype").ok().flatten().is_some_and(|kind| kind.starts_with(MIME_TYPE));
    let manifest = if is_document { container.part(MANIFEST).ok().flatten() } else { None };
    let Some(manifest) = manifest else { return Ok(None) };
    let parts = parse(&encoding::decode_xml(&manifest)).map_err(|refusal| refusal.into_error(source))?;
    if parts.is_empty() {
        return Ok(None);
    }
    let rounds = parts.iter().fold(0u32, |sum, part| sum.saturating_add(part.rounds));
    if rounds > MAX_ROUNDS {
        return Err(source.unsupported_encryption(format_args!("{rounds} rounds of hashing the password")));
    }
    let Some(password) = password else { return Err(source.needs_password()) };

    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let written = |error: &dyn std::fmt::Display| Error::internal(format!("an archive in memory: {error}"));
    for name in container.names() {
        let (encrypted, content) = match parts.iter().find(|part| part.name == name) {
            // The manifest lists parts as encrypted, which is no longer true.
            None if name == MANIFEST => (None, Some(PLAIN_MANIFEST.into())),
            None if name.ends_with('/') => continue,
            part => (part, container.part(&name)?),
        };
        let mut content = content.unwrap_or_default();
        if let Some(part) = encrypted {
            part.decrypt(password, &mut content).map_err(|refusal| refusal.into_error(source))?;
            content = uncompressed(source, &name, DeflateDecoder::new(&*content))?;
        }
        writer.start_file(&*name, SimpleFileOptions::default()).map_err(|error| written(&error))?;
        writer.write_all(&content).map_err(|error| written(&error))?;
    }
    let bytes = writer.finish().map_err(|error| written(&error))?.into_inner();
    Ok(Some(DecryptedFile { bytes, warning: None }))
}

fn parse(manifest: &str) -> Attempt<Vec<EncryptedPart>> {
    let mut xml = XmlReader::new(manifest);
    let mut parts = Vec::new();
    // A damaged manifest does not affect the rest.
    let _ = read_entries(&mut xml, &mut parts);
    parts.into_iter().collect()
}

fn read_entries(xml: &mut XmlReader, parts: &mut Vec<Attempt<EncryptedPart>>) -> std::result::Result<(), XmlError> {
    xml.root()?;
    while let Some(entry) = xml.child()? {
        let name = entry.attribute("full-path").unwrap_or_default();
        while let Some(child) = xml.child()? {
            if child.name() == "encryption-data" {
                let check = child.attribute("checksum-type").zip(child.bytes("checksum"));
                parts.push(read_part(xml, name.clone(), check)?);
            } else {
                xml.skip()?;
            }
        }
    }
    Ok(())
}

fn read_part(
    xml: &mut XmlReader,
    name: String,
    check: Option<(String, Vec<u8>)>,
) -> std::result::Result<Attempt<EncryptedPart>, XmlError> {
    let (mut cipher, mut derivation, mut start_hash) = (Err(INCOMPLETE), Err(INCOMPLETE), Ok(Hash::SHA1));
    while let Some(element) = xml.child()? {
        match element.name() {
            "algorithm" => cipher = read_algorithm(&element),
            "key-derivation" => derivation = read_derivation(&element),
            "start-key-generation" => start_hash = read_hash(&element, "start-key-generation-name"),
            _ => {}
        }
        xml.skip()?;
    }
    let check = check.and_then(|(kind, sum)| Some((hash_named(kind.to_ascii_lowercase().strip_suffix("1k")?)?, sum)));
    let part = || {
        let ((cipher, vector, cipher_key_bytes), (salt, rounds, key_bytes)) = (cipher?, derivation?);
        let key_bytes = key_bytes.or(cipher_key_bytes).unwrap_or(16);
        if key_bytes > MAX_KEY_BYTES {
            return Err(Refusal::Unsupported(format!("a key of {key_bytes} bytes")));
        }
        Ok(EncryptedPart { name, cipher, vector, salt, rounds, key_bytes, start_hash: start_hash?, check })
    };
    Ok(part())
}

/// Cipher, initialisation vector, and the size of the key if the name states it.
fn read_algorithm(element: &Element) -> Attempt<(Cipher, Vec<u8>, Option<usize>)> {
    let name = element.attribute("algorithm-name").unwrap_or_default();
    let vector = element.bytes("initialisation-vector").ok_or(INCOMPLETE)?;
    // Names are words or the URIs of XML Encryption.
    match name.rsplit('#').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "blowfish cfb" | "blowfish" => Ok((Cipher::Blowfish, vector, None)),
        "aes128-cbc" => Ok((Cipher::Aes, vector, Some(16))),
        "aes192-cbc" => Ok((Cipher::Aes, vector, Some(24))),
        "aes256-cbc" => Ok((Cipher::Aes, vector, Some(32))),
        _ => Err(unsupported(&name)),
    }
}

fn read_derivation(element: &Element) -> Attempt<(Vec<u8>, u32, Option<usize>)> {
    let name = element.attribute("key-derivation-name").unwrap_or_default();
    if !name.rsplit('#').next().is_some_and(|name| name.eq_ignore_ascii_case("pbkdf2")) {
        return Err(unsupported(&name));
    }
    let salt = element.bytes("salt").ok_or(INCOMPLETE)?;
    Ok((salt, element.number("iteration-count").ok_or(INCOMPLETE)?, element.number("key-size")))
}

fn read_hash(element: &Element, attribute: &str) -> Attempt<Hash> {
    let name = element.attribute(attribute).unwrap_or_default();
    hash_named(&name).ok_or_else(|| unsupported(&name))
}

/// "SHA1", "SHA1/" of "SHA1/1K", or a URI that ends in "#sha256" or "#sha256-".
fn hash_named(name: &str) -> Option<Hash> {
    Hash::named(name.rsplit('#').next()?.trim_end_matches(['/', '-']))
}

fn unsupported(name: &str) -> Refusal {
    Refusal::Unsupported(name.chars().take(80).collect())
}

impl EncryptedPart {
    /// Decrypts content that is still compressed, in place.
    fn decrypt(&self, password: &str, content: &mut Vec<u8>) -> Attempt<()> {
        let start = self.start_hash.of(&[password.as_bytes()]);
        let mut key = vec![0; self.key_bytes];
        pbkdf2::pbkdf2_hmac::<Sha1>(&start, &self.salt, self.rounds, &mut key);
        match self.cipher {
            Cipher::Blowfish => blowfish_cfb(&key, &self.vector, content).ok_or(INCOMPLETE)?,
            Cipher::Aes => {
                aes_cbc(&key, &self.vector, content).ok_or(INCOMPLETE)?;
                // The last byte counts the padding (XML Encryption 5.2).
                let padding = usize::from(content.last().copied().unwrap_or_default());
                if !(1..=AES_BLOCK_BYTES).contains(&padding) || padding > content.len() {
                    return Err(Refusal::WrongPassword);
                }
                content.truncate(content.len() - padding);
            }
        }
        match &self.check {
            Some((hash, sum)) if hash.of(&[&content[..content.len().min(SUMMED_BYTES)]]) != *sum => {
                Err(Refusal::WrongPassword)
            }
            _ => Ok(()),
        }
    }
}

/// Cipher feedback of whole blocks; the last may be a part of one.
fn blowfish_cfb(key: &[u8], vector: &[u8], data: &mut [u8]) -> Option<()> {
    const BLOCK_BYTES: usize = 8;
    let cipher: Blowfish = Blowfish::new_from_slice(key).ok()?;
    let mut last: [u8; BLOCK_BYTES] = vector.try_into().ok()?;
    for block in data.chunks_mut(BLOCK_BYTES) {
        let mut mask = Array(last);
        cipher.encrypt_block(&mut mask);
        last[..block.len()].copy_from_slice(block);
        block.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
    }
    Some(())
}

#[cfg(test)]
#[path = "odf_tests.rs"]
mod tests;
