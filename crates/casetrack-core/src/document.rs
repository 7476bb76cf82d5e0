//! A document as extraction sees it: pages of text, their blocks and lines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::labelled;
use crate::mail::MailHeaders;
use crate::marks::Marks;
use crate::{Change, DocumentId, ErrorCode, FileFormat, HiddenText, Hint, Printed, Sha256, Timestamp, printed_page};

labelled! {
    /// The kind of a document, given by the user or inferred.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum DocumentType {
        Contract = "Contract",
        Report = "Report",
        Spreadsheet = "Spreadsheet",
        Presentation = "Presentation",
        Correspondence = "Correspondence",
        Memo = "Memo",
        Proposal = "Proposal",
        Invoice = "Invoice",
        Policy = "Policy",
        #[default]
        Other = "Other",
    }
}

labelled! {
    /// How the text of a page was obtained.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum ExtractionMethod {
        /// A text layer or the file's own text.
        Native = "Native text",
        /// Optical character recognition.
        Ocr = "OCR",
        /// Partly text layer, partly OCR.
        Hybrid = "Native text and OCR",
        /// Cells of a sheet.
        Spreadsheet = "Spreadsheet",
    }
}

/// A rectangle on a page in PDF points (1/72 inch), origin at the top left, y growing downwards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BlockKind {
    Paragraph,
    /// `level` 1 is the outermost.
    Heading {
        level: u8,
    },
    ListItem,
    /// One row of a table. `row` is its number in the sheet or table, from 1; columns likewise, first and last with
    /// content. `table` is the number of the table on its page, from 0. `header` marks the rows that name the columns.
    TableRow {
        table: u32,
        row: u32,
        first_column: u32,
        last_column: u32,
        header: bool,
    },
}

/// A paragraph, heading, list item or table row: `char_start..char_end` of the page's text.
///
/// Blocks of a page are in text order, do not overlap, are not empty and cover every non-white-space character.
/// The n-th block is paragraph n in citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    pub char_start: u32,
    pub char_end: u32,
    pub kind: BlockKind,
}

/// One page: a page of a PDF, a sheet of a workbook, the text between page breaks elsewhere.
///
/// Lines are the pieces of `text` between `'\n'`s, numbered from 1; they need no storage of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Page {
    /// From 1, without gaps.
    pub number: u32,
    pub text: String,
    pub blocks: Vec<Block>,
    /// The box of each line of `text`, by line; empty if the format has no geometry, `None` for a line without any.
    pub line_boxes: Vec<Option<Rect>>,
    pub method: ExtractionMethod,
    /// Mean word confidence, 0–1, if OCR was used.
    pub ocr_confidence: Option<f32>,
    /// The name of the sheet, for spreadsheets.
    pub sheet_name: Option<String>,
    #[serde(default)]
    pub notes: PageNotes,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageNotes {
    /// Readings of OCR that differ from the text layer, by line. It is searched, but never quoted.
    pub other_readings: Vec<OtherReading>,
    /// The label that the file gives the page ("iii", "A-1"), if it is not its number.
    #[serde(default)]
    pub label: Option<String>,
    /// The Bates number on the page, as printed; misread digits are corrected by the sequence of the pages.
    #[serde(default)]
    pub bates: Option<String>,
    /// The tracked changes of the file on this page, by place.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// The text that the file does not show, by place.
    #[serde(default)]
    pub hidden: Vec<HiddenText>,
    /// Text that OCR read in pictures inside the file, by place. Pages that are pictures themselves have none.
    #[serde(default)]
    pub pictures: Vec<PictureText>,
    /// The numbered paragraphs on the page, by place, each limited to its part on this page.
    #[serde(default)]
    pub numbered: Vec<NumberedText>,
    /// The stamps of exhibits on it, as printed ("Plaintiff's Exhibit 12").
    #[serde(default)]
    pub exhibits: Vec<String>,
}

