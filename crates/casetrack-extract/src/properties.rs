//! What office files in XML say about themselves: the core properties of Open Packaging and the `meta` of OpenDocument, which
//! both build on Dublin Core.

use crate::dates;
use crate::page::DocumentBuilder;
use crate::xml::XmlReader;

/// Reads the properties in the element started last, as far as it is undamaged. Leaves author, dates and language with
/// `document`; returns the title, which formats judge by themselves.
pub(crate) fn read(xml: &mut XmlReader, document: &mut DocumentBuilder) -> Option<String> {
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
