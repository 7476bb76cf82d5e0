//! Styles of paragraphs and characters: the properties that these inherit from their style and its base styles (17.7).

use std::collections::HashMap;

use super::character_visibility::{CharacterVisibility, is_shading};
use super::lineage;
use crate::container::xml::{XmlError, XmlReader};

/// `w:outlineLvl` of text that is no heading (17.3.1.20).
const BODY_TEXT_LEVEL: u8 = 9;

/// Reference to a list level. A missing part is inherited.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListReference {
    pub number_id: Option<String>,
    pub level: Option<usize>,
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline_level: Option<u8>,
    list: Option<ListReference>,
    page_break_before: Option<bool>,
    look: CharacterVisibility,
}

#[derive(Debug, Default)]
pub struct Styles {
    by_id: HashMap<String, Style>,
    of_characters: HashMap<String, Style>,
    /// The style of paragraphs that name none.
    default: Option<String>,
}

impl Styles {
    pub fn parse(xml: &str) -> Result<Self, XmlError> {
        let mut styles = Self::default();
        if xml.is_empty() {
            return Ok(styles);
        }
        let mut xml = XmlReader::new(xml);
        xml.root()?;
        while let Some(element) = xml.child()? {
            let id = element.attribute("styleId");
            let kind = element.attribute("type");
            let is_paragraph = kind.as_deref().is_none_or(|kind| kind == "paragraph");
            match id {
                Some(id) if element.name() == "style" && is_paragraph => {
                    if element.attribute("default").is_some_and(|on| on == "1" || on == "true") {
                        styles.default = Some(id.clone());
                    }
                    let style = Style::parse(&mut xml)?;
                    styles.by_id.insert(id, style);
                }
                Some(id) if element.name() == "style" && kind.as_deref() == Some("character") => {
                    let style = Style::parse(&mut xml)?;
                    styles.of_characters.insert(id, style);
                }
                _ => xml.skip()?,
            }
        }
        Ok(styles)
    }

    /// The level of headings in this style, from 1; `None` for text.
    ///
    /// An outline level decides. The built-in headings are recognised by their names, which are English in every language of
    /// Word.
    pub fn heading_level(&self, id: Option<&str>) -> Option<u8> {
        self.inherited(id, |style| {
            let named = match style.name.to_ascii_lowercase().as_str() {
                "title" => Some(1),
                name => name.strip_prefix("heading ").and_then(|level| level.parse().ok()),
            };
            style.outline_level.map(|level| level.saturating_add(1)).or(named)
        })
        .filter(|level| (1..=BODY_TEXT_LEVEL).contains(level))
    }

    pub fn list(&self, id: Option<&str>) -> Option<ListReference> {
        self.inherited(id, |style| style.list.clone())
    }

    pub fn page_break_before(&self, id: Option<&str>) -> bool {
        self.inherited(id, |style| style.page_break_before).unwrap_or(false)
    }

    /// The look of characters of paragraphs in this style, as far as the style states it.
    pub fn look(&self, id: Option<&str>) -> CharacterVisibility {
        CharacterVisibility {
            vanish: self.inherited(id, |style| style.look.vanish),
            is_white: self.inherited(id, |style| style.look.is_white),
            half_points: self.inherited(id, |style| style.look.half_points),
            is_shaded: self.inherited(id, |style| style.look.is_shaded.then_some(())).is_some(),
            style: None,
        }
    }

    /// The look of characters in this style of their own, as far as it is stated.
    pub fn look_of_characters(&self, id: Option<&str>) -> CharacterVisibility {
        let style_of = |id: &str| self.of_characters.get(id);
        let mut look = CharacterVisibility::default();
        for style in lineage(id.and_then(style_of), |style| style_of(style.based_on.as_deref()?)) {
            look.vanish = look.vanish.or(style.look.vanish);
            look.is_white = look.is_white.or(style.look.is_white);
            look.half_points = look.half_points.or(style.look.half_points);
            look.is_shaded |= style.look.is_shaded;
        }
        look
    }

    fn inherited<T>(&self, id: Option<&str>, property: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let style_of = |id: Option<&String>| self.by_id.get(id?);
        let style = id.and_then(|id| self.by_id.get(id)).or_else(|| style_of(self.default.as_ref()));
        lineage(style, |style| style_of(style.based_on.as_ref())).find_map(property)
    }
}

impl Style {
    fn parse(xml: &mut XmlReader) -> Result<Self, XmlError> {
        let mut style = Self::default();
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "name" => style.name = element.value().unwrap_or_default(),
                "basedOn" => style.based_on = element.value(),
                "outlineLvl" => style.outline_level = element.numeric_value(),
                "pageBreakBefore" => style.page_break_before = Some(element.is_on()),
                "numPr" => style.list = Some(ListReference::parse(xml)?),
                "rPr" => style.look.read(xml)?,
                "shd" => style.look.is_shaded |= is_shading(&element),
                // The state before a change, and properties of tables.
                "pPrChange" | "tblPr" | "tblStylePr" => xml.skip()?,
                _ => {}
            }
        }
        Ok(style)
    }
}

impl ListReference {
    /// Reads `w:numPr` to its end.
    pub fn parse(xml: &mut XmlReader) -> Result<Self, XmlError> {
        let mut list = Self::default();
        let depth = xml.depth();
        while let Some(element) = xml.next_start(depth)? {
            match element.name() {
                "numId" => list.number_id = element.value(),
                "ilvl" => list.level = element.numeric_value(),
                _ => {}
            }
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_inherited() {
        let styles = Styles::parse(
            "<w:styles><w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/></w:style>
             <w:style w:type='paragraph' w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>
             <w:style w:type='paragraph' w:styleId='Clause'><w:basedOn w:val='berschrift2'/>
               <w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr></w:style>
             <w:style w:type='paragraph' w:styleId='Text'><w:basedOn w:val='Clause'/>
               <w:pPr><w:outlineLvl w:val='9'/></w:pPr></w:style>
             <w:style w:type='paragraph' w:styleId='Loop'><w:basedOn w:val='Loop'/></w:style></w:styles>",
        )
        .unwrap();
        assert_eq!(styles.heading_level(Some("Clause")), Some(2));
        assert_eq!(styles.heading_level(Some("Text")), None);
        assert_eq!(styles.heading_level(Some("Loop")), None);
        assert_eq!(styles.heading_level(None), None);
        assert_eq!(styles.list(Some("Text")).unwrap().number_id.as_deref(), Some("3"));
        assert!(!styles.page_break_before(Some("Text")));
    }
}
