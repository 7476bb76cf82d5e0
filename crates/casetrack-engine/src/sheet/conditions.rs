//! Conditions on the rows of the sheet, and their order: `governing_law=Delaware`, `expiry<2025`, `!venue`, `-expiry`.

use std::cmp::Ordering;

use casetrack_core::{Error, Result};

use super::CellValue;
use super::columns::{Column, ColumnType, named};

#[derive(Debug)]
pub(super) struct Condition<'c> {
    pub column: &'c Column,
    operator: Operator,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Found,
    NotFound,
    /// Contains the text, or begins with the date.
    Is,
    IsNot,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// By length, longest first.
const OPERATORS: [(&str, Operator); 6] = [
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("!=", Operator::IsNot),
    ("=", Operator::Is),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

pub(super) fn parse<'c>(all: &'c [Column], conditions: &[String]) -> Result<Vec<Condition<'c>>> {
    conditions.iter().map(|condition| one(all, condition)).collect()
}

fn one<'c>(all: &'c [Column], condition: &str) -> Result<Condition<'c>> {
    let at = condition.find(['<', '>', '=']).map(|at| at - usize::from(condition[..at].ends_with('!')));
    let Some(at) = at else {
        let (operator, name) = match condition.trim().strip_prefix('!') {
            Some(name) => (Operator::NotFound, name),
            None => (Operator::Found, condition),
        };
        return Ok(Condition { column: named(all, name)?, operator, value: String::new() });
    };
    let (name, rest) = condition.split_at(at);
    let found = OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, rest.strip_prefix(sign)?)));
    let (operator, value) = found.unwrap_or((Operator::Is, rest));
    let value = value.trim().to_lowercase();
    if value.is_empty() {
        return Err(Error::invalid(format!(
            "The condition \"{}\" has no value. Write a column, a sign and a value, as in governing_law=Delaware or expiry<2025.",
            condition.trim()
        )));
    }
    Ok(Condition { column: named(all, name)?, operator, value })
}

impl Condition<'_> {
    pub fn holds(&self, values: &[CellValue]) -> bool {
        let compares = |wanted: fn(Ordering) -> bool| {
            values.iter().any(|cell| compare(self.column.column_type, &cell.value, &self.value).is_some_and(wanted))
        };
        match self.operator {
            Operator::Found => !values.is_empty(),
            Operator::NotFound => values.is_empty(),
            Operator::Is => values.iter().any(|cell| self.is(cell)),
            Operator::IsNot => !values.iter().any(|cell| self.is(cell)),
            Operator::Less => compares(Ordering::is_lt),
            Operator::LessOrEqual => compares(Ordering::is_le),
            Operator::Greater => compares(Ordering::is_gt),
            Operator::GreaterOrEqual => compares(Ordering::is_ge),
        }
    }

    fn is(&self, cell: &CellValue) -> bool {
        match self.column.column_type {
            ColumnType::Text => cell.value.to_lowercase().contains(&self.value),
            of_type => compare(of_type, &cell.value, &self.value) == Some(Ordering::Equal),
        }
    }
}

/// Compares a cell with a value of its type; `None` where they cannot be compared. A date of fewer parts stands for all days that it has.
fn compare(column_type: ColumnType, cell: &str, value: &str) -> Option<Ordering> {
    match column_type {
        ColumnType::Text => Some(cell.to_lowercase().as_str().cmp(value)),
        ColumnType::Date => {
            let is_day = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
            match (is_day(cell), is_day(value)) {
                (true, true) => Some(cell.get(..value.len().min(cell.len()))?.cmp(value)),
                (false, false) => Some(cell.to_lowercase().as_str().cmp(value)),
                // What never ends is after every day.
                (false, true) => Some(Ordering::Greater),
                (true, false) => Some(Ordering::Less),
            }
        }
        ColumnType::Duration => days(cell)?.partial_cmp(&days(value)?),
        ColumnType::Amount => number(cell)?.partial_cmp(&number(value)?),
    }
}

