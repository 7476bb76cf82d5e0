//! Dates in English text and their roles.
//!
//! | file | what |
//! |---|---|
//! | calendar | written days and months |
//! | periods | quarters, halves, fiscal years, bare years |
//! | date_parts | the days of a written date, and ranges |
//! | durations | "ninety (90) days" |
//! | east_asian | "令和5年4月1日" |
//! | left_out | days that a calendar leaves out |
//! | order | day or month first in dates of digits, as the dates decide it |
//! | roles | "effective date", "due date": the words around a date |
//! | relative | "thirty days after the Effective Date" |
//!
//! Cost: linear; rules of bounded reach look at each token.

mod calendar;
mod date_parts;
mod durations;
pub(crate) mod east_asian;
mod left_out;
mod order;
mod periods;
mod relative;
mod roles;

use std::collections::BTreeMap;

use casetrack_core::{DatePrecision, DateValue, EntityType, EntityValue, Mention};

pub(crate) use calendar::century;
pub(crate) use date_parts::DateParts;
pub(crate) use durations::Unit;
pub use durations::{Duration, duration, unit};
pub(crate) use left_out::without_left_out;
pub use order::DateOrder;
pub(crate) use order::Votes;
use relative::RelativeDate;

use crate::tokens::{Gap, Kind, Tokens};

#[derive(Debug, Default)]
pub struct PageDates {
    /// In text order, without overlap.
    pub mentions: Vec<Mention>,
    /// Those whose day depends on a date that may be on another page.
    pub relative: Vec<(RelativeDate, (u32, u32))>,
}

pub fn find(tokens: &Tokens, order: DateOrder) -> PageDates {
    let mut found = PageDates::default();
    let mut at = 0;
    while at < tokens.len() {
        if let Some((stated, end)) = date_at(tokens, at, order)
            && let Some(value) = stated.value()
        {
            let (char_start, char_end) = tokens.span(at, end);
            let role = roles::role(tokens, at, end);
            found.mentions.push(mention(char_start, char_end, value, role));
            at = end;
            continue;
        }
        if let Some(relative) = relative::relative(tokens, at) {
            let span = tokens.span(relative.first, relative.end);
            at = relative.end;
            found.relative.push((relative, span));
            continue;
        }
        at += 1;
    }
    found
}

fn mention(char_start: u32, char_end: u32, value: DateValue, role: Option<String>) -> Mention {
    Mention { entity_type: EntityType::Date, char_start, char_end, value: Some(EntityValue::Date(value)), role }
}

fn date_at(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(DateParts, usize)> {
    let (stated, end) = single(tokens, at, order)?;
    // "between January 1, 2001, and March 31, 2002"
    let joint = end + usize::from(tokens.symbol(end) == ',' && tokens.word(end + 1) == "and");
    let connected = match tokens.symbol(joint) {
        '-' | '–' | '—' => true,
        _ => match tokens.word(joint) {
            "to" | "through" | "thru" | "until" | "till" => true,
            "and" => (at.saturating_sub(2)..at).any(|word| tokens.word(word) == "between"),
            _ => false,
        },
    };
    if connected {
        let mut next = joint + 1;
        while matches!(tokens.word(next), "and" | "including" | "the") || tokens.symbol(next) == ',' && next < end + 4 {
            next += 1;
        }
        let last = single(tokens, next, order).or_else(|| match stated {
            DateParts::Year(_) => calendar::year_at(tokens, next).map(|(year, end)| (DateParts::Year(year), end)),
            _ => None,
        });
        if let Some((last, last_end)) = last
            && let Some(range) = stated.to(last)
            && whole(tokens, at, last_end)
        {
            return Some((range, last_end));
        }
    }
    Some((stated, end))
}

fn single(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(DateParts, usize)> {
    let found = match tokens.kind(at)? {
        Kind::Word => match tokens.word(at).as_bytes().first()? {
            b'j' | b'f' | b'm' | b'a' | b's' | b'o' | b'n' | b'd' | b'q' | b'h' | b't' | b'e' | b'y' | b'c' => {
                calendar::month_first(tokens, at)
                    .or_else(|| periods::period(tokens, at))
                    .or_else(|| calendar::day_first(tokens, at))
            }
            _ => None,
        },
        Kind::Number => calendar::numeric(tokens, at, order)
            .or_else(|| outside_number(tokens, at).then(|| calendar::day_first(tokens, at)).flatten())
            .or_else(|| periods::number_quarter(tokens, at))
            .or_else(|| periods::period(tokens, at))
            .or_else(|| periods::bare_year(tokens, at)),
        Kind::Symbol => calendar::numeric(tokens, at, order).or_else(|| calendar::day_first(tokens, at)),
    };
    found.filter(|(_, end)| whole(tokens, at, *end))
}

/// Not the end of a longer number: "4.5 March", "$5 May".
fn outside_number(tokens: &Tokens, at: usize) -> bool {
    at == 0
        || !tokens.glued(at)
        || !matches!(tokens.symbol(at - 1), '.' | '$' | '€' | '£' | '#') && !tokens.is_word(at - 1)
}

/// No date crosses a blank line.
fn whole(tokens: &Tokens, from: usize, to: usize) -> bool {
    (from + 1..to).all(|at| tokens.gap(at) != Gap::Paragraph)
}

/// One day stated at this token, in ISO 8601, and the token after it.
pub(crate) fn day(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(String, usize)> {
    match single(tokens, at, order)? {
        (DateParts::Day(date), end) => Some((date.to_string(), end)),
        _ => None,
    }
}

/// Days that dates of a document have by their role, for relative dates: a role that different days have is left out, and so is one with a date of
/// two readings.
#[derive(Debug, Default)]
pub struct Anchors(BTreeMap<String, Option<(DateValue, u32)>>);

impl Anchors {
    /// The dates of a page, counted from 1.
    pub fn add(&mut self, mentions: &[Mention], page: u32) {
        for mention in mentions {
            if let (Some(role), Some(EntityValue::Date(value))) = (&mention.role, &mention.value)
                && matches!(value.precision, DatePrecision::Day | DatePrecision::Ambiguous)
            {
                let known = self.0.entry(role.clone()).or_insert_with(|| Some((value.clone(), page)));
                if value.precision == DatePrecision::Ambiguous
                    || known.as_ref().is_some_and(|(known, _)| known != value)
                {
                    *known = None;
                }
            }
        }
    }

    /// The mention of a relative date, if its anchor is known. Its role states the computation: "computed: 30 days from
    /// 1998-06-01 (p. 2)", after the role that the text gives it.
    pub fn resolve(&self, relative: &RelativeDate, span: (u32, u32)) -> Option<Mention> {
        let (anchor, page) = self
            .0
            .get(&relative.anchor)
            .or_else(|| self.0.get(relative::substitute(&relative.anchor)?))
            .and_then(Option::as_ref)?;
        let from = anchor.first.parse().ok()?;
        let end = relative.resolve(from)?;
        let value = DateValue { first: end.to_string(), last: end.to_string(), precision: DatePrecision::Day };
        let kind = relative.end_of_term(from, end);
        let computed = format!("computed: {} {} (p. {page}){kind}", relative.arithmetic(), anchor.first);
        let role = match &relative.role {
            Some(role) => format!("{role}, {computed}"),
            None => computed,
        };
        Some(mention(span.0, span.1, value, Some(role)))
    }
}

#[cfg(test)]
mod tests;
