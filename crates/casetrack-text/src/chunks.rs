//! Chunks with their provenance, and the text around them.

use casetrack_core::{ExtractionMethod, Provenance, cited_page, hidden_reasons};
use casetrack_engine::chunks::{ChunkView, DocumentChunks, SourceContext};
use casetrack_engine::pages::PageText;

use super::documents::{embeddings, time};
use super::format::{counted, cut, one_line, push_fact, range, thousands, trimmed};
use super::marks::{citation, document_text, name, quote};
use super::sources::Sources;
use super::{hidden_text, tracked_changes};
use crate::Reader;

/// How much of each chunk [`document_chunks`] shows, in characters.
const PREVIEW_CHARS: usize = 120;

/// One chunk in full. Chunks are counted from 1 here, as people count, and from 0 in structured content.
pub fn chunk(chunk: &ChunkView) -> String {
    let provenance = &chunk.provenance;
    let mut text = format!(
        "Chunk {} ({} chars)\n\nText:\n{}\n\n",
        chunk.chunk_id,
        chunk.text.chars().count(),
        document_text(&chunk.text)
    );
    if let Some(viewed) = &chunk.viewed {
        text.push_str(&format!("{}\n\n", tracked_changes::viewed(viewed)));
    }
    text.push_str("Provenance:\n");
    let mut fact = |name: &str, value: &str| push_fact(&mut text, name, value);
    fact("Document", &name(&provenance.document_name));
    fact("File Path", &name(&provenance.file_path));
    match provenance.unpaged {
        true => fact("Page", &cited_page(provenance.page, true)),
        false => fact("Page", &provenance.page.to_string()),
    }
    fact("Paragraphs", &range(provenance.paragraph_start, provenance.paragraph_end));
    fact("Lines", &range(provenance.line_start, provenance.line_end));
    fact("Chars", &format!("{}-{} (within page)", provenance.char_start, provenance.char_end));
    if let Some(sheet) = sheet(provenance) {
        fact("Sheet", &sheet);
    }
    if let Some(headings) = headings(provenance) {
        fact("Section", &headings);
    }
    fact("Extraction", &extraction(provenance));
    if provenance.tracked_changes {
        fact("Note", tracked_changes::CONTAINS);
    }
    if let Some(contains) = hidden_text::contains(&provenance.hidden_text) {
        fact("Hidden", &contains);
    }
    fact("Chunk Index", &format!(" {}", place(chunk)));
    fact("SHA-256", &provenance.sha256.to_string());
    fact("Ingested", &provenance.created_at.to_string());
    fact("Embedded", &time(provenance.embedded_at));
    fact("Citation", &citation(&chunk.citation));
    text.push_str(&format!("\nEmbeddings: {}", embeddings(&chunk.embeddings)));
    text
}

pub fn page(page: &PageText) -> String {
    let document = &page.document;
    let mut text = format!("{}, page {} of {}\n", name(&document.name), page.page, document.page_count);
    text.push_str(&format!("File: {}\n", name(&document.path)));
    if page.tracked_changes > 0 {
        text.push_str(&format!("Tracked changes: {}\n", page.tracked_changes));
    }
    if let Some(contains) = hidden_text::contains(&hidden_reasons(&page.hidden, 0, u32::MAX)) {
        text.push_str(&format!("Hidden text: {contains}\n"));
    }
    text.push('\n');
    text.push_str(&page.viewed.as_ref().map_or_else(|| document_text(&page.text), tracked_changes::viewed));
    text
}

