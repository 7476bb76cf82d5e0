//! Files embedded in office documents: parts of packages as they are, and OLE objects ([MS-OLEDS]), which hold a file
//! in one of several ways.

use casetrack_core::{BlockKind, Result};
use encoding_rs::WINDOWS_1252;

use crate::build::DocumentBuilder;
use crate::container::ole::{self, CompoundFile, Entry, copied, u32_at, utf16_to_zero};
use crate::container::opc::Package;
use crate::container::xml::XmlReader;
use crate::container::zip::{self, ZipContainer};
use crate::model::attachment;
use crate::text::encoding;

/// Names of objects in a warning.
const MAX_NAMES: usize = 5;

/// The kinds of OLE objects by the streams in their roots, and the extensions of their files.
const DOCUMENTS: [(&str, &str); 5] = [
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
    ("__properties_version1.0", "msg"),
];

/// An object that was read out of a file of an old format.
pub enum Object {
    /// A compound file, or data that only the program that wrote it can read.
    Ole(Vec<u8>),
    /// A file that the object packager wrapped, as in the stream `Ole10Native`, but without the size before it.
    Packaged(Vec<u8>),
    Damaged,
}

/// Hands the files in a document to its builder, and names those that it cannot open.
#[derive(Default)]
pub struct EmbeddedFiles {
    unopened: Vec<String>,
}

impl EmbeddedFiles {
    /// Hands out all files in a package, except the data behind its charts, which show it. Then the package has been
    /// read: its warnings become the document's.
    pub fn of_package(package: &mut Package, document: &mut DocumentBuilder) -> Result<()> {
        let mut names = package.names();
        let mut behind_charts = Vec::new();
        for chart in names.iter().filter(|name| has_folder(name, "charts") && name.ends_with(".xml")) {
            behind_charts.extend(package.relationships_of(chart).all_targets().map(str::to_ascii_lowercase));
        }
        names.retain(|name| {
            let is_file = has_folder(name, "embeddings") && !name.ends_with('/');
            is_file && !behind_charts.contains(&name.to_ascii_lowercase())
        });
        let mut embedded = Self::default();
        for name in names {
            if let Some(bytes) = package.beside(&name, "embedded file") {
                embedded.file(&name, bytes, document);
            }
        }
        embedded.finish(document)?;
        package.take_warnings().into_iter().for_each(|warning| document.warn(warning));
        Ok(())
    }

    /// Hands out the OLE objects of an OpenDocument package, and the documents that are folders in it, each as a
    /// package of its own. Formulas and charts are part of the text.
    pub fn of_open_document(container: &mut ZipContainer, document: &mut DocumentBuilder) -> Result<()> {
        let mut embedded = Self::default();
        for name in container.names() {
            if let Some(folder) = name.strip_suffix("/content.xml").filter(|folder| !folder.contains('/')) {
                embedded.folder(container, folder, document);
            }
        }
        let is_object = |name: &String| name.starts_with("Object ") && !name.contains('/');
        for name in container.names().into_iter().filter(is_object) {
            match container.part(&name) {
                Ok(Some(bytes)) if bytes.starts_with(ole::SIGNATURE) => embedded.file(&name, bytes, document),
                Ok(_) => {}
                Err(_) => embedded.unopened.push(name),
            }
        }
        embedded.finish(document)
    }

    /// Hands out the OLE objects in those storages of a compound file.
    pub fn of_storages(
        file: &CompoundFile,
        storages: impl Iterator<Item = Entry>,
        document: &mut DocumentBuilder,
    ) -> Result<()> {
        let mut embedded = Self::default();
        storages.filter(|entry| entry.is_storage).for_each(|storage| embedded.storage(file, &storage, document));
        embedded.finish(document)
    }

