//! Objects embedded in a document: formulas (MathML) and the data of charts ([ODF] Part 3, 11).

use std::fmt::Display;

use casetrack_pages::build::flow::{FlowCell, FlowRow};
use casetrack_pages::container::xml::{Element, Node, Stop, XmlError, XmlReader};

use super::body::Body;

#[derive(Default)]
pub(super) struct EmbeddedObject {
    pub title: String,
    pub rows: Vec<FlowRow>,
    is_document: bool,
}

impl Body<'_, '_> {
    /// Reads `draw:object` to its end, and the part of the package it refers to. Formulas are put aside, since they
    /// belong to the text. Damage to the part costs that object only.
    pub fn object(&mut self, element: &Element) -> (EmbeddedObject, Result<(), Stop>) {
        let mut embedded = EmbeddedObject::default();
        let outcome = self.object_content(&mut embedded);
        if embedded.is_document {
            self.flow.document.warn("A document that is embedded in it was not read: it has no file of its own.");
        }
        let folder = element.attribute("href").unwrap_or_default();
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        if !folder.is_empty()
            && let Some(xml) = self.object_part(folder)
        {
            let mut load_nothing = |_: &str| Ok(None);
            let mut object = Body::new(&xml, self.styles, &mut load_nothing, self.flow.document);
            let read = object.object_content(&mut embedded);
            self.formulas.push_str(&object.formulas);
            match Stop::damage(read) {
                Err(limit) => return (embedded, Err(limit.into())),
                Ok(damage) => damage.iter().for_each(|error| self.warn_of_object(folder, error)),
            }
        }
        (embedded, outcome)
    }

    /// The content of the object in a folder; `None` if there is none, or, with a warning, if it is damaged.
    fn object_part(&mut self, folder: &str) -> Option<String> {
        (self.load_object)(folder).unwrap_or_else(|error| {
            self.warn_of_object(folder, &error.message);
            None
        })
    }

    fn warn_of_object(&mut self, folder: &str, problem: &dyn Display) {
        self.flow.document.warn(format!("The embedded object {folder} could not be read to its end: {problem}"));
    }

    /// Looks for a formula or a chart in the children of the element started last; in a flat file they are in the text.
    fn object_content(&mut self, embedded: &mut EmbeddedObject) -> Result<(), Stop> {
        loop {
            match self.xml.next()? {
                Node::Start(element) => match element.name() {
                    "math" => formula(&mut self.xml, &mut self.formulas)?,
                    "document" | "document-content" | "body" | "chart" => self.object_content(embedded)?,
                    "title" => {
                        let (blocks, outcome) = self.collected();
                        embedded.title = FlowCell { column: 1, blocks }.text();
                        outcome?;
                    }
                    "table" => {
                        let (rows, outcome) = self.table_rows(&element);
                        embedded.rows = rows;
                        outcome?;
                    }
                    name => {
                        embedded.is_document |= matches!(name, "text" | "spreadsheet" | "presentation" | "drawing");
                        self.xml.skip()?;
                    }
                },
                Node::Text(_) => {}
                Node::End | Node::Eof => return Ok(()),
            }
        }
    }
}

/// Reads `math:math` to its end. Its signs are written one after the other; the annotation repeats them in a language
/// for editing.
fn formula(xml: &mut XmlReader, text: &mut String) -> Result<(), XmlError> {
    let depth = xml.depth();
    while let Some(node) = xml.next_inside(depth)? {
        match node {
            Node::Start(element) if matches!(element.name(), "annotation" | "annotation-xml") => xml.skip()?,
            Node::Text(piece) => text.push_str(piece.trim()),
            _ => {}
        }
    }
    Ok(())
}
