//! The text of a document for rules: sentences, dates, names and lengths of time, each at its place.

use std::ops::Range;

use casetrack_core::{Annotations, DatePrecision, DateValue, EntityType, EntityValue};

use super::flat::Flat;
use crate::amounts::number;
pub(crate) use crate::dates::Unit;
use crate::dates::{self, DateOrder, DateParts, century};
use crate::entities::key_of_value;
use crate::languages::Language;
use crate::tokens::Tokens;

/// A document as the rules for facts read it.
pub(crate) struct Text<'a> {
    pub flat: Flat,
    /// Bytes of the flat text, in order.
    pub sentences: Vec<Range<usize>>,
    /// Days that the document states itself, in order.
    pub days: Vec<Day>,
    /// Names of people, organizations and places, in order.
    pub names: Vec<NameRange>,
    pub annotations: &'a Annotations,
}

#[derive(Debug, Clone)]
pub(crate) struct Day {
    pub range: Range<usize>,
    /// ISO 8601; of a date with two readings both days: "2021-05-06 or 2021-06-05".
    pub iso: String,
    pub role: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct NameRange {
    pub range: Range<usize>,
    pub entity_type: EntityType,
}

#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub range: Range<usize>,
    pub count: i32,
    pub unit: Unit,
    pub business: bool,
}

impl Span {
    /// By the calendar: a month counts as one, regardless of its days.
    pub fn length(&self) -> jiff::Span {
        self.unit.times(self.count)
    }

    /// "3 years", "30 business days". Twelve months are a year.
    pub fn text(&self) -> String {
        let (count, unit) = match self.unit {
            Unit::Month if self.count % 12 == 0 => (self.count / 12, Unit::Year),
            unit => (self.count, unit),
        };
        let business = if self.business { "business " } else { "" };
        format!("{count} {business}{}{}", unit.name(), if count == 1 { "" } else { "s" })
    }
}

impl<'a> Text<'a> {
    /// A text without days and names.
    pub fn bare(pages: &[&str], annotations: &'a Annotations) -> Self {
        let flat = Flat::new(pages);
        let sentences = sentences(&flat.text);
        Self { flat, sentences, days: Vec::new(), names: Vec::new(), annotations }
    }

    pub fn new(pages: &[&str], annotations: &'a Annotations) -> Self {
        let Self { flat, sentences, mut days, mut names, .. } = Self::bare(pages, annotations);
        for mention in &annotations.mentions {
            let Some(entity) = annotations.entities.get(mention.entity as usize) else { continue };
            let Some(start) = flat.byte(mention.page, mention.char_start) else { continue };
            let Some(last) = flat.byte(mention.page, mention.char_end.saturating_sub(1)) else { continue };
            let end = last + flat.text[last..].chars().next().map_or(0, char::len_utf8);
            if end <= start {
                continue;
            }
            match (&entity.value, entity.entity_type) {
                (Some(known @ EntityValue::Date(value)), _)
                    if is_day(value.precision) && is_stated(&flat.text[start..end]) =>
                {
                    days.push(Day { range: start..end, iso: key_of_value(known), role: mention.role.clone() });
                }
                (_, EntityType::Person | EntityType::Organization | EntityType::Location) => {
                    let entity_type = entity.entity_type;
                    names.push(NameRange { range: start..end, entity_type });
                }
                (Some(EntityValue::Date(value)), _) if value.precision == DatePrecision::Range => {
                    days.extend(both_ends(&flat.text, start..end, value));
                }
                _ => {}
            }
        }
        let order = super::date_order(&[&flat.text], language_of(annotations));
        for day in days_of(&flat.text, order) {
            if !days.iter().any(|other| other.range.start < day.range.end && day.range.start < other.range.end) {
                days.push(day);
            }
        }
        days.extend(short_days(&flat.text, order));
        days.extend(month_ends(&flat.text, order));
        days.retain(|day| {
            let line = flat.text[..day.range.start].rfind('\n').map_or(0, |at| at + 1);
            !FILED.is_match(&flat.text[line..day.range.start])
        });
        days.sort_by_key(|day| day.range.start);
        Self { flat, sentences, days, names, annotations }
    }

