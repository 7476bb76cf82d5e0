//! Open Packaging containers ([ECMA-376] Part 2): parts in a zip archive, and the relationships that lead to them.

use std::fmt::Display;

use casetrack_core::{ErrorCode, Result};

use super::xml::{Stop, XmlError, XmlReader};
use super::zip::ZipContainer;
use crate::model::Source;
use crate::text::encoding;

/// An open package. Problems of parts that it can be read without are collected as warnings.
pub struct Package<'a> {
    container: ZipContainer<'a>,
    warnings: Vec<String>,
}

impl<'a> Package<'a> {
    pub fn open(source: &'a Source<'a>) -> Result<Self> {
        Ok(Self { container: ZipContainer::open(source)?, warnings: Vec::new() })
    }

    pub fn names(&self) -> Vec<String> {
        self.container.names()
    }

    pub fn has(&self, name: &str) -> bool {
        self.container.has(name)
    }

    /// The parts whose names are `stem` with a number and `.xml`, by their numbers: for a damaged list of them.
    pub fn numbered(&self, stem: &str) -> Vec<(u32, String)> {
        let number_of = |name: &str| -> Option<u32> {
            let name = name.to_ascii_lowercase();
            name.rsplit_once(stem)?.1.strip_suffix(".xml")?.parse().ok()
        };
        let mut parts: Vec<(u32, String)> =
            self.names().into_iter().filter_map(|name| Some((number_of(&name)?, name))).collect();
        parts.sort();
        parts
    }

    pub fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        self.container.part(name)
    }

    /// The relationships of a part, or of the package for `""`. For a damaged list, those before the damage, with a
    /// warning.
    pub fn relationships_of(&mut self, part: &str) -> Relationships {
        const HOLDS: &str = "list of related parts";
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let name = name.trim_start_matches('/');
        let mut relationships = Relationships::default();
        if self.container.has(name)
            && let Some(bytes) = self.beside(name, HOLDS)
            && let Err(error) = relationships.read(&encoding::decode_xml(&bytes), folder)
        {
            self.warn_of_end(HOLDS, name, &error);
        }
        relationships
    }

    /// The bytes of a part that the text can be read without; `None`, with a warning, if it is missing or damaged.
    /// `holds` names the lost content: "comments".
    pub fn beside(&mut self, name: &str, holds: &str) -> Option<Vec<u8>> {
        let problem = match self.container.part(name) {
            Ok(Some(bytes)) => return Some(bytes),
            Ok(None) => "is missing",
            Err(error) if error.code == ErrorCode::FileTooLarge => "is too large",
            Err(_) => "is damaged",
        };
        self.warn(format!("The {holds} could not be read: the part {name} {problem}."));
        None
    }

    /// As [`beside`](Self::beside), for the part that a relationship leads to, or else the one with the usual name, if there is one.
    pub fn related(&mut self, relationships: &Relationships, kind: &str, usual: &str, holds: &str) -> Option<Vec<u8>> {
        match relationships.target(kind) {
            Some(target) => self.beside(target, holds),
            None => {
                let usual = usual.trim_start_matches('/');
                if self.container.has(usual) { self.beside(usual, holds) } else { None }
            }
        }
    }

    /// Reads the XML of a part that the text can be read without. What `read` takes from a damaged one before the
    /// damage is kept, with a warning. Errors: Errors of `read` other than damage.
    pub fn read_beside<E: Into<Stop>>(
        &mut self,
        name: &str,
        holds: &str,
        read: impl FnOnce(&str) -> std::result::Result<(), E>,
    ) -> Result<()> {
        let Some(bytes) = self.beside(name, holds) else { return Ok(()) };
        if let Some(error) = Stop::damage(read(&encoding::decode_xml(&bytes)).map_err(Into::into))? {
            self.warn_of_end(holds, name, &error);
        }
        Ok(())
    }

    /// Warns that a part could not be read to its end.
    pub fn warn_of_end(&mut self, holds: &str, name: &str, error: &dyn Display) {
        self.warn(format!("The {holds} could not be read to the end: the part {name} is damaged ({error})."));
    }

    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// A relationship ([ECMA-376] Part 2, 9.3).
struct Relationship {
    id: String,
    kind: String,
    target: String,
}

/// The relationships of one part, with targets resolved.
#[derive(Default)]
pub struct Relationships(Vec<Relationship>);

impl Relationships {
    fn read(&mut self, xml: &str, folder: &str) -> Result<(), XmlError> {
        let mut xml = XmlReader::new(xml);
        while let Some(element) = xml.next_start(0)? {
            if let (Some(kind), Some(target)) = (element.attribute("Type"), element.attribute("Target")) {
                let id = element.attribute("Id").unwrap_or_default();
                self.0.push(Relationship { id, kind, target: resolved(&target, folder) });
            }
        }
        Ok(())
    }

    /// Types are URIs that differ between strict and transitional files; the last segment does not.
    pub fn target(&self, kind: &str) -> Option<&str> {
        self.0.iter().find(|found| found.kind.rsplit('/').next() == Some(kind)).map(|found| &*found.target)
    }

    pub fn targets(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.of_kind(kind).map(|(_, target)| target)
    }

    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = (&str, &str)> {
        let is_kind = move |found: &&Relationship| found.kind.rsplit('/').next() == Some(kind);
        self.0.iter().filter(is_kind).map(|found| (&*found.id, &*found.target))
    }

    pub fn all_targets(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|found| &*found.target)
    }

    pub fn target_of_id(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|found| found.id == id).map(|found| &*found.target)
    }
}

/// The name of the part that `target` means, seen from a part in `folder`.
fn resolved(target: &str, folder: &str) -> String {
    let mut segments: Vec<&str> = match target.strip_prefix(['/', '\\']) {
        Some(_) => Vec::new(),
        None => folder.split('/').collect(),
    };
    // Some writers separate folders by backslashes.
    for segment in target.split(['/', '\\']) {
        match segment {
            ".." => drop(segments.pop()),
            "" | "." => {}
            segment => segments.push(segment),
        }
    }
    segments.retain(|segment| !segment.is_empty());
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_against_the_folder_of_their_part() {
        for (target, folder, name) in [
            ("../notesSlides/n1.xml", "ppt/slides", "ppt/notesSlides/n1.xml"),
            ("/word/styles.xml", "word", "word/styles.xml"),
            ("styles.xml", "word", "word/styles.xml"),
            ("word/document.xml", "", "word/document.xml"),
            ("../../../up.xml", "a", "up.xml"),
            ("\\xl\\worksheets\\sheet1.xml", "xl", "xl/worksheets/sheet1.xml"),
        ] {
            assert_eq!(resolved(target, folder), name);
        }
    }
}
