//! Conditions on the rows of the sheet, and their order: `governing_law=Delaware`, `expiry<2025`, `!venue`, `-expiry`.

use std::cmp::Ordering;

use casetrack_core::{Error, Result};

use super::CellValue;
use super::columns::{Column, ColumnType, named};
use super::values::{Value, of_cell, written};

#[derive(Debug)]
pub(super) struct Condition<'c> {
    pub column: &'c Column,
    operator: Operator,
    /// `None` for conditions that have none.
    value: Option<Value>,
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
        return Ok(Condition { column: named(all, name)?, operator, value: None });
    };
    let (name, rest) = condition.split_at(at);
    let found = OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, rest.strip_prefix(sign)?)));
    let (operator, value) = found.unwrap_or((Operator::Is, rest));
    let column = named(all, name)?;
    let refused = |why: &str| {
        let condition = condition.trim();
        Err(Error::invalid(format!("The condition \"{condition}\" {why}. {}", example(column))))
    };
    if value.trim().is_empty() {
        return refused("has no value");
    }
    if column.column_type == ColumnType::Text && !matches!(operator, Operator::Is | Operator::IsNot) {
        return refused("compares a text by size");
    }
    let Some(value) = written(column.column_type, value) else {
        return refused(match column.column_type {
            ColumnType::Date => "has no valid date",
            ColumnType::Duration => "has no length of time",
            _ => "has no sum",
        });
    };
    Ok(Condition { column, operator, value: Some(value) })
}

fn example(column: &Column) -> String {
    let name = &column.name;
    match column.column_type {
        ColumnType::Text => format!("Write a word that the value has, as in {name}=Delaware or {name}!=Delaware."),
        ColumnType::Date => format!("Write {name}<2025, {name}<2025-05, {name}<2025-05-31 or {name}=perpetual."),
        ColumnType::Duration => format!("Write {name}>=60 days or {name}>=2 months."),
        ColumnType::Amount => format!("Write {name}>1000000, {name}>20 million or {name}>USD 20000000."),
    }
}

impl Condition<'_> {
    pub fn holds(&self, values: &[CellValue]) -> bool {
        let compares = |wanted: fn(Ordering) -> bool| values.iter().any(|cell| self.compare(cell).is_some_and(wanted));
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
        match &self.value {
            Some(Value::Text(wanted)) => cell.value.to_lowercase().contains(wanted),
            _ => self.compare(cell) == Some(Ordering::Equal),
        }
    }

    fn compare(&self, cell: &CellValue) -> Option<Ordering> {
        of_cell(self.column.column_type, &cell.value)?.compare(self.value.as_ref()?)
    }

    /// True if sums are compared without regard to currency.
    pub fn ignores_currency(&self) -> bool {
        matches!(self.value, Some(Value::Amount { currency: None, .. }))
    }
}

pub(super) fn currency(cell: &CellValue) -> Option<String> {
    of_cell(ColumnType::Amount, &cell.value)?.currency().map(str::to_owned)
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
                let of_cell = |cell: &CellValue| of_cell(self.column.column_type, &cell.value);
                let order = match (of_cell(a), of_cell(b)) {
                    (Some(own), Some(other)) => own.order(&other),
                    // Cells without a value of the type are last.
                    (own, other) => own.is_none().cmp(&other.is_none()).then_with(|| a.value.cmp(&b.value)),
                };
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
    use casetrack_host::documents::facts::CitedPlace;

    fn columns() -> Vec<Column> {
        let column = |name: &str, column_type| Column {
            name: name.to_owned(),
            column_type,
            source: Source::Fact(FactKind::Title),
            by_default: true,
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
        vec![CellValue { value: value.to_owned(), computed: None, place, confidence: 90, clause: None }]
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
            ("amounts>USD 1000000", "USD 2500000", true),
            ("amounts>USD 1000000", "EUR 2500000", false),
            ("amounts>1e6", "2500000 EUR", true),
            ("amounts>20 million", "USD 2500000", false),
            ("expiry<May 2025", "2025-04-30", true),
            ("expiry<May 2025", "2025-05-31", false),
            ("expiry<31/12/2025", "2025-12-30", true),
            ("expiry<2025-1-5", "2025-01-04", true),
            ("expiry<2025-1-5", "2025-01-10", false),
            ("notice>=two months", "3 months", true),
            ("notice>=two months", "30 days", false),
            ("expiry", "2025-03-01", true),
            ("!expiry", "2025-03-01", false),
        ] {
            assert_eq!(holds(condition, value), expected, "{condition} of {value}");
        }
        assert!(one(&columns, "!expiry").unwrap().holds(&[]));
        assert!(one(&columns, "law!=delaware").unwrap().holds(&[]));
        for wrong in ["colour=red", "expiry<", "", "law<m"] {
            assert!(one(&columns, wrong).is_err(), "{wrong}");
        }
        for (wrong, example) in [
            ("expiry<soon", "expiry<2025-05-31"),
            ("expiry<5/6/2025", "expiry<2025-05-31"),
            ("notice>=long", "notice>=60 days"),
            ("amounts>much", "amounts>USD 20000000"),
        ] {
            let message = one(&columns, wrong).unwrap_err().message;
            assert!(message.contains(example), "{message}");
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
