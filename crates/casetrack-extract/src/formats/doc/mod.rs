//! Word 97-2003 documents ([MS-DOC]), and the text of Word 6 and 95 documents.
//!
//! Read: the main text with headings, list labels, tables row by row, hidden text, text boxes and the text of pictures
//! (by OCR) behind the paragraph that anchors them, results of fields, the state of check boxes; footnotes and endnotes
//! at the end of the page that refers to them, with `[1]` and `[i]` at the reference; tracked changes of characters,
//! ends of paragraphs and rows; comments behind the paragraph they are about; headers and footers on the first page of
//! their section. Explicit page breaks make the pages.

mod body;
mod document_parts;
mod fib;
mod form_fields;
mod lists;
mod pictures;
mod pieces;
mod properties;
mod revisions;
mod styles;
mod tables;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use casetrack_core::{ExtractionMethod, HiddenReason, Result};
use casetrack_pages::build::flow::{Flow, FlowBlock, Note, Sink};
use casetrack_pages::build::{DocumentBuilder, Extractor, changes};
use casetrack_pages::container::ole::{CompoundFile, clipped, u16_at, u32_at};
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::numbering::Numbering;
use casetrack_pages::office::summary_information;
use casetrack_pages::office::tracked_changes::deleted_note;
use casetrack_pages::text::roman::roman;
use encoding_rs::{Encoding, WINDOWS_1252};

use self::body::{Anchors, Body, WordFile};
use self::fib::{Fib, Part, Plc, Table};
use self::pieces::Text;
use self::properties::{Modifiers, PageKind, PropertyPages};
use self::styles::Styles;

pub(crate) struct Doc;

impl Extractor for Doc {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let container = CompoundFile::of(source)?;
        let stream = container.stream(&["WordDocument"]).unwrap_or_default();
        let fib = Fib::parse(&stream).ok_or_else(|| source.unreadable("it does not begin like a Word document"))?;
        if let Some(title) = summary_information::read(&container, document) {
            document.set_title(&title);
        }
        document.expect_layout();
        document.set_page_count(summary_information::page_count(&container));
        let table_stream = match (fib.is_old, fib.second_table) {
            (true, _) => stream.clone(),
            (false, true) => container.stream(&["1Table"]).unwrap_or_default(),
            (false, false) => container.stream(&["0Table"]).unwrap_or_default(),
        };
        let encoding = if fib.is_old { encoding_of(&fib) } else { WINDOWS_1252 };
        let text = if fib.is_old && !fib.is_complex {
            Text::plain(&fib, &stream, encoding)
        } else {
            Text::parse(&fib, &stream, &table_stream, encoding)
        };
        let text = text.ok_or_else(|| source.unreadable("the table of its text is damaged"))?;
        if text.is_damaged || (text.units.len() as u64) < u64::from(fib.range(Part::Main).end) {
            document.warn("The document is damaged; text is missing.");
        }
        // Old files have tables of another form.
        let tables: &[u8] = if fib.is_old { &[] } else { &table_stream };
        let table = |table| fib.table(tables, table);
        let fonts = lists::fonts(table(Table::Fonts));
        let with_levels = |table| fib.table_and_rest(tables, table);
        let (numbering, is_damaged) =
            lists::numbering(with_levels(Table::ListDefinitions), with_levels(Table::Lists), &fonts);
        if is_damaged {
            document.warn("The list definitions are damaged; list labels may be missing.");
        }
        let styles = Styles::parse(table(Table::Styles));
        let file = WordFile {
            characters: PropertyPages::parse(&stream, table(Table::CharacterPages), PageKind::Characters),
            paragraphs: PropertyPages::parse(&stream, table(Table::ParagraphPages), PageKind::Paragraphs),
            styles_hide: styles.hide_some(),
            styles,
            fonts,
            revisers: revisions::revisers(table(Table::Revisers)),
            data: container.stream(&["Data"]).unwrap_or_default(),
            text,
            tables,
            fib,
        };
        read_parts(source, &file, &stream, numbering, document)?;
        let pool = container.root_entries().into_iter().find(|entry| entry.name == "ObjectPool");
        let objects = pool.map(|pool| container.entries(&pool)).unwrap_or_default();
        EmbeddedFiles::of_storages(&container, objects.into_iter(), document)
    }
}