/// All chunks with their places and beginnings. `page` is the filter that was applied.
pub fn document_chunks(chunks: &DocumentChunks, page: Option<u32>) -> String {
    let document = &chunks.document;
    let shown = match page {
        Some(page) => {
            format!("page {page}, {} of {}", thousands(chunks.total), counted(document.chunk_count.into(), "chunk"))
        }
        None => counted(chunks.total, "chunk"),
    };
    let mut text = format!(
        "{}: {shown}\nFile: {}\nType: {} | {} | ingested {} | embedded {}\n",
        name(&document.name),
        name(&document.path),
        document.document_type.label(),
        counted(document.page_count.into(), "page"),
        document.ingested_at,
        time(document.embedded_at),
    );
    if chunks.total == 0 {
        text.push_str("\nThere is no text here.");
        return text;
    }
    for chunk in &chunks.chunks {
        let provenance = &chunk.provenance;
        let place = chunk.citation.strip_prefix(&provenance.document_name).unwrap_or(&chunk.citation);
        text.push_str(&format!(
            "\n  {}. {} | chars {}-{} | {} | ID: {}\n     {}\n",
            u64::from(provenance.chunk_index) + 1,
            place.trim_start_matches([',', ' ']),
            provenance.char_start,
            provenance.char_end,
            extraction(provenance),
            chunk.chunk_id.short(),
            quote(&cut(&chunk.text, PREVIEW_CHARS)),
        ));
    }
    text.push_str("\nThe full text of one chunk: get_chunk.");
    Reader::Assistant.push_more(&mut text, chunks.total, chunks.next_offset);
    text
}

pub fn source_context(context: &SourceContext, reader: Reader) -> String {
    let provenance = &context.chunk.provenance;
    let mut text = match reader {
        Reader::Assistant => format!(
            "Context of chunk {} in {} ({} before, {} after)\n",
            context.chunk_id.short(),
            name(&provenance.document_name),
            context.before.len(),
            context.after.len(),
        ),
        // The file is the same for all of them.
        Reader::CommandLine => {
            format!("{}\nFile:  {}\n", one_line(&context.chunk.citation), one_line(&provenance.file_path))
        }
    };
    let before = context.before.iter().map(|chunk| ("Before", chunk));
    let after = context.after.iter().map(|chunk| ("After", chunk));
    let requested = (reader.pick("Requested chunk", "The passage"), &context.chunk);
    let mut sources = Sources::default();
    for (label, chunk) in before.chain([requested]).chain(after) {
        let part = match reader {
            Reader::Assistant => format!("--- {label} ---\n{}", quotation(chunk, &mut sources, reader)),
            Reader::CommandLine => passage(label, chunk),
        };
        text.push_str(&format!("\n{part}\n"));
    }
    trimmed(text) + &sources.legend()
}

/// A part of a document for people: its place in the document, and its text.
fn passage(label: &str, chunk: &ChunkView) -> String {
    let place = chunk.citation.strip_prefix(&chunk.provenance.document_name).unwrap_or(&chunk.citation);
    let place = one_line(place.trim_start_matches([',', ' ']));
    let (about, text) = (about(&chunk.provenance), verbatim(chunk));
    let about = about.map(|about| format!("{about}\n")).unwrap_or_default();
    format!("--- {label}: {place} ---\n{about}{text}")
}

/// Place of origin and the verbatim text of a chunk, whose document the sources describe.
pub(crate) fn quotation<'a>(chunk: &'a ChunkView, sources: &mut Sources<'a>, reader: Reader) -> String {
    let provenance = &chunk.provenance;
    if reader == Reader::CommandLine {
        let (cited, file) = (one_line(&chunk.citation), one_line(&provenance.file_path));
        let about = about(provenance).map(|about| format!("Place: {about}\n")).unwrap_or_default();
        return format!("{cited}\nFile:  {file}\n{about}\n{}", verbatim(chunk));
    }
    let mut place = sources.introduced(provenance, &chunk.citation, "\n");
    place.push_str(&format!("chars {}-{}", provenance.char_start, provenance.char_end));
    let confidence = provenance.ocr_confidence.map(|confidence| format!("OCR confidence {confidence:.2}"));
    let heading = heading(provenance, &chunk.text);
    for more in [confidence, sheet(provenance), heading, warnings(provenance)].into_iter().flatten() {
        place.push_str(&format!(" | {more}"));
    }
    format!("{place} | chunk {}\n\n{}", chunk.chunk_id.short(), verbatim(chunk))
}

