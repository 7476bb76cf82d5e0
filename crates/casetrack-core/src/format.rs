//! The one table of the formats that are read: everything about them but how they are recognised and read.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The content of a file, as people think of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    /// Its pages are sheets.
    Sheets,
    /// Its pages are slides.
    Slides,
    Picture,
    Message,
    /// A list of messages, which are documents of their own.
    Mailbox,
    /// A list of files, which are documents of their own.
    Archive,
}

/// Pages that can be drawn, and those that only have text.
const DRAWN: bool = true;
const TEXT_ONLY: bool = false;

struct Row {
    label: &'static str,
    description: &'static str,
    content: Content,
    is_drawn: bool,
    /// The words that queries name the files by, in lower case; those behind `?` also mean something else. Formats with
    /// the same words are one kind of files.
    words: &'static str,
    /// Media types (IANA's, in lower case) with the usual extensions of their files; the first extension names the format.
    types: &'static [(&'static str, &'static [&'static str])],
}

const WORD: &str = "docx ?doc ?docs";
const EXCEL: &str = "xlsx xls";
const POWERPOINT: &str = "pptx ppt ppts ?powerpoint powerpoints";

/// Makes [`FileFormat`] and its properties from one table, so that no format can lack one.
macro_rules! formats {
    ($($(#[$of:meta])* $format:ident: $label:literal, $description:literal, $content:ident, $is_drawn:ident, $words:expr, $types:expr;)+) => {
        /// The format of a file, recognised by its content.
        // An addition is one row of the table below.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum FileFormat {
            $($(#[$of])* $format,)+
        }

        impl FileFormat {
            pub const ALL: &[Self] = &[$(Self::$format),+];

            fn row(self) -> &'static Row {
                match self {
                    $(Self::$format => &Row {
                        label: $label,
                        description: $description,
                        content: Content::$content,
                        is_drawn: $is_drawn,
                        words: $words,
                        types: $types,
                    },)+
                }
            }
        }
    };
}

formats! {
    Pdf: "PDF", "a PDF", Text, DRAWN, "pdf pdfs", &[("application/pdf", &["pdf"])];
    Docx: "DOCX", "a Word document", Text, TEXT_ONLY, WORD, &[
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
        ("application/vnd.ms-word.document.macroenabled.12", &["docm"]),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.template", &["dotx"]),
    ];
    Doc: "DOC", "a Word 97-2003 document", Text, TEXT_ONLY, WORD, &[("application/msword", &["doc", "dot"])];
    Xlsx: "XLSX", "an Excel workbook", Sheets, TEXT_ONLY, EXCEL, &[
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
        ("application/vnd.ms-excel.sheet.macroenabled.12", &["xlsm"]),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.template", &["xltx"]),
    ];
    Xls: "XLS", "an Excel workbook", Sheets, TEXT_ONLY, EXCEL, &[("application/vnd.ms-excel", &["xls"])];
    Xlsb: "XLSB", "an Excel workbook", Sheets, TEXT_ONLY, EXCEL, &[
        ("application/vnd.ms-excel.sheet.binary.macroenabled.12", &["xlsb"]),
    ];
    Ods: "ODS", "an OpenDocument spreadsheet", Sheets, TEXT_ONLY, "ods", &[
        ("application/vnd.oasis.opendocument.spreadsheet", &["ods"]),
    ];
    Csv: "CSV", "a table in plain text", Sheets, TEXT_ONLY, "csv csvs", &[
        ("text/csv", &["csv"]),
        ("text/tab-separated-values", &["tsv"]),
    ];
    Text: "Text", "plain text", Text, TEXT_ONLY, "?txt", &[("text/plain", &["txt", "text", "log"])];
    Markdown: "Markdown", "Markdown", Text, TEXT_ONLY, "?md", &[("text/markdown", &["md", "markdown"])];
    Pptx: "PPTX", "a PowerPoint presentation", Slides, TEXT_ONLY, POWERPOINT, &[
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx"]),
        ("application/vnd.ms-powerpoint.presentation.macroenabled.12", &["pptm"]),
        ("application/vnd.openxmlformats-officedocument.presentationml.slideshow", &["ppsx"]),
        ("application/vnd.openxmlformats-officedocument.presentationml.template", &["potx"]),
    ];
    Html: "HTML", "a web page", Text, TEXT_ONLY, "?html htm", &[("text/html", &["html", "htm", "xhtml"])];
    Rtf: "RTF", "a Rich Text document", Text, TEXT_ONLY, "rtf", &[("application/rtf", &["rtf"])];
    /// A picture of a page, read by OCR: JPEG, JPEG 2000, PNG, TIFF, BMP, GIF or WebP.
    Image: "Image", "a picture", Picture, DRAWN, "", &[
        ("image/jpeg", &["jpg", "jpeg", "jpe"]),
        ("image/png", &["png"]),
        ("image/tiff", &["tif", "tiff"]),
        ("image/bmp", &["bmp"]),
        ("image/gif", &["gif"]),
        ("image/webp", &["webp"]),
        ("image/jp2", &["jp2", "j2k", "jpf", "jpx"]),
    ];
    Eml: "E-mail", "an e-mail message", Message, TEXT_ONLY, "eml", &[("message/rfc822", &["eml"])];
    Msg: "Outlook message", "an Outlook message", Message, TEXT_ONLY, "?msg", &[("application/vnd.ms-outlook", &["msg"])];
    Mbox: "Mailbox", "a mailbox", Mailbox, TEXT_ONLY, "mbox", &[("application/mbox", &["mbox"])];
    Zip: "ZIP", "a zip archive", Archive, TEXT_ONLY, "?zip", &[("application/zip", &["zip"])];
    Odt: "ODT", "an OpenDocument text", Text, TEXT_ONLY, "odt", &[
        ("application/vnd.oasis.opendocument.text", &["odt"]),
        ("application/vnd.oasis.opendocument.text-template", &["ott"]),
        ("application/vnd.oasis.opendocument.text-flat-xml", &["fodt"]),
    ];
    Odp: "ODP", "an OpenDocument presentation", Slides, TEXT_ONLY, "odp", &[
        ("application/vnd.oasis.opendocument.presentation", &["odp"]),
        ("application/vnd.oasis.opendocument.presentation-template", &["otp"]),
        ("application/vnd.oasis.opendocument.presentation-flat-xml", &["fodp"]),
    ];
    Ppt: "PPT", "a PowerPoint 97-2003 presentation", Slides, TEXT_ONLY, POWERPOINT, &[
        ("application/vnd.ms-powerpoint", &["ppt", "pps", "pot"]),
    ];
    // Outlook's message inside a mail, usually `winmail.dat`.
    Tnef: "Outlook message (TNEF)", "an Outlook message in TNEF", Message, TEXT_ONLY, "tnef", &[
        ("application/ms-tnef", &["tnef"]),
        ("application/vnd.ms-tnef", &[]),
    ];
    // A file in one envelope with its signature.
    P7m: "Signed file", "a signed file", Archive, TEXT_ONLY, "p7m", &[
        ("application/pkcs7-mime", &["p7m"]),
        ("application/x-pkcs7-mime", &[]),
    ];
    Calendar: "Calendar", "a calendar", Text, TEXT_ONLY, "ics", &[
        ("text/calendar", &["ics", "ical"]),
        ("text/x-vcalendar", &["vcs"]),
    ];
    Mhtml: "Web archive", "a web archive", Text, TEXT_ONLY, "mht mhtml", &[("application/x-mimearchive", &["mht", "mhtml"])];
}

/// First bytes that identify a format, with their place. The parts of a zip archive or an OLE file identify its content.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"%PDF-", "application/pdf"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x89PNG\r\n\x1A\n", "image/png"),
    (0, b"\xFF\xD8\xFF", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (8, b"WEBPVP8", "image/webp"),
    (4, b"ftyphe", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (4, b"ftypmsf1", "image/heif"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypavis", "image/avif"),
    (0, b"\0\0\0\x0CJXL ", "image/jxl"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"AT&TFORM", "image/vnd.djvu"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1A\x45\xDF\xA3", "video/x-matroska"),
    (8, b"AVI LIST", "video/x-msvideo"),
    (8, b"WAVEfmt", "audio/wav"),
    (0, b"OggS\0", "audio/ogg"),
    (0, b"ID3\x03", "audio/mpeg"),
    (0, b"ID3\x04", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"\x1F\x8B", "application/gzip"),
    (0, b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"),
    (0, b"Rar!\x1A\x07", "application/vnd.rar"),
    (0, b"\xFD7zXZ\0", "application/x-xz"),
    (257, b"ustar", "application/x-tar"),
    (0, b"SQLite format 3\0", "application/x-sqlite3"),
    (0, b"\x7FELF", "application/x-executable"),
    (0, b"MZ\x90\0", "application/x-executable"),
];

/// The media type that the first bytes of a file prove; some 300 of them are enough.
pub fn type_by_signature(beginning: &[u8]) -> Option<&'static str> {
    let is_there = |at: usize, bytes: &[u8]| beginning.get(at..).is_some_and(|rest| rest.starts_with(bytes));
    SIGNATURES.iter().find(|(at, bytes, _)| is_there(*at, bytes)).map(|(.., name)| *name)
}

// The schemas do not list the formats, so a new format changes none of them.
impl JsonSchema for FileFormat {
    fn schema_name() -> Cow<'static, str> {
        "FileFormat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "The format of a file, such as pdf or docx.", "type": "string" })
    }
}

impl FileFormat {
    /// The formats whose tracked changes are read.
    pub const WITH_TRACKED_CHANGES: [Self; 4] = [Self::Docx, Self::Doc, Self::Odt, Self::Rtf];

    /// The formats in which hidden text is detected.
    pub const WITH_HIDDEN_TEXT: [Self; 12] = [
        Self::Pdf,
        Self::Docx,
        Self::Doc,
        Self::Odt,
        Self::Rtf,
        Self::Xlsx,
        Self::Xls,
        Self::Xlsb,
        Self::Ods,
        Self::Pptx,
        Self::Ppt,
        Self::Odp,
    ];

    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// The labels of formats in a sentence: `DOCX, DOC and ODT`.
    pub fn labels(formats: &[Self]) -> String {
        let labels: Vec<&str> = formats.iter().map(|format| format.label()).collect();
        match labels.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => labels.concat(),
        }
    }

    /// A file of this format in the middle of a sentence: "a PDF".
    pub fn description(self) -> &'static str {
        self.row().description
    }

    /// Usual file name extensions, lower case, without the dot; the first one names the format.
    pub fn extensions(self) -> impl Iterator<Item = &'static str> {
        self.row().types.iter().flat_map(|(_, extensions)| extensions.iter().copied())
    }

    /// The extension that names the format.
    pub fn extension(self) -> &'static str {
        self.extensions().next().unwrap_or_default()
    }

    /// The format that files with this extension usually have.
    pub fn from_extension(extension: &str) -> Option<FileFormat> {
        let extension = extension.to_ascii_lowercase();
        Self::ALL.iter().copied().find(|format| format.extensions().any(|own| own == extension))
    }

    /// The media types of every format, in lower case, with the extensions of their files.
    pub fn media_types() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        Self::ALL.iter().flat_map(|format| format.row().types.iter().copied())
    }

    /// The format whose files have this media type, in lower case.
    pub fn from_media_type(name: &str) -> Option<FileFormat> {
        Self::ALL.iter().copied().find(|format| format.row().types.iter().any(|(own, _)| *own == name))
    }

    /// True of the formats of one program, old and new, which people take for one.
    pub fn is_same_kind(self, other: Self) -> bool {
        !self.row().words.is_empty() && self.row().words == other.row().words
    }

    /// True if a document of this format is one e-mail message.
    pub fn is_message(self) -> bool {
        self.row().content == Content::Message
    }

    /// True of messages and of mailboxes.
    pub fn is_mail(self) -> bool {
        matches!(self.row().content, Content::Message | Content::Mailbox)
    }

    /// True if the pages list the files inside, and have no text of their own.
    pub fn is_listing(self) -> bool {
        matches!(self.row().content, Content::Mailbox | Content::Archive)
    }

    /// True of pictures, which are read by OCR.
    pub fn is_picture(self) -> bool {
        self.row().content == Content::Picture
    }

    /// True of files that hold other files and no text of their own, except mailboxes.
    pub fn is_archive(self) -> bool {
        self.row().content == Content::Archive
    }

    /// True if files of this format are made to hold other files, which are documents of their own.
    pub fn is_container(self) -> bool {
        self.is_message() || self.is_listing()
    }

    /// True if pages are sheets and blocks are rows.
    pub fn is_spreadsheet(self) -> bool {
        self.row().content == Content::Sheets
    }

    /// True if pages are slides.
    pub fn is_presentation(self) -> bool {
        self.row().content == Content::Slides
    }

    /// True if pages can be drawn.
    pub fn is_drawn(self) -> bool {
        self.row().is_drawn
    }
}