/// Reads the parts of the text: those with an anchor in the main text come before it.
fn read_parts(
    source: &Source,
    file: &WordFile,
    stream: &[u8],
    mut numbering: Numbering,
    document: &mut DocumentBuilder,
) -> Result<()> {
    document.start_page(ExtractionMethod::Native, None);
    let veil = document.hidden().cause(HiddenReason::HiddenFormat, None);
    let table = |table| file.fib.table(file.tables, table);
    let footnotes = notes(table(Table::FootnoteReferences), |number| number.to_string());
    let endnotes = notes(table(Table::EndnoteReferences), roman);
    let mut anchors = Anchors {
        notes: footnotes.iter().chain(&endnotes).map(|(place, mark)| (*place, format!("[{mark}]"))).collect(),
        sections: sections(table(Table::Sections), stream),
        boxes: BTreeMap::new(),
        margins: Vec::new().into_iter(),
    };
    // Lists in notes must not advance those of the text.
    let mut flow = Flow::new(document);
    let (mut of_notes, anchors) = (numbering.clone(), &mut anchors);
    let mut body = Body { file, numbering: &mut of_notes, anchors, veil, flow: &mut flow };
    let (drawings, shapes) = (table(Table::Drawings), table(Table::Shapes));
    pictures::read(source, &mut body, stream, drawings, shapes);
    for (part, marks, texts) in [
        (Part::Footnotes, &footnotes, table(Table::FootnoteTexts)),
        (Part::Endnotes, &endnotes, table(Table::EndnoteTexts)),
    ] {
        read_notes(&mut body, part, marks, texts)?;
    }
    let (references, texts) = (table(Table::CommentReferences), table(Table::CommentTexts));
    document_parts::comments(&mut body, references, texts, table(Table::CommentAuthors))?;
    body.anchors.margins = document_parts::margins(&mut body, table(Table::Margins))?.into_iter();
    body.numbering = &mut numbering;
    let mut loose = text_boxes(&mut body, table(Table::TextBoxes), shapes)?;

    body.start_section();
    body.read(file.fib.range(Part::Main), &mut Sink::Pages)?;
    if file.fib.is_old {
        for part in [Part::Footnotes, Part::Endnotes, Part::TextBoxes] {
            body.read(file.fib.range(part), &mut Sink::Pages)?;
        }
    }
    // Anchors without text.
    loose.extend(std::mem::take(&mut body.anchors.boxes).into_values().flatten());
    loose.iter().try_for_each(|block| flow.push(block))?;
    flow.finish()
}

/// Positions of the references to notes, and their marks.
fn notes(table: &[u8], mark: impl Fn(u32) -> String) -> Vec<(u32, String)> {
    Plc::parse(table, 2).ranges().zip(1..).map(|((place, _), number)| (place.start, mark(number))).collect()
}

/// Where sections end, and whether the next one starts on a new page ([MS-DOC] 2.8.26).
fn sections(table: &[u8], stream: &[u8]) -> HashMap<u32, bool> {
    const NO_PROPERTIES: u32 = u32::MAX;
    let starts_page = |data: &[u8]| {
        let at = u32_at(data, 2).filter(|at| *at != NO_PROPERTIES)? as usize;
        let size = usize::from(u16_at(stream, at)?);
        let kind = Modifiers(clipped(stream, at + 2, size)).find(|(operation, _)| *operation == 0x3009)?.1;
        // Continuous, or in a new column.
        Some(!matches!(kind, [0 | 1]))
    };
    Plc::parse(table, 12)
        .ranges()
        .skip(1)
        .map(|(places, data)| (places.start.saturating_sub(1), starts_page(data).unwrap_or(true)))
        .collect()
}