/// The heading right above a passage, unless the passage begins with it.
fn heading(provenance: &Provenance, text: &str) -> Option<String> {
    let heading = provenance.heading_path.last().filter(|heading| !text.starts_with(heading.as_str()))?;
    Some(name(heading).into_owned())
}

fn verbatim(chunk: &ChunkView) -> String {
    let viewed =
        chunk.viewed.as_ref().map(|viewed| format!("\n{}\n", tracked_changes::viewed(viewed))).unwrap_or_default();
    format!("{}\n{viewed}", document_text(&chunk.text))
}

/// The noteworthy parts of a passage's origin besides its place, if there are any.
fn about(provenance: &Provenance) -> Option<String> {
    let parts = [read_by_ocr(provenance), sheet(provenance), headings(provenance), warnings(provenance)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" | "))
}

/// Of tracked changes and hidden text.
fn warnings(provenance: &Provenance) -> Option<String> {
    let changes = provenance.tracked_changes.then(|| tracked_changes::CONTAINS.to_owned());
    let parts: Vec<String> = changes.into_iter().chain(hidden_text::contains(&provenance.hidden_text)).collect();
    (!parts.is_empty()).then(|| parts.join(" | "))
}

/// `47 of 234`
fn place(chunk: &ChunkView) -> String {
    format!("{} of {}", u64::from(chunk.provenance.chunk_index) + 1, chunk.chunk_count)
}

/// `OCR (OCR confidence 0.93)`, if OCR read some of the page.
pub(crate) fn read_by_ocr(provenance: &Provenance) -> Option<String> {
    let is_read = matches!(provenance.extraction_method, ExtractionMethod::Ocr | ExtractionMethod::Hybrid);
    is_read.then(|| extraction(provenance))
}

fn extraction(provenance: &Provenance) -> String {
    let method = provenance.extraction_method.label();
    match provenance.ocr_confidence {
        Some(confidence) => format!("{method} (OCR confidence {confidence:.2})"),
        None => method.to_owned(),
    }
}

