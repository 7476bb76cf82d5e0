//! Word 6 to 2003 documents ([MS-DOC] 2.2.6): the document, its tables and its data are encrypted, except the first
//! bytes of the document, which describe the encryption.

use casetrack_pages::container::ole::{CompoundFile, u16_at, u32_at};

use super::attempt::{Attempt, DecryptedFile, Refusal, first_right};
use super::rc4::Description;
use super::xor::XorKey;

/// Keys of RC4 change with each 512 bytes of a stream.
const BLOCK_BYTES: usize = 512;
/// The plain parts of WordDocument since Word 97 (2.2.6), and of older documents.
const HEADER_BYTES: usize = 0x44;
const OLD_HEADER_BYTES: usize = 0x34;

/// FibBase (2.5.2): version, flags and the key of XOR obfuscation or the size of the encryption header.
const VERSION_AT: usize = 2;
const FLAGS_AT: usize = 10;
const KEY_AT: usize = 14;
const ENCRYPTED: u16 = 0x0100;
const SECOND_TABLE: u16 = 0x0200;
const OBFUSCATED: u16 = 0x8000;

const SHORT: Refusal = Refusal::Damaged("the description of its encryption is incomplete");

/// The container with plain streams; `None` when the document is not encrypted.
pub(super) fn decrypted(file: &CompoundFile, bytes: &[u8], passwords: &[&str]) -> Attempt<Option<DecryptedFile>> {
    let mut document = file.stream(&["WordDocument"]).unwrap_or_default();
    let fields =
        (u16_at(&document, 0), u16_at(&document, VERSION_AT), u16_at(&document, FLAGS_AT), u32_at(&document, KEY_AT));
    let (Some(magic), Some(version), Some(flags), Some(key)) = fields else { return Ok(None) };
    let is_old = match magic {
        0xA5EC => version < 193,
        0xA5DC => true,
        _ => return Ok(None),
    };
    if flags & ENCRYPTED == 0 {
        return Ok(None);
    }
    let header_bytes = if is_old { OLD_HEADER_BYTES } else { HEADER_BYTES };
    let table_name = if flags & SECOND_TABLE != 0 { "1Table" } else { "0Table" };
    let other_names: &[&str] = if is_old { &[] } else { &[table_name, "Data"] };
    let mut others: Vec<Vec<u8>> = other_names.iter().map(|name| file.stream(&[name]).unwrap_or_default()).collect();
    let header: Vec<u8> = document.iter().take(header_bytes).copied().collect();

    if is_old || flags & OBFUSCATED != 0 {
        let (verifier, key) = (key as u16, (key >> 16) as u16);
        let key = first_right(passwords, |password| XorKey::of_word(password, key, verifier))?;
        key.decode_word(&mut document, 0);
        others.iter_mut().for_each(|stream| key.decode_word(stream, 0));
    } else {
        let description = others[0].get(..key as usize).and_then(Description::parse).ok_or(SHORT)??;
        let keys = first_right(passwords, |password| description.keys(password))?;
        keys.decrypt(&mut document, BLOCK_BYTES);
        others.iter_mut().for_each(|stream| keys.decrypt(stream, BLOCK_BYTES));
    }
    document[..header.len()].copy_from_slice(&header);
    document[FLAGS_AT..FLAGS_AT + 2].copy_from_slice(&(flags & !(ENCRYPTED | OBFUSCATED)).to_le_bytes());
    document[KEY_AT..KEY_AT + 4].fill(0);

    let mut plain = bytes.to_vec();
    file.overwrite(&mut plain, &["WordDocument"], &document);
    for (name, stream) in other_names.iter().zip(&others) {
        file.overwrite(&mut plain, &[name], stream);
    }
    Ok(Some(DecryptedFile { bytes: plain, warning: None }))
}

#[cfg(test)]
#[path = "doc_tests.rs"]
mod tests;
