//! Files to take away: evidence as Word, PDF, Markdown or comma-separated values, the matter sheet as a workbook.

mod docx;
mod package;
mod pdf;
pub mod xlsx;

use std::fmt::Write;

use casetrack_core::{Cancel, CollectionId, Result};
use casetrack_engine::evidence::{EvidenceFormat, EvidenceList, EvidenceStatus, EvidenceView};
use casetrack_engine::pages::{PagePicture, PictureRequest};
use casetrack_engine::paging::Paging;
use casetrack_engine::{Engine, documents, evidence};
use casetrack_text::evidence::source_note;
use casetrack_text::format::{counted, one_line, thousands};
use casetrack_text::sheet::csv_field;

/// Most pictures of pages in a file.
const MAX_PICTURES: usize = 200;
/// Most bytes of pictures in a file.
const MAX_PICTURE_BYTES: usize = 100 << 20;
/// Width of pictures, in pixels: small print can be read on paper.
const PICTURE_WIDTH: u32 = 1000;

pub struct EvidenceFile {
    pub bytes: Vec<u8>,
    pub items: u64,
    /// Pages shown as pictures.
    pub pictures: u64,
    /// The parts that are missing, one sentence each.
    pub notices: Vec<String>,
}

/// Writes the evidence of a collection, in its order, as a file; with `pictures` and in formats that can hold them,
/// with the page of each passage, its lines marked. Takes some 100 ms for each page.
pub fn evidence(
    engine: &Engine,
    collection: CollectionId,
    format: EvidenceFormat,
    pictures: bool,
    cancel: &Cancel,
) -> Result<EvidenceFile> {
    let list = evidence::list_evidence(engine.host(), collection, Paging::ALL)?;
    let mut notices = Vec::new();
    let pages = match format {
        EvidenceFormat::Docx | EvidenceFormat::Pdf if pictures => {
            page_pictures(engine, collection, &list, cancel, &mut notices)?
        }
        _ => vec![None; list.items.len()],
    };
    let bytes = match format {
        EvidenceFormat::Docx => docx::of(&list, &pages)?,
        EvidenceFormat::Pdf => pdf::of(&list, &pages, &mut notices)?,
        EvidenceFormat::Markdown => markdown(&list).into_bytes(),
        EvidenceFormat::Csv => csv(&list).into_bytes(),
    };
    let pictures = pages.iter().flatten().count() as u64;
    Ok(EvidenceFile { bytes, items: list.total, pictures, notices })
}

/// The page of each item whose source still has it.
fn page_pictures(
    engine: &Engine,
    collection: CollectionId,
    list: &EvidenceList,
    cancel: &Cancel,
    notices: &mut Vec<String>,
) -> Result<Vec<Option<PagePicture>>> {
    let (mut count, mut bytes, mut left_out) = (0, 0, 0u64);
    let mut drawn = Vec::with_capacity(list.items.len());
    for item in &list.items {
        let mut picture = None;
        if item.has_picture && (count >= MAX_PICTURES || bytes >= MAX_PICTURE_BYTES) {
            left_out += 1;
        } else if item.has_picture {
            let id = item.document_id.to_string();
            let request = PictureRequest {
                document: &id,
                page: item.page,
                chars: Some(item.char_start..item.char_end),
                width: Some(PICTURE_WIDTH),
                ..PictureRequest::default()
            };
            match documents::page_picture(engine.host(), collection, &request, cancel) {
                Ok(page) => picture = Some(page),
                Err(error) if cancel.is_cancelled() => return Err(error),
                // The passage and its citation are still useful.
                Err(error) => {
                    notices
                        .push(format!("Page {} of {} is not shown: {}", item.page, item.document_name, error.message));
                }
            }
        }
        if let Some(picture) = &picture {
            count += 1;
            bytes += picture.png.len();
        }
        drawn.push(picture);
    }
    if left_out > 0 {
        let kept = counted(count as u64, "picture");
        notices.push(format!("Only the first {kept} of pages are in the file; {} are left out.", thousands(left_out)));
    }
    Ok(drawn)
}

/// A name for a file of evidence, without its extension: `Evidence of Flat 3`. Every file system accepts it.
pub fn evidence_name(collection: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || " -_".contains(c) { c } else { '_' };
    let name: String = collection.chars().take(80).map(kept).collect();
    format!("Evidence of {}", name.trim())
}

/// `Exhibit A`, or else its place in the order.
fn title(item: &EvidenceView) -> String {
    if item.exhibit.is_empty() { format!("No. {}", item.position) } else { format!("Exhibit {}", item.exhibit) }
}