/// `sheet "Budget", rows 2-40, columns A-F`
fn sheet(provenance: &Provenance) -> Option<String> {
    let parts = [
        provenance.sheet_name.as_deref().map(|name| format!("sheet {}", quote(name))),
        provenance.row_range.map(|rows| format!("rows {rows}")),
        provenance.column_range.map(|columns| format!("columns {columns}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn headings(provenance: &Provenance) -> Option<String> {
    let path: Vec<_> = provenance.heading_path.iter().map(|heading| name(heading)).collect();
    (!path.is_empty()).then(|| path.join(" > "))
}

#[cfg(test)]
mod tests {
    use casetrack_core::{ColumnRange, ExtractionMethod, RowRange};

    use super::*;
    use crate::samples::{self, PAYMENT};

    #[test]
    fn a_chunk_reads_as_in_the_specification() {
        let marked = document_text(PAYMENT);
        let expected = format!(
            "Chunk c0ffee00-0000-5000-8000-000000000001 (160 chars)\n\nText:\n{marked}\n\nProvenance:\n  Document:   \
             Vendor_Agreement.docx\n  File Path:  /home/sarah/Acme/Vendor_Agreement.docx\n  Page:       12\n  Paragraphs: 8\n  \
             Lines:      1-4\n  Chars:      2401-2561 (within page)\n  Extraction: Native text\n  Chunk Index: 47 of 234\n  \
             SHA-256:    {}\n  Ingested:   2023-11-14T22:13:20Z\n  Embedded:   2023-11-14T22:13:20Z\n  Citation:   \
             Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4\n\nEmbeddings: E1",
            "ab".repeat(32)
        );
        assert_eq!(chunk(&samples::chunk()), expected);
    }

    #[test]
    fn a_quotation_carries_every_part_of_its_origin() {
        let mut scanned = samples::chunk();
        scanned.provenance.extraction_method = ExtractionMethod::Ocr;
        scanned.provenance.ocr_confidence = Some(0.934);
        scanned.provenance.sheet_name = Some("Budget".to_owned());
        scanned.provenance.row_range = Some(RowRange { start: 2, end: 40 });
        scanned.provenance.column_range = Some(ColumnRange { start: 1, end: 6 });
        scanned.provenance.heading_path = vec!["Article 5".to_owned(), "5.1 Payment".to_owned()];
        scanned.provenance.embedded_at = None;
        let marked = document_text(PAYMENT);
        let expected = format!(
            "Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4\n[1] chars 2401-2561 | OCR confidence 0.93 | sheet \"Budget\", rows 2-40, columns A-F | \
             \"5.1 Payment\" | chunk c0ffee00\n\n{marked}\n"
        );
        let mut sources = Sources::default();
        assert_eq!(quotation(&scanned, &mut sources, Reader::Assistant), expected);
        assert_eq!(
            sources.legend(),
            "\n\nSources:\n[1] Vendor_Agreement.docx in /home/sarah/Acme | OCR | ingested 2023-11-14T22:13:20Z, embedded not yet"
        );
        // People do not see data that only programs need.
        let expected = format!(
            "Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4\nFile:  /home/sarah/Acme/Vendor_Agreement.docx\nPlace: OCR (OCR confidence \
             0.93) | sheet \"Budget\", rows 2-40, columns A-F | \"Article 5\" > \"5.1 Payment\"\n\n{marked}\n"
        );
        assert_eq!(quotation(&scanned, &mut Sources::default(), Reader::CommandLine), expected);
    }

    #[test]
    fn a_list_of_chunks_shows_places_and_beginnings() {
        let chunks = DocumentChunks {
            document: samples::document(),
            chunks: vec![samples::chunk()],
            total: 1,
            next_offset: None,
        };
        let text = document_chunks(&chunks, Some(12));
        let expected = "Vendor_Agreement.docx: page 12, 1 of 234 chunks\nFile: /home/sarah/Acme/Vendor_Agreement.docx\nType: \
            Contract | 45 pages | ingested 2023-11-14T22:13:20Z | embedded \
            2023-11-14T22:13:20Z\n\n  47. p. 12, para. 8, ll. 1-4 | chars \
            2401-2561 | Native text | ID: c0ffee00\n     \"Payment shall be made within thirty (30) \
            days of receipt of invoice. Late payments shall accrue interest at a rate of 1.…\"\n\nThe full text of one chunk: \
            get_chunk.";
        assert_eq!(text, expected);
        let empty = DocumentChunks { document: samples::document(), chunks: Vec::new(), total: 0, next_offset: None };
        assert!(document_chunks(&empty, Some(3)).ends_with("There is no text here."));
    }

    #[test]
    fn context_is_in_reading_order() {
        let neighbour = |index: u32, text: &str| {
            let mut chunk = samples::chunk();
            chunk.provenance.chunk_index = index;
            chunk.text = text.to_owned();
            chunk
        };
        let context = SourceContext {
            chunk_id: samples::chunk().chunk_id,
            before: vec![neighbour(45, "first")],
            chunk: neighbour(46, "second"),
            after: vec![neighbour(47, "third")],
        };
        let text = source_context(&context, Reader::CommandLine);
        let heading = "Vendor_Agreement.docx, p. 12, para. 8, ll. 1-4\nFile:  /home/sarah/Acme/Vendor_Agreement.docx\n\n--- Before: p. 12,";
        assert!(
            text.starts_with(heading) && text.contains("\n--- The passage: p. 12, para. 8, ll. 1-4 ---\n"),
            "{text}"
        );
        assert!(!text.contains("c0ffee00") && !text.contains("embedded"), "{text}");
        let text = source_context(&context, Reader::Assistant);
        assert!(
            text.starts_with(
                "Context of chunk c0ffee00 in Vendor_Agreement.docx (1 before, 1 after)\n\n--- Before ---\n"
            )
        );
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is not in\n{text}"));
        assert!(at("\nfirst\n") < at("--- Requested chunk ---") && at("\nsecond\n") < at("--- After ---"));
    }
}