/// Files that a query names by one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileKind {
    /// All extensions, lower case, without the dot; the first one names the kind.
    pub extensions: Vec<&'static str>,
    /// True if the word also means something else, such as "doc" or "zip".
    pub is_ambiguous: bool,
}

impl FileKind {
    /// The files that a word in lower case names: "odt" with its templates, "ppt" with all of PowerPoint's, "png".
    pub fn named(word: &str) -> Option<Self> {
        let words = |format: &FileFormat| format.row().words;
        let has_word =
            |format: &&FileFormat| words(format).split_whitespace().any(|own| own.trim_start_matches('?') == word);
        if let Some(format) = FileFormat::ALL.iter().find(has_word) {
            let alike = FileFormat::ALL.iter().filter(|other| words(other) == words(format));
            let is_ambiguous = words(format).split_whitespace().any(|own| own.strip_prefix('?') == Some(word));
            return Some(Self { extensions: alike.flat_map(|format| format.extensions()).collect(), is_ambiguous });
        }
        // A picture is named by its own type.
        let (_, extensions) =
            FileFormat::Image.row().types.iter().find(|(_, extensions)| extensions.contains(&word))?;
        Some(Self { extensions: extensions.to_vec(), is_ambiguous: false })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_extension_or_media_type_has_two_formats() {
        let (mut names, mut extensions) = (HashSet::new(), HashSet::new());
        for (name, own) in FileFormat::media_types() {
            assert!(names.insert(name) && name == name.to_lowercase(), "{name}");
            for extension in own {
                assert!(extensions.insert(*extension) && *extension == extension.to_lowercase(), "{extension}");
            }
        }
        for format in FileFormat::ALL {
            assert_eq!(FileFormat::from_extension(&format.extension().to_uppercase()), Some(*format));
            assert_eq!(FileFormat::from_media_type(format.row().types[0].0), Some(*format));
        }
    }

    #[test]
    fn labels_form_a_list() {
        assert_eq!(FileFormat::labels(&FileFormat::WITH_TRACKED_CHANGES), "DOCX, DOC, ODT and RTF");
        assert_eq!(FileFormat::labels(&[FileFormat::Pdf]), "PDF");
        assert_eq!(FileFormat::labels(&[]), "");
    }

    #[test]
    fn a_word_names_all_files_of_its_kind() {
        let named = |word| FileKind::named(word).map(|kind| kind.extensions.join(" "));
        for (word, extensions) in [
            ("ppts", "pptx pptm ppsx potx ppt pps pot"),
            ("doc", "docx docm dotx doc dot"),
            ("xls", "xlsx xlsm xltx xls xlsb"),
            ("odt", "odt ott fodt"),
            ("html", "html htm xhtml"),
            ("csvs", "csv tsv"),
            ("jpeg", "jpg jpeg jpe"),
        ] {
            assert_eq!(named(word).as_deref(), Some(extensions));
        }
        assert_eq!((named("pot"), named(""), named("image")), (None, None, None));
        assert!(FileKind::named("doc").unwrap().is_ambiguous && !FileKind::named("docx").unwrap().is_ambiguous);
    }
}
