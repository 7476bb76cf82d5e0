//! Outlines, pages and chunks in reading order, documents of a type.

use casetrack_core::{DocumentType, cited_page};
use casetrack_engine::chunks::{ChunkView, Direction, PageChunks, Traversal};
use casetrack_engine::documents::DocumentSummary;
use casetrack_engine::structure::{DocumentStructure, Section};

use super::chunks::quotation;
use super::documents::part;
use super::format::{counted, one_line, range, trimmed};
use super::marks::{name, short_name};
use super::sources::Sources;
use crate::Reader;

/// How much of a section's title is shown, in characters.
const TITLE_CHARS: usize = 120;

pub fn structure(structure: &DocumentStructure) -> String {
    let document = &structure.document;
    let mut text = format!(
        "Outline of {} ({}, {})\nFile: {}\n",
        name(&document.name),
        document.document_type.label(),
        Reader::Assistant.size(document.page_count, document.chunk_count),
        name(&document.path),
    );
    if structure.total == 0 {
        text.push_str("\nNo headings or numbered clauses were found. Read it with browse_pages.");
        return text;
    }
    text.push('\n');
    for section in &structure.sections {
        let indent = "  ".repeat(usize::from(section.level));
        text.push_str(&format!(
            "{indent}{} -- {}",
            short_name(&section.title, TITLE_CHARS),
            place(section, document.unpaged)
        ));
        if let Some(chunk) = section.chunk_id {
            text.push_str(&format!(" (chunk {})", chunk.short()));
        }
        if !section.cited_at.is_empty() {
            let mut pages: Vec<String> = section.cited_at.iter().map(|place| place.page.to_string()).collect();
            pages.dedup();
            text.push_str(&format!(", referred to on p. {}", pages.join(", ")));
        }
        text.push('\n');
    }
    let mut text = trimmed(text);
    Reader::Assistant.push_more(&mut text, structure.total, structure.next_offset);
    text
}

/// `p. 12, para. 8, ll. 1-2`
fn place(section: &Section, unpaged: bool) -> String {
    let Section { page, paragraph, line_start, line_end, .. } = *section;
    let lines = if line_start == line_end { "l." } else { "ll." };
    let page = cited_page(page, unpaged);
    format!("{page}, para. {paragraph}, {lines} {}", range(line_start, line_end))
}

pub fn pages(pages: &PageChunks) -> String {
    let mut text = format!(
        "{}, pages {}-{} of {} ({})\n",
        name(&pages.document.name),
        pages.start_page,
        pages.end_page,
        pages.document.page_count,
        counted(pages.chunks.len() as u64, "chunk"),
    );
    if pages.chunks.is_empty() {
        text.push_str("\nThere is no text on these pages.");
    }
    let legend = quote(&mut text, &pages.chunks);
    if let Some(next) = pages.next_page {
        text.push_str(&format!("\nThere is more: continue with start_page {next}."));
    }
    trimmed(text) + &legend
}

pub fn traversal(traversal: &Traversal) -> String {
    let direction = match traversal.direction {
        Direction::Forward => "forward",
        Direction::Backward => "backward",
    };
    let mut text = format!(
        "{} of {}, {direction}\n",
        counted(traversal.chunks.len() as u64, "chunk"),
        name(&traversal.document.name),
    );
    let legend = quote(&mut text, &traversal.chunks);
    text.push_str(&match (traversal.next_chunk_id, traversal.direction) {
        (Some(next), _) => format!("\nTo continue {direction}: start_chunk_id {}.", next.short()),
        (None, Direction::Forward) => "\nThis is the end of the document.".to_owned(),
        (None, Direction::Backward) => "\nThis is the beginning of the document.".to_owned(),
    });
    trimmed(text) + &legend
}

/// Appends chunks, and returns the legend of their sources.
fn quote(text: &mut String, chunks: &[ChunkView]) -> String {
    let mut sources = Sources::default();
    for chunk in chunks {
        text.push_str(&format!("\n---\n{}", quotation(chunk, &mut sources, Reader::Assistant)));
    }
    sources.legend()
}

/// A part of a list of `total` documents of a type that begins after `offset` of them.
pub fn of_type(
    collection: &str,
    document_type: DocumentType,
    documents: &[DocumentSummary],
    offset: u32,
    total: u64,
    next_offset: Option<u64>,
) -> String {
    let label = document_type.label();
    if total == 0 {
        return format!(
            "{} has no documents of the type {label}.\n\nAll documents: list_documents.",
            one_line(collection)
        );
    }
    format!("Type: {label}\n{}", part(collection, documents, None, (offset, total), next_offset))
}
