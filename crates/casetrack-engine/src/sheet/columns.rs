//! The columns of the matter sheet: the built-in ones, and those that users define, which are kept in the collection's directory.

use std::sync::Mutex;

use casetrack_core::{Error, ErrorCode, Result};
use casetrack_nlp::{Clause, FactKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::custom_cells;
use casetrack_host::documents::facts::KINDS;
use casetrack_host::{OpenCollection, lock};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    #[default]
    Text,
    /// ISO 8601, or "perpetual".
    Date,
    /// "30 days"
    Duration,
    /// "USD 1000"
    Amount,
}

/// A column that a user defines, by a question, by a pattern or by examples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefineColumn {
    pub name: String,
    /// The cell is the sentence of each document that answers it, as [`Host::ask_every_document`](casetrack_search::ask_every_document)
    /// finds it, or the value of the column's type in its part with most words of the question.
    pub question: Option<String>,
    /// A regular expression: the cell is its first match, or the match of its first group.
    pub pattern: Option<String>,
    /// Clauses of the kind that the column shows: the cell is the clause that is most like them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    #[serde(default)]
    pub column_type: ColumnType,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ColumnView {
    pub name: String,
    #[serde(rename = "type")]
    pub column_type: ColumnType,
    /// The question, the pattern or the first example, of a column that a user defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defined_by: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    pub name: String,
    pub column_type: ColumnType,
    pub source: Source,
    /// True if the sheet shows it when no column is named.
    pub by_default: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Source {
    Fact(FactKind),
    /// The last day for the notice that prevents the next renewal, as of today.
    NextNotice,
    Defined(DefineColumn),
}

/// The built-in columns, in the order of the sheet. A new kind of fact is one row here.
const COLUMNS: [(&str, FactKind, ColumnType); 15] = [
    ("title", FactKind::Title, ColumnType::Text),
    ("type", FactKind::Type, ColumnType::Text),
    ("parties", FactKind::Party, ColumnType::Text),
    ("agreement_date", FactKind::AgreementDate, ColumnType::Date),
    ("effective_date", FactKind::EffectiveDate, ColumnType::Date),
    ("expiry", FactKind::Expiry, ColumnType::Date),
    ("renewal_term", FactKind::RenewalTerm, ColumnType::Duration),
    ("notice_period", FactKind::NoticePeriod, ColumnType::Duration),
    ("termination_notice", FactKind::TerminationNotice, ColumnType::Duration),
    ("governing_law", FactKind::GoverningLaw, ColumnType::Text),
    ("venue", FactKind::Venue, ColumnType::Text),
    ("liability_cap", FactKind::LiabilityCap, ColumnType::Text),
    ("payment_terms", FactKind::PaymentTerms, ColumnType::Text),
    ("amounts", FactKind::Amount, ColumnType::Amount),
    ("signatories", FactKind::Signatory, ColumnType::Text),
];
/// The columns of clauses that the model finds reliably enough, behind those of [`COLUMNS`]. True: the sheet shows them when no column is named.
const CLAUSES: [(Clause, bool); 18] = [
    (Clause::Assignment, true),
    (Clause::ChangeOfControl, true),
    (Clause::Exclusivity, true),
    (Clause::NonCompete, true),
    (Clause::NoSolicit, true),
    (Clause::TerminationForConvenience, true),
    (Clause::UncappedLiability, true),
    (Clause::LiquidatedDamages, true),
    (Clause::Audit, true),
    (Clause::Insurance, true),
    (Clause::FirstRefusal, true),
    (Clause::Licence, false),
    (Clause::IpOwnership, false),
    (Clause::MinimumCommitment, false),
    (Clause::WarrantyDuration, false),
    (Clause::PostTermination, false),
    (Clause::CovenantNotToSue, false),
    (Clause::Renewal, false),
];
/// A column that is computed at each call, because it depends on the day.
const NEXT_NOTICE: &str = "next_notice";
/// Most columns that users define in one collection, and longest name, question or pattern, in characters.
const MOST: usize = 100;
const NAME: usize = 60;
const LONGEST: usize = 1000;
/// Fewest and most examples, and the longest one, in characters.
const EXAMPLES: std::ops::RangeInclusive<usize> = 5..=20;
const LONGEST_EXAMPLE: usize = 5000;

impl Column {
    /// True for facts of letters, invoices and minutes. The sheet shows these columns by default only if a document has a value.
    pub fn is_of_kind(&self) -> bool {
        matches!(self.source, Source::Fact(fact) if KINDS.iter().any(|(own, _)| *own == fact))
    }

    pub fn view(&self) -> ColumnView {
        let defined_by = match &self.source {
            Source::Fact(_) | Source::NextNotice => None,
            Source::Defined(definition) => {
                let by = definition.question.as_ref().or(definition.pattern.as_ref());
                by.or(definition.examples.first()).cloned()
            }
        };
        ColumnView { name: self.name.clone(), column_type: self.column_type, defined_by }
    }
}

fn of_kinds() -> impl Iterator<Item = Column> {
    KINDS.into_iter().map(|(fact, name)| Column {
        name: name.to_owned(),
        column_type: match fact {
            FactKind::Date => ColumnType::Date,
            FactKind::Total => ColumnType::Amount,
            _ => ColumnType::Text,
        },
        source: Source::Fact(fact),
        by_default: true,
    })
}

/// The built-in columns, then those of the collection in the order in which they were defined. A column that a user defined replaces the
/// column of clauses, of kinds or of the next notice with its name: earlier versions had no such columns.
pub(super) fn all(collection: &OpenCollection) -> Result<Vec<Column>> {
    let built_in = COLUMNS.iter().map(|&(name, kind, column_type)| Column {
        name: name.to_owned(),
        column_type,
        source: Source::Fact(kind),
        by_default: true,
    });
    let next_notice = Column {
        name: NEXT_NOTICE.to_owned(),
        column_type: ColumnType::Date,
        source: Source::NextNotice,
        by_default: false,
    };
    let clauses = CLAUSES.iter().map(|&(clause, by_default)| Column {
        name: clause.name().to_owned(),
        column_type: ColumnType::Text,
        source: Source::Fact(FactKind::Clause(clause)),
        by_default,
    });
    let defined = defined_columns(collection)?;
    let clauses = [next_notice]
        .into_iter()
        .chain(clauses)
        .chain(of_kinds())
        .filter(|column| !defined.iter().any(|own| own.name == column.name))
        .collect::<Vec<_>>();
    let defined = defined.into_iter().map(|definition| Column {
        name: definition.name.clone(),
        column_type: definition.column_type,
        source: Source::Defined(definition),
        by_default: true,
    });
    Ok(built_in.chain(clauses).chain(defined).collect())
}

fn defined_columns(collection: &OpenCollection) -> Result<Vec<DefineColumn>> {
    collection.columns()?.map_or_else(|| Ok(Vec::new()), read)
}

fn read(columns: Value) -> Result<Vec<DefineColumn>> {
    serde_json::from_value(columns).map_err(|error| {
        let message = format!("The columns that users defined cannot be read: {error}.");
        Error::new(ErrorCode::Corrupt, message).with_hint("Delete the collection's columns.json and define them again.")
    })
}

/// Checks the columns of a collection that comes from elsewhere.
pub(crate) fn check(columns: &Value) -> Result<()> {
    let columns = read(columns.clone())?;
    if columns.len() > MOST {
        return Err(Error::invalid(format!("There are more than {MOST} columns.")));
    }
    columns
        .iter()
        .filter_map(|column| column.pattern.as_deref())
        .try_for_each(|pattern| custom_cells::compiled(pattern).map(drop))
}

/// Held while columns are read and written, so that none is lost if two are defined at the same time.
#[derive(Default)]
struct Changing(Mutex<()>);

/// Keeps a [`checked`] definition.
pub(super) fn define(collection: &OpenCollection, definition: DefineColumn) -> Result<()> {
    let changing = collection.derived::<Changing>();
    let _held = lock(&changing.0);
    let mut columns = defined_columns(collection)?;
    match columns.iter().position(|column| column.name == definition.name) {
        Some(at) => columns[at] = definition,
        None if columns.len() >= MOST => {
            return Err(Error::invalid(format!("A collection has at most {MOST} columns of its own.")));
        }
        None => columns.push(definition),
    }
    keep(collection, &columns)
}

pub(super) fn remove(collection: &OpenCollection, name: &str) -> Result<()> {
    let wanted = name.trim().to_lowercase();
    if COLUMNS.iter().any(|(built_in, ..)| *built_in == wanted) {
        return Err(Error::invalid(format!("{wanted} is a built-in column and cannot be removed.")));
    }
    let changing = collection.derived::<Changing>();
    let _held = lock(&changing.0);
    let mut columns = defined_columns(collection)?;
    let Some(at) = columns.iter().position(|column| column.name == wanted) else {
        let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Error::new(ErrorCode::NotFound, format!("There is no column \"{}\" of your own.", name.trim()))
            .with_hint(format!("Columns of your own: {known}.")));
    };
    columns.remove(at);
    keep(collection, &columns)
}

