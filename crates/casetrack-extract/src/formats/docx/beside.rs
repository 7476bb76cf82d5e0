//! Parts beside the text: comments, headers and footers, charts and diagrams.

use std::collections::{HashMap, HashSet};

use casetrack_core::{BlockKind, Result};

use super::body::{Body, Drawing};
use super::notes::{Note, read_notes};
use crate::build::DocumentBuilder;
use crate::build::flow::{FlowBlock, FlowCell, FlowRow, PAGE_BREAK, Sink};
use crate::container::opc::{Package, Relationships};
use crate::container::xml::Stop;
use crate::office::graphics::{self, Chart};
use crate::office::numbering::Numbering;
use crate::office::styles::Styles;

/// Comments by id, each as one paragraph (17.13.4).
pub(super) fn comments(
    xml: &str,
    styles: &Styles,
    document: &mut DocumentBuilder,
) -> Result<HashMap<String, FlowBlock>> {
    let mut comments = Vec::new();
    if !xml.is_empty()
        && let Some(error) = Stop::damage(read_notes(xml, styles, &mut Numbering::default(), document, &mut comments))?
    {
        document.warn(format!("The comments are damaged ({error}); some of them are missing."));
    }
    let shown = |note: Note| {
        let text = folded(&note.blocks);
        let by = note.author.map(|author| format!(" by {author}")).unwrap_or_default();
        (!text.is_empty()).then(|| (note.id, FlowBlock::paragraph(format!("Comment{by}: {text}"), None, None)))
    };
    Ok(comments.into_iter().filter_map(shown).collect())
}

/// The text of blocks on one line.
fn folded(blocks: &[FlowBlock]) -> String {
    let words = blocks.iter().flat_map(|block| block.text.split(|c: char| c.is_whitespace() || c == PAGE_BREAK));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Charts and diagrams by the ids of their relationships (20.1, 21.2, 21.4).
pub(super) fn drawings(package: &mut Package, related: &Relationships) -> Result<HashMap<String, Drawing>> {
    let mut drawings = HashMap::new();
    let paragraph = |text: String| FlowBlock::paragraph(text, None, None);
    for (id, target) in related.of_kind("chart") {
        let mut chart = Chart::default();
        package.read_beside(target, "chart", |xml| graphics::chart(xml, &mut chart))?;
        let rows = chart.rows.into_iter().map(|row| FlowRow {
            cells: row
                .cells
                .into_iter()
                .map(|cell| FlowCell { column: cell.column, blocks: vec![paragraph(cell.text)] })
                .collect(),
            is_header: row.header,
        });
        drawings.insert(id.to_owned(), Drawing { texts: vec![paragraph(chart.title)], rows: rows.collect() });
    }
    for (id, target) in related.of_kind("diagramData") {
        let mut texts = Vec::new();
        package.read_beside(target, "diagram", |xml| graphics::diagram(xml, &mut texts))?;
        let texts = texts.into_iter().map(paragraph).collect();
        drawings.insert(id.to_owned(), Drawing { texts, rows: Vec::new() });
    }
    Ok(drawings)
}

/// Adds the paragraphs of all headers and footers, each once: they stand on many pages, or on none (17.10).
pub(super) fn append_headers_and_footers(
    package: &mut Package,
    related: &Relationships,
    styles: &Styles,
    document: &mut DocumentBuilder,
) -> Result<()> {
    let mut seen = HashSet::new();
    for (kind, name) in [("header", "Header"), ("footer", "Footer")] {
        for target in related.targets(kind) {
            let mut sink = Sink::collect();
            package.read_beside(target, kind, |xml| read_part(xml, styles, document, &mut sink))?;
            for block in sink.into_blocks() {
                let text = folded(&[block]);
                // Only a page number.
                if text.chars().any(char::is_alphabetic) && seen.insert(text.clone()) {
                    document.push_block(BlockKind::Paragraph, &format!("{name}: {text}"))?;
                }
            }
        }
    }
    Ok(())
}

fn read_part(
    xml: &str,
    styles: &Styles,
    document: &mut DocumentBuilder,
    sink: &mut Sink,
) -> std::result::Result<(), Stop> {
    // Lists here must not advance those of the text.
    let mut numbering = Numbering::default();
    let mut body = Body::new(xml, styles, &mut numbering, document);
    body.xml.root()?;
    body.blocks(sink)
}
