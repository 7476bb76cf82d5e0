//! Written days and months: "January 5, 2023", "the 5th day of January, 2023", "2023-01-05", "01/05/2023".

use jiff::civil::Date;

use super::date_parts::DateParts;
use super::order::DateOrder;
use crate::numbers::{cardinal, ordinal};
use crate::tokens::{Gap, Tokens};

word_lists! {
    MONTHS: list = "dates/months.txt";
}

fn month_name(word: &str) -> Option<i8> {
    if !(3..=9).contains(&word.len()) || !word.is_ascii() {
        return None;
    }
    let at = MONTHS.iter().position(|month| *month == word || month[..3] == *word)?;
    Some(at as i8 + 1)
}

fn month_at(tokens: &Tokens, at: usize) -> Option<(i8, usize)> {
    let word = tokens.word(at);
    let month = if word == "sept" { 9 } else { month_name(word)? };
    let point = word.len() <= 4 && tokens.symbol(at + 1) == '.' && tokens.glued(at + 1);
    Some((month, at + 1 + usize::from(point)))
}

/// A day of the month in digits, with or without "st", "nd", "rd", "th", or in words; possibly both: "fifth (5th)".
fn day_at(tokens: &Tokens, at: usize) -> Option<(i8, usize)> {
    let (day, next) = match ordinal(tokens, at) {
        Some(found) => found,
        None if tokens.surface(at).len() <= 2 => (tokens.number(at)?, at + 1),
        None => return None,
    };
    let next = match (tokens.symbol(next), ordinal(tokens, next + 1).or(tokens.number(next + 1).map(|n| (n, next + 2))))
    {
        ('(', Some((same, close))) if same == day && tokens.symbol(close) == ')' => close + 1,
        _ => next,
    };
    if (1..=31).contains(&day) { Some((day as i8, next)) } else { None }
}

/// Two digits of a year: 69 to 99 are of the last century, as in POSIX.
pub fn century(two_digits: u32) -> i16 {
    let year = two_digits as i16;
    if year < 69 { 2000 + year } else { 1900 + year }
}

/// A year: four digits, an apostrophe and two, or words ("two thousand nineteen"), the last possibly with "(2019)" after it.
pub fn year_at(tokens: &Tokens, at: usize) -> Option<(i16, usize)> {
    if tokens.is_number(at) {
        let year = tokens.number(at)?;
        return (tokens.surface(at).len() == 4 && (1600..2200).contains(&year)).then_some((year as i16, at + 1));
    }
    if matches!(tokens.symbol(at), '\'' | '’' | '‘') && tokens.glued(at + 1) && tokens.surface(at + 1).len() == 2 {
        return Some((century(tokens.number(at + 1)?), at + 2));
    }
    let (mut year, mut next) = cardinal(tokens, at)?;
    if matches!(year, 19 | 20) {
        let (rest, after) = cardinal(tokens, next).filter(|(rest, _)| (10..100).contains(rest))?;
        (year, next) = (year * 100 + rest, after);
    }
    if tokens.symbol(next) == '('
        && tokens.number(next + 1) == u32::try_from(year).ok()
        && tokens.symbol(next + 2) == ')'
    {
        next += 3;
    }
    (1900..2100).contains(&year).then_some((year as i16, next))
}

/// A placeholder still to be filled in: `____`, `[]`, `[●]`, `[ * ]`, `●`.
pub fn blank_at(tokens: &Tokens, at: usize) -> Option<usize> {
    match tokens.symbol(at) {
        '_' | '●' | '•' => Some(at + 1),
        '[' => {
            let close = (at + 1..at + 6).find(|next| tokens.symbol(*next) == ']')?;
            (at + 1..close)
                .all(|inner| matches!(tokens.symbol(inner), '_' | '●' | '•' | '*' | '.'))
                .then_some(close + 1)
        }
        _ => None,
    }
}

/// A comma, "of", "in", "in the year" and the like between a month or a day and its year.
fn before_year(tokens: &Tokens, mut at: usize) -> usize {
    if matches!(tokens.symbol(at), ',' | '.' | '-' | '/') && tokens.symbol(at) != '\0' {
        at += 1;
    }
    // "May, A.D. 2004"
    match (tokens.word(at), tokens.word(at + 2)) {
        ("ad", _) => at += 1 + usize::from(tokens.symbol(at + 1) == ','),
        ("a", "d") if tokens.symbol(at + 1) == '.' => {
            at += 3 + usize::from(tokens.symbol(at + 3) == '.');
            at += usize::from(tokens.symbol(at) == ',');
        }
        _ => {}
    }
    if matches!(tokens.word(at), "of" | "in") {
        at += 1;
        if tokens.has(at, &["the", "year"]) {
            at += 2 + 3 * usize::from(tokens.has(at + 2, &["of", "our", "lord"]));
        } else if tokens.word(at) == "year" {
            at += 1;
        }
    }
    at
}

fn dash(tokens: &Tokens, at: usize) -> bool {
    matches!(tokens.symbol(at), '-' | '–' | '—') || matches!(tokens.word(at), "to" | "through")
}