/// A part of a page that belongs to a paragraph with a number of its own, such as paragraph 12 of a complaint. Those of
/// a page are in the order of their places and do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumberedText {
    /// Characters of the page's text, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// From 1.
    pub number: u32,
}

/// The numbers of the paragraphs that these characters of a page belong to: the first and the last.
pub fn numbers_within(numbered: &[NumberedText], start: u32, end: u32) -> Option<(u32, u32)> {
    let touched = numbered.iter().filter(|text| text.char_start < end && text.char_end > start).map(|text| text.number);
    touched.map(|number| (number, number)).reduce(|(first, last), (number, _)| (first.min(number), last.max(number)))
}

/// A text of a page that OCR read in a picture on it. Those of a page are in the order of their places and do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PictureText {
    /// Characters of the page's text, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// Mean confidence of its words, in percent.
    pub percent: u8,
}

/// The source of a page's text, and the names of the page besides its number.
#[derive(Debug, Clone, PartialEq)]
pub struct PageOrigin {
    pub method: ExtractionMethod,
    /// Mean word confidence, 0–1, if OCR was used.
    pub ocr_confidence: Option<f32>,
    /// As [`PageNotes`] has it.
    pub label: Option<String>,
    /// As [`PageNotes`] has it.
    pub bates: Option<String>,
    /// As [`PageNotes`] has them.
    pub exhibits: Vec<String>,
    /// The numbers of the paragraphs of a part of the page: "12", or the first and the last, "12-14".
    pub numbers: Option<String>,
}

impl PageOrigin {
    /// The origin of these characters of the page, on which OCR read pictures.
    pub fn of_part(&self, pictures: &[PictureText], start: u32, end: u32) -> Self {
        let touched: Vec<&PictureText> =
            pictures.iter().filter(|picture| picture.char_start < end && picture.char_end > start).collect();
        let Some(percent) = touched.iter().map(|picture| picture.percent).min() else { return self.clone() };
        let is_inside = touched.iter().any(|picture| picture.char_start <= start && picture.char_end >= end);
        let method = if is_inside { ExtractionMethod::Ocr } else { ExtractionMethod::Hybrid };
        Self { method, ocr_confidence: Some(f32::from(percent) / 100.0), ..self.clone() }
    }
}

impl Page {
    /// The citation of the page: `p. 12 (Bates SMITH000042)`. `unpaged` is the document's.
    pub fn cited(&self, unpaged: bool) -> String {
        let PageNotes { label, bates, exhibits, .. } = &self.notes;
        printed_page(
            self.number,
            unpaged,
            &Printed { label: label.as_deref(), exhibits, bates: bates.as_deref(), ..Printed::default() },
        )
    }
}

/// A reading of OCR in the place of a text that the file states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherReading {
    /// The line of the page's text, from 1, at this place.
    pub line: u32,
    pub text: String,
}

/// The properties that a file states, besides its title.
///
/// Dates are in ISO 8601, to the precision that the file states but no finer than a second, with an offset from UTC
/// only if the file states one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Properties {
    /// The author, as the file puts it; the sender of a message.
    pub author: Option<String>,
    /// When it was made; when a message was sent.
    pub created: Option<String>,
    /// When it was last saved.
    pub modified: Option<String>,
    /// A BCP 47 tag: as the file states it, unless its text is certainly in another language; else detected from the
    /// text; `None` when neither gives one.
    pub language: Option<String>,
    /// Of messages.
    #[serde(default)]
    pub mail: Option<MailHeaders>,
}

/// A file inside a container that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadPart {
    /// Its name inside the container.
    pub name: String,
    /// The name of an [`ErrorCode`](crate::ErrorCode), such as `unsupported_format`.
    pub code: String,
    /// The message of the error.
    pub reason: String,
    /// The remedy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub hint: Option<Hint>,
}

