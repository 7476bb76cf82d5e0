//! Damage of the kinds that files suffer and attackers choose. Parts of zip archives are damaged inside the archive, which would
//! otherwise refuse them by their checksums.

use std::io::{Cursor, Read, Write};

use fastrand::Rng;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Limits of integers, and the values that mean "none" or "the rest" in binary formats.
const NUMBERS: [u32; 9] = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFF];
/// Parts of markup, and characters that text handling trips over.
const TEXTS: [&str; 14] = [
    "<",
    ">",
    "&",
    "\"",
    "</",
    "{",
    "}",
    "\\",
    "%",
    "99999999999",
    "-1",
    "\u{0}",
    "\u{FEFF}",
    "e\u{301}\u{200D}\u{1F469}",
];

/// A damaged copy of `seed`; some of it may come from `other`.
pub fn mutated(seed: &[u8], other: &[u8], random: &mut Rng) -> Vec<u8> {
    if seed.starts_with(b"PK")
        && random.u8(..) < 200
        && let Some(archive) = mutated_archive(seed, random)
    {
        return archive;
    }
    let mut bytes = seed.to_vec();
    for _ in 0..=random.usize(..4) {
        damage(&mut bytes, other, random);
    }
    bytes
}

/// The archive with one of its parts damaged.
fn mutated_archive(seed: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(seed)).ok()?;
    let chosen = random.usize(..archive.len().max(1));
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).ok()?;
        let name = file.name().ok()?.into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        if index == chosen {
            // Archives inside archives, such as a document in a mail, are damaged the same way.
            bytes = mutated(&bytes, seed, random);
        }
        writer.start_file(name, SimpleFileOptions::default()).ok()?;
        writer.write_all(&bytes).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = random.usize(..bytes.len());
    let longest = 1 << random.u32(..12);
    let length = random.usize(..=longest.min(bytes.len() - at));
    match random.u8(..10) {
        0 => bytes[at] ^= 1 << random.u32(..8),
        1 => bytes[at] = random.u8(..),
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..at + length)),
        4 => {
            let number = NUMBERS[random.usize(..NUMBERS.len())].to_le_bytes();
            let width = (bytes.len() - at).min(if random.bool() { 2 } else { 4 });
            bytes[at..at + width].copy_from_slice(&number[..width]);
        }
        5 => insert(bytes, at, TEXTS[random.usize(..TEXTS.len())].as_bytes()),
        6 => {
            // Nesting and repetition.
            let piece = bytes[at..at + length.min(64)].to_vec();
            let times = 1 << random.u32(..14);
            insert(bytes, at, &piece.repeat(times));
        }
        7 => {
            let from = random.usize(..bytes.len());
            let piece = bytes[at..at + length].to_vec();
            insert(bytes, from, &piece);
        }
        8 if !other.is_empty() => {
            let from = random.usize(..other.len());
            let end = (from + length).min(other.len());
            insert(bytes, at, &other[from..end]);
        }
        _ => bytes[at..at + length].iter_mut().for_each(|byte| *byte = random.u8(..)),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}
