//! Zip archives as folders of documents. The archive itself is one page that lists its files.

use casetrack_core::{BlockKind, ExtractionMethod, Result};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::zip::{Member, ZipContainer};
use casetrack_pages::model::Source;

pub(crate) struct Zip;

impl Extractor for Zip {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let mut archive = ZipContainer::open(source)?;
        document.start_page(ExtractionMethod::Native, None);
        let (mut read, mut locked) = (0u32, 0u32);
        for index in 0..archive.len() {
            let allowed = document.attachments().bytes_left();
            let (name, member) = archive.member(index, allowed);
            if name.ends_with(['/', '\\']) || is_hidden(&name) {
                continue;
            }
            document.push_block(BlockKind::ListItem, &name)?;
            match member {
                Member::File(bytes) => {
                    read += 1;
                    document.attachments().push(&name, bytes);
                }
                Member::TooLarge => document.attachments().leave_out(),
                Member::Locked => locked += 1,
                Member::Unreadable(reason) => {
                    document.warn(format!("{name} in the archive could not be read: {reason}."))
                }
            }
        }
        match (read, locked) {
            (0, 1..) => Err(source.needs_password()),
            (_, 1..) => {
                document.warn(format!("Files in the archive that need a password were left out: {locked}."));
                Ok(())
            }
            _ if document.is_blank() => Err(source.without_content("contains no files.")),
            _ => Ok(()),
        }
    }
}