/// Reads the text boxes: those with a shape in the main text are anchored, the others are returned.
fn text_boxes(body: &mut Body, boxes: &[u8], shapes: &[u8]) -> Result<Vec<FlowBlock>> {
    let places: HashMap<u32, u32> =
        Plc::parse(shapes, 26).ranges().filter_map(|(place, shape)| Some((u32_at(shape, 0)?, place.start))).collect();
    let mut rest = body.file.fib.range(Part::TextBoxes);
    let part_start = rest.start;
    let mut loose = Vec::new();
    for (places_in_part, data) in Plc::parse(boxes, 22).ranges() {
        let blocks = read_piece(body, part_start, &places_in_part, &mut rest)?;
        match u32_at(data, 14).and_then(|shape| places.get(&shape)) {
            Some(place) => body.anchors.boxes.entry(*place).or_default().extend(blocks),
            None => loose.extend(blocks),
        }
    }
    Ok(loose)
}

/// Reads a piece of a part as far as it is in `rest`, and removes it from `rest`, so that no text is read twice.
fn read_piece(body: &mut Body, start: u32, piece: &Range<u32>, rest: &mut Range<u32>) -> Result<Vec<FlowBlock>> {
    let from = start.saturating_add(piece.start).max(rest.start);
    let to = start.saturating_add(piece.end).min(rest.end);
    let mut sink = Sink::collect();
    if from < to {
        body.read(from..to, &mut sink)?;
        rest.start = to;
    }
    Ok(sink.into_blocks())
}

/// Reads the notes in the order of their references. A note whose reference was deleted is part of the deletion.
fn read_notes(body: &mut Body, part: Part, marks: &[(u32, String)], texts: &[u8]) -> Result<()> {
    let mut rest = body.file.fib.range(part);
    let part_start = rest.start;
    for (places, (place, mark)) in Plc::parse(texts, 0).positions.windows(2).zip(marks) {
        let mut blocks = read_piece(body, part_start, &(places[0]..places[1]), &mut rest)?;
        if body.is_deleted(*place) {
            let text = deleted_note(&blocks, body.flow.document.changes());
            body.anchors.notes.insert(*place, text);
            continue;
        }
        blocks.retain(|block| changes::has_marks(&block.text) || !block.text.trim().is_empty());
        let is_endnote = matches!(part, Part::Endnotes);
        let reference = body.flow.refer(Note { mark: mark.clone(), is_endnote, blocks });
        body.anchors.notes.insert(*place, reference);
    }
    Ok(())
}

/// The encoding of the text of Word 6 and 95, by the primary language of the program. Newer ones write 8-bit text in
/// Windows-1252 on every machine.
fn encoding_of(fib: &Fib) -> &'static Encoding {
    const TRADITIONAL_CHINESE: [u16; 3] = [0x0404, 0x0C04, 0x1404];
    match fib.language & 0x3FF {
        0x19 if fib.is_mac => encoding_rs::X_MAC_CYRILLIC,
        0x04 if TRADITIONAL_CHINESE.contains(&fib.language) => encoding_rs::BIG5,
        0x04 => encoding_rs::GBK,
        0x11 => encoding_rs::SHIFT_JIS,
        0x12 => encoding_rs::EUC_KR,
        _ if fib.is_mac => encoding_rs::MACINTOSH,
        0x05 | 0x0E | 0x15 | 0x18 | 0x1A | 0x1B | 0x24 => encoding_rs::WINDOWS_1250,
        0x02 | 0x19 | 0x22 | 0x23 => encoding_rs::WINDOWS_1251,
        0x08 => encoding_rs::WINDOWS_1253,
        0x1F => encoding_rs::WINDOWS_1254,
        0x0D => encoding_rs::WINDOWS_1255,
        0x01 | 0x29 => encoding_rs::WINDOWS_1256,
        0x25..=0x27 => encoding_rs::WINDOWS_1257,
        _ => WINDOWS_1252,
    }
}

#[cfg(test)]
mod tests;