impl UnreadPart {
    /// The warning of the container: the reason, with the name of the part.
    pub fn warning(&self) -> String {
        let Self { name, reason, .. } = self;
        let file = name.rsplit('/').next().unwrap_or(name);
        match reason.strip_prefix(file) {
            Some(rest) if rest.starts_with(' ') => format!("{name}{rest}"),
            _ => format!("{name}: {reason}"),
        }
    }

    /// True for a picture on which no text was recognised, such as a photograph or a logo.
    pub fn is_picture_without_text(&self) -> bool {
        let extension = self.name.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.code == ErrorCode::EmptyFile.name() && FileFormat::from_extension(extension) == Some(FileFormat::Image)
    }
}

/// The record of a document in the store, besides its pages and chunks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentMeta {
    pub id: DocumentId,
    /// Display name; the file name unless the user chose another.
    pub name: String,
    /// Absolute path of the source file. A file inside a container, such as an attachment, has the container's path, a
    /// slash and its name in there.
    pub path: String,
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub format: FileFormat,
    pub document_type: DocumentType,
    /// The title the file gives itself.
    pub title: Option<String>,
    #[serde(default)]
    pub properties: Properties,
    pub extraction_method: ExtractionMethod,
    pub page_count: u32,
    /// True if the file does not state the ends of its pages. Then its pages are the parts between the page breaks that
    /// its text asks for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpaged: bool,
    pub chunk_count: u32,
    /// Characters of text over all pages.
    pub char_count: u64,
    /// Tracked changes in it. Its text is the final one, as if all were accepted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tracked_changes: u32,
    /// Texts in it that the file does not show.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden_texts: u32,
    /// Warnings about parts that could not be read, in words for the user.
    pub warnings: Vec<String>,
    /// The files inside it that were not read. [`warnings`](Self::warnings) has a line for each, except pictures without text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread_parts: Vec<UnreadPart>,
    /// True if there are files inside it, which are documents of their own. That is so of every mailbox and archive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub holds_files: bool,
    /// True if a copy of the source file is kept in the collection.
    pub original_stored: bool,
    pub ingested_at: Timestamp,
    /// When the vectors were made; `None` while there are none.
    pub embedded_at: Option<Timestamp>,
    /// Tags and fields that the user gave it. The only part that does not come from the file.
    #[serde(default, skip_serializing_if = "Marks::is_empty")]
    pub marks: Marks,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl DocumentMeta {
    /// True if files inside it are, or may be, documents of their own.
    pub fn is_container(&self) -> bool {
        self.holds_files || self.format.is_container()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_without_text_is_known_by_its_name_and_code() {
        let part = |name: &str, code: ErrorCode| UnreadPart {
            name: name.to_owned(),
            code: code.name().to_owned(),
            reason: String::new(),
            hint: None,
        };
        assert!(part("in.eml/Logo.PNG", ErrorCode::EmptyFile).is_picture_without_text());
        assert!(!part("scan.pdf", ErrorCode::EmptyFile).is_picture_without_text());
        assert!(!part("png", ErrorCode::EmptyFile).is_picture_without_text());
        assert!(!part("logo.png", ErrorCode::UnreadableFile).is_picture_without_text());
    }

    #[test]
    fn a_part_of_a_page_is_by_ocr_where_a_picture_holds_it() {
        let origin = PageOrigin {
            method: ExtractionMethod::Native,
            ocr_confidence: None,
            label: None,
            bates: None,
            exhibits: Vec::new(),
            numbers: None,
        };
        let pictures = [(10, 20, 97), (30, 40, 80)].map(|(char_start, char_end, percent)| PictureText {
            char_start,
            char_end,
            percent,
        });
        let part = |start, end| {
            let part = origin.of_part(&pictures, start, end);
            (part.method, part.ocr_confidence)
        };
        assert_eq!(part(0, 10), (ExtractionMethod::Native, None));
        assert_eq!(part(12, 20), (ExtractionMethod::Ocr, Some(0.97)));
        assert_eq!(part(5, 35), (ExtractionMethod::Hybrid, Some(0.8)));
    }
}
