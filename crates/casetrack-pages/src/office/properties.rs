//! Properties of office files in XML: the core properties of Open Packaging and the `meta` of OpenDocument, which
//! both build on Dublin Core.

use crate::build::DocumentBuilder;
use crate::container::opc::{Package, Relationships};
use crate::container::xml::{XmlError, XmlReader};
use crate::text::{dates, encoding};

/// Reads the properties of a package, whose relationships are `root`. Leaves author, dates and language with
/// `document`; returns the title.
pub fn of_package(package: &mut Package, root: &Relationships, document: &mut DocumentBuilder) -> Option<String> {
    const HOLDS: &str = "properties of the document";
    const USUAL: &str = "docProps/core.xml";
    let part = package.related(root, "core-properties", USUAL, HOLDS)?;
    let part = encoding::decode_xml(&part);
    let mut xml = XmlReader::new(&part);
    let mut title = None;
    if let Err(error) = xml.root().and_then(|_| read(&mut xml, document, &mut title)) {
        package.warn_of_end(HOLDS, root.target("core-properties").unwrap_or(USUAL), &error);
    }
    title
}

/// The number of pages that the program that saved a package counted.
pub fn page_count(package: &mut Package, root: &Relationships) -> Option<u32> {
    let name = root.target("extended-properties").unwrap_or("docProps/app.xml");
    let part = package.part(name).ok()??;
    let part = encoding::decode_xml(&part);
    let mut xml = XmlReader::new(&part);
    while let Some(element) = xml.next_start(0).ok()? {
        if element.name() == "Pages" {
            return xml.text().ok()?.trim().parse().ok();
        }
    }
    None
}

/// Reads the properties in the element started last, to its end. Leaves author, dates and language with `document`.
pub(super) fn read(
    xml: &mut XmlReader,
    document: &mut DocumentBuilder,
    title: &mut Option<String>,
) -> Result<(), XmlError> {
    let (mut creator, mut first_creator) = (None, None);
    let outcome = (|| {
        while let Some(element) = xml.child()? {
            if element.name() == "document-statistic" {
                document.set_page_count(element.number("page-count"));
            }
            let name = element.name().to_owned();
            let text = xml.text()?;
            match name.as_str() {
                "title" => {
                    title.get_or_insert(text);
                }
                "creator" => creator = creator.take().or(Some(text)),
                // OpenDocument's `creator` is the last person who saved the file.
                "initial-creator" => first_creator = first_creator.take().or(Some(text)),
                "created" | "creation-date" => document.set_created(dates::of_iso(&text)),
                "modified" | "date" => document.set_modified(dates::of_iso(&text)),
                "language" => document.set_language(&text),
                _ => {}
            }
        }
        Ok(())
    })();
    [first_creator, creator].iter().flatten().for_each(|author| document.set_author(author));
    outcome
}
