//! PowerPoint presentations (PresentationML, [ECMA-376] Part 1, 19). A slide is a page, even without text.
//!
//! Read: titles as headings, paragraphs with their bullets and numbers, tables row by row, the data of charts, the text
//! of diagrams, text in pictures by OCR, comments, speaker notes behind "Notes: " at the end of their slide, and the
//! texts of layouts and masters on the first slide that shows them. Not read: slide numbers.

mod frame;
mod related_parts;
mod slide;

use std::collections::{HashMap, HashSet};

use casetrack_core::{BlockKind, Error, ExtractionMethod, HiddenReason, Result};
use casetrack_pages::build::table::{Row, push_table};
use casetrack_pages::build::{DocumentBuilder, Extractor, changes};
use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::container::xml::{XmlError, XmlReader};
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::graphics::{self, Chart};
use casetrack_pages::office::properties;
use casetrack_pages::office::slides::{DEFAULT_TITLES, push_notes, warn_of_slides};
use casetrack_pages::text::encoding;

use self::frame::SlideSize;
use self::slide::{Content, Graphic, Slide, SlideItem};
use crate::formats::pictures::Pictures;

/// The usual name of the part with the list of slides.
const MAIN_PART: &str = "ppt/presentation.xml";

pub(crate) struct Pptx;

/// State that slides share.
struct DeckState<'a> {
    authors: HashMap<String, String>,
    /// Layouts and masters whose texts are on a slide already.
    seen: HashSet<String>,
    pictures: Pictures<'a>,
}

impl Extractor for Pptx {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let mut package = Package::open(source)?;
        let root = package.relationships_of("");
        let title = properties::of_package(&mut package, &root, document)
            .filter(|title| !DEFAULT_TITLES.contains(&title.trim()));
        let (slides, sheet) = slides(&mut package, &root, document)?;
        let presentation = package.relationships_of(root.target("officeDocument").unwrap_or(MAIN_PART));
        let mut surroundings = DeckState {
            authors: related_parts::authors(&mut package, &presentation)?,
            seen: HashSet::new(),
            pictures: Pictures::new(source, document),
        };
        if slides.is_empty() {
            return Err(source.empty("has no slides."));
        }
        let (mut hidden, mut damaged, mut first_title) = (Vec::new(), Vec::new(), None);
        for (name, number) in slides.iter().zip(1u32..) {
            document.start_page(ExtractionMethod::Native, None);
            match slide_of(&mut package, name, sheet) {
                Ok(slide) => {
                    let is_hidden = slide.is_hidden;
                    if is_hidden {
                        hidden.push(number);
                    }
                    if let Some(error) = &slide.damage {
                        damaged.push((number, error.to_string()));
                    }
                    first_title = first_title.or_else(|| slide.title());
                    write_slide(&mut package, name, slide, &mut surroundings, document)?;
                    if is_hidden {
                        document.hide_page(HiddenReason::HiddenSheet);
                    }
                }
                Err(error) => damaged.push((number, error.message)),
            }
        }
        if document.is_blank()
            && let Some((_, reason)) = damaged.first()
        {
            return Err(source.unreadable(reason));
        }
        warn_of_slides(document, damaged, &hidden);
        surroundings.pictures.finish(document);
        EmbeddedFiles::of_package(&mut package, document)?;
        if let Some(title) = title.filter(|title| !title.trim().is_empty()).or(first_title) {
            document.set_title(&title);
        }
        Ok(())
    }
}

/// The names of the slides' parts in the order of the presentation, and the size of the slides.
fn slides(
    package: &mut Package,
    root: &Relationships,
    document: &mut DocumentBuilder,
) -> Result<(Vec<String>, SlideSize)> {
    let main = root.target("officeDocument").unwrap_or(MAIN_PART).to_owned();
    let related = package.relationships_of(&main);
    let xml = package.part(&main)?.unwrap_or_default();
    let mut sheet = None;
    if let Ok(ids) = slide_ids(&encoding::decode_xml(&xml), &mut sheet) {
        let listed: Vec<String> = ids.iter().filter_map(|id| related.target_of_id(id)).map(str::to_owned).collect();
        if !listed.is_empty() {
            return Ok((listed, sheet));
        }
    }
    let found = package.numbered("ppt/slides/slide");
    if !found.is_empty() {
        document.warn("The list of slides is damaged; they are in the order of their file names.");
    }
    Ok((found.into_iter().map(|(_, name)| name).collect(), sheet))
}

