//! Recognises a file's format by its content. The name only breaks ties between formats that are all plain text.

mod binary;
mod html;

use std::path::Path;

use casetrack_core::{FileFormat, Result, type_by_signature};
use casetrack_pages::container::ole;
use casetrack_pages::container::zip::{self, ZipContainer};
use casetrack_pages::model::{ExtractOptions, Source};
use casetrack_pages::text::encoding;

use self::binary::{advice, advice_for_binary, describe_binary, program_data};
use self::html::is_html;
use crate::formats::opendocument::{self, Manifest};
use crate::{formats, office_xml};

/// A PDF header may be preceded by other bytes; readers accept it within the first 1024 (ISO 32000-1, Annex H.3.4.1).
const PDF_HEADER_WITHIN: usize = 1024;

/// The format of a file, by its content; the extension only decides between plain text, Markdown and CSV.
///
/// `bytes` is the whole file. Office containers are opened, but no page is read.
///
/// Errors: `EmptyFile` for zero bytes, `UnsupportedFormat` naming what the file is, `NeedsPassword` for an encrypted
/// office file, `UnreadableFile` for a container that is damaged.
pub fn detect(path: &Path, bytes: &[u8]) -> Result<FileFormat> {
    let options = ExtractOptions::default();
    let source = Source { path, bytes, options: &options };
    let package = office_xml::packed(&source)?;
    detect_source(&Source { bytes: package.as_deref().unwrap_or(bytes), ..source })
}

/// True if files with this extension are worth opening when a folder is walked. Content decides when they are read.
pub fn is_supported_extension(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).and_then(FileFormat::from_extension).is_some()
}

pub(crate) fn detect_source(source: &Source) -> Result<FileFormat> {
    let bytes = source.bytes;
    if bytes.is_empty() {
        return Err(source.without_content("is empty (0 bytes)."));
    }
    // Before PDF: a PDF file in an archive may begin among the first bytes.
    if zip::SIGNATURES.iter().any(|signature| bytes.starts_with(signature)) {
        return detect_in_zip(source);
    }
    if bytes.starts_with(ole::SIGNATURE) {
        return detect_in_compound_file(source);
    }
    if has_pdf_header(bytes) {
        return Ok(FileFormat::Pdf);
    }
    // Before text: it may contain pictures as they are.
    if bytes.trim_ascii_start().starts_with(formats::rtf::SIGNATURE) {
        return Ok(FileFormat::Rtf);
    }
    if formats::mail::is_outlook_data(bytes) {
        let hint = "Export its folders as MBOX, or its messages as EML or MSG, and ingest those.";
        return Err(source.unsupported("an Outlook data file (PST or OST)").with_hint(hint));
    }
    if formats::image::is_image(bytes) {
        return Ok(FileFormat::Image);
    }
    if formats::mail::is_tnef(bytes) {
        return Ok(FileFormat::Tnef);
    }
    if formats::signed::is_envelope(bytes) {
        return Ok(FileFormat::P7m);
    }
    if let Some(format) = mail_format(source) {
        return Ok(format);
    }
    // The beginnings of some binary files are text in a code page of DOS.
    let signature = type_by_signature(bytes);
    let conversion = signature.and_then(advice);
    if let Some(decoded) = encoding::decode(bytes).filter(|_| conversion.is_none()) {
        return detect_in_text(source, &decoded.text);
    }
    if is_old_excel(bytes) {
        return Err(source.unsupported("an Excel worksheet from before 1995"));
    }
    if bytes.starts_with(b"\xDB\xA5") || bytes.starts_with(b"\x9B\xA5") {
        return Err(source.unsupported("a Word document from before 1993"));
    }
    if let Some((what, advice)) = program_data(bytes) {
        return Err(source.unsupported(what).with_hint(advice));
    }
    let error = source.unsupported(&signature.map_or("binary data of an unknown type".into(), describe_binary));
    Err(match conversion.or(signature.and_then(advice_for_binary)) {
        Some(advice) => error.with_hint(advice),
        None => error,
    })
}

