//! Values that conditions compare cells with, read by the type of their column, and cells as values.

use std::cmp::Ordering;

use casetrack_core::EntityType;
use casetrack_nlp::{DateOrder, length_of_time, value_key};

use super::columns::ColumnType;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// In small letters.
    Text(String),
    /// First and last day, ISO 8601.
    Days(String, String),
    /// After every day.
    Never,
    /// In days.
    Length(f64),
    Amount {
        number: f64,
        /// ISO 4217; `None` compares with sums of every currency.
        currency: Option<String>,
    },
}

/// The value that a user wrote in a condition on a column of a type; `None` if it does not have this type.
pub(super) fn written(column_type: ColumnType, text: &str) -> Option<Value> {
    let text = text.trim();
    match column_type {
        ColumnType::Text => Some(Value::Text(text.to_lowercase())),
        ColumnType::Date if is_never(text) => Some(Value::Never),
        ColumnType::Date => iso(text).or_else(|| days_of_key(&dated(text)?)),
        ColumnType::Duration => {
            let of_days = |text: &str| text.parse().ok().filter(|days: &f64| days.is_finite()).map(Value::Length);
            of_days(text).or_else(|| Some(Value::Length(length(&length_of_time(text)?)?)))
        }
        ColumnType::Amount => amount(text),
    }
}

pub(super) fn of_cell(column_type: ColumnType, cell: &str) -> Option<Value> {
    match column_type {
        ColumnType::Text => Some(Value::Text(cell.to_lowercase())),
        ColumnType::Date if is_never(cell) => Some(Value::Never),
        ColumnType::Date => iso(cell).or_else(|| days_of_key(cell)),
        ColumnType::Duration => Some(Value::Length(length(cell)?)),
        ColumnType::Amount => {
            let (first, second) = cell.split_once(' ')?;
            let (number, currency) = match first.parse::<f64>() {
                Ok(number) => (number, second),
                Err(_) => (second.parse().ok()?, first),
            };
            Some(Value::Amount { number, currency: Some(currency.to_owned()) })
        }
    }
}

impl Value {
    /// The order of the cell and a written value; `None` if they cannot be compared, as sums of two currencies. A value of several days is
    /// equal to each of them.
    pub fn compare(&self, written: &Self) -> Option<Ordering> {
        match (self, written) {
            (Self::Text(own), Self::Text(other)) => Some(own.cmp(other)),
            (Self::Days(_, last), Self::Days(from, _)) if last < from => Some(Ordering::Less),
            (Self::Days(first, _), Self::Days(_, to)) if first > to => Some(Ordering::Greater),
            (Self::Days(..), Self::Days(..)) => Some(Ordering::Equal),
            (Self::Never, Self::Never) => Some(Ordering::Equal),
            (Self::Never, Self::Days(..)) => Some(Ordering::Greater),
            (Self::Days(..), Self::Never) => Some(Ordering::Less),
            (Self::Length(own), Self::Length(other)) => own.partial_cmp(other),
            (Self::Amount { number, currency }, Self::Amount { number: other, currency: wanted }) => {
                let is_same = wanted.is_none() || currency == wanted;
                is_same.then(|| number.partial_cmp(other)).flatten()
            }
            _ => None,
        }
    }

    /// A total order of the values of one type. Sums are in the order of their numbers, in any currency.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(own), Self::Text(other)) => own.cmp(other),
            (Self::Days(first, last), Self::Days(from, to)) => (first, last).cmp(&(from, to)),
            (Self::Length(own), Self::Length(other)) => own.total_cmp(other),
            (Self::Amount { number, currency }, Self::Amount { number: other, currency: theirs }) => {
                number.total_cmp(other).then_with(|| currency.cmp(theirs))
            }
            // A term that never ends is after every day.
            (own, other) => matches!(own, Self::Never).cmp(&matches!(other, Self::Never)),
        }
    }

    pub fn currency(&self) -> Option<&str> {
        match self {
            Self::Amount { currency, .. } => currency.as_deref(),
            _ => None,
        }
    }
}

fn is_never(text: &str) -> bool {
    matches!(text.to_lowercase().as_str(), "perpetual" | "never")
}