/// Relationship ids of `p:sldIdLst` (19.2.1.34). Notes the size of the slides.
fn slide_ids(xml: &str, sheet: &mut SlideSize) -> std::result::Result<Vec<String>, XmlError> {
    let mut xml = XmlReader::new(xml);
    let mut ids = Vec::new();
    while let Some(element) = xml.next_start(0)? {
        match element.name() {
            // `id` without prefix is another number.
            "sldId" => ids.extend(element.qualified_attribute("id")),
            "sldSz" => *sheet = element.number::<f64>("cx").zip(element.number("cy")),
            "extLst" => xml.skip()?,
            _ => {}
        }
    }
    Ok(ids)
}

fn slide_of(package: &mut Package, name: &str, sheet: SlideSize) -> Result<Slide> {
    let bytes = package
        .part(name)?
        .ok_or_else(|| Error::new(casetrack_core::ErrorCode::UnreadableFile, format!("its part {name} is missing")))?;
    Ok(Slide::parse(&encoding::decode_xml(&bytes), sheet))
}

fn write_slide(
    package: &mut Package,
    name: &str,
    slide: Slide,
    surroundings: &mut DeckState<'_>,
    document: &mut DocumentBuilder,
) -> Result<()> {
    let related = package.relationships_of(name);
    let mut table = 0;
    for SlideItem { content, hidden } in slide.contents {
        match content {
            Content::Block(kind, text) => {
                let text = veiled(hidden, text, document);
                document.push_block(kind, &text)?;
            }
            Content::Table(rows) => push_rows(document, &mut table, rows, hidden)?,
            Content::Related(graphic, id) => {
                let Some(target) = related.target_of_id(&id) else { continue };
                let (mut chart, mut texts) = (Chart::default(), Vec::new());
                match graphic {
                    // A linked one is outside the package.
                    Graphic::Picture if !package.has(target) => {}
                    Graphic::Picture => {
                        let bytes = package.beside(target, "picture");
                        let text = bytes.and_then(|bytes| surroundings.pictures.read(&bytes));
                        texts.extend(text.map(|text| veil(hidden, text.marked("Picture", document), document)));
                    }
                    Graphic::Chart => package.read_beside(target, "chart", |xml| graphics::chart(xml, &mut chart))?,
                    Graphic::Diagram => {
                        package.read_beside(target, "diagram", |xml| graphics::diagram(xml, &mut texts))?;
                        texts = texts.into_iter().map(|text| veiled(hidden, text, document)).collect();
                    }
                }
                let title = veiled(hidden, chart.title, document);
                document.push_block(BlockKind::Paragraph, &title)?;
                push_rows(document, &mut table, chart.rows, hidden)?;
                texts.iter().try_for_each(|text| document.push_block(BlockKind::Paragraph, text))?;
            }
        }
    }
    let layout = related.target("slideLayout");
    let behind_layout = layout.map(|layout| package.relationships_of(layout)).unwrap_or_default();
    let mut texts = Vec::new();
    for (part, holds) in [(layout, "text of the layout"), (behind_layout.target("slideMaster"), "text of the master")] {
        if let Some(part) = part.filter(|part| surroundings.seen.insert((*part).to_owned())) {
            package.read_beside(part, holds, |xml| related_parts::fixed_texts(xml, &mut texts))?;
        }
    }
    for part in related.targets("comments") {
        package.read_beside(part, "comments", |xml| related_parts::comments(xml, &surroundings.authors, &mut texts))?;
    }
    texts.iter().try_for_each(|text| document.push_block(BlockKind::Paragraph, text))?;
    let mut notes = Vec::new();
    if let Some(part) = related.target("notesSlide") {
        package.read_beside(part, "speaker notes", |xml| slide::notes(xml, &mut notes))?;
    }
    push_notes(document, &notes.join("\n"))
}

fn push_rows(
    document: &mut DocumentBuilder,
    table: &mut u32,
    mut rows: Vec<Row>,
    hidden: Option<HiddenReason>,
) -> Result<()> {
    for cell in rows.iter_mut().flat_map(|row| &mut row.cells) {
        cell.text = veiled(hidden, std::mem::take(&mut cell.text), document);
    }
    push_table(document, table, &rows)
}

/// A text of the file, marked if it is hidden.
fn veiled(hidden: Option<HiddenReason>, text: String, document: &mut DocumentBuilder) -> String {
    match hidden {
        Some(_) => veil(hidden, text.replace(changes::is_reserved, " "), document),
        None => text,
    }
}

/// The same for a text that may have marks of its own.
fn veil(hidden: Option<HiddenReason>, text: String, document: &mut DocumentBuilder) -> String {
    match hidden {
        Some(reason) if !changes::is_blank(&text) => changes::hidden(document.hidden().cause(reason, None), &text),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