fn detect_in_text(source: &Source, text: &str) -> Result<FileFormat> {
    if is_html(source, text) {
        return Ok(FileFormat::Html);
    }
    if formats::calendar::is_calendar(text) {
        return Ok(FileFormat::Calendar);
    }
    if formats::spreadsheet::is_workbook(text) {
        return Ok(FileFormat::Xls);
    }
    if let Some(format) = promised_mail(source, text) {
        return Ok(format);
    }
    if let Some(mime_type) = opendocument::flat_mime_type(text) {
        return match kind_of(&mime_type) {
            Some(Ok(FileFormat::Ods)) | None => Err(source.unsupported("a flat OpenDocument")),
            Some(found) => found.map_err(|what| source.unsupported(what)),
        };
    }
    match known_text_format(text) {
        Some(what) => Err(source.unsupported(what)),
        None => Ok(plain_text_format(source, text)),
    }
}

fn has_pdf_header(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(PDF_HEADER_WITHIN)].windows(5).any(|window| window == b"%PDF-")
}

/// Main parts of Open Packaging containers by content type ([ECMA-376] Part 1, 11.3 ff.), the usual part, and the kind
/// of file.
const PACKAGES: &[(&[&str], &str, Result<FileFormat, &str>)] = &[
    (
        &["wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml", "ms-word."],
        "word/document.xml",
        Ok(FileFormat::Docx),
    ),
    (
        &[
            "spreadsheetml.sheet.main+xml",
            "spreadsheetml.template.main+xml",
            "ms-excel.sheet.macroEnabled.main+xml",
            "ms-excel.template.macroEnabled.main+xml",
        ],
        "xl/workbook.xml",
        Ok(FileFormat::Xlsx),
    ),
    (&["ms-excel.sheet.binary.macroEnabled.main"], "xl/workbook.bin", Ok(FileFormat::Xlsb)),
    (&["presentationml.", "ms-powerpoint."], "ppt/presentation.xml", Ok(FileFormat::Pptx)),
    (&["ms-visio."], "visio/document.xml", Err("a Visio drawing")),
];

/// The `mimetype` entry of OpenDocument ([ODF] Part 2, 3.3) and EPUB containers. Templates have longer names.
const MIME_TYPES: &[(&str, Result<FileFormat, &str>)] = &[
    ("application/vnd.oasis.opendocument.spreadsheet", Ok(FileFormat::Ods)),
    ("application/vnd.oasis.opendocument.text", Ok(FileFormat::Odt)),
    ("application/vnd.oasis.opendocument.presentation", Ok(FileFormat::Odp)),
    ("application/vnd.oasis.opendocument", Err("an OpenDocument file of another kind")),
    ("application/epub+zip", Err("an EPUB book")),
];

fn kind_of(mime_type: &str) -> Option<Result<FileFormat, &'static str>> {
    MIME_TYPES.iter().find(|(prefix, _)| mime_type.trim().starts_with(prefix)).map(|(_, found)| *found)
}

fn detect_in_zip(source: &Source) -> Result<FileFormat> {
    let mut container = ZipContainer::open(source)?;
    let verdict = |verdict: Result<FileFormat, &str>| verdict.map_err(|what| source.unsupported(what));
    let manifest = Manifest::of(&mut container);
    let mime_type = container.part("mimetype").ok().flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if let Some(found) = mime_type.or(manifest.mime_type).as_deref().and_then(kind_of) {
        return if manifest.is_encrypted && found.is_ok() { Err(source.needs_password()) } else { verdict(found) };
    }
    // Content types name the main part. If that part is missing or damaged, the usual names of parts decide.
    let content_types = container.part("[Content_Types].xml").ok().flatten().unwrap_or_default();
    let content_types = encoding::decode_xml(&content_types);
    let names = container.names();
    let declared = PACKAGES.iter().find(|(types, ..)| types.iter().any(|main| content_types.contains(main)));
    let found = declared
        .or_else(|| PACKAGES.iter().find(|(_, part, _)| names.iter().any(|name| name.eq_ignore_ascii_case(part))));
    match found {
        Some((.., found)) => verdict(*found),
        None if names.iter().any(|name| name.ends_with(".iwa")) => Err(source.unsupported("an Apple iWork document")),
        None if names.iter().any(|name| name == "META-INF/MANIFEST.MF") => Err(source.unsupported("a Java archive")),
        None => Ok(FileFormat::Zip),
    }
}

