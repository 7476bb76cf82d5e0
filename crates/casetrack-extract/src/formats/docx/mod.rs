//! Word documents (WordprocessingML, [ECMA-376] Part 1, 17), transitional and strict.
//!
//! Read: the body with headings, list labels as Word would print them, tables row by row, text boxes, the results of
//! fields, tracked changes, hidden text, comments, text in pictures by OCR, the data of charts, the text of diagrams,
//! other documents at `w:altChunk`; footnotes and endnotes at the end of the page that refers to them, with `[1]` and
//! `[i]` at the reference; headers and footers once, on the first page of their section. The text is the final one;
//! deleted text is kept separately. Explicit page breaks make the pages, and the breaks that Word recorded when it
//! saved the file. If Word recorded none, the document may have no pages (`Extraction::unpaged`).

mod alternative_content;
mod body;
mod change_counts;
mod hidden_text;
mod inline;
mod notes;
mod related_parts;
mod revisions;
mod sections;
mod tables;

use std::collections::HashMap;

use casetrack_core::{ExtractionMethod, Result};
use casetrack_pages::build::flow::{FlowBlock, plain_text};
use casetrack_pages::build::{DocumentBuilder, Extractor};
use casetrack_pages::container::opc::Package;
use casetrack_pages::container::xml::Stop;
use casetrack_pages::model::Source;
use casetrack_pages::office::embedded_files::EmbeddedFiles;
use casetrack_pages::office::numbering::Numbering;
use casetrack_pages::office::properties;
use casetrack_pages::office::styles::Styles;
use casetrack_pages::text::encoding;

use self::alternative_content::Depth;
use self::body::Body;
use self::inline::NoteKind;
use self::notes::{notes_of, warn_of_damage};
use self::sections::Margins;
use crate::formats::pictures::Pictures;

pub(crate) struct Docx;

impl Extractor for Docx {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        Docx::read(source, document, &mut Depth::default())
    }
}

impl Docx {
    fn read(source: &Source, document: &mut DocumentBuilder, depth: &mut Depth) -> Result<()> {
        let mut package = Package::open(source)?;
        let root = package.relationships_of("");
        let main = root.target("officeDocument").unwrap_or("word/document.xml").to_owned();
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        let related = package.relationships_of(&main);

        if let Some(title) = properties::of_package(&mut package, &root, document) {
            document.set_title(&title);
        }
        document.expect_layout();
        document.set_page_count(properties::page_count(&mut package, &root));
        let mut part = |kind: &str, holds: &str| {
            let part = package.related(&related, kind, &format!("{folder}/{kind}.xml"), holds).unwrap_or_default();
            encoding::decode_xml(&part).into_owned()
        };
        let (styles, numbering) = (part("styles", "styles"), part("numbering", "list definitions"));
        let (footnotes, endnotes) = (part("footnotes", "footnotes"), part("endnotes", "endnotes"));
        let comments = part("comments", "comments");
        let body =
            package.part(&main)?.ok_or_else(|| source.unreadable(format_args!("its main part {main} is missing")))?;
        let (styles, mut numbering) = definitions(&styles, &numbering, document);

        document.start_page(ExtractionMethod::Native, None);
        let xml = encoding::decode_xml(&body);
        let unlisted = change_counts::warning(&[&xml, &footnotes, &endnotes]);
        let comments = related_parts::comments(&comments, &styles, document)?;
        let drawings = related_parts::drawings(&mut package, &related)?;
        let mut reading = Pictures::after(std::mem::take(&mut depth.pictures), source, document);
        let pictures = related_parts::pictures(&mut package, &related, &mut reading, document);
        let margins = Margins::read(&mut package, &related, &styles, &mut reading, document)?;
        depth.pictures = reading.finish(document);
        let imported = alternative_content::documents(source, &mut package, &related, document, depth)?;
        let is_on_paper = hidden_text::is_on_paper(&xml, &mut package, &related);
        let (mut notes, mut damaged) = (HashMap::new(), Vec::new());
        // Lists in notes must not advance those of the text.
        let note_numbering = &mut numbering.clone();
        for (kind, part) in [(NoteKind::Footnote, &footnotes), (NoteKind::Endnote, &endnotes)] {
            damaged.push((kind, notes_of(kind, part, &styles, note_numbering, document, &mut notes)?));
        }
        let mut body = Body::new(&xml, &styles, &mut numbering, document);
        (body.comments, body.drawings, body.notes, body.margins) = (comments, drawings, notes, margins);
        body.is_on_paper = is_on_paper;
        (body.imported, body.pictures) = (imported, pictures);
        let outcome = body.read();
        let references = body.references;
        let is_blank = body.flow.document.is_blank();
        let rest = body.margins.rest();
        body.flow.add_margins(rest);
        body.flow.finish()?;
        if let Some(error) = Stop::damage(outcome)? {
            if is_blank {
                return Err(source.unreadable(error));
            }
            document.warn(format!("The document is damaged ({error}); what follows the last page is missing."));
        }
        warn_of_damage(damaged, references, document);
        unlisted.into_iter().for_each(|warning| document.warn(warning));
        EmbeddedFiles::of_package(&mut package, document)
    }
}

fn definitions(styles: &str, numbering: &str, document: &mut DocumentBuilder) -> (Styles, Numbering) {
    // A damaged table of styles or numbers costs headings or labels, not the text.
    let styles = Styles::parse(styles).unwrap_or_else(|error| {
        document.warn(format!("The style sheet is damaged ({error}); headings may be missing."));
        Styles::default()
    });
    let numbering = Numbering::parse(numbering, &styles).unwrap_or_else(|error| {
        document.warn(format!("The list definitions are damaged ({error}); list labels may be missing."));
        Numbering::default()
    });
    (styles, numbering)
}

fn folded(blocks: &[FlowBlock]) -> String {
    let texts: Vec<String> = blocks.iter().map(|block| plain_text(&block.text)).collect();
    texts.iter().flat_map(|text| text.split_whitespace()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
