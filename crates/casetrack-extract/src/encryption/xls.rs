//! Excel 5 to 2003 workbooks ([MS-XLS] 2.2.10): the data of most records is encrypted, in place.

use std::ops::Range;

use casetrack_pages::container::ole::{CompoundFile, u16_at};

use super::attempt::{Attempt, DecryptedFile, Refusal, first_right};
use super::rc4::{Description, Keys};
use super::xor::XorKey;

/// Keys of RC4 change with each KiB of the stream, whether encrypted or not.
const BLOCK_BYTES: usize = 1024;
const HEADER_BYTES: usize = 4;

const BEGINNING: u16 = 0x0809;
const END: u16 = 0x000A;
const FILE_PASS: u16 = 0x002F;
const BOUND_SHEET: u16 = 0x0085;
/// BOF, FilePass, UsrExcl, FileLock, InterfaceHdr, RRDInfo, RRDHead (2.2.10).
const NEVER_ENCRYPTED: [u16; 7] = [BEGINNING, FILE_PASS, 0x0194, 0x0195, 0x00E1, 0x0196, 0x0138];
/// A number of no record: readers skip it.
const NO_RECORD: u16 = 0xFFFF;

enum Scheme {
    Rc4(Keys),
    Xor(XorKey),
}

/// The container with a plain workbook; `None` when there is none, or it is not encrypted.
pub(super) fn decrypted(file: &CompoundFile, bytes: &[u8], passwords: &[&str]) -> Attempt<Option<DecryptedFile>> {
    let stream = |name| file.stream(&[name]).map(|stream| (name, stream));
    let Some((name, mut stream)) = stream("Workbook").or_else(|| stream("Book")) else { return Ok(None) };
    let Some((at, data)) = file_pass(&stream) else { return Ok(None) };
    let scheme = first_right(passwords, |password| open(&stream[data.clone()], password))?;
    stream[at..at + 2].copy_from_slice(&NO_RECORD.to_le_bytes());

    // RC4 runs over everything; the plain bytes are put back afterwards.
    let decrypted = match &scheme {
        Scheme::Rc4(keys) => {
            let mut all = stream.clone();
            keys.decrypt(&mut all, BLOCK_BYTES);
            all
        }
        Scheme::Xor(_) => Vec::new(),
    };
    let mut at = 0;
    while let Some((id, data)) = record(&stream, at) {
        at = data.end;
        let plain_bytes = match id {
            _ if NEVER_ENCRYPTED.contains(&id) || id == NO_RECORD => data.len(),
            // The position of the sheet in the stream.
            BOUND_SHEET => data.len().min(4),
            _ => 0,
        };
        let encrypted = data.start + plain_bytes..data.end;
        match &scheme {
            Scheme::Rc4(_) => stream[encrypted.clone()].copy_from_slice(&decrypted[encrypted]),
            Scheme::Xor(key) => {
                let position = encrypted.start + data.len();
                key.decode_excel(&mut stream[encrypted], position);
            }
        }
    }
    let mut plain = bytes.to_vec();
    file.overwrite(&mut plain, &[name], &stream);
    Ok(Some(DecryptedFile { bytes: plain, warning: None }))
}

/// Number and data of the record at `at`; clipped at the end of the stream.
fn record(stream: &[u8], at: usize) -> Option<(u16, Range<usize>)> {
    let (id, size) = (u16_at(stream, at)?, u16_at(stream, at + 2)?);
    let start = at + HEADER_BYTES;
    Some((id, start..(start + usize::from(size)).min(stream.len())))
}

fn file_pass(stream: &[u8]) -> Option<(usize, Range<usize>)> {
    let (first, data) = record(stream, 0)?;
    if first != BEGINNING {
        return None;
    }
    let mut at = data.end;
    loop {
        match record(stream, at)? {
            (FILE_PASS, data) => return Some((at, data)),
            (END, _) => return None,
            (_, data) => at = data.end,
        }
    }
}

/// Reads the record FilePass ([MS-XLS] 2.4.117); in Excel 5 and 95 it holds only key and verifier.
fn open(data: &[u8], password: &str) -> Attempt<Scheme> {
    const SHORT: Refusal = Refusal::Damaged("the description of its encryption is incomplete");
    const XOR: u16 = 0;
    const RC4: u16 = 1;

    let fields = if data.len() == 4 { data } else { data.get(2..).ok_or(SHORT)? };
    let kind = if data.len() == 4 { XOR } else { u16_at(data, 0).ok_or(SHORT)? };
    match kind {
        XOR => {
            let (key, verifier) = u16_at(fields, 0).zip(u16_at(fields, 2)).ok_or(SHORT)?;
            XorKey::of_excel(password, key, verifier).map(Scheme::Xor)
        }
        RC4 => Description::parse(fields).ok_or(SHORT)??.keys(password).map(Scheme::Rc4),
        other => Err(Refusal::Unsupported(format!("kind {other} of Excel encryption"))),
    }
}

#[cfg(test)]
#[path = "xls_tests.rs"]
mod tests;
