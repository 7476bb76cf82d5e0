//! Open Packaging containers ([ECMA-376] Part 2): parts in a zip archive, and the relationships that lead to them.

use casetrack_core::Result;

use super::xml::{XmlError, XmlReader};
use super::zip::ZipContainer;
use crate::model::Source;
use crate::text::encoding;

pub(crate) struct Package<'a> {
    container: ZipContainer<'a>,
}

impl<'a> Package<'a> {
    pub fn open(source: &'a Source<'a>) -> Result<Self> {
        Ok(Self { container: ZipContainer::open(source)? })
    }

    /// Names of all parts, in the order of the directory.
    pub fn names(&self) -> Vec<String> {
        self.container.names()
    }

    /// The bytes of a part; `None` when there is no such part.
    pub fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        self.container.part(name)
    }

    /// The relationships of a part, or those of the package for `""`; none if they are missing or damaged.
    pub fn relationships_of(&mut self, part: &str) -> Result<Relationships> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let bytes = self.container.part(name.trim_start_matches('/'))?.unwrap_or_default();
        Ok(Relationships::parse(&encoding::decode_xml(&bytes), folder).unwrap_or_default())
    }

    /// The part that a relationship leads to, or the one with the usual name. Damage to it is not fatal.
    pub fn related(&mut self, relationships: &Relationships, kind: &str, usual: &str) -> Result<Option<Vec<u8>>> {
        self.container.part(relationships.target(kind).unwrap_or(usual.trim_start_matches('/')))
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
pub(crate) struct Relationships(Vec<Relationship>);

impl Relationships {
    fn parse(xml: &str, folder: &str) -> Result<Self, XmlError> {
        let mut found = Vec::new();
        let mut xml = XmlReader::new(xml);
        xml.root()?;
        while let Some(element) = xml.child()? {
            if let (Some(kind), Some(target)) = (element.attribute("Type"), element.attribute("Target")) {
                let id = element.attribute("Id").unwrap_or_default();
                found.push(Relationship { id, kind, target: resolved(&target, folder) });
            }
            xml.skip()?;
        }
        Ok(Self(found))
    }

    /// Types are URIs that differ between strict and transitional files; the last segment does not.
    pub fn target(&self, kind: &str) -> Option<&str> {
        self.0.iter().find(|found| found.kind.rsplit('/').next() == Some(kind)).map(|found| &*found.target)
    }

    /// All targets of a kind, in the order of the file.
    pub fn targets(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.of_kind(kind).map(|(_, target)| target)
    }

    /// Ids and targets of a kind, in the order of the file.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = (&str, &str)> {
        let is_kind = move |found: &&Relationship| found.kind.rsplit('/').next() == Some(kind);
        self.0.iter().filter(is_kind).map(|found| (&*found.id, &*found.target))
    }

    pub fn target_of_id(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|found| found.id == id).map(|found| &*found.target)
    }
}

/// The name of the part that `target` means, seen from a part in `folder`.
fn resolved(target: &str, folder: &str) -> String {
    let mut segments: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').collect(),
    };
    for segment in target.split('/') {
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
        ] {
            assert_eq!(resolved(target, folder), name);
        }
    }
}