    /// Hands out objects with names.
    pub fn of_objects(objects: Vec<(String, Object)>, document: &mut DocumentBuilder) -> Result<()> {
        let mut embedded = Self::default();
        for (name, object) in objects {
            match object {
                Object::Ole(bytes) if bytes.starts_with(ole::SIGNATURE) => embedded.file(&name, bytes, document),
                Object::Packaged(bytes) => match packaged(&bytes) {
                    Some((name, content)) => document.attachments().push(&name, content),
                    None => embedded.unopened.push(name),
                },
                Object::Ole(_) | Object::Damaged => embedded.unopened.push(name),
            }
        }
        embedded.finish(document)
    }

    /// Hands out the OpenDocument file that is a folder of another.
    fn folder(&mut self, container: &mut ZipContainer, folder: &str, document: &mut DocumentBuilder) {
        // Damage was met, and reported, when the text was read.
        let Ok(Some(content)) = container.part(&format!("{folder}/content.xml")) else { return };
        let Some((kind, extension)) = kind_of(&encoding::decode_xml(&content)) else { return };
        let mut parts =
            vec![("mimetype".to_owned(), format!("application/vnd.oasis.opendocument.{kind}").into_bytes())];
        let mut left = document.attachments().bytes_left();
        for name in container.names() {
            let Some(inner) = name.strip_prefix(folder).and_then(|name| name.strip_prefix('/')) else { continue };
            if inner.is_empty() || inner.ends_with('/') || inner == "mimetype" {
                continue;
            }
            match container.part(&name) {
                Ok(Some(bytes)) => match left.checked_sub(bytes.len() as u64) {
                    Some(rest) => {
                        left = rest;
                        parts.push((inner.to_owned(), bytes));
                    }
                    None => return document.attachments().leave_out(),
                },
                Ok(None) => {}
                Err(_) => return self.unopened.push(folder.to_owned()),
            }
        }
        match zip::packed(&parts) {
            Some(bytes) => document.attachments().push(&format!("{folder}.{extension}"), bytes),
            None => self.unopened.push(folder.to_owned()),
        }
    }

    /// Hands out the content of a part of a document: an OLE object, or a file as it is.
    fn file(&mut self, part: &str, bytes: Vec<u8>, document: &mut DocumentBuilder) {
        let name = part.rsplit('/').next().unwrap_or(part);
        if !bytes.starts_with(ole::SIGNATURE) {
            return document.attachments().push(name, bytes);
        }
        let file = CompoundFile::open(&bytes);
        let entries = file.as_ref().map(CompoundFile::root_entries).unwrap_or_default();
        if let Some(extension) = extension_of(&entries) {
            return document.attachments().push(&with_extension(name, extension), bytes);
        }
        match file.and_then(|file| content(&file, &entries, name)) {
            Some((name, content)) => document.attachments().push(&name, content),
            None => self.unopened.push(name.to_owned()),
        }
    }

    /// Hands out the OLE object that is a storage of another compound file.
    fn storage(&mut self, file: &CompoundFile, storage: &Entry, document: &mut DocumentBuilder) {
        let entries = file.entries(storage);
        let max_bytes = document.attachments().bytes_left();
        let found = match extension_of(&entries) {
            Some(extension) => copied(file, storage, max_bytes, |_, _| {})
                .map(|bytes| (with_extension(&storage.name, extension), bytes)),
            None => content(file, &entries, &storage.name),
        };
        match found {
            Some((name, content)) => document.attachments().push(&name, content),
            None => self.unopened.push(storage.name.clone()),
        }
    }

    /// Warns of unopened files. A document that consists only of its files lists them.
    fn finish(self, document: &mut DocumentBuilder) -> Result<()> {
        if !self.unopened.is_empty() {
            let mut names = self.unopened.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
            if self.unopened.len() > MAX_NAMES {
                names.push_str(" and others");
            }
            document.warn(format!("Embedded objects that could not be opened: {} ({names}).", self.unopened.len()));
        }
        if document.is_blank() {
            let names: Vec<String> = document.attachments().names().map(str::to_owned).collect();
            names.iter().try_for_each(|name| document.push_block(BlockKind::ListItem, name))?;
        }
        Ok(())
    }
}