    pub fn text(&self) -> &str {
        &self.flat.text
    }

    pub fn sentence(&self, byte: usize) -> Range<usize> {
        let after = self.sentences.partition_point(|sentence| sentence.start <= byte);
        after.checked_sub(1).map_or(0..0, |at| self.sentences[at].clone())
    }

    pub fn days_in(&self, range: Range<usize>) -> &[Day] {
        beginning_in(&self.days, range, |day| day.range.start)
    }

    /// The byte behind a day that begins at this byte, which is no part of a name: "May 3, 2004 ACME CORPORATION". The same byte if none does.
    pub fn behind_day(&self, at: usize) -> usize {
        let [day, ..] = self.days_in(at..at + 1) else { return at };
        let rest = &self.text()[day.range.end..];
        day.range.end + rest.len() - rest.trim_start_matches([' ', '\n', ',', ':']).len()
    }

    pub fn names_in(&self, range: Range<usize>) -> &[NameRange] {
        beginning_in(&self.names, range, |name| name.range.start)
    }

    /// Greatest byte at or before `at` at which a character begins.
    pub fn floor(&self, at: usize) -> usize {
        self.text().floor_char_boundary(at)
    }
}

/// The items of a sorted list that begin in a range.
fn beginning_in<T>(items: &[T], range: Range<usize>, start: impl Fn(&T) -> usize) -> &[T] {
    let from = items.partition_point(|item| start(item) < range.start);
    let to = items.partition_point(|item| start(item) < range.end);
    &items[from..to.max(from)]
}

fn is_day(precision: DatePrecision) -> bool {
    matches!(precision, DatePrecision::Day | DatePrecision::Ambiguous)
}

/// The language by whose rules a document was analysed, where that is not English.
fn language_of(annotations: &Annotations) -> Option<&'static str> {
    Language::ALL.iter().map(|language| language.tag()).find(|tag| annotations.analysis.starts_with(tag))
}

/// The days that the text states across lines and pages: analysis reads one page at a time.
fn days_of(text: &str, order: DateOrder) -> Vec<Day> {
    let found = dates::find(&Tokens::new(text), order);
    let mut bytes = text.char_indices().map(|(at, _)| at).enumerate();
    let mut byte_of = |char: u32| bytes.find(|(i, _)| *i == char as usize).map_or(text.len(), |(_, at)| at);
    let mut days = Vec::new();
    for mention in found.mentions {
        let Some(known @ EntityValue::Date(value)) = &mention.value else { continue };
        let start = byte_of(mention.char_start);
        let last = if mention.char_end > mention.char_start + 1 { byte_of(mention.char_end - 1) } else { start };
        let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
        match value.precision {
            precision if is_day(precision) => {
                days.push(Day { range: start..end, iso: key_of_value(known), role: mention.role });
            }
            DatePrecision::Range => days.extend(both_ends(text, start..end, value)),
            _ => {}
        }
    }
    days
}

pattern_table! {
    "facts/text.toml":
    FILED, SHORT, OPENERS, MONTH_END, YEAR_END,
}

fn short_days(text: &str, order: DateOrder) -> Vec<Day> {
    let day = |found: regex::Captures<'_>| {
        let part = |at| found.get(at)?.as_str().parse::<i8>().ok();
        let year = century(part(3)?.unsigned_abs().into());
        let value = DateParts::in_order(year, part(1)?, part(2)?, order)?.value()?;
        let iso = key_of_value(&EntityValue::Date(value));
        Some(Day { range: found.get(1)?.start()..found.get(3)?.end(), iso, role: None })
    };
    SHORT.captures_iter(text).filter_map(day).collect()
}

