//! The parts of a package in one XML file ([MS-OPCXML] has no name for it; Word saves it as "Word XML Document").

use casetrack_pages::container::xml::{XmlError, XmlReader};

use super::{Parts, of_base64};

pub(super) const NAMESPACE: &str = "http://schemas.microsoft.com/office/2006/xmlPackage";

/// Reads `pkg:package`, whose start was read from `text`.
pub(super) fn read(xml: &mut XmlReader, text: &str, parts: &mut Parts) -> Result<(), XmlError> {
    let mut types = Vec::new();
    let outcome = (|| {
        while let Some(part) = xml.child()? {
            let [name, content_type] = part.attributes(["name", "contentType"]);
            let name = name.unwrap_or_default();
            while let Some(data) = xml.child()? {
                match data.name() {
                    "xmlData" => {
                        let start = xml.offset();
                        let outcome = xml.skip();
                        let content = text.get(start..xml.offset()).unwrap_or_default();
                        // A truncated part has no end tag.
                        let end = if outcome.is_ok() { content.rfind("</").unwrap_or(0) } else { content.len() };
                        parts.add(&name, &content[..end]);
                        outcome?;
                    }
                    "binaryData" => parts.add(&name, of_base64(&xml.text()?)?),
                    _ => xml.skip()?,
                }
            }
            types.extend(Some(name.clone()).zip(content_type));
        }
        Ok(())
    })();
    if !parts.0.is_empty() {
        parts.declare(types.iter().map(|(name, content_type)| (&**name, &**content_type)));
    }
    outcome
}