fn detect_in_compound_file(source: &Source) -> Result<FileFormat> {
    let names = ole::root_names(source.bytes);
    let has = |name: &str| names.iter().any(|candidate| candidate.eq_ignore_ascii_case(name));
    if has("EncryptedPackage") || has("EncryptionInfo") {
        Err(source.needs_password())
    } else if has("WordDocument") {
        Ok(FileFormat::Doc)
    } else if has("PowerPoint Document") || has(formats::ppt::DUAL_STORAGE) {
        Ok(FileFormat::Ppt)
    } else if has("PP40") {
        Err(source.unsupported(formats::ppt::OLD_POWERPOINT))
    } else if has("__properties_version1.0") {
        Ok(FileFormat::Msg)
    } else if has("Workbook") || has("Book") {
        Ok(FileFormat::Xls)
    } else if names.is_empty() {
        Err(source.unreadable("the directory of its OLE container is damaged"))
    } else {
        Err(source.unsupported("an OLE file of an unknown kind"))
    }
}

/// Formats that are text, but whose text is markup or an envelope.
fn known_text_format(text: &str) -> Option<&'static str> {
    let start = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    let start: String = start.chars().take(2000).collect::<String>().to_ascii_lowercase();
    if start.starts_with("%!ps") {
        return Some("a PostScript file");
    }
    if start.starts_with("<?xml") {
        return [("<svg", "an SVG image"), ("<office:document", "a flat OpenDocument")]
            .iter()
            .find(|(element, _)| start.contains(element))
            .map(|(_, what)| *what);
    }
    None
}

/// Bytes searched for the headers of a message.
const MAIL_HEADERS_WITHIN: usize = 64 * 1024;

/// A message, mailbox or web archive, by its first lines; parts of it may be binary data.
fn mail_format(source: &Source) -> Option<FileFormat> {
    let bytes = source.bytes;
    if formats::mail::apple_message(bytes).is_some() {
        return Some(FileFormat::Eml);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(MAIL_HEADERS_WITHIN)]);
    let start = start.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).to_ascii_lowercase();
    if formats::mail::is_web_archive(&start, source.promised_format() == Some(FileFormat::Mhtml)) {
        return Some(FileFormat::Mhtml);
    }
    if start.starts_with("from ") {
        return has_mail_headers(start.lines().skip(1)).then_some(FileFormat::Mbox);
    }
    has_mail_headers(start.lines()).then_some(FileFormat::Eml)
}

/// Mail by its name, when its headers do not prove it.
fn promised_mail(source: &Source, text: &str) -> Option<FileFormat> {
    match source.promised_format()? {
        FileFormat::Mbox if text.trim_start().starts_with("From ") => Some(FileFormat::Mbox),
        FileFormat::Eml if known_text_format(text).is_none() => Some(FileFormat::Eml),
        // Outlook gives the same name to a message with a detached signature.
        FileFormat::P7m | FileFormat::Mhtml if formats::signed::is_mime_entity(text.as_bytes()) => {
            Some(FileFormat::Eml)
        }
        _ => None,
    }
}

/// Two headers that every message has in transit, before the first empty line (RFC 5322). "From", "To" and "Subject"
/// also head memos.
fn has_mail_headers<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut found = [false; 4];
    for line in lines.take_while(|line| !line.is_empty()) {
        let is_header = line.starts_with([' ', '\t'])
            || line.split_once(':').is_some_and(|(name, _)| name.bytes().all(|b| b.is_ascii_graphic()));
        if !is_header {
            return false;
        }
        for (found, header) in found.iter_mut().zip(["received:", "message-id:", "mime-version:", "return-path:"]) {
            *found |= line.starts_with(header);
        }
    }
    found.iter().filter(|&&found| found).count() >= 2
}

