//! Files and parts of files that were not read, or read with loss.

use casetrack_engine::documents::unread::UnreadFile;

use super::format::{counted, one_line, thousands, trimmed};
use super::marks::name;
use crate::Reader;

/// A part of the list of `total` files, which begins after `offset` of them.
pub fn list(
    collection: &str,
    files: &[UnreadFile],
    (offset, total): (u32, u64),
    next_offset: Option<u64>,
    reader: Reader,
) -> String {
    let collection = one_line(collection);
    if total == 0 {
        return format!("Everything in {collection} was read in full.");
    }
    let count = counted(total, "file or part");
    let count = if total == 1 { count } else { format!("{} files and parts", thousands(total)) };
    let mut text = format!("Not read, or read with loss, in {collection}: {count}\n");
    for (number, file) in (u64::from(offset) + 1..).zip(files) {
        text.push_str(&format!("\n  {number}. {}\n     {}\n", title(file), one_line(&file.reason)));
        if let Some(hint) = &file.hint {
            text.push_str(&format!("     {}\n", one_line(&reader.hint(hint))));
        }
        text.push_str(&format!("     {}\n", name(&file.path)));
    }
    reader.push_more(&mut text, total, next_offset);
    trimmed(text)
}

/// `winmail.dat in letter.eml: not read`
fn title(file: &UnreadFile) -> String {
    match (&file.container, file.document_id) {
        (Some(container), _) => format!("{} in {}: not read", name(&file.name), name(container)),
        (None, Some(_)) => format!("{}: read with loss", name(&file.name)),
        (None, None) => format!("{}: not read", name(&file.name)),
    }
}

/// The remark of other lists that some files are in this one; empty if none is.
pub fn remark(unread: u64, reader: Reader) -> String {
    if unread == 0 {
        return String::new();
    }
    let list = reader.pick("call again with unread: true to list them", "`casetrack unread` lists them");
    format!("\n\nFiles and parts that were not read, or read with loss: {} ({list}).", thousands(unread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::document;

    fn file(name: &str, container: Option<&str>) -> UnreadFile {
        UnreadFile {
            name: name.to_owned(),
            path: format!("/acme/{name}"),
            container: container.map(str::to_owned),
            document_id: container.map(|_| document().id),
            code: "unsupported_format".to_owned(),
            reason: format!("{name} is binary data of an unknown type."),
            hint: Some("Export it as PDF.".into()),
        }
    }

    #[test]
    fn each_file_has_its_container_its_reason_and_its_remedy() {
        let mut lossy = UnreadFile { hint: None, ..file("scan.pdf", Some("")) };
        lossy.container = None;
        let files = [file("winmail.dat", Some("letter.eml")), file("photo.heic", None), lossy];
        let text = list("Acme", &files, (0, 3), None, Reader::CommandLine);
        let expected = "Not read, or read with loss, in Acme: 3 files and parts\n\n  1. winmail.dat in letter.eml: not read\n     \
            winmail.dat is binary data of an unknown type.\n     Export it as PDF.\n     /acme/winmail.dat\n\n  2. photo.heic: not \
            read\n     photo.heic is binary data of an unknown type.\n     Export it as PDF.\n     /acme/photo.heic\n\n  3. scan.pdf: \
            read with loss\n     scan.pdf is binary data of an unknown type.\n     /acme/scan.pdf";
        assert_eq!(text, expected);
        assert_eq!(list("Acme", &[], (0, 0), None, Reader::Assistant), "Everything in Acme was read in full.");
        assert!(remark(2, Reader::CommandLine).contains("2 (`casetrack unread` lists them)"));
        assert_eq!(remark(0, Reader::Assistant), "");
    }
}