fn keep(collection: &OpenCollection, columns: &[DefineColumn]) -> Result<()> {
    let columns = serde_json::to_value(columns)
        .map_err(|error| Error::internal(format!("The columns could not be written as JSON: {error}.")))?;
    collection.set_columns(&columns)
}

/// The definition with its name and its question or pattern as they are kept.
pub(super) fn checked(definition: DefineColumn) -> Result<DefineColumn> {
    let DefineColumn { name, question, pattern, examples, column_type } = definition;
    let name = name.trim().to_lowercase();
    let fits = !name.is_empty()
        && name.chars().count() <= NAME
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !fits {
        return Err(Error::invalid(format!(
            "A column's name has letters, digits and underscores, begins with a letter, and has at most {NAME} characters."
        )));
    }
    if COLUMNS.iter().any(|(built_in, ..)| *built_in == name) {
        return Err(Error::invalid(format!("{name} is a built-in column. Choose another name.")));
    }
    let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let (question, pattern) = (given(question), given(pattern));
    let examples: Vec<String> = examples.into_iter().filter_map(|example| given(Some(example))).collect();
    if [question.is_some(), pattern.is_some(), !examples.is_empty()].iter().filter(|given| **given).count() != 1 {
        return Err(Error::invalid(
            "A column is defined by a question, by a pattern or by examples: give one of them.",
        ));
    }
    check_examples(&examples, column_type)?;
    if question.as_ref().or(pattern.as_ref()).is_some_and(|text| text.chars().count() > LONGEST) {
        return Err(Error::invalid(format!("A question or a pattern has at most {LONGEST} characters.")));
    }
    if let Some(pattern) = &pattern {
        custom_cells::compiled(pattern)?;
    }
    Ok(DefineColumn { name, question, pattern, examples, column_type })
}