pub fn month_first(tokens: &Tokens, at: usize) -> Option<(DateParts, usize)> {
    let (month, next) = month_at(tokens, at)?;
    if tokens.glued(at) && at > 0 && (tokens.is_number(at - 1) || tokens.symbol(at - 1) == '_') {
        return None;
    }
    // "April. 1st 2019": a point after a whole name belongs to the date only before a day and a year.
    if tokens.symbol(next) == '.'
        && tokens.glued(next)
        && let Some((day, after)) = day_at(tokens, next + 1).filter(|_| tokens.gap(next + 1) <= Gap::Space)
        && let Some((year, end)) = year_at(tokens, before_year(tokens, after))
    {
        return Some((DateParts::day(year, month, day)?, end));
    }
    let capitalized = tokens.is_capitalized(at);
    let separated = if matches!(tokens.symbol(next), '-' | '/') && tokens.glued(next) { next + 1 } else { next };
    if let Some((day, after)) = day_at(tokens, separated).filter(|_| tokens.gap(separated) <= Gap::Line) {
        // a year of two digits is one only in "Jan-05-23"
        if separated > next
            && tokens.symbol(after) == tokens.symbol(next)
            && tokens.surface(after + 1).len() == 2
            && let Some(year) = tokens.number(after + 1)
        {
            return Some((DateParts::day(century(year), month, day)?, after + 2));
        }
        if (dash(tokens, after) || matches!(tokens.word(after), "and" | "&"))
            && let Some((last, after)) = day_at(tokens, after + 1)
            && let Some((year, end)) = year_at(tokens, before_year(tokens, after))
        {
            return Some((DateParts::days(year, month, day, last)?, end));
        }
        if let Some((year, end)) = year_at(tokens, before_year(tokens, after)) {
            return Some((DateParts::day(year, month, day)?, end));
        }
        return capitalized.then_some((DateParts::DayOfMonth { month, day }, after));
    }
    let filled = blank_at(tokens, next)
        .map_or(next, |after| after + usize::from(matches!(tokens.word(after), "st" | "nd" | "rd" | "th")));
    if let Some((year, end)) = year_at(tokens, before_year(tokens, filled)) {
        return Some((DateParts::Month { year, month }, end));
    }
    capitalized.then_some((DateParts::MonthOnly(month), next))
}

/// "day of January, 2023", or without "day of": the text after the day. The day is `None` if it is left open.
fn after_day(tokens: &Tokens, at: usize, day: Option<i8>) -> Option<(DateParts, usize)> {
    let mut next = at;
    let mut spelled = false;
    // "3rd. day of"
    if tokens.symbol(next) == '.' && tokens.word(next + 1) == "day" {
        next += 1;
    }
    if matches!(tokens.symbol(next), '-' | '/' | '.') && tokens.glued(next) {
        next += 1;
    } else {
        if tokens.word(next) == "day" {
            next += 1;
            spelled = true;
        }
        if tokens.word(next) == "of" {
            next += 1;
            spelled = true;
        } else if tokens.symbol(next) == ',' {
            next += 1;
        }
        if tokens.word(next) == "the" && tokens.has(next + 1, &["month", "of"]) {
            next += 3;
        }
    }
    if spelled && let Some(after) = blank_at(tokens, next) {
        let (year, end) = year_at(tokens, before_year(tokens, after))?;
        return Some((DateParts::Year(year), end));
    }
    let (month, after) = month_at(tokens, next)?;
    if !tokens.is_capitalized(next) && !spelled && matches!(tokens.word(next), "may" | "march" | "mar" | "dec") {
        return None;
    }
    let year_start = before_year(tokens, after);
    let short = || {
        let year = tokens.number(year_start).filter(|_| tokens.surface(year_start).len() == 2)?;
        let numeric = matches!(tokens.symbol(at), '-' | '/')
            && year_start == after + 1
            && tokens.symbol(after) == tokens.symbol(at);
        numeric.then(|| (century(year), year_start + 1))
    };
    match (year_at(tokens, year_start).or_else(short), day) {
        (Some((year, end)), Some(day)) => Some((DateParts::day(year, month, day)?, end)),
        (Some((year, end)), None) => Some((DateParts::Month { year, month }, end)),
        (None, Some(day)) => Some((DateParts::DayOfMonth { month, day }, after)),
        (None, None) => None,
    }
}

/// A date that begins with a day in digits or words, or with a blank in its place.
pub fn day_first(tokens: &Tokens, at: usize) -> Option<(DateParts, usize)> {
    if let Some(next) = blank_at(tokens, at) {
        let next = next + usize::from(matches!(tokens.word(next), "st" | "nd" | "rd" | "th"));
        return if tokens.has(next, &["day", "of"]) { after_day(tokens, next, None) } else { None };
    }
    let (day, next) = day_at(tokens, at)?;
    if dash(tokens, next)
        && let Some((last, after)) = day_at(tokens, next + 1)
        && let Some((DateParts::Day(end), end_token)) = after_day(tokens, after, Some(last))
    {
        return Some((DateParts::days(end.year(), end.month(), day, last)?, end_token));
    }
    after_day(tokens, next, Some(day))
}