/// A name that promises Markdown or CSV is believed; a sheet's extension on delimited text (a common kind of "Excel
/// export") means CSV.
fn plain_text_format(source: &Source, text: &str) -> FileFormat {
    match source.promised_format() {
        Some(FileFormat::Markdown) => FileFormat::Markdown,
        Some(FileFormat::Csv) => FileFormat::Csv,
        Some(format) if format.is_spreadsheet() && formats::csv::sniff_delimiter(text).is_some() => FileFormat::Csv,
        _ => FileFormat::Text,
    }
}

/// A BIFF2-BIFF4 stream without container: record "beginning of file" ([MS-XLS] 2.4.21 and older documentation).
fn is_old_excel(bytes: &[u8]) -> bool {
    matches!(bytes, [0x09, 0 | 2 | 4, 4 | 6, 0, ..])
}

#[cfg(test)]
mod tests {
    use casetrack_core::{Error, ErrorCode};

    use super::*;
    use crate::test_files::{compound_file, zip_file};

    fn refused(name: &str, bytes: &[u8]) -> Error {
        detect(Path::new(name), bytes).unwrap_err()
    }

    fn package(content_type: &str) -> Vec<u8> {
        let types =
            format!("<Types><Override PartName='/x.xml' ContentType='application/vnd.{content_type}'/></Types>");
        zip_file(&[("[Content_Types].xml", types.as_bytes())])
    }

    #[test]
    fn containers_are_recognised_by_their_main_part() {
        let path = Path::new("file.zip");
        let docx = package("openxmlformats-officedocument.wordprocessingml.document.main+xml");
        assert_eq!(detect(path, &docx).unwrap(), FileFormat::Docx);
        let xlsx = package("openxmlformats-officedocument.spreadsheetml.sheet.main+xml");
        assert_eq!(detect(path, &xlsx).unwrap(), FileFormat::Xlsx);
        assert_eq!(detect(path, &zip_file(&[("xl/workbook.xml", b"")])).unwrap(), FileFormat::Xlsx);
        let pptx = package("openxmlformats-officedocument.presentationml.presentation.main+xml");
        assert_eq!(detect(path, &pptx).unwrap(), FileFormat::Pptx);
        assert_eq!(detect(path, &zip_file(&[("xl/workbook.bin", b"")])).unwrap(), FileFormat::Xlsb);
        let ods = zip_file(&[("mimetype", b"application/vnd.oasis.opendocument.spreadsheet")]);
        assert_eq!(detect(path, &ods).unwrap(), FileFormat::Ods);
        let odt = zip_file(&[("mimetype", b"application/vnd.oasis.opendocument.text-template")]);
        assert_eq!(detect(path, &odt).unwrap(), FileFormat::Odt);
        let manifest = "<m:manifest><m:file-entry m:full-path='/' \
                        m:media-type='application/vnd.oasis.opendocument.presentation'/></m:manifest>";
        let odp = zip_file(&[("META-INF/manifest.xml", manifest.as_bytes())]);
        assert_eq!(detect(path, &odp).unwrap(), FileFormat::Odp);
        let flat =
            b"<?xml version='1.0'?>\n<office:document office:mimetype='application/vnd.oasis.opendocument.text'/>";
        assert_eq!(detect(path, flat).unwrap(), FileFormat::Odt);
        assert_eq!(detect(path, &compound_file(&["Workbook"], &[])).unwrap(), FileFormat::Xls);
        assert_eq!(detect(path, &compound_file(&["WordDocument"], &["Workbook"])).unwrap(), FileFormat::Doc);
        assert_eq!(detect(path, &compound_file(&["PowerPoint Document"], &[])).unwrap(), FileFormat::Ppt);
        assert_eq!(detect(path, b"{\\rtf1\\ansi text}").unwrap(), FileFormat::Rtf);
        for page in [&b"<!DOCTYPE html><p>x"[..], b" <!-- saved --><HTML>", b"<?xml version='1.0'?><html xmlns='x'/>"] {
            assert_eq!(detect(path, page).unwrap(), FileFormat::Html);
        }
        assert_eq!(detect(Path::new("a.htm"), b"<p>part of a page").unwrap(), FileFormat::Html);
        assert_eq!(detect(path, b"<p>tags in a text").unwrap(), FileFormat::Text);
        assert_eq!(detect(path, &zip_file(&[("a.txt", b"a")])).unwrap(), FileFormat::Zip);
        assert_eq!(detect(path, &compound_file(&["__properties_version1.0"], &[])).unwrap(), FileFormat::Msg);
        assert_eq!(detect(path, b"junk before\n%PDF-1.4").unwrap(), FileFormat::Pdf);
    }