/// Files that operating systems and office programs leave next to documents.
fn is_hidden(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| {
        part == "__MACOSX" || part == "Thumbs.db" || part.starts_with("~$") || (part.starts_with('.') && part.len() > 2)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use casetrack_core::{Error, ErrorCode, Limits};

    use super::*;
    use crate::test_files::{assert_page_invariants, zip_file};
    use crate::{ExtractOptions, Extraction};

    fn extract_with(bytes: &[u8], limits: Limits) -> Result<Extraction, Error> {
        let extraction =
            crate::extract(Path::new("bundle.zip"), bytes, &ExtractOptions { limits, ..ExtractOptions::default() })?;
        extraction.pages.iter().for_each(assert_page_invariants);
        Ok(extraction)
    }

    fn extract(bytes: &[u8]) -> Extraction {
        extract_with(bytes, Limits::default()).unwrap()
    }

    #[test]
    fn members_are_attachments_and_listed() {
        let extraction = extract(&zip_file(&[
            ("Contracts/lease.txt", b"rent"),
            ("note.txt", b"note"),
            ("Contracts/", b""),
            ("__MACOSX/._note.txt", b"x"),
            (".DS_Store", b"x"),
        ]));
        assert_eq!(extraction.pages[0].text, "Contracts/lease.txt\nnote.txt");
        let found: Vec<_> = extraction.attachments.iter().map(|file| (&*file.name, &*file.bytes)).collect();
        assert_eq!(found, [("Contracts/lease.txt", &b"rent"[..]), ("note.txt", b"note")]);
        assert!(extraction.warnings.is_empty());
    }

    /// An archive of these names, in bytes, that are not marked as UTF-8.
    fn with_raw_names(names: &[&[u8]]) -> Vec<u8> {
        let placeholder = |index: usize, name: &[u8]| format!("{index:0width$}", width = name.len());
        let placeholders: Vec<String> = names.iter().enumerate().map(|(at, name)| placeholder(at, name)).collect();
        let mut bytes = zip_file(&placeholders.iter().map(|name| (&**name, &b"text"[..])).collect::<Vec<_>>());
        for (placeholder, name) in placeholders.iter().zip(names) {
            for at in (0..bytes.len() - name.len()).filter(|&at| at >= 30).collect::<Vec<_>>() {
                let is_name = bytes[at..].starts_with(placeholder.as_bytes())
                    && (bytes[at - 30..].starts_with(b"PK\x03\x04")
                        || (at >= 46 && bytes[at - 46..].starts_with(b"PK\x01\x02")));
                if is_name {
                    bytes[at..at + name.len()].copy_from_slice(name);
                }
            }
        }
        bytes
    }

    #[test]
    fn names_in_any_encoding_are_decoded_over_the_whole_archive() {
        for (names, expected) in [
            (&[&b"Vertr\x84ge/\x9aberlassung.txt"[..]][..], &["Verträge/Überlassung.txt"][..]),
            (&[b"Vertr\xE4ge/\xDCberlassung.txt"], &["Verträge/Überlassung.txt"]),
            (&["Verträge/Überlassung.txt".as_bytes()], &["Verträge/Überlassung.txt"]),
            (&[b"\x84\xAE\xA3\xAE\xA2\xAE\xE0 \xA0\xE0\xA5\xAD\xA4\xEB.txt"], &["Договор аренды.txt"]),
            (&[b"\xBA\xCF\xCD\xAC\xBC\xD7.txt", b"plain.txt"], &["合同甲.txt", "plain.txt"]),
            // The second byte of a letter can be a backslash.
            (&[b"\x83\\\x83t\x83g\x8C_\x96\xF1.txt", b"\x95\\\x8E\xA6.txt"], &["ソフト契約.txt", "表示.txt"]),
        ] {
            let extraction = extract(&with_raw_names(names));
            let found: Vec<&str> = extraction.attachments.iter().map(|file| &*file.name).collect();
            assert_eq!(found, expected);
            assert_eq!(extraction.pages[0].text, expected.join("\n"));
        }
    }

    #[test]
    fn names_never_lead_out_of_the_archive() {
        let extraction = extract(&zip_file(&[("../../etc/passwd", b"a"), ("/root.txt", b"b"), ("..\\up.txt", b"c")]));
        let names: Vec<_> = extraction.attachments.iter().map(|file| &*file.name).collect();
        assert_eq!(names, ["etc/passwd", "root.txt", "up.txt"]);
    }

    #[test]
    fn bombs_are_left_out_and_said() {
        let bytes = zip_file(&[("bomb.txt", &vec![b'0'; 1 << 20]), ("note.txt", b"note")]);
        let extraction = extract_with(&bytes, Limits { max_attachment_bytes: 1 << 16, ..Limits::default() }).unwrap();
        assert_eq!(extraction.attachments.len(), 1);
        assert!(extraction.warnings[0].starts_with("1 of the files inside"), "{:?}", extraction.warnings);
        let many = extract_with(&bytes, Limits { max_attachments: 1, ..Limits::default() }).unwrap();
        assert_eq!(many.attachments[0].name, "bomb.txt");
        assert_eq!(many.warnings.len(), 1);
    }

    #[test]
    fn encrypted_archives_need_a_password() {
        let mut bytes = zip_file(&[("a.txt", b"text"), ("b.txt", b"more")]);
        // Bit 0 of the general purpose flags, in the headers and the directory (APPNOTE 4.4.4).
        let mut lock = |signature: &[u8], flags: usize, most: usize| {
            let found: Vec<usize> =
                (0..bytes.len()).filter(|&at| bytes[at..].starts_with(signature)).take(most).collect();
            found.into_iter().for_each(|at| bytes[at + flags] |= 1);
            bytes.clone()
        };
        lock(b"PK\x03\x04", 6, 1);
        let partly = extract(&lock(b"PK\x01\x02", 8, 1));
        assert_eq!(partly.attachments.len(), 1);
        assert_eq!(partly.warnings, ["Files in the archive that need a password were left out: 1."]);
        lock(b"PK\x03\x04", 6, 2);
        let error = extract_with(&lock(b"PK\x01\x02", 8, 2), Limits::default()).unwrap_err();
        assert_eq!(error.code, ErrorCode::NeedsPassword);
    }

    #[test]
    fn damaged_and_empty_archives_are_errors() {
        let whole = zip_file(&[("a.txt", b"text"), ("b.txt", b"more")]);
        for cut in 4..whole.len() {
            let error = extract_with(&whole[..cut], Limits::default()).unwrap_err();
            assert_eq!(error.code, ErrorCode::UnreadableFile);
        }
        assert_eq!(extract_with(&zip_file(&[]), Limits::default()).unwrap_err().code, ErrorCode::EmptyFile);
        let mut flipped = whole;
        let at = flipped.windows(4).position(|window| window == b"text").unwrap_or(36);
        flipped[at] ^= 0xFF;
        let extraction = extract(&flipped);
        assert_eq!(extraction.attachments.len(), 1);
        assert!(extraction.warnings[0].starts_with("a.txt in the archive could not be read"));
    }
}
