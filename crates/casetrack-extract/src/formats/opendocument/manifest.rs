//! The kind of a package, and its encryption ([ODF] Part 2, 3 and 4).

use casetrack_pages::container::xml::{XmlError, XmlReader};
use casetrack_pages::container::zip::ZipContainer;
use casetrack_pages::text::encoding;

/// The parts that hold the text: apart, or the whole package in one. Macros may have passwords of their own.
const TEXT_PARTS: [&str; 2] = ["content.xml", "encrypted-package"];

/// `META-INF/manifest.xml`, as far as it could be read.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    /// For packages without an entry `mimetype`.
    pub mime_type: Option<String>,
    pub is_encrypted: bool,
}

impl Manifest {
    pub fn of(container: &mut ZipContainer) -> Self {
        let bytes = container.part("META-INF/manifest.xml").ok().flatten().unwrap_or_default();
        let mut manifest = Self::default();
        // Missing parts are found when the parts are read.
        let _ = manifest.read(&encoding::decode_xml(&bytes));
        manifest
    }

    fn read(&mut self, xml: &str) -> Result<(), XmlError> {
        let mut xml = XmlReader::new(xml);
        xml.root()?;
        while let Some(entry) = xml.child()? {
            let path = entry.attribute("full-path").unwrap_or_default();
            if path == "/" {
                self.mime_type = entry.attribute("media-type");
            }
            while let Some(property) = xml.child()? {
                self.is_encrypted |= property.name() == "encryption-data" && TEXT_PARTS.contains(&&*path);
                xml.skip()?;
            }
        }
        Ok(())
    }
}

/// The kind of a document in a single XML file; `None` for other text.
pub(crate) fn flat_mime_type(text: &str) -> Option<String> {
    let start = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    if !["<?xml", "<office:document"].iter().any(|first| start.starts_with(first)) {
        return None;
    }
    let root = XmlReader::new(start).root().ok()?;
    if root.name() == "document" { root.attribute("mimetype") } else { None }
}
