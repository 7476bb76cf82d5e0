//! Text that a file holds but does not show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::labels::labelled;

labelled! {
    /// Why a text cannot be seen in the opened or printed file.
    // Stored by number: an addition goes to the end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum HiddenReason {
        /// Something opaque is drawn over it.
        Covered = "covered",
        /// It has the colour of its background.
        Colour = "in the colour of its background",
        /// It is drawn without ink, and no picture shows it.
        Invisible = "drawn without ink",
        Tiny = "too small to read",
        OutsidePage = "outside the page",
        HiddenLayer = "on a layer that is off",
        /// Its format, or that of its style or section, hides it.
        HiddenFormat = "formatted as hidden",
        HiddenRow = "in hidden rows",
        HiddenColumn = "in hidden columns",
        // Also on a slide that is left out when the presentation is shown.
        HiddenSheet = "on a hidden sheet or slide",
    }
}

/// A text of a page that is not shown. Those of a page are in the order of their places and do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HiddenText {
    pub reason: HiddenReason,
    /// The name of the hidden part, if it has one: "column D", "rows 4-6".
    pub part: Option<String>,
    /// Characters of the page's text, half-open.
    pub char_start: u32,
    pub char_end: u32,
}

impl HiddenText {
    /// True if some of it is among these characters of the page.
    pub fn touches(&self, start: u32, end: u32) -> bool {
        self.char_start < end && self.char_end > start
    }
}

/// Why texts among these characters of a page are hidden, each reason once, in a fixed order.
pub fn hidden_reasons(hidden: &[HiddenText], start: u32, end: u32) -> Vec<HiddenReason> {
    let mut reasons: Vec<HiddenReason> =
        hidden.iter().filter(|text| text.touches(start, end)).map(|text| text.reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_has_the_reasons_of_what_it_touches() {
        let text = |reason, char_start, char_end| HiddenText { reason, part: None, char_start, char_end };
        let hidden =
            [text(HiddenReason::Tiny, 2, 4), text(HiddenReason::Covered, 5, 6), text(HiddenReason::Tiny, 8, 9)];
        assert_eq!(hidden_reasons(&hidden, 0, 9), [HiddenReason::Covered, HiddenReason::Tiny]);
        assert_eq!(hidden_reasons(&hidden, 4, 8), [HiddenReason::Covered]);
        assert!(hidden_reasons(&hidden, 0, 2).is_empty());
    }
}
