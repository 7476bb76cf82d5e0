//! Office documents in one XML file: the parts of a package in one ("flat OPC"), and Word 2003 XML. They are converted into the package that
//! they represent before their format is detected, so that the extractors need not handle them.

mod flat_opc;
mod word2003;

use std::fmt::Write;

use casetrack_core::Result;
use casetrack_pages::container::xml::{XmlError, XmlReader};
use casetrack_pages::container::zip;
use casetrack_pages::model::Source;
use casetrack_pages::text::encoding;

/// Bytes of a file that may precede its root element: declarations and comments.
const ROOT_WITHIN: usize = 64 * 1024;

/// The package that a file describes; `None` for every other file.
///
/// # Errors
///
/// `UnreadableFile` for XML that is damaged before the end of its main part.
pub(crate) fn packed(source: &Source) -> Result<Option<Vec<u8>>> {
    if !may_be_office_xml(source.bytes) {
        return Ok(None);
    }
    let Some(decoded) = encoding::decode_html(source.bytes) else { return Ok(None) };
    let text = decoded.text.trim_start_matches('\u{FEFF}');
    let mut xml = XmlReader::new(text);
    let Ok(root) = xml.root() else { return Ok(None) };
    let namespaces: Vec<String> = root.namespaces().collect();
    let is = |name: &str, namespace: &str| root.name() == name && namespaces.iter().any(|found| found == namespace);
    let mut parts = Parts::default();
    let outcome = if is("package", flat_opc::NAMESPACE) {
        flat_opc::read(&mut xml, text, &mut parts)
    } else if is("wordDocument", word2003::NAMESPACE) {
        word2003::read(&mut xml, &root, &mut parts)
    } else {
        return Ok(None);
    };
    match outcome {
        Err(error) if parts.0.is_empty() => Err(source.unreadable(error)),
        // The truncated part is damaged, and the extractor reports it.
        _ => Ok(zip::packed(&parts.0)),
    }
}

/// True if a file is XML that names one of the two formats, in any encoding that has the letters of ASCII.
fn may_be_office_xml(bytes: &[u8]) -> bool {
    let start = || bytes.iter().take(ROOT_WITHIN).copied().filter(|byte| *byte != 0 && byte.is_ascii());
    if start().find(|byte| !byte.is_ascii_whitespace()) != Some(b'<') {
        return false;
    }
    let start: Vec<u8> = start().collect();
    [flat_opc::NAMESPACE, word2003::NAMESPACE]
        .iter()
        .any(|name| start.windows(name.len()).any(|window| window == name.as_bytes()))
}

/// The parts of a package, by name.
#[derive(Default)]
struct Parts(Vec<(String, Vec<u8>)>);

impl Parts {
    fn add(&mut self, name: &str, bytes: impl Into<Vec<u8>>) {
        self.0.push((name.trim_start_matches('/').to_owned(), bytes.into()));
    }

    /// Adds the list of content types.
    fn declare<'a>(&mut self, types: impl Iterator<Item = (&'a str, &'a str)>) {
        let mut list = String::from("<Types>");
        for (name, content_type) in types {
            let _ =
                write!(list, "<Override PartName=\"{}\" ContentType=\"{}\"/>", escaped(name), escaped(content_type));
        }
        self.add("[Content_Types].xml", list + "</Types>");
    }
}

/// Text as XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Bytes in Base64, with white space among them.
fn of_base64(text: &str) -> std::result::Result<Vec<u8>, XmlError> {
    use base64::Engine;
    let text: String = text.split_ascii_whitespace().collect();
    base64::prelude::BASE64_STANDARD.decode(text).map_err(|error| XmlError::Invalid(format!("Base64: {error}")))
}

#[cfg(test)]
mod tests;
