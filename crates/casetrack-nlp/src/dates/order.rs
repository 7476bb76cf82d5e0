//! The order of day and month in "01/05/2023", decided from the whole document.

use super::calendar::numeric_pair;
use crate::tokens::Tokens;

/// The order of day and month in dates of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateOrder {
    /// As in the United States, the default for English.
    #[default]
    MonthFirst,
    DayFirst,
}

/// How often the dates of a document leave no doubt about the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OrderEvidence {
    month_first: u32,
    day_first: u32,
}

impl OrderEvidence {
    pub fn add(&mut self, tokens: &Tokens) {
        for at in 0..tokens.len() {
            if !tokens.is_number(at) {
                continue;
            }
            match numeric_pair(tokens, at) {
                Some((13..=31, 1..=12)) => self.day_first += 1,
                Some((1..=12, 13..=31)) => self.month_first += 1,
                _ => {}
            }
        }
    }

    pub fn order(self) -> DateOrder {
        if self.day_first > self.month_first { DateOrder::DayFirst } else { DateOrder::MonthFirst }
    }
}

impl DateOrder {
    /// From all pages of a document. One pass over the text; cheap without digits.
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a str>) -> DateOrder {
        let mut evidence = OrderEvidence::default();
        for page in pages {
            if has_numeric_date(page) {
                evidence.add(&Tokens::new(page));
            }
        }
        evidence.order()
    }
}

/// True if the text has a digit between two separators of the same kind, as `numeric_pair` needs.
fn has_numeric_date(text: &str) -> bool {
    text.as_bytes().windows(3).any(|three| {
        matches!(three[0], b'/' | b'-')
            && three[1].is_ascii_digit()
            && (three[2] == three[0] || three[2].is_ascii_digit())
    })
}
