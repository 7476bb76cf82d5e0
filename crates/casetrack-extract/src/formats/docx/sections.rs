//! Sections: their page breaks, and the margins of their pages (17.6, 17.10).

use std::collections::HashSet;

use casetrack_core::Result;
use casetrack_pages::build::flow::{Sink, marked_text};
use casetrack_pages::build::{DocumentBuilder, changes};
use casetrack_pages::container::opc::{Package, Relationships};
use casetrack_pages::container::xml::{XmlError, XmlReader};
use casetrack_pages::office::styles::Styles;

use super::related_parts::{pictures, read_part};
use crate::formats::pictures::Pictures;

pub(super) struct Section {
    pub starts_page: bool,
    /// Ids of the relationships of its headers and footers. Those of the section before continue without one.
    pub margins: Vec<String>,
}

/// The sections in order. A section's properties are at its end, so they are collected before the text is read
/// (17.6.17, 17.6.22).
pub(super) fn sections(xml: &str) -> Vec<Section> {
    let mut xml = XmlReader::new(xml);
    let mut sections = Vec::new();
    let mut read = || -> std::result::Result<(), XmlError> {
        while let Some(element) = xml.next_start(0)? {
            match element.name() {
                "sectPrChange" => xml.skip()?,
                "sectPr" => {
                    let (mut kind, mut margins) = (None, Vec::new());
                    while let Some(property) = xml.child()? {
                        match property.name() {
                            "type" => kind = property.value(),
                            "headerReference" | "footerReference" => margins.extend(property.qualified_attribute("id")),
                            _ => {}
                        }
                        xml.skip()?;
                    }
                    let starts_page = !matches!(kind.as_deref(), Some("continuous" | "nextColumn"));
                    sections.push(Section { starts_page, margins });
                }
                _ => {}
            }
        }
        Ok(())
    };
    // Damage is met, and reported, when the text is read.
    let _ = read();
    sections
}

struct Margin {
    relationship: String,
    name: &'static str,
    texts: Vec<String>,
}

/// The headers and footers, each text once, although it is on many pages.
#[derive(Default)]
pub(super) struct Margins {
    parts: Vec<Margin>,
    seen: HashSet<String>,
}

impl Margins {
    pub fn read(
        package: &mut Package,
        related: &Relationships,
        styles: &Styles,
        reading: &mut Pictures,
        document: &mut DocumentBuilder,
    ) -> Result<Self> {
        let mut margins = Self::default();
        for (kind, name) in [("header", "Header"), ("footer", "Footer")] {
            for (id, target) in related.of_kind(kind) {
                let mut sink = Sink::collect();
                let own = package.relationships_of(target);
                let pictures = pictures(package, &own, reading, document);
                package.read_beside(target, kind, |xml| read_part(xml, styles, pictures, document, &mut sink))?;
                let texts = sink.into_blocks().into_iter().map(|block| changes::fold(&marked_text(&block.text)));
                // Not those of only a page number.
                let texts = texts.filter(|text| changes::plain(text).chars().any(char::is_alphabetic)).collect();
                margins.parts.push(Margin { relationship: id.to_owned(), name, texts });
            }
        }
        Ok(margins)
    }

    /// The texts of these parts that have not been given before.
    pub fn of(&mut self, ids: &[String]) -> Vec<String> {
        let (found, rest) =
            std::mem::take(&mut self.parts).into_iter().partition(|part| ids.contains(&part.relationship));
        self.parts = rest;
        self.new_texts(found)
    }

    /// The texts of the parts that no section has.
    pub fn rest(&mut self) -> Vec<String> {
        let parts = std::mem::take(&mut self.parts);
        self.new_texts(parts)
    }

    fn new_texts(&mut self, parts: Vec<Margin>) -> Vec<String> {
        let mut found = Vec::new();
        for Margin { name, texts, .. } in parts {
            let new = texts.into_iter().filter(|text| self.seen.insert(changes::plain(text).into_owned()));
            found.extend(new.map(|text| format!("{name}: {text}")));
        }
        found
    }
}
