//! Files embedded in a text: OLE 1.0 objects ([MS-OLEDS] 2.2), written as hexadecimal digits after `\objdata`.

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::container::ole::u32_at;
use casetrack_pages::office::embedded_files::{EmbeddedFiles, Object};

const DATA: &[u8] = b"\\objdata";
/// `FormatID` of an object that is embedded, not linked (2.2.4).
const EMBEDDED: u32 = 2;
/// The class of a file that the object packager wrapped.
const PACKAGE: &[u8] = b"Package";

pub(super) fn hand_out(rtf: &[u8], document: &mut DocumentBuilder) -> Result<()> {
    let mut objects = Vec::new();
    let mut rest = rtf;
    while let Some(at) = rest.windows(DATA.len()).position(|window| window == DATA) {
        rest = &rest[at + DATA.len()..];
        if rest.first().is_some_and(u8::is_ascii_alphanumeric) {
            continue;
        }
        // Data in binary (`\bin`) has its stated length, regardless of its content.
        let end = rest.iter().position(|byte| matches!(byte, b'}' | b'\\' | b'{')).unwrap_or(rest.len());
        let data = of_digits(&rest[..end]);
        if u32_at(&data, 4).is_none_or(|format| format == EMBEDDED) {
            objects.push((format!("object{}.bin", objects.len() + 1), object(&data)));
        }
        rest = &rest[end..];
    }
    EmbeddedFiles::of_objects(objects, document)
}

fn of_digits(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        text.iter().filter_map(|byte| char::from(*byte).to_digit(16)).map(|digit| digit as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}

/// After version and format: three strings (class, topic, item), each after its size, then the size of the program's
/// data, and the data.
fn object(data: &[u8]) -> Object {
    let native = || {
        let mut at = 8usize;
        let mut class: &[u8] = &[];
        for number in 0..3 {
            let size = u32_at(data, at)? as usize;
            let text = data.get(at.checked_add(4)?..at.checked_add(4)?.checked_add(size)?)?;
            at += 4 + size;
            if number == 0 {
                class = text.strip_suffix(b"\0").unwrap_or(text);
            }
        }
        let size = u32_at(data, at)? as usize;
        let native = data.get(at + 4..(at + 4).checked_add(size)?)?;
        Some(if class.eq_ignore_ascii_case(PACKAGE) {
            Object::Packaged(native.to_vec())
        } else {
            Object::Ole(native.to_vec())
        })
    };
    native().unwrap_or(Object::Damaged)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::test_files::compound_file_of;
    use crate::{ExtractOptions, Extraction};

    fn extracted(class: &str, native: &[u8]) -> Extraction {
        let string = |text: &str| [&(text.len() as u32 + 1).to_le_bytes()[..], text.as_bytes(), b"\0"].concat();
        let size = (native.len() as u32).to_le_bytes();
        let data = [&[1, 5, 0, 0, 2, 0, 0, 0][..], &string(class), &[0; 8], &size, native].concat();
        let digits: String = data.iter().map(|byte| format!("{byte:02x}\n")).collect();
        let rtf = format!("{{\\rtf1 The plan:{{\\object\\objemb{{\\*\\objdata {digits}}}{{\\result  shown}}}}\\par}}");
        crate::extract(Path::new("lease.rtf"), rtf.as_bytes(), &ExtractOptions::default()).unwrap()
    }

    #[test]
    fn objects_are_files_of_their_own() {
        let packaged = [b"\x02\0Plan.txt\0C:\\x\0\0\0\x03\0\x02\0\0\0x\0\x05\0\0\0".as_slice(), b"north"].concat();
        let extraction = extracted("Package", &packaged);
        assert_eq!(extraction.pages[0].text, "The plan: shown");
        let files: Vec<_> = extraction.attachments.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(files, [("Plan.txt", &b"north"[..])]);

        let word = compound_file_of(&[("/WordDocument", b"text")]);
        let extraction = extracted("Word.Document.8", &word);
        let files: Vec<_> = extraction.attachments.iter().map(|file| (file.name.as_str(), &file.bytes[..])).collect();
        assert_eq!(files, [("object1.doc", &word[..])]);
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        for native in [&b"BM a picture"[..], b""] {
            let extraction = extracted("PBrush", native);
            assert_eq!(extraction.pages[0].text, "The plan: shown");
            assert_eq!(extraction.warnings, ["Embedded objects that could not be opened: 1 (object1.bin)."]);
        }
    }
}
