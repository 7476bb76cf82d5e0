//! The order of day and month in "01/05/2023", as the dates of a document decide it.

use std::collections::HashSet;

use jiff::civil::{Date, Weekday};

use super::calendar::numeric;
use super::date_parts::DateParts;
use crate::tokens::Tokens;

/// The order of day and month in dates of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateOrder {
    /// Nothing decides it: a date with two readings has no day.
    #[default]
    Unknown,
    /// As in the United States.
    MonthFirst,
    DayFirst,
}

/// Signs of the two orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Votes {
    pub day_first: usize,
    pub month_first: usize,
}

/// How many times as many signs an order needs as the other one has.
const CLEAR: usize = 3;

impl Votes {
    /// The order that almost all signs are of.
    pub fn order(self) -> DateOrder {
        match (self.day_first, self.month_first) {
            (day, month) if day > 0 && day >= CLEAR * month => DateOrder::DayFirst,
            (day, month) if month > 0 && month >= CLEAR * day => DateOrder::MonthFirst,
            _ => DateOrder::Unknown,
        }
    }

    fn any(self) -> bool {
        self.day_first + self.month_first > 0
    }

    fn add(&mut self, is_day_first: bool, is_month_first: bool) {
        self.day_first += usize::from(is_day_first && !is_month_first);
        self.month_first += usize::from(is_month_first && !is_day_first);
    }
}

impl DateOrder {
    /// As the dates of a text in digits decide it: "31/12/2023", "Monday, 01/05/2023". Cheap for texts without such dates.
    pub fn of(text: &str) -> DateOrder {
        Digits::of([text]).votes.order()
    }

    /// As the dates of a document decide it; `None` if its other signs must. Linear; cheap without dates that have two readings.
    pub(crate) fn by_dates(pages: &[&str]) -> Option<DateOrder> {
        let digits = Digits::of(pages.iter().copied());
        // A document that contradicts itself is decided by nothing else.
        if digits.ambiguous.is_empty() || digits.votes.any() {
            return Some(digits.votes.order());
        }
        let known = |order: DateOrder| Some(order).filter(|order| *order != DateOrder::Unknown);
        known(digits.like_days_in_words(pages).order()).or_else(|| known(written_order(pages)))
    }
}

/// The dates in digits of a document.
#[derive(Debug, Default)]
struct Digits {
    votes: Votes,
    /// Those with two readings: day first, and month first.
    ambiguous: Vec<(Date, Date)>,
}

impl Digits {
    fn of<'a>(pages: impl IntoIterator<Item = &'a str>) -> Self {
        let mut digits = Self::default();
        for page in pages.into_iter().filter(|page| has_numeric_date(page)) {
            digits.add(page);
        }
        digits
    }

    fn add(&mut self, page: &str) {
        let tokens = Tokens::new(page);
        let mut at = 0;
        while at < tokens.len() {
            let Some((stated, end)) = tokens.is_number(at).then(|| numeric(&tokens, at, DateOrder::Unknown)).flatten()
            else {
                at += 1;
                continue;
            };
            match stated {
                DateParts::Ambiguous { day_first, month_first } => {
                    if let Some(weekday) = weekday_before(&tokens, at) {
                        self.votes.add(day_first.weekday() == weekday, month_first.weekday() == weekday);
                    }
                    self.ambiguous.push((day_first, month_first));
                }
                DateParts::Day(day) if separated(&tokens, at) && !filed(&tokens, page, at) => {
                    let is_first = |part: i8| tokens.number(at) == Some(part.unsigned_abs().into());
                    self.votes.add(is_first(day.day()), is_first(day.month()));
                }
                _ => {}
            }
            at = end;
        }
    }

    /// Signs from days that the document also states without doubt, as "June 5, 2021".
    fn like_days_in_words(&self, pages: &[&str]) -> Votes {
        let mut clear: HashSet<Date> = HashSet::new();
        for page in pages {
            let tokens = Tokens::new(page);
            clear.extend((0..tokens.len()).filter_map(|at| match super::single(&tokens, at, DateOrder::Unknown)? {
                (DateParts::Day(day), _) => Some(day),
                _ => None,
            }));
        }
        let mut votes = Votes::default();
        for (day_first, month_first) in &self.ambiguous {
            votes.add(clear.contains(day_first), clear.contains(month_first));
        }
        votes
    }
}

/// The order that a document writes in letters, as forms do: "dd/mm/yyyy", "MM-DD-YY", "jj/mm/aaaa".
fn written_order(pages: &[&str]) -> DateOrder {
    let mut votes = Votes::default();
    for page in pages {
        let tokens = Tokens::new(page);
        for at in 2..tokens.len() {
            let between = tokens.symbol(at - 1);
            if !matches!(between, '/' | '-' | '.') || tokens.symbol(at + 1) != between {
                continue;
            }
            let year = ["y", "a", "j"].iter().any(|year| tokens.word(at + 2).starts_with(year));
            let is_day = |at: usize| matches!(tokens.word(at), "d" | "dd" | "j" | "jj" | "t" | "tt" | "g" | "gg");
            let is_month = |at: usize| matches!(tokens.word(at), "m" | "mm");
            votes.add(year && is_day(at - 2) && is_month(at), year && is_month(at - 2) && is_day(at));
        }
    }
    votes.order()
}

/// True if slashes or hyphens are between two numbers and a year. Points have the day first everywhere.
fn separated(tokens: &Tokens, at: usize) -> bool {
    tokens.surface(at).len() <= 2 && matches!(tokens.symbol(at + 1), '/' | '-')
}

/// True for the day in a line that an archive of the United States adds: "Source: ACME, INC., 8-K, 7/19/2004".
fn filed(tokens: &Tokens, page: &str, at: usize) -> bool {
    let before = &page[..tokens.bytes(at).0];
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    line.trim_start().starts_with("Source:")
}

/// The weekday right before a date: "Monday, 01/05/2023", "Monday (01/05/2023".
fn weekday_before(tokens: &Tokens, at: usize) -> Option<Weekday> {
    let last = at.checked_sub(1)?;
    let word = last.checked_sub(usize::from(matches!(tokens.symbol(last), ',' | '(')))?;
    Some(match tokens.word(word) {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// True if the text has a digit behind a separator, and another one or a separator of the same kind, as dates in digits need. OCR may set them
/// apart.
fn has_numeric_date(text: &str) -> bool {
    text.as_bytes().windows(3).any(|three| {
        matches!(three[0], b'/' | b'-')
            && three[1].is_ascii_digit()
            && (three[2] == three[0] || three[2].is_ascii_digit())
            || three.starts_with(b"/ ") && three[2].is_ascii_digit()
    })
}
