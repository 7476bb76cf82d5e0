//! Styles ([ODF] Part 3, 16): the properties that a paragraph, table or slide inherits from its style and the parents
//! of that style.

use std::collections::HashMap;

use casetrack_pages::container::xml::{Element, XmlError, XmlReader};
use casetrack_pages::office;

use super::list_style::ListStyle;

/// The name that the numbering of headings has where lists refer to it.
const OUTLINE: &str = "Outline";

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    list: Option<String>,
    /// The kind of page that begins with its text, which starts one (19.498); empty for none.
    master_page: Option<String>,
    break_before: Option<bool>,
    break_after: Option<bool>,
    is_hidden_slide: bool,
    hides_text: Option<bool>,
}

#[derive(Debug, Default)]
pub(super) struct Styles {
    paragraphs: HashMap<String, Style>,
    characters: HashMap<String, Style>,
    tables: HashMap<String, Style>,
    slides: HashMap<String, Style>,
    lists: HashMap<String, ListStyle>,
}

impl Styles {
    /// Adds the styles of a part; its text is not looked at. Automatic styles of `styles.xml` serve only headers and
    /// footers, and their names are used again for others in the text.
    pub fn add(&mut self, xml: &str, with_automatic: bool) -> Result<(), XmlError> {
        let mut xml = XmlReader::new(xml);
        xml.root()?;
        while let Some(element) = xml.child()? {
            match element.name() {
                "styles" => self.add_group(&mut xml)?,
                "automatic-styles" if with_automatic => self.add_group(&mut xml)?,
                "body" => break,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn add_group(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(element) = xml.child()? {
            let name = element.attribute("name");
            match (element.name(), name) {
                ("style", Some(name)) => {
                    let family = match element.attribute("family").as_deref() {
                        Some("paragraph") => &mut self.paragraphs,
                        Some("text") => &mut self.characters,
                        Some("table") => &mut self.tables,
                        Some("drawing-page") => &mut self.slides,
                        _ => {
                            xml.skip()?;
                            continue;
                        }
                    };
                    let mut style = Style::of(&element);
                    let outcome = style.read(xml);
                    family.insert(name, style);
                    outcome?;
                }
                ("list-style", Some(name)) => {
                    let list = ListStyle::read(xml)?;
                    self.lists.insert(name, list);
                }
                ("outline-style", name) => {
                    let list = ListStyle::read(xml)?;
                    self.lists.extend(name.filter(|name| name != OUTLINE).map(|name| (name, list.clone())));
                    self.lists.insert(OUTLINE.into(), list);
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// The level of a heading in a style that is one by its name, for paragraphs that are not marked as headings. The
    /// names are English in every language; those shown to the user are others.
    pub fn heading_level(&self, name: Option<&str>) -> Option<u8> {
        lineage(&self.paragraphs, name).find_map(|(name, _)| match name {
            "Title" => Some(1),
            name => {
                let level = name.strip_prefix("Heading_20_").or_else(|| name.strip_prefix("Heading "))?;
                level.parse().ok().filter(|level| (1..=10).contains(level))
            }
        })
    }

    pub fn paragraph_breaks_before(&self, name: Option<&str>) -> bool {
        breaks_before(&self.paragraphs, name)
    }

    pub fn paragraph_breaks_after(&self, name: Option<&str>) -> bool {
        inherited(&self.paragraphs, name, |style| style.break_after).unwrap_or(false)
    }

    pub fn hides_paragraph(&self, name: Option<&str>) -> bool {
        inherited(&self.paragraphs, name, |style| style.hides_text).unwrap_or(false)
    }

    /// True if characters in this style are not shown; `None` if the style does not state it.
    pub fn hides_characters(&self, name: Option<&str>) -> Option<bool> {
        inherited(&self.characters, name, |style| style.hides_text)
    }

    pub fn table_breaks_before(&self, name: Option<&str>) -> bool {
        breaks_before(&self.tables, name)
    }

    pub fn master_page(&self, name: Option<&str>) -> Option<&str> {
        lineage(&self.paragraphs, name)
            .find_map(|(_, style)| style.master_page.as_deref())
            .filter(|name| !name.is_empty())
    }

    pub fn table_breaks_after(&self, name: Option<&str>) -> bool {
        inherited(&self.tables, name, |style| style.break_after).unwrap_or(false)
    }

    pub fn hides_slide(&self, name: Option<&str>) -> bool {
        name.and_then(|name| self.slides.get(name)).is_some_and(|style| style.is_hidden_slide)
    }

    pub fn list_of_paragraph(&self, name: Option<&str>) -> Option<&str> {
        lineage(&self.paragraphs, name).find_map(|(_, style)| style.list.as_deref()).filter(|name| !name.is_empty())
    }

    pub fn list(&self, name: &str) -> Option<&ListStyle> {
        self.lists.get(name)
    }

    pub fn outline(&self) -> Option<&ListStyle> {
        self.lists.get(OUTLINE)
    }
}

fn breaks_before(family: &HashMap<String, Style>, name: Option<&str>) -> bool {
    inherited(family, name, |style| style.master_page.as_ref().map(|name| !name.is_empty())).unwrap_or(false)
        || inherited(family, name, |style| style.break_before).unwrap_or(false)
}

fn inherited<T>(
    family: &HashMap<String, Style>,
    name: Option<&str>,
    property: impl Fn(&Style) -> Option<T>,
) -> Option<T> {
    lineage(family, name).find_map(|(_, style)| property(style))
}

fn lineage<'s>(family: &'s HashMap<String, Style>, name: Option<&str>) -> impl Iterator<Item = (&'s str, &'s Style)> {
    let first = name.and_then(|name| family.get_key_value(name));
    office::lineage(first, |(_, style)| family.get_key_value(style.parent.as_deref()?))
        .map(|(name, style)| (name.as_str(), style))
}

impl Style {
    fn of(element: &Element) -> Self {
        Self {
            parent: element.attribute("parent-style-name"),
            list: element.attribute("list-style-name"),
            master_page: element.attribute("master-page-name"),
            ..Self::default()
        }
    }

    fn read(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(element) = xml.child()? {
            if matches!(element.name(), "paragraph-properties" | "table-properties") {
                self.break_before = element.attribute("break-before").map(|kind| kind == "page");
                self.break_after = element.attribute("break-after").map(|kind| kind == "page");
            } else if element.name() == "text-properties" {
                self.hides_text = element.attribute("display").map(|display| display == "none");
            } else if element.name() == "drawing-page-properties" {
                self.is_hidden_slide = element.has("visibility", "hidden");
            }
            xml.skip()?;
        }
        Ok(())
    }
}