/// "the last day of February 2028".
fn month_ends(text: &str, order: DateOrder) -> Vec<Day> {
    let day = |found: regex::Captures<'_>| {
        let group = |numbers: [usize; 2]| numbers.into_iter().find_map(|number| found.get(number));
        let (written, month) = (group([1, 3])?, group([2, 4])?);
        let month = dates::find(&Tokens::new(month.as_str()), order).mentions.into_iter().next()?;
        let Some(EntityValue::Date(DateValue { last, precision: DatePrecision::Month, .. })) = month.value else {
            return None;
        };
        Some(Day { range: written.range(), iso: last, role: None })
    };
    let year = |found: regex::Captures<'_>| {
        let year = found.get(1)?;
        Some(Day { range: year.range(), iso: format!("{}-12-31", year.as_str()), role: None })
    };
    MONTH_END.captures_iter(text).filter_map(day).chain(YEAR_END.captures_iter(text).filter_map(year)).collect()
}

/// The days of "May 1, 2019 through April 30, 2020".
fn both_ends(text: &str, range: Range<usize>, value: &DateValue) -> Vec<Day> {
    let written = &text[range.clone()];
    let joint = [" through ", " to ", " until ", " - ", " and ", "-"].iter().find_map(|joint| {
        let at = written.find(joint)?;
        Some((range.start + at, range.start + at + joint.len()))
    });
    let Some((end, start)) = joint else { return Vec::new() };
    // "2017-2018" states no day
    let digits = |part: &str| part.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).count();
    if digits(&text[start..range.end]) < 2 {
        return Vec::new();
    }
    let first = Day { range: range.start..end, iso: value.first.clone(), role: None };
    let last = Day { range: start..range.end, iso: value.last.clone(), role: None };
    vec![first, last]
}

/// Not computed from another date: "ten days after the Effective Date" is computed.
fn is_stated(written: &str) -> bool {
    let written = written.to_lowercase();
    let mut words = written.split(|c: char| !c.is_alphanumeric());
    !words.any(|word| matches!(word, "after" | "following" | "from" | "before" | "prior" | "anniversary" | "hereof"))
}

pub(crate) fn contains_any(text: &str, words: &[String]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// The last characters of a text, one more than `count` at most.
pub(crate) fn last_chars(text: &str, count: usize) -> &str {
    &text[text.char_indices().rev().nth(count).map_or(0, |(at, _)| at)..]
}

word_lists! {
    /// Words before a point that does not end a sentence.
    ABBREVIATIONS: set = "facts/abbreviations.txt";
    /// Words between a number and its unit: "ten business days".
    ADJECTIVES: set = "facts/unit-adjectives.txt";
}

/// Longest sentence, in bytes.
const SENTENCE: usize = 4000;

fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let ends = match byte {
            b'\n' => {
                let goes_on = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
                    || matches!(bytes.get(at.wrapping_sub(1)), Some(b',' | b'('));
                !goes_on
            }
            b' ' => ends_sentence(text, at),
            _ => false,
        };
        if ends || at - start > SENTENCE && matches!(byte, b' ' | b'\n') {
            all.push(start..at);
            start = at + 1;
        }
    }
    if start < text.len() {
        all.push(start..text.len());
    }
    all
}

/// True if a sentence ends before this white space.
pub(crate) fn ends_sentence(text: &str, space: usize) -> bool {
    let before = text[..space].trim_end_matches(['"', '\'', ')', ']']);
    let Some(stop) = before.chars().next_back().filter(|c| matches!(c, '.' | '?' | '!')) else { return false };
    if text[space + 1..].starts_with(|c: char| c.is_lowercase()) {
        return false;
    }
    if stop != '.' {
        return true;
    }
    let word = before[..before.len() - 1].rsplit([' ', '\n', '(', '"']).next().unwrap_or_default().to_lowercase();
    let number = word.chars().all(|c| c.is_ascii_digit() || c == '.') && before.len() < space;
    let letter = word.chars().count() == 1;
    // "Acme Foods, Inc. The": such an abbreviation may end a sentence
    let form = matches!(word.as_str(), "inc" | "corp" | "llc" | "ltd" | "co" | "plc" | "lp");
    let abbreviated = ABBREVIATIONS.contains(word.as_str()) && !(form && OPENERS.is_match(&text[space + 1..]));
    // the number of a section is no sentence, but it may begin one
    !(letter || number || abbreviated)
}

