//! The texts of a stream whose directory is damaged.

use casetrack_core::{BlockKind, ExtractionMethod, Result};
use casetrack_pages::build::DocumentBuilder;

use super::records::{Record, Records, kind};
use super::text::{TextBody, TextContext};

/// Records deeper than this are not looked into; those of an intact file are about fifteen deep.
const MAX_DEPTH: usize = 64;

/// Writes all texts on one page, in the order of the file. Each save may add the document again: the last one is
/// read; masters are not.
pub(super) fn write_all_texts(stream: &[u8], surroundings: &TextContext, document: &mut DocumentBuilder) -> Result<()> {
    document.start_page(ExtractionMethod::Native, None);
    let is_document = |record: &Record| record.kind == kind::DOCUMENT;
    let newest = Records::of(stream).filter(is_document).last().map(|record| record.place);
    for record in Records::of(stream).filter(|record| !is_document(record) || Some(record.place) == newest) {
        write_texts(&record, 0, surroundings, document)?;
    }
    Ok(())
}

fn write_texts(
    record: &Record,
    depth: usize,
    surroundings: &TextContext,
    document: &mut DocumentBuilder,
) -> Result<()> {
    if depth == MAX_DEPTH || matches!(record.kind, kind::MAIN_MASTER | kind::HANDOUT) {
        return Ok(());
    }
    let mut texts = Vec::new();
    for child in record.children() {
        TextBody::add(&mut texts, &child);
        write_texts(&child, depth + 1, surroundings, document)?;
    }
    for text in texts.iter().filter(|text| !text.is_slide_number()) {
        for paragraph in text.paragraphs(surroundings, true) {
            let kind = match paragraph.kind(true) {
                BlockKind::Paragraph if text.text_type.is_title() => BlockKind::Heading { level: 1 },
                kind => kind,
            };
            document.push_block(kind, &paragraph.labelled())?;
        }
    }
    Ok(())
}
