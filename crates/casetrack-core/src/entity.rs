//! Entities: the people, organizations, dates, amounts, places and concepts that a document names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Reference;
use crate::labels::labelled;

// As headings, in the plural.
labelled! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum EntityType {
        Person = "People",
        Organization = "Organizations",
        Date = "Dates",
        Amount = "Amounts",
        Location = "Locations",
        /// A topic, a defined term, or a text with a form of its own: an e-mail address, a phone number, a URL, a case
        /// or invoice number.
        Concept = "Concepts",
    }
}

impl EntityType {
    /// As it is written in requests and responses.
    pub fn name(self) -> &'static str {
        match self {
            EntityType::Person => "person",
            EntityType::Organization => "organization",
            EntityType::Date => "date",
            EntityType::Amount => "amount",
            EntityType::Location => "location",
            EntityType::Concept => "concept",
        }
    }
}

/// How exactly a date is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DatePrecision {
    Day,
    Month,
    Quarter,
    Year,
    /// From one stated day, month or year to another.
    Range,
    /// One of two days: "05/06/2021" where nothing decides whether the day or the month comes first.
    Ambiguous,
}

/// The days that a date covers, ISO 8601 (`YYYY-MM-DD`), both included; a day is its own first and last. A date that is ambiguous is either its
/// first or its last day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DateValue {
    pub first: String,
    pub last: String,
    pub precision: DatePrecision,
}

/// A quantity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AmountValue {
    /// Decimal digits with an optional sign and point, without separators and without insignificant zeros: `1250000`, `-0.5`.
    pub value: String,
    /// ISO 4217 code of the currency, or `%`.
    pub unit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntityValue {
    Date(DateValue),
    Amount(AmountValue),
}

/// One place at which a page names an entity. The page's text has its surface form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mention {
    pub entity_type: EntityType,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    /// The value of a date or an amount, if it is known.
    pub value: Option<EntityValue>,
    /// Its role in the text around it, in the words of the text or a standard name: "effective date", "Chief Executive Officer", "Vendor".
    pub role: Option<String>,
}

/// An entity as one document knows it. Documents that give the same type and key mean the same entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocalEntity {
    pub entity_type: EntityType,
    /// The key that is the same in every document: a name without case, titles and company suffixes, an ISO date, a
    /// currency and a number.
    pub key: String,
    /// As the document writes it most often.
    pub name: String,
    /// Other ways in which the document writes it, its defined terms ("the Company") among them; at most eight.
    pub aliases: Vec<String>,
    pub value: Option<EntityValue>,
    /// Percent, from the kind of evidence: the recognizer by itself gives 50. A rank, not a probability.
    pub confidence: u8,
}

/// A mention of one of [`Annotations::entities`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedMention {
    /// Index in [`Annotations::entities`].
    pub entity: u32,
    /// From 1.
    pub page: u32,
    /// Characters of the page, half-open.
    pub char_start: u32,
    pub char_end: u32,
    pub role: Option<String>,
}

/// A reference and the page it is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedReference {
    /// From 1.
    pub page: u32,
    #[serde(flatten)]
    pub reference: Reference,
}

/// The results of the analysis of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Annotations {
    /// Name and version of the analysis that made them.
    pub analysis: String,
    pub entities: Vec<LocalEntity>,
    /// By page and place.
    pub mentions: Vec<PlacedMention>,
    /// By page and place.
    pub references: Vec<PlacedReference>,
}
