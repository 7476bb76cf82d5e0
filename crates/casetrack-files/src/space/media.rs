//! Types of media by the names of files (RFC 6838, and the registrations of systems), and by the first bytes if these identify the type.

use casetrack_catalog::space::{Condition, Field, Match, Text};
use casetrack_core::{FileFormat, Result, type_by_signature};

/// Media types of files that are not read, and their extensions.
const OTHERS: &[(&str, &[&str])] = &[
    ("application/epub+zip", &["epub"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/json", &["json"]),
    ("application/x-7z-compressed", &["7z"]),
    ("application/x-sqlite3", &["sqlite", "sqlite3"]),
    ("application/x-tar", &["tar"]),
    ("application/xml", &["xml"]),
    ("audio/aac", &["aac"]),
    ("audio/flac", &["flac"]),
    ("audio/mp4", &["m4a"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/wav", &["wav"]),
    ("image/avif", &["avif"]),
    ("image/heic", &["heic", "heif"]),
    ("image/svg+xml", &["svg"]),
    ("image/x-adobe-dng", &["dng"]),
    ("image/x-canon-cr2", &["cr2"]),
    ("image/x-nikon-nef", &["nef"]),
    ("image/x-sony-arw", &["arw"]),
    ("text/css", &["css"]),
    ("text/javascript", &["js", "mjs"]),
    ("video/mp4", &["mp4", "m4v"]),
    ("video/mpeg", &["mpg", "mpeg"]),
    ("video/ogg", &["ogv"]),
    ("video/quicktime", &["mov"]),
    ("video/webm", &["webm"]),
    ("video/x-matroska", &["mkv"]),
    ("video/x-msvideo", &["avi"]),
];

/// All media types with the extensions of their files.
fn types() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    FileFormat::media_types().chain(OTHERS.iter().copied())
}

pub(super) const UNKNOWN: &str = "application/octet-stream";

/// The type of a file, by its first bytes and else by its extension in lower case.
pub(super) fn media_type(beginning: &[u8], extension: &str) -> &'static str {
    let named = types().find(|(_, extensions)| extensions.contains(&extension)).map(|(name, _)| name);
    let is_media = |name: &&str| ["image/", "audio/", "video/"].iter().any(|family| name.starts_with(family));
    match type_by_signature(beginning) {
        // Many kinds of media are in these, among them pictures of cameras.
        Some(found @ ("image/tiff" | "video/mp4" | "video/x-matroska" | "audio/ogg")) => {
            named.filter(is_media).unwrap_or(found)
        }
        Some(found) => found,
        None if beginning.starts_with(b"PK\x03\x04") => named.unwrap_or("application/zip"),
        None => named.unwrap_or(UNKNOWN),
    }
}

/// The condition on names for a type: `image/png`, `image/*`, `image`, or `document` for files that people write and read. Case does not
/// count. `None` for a type without names.
pub(super) fn condition(wanted: &str) -> Result<Option<Condition>> {
    let wanted = wanted.trim().to_lowercase();
    let family = wanted.strip_suffix("/*").unwrap_or(&wanted);
    let is_document = |name: &str| {
        let is_read =
            FileFormat::from_media_type(name).is_some_and(|format| !format.is_picture() && !format.is_archive());
        is_read || name == "application/epub+zip"
    };
    let is_wanted = |name: &str| match family {
        "document" => is_document(name),
        family if family.contains('/') => name == family,
        family => name.split('/').next() == Some(family),
    };
    let extensions = types().filter(|(name, _)| is_wanted(name)).flat_map(|(_, extensions)| extensions);
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
        assert_eq!((count("image/jpeg"), count("IMAGE/*"), count("image")), (3, 21, 21));
        assert!(count("document") > 15 && count("nonsense") == 0);
    }
}