    #[test]
    fn formats_that_are_not_read_are_named() {
        let odg = zip_file(&[("mimetype", b"application/vnd.oasis.opendocument.graphics")]);
        for (bytes, what) in [
            (&odg[..], "OpenDocument file of another kind"),
            (
                b"<office:document office:mimetype='application/vnd.oasis.opendocument.spreadsheet'/>",
                "flat OpenDocument",
            ),
            (&zip_file(&[("META-INF/MANIFEST.MF", b"a")]), "Java"),
            (b"\0\0\0\x18ftypheic\0\0\0\0heicmif1", "a HEIF picture (HEIC)"),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "a HEIF picture;"),
            (b"\0\0\0\x18ftypavif\0\0\0\0avifmif1", "an AVIF picture"),
            (b"\0\0\0\x0CJXL \r\n\x87\n", "a JPEG XL picture"),
            (b"\xDB\xA5\x2D\0\0\0\x09\x04\0\0\0\0", "Word document from before"),
            (b"!BDN\x10\x20\x30\x40SM\x17\0\x13\0\x01\x01", "PST or OST"),
            (&[0x80, 0, 1, 2, 3, 0xFE, 0, 0, 7], "unknown type"),
        ] {
            let error = refused("file.bin", bytes);
            assert_eq!(error.code, ErrorCode::UnsupportedFormat);
            assert!(error.message.contains(what), "{}", error.message);
        }
    }

    #[test]
    fn refusals_say_how_the_content_can_be_read() {
        for (bytes, what, advice) in [
            (&b"\0\x01\0\0Standard ACE DB\0"[..], "a Microsoft Access database", "export its tables"),
            (b"\0\x01\0\0Standard Jet DB\0", "a Microsoft Access database", "export its tables"),
            (b"AC1032\0\0\0\0\0\x01", "a drawing of AutoCAD (DWG)", "plot it to PDF"),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "a film (video/mp4)", "It holds no text."),
            (b"Rar!\x1A\x07\x01\0", "a RAR archive", "Unpack it"),
            (b"", "is empty", "It holds nothing to read."),
        ] {
            let behind: &[u8] = if bytes.is_empty() { b"" } else { b"\x80\0\x01\x02\x03\xFE\0\0\x07" };
            let bytes = &[bytes, behind].concat()[..];
            let error = refused("file.bin", bytes);
            assert!(error.message.contains(what), "{}", error.message);
            let hint = error.hint.and_then(|hint| hint.plain()).unwrap();
            assert!(hint.contains(advice) && !hint.contains("as pictures"), "{what}: {hint}");
        }
        for picture in [
            &b"\0\0\0\x18ftypheic\0\0\0\0heicmif1"[..],
            b"\0\0\0\x18ftypavif\0\0\0\0avifmif1",
            b"\0\0\0\x0CJXL \r\n\x87\n",
        ] {
            let hint = refused("IMG_2041.HEIC", picture).hint.and_then(|hint| hint.plain()).unwrap();
            assert!(hint.contains("Save it as JPEG") && !hint.contains("damaged"), "{hint}");
        }
        let hint = refused("archive.pst", b"!BDN\0\0\0\0SO\x17\0").hint.and_then(|hint| hint.plain());
        assert!(hint.is_some_and(|hint| hint.contains("Export its folders as MBOX")));
        assert_eq!(refused("a.pdf", b"").code, ErrorCode::EmptyFile);
        assert_eq!(refused("a.docx", b"PK\x03\x04 cut off").code, ErrorCode::UnreadableFile);
    }

    #[test]
    fn encrypted_office_files_need_a_password() {
        let encrypted = compound_file(&["EncryptedPackage", "EncryptionInfo"], &[]);
        assert_eq!(refused("a.docx", &encrypted).code, ErrorCode::NeedsPassword);
        let open_document = |encrypted_part: &str| {
            let manifest = format!(
                "<m:manifest><m:file-entry m:full-path='/'/><m:file-entry m:full-path='{encrypted_part}'>\
                 <m:encryption-data/></m:file-entry></m:manifest>"
            );
            let mime_type = b"application/vnd.oasis.opendocument.text";
            zip_file(&[("mimetype", mime_type), ("META-INF/manifest.xml", manifest.as_bytes())])
        };
        for part in ["content.xml", "encrypted-package"] {
            assert_eq!(refused("a.odt", &open_document(part)).code, ErrorCode::NeedsPassword);
        }
        assert_eq!(detect(Path::new("a.odt"), &open_document("Basic/Own/Macro.xml")).unwrap(), FileFormat::Odt);
    }

    #[test]
    fn mail_is_recognised_by_its_first_lines() {
        let path = Path::new("file.bin");
        let message = b"Return-Path: <a@b.c>\r\nMessage-ID: <1@b.c>\r\nSubject: x\r\n\r\nbody \0\x01\xFF";
        assert_eq!(detect(path, message).unwrap(), FileFormat::Eml);
        let mailbox = [b"From a@b.c Mon Jun  1 10:00:00 2009\n", &message[..]].concat();
        assert_eq!(detect(path, &mailbox).unwrap(), FileFormat::Mbox);
        assert_eq!(detect(Path::new("a.mbox"), b"From a Mon Jun  1 10:00:00 2009\n\nx").unwrap(), FileFormat::Mbox);
        assert_eq!(detect(Path::new("a.txt"), b"From now on the rent is due.").unwrap(), FileFormat::Text);
        assert_eq!(detect(Path::new("page.eml"), b"<!DOCTYPE html><p>x").unwrap(), FileFormat::Html);
        let apple = b"12      \nFrom: Ann\n\nx<?xml version=\"1.0\"?>\n<!DOCTYPE plist>\n<plist version=\"1.0\"/>";
        assert_eq!(detect(Path::new("1204.emlx"), apple).unwrap(), FileFormat::Eml);
        assert_eq!(detect(Path::new("list.txt"), b"12\nFrom: Ann\n\nx, and more").unwrap(), FileFormat::Text);
    }

    #[test]
    fn names_break_ties_between_text_formats_only() {
        let text = b"name;value\na;1\nb;2\n";
        for (name, format) in [
            ("a.md", FileFormat::Markdown),
            ("a.csv", FileFormat::Csv),
            ("a.xls", FileFormat::Csv),
            ("a.pdf", FileFormat::Text),
            ("a", FileFormat::Text),
        ] {
            assert_eq!(detect(Path::new(name), text).unwrap(), format, "{name}");
        }
        assert_eq!(detect(Path::new("a.xls"), b"no table here").unwrap(), FileFormat::Text);
        let memo = b"From: Ann\nTo: Bob\nSubject: Rent\n\nIt is due.";
        assert_eq!(detect(Path::new("memo.txt"), memo).unwrap(), FileFormat::Text);
        assert_eq!(detect(Path::new("message.eml"), memo).unwrap(), FileFormat::Eml);
        // The letters that begin a bitmap, in a text.
        assert_eq!(detect(Path::new("a"), b"BMW annual report").unwrap(), FileFormat::Text);
    }

    #[test]
    fn extensions_choose_candidates() {
        assert!(is_supported_extension(Path::new("a/b.PDF")));
        assert!(is_supported_extension(Path::new("a/b.jpg")));
        assert!(!is_supported_extension(Path::new("a/b.svg")));
        assert!(!is_supported_extension(Path::new("pdf")));
    }
}