/// A year, month or day with numbers: 2025, 2025-5, 2025-01-05.
fn iso(text: &str) -> Option<Value> {
    let mut parts = text.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?;
    let mut number = |most: u8| match parts.next() {
        None => Some(None),
        Some(part) if part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit()) => {
            part.parse::<u8>().ok().filter(|number| (1..=most).contains(number)).map(Some)
        }
        Some(_) => None,
    };
    let (month, day) = (number(12)?, number(31)?);
    if parts.next().is_some() || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let written = |month: u8, day: u8| format!("{year}-{month:02}-{day:02}");
    let first = written(month.unwrap_or(1), day.unwrap_or(1));
    Some(Value::Days(first, written(month.unwrap_or(12), day.unwrap_or(31))))
}

/// The key of a date in words or numbers: "May 2025", "31/12/2025", but not "5/6/2025", which has two readings.
fn dated(text: &str) -> Option<String> {
    value_key(text, None, DateOrder::Unknown).filter(|(of_type, _)| *of_type == EntityType::Date).map(|(_, key)| key)
}

/// "2025-05-01/2025-05-31"
fn days_of_key(key: &str) -> Option<Value> {
    let (first, last) = key.split_once('/').unwrap_or((key, key));
    match (iso(first)?, iso(last)?) {
        (Value::Days(first, _), Value::Days(_, last)) => Some(Value::Days(first, last)),
        _ => None,
    }
}

/// Days of "successive 1 year", "30 days".
fn length(text: &str) -> Option<f64> {
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

/// "USD 20000000", "$20 million", "20 million", "1e6".
fn amount(text: &str) -> Option<Value> {
    let key = |text: &str| {
        value_key(text, None, DateOrder::Unknown)
            .filter(|(of_type, _)| *of_type == EntityType::Amount)
            .map(|(_, key)| key)
    };
    let of_key = |key: String| {
        let (number, currency) = key.split_once(' ')?;
        Some((number.parse::<f64>().ok()?, currency.to_owned()))
    };
    let text = text.to_uppercase();
    if let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) {
        return Some(Value::Amount { number, currency: None });
    }
    let written =
        text.replace(" MILLION", " million").replace(" BILLION", " billion").replace(" THOUSAND", " thousand");
    if let Some((number, currency)) = key(&written).and_then(of_key) {
        return (currency != "%").then_some(Value::Amount { number, currency: Some(currency) });
    }
    let (number, _) = key(&format!("USD {written}")).and_then(of_key)?;
    Some(Value::Amount { number, currency: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_people_write_them_or_not_at_all() {
        let days = |first: &str, last: &str| Some(Value::Days(first.to_owned(), last.to_owned()));
        for (text, expected) in [
            ("2025", days("2025-01-01", "2025-12-31")),
            ("2025-1-5", days("2025-01-05", "2025-01-05")),
            ("May 2025", days("2025-05-01", "2025-05-31")),
            ("31/12/2025", days("2025-12-31", "2025-12-31")),
            ("5 May 2025", days("2025-05-05", "2025-05-05")),
            ("Perpetual", Some(Value::Never)),
            ("5/6/2025", None),
            ("2025-13", None),
            ("soon", None),
        ] {
            assert_eq!(written(ColumnType::Date, text), expected, "{text}");
        }
        for (text, expected) in
            [("two months", Some(730.0 / 12.0)), ("60", Some(60.0)), ("1 week", Some(7.0)), ("long", None)]
        {
            assert_eq!(written(ColumnType::Duration, text), expected.map(Value::Length), "{text}");
        }
        for (text, number, currency) in [
            ("20 million", 20e6, None),
            ("1e6", 1e6, None),
            ("20,000,000", 20e6, None),
            ("USD 20000000", 20e6, Some("USD")),
            ("$1.5 million", 1.5e6, Some("USD")),
            ("eur 500", 500.0, Some("EUR")),
        ] {
            let currency = currency.map(str::to_owned);
            assert_eq!(written(ColumnType::Amount, text), Some(Value::Amount { number, currency }), "{text}");
        }
        for wrong in ["much", "5 %", "NaN", "inf"] {
            assert_eq!(written(ColumnType::Amount, wrong), None, "{wrong}");
        }
    }
}
