//! Names of files that are not text, and what to do about them.

/// A file of this type in the middle of a sentence.
pub(super) fn describe_binary(media_type: &str) -> String {
    let named = match media_type {
        "image/heic" => "a HEIF picture (HEIC)",
        "image/heif" => "a HEIF picture",
        "image/avif" => "an AVIF picture",
        "image/jxl" => "a JPEG XL picture",
        "image/vnd.adobe.photoshop" => "a Photoshop picture",
        "image/vnd.djvu" => "a DjVu document",
        "application/x-sqlite3" => "a SQLite database",
        "application/x-executable" | "application/vnd.microsoft.portable-executable" => "a program",
        film if film.starts_with("video/") => return format!("a film ({film})"),
        sound if sound.starts_with("audio/") => return format!("a sound recording ({sound})"),
        "application/gzip" => "a gzip archive",
        "application/x-tar" => "a tar archive",
        "application/x-7z-compressed" => "a 7-Zip archive",
        "application/vnd.rar" => "a RAR archive",
        other => return format!("of type {other}"),
    };
    named.into()
}

/// The name of data of a program, by its first bytes, and how to make it readable.
pub(super) fn program_data(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    if bytes.starts_with(b"AC10") {
        return Some((
            "a drawing of AutoCAD (DWG)",
            "Open it in AutoCAD or a viewer of drawings, plot it to PDF, and ingest that.",
        ));
    }
    let name = bytes.get(4..19)?;
    (name == b"Standard ACE DB" || name == b"Standard Jet DB").then_some((
        "a Microsoft Access database",
        "Open it in Access, export its tables as Excel workbooks or CSV, and ingest those.",
    ))
}

/// The remedy for data of this type that is not text. A sentence that begins with "It" reports that there is nothing to do.
pub(super) fn advice_for_binary(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "application/gzip"
        | "application/x-tar"
        | "application/x-xz"
        | "application/x-7z-compressed"
        | "application/vnd.rar" => "Unpack it, or pack its files as ZIP, and ingest those.",
        "application/x-executable" | "application/vnd.microsoft.portable-executable" => "It holds no document.",
        media if media.starts_with("video/") || media.starts_with("audio/") => {
            "It holds no text. If its words matter, have them written down, and ingest that text."
        }
        _ => return None,
    })
}

/// How to make a file of this type readable, where its first bytes are certainly no text.
pub(super) fn advice(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "image/heic" | "image/heif" => {
            "Save it as JPEG and ingest that: open it in the viewer of your system and export it (Preview on a Mac, Photos on Windows), or \
             run heif-convert. An iPhone takes JPEG photos under Settings > Camera > Formats > Most Compatible."
        }
        "image/avif" => {
            "Save it as JPEG or PNG and ingest that: open it in a browser or a picture viewer and export it, or run avifdec."
        }
        "image/jxl" => {
            "Save it as JPEG or PNG and ingest that: open it in a picture viewer and export it, or run djxl."
        }
        "image/vnd.djvu" => "Convert it to PDF with ddjvu -format=pdf, or print it to a PDF, and ingest that.",
        "image/vnd.adobe.photoshop" => "Export it as PNG or PDF and ingest that.",
        _ => return None,
    })
}
