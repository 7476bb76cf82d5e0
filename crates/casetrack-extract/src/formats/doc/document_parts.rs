//! Parts of a document other than its text: comments, headers and footers.

use std::collections::HashSet;

use casetrack_core::Result;
use casetrack_pages::build::changes;
use casetrack_pages::build::flow::{FlowBlock, marked_text};
use casetrack_pages::container::ole::{u16_at, utf16};

use super::body::Body;
use super::fib::{Part, Plc};
use super::read_piece;

/// Anchors comments at their references in the text ([MS-DOC] 2.8.6 and 2.8.7). A comment whose reference was deleted
/// is left out.
pub(super) fn comments(body: &mut Body, references: &[u8], texts: &[u8], authors: &[u8]) -> Result<()> {
    /// Size of ATRDPre10 (2.9.4), and the place of the author's number in it.
    const REFERENCE: (usize, usize) = (30, 20);
    let authors = names(authors);
    let mut rest = body.file.fib.range(Part::Comments);
    let part_start = rest.start;
    let pieces = Plc::parse(texts, 0).positions;
    for ((places, data), piece) in Plc::parse(references, REFERENCE.0).ranges().zip(pieces.windows(2)) {
        let blocks = read_piece(body, part_start, &(piece[0]..piece[1]), &mut rest)?;
        let text = folded(&blocks);
        if changes::plain(&text).trim().is_empty() || body.is_deleted(places.start) {
            continue;
        }
        let author = u16_at(data, REFERENCE.1).and_then(|number| authors.get(usize::from(number)));
        let by = author.filter(|name| !name.trim().is_empty()).map(|name| format!(" by {}", name.trim()));
        let block = FlowBlock::paragraph(format!("Comment{}: {text}", by.unwrap_or_default()), None, None);
        body.anchors.boxes.entry(places.start).or_default().push(block);
    }
    Ok(())
}

/// The names of those who wrote comments, each behind its length (2.5.6, `fcGrpXstAtnOwners`).
fn names(table: &[u8]) -> Vec<String> {
    let mut rest = table;
    std::iter::from_fn(|| {
        let bytes = 2 * usize::from(u16_at(rest, 0)?);
        let name = rest.get(2..2 + bytes)?;
        rest = &rest[2 + bytes..];
        Some(utf16(name))
    })
    .collect()
}

/// The headers and footers of each section, each text once, although it is on many pages (2.8.12). The first six
/// stories are separators of notes. Each section has six: headers of even and odd pages, footers of even and odd pages,
/// and both of its first page. An empty one continues as in the section before.
pub(super) fn margins(body: &mut Body, table: &[u8]) -> Result<Vec<Vec<String>>> {
    const NAMES: [&str; 6] = ["Header", "Header", "Footer", "Footer", "Header", "Footer"];
    let mut rest = body.file.fib.range(Part::Margins);
    let part_start = rest.start;
    let mut seen = HashSet::new();
    let mut sections: Vec<Vec<String>> = Vec::new();
    for (index, piece) in Plc::parse(table, 0).positions.windows(2).enumerate() {
        let blocks = read_piece(body, part_start, &(piece[0]..piece[1]), &mut rest)?;
        let Some(index) = index.checked_sub(NAMES.len()) else { continue };
        if index % NAMES.len() == 0 {
            sections.push(Vec::new());
        }
        let texts = blocks.iter().map(|block| changes::fold(&marked_text(&block.text)));
        // Not those of only a page number.
        let texts = texts.filter(|text| changes::plain(text).chars().any(char::is_alphabetic));
        let new = texts.filter(|text| seen.insert(changes::plain(text).into_owned()));
        let named = new.map(|text| format!("{}: {text}", NAMES[index % NAMES.len()]));
        if let Some(section) = sections.last_mut() {
            section.extend(named);
        }
    }
    for section in &mut sections {
        // Headers first.
        section.sort_by_key(|text| text.starts_with(NAMES[2]));
    }
    Ok(sections)
}

/// Blocks as one paragraph, with the marks of changes.
fn folded(blocks: &[FlowBlock]) -> String {
    let texts: Vec<String> = blocks.iter().map(|block| marked_text(&block.text)).collect();
    changes::fold(&texts.join(" "))
}
