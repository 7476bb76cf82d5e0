//! One language's data with its expressions compiled.
//!
//! In the expressions of the data `{s}` is white space (at most one line break), `{o}` the same or nothing, `{month}`,
//! `{ordinal}` and `{day}` are those of the data, and other names in braces are their parts.

use std::collections::HashMap;

use regex::Regex;
use serde::Deserialize;

use super::amounts::Amounts;
use super::dates::{Calendar, Dates, is_foreign};
use super::references::References;
use crate::pattern_table::{Entries, Parts, with_caseless_classes};

/// White space without a blank line.
const SPACE: &str = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*)";

pub(super) type Read<T> = std::result::Result<T, String>;

#[derive(Debug)]
pub(super) struct Rules {
    pub dates: Dates,
    pub amounts: Amounts,
    pub references: References,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    /// Parts of expressions, by the name that other expressions have for them in braces.
    #[serde(default)]
    parts: Entries,
    dates: DatesData,
    amounts: AmountsData,
    references: ReferencesData,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DatesData {
    /// The ways to write each month, in lower case, without points.
    pub months: Vec<Vec<String>>,
    /// Ordinal numbers in words, in lower case: of days and quarters.
    pub ordinals: HashMap<String, i8>,
    /// A day with its month and year, for other expressions: `{day}`.
    pub day: String,
    /// With groups `day`, `month`, `year`, `short` (a year of two digits), `quarter`, and `day2`, `month2`, `year2` for
    /// the end of a range; `date`, if it is not all that the expression matches.
    pub patterns: Vec<String>,
    /// Words between a cue and its date.
    pub fillers: String,
    /// The role of a date, as English has it, and the cues before it that give it. The first that fits decides.
    pub roles: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AmountsData {
    /// Words between a word such as "million" and the currency.
    pub of: String,
    /// "And a half" behind such a word.
    #[serde(default)]
    pub half: Option<String>,
    /// Powers of ten and the words for them.
    pub scales: Vec<(i32, String)>,
    /// A code of ISO 4217 or `%`, a power of ten, and the ways to write them.
    pub units: Vec<(String, i32, String)>,
    /// Between the ends of a range: "to"; and "between" with its "and".
    pub to: String,
    pub between: String,
    pub and: String,
    /// Numbers in words, in lower case.
    pub numbers: HashMap<String, u64>,
    /// Numbers of halves in words, in lower case: "eineinhalb" is three.
    #[serde(default)]
    pub halves: HashMap<String, u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReferencesData {
    pub parts: Vec<PartData>,
    pub levels: Vec<LevelData>,
    /// Words between a part and its law.
    pub of: String,
    /// Words between two parts, and between the ends of a range.
    pub and: String,
    pub to: String,
    /// Words behind a part that belongs to something without a name here.
    pub other: String,
    /// Words after a part for those that follow it ("ff."), and their normalised form.
    pub following: Option<(String, String)>,
    /// True if any abbreviation in capitals after a part is a law.
    pub abbreviated: bool,
    /// Abbreviations in capitals that are not laws.
    pub not_laws: String,
    /// Names of laws, and the ways to write them. Those of the European Union have English names.
    pub laws: Vec<(String, String)>,
    pub european_laws: Vec<(String, String)>,
    /// Acts of the European Union: the English word, and the ways to write it.
    pub european_acts: Vec<(String, String)>,
    /// "No." before a number.
    pub number: String,
    /// Acts with a number: the normalised name with groups in braces, and the expression.
    pub acts: Vec<(String, String)>,
    /// Decisions of courts, likewise; `{date}` is the day in ISO 8601.
    pub cases: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartData {
    /// The word for the part; the group `many` matches its plural.
    pub head: String,
    pub label: String,
    /// Its name in references to laws: of one, and of several.
    #[serde(default)]
    pub law: Option<(String, String)>,
    /// Its name in references to the document itself.
    pub own: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelData {
    /// With its number in the group `n`.
    pub pattern: String,
    /// Its normalised form with the number, as `{n}`.
    pub name: String,
    /// True if English names for laws have it, in parentheses.
    pub european: bool,
    /// The only part that has it, by its name in the document itself.
    #[serde(default)]
    pub under: Option<String>,
}

impl Rules {
    /// Fails with the expression that is wrong.
    pub fn read(data: &str) -> Read<Rules> {
        let data: Data = toml::from_str(data).map_err(|error| error.to_string())?;
        let expressions = Expressions::new(&data)?;
        let calendar = Calendar::new(&data.dates)?;
        Ok(Rules {
            dates: Dates::new(&data.dates, calendar.clone(), &expressions)?,
            amounts: Amounts::new(&data.amounts, &expressions)?,
            references: References::new(&data.references, calendar, &expressions)?,
        })
    }
}

/// A day with the name of a month that English does not have.
pub(super) fn foreign_day(data: &str) -> Read<Regex> {
    let data: Data = toml::from_str(data).map_err(|error| error.to_string())?;
    let months = alternation(data.dates.months.iter().flatten().filter(|name| is_foreign(name)));
    Expressions::new(&data)?.anywhere(&format!(r"(?i)\d(?:er|ᵉʳ|[.º°])?{{o}}(?:de{{s}})?(?:{months})\b"))
}

/// The expressions of a language, with the parts that they name filled in.
#[derive(Debug)]
pub(super) struct Expressions(Parts);

impl Expressions {
    fn new(data: &Data) -> Read<Self> {
        let months = alternation(data.dates.months.iter().flatten());
        let ordinals = alternation(data.dates.ordinals.keys());
        let given = [
            ("s", SPACE.to_owned()),
            ("o", format!("(?:{SPACE})?")),
            ("month", format!("(?i:{months})")),
            ("ordinal", format!("(?i:{ordinals})")),
            ("day", data.dates.day.clone()),
        ];
        Ok(Self(Parts::new(&data.parts, given)?))
    }

    pub fn anywhere(&self, expression: &str) -> Read<Regex> {
        Regex::new(&with_caseless_classes(&self.0.expand(expression)?))
            .map_err(|error| format!("{expression}: {error}"))
    }

    pub fn here(&self, expression: &str) -> Read<Regex> {
        self.anywhere(&format!(r"\A(?:{expression})"))
    }

    pub fn all(&self, expression: &str) -> Read<Regex> {
        self.anywhere(&format!(r"\A(?:{expression})\z"))
    }
}

/// Words as an expression, the longest first.
pub(super) fn alternation<'w>(words: impl IntoIterator<Item = &'w String>) -> String {
    let mut words: Vec<&String> = words.into_iter().collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.as_str()));
    words.into_iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|")
}
