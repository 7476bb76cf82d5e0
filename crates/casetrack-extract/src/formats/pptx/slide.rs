//! One slide: its shapes in their order, the title first; charts, diagrams and notes, which are parts of their own.

use casetrack_core::BlockKind;

use crate::build::table::{Cell, Row};
use crate::container::xml::{XmlError, XmlReader};
use crate::office::paragraphs::{Paragraph, text_body};

#[derive(Default)]
pub(super) struct Slide {
    pub contents: Vec<Content>,
    pub is_hidden: bool,
    /// Why the slide could not be read to its end.
    pub damage: Option<XmlError>,
}

pub(super) enum Content {
    Block(BlockKind, String),
    Table(Vec<Row>),
    /// What the part with this relationship id holds.
    Related(Graphic, String),
}

#[derive(Clone, Copy)]
pub(super) enum Graphic {
    Chart,
    Diagram,
    Picture,
}

impl Slide {
    pub fn parse(xml: &str) -> Self {
        let mut slide = Self::default();
        let mut xml = XmlReader::new(xml);
        slide.damage = slide.read(&mut xml).err();
        // The title heads the slide wherever it was drawn.
        slide.contents.sort_by_key(|content| !matches!(content, Content::Block(BlockKind::Heading { .. }, _)));
        slide
    }

    pub fn title(&self) -> Option<String> {
        self.contents.iter().find_map(|content| match content {
            Content::Block(BlockKind::Heading { .. }, text) => Some(text.clone()),
            _ => None,
        })
    }

    /// Groups, choices and the elements around them are looked into; the reader limits their depth.
    fn read(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        let root = xml.root()?;
        self.is_hidden = root.attribute("show").is_some_and(|show| show == "0" || show == "false");
        while let Some(element) = xml.next_start(0)? {
            match element.name() {
                "sp" => self.shape(xml)?,
                "tbl" => {
                    let mut rows = Vec::new();
                    let outcome = table(xml, &mut rows);
                    self.push_table(rows);
                    outcome?;
                }
                "chart" => self.related(Graphic::Chart, element.qualified_attribute("id")),
                "relIds" => self.related(Graphic::Diagram, element.qualified_attribute("dm")),
                "blip" => self.related(Graphic::Picture, element.qualified_attribute("embed")),
                // The fallback repeats the choice for older programs.
                "Fallback" | "timing" | "transition" | "extLst" | "bg" | "custDataLst" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    fn related(&mut self, kind: Graphic, id: Option<String>) {
        self.contents.extend(id.map(|id| Content::Related(kind, id)));
    }

    /// A table with a single column only frames text.
    fn push_table(&mut self, rows: Vec<Row>) {
        if rows.iter().any(|row| row.cells.len() > 1) {
            self.contents.push(Content::Table(rows));
        } else {
            let cells = rows.into_iter().flat_map(|row| row.cells);
            self.contents.extend(cells.map(|cell| Content::Block(BlockKind::Paragraph, cell.text)));
        }
    }

    fn shape(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        let mut paragraphs = Vec::new();
        let (placeholder, outcome) = shape(xml, &mut paragraphs);
        match placeholder.as_deref() {
            Some("sldNum") => {}
            Some("title" | "ctrTitle") => {
                let lines: Vec<&str> =
                    paragraphs.iter().flat_map(|paragraph| paragraph.text.split_whitespace()).collect();
                if !lines.is_empty() {
                    self.contents.push(Content::Block(BlockKind::Heading { level: 1 }, lines.join(" ")));
                }
            }
            other => {
                let in_list = matches!(other, Some("body" | "obj"));
                self.contents.extend(
                    paragraphs.iter().map(|paragraph| Content::Block(paragraph.kind(in_list), paragraph.labelled())),
                );
            }
        }
        outcome
    }
}

/// Reads `p:sp` to its end: the type of its placeholder, if it is one ("obj" where none is named, 19.3.1.36), and its text.
pub(super) fn shape(xml: &mut XmlReader, paragraphs: &mut Vec<Paragraph>) -> (Option<String>, Result<(), XmlError>) {
    let mut placeholder = None;
    let outcome = (|| {
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "ph" => placeholder = Some(element.attribute("type").unwrap_or_else(|| "obj".into())),
                "txBody" => text_body(xml, paragraphs)?,
                "extLst" | "style" | "spPr" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    })();
    (placeholder, outcome)
}

/// Reads `a:tbl` to its end (21.1.3). Merged cells have elements of their own, so that columns count themselves.
fn table(xml: &mut XmlReader, rows: &mut Vec<Row>) -> Result<(), XmlError> {
    let mut has_header = false;
    while let Some(element) = xml.child()? {
        match element.name() {
            "tblPr" => {
                has_header = element.attribute("firstRow").is_some_and(|on| on == "1" || on == "true");
                xml.skip()?;
            }
            "tr" => {
                let mut row = Row { cells: Vec::new(), header: has_header && rows.is_empty() };
                let mut column = 0;
                while let Some(element) = xml.child()? {
                    if element.name() != "tc" {
                        xml.skip()?;
                        continue;
                    }
                    column += 1;
                    let merged = ["hMerge", "vMerge"]
                        .iter()
                        .any(|name| element.attribute(name).is_some_and(|on| on == "1" || on == "true"));
                    let mut paragraphs = Vec::new();
                    while let Some(element) = xml.child()? {
                        match element.name() {
                            "txBody" => text_body(xml, &mut paragraphs)?,
                            _ => xml.skip()?,
                        }
                    }
                    if !merged {
                        let lines: Vec<String> = paragraphs.iter().map(Paragraph::labelled).collect();
                        row.cells.push(Cell::from_text(column, lines.join("\n")));
                    }
                }
                rows.push(row);
            }
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// Adds the paragraphs of the speaker's notes; the picture of the slide, date and page number are left out.
pub(super) fn notes(xml: &str, lines: &mut Vec<String>) -> Result<(), XmlError> {
    let mut xml = XmlReader::new(xml);
    while let Some(element) = xml.next_start(0)? {
        if element.name() == "sp" {
            let mut paragraphs = Vec::new();
            let (placeholder, outcome) = shape(&mut xml, &mut paragraphs);
            if !matches!(placeholder.as_deref(), Some("sldNum" | "dt" | "hdr" | "ftr" | "sldImg")) {
                lines.extend(paragraphs.iter().map(|paragraph| paragraph.labelled().trim().to_owned()));
            }
            outcome?;
        }
    }
    Ok(())
}
