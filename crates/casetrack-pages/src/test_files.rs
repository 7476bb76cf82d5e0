//! Files and checks that the tests of several modules need. The tests of casetrack-extract include this file too.

use std::io::{Cursor, Write};

use casetrack_core::Page;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub fn zip_file(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An OLE compound file without content: `names` are in the root, `nested` in the storage that is their last.
pub fn compound_file(names: &[&str], nested: &[&str]) -> Vec<u8> {
    const NONE: u32 = 0xFFFF_FFFF;
    let entry = |name: &str, kind: u8, right: u32, child: u32| {
        let mut entry = vec![0; 128];
        for (index, unit) in name.encode_utf16().enumerate() {
            entry[2 * index..2 * index + 2].copy_from_slice(&unit.to_le_bytes());
        }
        entry[64..66].copy_from_slice(&(2 * name.len() as u16 + 2).to_le_bytes());
        entry[66] = kind;
        entry[68..72].copy_from_slice(&NONE.to_le_bytes());
        entry[72..76].copy_from_slice(&right.to_le_bytes());
        entry[76..80].copy_from_slice(&child.to_le_bytes());
        entry
    };
    let mut directory = entry("Root Entry", 5, NONE, 1);
    let all = names.len() + nested.len();
    for (index, name) in names.iter().chain(nested).enumerate() {
        let last_of_level = index + 1 == names.len() || index + 1 == all;
        let right = if last_of_level { NONE } else { index as u32 + 2 };
        let child = if index + 1 == names.len() && !nested.is_empty() { index as u32 + 2 } else { NONE };
        directory.extend(entry(name, if child == NONE { 2 } else { 1 }, right, child));
    }
    directory.resize(directory.len().next_multiple_of(512), 0);
    let sectors = directory.len() / 512;
    // Sector 0 is the allocation table, the directory follows.
    let mut table: Vec<u8> = 0xFFFF_FFFDu32.to_le_bytes().to_vec();
    for sector in 1..=sectors as u32 {
        let next = if sector == sectors as u32 { 0xFFFF_FFFE } else { sector + 1 };
        table.extend(next.to_le_bytes());
    }
    table.resize(512, 0xFF);
    let mut file = vec![0; 512];
    file[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    file[26] = 3;
    file[30] = 9;
    file[32] = 6;
    file[44] = 1;
    file[48..52].copy_from_slice(&1u32.to_le_bytes());
    file[76..80].copy_from_slice(&0u32.to_le_bytes());
    file.extend(table);
    file.extend(directory);
    file
}

pub fn compound_file_of(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (path, content) in streams {
        file.create_storage_all(std::path::Path::new(path).parent().unwrap()).unwrap();
        file.create_stream(path).unwrap().write_all(content).unwrap();
    }
    file.into_inner().into_inner()
}

/// A stream of summary information ([MS-OLEPS]) of this title, the author `Ann` and a date, 133633413300000000, at which the file was made and saved.
pub fn summary_of(title: &[u8], code_page: u16) -> Vec<u8> {
    const CODE_PAGE: u32 = 1;
    const AUTHOR: u32 = 4;
    const CREATED: u32 = 12;
    const LAST_SAVED: u32 = 13;
    const TITLE: u32 = 2;
    const STRING: u32 = 0x1E;
    const FILE_TIME: u32 = 0x40;
    const DATE: u64 = 133_633_413_300_000_000;
    let mut stream = vec![0; 44];
    stream.extend(48u32.to_le_bytes());
    let places = [(CODE_PAGE, 48), (AUTHOR, 56), (CREATED, 68), (LAST_SAVED, 68), (TITLE, 80)];
    let mut numbers = vec![0, places.len() as u32];
    numbers.extend(places.iter().flat_map(|(id, place)| [*id, *place]));
    numbers.extend([2, u32::from(code_page), STRING, 4, u32::from_le_bytes(*b"Ann\0")]);
    numbers.extend([FILE_TIME, DATE as u32, (DATE >> 32) as u32, STRING, title.len() as u32]);
    numbers.iter().for_each(|number| stream.extend(number.to_le_bytes()));
    stream.extend(title);
    stream
}

pub fn page_of(number: u32, text: &str) -> Page {
    Page {
        number,
        text: text.to_owned(),
        blocks: Vec::new(),
        line_boxes: Vec::new(),
        method: casetrack_core::ExtractionMethod::Native,
        ocr_confidence: None,
        sheet_name: None,
        notes: casetrack_core::PageNotes::default(),
    }
}

/// Checks everything that `casetrack_core::Page` and `Block` promise.
pub fn assert_page_invariants(page: &Page) {
    if let Some(problem) = crate::page_problem(page) {
        panic!("{problem} in {:?}", page.text);
    }
}