/// Headings and block quotations. What could be read as markup in a text is escaped.
fn markdown(list: &EvidenceList) -> String {
    let mut text = format!("# Evidence: {}\n", escaped(&list.collection));
    for item in &list.items {
        let _ = write!(text, "\n## {}\n\n**{}**\n\n", escaped(&title(item)), escaped(&item.citation));
        for line in item.text.lines() {
            let _ = writeln!(text, "> {}", escaped(line));
        }
        if let Some(said) = source_note(item.status) {
            let _ = write!(text, "\n*{said}*\n");
        }
        for paragraph in item.note.lines() {
            let _ = write!(text, "\n{}\n", escaped(paragraph));
        }
    }
    text
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// RFC 4180, with a header. A text that a spreadsheet would read as a formula begins with an apostrophe.
fn csv(list: &EvidenceList) -> String {
    let mut text =
        String::from("position,exhibit,citation,document,page,text,note,source,document_id,char_start,char_end");
    for item in &list.items {
        let status = match item.status {
            EvidenceStatus::Unchanged => "unchanged",
            EvidenceStatus::Moved => "moved",
            EvidenceStatus::Changed => "changed",
            EvidenceStatus::Deleted => "deleted",
        };
        let (position, page) = (item.position.to_string(), item.page.to_string());
        let (start, end) = (item.char_start.to_string(), item.char_end.to_string());
        let id = item.document_id.to_string();
        let fields: [&str; 11] = [
            &position,
            &item.exhibit,
            &item.citation,
            &item.document_name,
            &page,
            &item.text,
            &item.note,
            status,
            &id,
            &start,
            &end,
        ];
        text.push_str("\r\n");
        text.push_str(&fields.map(csv_field).join(","));
    }
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use casetrack_core::{DocumentId, Timestamp};

    use super::*;

    fn item(position: u32, text: &str, status: EvidenceStatus) -> EvidenceView {
        EvidenceView {
            id: position + 10,
            position,
            exhibit: if position == 1 { "A".into() } else { String::new() },
            note: if position == 1 { "Ask <Ann> about this.\n=1+1".into() } else { String::new() },
            status,
            document_id: DocumentId::from_bytes([7; 16]),
            document_name: "Lease & Co.pdf".into(),
            page: 3,
            char_start: 5,
            char_end: 5 + text.chars().count() as u32,
            text: text.into(),
            citation: "Lease & Co.pdf, p. 3, para. 1, l. 2".into(),
            chunk_id: None,
            bounding_boxes: Vec::new(),
            has_picture: false,
            added_at: Timestamp(0),
        }
    }

    fn sample() -> EvidenceList {
        let items = vec![
            item(1, "The Tenant shall pay\n*USD* 100 – <script>alert(1)</script>.", EvidenceStatus::Unchanged),
            item(2, "=HYPERLINK(\"x\"), gone", EvidenceStatus::Changed),
        ];
        EvidenceList { collection: "Flat".into(), items, total: 2, changed: 1, next_offset: None }
    }

    #[test]
    fn nothing_in_a_document_becomes_markup_or_a_formula() {
        let text = markdown(&sample());
        assert!(text.contains("> \\*USD\\* 100 – \\<script\\>alert(1)\\</script\\>."), "{text}");
        let table = csv(&sample());
        let rows: Vec<&str> = table.split("\r\n").collect();
        assert!(rows[2].contains("\"'=HYPERLINK(\"\"x\"\"), gone\""), "{table}");
        assert_eq!((rows.len(), rows[3]), (4, ""));
    }

    #[test]
    fn a_word_file_holds_text_citation_and_note() {
        let bytes = docx::of(&sample(), &[None, None]).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut xml = String::new();
        archive.by_name("word/document.xml").unwrap().read_to_string(&mut xml).unwrap();
        for part in
            ["Exhibit A", "Lease &amp; Co.pdf, p. 3", "&lt;script&gt;", "Ask &lt;Ann&gt;", "no longer has this text"]
        {
            assert!(xml.contains(part), "{part}: {xml}");
        }
        assert!(!xml.contains("<script>"));
    }

    #[test]
    fn a_pdf_says_which_letters_it_lacks() {
        let mut list = sample();
        list.items[0].text = "Ω and 漢字".into();
        let mut notices = Vec::new();
        let bytes = pdf::of(&list, &[None, None], &mut notices).unwrap();
        assert!(bytes.starts_with(b"%PDF-1.4") && bytes.ends_with(b"%%EOF\n"));
        assert_eq!(notices.len(), 1);
        assert!(notices[0].starts_with("3 characters"), "{notices:?}");
    }
}
