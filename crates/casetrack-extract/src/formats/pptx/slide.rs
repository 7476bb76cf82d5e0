//! One slide: its shapes in their order, the title first; charts, diagrams and notes, which are parts of their own.

use casetrack_core::{BlockKind, HiddenReason};
use casetrack_pages::build::table::{Cell, Row};
use casetrack_pages::container::xml::{XmlError, XmlReader};
use casetrack_pages::office::paragraphs::{Paragraph, text_body};

use super::frame::{Frame, SlideSize};

#[derive(Default)]
pub(super) struct Slide {
    pub contents: Vec<SlideItem>,
    pub is_hidden: bool,
    /// Why the slide could not be read to its end.
    pub damage: Option<XmlError>,
}

pub(super) struct SlideItem {
    pub content: Content,
    pub hidden: Option<HiddenReason>,
}

pub(super) enum Content {
    Block(BlockKind, String),
    Table(Vec<Row>),
    /// The content of the part with this relationship id.
    Related(Graphic, String),
}

#[derive(Clone, Copy)]
pub(super) enum Graphic {
    Chart,
    Diagram,
    Picture,
}

impl Slide {
    /// `sheet` is the area that is shown.
    pub fn parse(xml: &str, sheet: SlideSize) -> Self {
        let mut slide = Self::default();
        let mut xml = XmlReader::new(xml);
        slide.damage = slide.read(&mut xml, sheet).err();
        // The title heads the slide wherever it was drawn.
        slide.contents.sort_by_key(|shown| !matches!(shown.content, Content::Block(BlockKind::Heading { .. }, _)));
        slide
    }

    pub fn title(&self) -> Option<String> {
        self.contents.iter().find_map(|shown| match &shown.content {
            Content::Block(BlockKind::Heading { .. }, text) => Some(text.clone()),
            _ => None,
        })
    }

    fn read(&mut self, xml: &mut XmlReader, sheet: SlideSize) -> Result<(), XmlError> {
        let root = xml.root()?;
        self.is_hidden = root.attribute("show").is_some_and(|show| show == "0" || show == "false");
        self.drawn(xml, 0, &mut Frame::of_slide(sheet))
    }

    /// Reads the drawn elements inside the element at `depth` to its end. Choices and other elements are searched; the
    /// reader limits their depth.
    fn drawn(&mut self, xml: &mut XmlReader, depth: usize, frame: &mut Frame) -> Result<(), XmlError> {
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "grpSp" | "sp" | "pic" | "graphicFrame" => {
                    let (start, is_shape) = (self.contents.len(), element.name() == "sp");
                    let (depth, mut own) = (xml.depth(), frame.inner(element.name() == "grpSp"));
                    let outcome = if is_shape { self.shape(xml, &mut own) } else { self.drawn(xml, depth, &mut own) };
                    let hidden = own.hides();
                    for shown in &mut self.contents[start..] {
                        shown.hidden = shown.hidden.or(hidden);
                    }
                    outcome?;
                }
                "cNvPr" | "xfrm" => frame.read(&element, xml)?,
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

    fn push(&mut self, content: Content) {
        self.contents.push(SlideItem { content, hidden: None });
    }

    fn related(&mut self, kind: Graphic, id: Option<String>) {
        if let Some(id) = id {
            self.push(Content::Related(kind, id));
        }
    }

    /// A table with a single column only frames text.
    fn push_table(&mut self, rows: Vec<Row>) {
        if rows.iter().any(|row| row.cells.len() > 1) {
            self.push(Content::Table(rows));
        } else {
            let cells = rows.into_iter().flat_map(|row| row.cells);
            cells.for_each(|cell| self.push(Content::Block(BlockKind::Paragraph, cell.text)));
        }
    }

    fn shape(&mut self, xml: &mut XmlReader, frame: &mut Frame) -> Result<(), XmlError> {
        let mut paragraphs = Vec::new();
        let (placeholder, outcome) = shape(xml, frame, &mut paragraphs);
        match placeholder.as_deref() {
            Some("sldNum") => {}
            Some("title" | "ctrTitle") => {
                let lines: Vec<&str> =
                    paragraphs.iter().flat_map(|paragraph| paragraph.text.split_whitespace()).collect();
                if !lines.is_empty() {
                    self.push(Content::Block(BlockKind::Heading { level: 1 }, lines.join(" ")));
                }
            }
            other => {
                let in_list = matches!(other, Some("body" | "obj"));
                for paragraph in &paragraphs {
                    self.push(Content::Block(paragraph.kind(in_list), paragraph.labelled()));
                }
            }
        }
        outcome
    }
}

/// Reads `p:sp` to its end: the type of its placeholder, if it is one ("obj" if none is named, 19.3.1.36), and its
/// text.
pub(super) fn shape(
    xml: &mut XmlReader,
    frame: &mut Frame,
    paragraphs: &mut Vec<Paragraph>,
) -> (Option<String>, Result<(), XmlError>) {
    let mut placeholder = None;
    let outcome = (|| {
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "ph" => placeholder = Some(element.attribute("type").unwrap_or_else(|| "obj".into())),
                "txBody" => text_body(xml, paragraphs)?,
                "cNvPr" | "xfrm" => frame.read(&element, xml)?,
                "extLst" | "style" => xml.skip()?,
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
            let (placeholder, outcome) = shape(&mut xml, &mut Frame::default(), &mut paragraphs);
            if !matches!(placeholder.as_deref(), Some("sldNum" | "dt" | "hdr" | "ftr" | "sldImg")) {
                lines.extend(paragraphs.iter().map(|paragraph| paragraph.labelled().trim().to_owned()));
            }
            outcome?;
        }
    }
    Ok(())
}
