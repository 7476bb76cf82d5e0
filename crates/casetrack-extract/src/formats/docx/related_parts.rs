//! Parts next to the text: comments, charts and diagrams.

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::build::DocumentBuilder;
use casetrack_pages::build::flow::{FlowBlock, FlowCell, FlowRow, Sink};
use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::container::xml::Stop;
use casetrack_pages::office::graphics::{self, Chart};
use casetrack_pages::office::numbering::Numbering;
use casetrack_pages::office::styles::Styles;

use super::body::{Body, Drawing};
use super::folded;
use super::notes::{Note, read_notes};
use crate::formats::pictures::Pictures;

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

/// The text of pictures by the ids of their relationships.
pub(super) fn pictures(
    package: &mut Package,
    related: &Relationships,
    pictures: &mut Pictures,
    document: &mut DocumentBuilder,
) -> HashMap<String, FlowBlock> {
    let mut found = HashMap::new();
    for (id, target) in related.of_kind("image") {
        // A linked one is outside the package.
        if !package.has(target) {
            continue;
        }
        let Some(text) = package.beside(target, "picture").and_then(|bytes| pictures.read(&bytes)) else { continue };
        found.insert(id.to_owned(), FlowBlock::paragraph(text.marked("Picture", document), None, None));
    }
    found
}

/// Reads the blocks of a part that is not the main one.
pub(super) fn read_part(
    xml: &str,
    styles: &Styles,
    pictures: HashMap<String, FlowBlock>,
    document: &mut DocumentBuilder,
    sink: &mut Sink,
) -> std::result::Result<(), Stop> {
    // Lists here must not advance those of the text.
    let mut numbering = Numbering::default();
    let mut body = Body::new(xml, styles, &mut numbering, document);
    body.pictures = pictures;
    body.xml.root()?;
    body.blocks(sink)
}
