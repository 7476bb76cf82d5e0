//! Word documents (WordprocessingML, [ECMA-376] Part 1, 17), transitional and strict.
//!
//! Read: the body with headings, list labels as Word would print them, tables row by row, text boxes, the results of fields,
//! insertions, comments, the data of charts, the text of diagrams; footnotes and endnotes follow at the end, `[1]` and `[i]`
//! where they are referred to, then what headers and footers say, once. Not read: deletions. Pages are those that explicit
//! breaks make and that Word recorded when it saved the file.

mod beside;
mod body;
mod inline;
mod notes;
mod tables;

use std::borrow::Cow;

use casetrack_core::{ExtractionMethod, Result};

use self::body::Body;
use self::inline::NoteKind;
use self::notes::append_notes;
use crate::build::{DocumentBuilder, Extractor};
use crate::container::opc::Package;
use crate::container::xml::Stop;
use crate::model::Source;
use crate::office::numbering::Numbering;
use crate::office::properties;
use crate::office::styles::Styles;
use crate::text::encoding;

pub(crate) struct Docx;

impl Extractor for Docx {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let mut package = Package::open(source)?;
        let root = package.relationships_of("");
        let main = root.target("officeDocument").unwrap_or("word/document.xml").to_owned();
        let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
        let related = package.relationships_of(&main);

        if let Some(title) = properties::of_package(&mut package, &root, document) {
            document.set_title(&title);
        }
        let mut part =
            |kind: &str, holds: &str| package.related(&related, kind, &format!("{folder}/{kind}.xml"), holds);
        let (styles, numbering) = (part("styles", "styles"), part("numbering", "list definitions"));
        let (footnotes, endnotes) = (part("footnotes", "footnotes"), part("endnotes", "endnotes"));
        let comments = part("comments", "comments");
        let body =
            package.part(&main)?.ok_or_else(|| source.unreadable(format_args!("its main part {main} is missing")))?;

        let text = |part: &'_ Option<Vec<u8>>| -> Cow<'static, str> {
            part.as_deref().map_or(Cow::Borrowed(""), |bytes| Cow::Owned(encoding::decode_xml(bytes).into_owned()))
        };
        // A damaged table of styles or numbers costs headings or labels, not the text.
        let styles = Styles::parse(&text(&styles)).unwrap_or_else(|error| {
            document.warn(format!("The style sheet is damaged ({error}); headings may be missing."));
            Styles::default()
        });
        let mut numbering = Numbering::parse(&text(&numbering), &styles).unwrap_or_else(|error| {
            document.warn(format!("The list definitions are damaged ({error}); list labels may be missing."));
            Numbering::default()
        });

        document.start_page(ExtractionMethod::Native, None);
        let xml = encoding::decode_xml(&body);
        let comments = beside::comments(&text(&comments), &styles, document)?;
        let drawings = beside::drawings(&mut package, &related)?;
        let mut body = Body::new(&xml, &styles, &mut numbering, document);
        (body.comments, body.drawings) = (comments, drawings);
        let outcome = body.read();
        let references = body.references;
        if let Some(error) = Stop::damage(outcome)? {
            if document.is_blank() {
                return Err(source.unreadable(error));
            }
            document.warn(format!("The document is damaged ({error}); what follows the last page is missing."));
        }
        let notes = [(NoteKind::Footnote, text(&footnotes)), (NoteKind::Endnote, text(&endnotes))];
        append_notes(notes, &references, &styles, &mut numbering, document)?;
        beside::append_headers_and_footers(&mut package, &related, &styles, document)?;
        package.take_warnings().into_iter().for_each(|warning| document.warn(warning));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
