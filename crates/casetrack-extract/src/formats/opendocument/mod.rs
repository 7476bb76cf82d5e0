//! OpenDocument texts and presentations ([ODF]: OASIS OpenDocument 1.3), in packages and flat files.
//!
//! Read: paragraphs and headings with the labels of lists and outline, tables row by row, text boxes, the results of
//! fields, tracked changes, formulas, the data of charts, text in pictures of packages by OCR; comments behind the
//! paragraph or table they are about; footnotes and endnotes at the end of the page that refers to them, with `[1]` and
//! `[i]` at the reference; headers and footers on the first page of their kind. Hidden sections are read, with a
//! warning. Not read: masters of slides, descriptions of pictures. The text is the final one; deleted text is kept
//! separately. Explicit page breaks make the pages, and the breaks that the program recorded when it saved the file; in
//! a presentation, slides are pages.

mod body;
mod changes;
mod inline;
mod list_style;
mod lists;
mod manifest;
mod margins;
mod object;
mod presentation;
mod styles;
mod tables;

use std::collections::HashMap;

use casetrack_core::Result;
use casetrack_pages::build::flow::{FlowBlock, Sink};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::xml::{Stop, XmlReader};
use casetrack_pages::container::zip::{SIGNATURES, ZipContainer};
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::open_document;
use casetrack_pages::office::slides::{DEFAULT_TITLES, warn_of_slides};
use casetrack_pages::text::encoding;

use self::body::{Body, LoadObject};
pub(crate) use self::manifest::{Manifest, flat_mime_type};
use self::margins::Margins;
use self::presentation::Slides;
use self::styles::Styles;
use crate::formats::pictures::Pictures;

pub(crate) struct OpenDocument;

impl Extractor for OpenDocument {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        if !SIGNATURES.iter().any(|signature| source.bytes.starts_with(signature)) {
            let xml = encoding::decode_xml(source.bytes);
            let parts = Parts { content: &xml, styles: "", meta: &xml };
            return parts.read(HashMap::new(), source, document, &mut |_| Ok(None));
        }
        let mut container = ZipContainer::open(source)?;
        let styles = open_document::optional_part(&mut container, "styles.xml", "styles", document)?;
        let meta = open_document::optional_part(&mut container, "meta.xml", "properties of the document", document)?;
        let content =
            container.part("content.xml")?.ok_or_else(|| source.unreadable("its main part content.xml is missing"))?;
        let content = encoding::decode_xml(&content);
        let pictures = pictures(&content, source, &mut container, document);
        Parts { content: &content, styles: &styles, meta: &meta }.read(pictures, source, document, &mut |folder| {
            let bytes = container.part(&format!("{folder}/content.xml"))?;
            Ok(bytes.map(|bytes| encoding::decode_xml(&bytes).into_owned()))
        })?;
        EmbeddedFiles::of_open_document(&mut container, document)
    }
}

/// The text of the pictures that the content shows, by the names of their parts.
fn pictures(
    content: &str,
    source: &Source,
    container: &mut ZipContainer,
    document: &mut DocumentBuilder,
) -> HashMap<String, FlowBlock> {
    let mut pictures = Pictures::new(source, document);
    let mut found = HashMap::new();
    let mut xml = XmlReader::new(content);
    // Damage to the content is met, and reported, when the text is read.
    while let Ok(Some(element)) = xml.next_start(0) {
        let part = Some(&element).filter(|element| element.name() == "image").and_then(open_document::picture_part);
        if let Some(part) = part.filter(|part| !found.contains_key(part))
            && let Some(text) = pictures.read_part(container, &part)
        {
            found.insert(part, FlowBlock::paragraph(text.marked("Picture", document), None, None));
        }
    }
    pictures.finish(document);
    found
}

struct Parts<'a> {
    content: &'a str,
    styles: &'a str,
    meta: &'a str,
}

impl Parts<'_> {
    fn read(
        &self,
        pictures: HashMap<String, FlowBlock>,
        source: &Source,
        document: &mut DocumentBuilder,
        load_object: LoadObject,
    ) -> Result<()> {
        let mut styles = Styles::default();
        if !self.styles.is_empty()
            && let Err(error) = styles.add(self.styles, false)
        {
            document.warn(format!("The style sheet is damaged ({error}); list labels and page breaks may be missing."));
        }
        // Damage to the content is met, and reported, when the text is read.
        let _ = styles.add(self.content, true);

        let mut slides = None;
        // A flat file is all in one.
        let with_masters = if self.styles.is_empty() { self.content } else { self.styles };
        let margins = Margins::read(with_masters, &styles, &mut *load_object, document)?;
        let mut body = Body::new(self.content, &styles, load_object, document);
        (body.pictures, body.margins) = (pictures, margins);
        let outcome = read_content(&mut body, &mut slides);
        let is_blank = body.flow.document.is_blank();
        body.flow.finish()?;
        let hidden_sections = body.hidden_sections;
        if let Some(error) = Stop::damage(outcome)? {
            if is_blank {
                return Err(source.unreadable(error));
            }
            let last = if slides.is_some() { "last slide" } else { "last page" };
            document.warn(format!("The document is damaged ({error}); what follows the {last} is missing."));
        }
        if !hidden_sections.is_empty() {
            document.warn(format!("Hidden when the document is printed: section {}.", hidden_sections.join(", ")));
        }
        let title = open_document::properties(self.meta, document).filter(|title| !title.trim().is_empty());
        match slides {
            Some(slides) => write_slides_facts(slides, title, source, document)?,
            None => title.iter().for_each(|title| document.set_title(title)),
        }
        Ok(())
    }
}

fn read_content(body: &mut Body, slides: &mut Option<Slides>) -> std::result::Result<(), Stop> {
    body.xml.root()?;
    while let Some(element) = body.xml.child()? {
        if element.name() != "body" {
            body.xml.skip()?;
            continue;
        }
        while let Some(element) = body.xml.child()? {
            match element.name() {
                "text" => {
                    body.flow.document.expect_layout();
                    body.flow.start_page()?;
                    body.blocks(&mut Sink::Pages)?;
                    // The pages have only tables.
                    let texts = body.margins.of(None);
                    body.flow.add_margins(texts);
                }
                "presentation" => body.slides(slides.insert(Slides::default()))?,
                _ => body.xml.skip()?,
            }
        }
    }
    body.place_comments(&Sink::Pages)
}

fn write_slides_facts(
    slides: Slides,
    title: Option<String>,
    source: &Source,
    document: &mut DocumentBuilder,
) -> Result<()> {
    if slides.count == 0 {
        return Err(source.empty("has no slides."));
    }
    warn_of_slides(document, Vec::new(), &slides.hidden);
    let title = title.filter(|title| !DEFAULT_TITLES.contains(&title.trim())).or(slides.first_title);
    title.iter().for_each(|title| document.set_title(title));
    Ok(())
}

#[cfg(test)]
mod tests;
