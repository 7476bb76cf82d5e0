//! The root directory of an OLE compound file ([MS-CFB]): enough to tell what kind of document it holds.
//!
//! Only direct children of the root count, because documents of other kinds are embedded in storages below it.

/// First bytes of every compound file.
pub(crate) const SIGNATURE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

const ENTRY_BYTES: usize = 128;
/// Sector and stream numbers from here on are markers, not numbers.
const FIRST_MARKER: u32 = 0xFFFF_FFFA;

/// Names of the streams and storages in the root; empty when the directory cannot be read.
pub(crate) fn root_names(bytes: &[u8]) -> Vec<String> {
    directory(bytes).map(|directory| children_of_root(&directory)).unwrap_or_default()
}

/// The directory entries, following the chain of sectors that holds them.
fn directory(bytes: &[u8]) -> Option<Vec<u8>> {
    let sector_bytes = match u16_at(bytes, 30)? {
        9 => 512usize,
        12 => 4096,
        _ => return None,
    };
    let sector = |number: u32| {
        let start = (number as usize + 1).checked_mul(sector_bytes)?;
        bytes.get(start..(start + sector_bytes).min(bytes.len()))
    };
    // The header lists the first 109 sectors of the allocation table; the directory of a larger file still starts in
    // what these describe, and a chain that leaves it just ends early.
    let next = |number: u32| {
        let per_sector = (sector_bytes / 4) as u32;
        let table = number / per_sector;
        let table_sector = u32_at(bytes, 76 + 4 * usize::try_from(table).ok().filter(|&table| table < 109)?)?;
        u32_at(sector(table_sector)?, 4 * (number % per_sector) as usize)
    };
    let mut directory = Vec::new();
    let mut number = u32_at(bytes, 48)?;
    let most = bytes.len() / sector_bytes + 1;
    for _ in 0..most {
        if number >= FIRST_MARKER {
            break;
        }
        directory.extend_from_slice(sector(number)?);
        match next(number) {
            Some(following) => number = following,
            None => break,
        }
    }
    Some(directory)
}

/// Children form a binary tree; the root entry points to its top.
fn children_of_root(directory: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut open: Vec<u32> = u32_at(directory, 76).into_iter().collect();
    let mut seen = vec![false; directory.len() / ENTRY_BYTES];
    while let Some(number) = open.pop() {
        let Some(seen) = seen.get_mut(number as usize).filter(|seen| !**seen) else { continue };
        *seen = true;
        let start = number as usize * ENTRY_BYTES;
        let entry = &directory[start..start + ENTRY_BYTES];
        let name_bytes = usize::from(u16_at(entry, 64).unwrap_or(0)).saturating_sub(2).min(62);
        let units = entry[..name_bytes].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
        names.push(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect());
        open.extend([u32_at(entry, 68), u32_at(entry, 72)].into_iter().flatten());
    }
    names
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_le_bytes(*chunk))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::compound_file;

    #[test]
    fn only_children_of_the_root_are_listed() {
        let file = compound_file(&["WordDocument", "ObjectPool"], &["Workbook"]);
        let mut names = root_names(&file);
        names.sort();
        assert_eq!(names, ["ObjectPool", "WordDocument"]);
    }

    #[test]
    fn damaged_headers_give_nothing() {
        let mut file = compound_file(&["Workbook"], &[]);
        file.truncate(600);
        root_names(&file);
        assert!(root_names(&file[..40]).is_empty());
        assert!(root_names(b"").is_empty());
    }
}