/// True if a date in digits may begin and end here: not inside a longer number, a path or an identifier.
fn stands_alone(tokens: &Tokens, at: usize, end: usize) -> bool {
    let before = at > 0
        && tokens.glued(at)
        && !matches!(
            tokens.symbol(at - 1),
            '(' | '[' | '"' | '“' | '\'' | '‘' | ':' | ',' | '|' | '<' | '>' | '–' | '—' | '='
        );
    let after = tokens.glued(end)
        && (tokens.is_number(end)
            || (tokens.is_word(end) && tokens.word(end) != "t")
            || (matches!(tokens.symbol(end), '.' | '/' | '-' | '_' | '@' | ':')
                && tokens.glued(end + 1)
                && (tokens.is_number(end + 1) || tokens.is_word(end + 1))
                && !(tokens.symbol(end) == '-' && tokens.surface(end + 1).len() > 2)));
    !before && !after
}

/// A date in digits: "2023-01-05", "01/05/2023", "5.1.2023", "03/2019", "[]/[]/2020".
pub fn numeric(tokens: &Tokens, at: usize, order: DateOrder) -> Option<(DateParts, usize)> {
    if tokens.surface(at).len() == 4 && tokens.is_number(at) {
        return year_first(tokens, at);
    }
    let part = |at: usize| match tokens.number(at) {
        Some(value) if tokens.surface(at).len() <= 2 => Some((Some(value as i8), at + 1)),
        Some(_) => None,
        None => blank_at(tokens, at).map(|next| (None, next)),
    };
    let (first, next) = part(at)?;
    let separator = tokens.symbol(next);
    if !matches!(separator, '/' | '-' | '.') || tokens.gap(next) > Gap::Space {
        return None;
    }
    // OCR may set the separators apart, on both sides
    let spaced = tokens.gap(next);
    if tokens.gap(next + 1) != spaced || (spaced != Gap::None && separator != '/') {
        return None;
    }
    if separator == '/' && tokens.surface(next + 1).len() == 4 {
        let (year, end) = year_at(tokens, next + 1).filter(|(year, _)| (1900..2100).contains(year))?;
        let month = first.filter(|month| (1..=12).contains(month))?;
        return stands_alone(tokens, at, end).then_some((DateParts::Month { year, month }, end));
    }
    let (second, after) = part(next + 1)?;
    if tokens.symbol(after) != separator || tokens.gap(after) != spaced || tokens.gap(after + 1) != spaced {
        return None;
    }
    let year = match tokens.surface(after + 1).len() {
        4 => year_at(tokens, after + 1)?.0,
        2 if separator == '/' || is_dated(tokens, at, next + 1) => century(tokens.number(after + 1)?),
        _ => return None,
    };
    let end = after + 2;
    if !stands_alone(tokens, at, end) {
        return None;
    }
    let stated = match (first, second) {
        (Some(first), Some(second)) => {
            let order = if separator == '.' { DateOrder::DayFirst } else { order };
            DateParts::in_order(year, first, second, order)?
        }
        (month, day) => {
            // "12/[ ]/2020": a blank in the place of the other
            let month = match order {
                DateOrder::MonthFirst => month,
                DateOrder::DayFirst => day,
                DateOrder::Unknown => None,
            };
            let month = month.filter(|month| (1..=12).contains(month));
            month.map_or(DateParts::Year(year), |month| DateParts::Month { year, month })
        }
    };
    Some((stated, end))
}

/// True for "18.11.17" and "5-3-04" where a date is expected: elsewhere they are numbers of sections, versions or parts.
fn is_dated(tokens: &Tokens, at: usize, month: usize) -> bool {
    let before = at.checked_sub(1 + usize::from(at > 1 && tokens.symbol(at - 1) == ':'));
    let cue = before.map_or("", |before| tokens.word(before));
    let two_digits = tokens.surface(at).len() == 2 && tokens.surface(month).len() == 2;
    (two_digits || tokens.symbol(month - 1) == '-')
        && (matches!(cue, "on" | "dated" | "date" | "by" | "from" | "since" | "until" | "till")
            || cue == "of" && before.is_some_and(|of| of > 0 && tokens.word(of - 1) == "as"))
}

/// "2023-01-05".
fn year_first(tokens: &Tokens, at: usize) -> Option<(DateParts, usize)> {
    let separator = tokens.symbol(at + 1);
    if !matches!(separator, '-' | '/' | '.')
        || !(1..5).all(|n| tokens.glued(at + n))
        || tokens.symbol(at + 3) != separator
    {
        return None;
    }
    let two = |at: usize| tokens.number(at).filter(|_| tokens.surface(at).len() <= 2).map(|value| value as i8);
    let (year, _) = year_at(tokens, at)?;
    let stated = DateParts::day(year, two(at + 2)?, two(at + 4)?)?;
    stands_alone(tokens, at, at + 5).then_some((stated, at + 5))
}

/// The last day of a month.
pub fn last_of_month(year: i16, month: i8) -> Option<Date> {
    Date::new(year, month, 1).ok().map(|date| date.last_of_month())
}
