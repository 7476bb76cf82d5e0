//! The style sheet ([MS-DOC] 2.9.271): what paragraphs inherit.

use casetrack_pages::container::ole::{clipped, u16_at};
use casetrack_pages::office::lineage;

use super::properties::{CharacterProperties, ParagraphProperties};

const PARAGRAPH_STYLE: u16 = 1;
const CHARACTER_STYLE: u16 = 2;
/// Built-in styles: heading 1 is 1, heading 9 is 9.
const TITLE: u16 = 62;

struct Style {
    built_in: u16,
    based_on: u16,
    properties: ParagraphProperties,
    /// The value of the style for hidden characters, if it has one.
    vanish: Option<bool>,
}

/// Styles by number; `None` for a number that is not used, or not for paragraphs or characters.
#[derive(Default)]
pub(super) struct Styles(Vec<Option<Style>>);

impl Styles {
    /// Reads as many styles as there are whole.
    pub fn parse(table: &[u8]) -> Self {
        let parse = || {
            let header_bytes = usize::from(u16_at(table, 0)?);
            let count = u16_at(table, 2)?;
            let base_bytes = usize::from(u16_at(table, 4)?);
            let mut rest = table.get(2 + header_bytes..)?;
            let mut styles = Vec::new();
            for _ in 0..count {
                let Some(size) = u16_at(rest, 0).map(usize::from) else { break };
                let Some(style) = rest.get(2..2 + size) else { break };
                styles.push(Style::parse(style, base_bytes));
                rest = rest.get((2 + size).next_multiple_of(2)..).unwrap_or_default();
            }
            Some(Self(styles))
        };
        parse().unwrap_or_default()
    }

    /// The level of headings in this style, from 1; `None` for text. An outline level decides, else which built-in
    /// style it is.
    pub fn heading_level(&self, style: u16) -> Option<u8> {
        self.inherited(style, |style| {
            let named = match style.built_in {
                TITLE => Some(1),
                level @ 1..=9 => Some(level as u8),
                _ => None,
            };
            style.properties.outline_level.map(|level| level.saturating_add(1)).or(named)
        })
        .filter(|level| (1..=9).contains(level))
    }

    pub fn inherited_property<T>(&self, style: u16, property: impl Fn(&ParagraphProperties) -> Option<T>) -> Option<T> {
        self.inherited(style, |style| property(&style.properties))
    }

    pub fn hide_some(&self) -> bool {
        self.0.iter().flatten().any(|style| style.vanish == Some(true))
    }

    /// True if the style of the paragraph or the style of the characters hides them. Both together show them, as they
    /// do in the formats that came later ([ECMA-376] Part 1, 17.7.3).
    pub fn hide(&self, paragraph: u16, characters: u16) -> bool {
        // 10 is the style of characters that have none (2.6.1, sprmCIstd).
        let of = |style: u16| self.inherited(style, |style| style.vanish).unwrap_or(false);
        of(paragraph) != (characters != 0 && of(characters))
    }

    fn inherited<T>(&self, number: u16, property: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let style_of = |number: u16| self.0.get(usize::from(number))?.as_ref();
        lineage(style_of(number), |style| style_of(style.based_on)).find_map(property)
    }
}

impl Style {
    fn parse(bytes: &[u8], base_bytes: usize) -> Option<Self> {
        let built_in = u16_at(bytes, 0)? & 0xFFF;
        let (kind, based_on) = (u16_at(bytes, 2)? & 0xF, u16_at(bytes, 2)? >> 4);
        if !matches!(kind, PARAGRAPH_STYLE | CHARACTER_STYLE) {
            return None;
        }
        let mut style = Self { built_in, based_on, properties: ParagraphProperties::default(), vanish: None };
        // The name, with its length before and a zero behind it; then the properties, each with their size: those of
        // paragraphs, and those of characters.
        let name_chars = usize::from(u16_at(bytes, base_bytes)?);
        let mut at = base_bytes + 2 * (name_chars + 2);
        if kind == PARAGRAPH_STYLE
            && let Some(size) = u16_at(bytes, at).map(usize::from)
        {
            style.properties = ParagraphProperties::of_run(clipped(bytes, at + 2, size), &[]);
            at = (at + 2 + size).next_multiple_of(2);
        }
        if let Some(size) = u16_at(bytes, at).map(usize::from) {
            let mut characters = CharacterProperties::default();
            characters.apply(clipped(bytes, at + 2, size));
            style.vanish = characters.vanish.map(|vanish| vanish == 1);
        }
        Some(style)
    }
}
