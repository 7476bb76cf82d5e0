//! Outlines, pages and chunks in their order, documents of a type.

use casetrack_core::DocumentType;
use casetrack_engine::chunks::{ChunkView, Direction, PageChunks, Traversal};
use casetrack_engine::documents::DocumentSummary;
use casetrack_engine::paging::Part;
use casetrack_engine::structure::DocumentStructure;

use super::chunks::quotation;
use super::documents;
use super::format::{counted, one_line, push_more, shorten, trimmed};
use super::labels;

/// How much of a section's title is shown, in characters.
const TITLE_CHARS: usize = 120;

pub fn structure(structure: &DocumentStructure) -> String {
    let document = &structure.document;
    let mut text = format!(
        "Outline of {} ({}, {}, {})\nFile: {}\n",
        one_line(&document.name),
        labels::document_type(document.document_type),
        counted(document.page_count.into(), "page"),
        counted(document.chunk_count.into(), "chunk"),
        one_line(&document.path),
    );
    if structure.total == 0 {
        text.push_str("\nNo headings or numbered clauses were found. Read it with browse_pages.");
        return text;
    }
    text.push('\n');
    for section in &structure.sections {
        let indent = "  ".repeat(usize::from(section.level));
        text.push_str(&format!("{indent}{} -- p. {}", shorten(&section.title, TITLE_CHARS), section.page));
        if let Some(chunk) = section.chunk_id {
            text.push_str(&format!(" (chunk {chunk})"));
        }
        if !section.cited_at.is_empty() {
            let mut pages: Vec<String> = section.cited_at.iter().map(|place| place.page.to_string()).collect();
            pages.dedup();
            text.push_str(&format!(", referred to on p. {}", pages.join(", ")));
        }
        text.push('\n');
    }
    let mut text = trimmed(text);
    push_more(&mut text, structure.total, structure.next_offset);
    text
}

pub fn pages(pages: &PageChunks) -> String {
    let mut text = format!(
        "{}, pages {}-{} of {} ({})\n",
        one_line(&pages.document.name),
        pages.start_page,
        pages.end_page,
        pages.document.page_count,
        counted(pages.chunks.len() as u64, "chunk"),
    );
    if pages.chunks.is_empty() {
        text.push_str("\nThere is no text on these pages.");
    }
    quote(&mut text, &pages.chunks);
    if let Some(next) = pages.next_page {
        text.push_str(&format!("\nThere is more: go on with start_page {next}."));
    }
    trimmed(text)
}

pub fn traversal(traversal: &Traversal) -> String {
    let direction = match traversal.direction {
        Direction::Forward => "forward",
        Direction::Backward => "backward",
    };
    let mut text = format!(
        "{} of {}, {direction}\n",
        counted(traversal.chunks.len() as u64, "chunk"),
        one_line(&traversal.document.name),
    );
    quote(&mut text, &traversal.chunks);
    text.push_str(&match (traversal.next_chunk_id, traversal.direction) {
        (Some(next), _) => format!("\nTo go on {direction}: start_chunk_id {next}."),
        (None, Direction::Forward) => "\nThis is the end of the document.".to_owned(),
        (None, Direction::Backward) => "\nThis is the beginning of the document.".to_owned(),
    });
    trimmed(text)
}

fn quote(text: &mut String, chunks: &[ChunkView]) {
    for chunk in chunks {
        text.push_str(&format!("\n---\n{}", quotation(chunk)));
    }
}

pub fn of_type(collection: &str, document_type: DocumentType, part: &Part<DocumentSummary>, offset: u32) -> String {
    let label = labels::document_type(document_type);
    if part.total == 0 {
        return format!(
            "{} has no documents of the type {label}.\n\nAll documents: list_documents.",
            one_line(collection)
        );
    }
    format!("Type: {label}\n{}", documents::part(collection, part, offset))
}