/// The kind of an OpenDocument file and the extension of its files, by its content; `None` for a part of the text
/// around it.
fn kind_of(content: &str) -> Option<(&'static str, &'static str)> {
    const KINDS: [(&str, (&str, &str)); 4] = [
        ("text", ("text", "odt")),
        ("spreadsheet", ("spreadsheet", "ods")),
        ("presentation", ("presentation", "odp")),
        ("drawing", ("graphics", "odg")),
    ];
    let mut xml = XmlReader::new(content);
    xml.root().ok()?;
    while let Some(element) = xml.child().ok()? {
        if element.name() == "body" {
            let inner = xml.child().ok()??;
            return KINDS.iter().find(|(name, _)| *name == inner.name()).map(|(_, kind)| *kind);
        }
        xml.skip().ok()?;
    }
    None
}

fn has_folder(name: &str, folder: &str) -> bool {
    name.rsplit('/').skip(1).any(|part| part.eq_ignore_ascii_case(folder))
}

fn extension_of(entries: &[Entry]) -> Option<&'static str> {
    let has = |name: &str| entries.iter().any(|entry| !entry.is_storage && entry.name.eq_ignore_ascii_case(name));
    DOCUMENTS.iter().find(|(stream, _)| has(stream)).map(|(_, extension)| *extension)
}

/// The name with this extension in place of one that means nothing.
fn with_extension(name: &str, extension: &str) -> String {
    if name.to_ascii_lowercase().ends_with(&format!(".{extension}")) {
        return name.to_owned();
    }
    format!("{}.{extension}", name.strip_suffix(".bin").unwrap_or(name))
}

/// The file inside an object that is not itself a document, and its name.
fn content(file: &CompoundFile, entries: &[Entry], name: &str) -> Option<(String, Vec<u8>)> {
    let stream = |wanted: &str| entries.iter().find(|entry| !entry.is_storage && entry.name == wanted);
    if let Some(entry) = stream("\u{1}Ole10Native") {
        return packaged(file.content(entry).get(4..)?);
    }
    let holds = ["Package", "CONTENTS", "EmbeddedOdf"].iter().find_map(|name| stream(name))?;
    let bytes = file.content(holds);
    let extension = extension_of_content(&bytes)?;
    Some((with_extension(name, extension), bytes))
}

fn extension_of_content(bytes: &[u8]) -> Option<&'static str> {
    let holds = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
    if bytes.starts_with(b"%PDF-") {
        return Some("pdf");
    }
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    // Names in an archive are not compressed.
    let parts = [
        ("word/document.xml", "docx"),
        ("xl/workbook", "xlsx"),
        ("ppt/presentation.xml", "pptx"),
        ("opendocument.text", "odt"),
        ("opendocument.spreadsheet", "ods"),
        ("opendocument.presentation", "odp"),
    ];
    Some(parts.iter().find(|(part, _)| holds(part)).map_or("zip", |(_, extension)| extension))
}

/// The file that the object packager wrapped: two bytes, label, path and content, then newer copies of the names in Unicode.
fn packaged(stream: &[u8]) -> Option<(String, Vec<u8>)> {
    let rest = stream.get(2..)?;
    let (label, rest) = zero_terminated(rest)?;
    let (path, rest) = zero_terminated(rest)?;
    let temporary = u32_at(rest, 4)? as usize;
    let rest = rest.get(8usize.checked_add(temporary)?..)?;
    let size = u32_at(rest, 0)? as usize;
    let content = rest.get(4..4usize.checked_add(size)?)?;
    let names = &rest[4 + size..];
    let wide_label = || {
        let skipped = 4 + 2 * u32_at(names, 0)? as usize;
        let size = 2 * u32_at(names, skipped)? as usize;
        Some(utf16_to_zero(names.get(skipped + 4..(skipped + 4).checked_add(size)?)?))
    };
    let name = [wide_label().unwrap_or_default(), label, path].into_iter().find(|name| !name.trim().is_empty());
    // Either may be a path of the machine on which it was embedded.
    let name = name.unwrap_or_else(|| "embedded.bin".to_owned());
    let name = name.rsplit(['\\', '/']).next().unwrap_or(&name);
    Some((attachment::file_name(name), content.to_vec()))
}

