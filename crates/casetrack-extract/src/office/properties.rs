//! What office files in XML say about themselves: the core properties of Open Packaging and the `meta` of OpenDocument, which
//! both build on Dublin Core.

use casetrack_core::Result;

use crate::build::DocumentBuilder;
use crate::container::opc::{Package, Relationships};
use crate::container::xml::XmlReader;
use crate::text::{dates, encoding};

/// Reads the properties of a package, whose relationships are `root`. Leaves author, dates and language with `document`; returns
/// the title.
pub(crate) fn of_package(
    package: &mut Package,
    root: &Relationships,
    document: &mut DocumentBuilder,
) -> Result<Option<String>> {
    let part = package.related(root, "core-properties", "docProps/core.xml")?.unwrap_or_default();
    let part = encoding::decode_xml(&part);
    let mut xml = XmlReader::new(&part);
    Ok(xml.root().ok().and_then(|_| read(&mut xml, document)))
}

/// Reads `office:meta` of an OpenDocument, as far as it is undamaged. Leaves author, dates and language with `document`; returns the
/// title.
pub(crate) fn of_open_document(xml: &str, document: &mut DocumentBuilder) -> Option<String> {
    let mut xml = XmlReader::new(xml);
    xml.root().ok()?;
    while let Some(element) = xml.child().ok()? {
        if element.name() == "meta" {
            return read(&mut xml, document);
        }
        xml.skip().ok()?;
    }
    None
}

/// Reads the properties in the element started last, as far as it is undamaged.
fn read(xml: &mut XmlReader, document: &mut DocumentBuilder) -> Option<String> {
    let (mut title, mut creator, mut first_creator) = (None, None, None);
    while let Ok(Some(element)) = xml.child() {
        let name = element.name().to_owned();
        let Ok(text) = xml.text() else { break };
        match name.as_str() {
            "title" => title = title.or(Some(text)),
            "creator" => creator = creator.or(Some(text)),
            // OpenDocument's `creator` is who saved it last.
            "initial-creator" => first_creator = first_creator.or(Some(text)),
            "created" | "creation-date" => document.set_created(dates::of_iso(&text)),
            "modified" | "date" => document.set_modified(dates::of_iso(&text)),
            "language" => document.set_language(&text),
            _ => {}
        }
    }
    [first_creator, creator].iter().flatten().for_each(|author| document.set_author(author));
    title
}
