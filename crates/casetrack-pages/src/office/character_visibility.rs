//! The properties of characters of a Word document that can hide them (17.3.2).

use casetrack_core::HiddenReason;

use crate::container::xml::{Element, XmlError, XmlReader};

/// Half points: nothing can be read in this size (17.3.2.38).
const TINY: u32 = 2;
/// Most that each channel of a colour may differ from white to look like it.
const WHITE_TOLERANCE: u32 = 10;

/// The properties of characters that can hide them; `None` is inherited.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CharacterVisibility {
    pub vanish: Option<bool>,
    pub is_white: Option<bool>,
    pub half_points: Option<u32>,
    /// True if something other than paper is behind them.
    pub is_shaded: bool,
    pub style: Option<String>,
}

impl CharacterVisibility {
    /// Reads `w:rPr` to its end.
    pub fn read(&mut self, xml: &mut XmlReader) -> Result<(), XmlError> {
        while let Some(property) = xml.child()? {
            match property.name() {
                "vanish" => self.vanish = Some(property.is_on()),
                "color" => self.is_white = Some(property.value().is_some_and(|colour| is_white(&colour))),
                "sz" => self.half_points = property.numeric_value(),
                "highlight" => self.is_shaded |= property.value().is_some_and(|colour| colour != "none"),
                "shd" => self.is_shaded |= is_shading(&property),
                "rStyle" => self.style = property.value(),
                _ => {}
            }
            xml.skip()?;
        }
        Ok(())
    }

    /// The reason why characters that look like this are hidden. Properties that they do not state come from their
    /// style and their paragraph's; `is_on_paper` is true if nothing else is behind them.
    pub fn hides(
        &self,
        of_style: &CharacterVisibility,
        of_paragraph: &CharacterVisibility,
        is_on_paper: bool,
    ) -> Option<HiddenReason> {
        // A property that is on in two styles is off (17.7.3).
        let in_styles = of_style.vanish.unwrap_or(false) != of_paragraph.vanish.unwrap_or(false);
        if self.vanish.unwrap_or(in_styles) {
            return Some(HiddenReason::HiddenFormat);
        }
        let half_points = self.half_points.or(of_style.half_points).or(of_paragraph.half_points);
        if half_points.is_some_and(|size| size <= TINY) {
            return Some(HiddenReason::Tiny);
        }
        let is_white = self.is_white.or(of_style.is_white).or(of_paragraph.is_white).unwrap_or(false);
        let is_shaded = [self, of_style, of_paragraph].iter().any(|look| look.is_shaded);
        (is_white && is_on_paper && !is_shaded).then_some(HiddenReason::Colour)
    }
}

/// True if `w:shd` draws something behind the text (17.3.5).
pub fn is_shading(element: &Element) -> bool {
    let [pattern, fill] = element.attributes(["val", "fill"]);
    let is_pattern = pattern.is_some_and(|pattern| !matches!(&*pattern, "clear" | "nil"));
    is_pattern || fill.is_some_and(|fill| fill != "auto" && !is_white(&fill))
}

fn is_white(colour: &str) -> bool {
    let number =
        Some(colour).filter(|colour| colour.len() == 6).and_then(|colour| u32::from_str_radix(colour, 16).ok());
    number.is_some_and(|number| [16, 8, 0].iter().all(|shift| (number >> shift & 0xFF) + WHITE_TOLERANCE >= 0xFF))
}
