//! Types of media by the names of files (RFC 6838, and what systems register), and by the first bytes where these say so.

use casetrack_catalog::space::{Condition, Field, Match, Text};
use casetrack_core::Result;

/// Media types and the extensions of their files.
const TYPES: &[(&str, &[&str])] = &[
    ("application/epub+zip", &["epub"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/json", &["json"]),
    ("application/mbox", &["mbox"]),
    ("application/msword", &["doc", "dot"]),
    ("application/pdf", &["pdf"]),
    ("application/rtf", &["rtf"]),
    ("application/vnd.ms-excel", &["xls"]),
    ("application/vnd.ms-outlook", &["msg"]),
    ("application/vnd.ms-powerpoint", &["ppt"]),
    ("application/vnd.oasis.opendocument.presentation", &["odp"]),
    ("application/vnd.oasis.opendocument.spreadsheet", &["ods"]),
    ("application/vnd.oasis.opendocument.text", &["odt"]),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx"]),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
    ("application/x-7z-compressed", &["7z"]),
    ("application/x-sqlite3", &["sqlite", "sqlite3"]),
    ("application/x-tar", &["tar"]),
    ("application/xml", &["xml"]),
    ("application/zip", &["zip"]),
    ("audio/aac", &["aac"]),
    ("audio/flac", &["flac"]),
    ("audio/mp4", &["m4a"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/wav", &["wav"]),
    ("image/avif", &["avif"]),
    ("image/bmp", &["bmp"]),
    ("image/gif", &["gif"]),
    ("image/heic", &["heic", "heif"]),
    ("image/jpeg", &["jpg", "jpeg", "jpe"]),
    ("image/png", &["png"]),
    ("image/svg+xml", &["svg"]),
    ("image/tiff", &["tif", "tiff"]),
    ("image/webp", &["webp"]),
    ("image/x-adobe-dng", &["dng"]),
    ("image/x-canon-cr2", &["cr2"]),
    ("image/x-nikon-nef", &["nef"]),
    ("image/x-sony-arw", &["arw"]),
    ("message/rfc822", &["eml"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/html", &["html", "htm", "xhtml"]),
    ("text/javascript", &["js", "mjs"]),
    ("text/markdown", &["md", "markdown"]),
    ("text/plain", &["txt", "text", "log"]),
    ("text/tab-separated-values", &["tsv"]),
    ("video/mp4", &["mp4", "m4v"]),
    ("video/mpeg", &["mpg", "mpeg"]),
    ("video/ogg", &["ogv"]),
    ("video/quicktime", &["mov"]),
    ("video/webm", &["webm"]),
    ("video/x-matroska", &["mkv"]),
    ("video/x-msvideo", &["avi"]),
];

/// Of files whose type nothing says.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// Beginnings of files. What is inside a ZIP or an OLE container, the name says.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1A\n", "image/png"),
    (b"\xFF\xD8\xFF", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"{\\rtf", "application/rtf"),
    (b"\x1F\x8B", "application/gzip"),
    (b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"),
    (b"SQLite format 3\0", "application/x-sqlite3"),
    (b"fLaC", "audio/flac"),
];

/// The type of a file, by its first bytes and else by its extension in lower case.
pub(super) fn media_type(beginning: &[u8], extension: &str) -> &'static str {
    if beginning.starts_with(b"RIFF") && beginning.get(8..12) == Some(b"WEBP") {
        return "image/webp";
    }
    let named = TYPES.iter().find(|(_, extensions)| extensions.contains(&extension)).map(|(name, _)| *name);
    match BEGINNINGS.iter().find(|(start, _)| beginning.starts_with(start)).map(|(_, name)| *name) {
        // Pictures of cameras are TIFF files of their own kinds.
        Some("image/tiff") => named.filter(|named| named.starts_with("image/")).unwrap_or("image/tiff"),
        Some(found) => found,
        None if beginning.starts_with(b"PK\x03\x04") => named.unwrap_or("application/zip"),
        None => named.unwrap_or(UNKNOWN),
    }
}

/// What files of a type meet, by their names: `image/png`, `image/*`, `image`, or `document` for those that people write and read. Case does
/// not count. `None` for a type that no name stands for.
pub(super) fn condition(wanted: &str) -> Result<Option<Condition>> {
    let wanted = wanted.trim().to_lowercase();
    let family = wanted.strip_suffix("/*").unwrap_or(&wanted);
    let is_document = |name: &str| {
        let application = name.strip_prefix("application/").unwrap_or_default();
        let is_office =
            application.starts_with("vnd.") || matches!(application, "pdf" | "rtf" | "msword" | "epub+zip" | "mbox");
        is_office || matches!(name, "text/plain" | "text/html" | "text/markdown" | "message/rfc822")
    };
    let is_wanted = |name: &str| match family {
        "document" => is_document(name),
        family if family.contains('/') => name == family,
        family => name.split('/').next() == Some(family),
    };
    let extensions = TYPES.iter().filter(|(name, _)| is_wanted(name)).flat_map(|(_, extensions)| extensions.iter());
    let equals = |extension: &&str| Ok(Condition::Text(Text::new(Field::Extension, Match::Equals, extension, false)?));
    let any: Vec<Condition> = extensions.map(equals).collect::<Result<_>>()?;
    Ok((!any.is_empty()).then_some(Condition::Any(any)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_say_more_than_the_name() {
        for (beginning, extension, expected) in [
            (&b"%PDF-1.7"[..], "txt", "application/pdf"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "png", "image/webp"),
            (b"PK\x03\x04", "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            (b"PK\x03\x04", "", "application/zip"),
            (b"II*\0", "dng", "image/x-adobe-dng"),
            (b"hello", "md", "text/markdown"),
            (b"", "strange", UNKNOWN),
        ] {
            assert_eq!(media_type(beginning, extension), expected);
        }
    }

    #[test]
    fn a_type_is_named_alone_or_by_its_family() {
        let count = |wanted: &str| match condition(wanted).unwrap() {
            Some(Condition::Any(any)) => any.len(),
            _ => 0,
        };
        assert_eq!((count("image/jpeg"), count("IMAGE/*"), count("image")), (3, 17, 17));
        assert!(count("document") > 15 && count("nonsense") == 0);
    }
}