fn check_examples(examples: &[String], column_type: ColumnType) -> Result<()> {
    if examples.is_empty() {
        return Ok(());
    }
    let (fewest, most) = (EXAMPLES.start(), EXAMPLES.end());
    if !EXAMPLES.contains(&examples.len()) {
        return Err(Error::invalid(format!(
            "A column needs {fewest} to {most} examples, and {} are given.",
            examples.len()
        ))
        .with_hint("Give one whole clause as each example, from different contracts."));
    }
    if examples.iter().any(|example| example.chars().count() > LONGEST_EXAMPLE) {
        return Err(Error::invalid(format!("An example has at most {LONGEST_EXAMPLE} characters.")));
    }
    if column_type != ColumnType::Text {
        return Err(Error::invalid("A column that is defined by examples has the type text."));
    }
    Ok(())
}

/// The columns with these names, in their order; those that are shown by default if none is named.
pub(super) fn chosen<'c>(all: &'c [Column], names: &[String]) -> Result<Vec<&'c Column>> {
    let by_default = || all.iter().filter(|column| column.by_default).collect();
    if names.is_empty() { Ok(by_default()) } else { names.iter().map(|name| named(all, name)).collect() }
}

pub(super) fn named<'c>(all: &'c [Column], name: &str) -> Result<&'c Column> {
    let wanted = name.trim().to_lowercase();
    all.iter().find(|column| column.name == wanted).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|column| column.name.as_str()).collect();
        Error::invalid(format!("There is no column \"{}\". The columns are {}.", name.trim(), known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_from_elsewhere_are_checked() {
        let column =
            json!({"name": "deposit", "question": null, "pattern": "deposit of (.*)", "column_type": "amount"});
        check(&json!([column])).unwrap();
        for (wrong, reason) in [
            (json!({"name": "deposit"}), "cannot be read"),
            (json!([{"name": "deposit", "pattern": "("}]), "The pattern cannot be read"),
            (json!(vec![column; MOST + 1]), "more than 100 columns"),
        ] {
            let message = check(&wrong).unwrap_err().message;
            assert!(message.contains(reason), "{message}");
        }
    }
}
