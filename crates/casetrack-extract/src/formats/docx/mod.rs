//! Word documents (WordprocessingML, [ECMA-376] Part 1, 17), transitional and strict.
//!
//! Read: the body with headings, list labels as Word would print them, tables row by row, text boxes, the results of fields,
//! insertions; footnotes and endnotes follow at the end, `[1]` and `[i]` where they are referred to. Not read: headers and
//! footers, comments, deletions. Pages are those that explicit breaks make and that Word recorded when it saved the file.

mod body;
mod inline;
mod notes;
pub(super) mod number_format;
pub(super) mod numbering;
pub(super) mod styles;
pub(super) mod symbols;
mod tables;

use std::borrow::Cow;

use casetrack_core::{Error, ExtractionMethod, Result};

use self::body::Body;
use self::notes::Notes;
use self::numbering::Numbering;
use self::styles::Styles;
use crate::encoding;
use crate::page::DocumentBuilder;
use crate::registry::Extractor;
use crate::source::Source;
use crate::xml::{XmlError, XmlReader};
use crate::zip_container::ZipContainer;

pub(crate) struct Docx;

impl Extractor for Docx {
    fn extract(&self, source: &Source, document: &mut DocumentBuilder) -> Result<()> {
        let mut package = Package { container: ZipContainer::open(source)? };
        let root = package.relationships("_rels/.rels", "")?;
        let main = root.target("officeDocument").unwrap_or("word/document.xml").to_owned();
        let (folder, file) = main.rsplit_once('/').unwrap_or(("", &main));
        let related = package.relationships(&format!("{folder}/_rels/{file}.rels"), folder)?;

        let properties = package.related(&root, "core-properties", "docProps/core.xml")?.unwrap_or_default();
        if let Some(title) = core_title(&encoding::decode_xml(&properties)) {
            document.set_title(&title);
        }
        let mut part = |kind: &str| package.related(&related, kind, &format!("{folder}/{kind}.xml"));
        let (styles, numbering) = (part("styles")?, part("numbering")?);
        let (footnotes, endnotes) = (part("footnotes")?, part("endnotes")?);
        let body = package
            .container
            .part(&main)?
            .ok_or_else(|| source.unreadable(format_args!("its main part {main} is missing")))?;

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
        let mut body = Body::new(&xml, &styles, &mut numbering, document);
        let outcome = body.read();
        let references = body.into_references();
        match outcome {
            Ok(()) => {}
            Err(Stop::Limit(error)) => return Err(error),
            Err(Stop::Xml(error)) if document.is_blank() => return Err(source.unreadable(error)),
            Err(Stop::Xml(error)) => {
                document.warn(format!("The document is damaged ({error}); what follows the last page is missing."));
            }
        }
        let notes = Notes { footnotes: &text(&footnotes), endnotes: &text(&endnotes) };
        match notes.append(&references, &styles, &mut numbering, document) {
            Err(Stop::Limit(error)) => Err(error),
            Err(Stop::Xml(error)) => {
                document.warn(format!("The footnotes are damaged ({error}) and missing in part."));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}

/// Why reading a part ended early.
enum Stop {
    Xml(XmlError),
    /// The document exceeds a limit.
    Limit(Error),
}

impl From<XmlError> for Stop {
    fn from(error: XmlError) -> Self {
        Stop::Xml(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Limit(error)
    }
}

struct Package<'a> {
    container: ZipContainer<'a>,
}

impl Package<'_> {
    /// The relationships in a part, with targets resolved against `folder`; none if the part is missing or damaged.
    fn relationships(&mut self, part: &str, folder: &str) -> Result<Relationships> {
        let part = self.container.part(part.trim_start_matches('/'))?.unwrap_or_default();
        Ok(Relationships::parse(&encoding::decode_xml(&part), folder).unwrap_or_default())
    }

    /// The part that a relationship leads to, or the one with the usual name. Damage to it is not fatal.
    fn related(&mut self, relationships: &Relationships, kind: &str, usual: &str) -> Result<Option<Vec<u8>>> {
        self.container.part(relationships.target(kind).unwrap_or(usual.trim_start_matches('/')))
    }
}

/// Type and target of each relationship ([ECMA-376] Part 2, 9.3).
#[derive(Default)]
struct Relationships(Vec<(String, String)>);

impl Relationships {
    fn parse(xml: &str, folder: &str) -> Result<Self, XmlError> {
        let mut found = Vec::new();
        let mut xml = XmlReader::new(xml);
        xml.root()?;
        while let Some(element) = xml.child()? {
            if let (Some(kind), Some(target)) = (element.attribute("Type"), element.attribute("Target")) {
                let target = match target.strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None if folder.is_empty() => target,
                    None => format!("{folder}/{target}"),
                };
                found.push((kind, target));
            }
            xml.skip()?;
        }
        Ok(Self(found))
    }

    /// Types are URIs that differ between strict and transitional files; the last segment does not.
    fn target(&self, kind: &str) -> Option<&str> {
        self.0.iter().find(|(uri, _)| uri.rsplit('/').next() == Some(kind)).map(|(_, target)| &**target)
    }
}

fn core_title(xml: &str) -> Option<String> {
    let mut xml = XmlReader::new(xml);
    xml.root().ok()?;
    while let Some(element) = xml.child().ok()? {
        if element.name() == "title" {
            return xml.text().ok();
        }
        xml.skip().ok()?;
    }
    None
}

#[cfg(test)]
mod tests;
