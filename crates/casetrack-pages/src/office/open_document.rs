//! Parts that OpenDocument files of every kind have besides their content ([ODF] Part 2, 3).

use casetrack_core::{ErrorCode, Result};

use super::properties;
use crate::build::DocumentBuilder;
use crate::container::xml::{Element, XmlError, XmlReader};
use crate::container::zip::ZipContainer;
use crate::text::encoding;

/// A part that the text can be read without: empty if there is none, or, with a warning, if it is damaged. `holds`
/// names the lost content: "styles".
pub fn optional_part(
    container: &mut ZipContainer,
    name: &str,
    holds: &str,
    document: &mut DocumentBuilder,
) -> Result<String> {
    match container.part(name) {
        Ok(bytes) => Ok(encoding::decode_xml(&bytes.unwrap_or_default()).into_owned()),
        Err(error) if error.code == ErrorCode::UnreadableFile => {
            document.warn(format!("The {holds} could not be read: the part {name} is damaged."));
            Ok(String::new())
        }
        Err(error) => Err(error),
    }
}

/// Reads `office:meta` from `meta.xml` or a flat file, if it is not empty. Leaves author, dates and language with
/// `document`; returns the title.
pub fn properties(xml: &str, document: &mut DocumentBuilder) -> Option<String> {
    let mut title = None;
    if !xml.is_empty()
        && let Err(error) = read(&mut XmlReader::new(xml), document, &mut title)
    {
        document.warn(format!(
            "The properties of the document could not be read to the end: the part meta.xml is damaged ({error})."
        ));
    }
    title
}

fn read(
    xml: &mut XmlReader,
    document: &mut DocumentBuilder,
    title: &mut Option<String>,
) -> std::result::Result<(), XmlError> {
    while let Some(element) = xml.next_start(0)? {
        if element.name() == "meta" {
            return properties::read(xml, document, title);
        }
    }
    Ok(())
}

/// The name of the part that `draw:image` shows; `None` for one that is elsewhere, or stands for an object that is read itself.
pub fn picture_part(image: &Element) -> Option<String> {
    let part = image.attribute("href")?;
    let part = part.trim_start_matches("./");
    part.starts_with("Pictures/").then(|| part.to_owned())
}