/// Days of "successive 1 year", "30 days".
fn days(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| word.parse::<f64>().is_ok())?;
    let count: f64 = words.get(at)?.parse().ok()?;
    let unit = words[at..].iter().find_map(|word| match word.trim_end_matches('s') {
        "day" => Some(1.0),
        "week" => Some(7.0),
        "month" => Some(365.0 / 12.0),
        "year" => Some(365.0),
        _ => None,
    });
    Some(count * unit.unwrap_or(1.0))
}

fn number(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | '-')).collect();
    digits.parse().ok()
}

/// An order of rows: those without a value are last, in either direction.
pub(super) struct Order<'c> {
    pub column: &'c Column,
    reversed: bool,
}

pub(super) fn order<'c>(all: &'c [Column], sort: &str) -> Result<Order<'c>> {
    let (name, reversed) = sort.trim().strip_prefix('-').map_or((sort, false), |name| (name, true));
    Ok(Order { column: named(all, name)?, reversed })
}

impl Order<'_> {
    pub fn compare(&self, a: &[CellValue], b: &[CellValue]) -> Ordering {
        match (a.first(), b.first()) {
            (Some(a), Some(b)) => {
                let order = compare(self.column.column_type, &a.value, &b.value.to_lowercase());
                let order = order.unwrap_or_else(|| a.value.cmp(&b.value));
                if self.reversed { order.reverse() } else { order }
            }
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use casetrack_nlp::FactKind;

    use super::super::columns::Source;
    use super::*;
    use crate::documents::facts::CitedPlace;

    fn columns() -> Vec<Column> {
        let column = |name: &str, column_type| Column {
            name: name.to_owned(),
            column_type,
            source: Source::Fact(FactKind::Title),
        };
        vec![
            column("law", ColumnType::Text),
            column("expiry", ColumnType::Date),
            column("notice", ColumnType::Duration),
            column("amounts", ColumnType::Amount),
        ]
    }

    fn cell(value: &str) -> Vec<CellValue> {
        let place = CitedPlace { place: "p. 1".to_owned(), page: 1, char_start: 0, char_end: 1 };
        vec![CellValue { value: value.to_owned(), computed: None, place, confidence: 90 }]
    }

    #[test]
    fn values_are_compared_by_the_type_of_their_column() {
        let columns = columns();
        let holds = |condition: &str, value: &str| one(&columns, condition).unwrap().holds(&cell(value));
        for (condition, value, expected) in [
            ("law=delaware", "State of Delaware", true),
            ("law!=delaware", "New York", true),
            ("expiry<2025", "2024-12-31", true),
            ("expiry<2025", "2025-01-01", false),
            ("expiry<=2025", "2025-06-01", true),
            ("expiry>=2025-03", "2025-03-01", true),
            ("expiry = 2025", "2025-03-01", true),
            ("expiry>2030", "perpetual", true),
            ("expiry=perpetual", "perpetual", true),
            ("notice>=60 days", "3 months", true),
            ("notice<1 month", "30 days", true),
            ("amounts>1000000", "USD 2500000", true),
            ("expiry", "2025-03-01", true),
            ("!expiry", "2025-03-01", false),
        ] {
            assert_eq!(holds(condition, value), expected, "{condition} of {value}");
        }
        assert!(one(&columns, "!expiry").unwrap().holds(&[]));
        assert!(one(&columns, "law!=delaware").unwrap().holds(&[]));
        for wrong in ["colour=red", "expiry<", ""] {
            assert!(one(&columns, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_without_a_value_are_last_in_either_order() {
        let columns = columns();
        for (sort, first) in [("expiry", Ordering::Less), ("-expiry", Ordering::Greater)] {
            let order = order(&columns, sort).unwrap();
            assert_eq!(order.compare(&cell("2024-01-01"), &cell("perpetual")), first);
            assert_eq!(order.compare(&cell("2024-01-01"), &[]), Ordering::Less);
        }
    }
}
