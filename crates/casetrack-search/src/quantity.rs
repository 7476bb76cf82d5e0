//! Quantities that a query compares: "interest above 10 %", "at least 60 days", "signed in June 2020".
//!
//! Words and vectors find passages on the subject, with any quantity. This module compares the quantity in the passage with the range. Amounts of
//! money are compared within one currency, lengths of time in days, dates by their first and last day, other numbers by the counted thing.

use std::ops::Range;

use casetrack_core::{EntityValue, Mention, single_spaced};
use casetrack_nlp::languages::Language;
use casetrack_nlp::tokens::{Gap, Tokens};
use casetrack_nlp::{amounts, dates, languages};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// The words of the query that state it, in bytes, without the counted thing.
    pub bytes: Range<usize>,
    of: Dimension,
    low: f64,
    high: f64,
}

/// Only quantities of one dimension are compared.
#[derive(Debug, Clone, PartialEq)]
enum Dimension {
    /// In a currency, by its ISO 4217 code, or `%`.
    Amount(String),
    /// Days.
    Time,
    /// Days of the calendar as year × 10,000 + month × 100 + day.
    Date,
    /// The words after the number, in the singular.
    Count(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Relation {
    Above,
    AtLeast,
    Below,
    AtMost,
    Within,
}
use Relation::{Above, AtLeast, AtMost, Below, Within};

const BEFORE: &[(Relation, &str)] = &[
    (Above, "more than, greater than, higher than, larger than, longer than, over, above, exceeding, exceeds, exceed"),
    (Above, "in excess of, >"),
    (AtLeast, "at least, no less than, not less than, no fewer than, not fewer than, no shorter than, no lower than"),
    (AtLeast, "minimum of, minimum, > =, ≥"),
    (Below, "less than, fewer than, lower than, smaller than, shorter than, under, below, <"),
    (AtMost, "at most, no more than, not more than, no longer than, not longer than, no greater than, no higher than"),
    (AtMost, "not exceeding, not exceed, not to exceed, not over, not above, up to, maximum of, maximum, < =, ≤"),
];
const BEFORE_DATE: &[(Relation, &str)] = &[
    (Above, "after, later than"),
    (AtLeast, "since, no earlier than, not earlier than, not before, on or after"),
    (Below, "before, prior to, earlier than"),
    (AtMost, "by, until, till, no later than, not later than, not after, on or before"),
    (Within, "dated, in, on, of, from, during, between"),
];
const AFTER: &[(Relation, &str)] = &[
    (AtLeast, "or more, or longer, or higher, or greater, or above, or over, or later, and above, and more"),
    (AtMost, "or less, or fewer, or shorter, or lower, or below, or under, or earlier"),
];
const NOT_COUNTED: &str =
    "a and are as at be but by each every for from if in is more of on or per than that the to which who with";
const MOST_COUNTED: usize = 3;
/// Tokens of the first number in "between five hundred and six hundred days", at most.
const LONGEST_NUMBER: usize = 8;

/// A quantity in a text; of one value, or of a date that covers several days.
#[derive(Debug, Clone, PartialEq)]
struct Quantity {
    of: Dimension,
    low: f64,
    high: f64,
    /// Tokens, half-open.
    first: usize,
    end: usize,
}

impl Comparison {
    /// True if a text has a quantity of the same dimension in the range. Amounts and dates are read as its language writes them; it is `None` for
    /// English. Linear.
    pub fn satisfied_by(&self, text: &str, language: Option<Language>) -> bool {
        let tokens = Tokens::new(text);
        let found = match (&self.of, language) {
            (Dimension::Amount(_), None) => amounts_of(&tokens),
            (Dimension::Amount(_), Some(language)) => {
                placed(&tokens, &languages::amounts(language, text).unwrap_or_default(), amount)
            }
            (Dimension::Time, _) => durations_of(&tokens),
            (Dimension::Date, None) => dates_of(&tokens),
            (Dimension::Date, Some(language)) => {
                placed(&tokens, &languages::dates(language, text).unwrap_or_default(), date)
            }
            (Dimension::Count(_), _) => counts_of(&tokens),
        };
        found.iter().any(|found| found.of.is_like(&self.of) && self.low <= found.low && found.high <= self.high)
    }
}

impl Dimension {
    fn is_like(&self, other: &Dimension) -> bool {
        match (self, other) {
            (Dimension::Count(these), Dimension::Count(those)) => these.iter().any(|counted| those.contains(counted)),
            _ => self == other,
        }
    }
}

/// The comparisons of a query, in its order, without overlap.
pub(super) fn comparisons(query: &str) -> Vec<Comparison> {
    let tokens = Tokens::new(query);
    let mut quantities = dates_of(&tokens);
    let further = [amounts_of(&tokens), durations_of(&tokens), years_of(&tokens), counts_of(&tokens)];
    for quantity in further.into_iter().flatten() {
        if quantities.iter().all(|known| quantity.end <= known.first || known.end <= quantity.first) {
            quantities.push(quantity);
        }
    }
    quantities.sort_by_key(|quantity| quantity.first);
    let mut found: Vec<(Comparison, usize)> = Vec::new();
    for quantity in &quantities {
        let Some((stated, first, end)) = range(&tokens, &quantities, quantity) else { continue };
        let (low, high) = stated;
        let mut bytes = tokens.bytes(first).0..tokens.bytes(end - 1).1;
        // "a week's notice"
        let possessive = ["'s ", "’s ", "' ", "’ "].into_iter().find(|mark| query[bytes.end..].starts_with(mark));
        bytes.end += possessive.map_or(0, |mark| mark.len() - 1);
        // "over 12 % but not more than 15 %"
        if let Some((last, last_end)) = found.last_mut()
            && last.of.is_like(&quantity.of)
            && *last_end < first
            && (*last_end..first).all(|at| matches!(tokens.word(at), "and" | "but" | ","))
            && last.low.max(low) <= last.high.min(high)
        {
            (last.low, last.high) = (last.low.max(low), last.high.min(high));
            (last.bytes.end, *last_end) = (bytes.end, end);
        } else if found.last().is_none_or(|(last, _)| last.bytes.end <= bytes.start) {
            found.push((Comparison { bytes, of: quantity.of.clone(), low, high }, end));
        }
    }
    found.into_iter().map(|(comparison, _)| comparison).collect()
}

/// The query without its comparisons; all of it if nothing else is left.
pub(super) fn without(query: &str, comparisons: &[Comparison]) -> String {
    let mut rest = query.to_owned();
    for comparison in comparisons.iter().rev() {
        rest.replace_range(comparison.bytes.clone(), " ");
    }
    let rest = single_spaced(&rest);
    if rest.contains(char::is_alphabetic) { rest } else { query.to_owned() }
}

/// The range that the words around a quantity state, and their tokens.
fn range(tokens: &Tokens, all: &[Quantity], quantity: &Quantity) -> Option<((f64, f64), usize, usize)> {
    let &Quantity { low, high, first, end, .. } = quantity;
    let is_date = quantity.of == Dimension::Date;
    if let Some((from, first)) = lower_end(tokens, all, quantity).filter(|_| !is_date) {
        return (from <= high).then_some(((from, high), first, end));
    }
    let (low, high, first) = match is_date {
        true => part_of_date(tokens, quantity),
        false => (low, high, first),
    };
    let first = first - usize::from(first > 0 && matches!(tokens.word(first - 1), "the" | "a" | "an"));
    let table = if is_date { BEFORE_DATE } else { BEFORE };
    let (relation, first, end) = match said(tokens, first, table) {
        Some((relation, start)) => (relation, start, end),
        None => {
            let (relation, _) = said(tokens, end + 2, AFTER)?;
            (relation, quantity.first, end + 2)
        }
    };
    let range = match relation {
        Above => (high.next_up(), f64::INFINITY),
        AtLeast => (low, f64::INFINITY),
        Below => (f64::NEG_INFINITY, low.next_down()),
        AtMost => (f64::NEG_INFINITY, high),
        Within => (low, high),
    };
    Some((range, first, end))
}

/// The relation of the longest phrase of a table that ends before a token, and the start of the phrase.
fn said(tokens: &Tokens, end: usize, table: &[(Relation, &str)]) -> Option<(Relation, usize)> {
    let phrases = table.iter().flat_map(|(relation, phrases)| phrases.split(", ").map(|phrase| (*relation, phrase)));
    phrases
        .filter_map(|(relation, phrase)| Some((relation, start(tokens, end, phrase)?)))
        .min_by_key(|(_, start)| *start)
}

fn start(tokens: &Tokens, end: usize, phrase: &str) -> Option<usize> {
    let start = end.checked_sub(phrase.split(' ').count())?;
    phrase.split(' ').enumerate().all(|(n, word)| tokens.word(start + n) == word).then_some(start)
}

/// The last or first day only, and the token at which its words begin: "the end of 2021".
fn part_of_date(tokens: &Tokens, date: &Quantity) -> (f64, f64, usize) {
    let &Quantity { low, high, mut first, .. } = date;
    first -= usize::from(first > 0 && tokens.word(first - 1) == "year");
    let part = first.checked_sub(2).filter(|_| tokens.word(first - 1) == "of");
    match part.map(|part| (tokens.word(part), part)) {
        Some(("end", part)) => (high, high, part),
        Some(("beginning" | "start", part)) => (low, low, part),
        _ => (low, high, first),
    }
}

/// The lower end of "between A and B", if the quantity is B, and its first token. A may lack its unit.
fn lower_end(tokens: &Tokens, all: &[Quantity], upper: &Quantity) -> Option<(f64, usize)> {
    let joint = upper.first.checked_sub(1)?;
    if !matches!(tokens.word(joint), "and" | "to" | "-" | "–") {
        return None;
    }
    let is_range = |at: usize| at > 0 && matches!(tokens.word(at - 1), "between" | "from");
    if let Some(lower) = all.iter().find(|lower| lower.end == joint && lower.of.is_like(&upper.of)) {
        return is_range(lower.first).then(|| (lower.low, lower.first - 1));
    }
    let first = (joint.saturating_sub(LONGEST_NUMBER)..joint).find(|&at| is_range(at))?;
    let lower = amounts::number(tokens, first).filter(|lower| lower.end == joint)?;
    let same = (upper.first..upper.end).find_map(|at| amounts::number(tokens, at))?;
    // "between 1 and 3 million dollars"
    let scale = if lower.scale == 1.0 && lower.value < same.value / same.scale { same.scale } else { 1.0 };
    (same.value > 0.0).then(|| (lower.value * scale * upper.low / same.value, first - 1))
}

fn amounts_of(tokens: &Tokens) -> Vec<Quantity> {
    placed(tokens, &amounts::find(tokens, &amounts::Conventions::of([tokens.text()])), amount)
}

fn amount(mention: &Mention) -> Option<(Dimension, f64, f64)> {
    match &mention.value {
        // Crowns of a country that the text leaves open cannot be compared with others.
        Some(EntityValue::Amount(amount)) if amount.unit != amounts::CROWNS => {
            let value = amount.value.parse().ok()?;
            Some((Dimension::Amount(amount.unit.clone()), value, value))
        }
        _ => None,
    }
}

fn dates_of(tokens: &Tokens) -> Vec<Quantity> {
    let order = dates::DateOrder::of(tokens.text());
    placed(tokens, &dates::find(tokens, order).mentions, date)
}

fn date(mention: &Mention) -> Option<(Dimension, f64, f64)> {
    let day = |iso: &str| iso.replace('-', "").parse::<f64>().ok();
    match &mention.value {
        Some(EntityValue::Date(date)) => Some((Dimension::Date, day(&date.first)?, day(&date.last)?)),
        _ => None,
    }
}

fn placed(
    tokens: &Tokens,
    mentions: &[Mention],
    value: impl Fn(&Mention) -> Option<(Dimension, f64, f64)>,
) -> Vec<Quantity> {
    let mut at = 0;
    let mut reach = |place: u32| {
        while at < tokens.len() && tokens.span(at, at + 1).0 < place {
            at += 1;
        }
        at
    };
    let placed = mentions.iter().filter_map(|mention| {
        let (first, end) = (reach(mention.char_start), reach(mention.char_end));
        let (of, low, high) = value(mention)?;
        Some(Quantity { of, low, high, first, end })
    });
    placed.collect()
}

fn durations_of(tokens: &Tokens) -> Vec<Quantity> {
    each(tokens, |first| {
        // "less than a week": elsewhere the article counts nothing, as in "twice a week"
        let one = matches!(tokens.word(first), "a" | "an") && tokens.word(first.wrapping_sub(1)) == "than";
        let found = if one { dates::unit(tokens, first + 1) } else { dates::duration(tokens, first) }?;
        Some(Quantity { of: Dimension::Time, low: found.days, high: found.days, first, end: found.end })
    })
}

/// Numbers of at least two: "more than one party" compares nothing.
fn counts_of(tokens: &Tokens) -> Vec<Quantity> {
    each(tokens, |first| {
        let number = amounts::number(tokens, first).filter(|number| number.value >= 2.0)?;
        // "10 or more companies"
        let bounded = if said(tokens, number.end + 2, AFTER).is_some() { 2 } else { 0 };
        let counted = Some(counted(tokens, number.end + bounded)).filter(|counted| !counted.is_empty())?;
        let (low, high) = (number.value, number.value);
        Some(Quantity { of: Dimension::Count(counted), low, high, first, end: number.end })
    })
}

fn counted(tokens: &Tokens, mut at: usize) -> Vec<String> {
    let mut counted = Vec::new();
    while counted.len() < MOST_COUNTED && tokens.gap(at) < Gap::Paragraph {
        if tokens.symbol(at) == '-' && tokens.glued(at) && tokens.glued(at + 1) {
            at += 1;
        }
        let word = tokens.word(at);
        if !tokens.is_word(at) || NOT_COUNTED.split(' ').any(|ends| ends == word) {
            break;
        }
        counted.push(match (word.strip_suffix("ies"), word.strip_suffix('s')) {
            (Some(stem), _) => format!("{stem}y"),
            (None, Some(stem)) if !stem.ends_with('s') => stem.to_owned(),
            _ => word.to_owned(),
        });
        at += 1;
    }
    counted
}

/// Years that only the words of a comparison mark as years: "dated 2022", "no later than 2013".
fn years_of(tokens: &Tokens) -> Vec<Quantity> {
    each(tokens, |first| {
        let year = tokens.number(first).filter(|year| (1900..2100).contains(year))?;
        let is_alone = !tokens.glued(first) && (!tokens.glued(first + 1) || !tokens.is_word(first + 1));
        let last = matches!(tokens.word(first + 1), "and" | "but" | "or") || !tokens.is_word(first + 1);
        let (low, high) = (f64::from(year * 10_000 + 101), f64::from(year * 10_000 + 1231));
        let found = Quantity { of: Dimension::Date, low, high, first, end: first + 1 };
        let (_, _, begin) = part_of_date(tokens, &found);
        let is_part = begin + 2 <= first;
        let stated = ["dated", "later than", "earlier than", "prior to"];
        let is_year = is_part || stated.iter().any(|phrase| start(tokens, begin, phrase).is_some());
        (is_alone && last && is_year).then_some(found)
    })
}

fn each(tokens: &Tokens, find: impl Fn(usize) -> Option<Quantity>) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let quantity = find(at);
        at = quantity.as_ref().map_or(at + 1, |quantity| quantity.end);
        found.extend(quantity);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words that state each comparison.
    fn stated(query: &str) -> Vec<&str> {
        comparisons(query).into_iter().map(|found| &query[found.bytes]).collect()
    }

    #[test]
    fn the_words_that_state_a_comparison_are_found() {
        for (query, expected) in [
            ("interest above 10 % on late payments", vec!["above 10 %"]),
            ("liability of more than $1M", vec!["more than $1M"]),
            ("notice of at least sixty (60) days", vec!["at least sixty (60) days"]),
            ("agreements signed in June 2020", vec!["in June 2020"]),
            ("a term between 5 and 10 years", vec!["between 5 and 10 years"]),
            ("due no later than 30 June 2021?", vec!["no later than 30 June 2021"]),
            ("penalty under €50,000", vec!["under €50,000"]),
            ("contracts dated 2022", vec!["dated 2022"]),
            ("signed before the end of 2021?", vec!["before the end of 2021"]),
            ("rate over 12 % but not more than 15 %", vec!["over 12 % but not more than 15 %"]),
            ("60 days or more to pay", vec!["60 days or more"]),
            ("at least 500 units and fewer than 20 complaints", vec!["at least 500", "fewer than 20"]),
            ("no more than a week's notice", vec!["no more than a week's"]),
        ] {
            assert_eq!(stated(query), expected, "{query}");
        }
    }

    #[test]
    fn other_words_compare_nothing() {
        for query in [
            "what happens under section 5 of the lease",
            "more than one party may sign",
            "payment within 30 days",
            "a fee of $500",
            "over and above the price",
            "invoice 12439",
            "in 2000 cases",
        ] {
            assert_eq!(stated(query), Vec::<&str>::new(), "{query}");
        }
    }

    #[test]
    fn a_text_satisfies_a_comparison_by_a_quantity_of_its_dimension() {
        for (query, satisfying, others) in [
            ("above 10 %", vec!["at 12% per annum", "eleven per cent"], vec!["10%", "9.5 %", "$12", "12 days"]),
            (
                "more than $1M",
                vec!["USD 1.2 million", "two million dollars ($2,000,000)"],
                vec!["$1,000,000", "€2,000,000"],
            ),
            (
                "at least 60 days",
                vec!["sixty (60) days", "three months", "a 1-year term"],
                vec!["30 days", "eight weeks", "60 units"],
            ),
            ("more than 12 months", vec!["two years"], vec!["one year", "365 days"]),
            ("in June 2020", vec!["on June 15, 2020", "29 June 2020"], vec!["2020", "June 15, 2021", "July 2020"]),
            ("no later than 2013", vec!["March 2, 2012", "31 December 2013"], vec!["1 January 2014"]),
            ("between January 2019 and March 2020", vec!["on March 16, 2020"], vec!["on April 1, 2020"]),
            ("between 5 and 10 years", vec!["ten (10) years", "72 months"], vec!["four years", "11 years", "7 %"]),
            ("between 1 and 3 million dollars", vec!["$2,500,000"], vec!["$500,000", "$4 million"]),
            ("over 12 % but not more than 15 %", vec!["15%", "13 percent"], vec!["12%", "16%"]),
            (
                "at least 60 full-time employees",
                vec!["sixty (60) employees", "400 employees"],
                vec!["60 chairs", "25 employees"],
            ),
            ("10 or more companies", vec!["12 companies"], vec!["9 companies"]),
        ] {
            let [comparison] = &comparisons(query)[..] else { panic!("{query}") };
            for text in satisfying {
                assert!(comparison.satisfied_by(text, None), "{query}: {text}");
            }
            for text in others {
                assert!(!comparison.satisfied_by(text, None), "{query}: {text}");
            }
        }
    }

    #[test]
    fn quantities_of_a_text_are_read_in_its_language() {
        let [comparison] = &comparisons("more than €1,000")[..] else { panic!() };
        assert!(comparison.satisfied_by("Der Preis beträgt 1.500 EUR.", Some(Language::German)));
        let [comparison] = &comparisons("signed before 1 May 2023")[..] else { panic!() };
        assert!(comparison.satisfied_by("Berlin, den 3. März 2023", Some(Language::German)));
        assert!(!comparison.satisfied_by("Berlin, den 3. Mai 2023", Some(Language::German)));
    }

    #[test]
    fn the_rest_of_a_query_is_what_it_is_about() {
        let rest = |query: &str| without(query, &comparisons(query));
        assert_eq!(rest("interest above 10 % on late payments"), "interest on late payments");
        assert_eq!(rest("at least 60 employees"), "employees");
        assert_eq!(rest("more than $1M"), "more than $1M");
    }

    proptest! {
        #[test]
        fn any_query_can_be_read(query in "(more than|at least|between|and|before|in|the end of|or more|%|€|5|2020|May|days|é| |-|\\(|\\)){0,24}") {
            let found = comparisons(&query);
            without(&query, &found);
            for comparison in found {
                prop_assert!(comparison.low <= comparison.high);
                comparison.satisfied_by(&query, None);
            }
        }
    }
}