fn zero_terminated(bytes: &[u8]) -> Option<(String, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let text = WINDOWS_1252.decode_without_bom_handling(&bytes[..end]).0.into_owned();
    Some((text, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use casetrack_core::{FileFormat, Limits};

    use super::*;
    use crate::test_files::compound_file_of;

    fn native(label: &str, content: &[u8], wide: &str) -> Vec<u8> {
        let zero_terminated = |text: &str| [text.as_bytes(), b"\0"].concat();
        let mut stream = vec![0, 0, 0, 0, 2, 0];
        stream.extend([zero_terminated(label), zero_terminated("C:\\Users\\ann\\x.txt"), vec![0, 0, 3, 0]].concat());
        stream.extend([&3u32.to_le_bytes()[..], b"a\\b", &(content.len() as u32).to_le_bytes(), content].concat());
        if !wide.is_empty() {
            stream.extend(1u32.to_le_bytes());
            stream.extend([b'a', 0]);
            stream.extend((wide.encode_utf16().count() as u32).to_le_bytes());
            stream.extend(wide.encode_utf16().flat_map(u16::to_le_bytes));
        }
        stream
    }

    fn opened(part: &str, bytes: Vec<u8>) -> (Vec<(String, Vec<u8>)>, Vec<String>) {
        let mut document = DocumentBuilder::new(1000);
        document.limit_attachments(&Limits::default());
        let mut embedded = EmbeddedFiles::default();
        embedded.file(part, bytes, &mut document);
        embedded.finish(&mut document).unwrap();
        let extraction = document.finish(FileFormat::Docx);
        (extraction.attachments.into_iter().map(|file| (file.name, file.bytes)).collect(), extraction.warnings)
    }

    #[test]
    fn objects_give_the_file_that_they_hold() {
        let document = compound_file_of(&[("/WordDocument", b"text"), ("/\u{1}Ole", b"x")]);
        for (bytes, name, content) in [
            (compound_file_of(&[("/\u{1}Ole10Native", &native("Plan.txt", b"north", ""))]), "Plan.txt", &b"north"[..]),
            (compound_file_of(&[("/\u{1}Ole10Native", &native("C:\\P?n.txt", b"", "C:\\Płan.txt"))]), "Płan.txt", b""),
            (compound_file_of(&[("/CONTENTS", b"%PDF-1.7 x")]), "oleObject1.pdf", b"%PDF-1.7 x"),
            (
                compound_file_of(&[("/Package", b"PK\x03\x04 xl/workbook.xml")]),
                "oleObject1.xlsx",
                b"PK\x03\x04 xl/workbook.xml",
            ),
            (document.clone(), "oleObject1.doc", &document),
            (b"PK\x03\x04".to_vec(), "oleObject1.bin", b"PK\x03\x04"),
        ] {
            let (files, warnings) = opened("word/embeddings/oleObject1.bin", bytes);
            assert_eq!(files, [(name.to_owned(), content.to_vec())]);
            assert!(warnings.is_empty());
        }
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let damaged = native("Plan.txt", b"north", "");
        for bytes in [
            compound_file_of(&[("/Equation Native", b"x")]),
            compound_file_of(&[("/\u{1}Ole10Native", &damaged[..damaged.len() - 1])]),
            ole::SIGNATURE.to_vec(),
        ] {
            let (files, warnings) = opened("word/embeddings/oleObject1.bin", bytes);
            assert!(files.is_empty());
            assert_eq!(warnings, ["Embedded objects that could not be opened: 1 (oleObject1.bin)."]);
        }
    }
}