/// The lengths of time that a text states, in order: "three (3) years", "12-month", "annual", "month to month".
pub(crate) fn spans(text: &str) -> Vec<Span> {
    let tokens = Tokens::new(text);
    let mut found: Vec<Span> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match span(&tokens, at) {
            Some((span, end)) => {
                found.push(span);
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

fn span(tokens: &Tokens<'_>, at: usize) -> Option<(Span, usize)> {
    let spelled = adverbial(tokens, at).or_else(|| another(tokens, at));
    let (count, unit, business, end) = spelled.or_else(|| counted(tokens, at))?;
    let range = tokens.bytes(at).0..tokens.bytes(end - 1).1;
    Some((Span { range, count, unit, business }, end))
}

/// The count and unit of a length of time, true for business days, and the token after it.
type Length = (i32, Unit, bool, usize);

/// "annual", "month to month", "monthly periods", "half a year".
fn adverbial(tokens: &Tokens<'_>, at: usize) -> Option<Length> {
    let unit = match tokens.word(at) {
        "annual" | "yearly" => return Some((1, Unit::Year, false, at + 1)),
        "monthly" => {
            let is_length = matches!(tokens.word(at + 1), "period" | "periods" | "term" | "terms" | "extensions");
            return is_length.then_some((1, Unit::Month, false, at + 1));
        }
        "half" => {
            let is_year = tokens.word(at + 1) == "a" && tokens.word(at + 2) == "year";
            return is_year.then_some((6, Unit::Month, false, at + 3));
        }
        "year" => Unit::Year,
        "month" => Unit::Month,
        _ => return None,
    };
    let end = at + 2 + 2 * usize::from(tokens.symbol(at + 1) == '-');
    let to = tokens.word(at + 1) == "to" || tokens.word(at + 2) == "to";
    (to && tokens.word(end) == tokens.word(at)).then_some((1, unit, false, end + 1))
}

/// "an additional month", "another year".
fn another(tokens: &Tokens<'_>, at: usize) -> Option<Length> {
    let noun = match tokens.word(at) {
        "an" | "a" | "one" if matches!(tokens.word(at + 1), "additional" | "further" | "successive") => at + 2,
        "another" => at + 1,
        _ => return None,
    };
    match tokens.word(noun) {
        "month" => Some((1, Unit::Month, false, noun + 1)),
        "year" => Some((1, Unit::Year, false, noun + 1)),
        _ => None,
    }
}

/// "three (3) years", "12-month", "five (5) years and one (1) month".
fn counted(tokens: &Tokens<'_>, at: usize) -> Option<Length> {
    let count = number(tokens, at)?;
    let mut next = count.end;
    // "thirty-(30)", "one (1)-year", "(30)" after a number that was read without it
    for _ in 0..2 {
        next += usize::from(tokens.symbol(next) == '-');
        // OCR reads "(1)" as "(I)" or "(l)".
        let is_digit = tokens.is_number(next + 1) || count.value == 1.0 && matches!(tokens.word(next + 1), "i" | "l");
        if tokens.symbol(next) == '(' && is_digit && tokens.symbol(next + 2) == ')' {
            next += 3;
        }
    }
    // "sixty (60) or more days"
    if tokens.word(next) == "or" && tokens.word(next + 1) == "more" {
        next += 2;
    }
    let adjectives = (next..tokens.len()).take_while(|at| ADJECTIVES.contains(tokens.word(*at))).count();
    let business = (next..next + adjectives).any(|at| matches!(tokens.word(at), "business" | "working"));
    next += adjectives;
    let unit = Unit::of(tokens.word(next))?;
    if count.value.fract() != 0.0 || !(1.0..=5000.0).contains(&count.value) {
        return None;
    }
    let whole = count.value as i32;
    if unit == Unit::Year
        && tokens.word(next + 1) == "and"
        && let Some((Span { count, unit: Unit::Month, .. }, end)) = span(tokens, next + 2)
    {
        return Some((12 * whole + count, Unit::Month, false, end));
    }
    Some((whole, unit, business, next + 1))
}
