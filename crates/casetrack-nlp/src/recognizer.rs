use casetrack_core::{Cancel, Result};
use serde::Deserialize;

/// The classes of OntoNotes 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Label {
    Cardinal,
    Date,
    Event,
    Fac,
    Gpe,
    Language,
    Law,
    Loc,
    Money,
    Norp,
    Ordinal,
    Org,
    Percent,
    Person,
    Product,
    Quantity,
    Time,
    WorkOfArt,
}

/// A named entity of a text: characters, half-open. Spans of one text do not overlap and are in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedSpan {
    pub char_start: u32,
    pub char_end: u32,
    pub label: Label,
}

pub trait Recognizer: Send + Sync {
    /// The named entities of a page's text. The result depends only on the text. Fails with `Cancelled` soon after `cancel` is set.
    fn recognize(&self, text: &str, cancel: &Cancel) -> Result<Vec<NamedSpan>>;
}
