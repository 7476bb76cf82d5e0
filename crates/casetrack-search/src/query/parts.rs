//! The parts of a query that are not plain words: words with signs, phrases, fields.

use std::ops::RangeInclusive;

use casetrack_core::BatesRange;
use casetrack_core::same_text::Plain;
use casetrack_store::PageTest;

use super::super::filter::{DateRange, Kind, pages, paragraphs};
use super::super::in_sets::SetFilter;
use crate::filter::marks::MarkFilter;

#[derive(Debug, Clone)]
pub(super) enum Part<'q> {
    Words {
        sign: Option<char>,
        words: &'q str,
    },
    Document(&'q str),
    Kind(Kind),
    Entity(&'q str),
    Date(DateRange),
    Pages(PageTest),
    Bates(BatesRange),
    Exhibit(&'q str),
    Paragraphs(RangeInclusive<u32>),
    Mark(MarkFilter),
    Set(SetFilter),
    /// The text behind it is searched in deleted text.
    InDeleted,
}

/// The part that begins here and its length in bytes; `None` for text.
pub(super) fn part<'q>(rest: &'q str, notices: &mut Vec<String>) -> Option<(Part<'q>, usize)> {
    let sign = rest.chars().next().filter(|c| matches!(c, '+' | '-'));
    let unsigned = &rest[sign.map_or(0, char::len_utf8)..];
    let sign_length = rest.len() - unsigned.len();
    if let Some((words, length)) = quoted(unsigned) {
        return Some((Part::Words { sign, words }, sign_length + length));
    }
    if let Some((filter, length)) = mark(unsigned)
        && sign != Some('+')
    {
        let filter = MarkFilter { excluded: sign.is_some(), ..filter };
        return Some((Part::Mark(filter), sign_length + length));
    }
    if let Some(after) = unsigned.strip_prefix("set:")
        && sign != Some('+')
        && let Some((name, length)) = value(after)
    {
        let filter = SetFilter { excluded: sign.is_some(), name: clause(name).to_owned() };
        return Some((Part::Set(filter), sign_length + "set:".len() + length));
    }
    if let Some(rest) = rest.strip_prefix(IN_DELETED)
        && rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ')')
    {
        return Some((Part::InDeleted, IN_DELETED.len()));
    }
    if let Some((name, after)) = FIELDS.iter().find_map(|name| Some((name, unsigned.strip_prefix(name)?)))
        && let Some((value, length)) = value(after)
    {
        if sign.is_none()
            && let Some(part) = field(name, value, after.starts_with('"'))
        {
            return Some((part, name.len() + length));
        }
        let why = if sign.is_some() { "a field takes no sign" } else { allowed(name) };
        notices.push(format!(
            "\"{}{name}{value}\" was searched as text: {why}.",
            sign.map(String::from).unwrap_or_default()
        ));
        return None;
    }
    let word = unsigned.split(char::is_whitespace).next().filter(|word| word.contains(char::is_alphanumeric))?;
    let first = word.chars().next()?;
    let is_word = match sign? {
        '+' => {
            first.is_alphanumeric() || matches!(first, '$' | '€' | '£' | '¥' | '§' | '#') || is_abbreviated_form(word)
        }
        _ => first.is_alphabetic(),
    };
    is_word.then_some((Part::Words { sign, words: word }, sign_length + word.len()))
}

/// True for a word of a script that has no capitals which begins with an abbreviation in parentheses, such as (株) and ㈱.
fn is_abbreviated_form(word: &str) -> bool {
    let plain = Plain::of(word);
    let inside = plain.text().strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    inside.is_some_and(|inside| !inside.is_empty() && inside.chars().all(|c| c.is_alphabetic() && !c.is_ascii()))
}

/// A tag or field of the user at the beginning of a text, and its length.
fn mark(text: &str) -> Option<(MarkFilter, usize)> {
    if let Some(after) = text.strip_prefix("tag:") {
        let (tag, length) = value(after)?;
        return Some((MarkFilter::tag(clause(tag)).ok()?, "tag:".len() + length));
    }
    let after = text.strip_prefix("field:")?;
    // field:custodian="Ann Lee" as well as field:"custodian=Ann Lee"
    let name = after.split(|c: char| c.is_whitespace() || c == '"').next().filter(|name| name.ends_with('='));
    let (field, length) = match name.and_then(|name| Some((name, quoted(&after[name.len()..])?))) {
        Some((name, (value, length))) => (format!("{name}{value}"), name.len() + length),
        None => value(after).map(|(field, length)| (clause(field).to_owned(), length))?,
    };
    Some((MarkFilter::field(&field).ok()?, "field:".len() + length))
}

/// A value without the marks that end a sentence or a clause.
fn clause(value: &str) -> &str {
    value.trim_end_matches([',', ';', '?', '!', ')'])
}

const IN_DELETED: &str = "in:deleted";

const FIELDS: [&str; 8] = ["document:", "type:", "entity:", "date:", "page:", "bates:", "exhibit:", "paragraph:"];

fn field<'q>(name: &str, value: &'q str, is_quoted: bool) -> Option<Part<'q>> {
    match name {
        "document:" => return Some(Part::Document(value)),
        "entity:" => return Some(Part::Entity(value)),
        _ => {}
    }
    let value = clause(value);
    match name {
        "type:" => value.parse().ok().map(Part::Kind),
        "date:" => value.parse().ok().map(Part::Date),
        "bates:" => value.parse().ok().map(Part::Bates),
        "exhibit:" => Some(Part::Exhibit(value)),
        "paragraph:" => paragraphs(value).ok().map(Part::Paragraphs),
        _ => pages(value, is_quoted).ok().map(Part::Pages),
    }
}

fn allowed(name: &str) -> &'static str {
    match name {
        "type:" => "the types are those of documents, such as contract or invoice, and of files, such as pdf",
        "date:" => "a date is YYYY, YYYY-MM or YYYY-MM-DD, a range A..B",
        "paragraph:" => "a paragraph is a number from 1, a range N-M",
        "exhibit:" => "an exhibit is named as on its stamp, such as A or \"Plaintiff's Exhibit 12\"",
        "bates:" => "a Bates number is written as it is printed, as in SMITH000042, a range A..B",
        _ => "a page is a number from 1, a range N-M, or a printed label such as A-1",
    }
}

/// The value of a field, quoted or up to the next space, and its length in bytes with the quotes.
fn value(after: &str) -> Option<(&str, usize)> {
    if let Some(quoted) = quoted(after) {
        return Some(quoted);
    }
    let word = after.split(char::is_whitespace).next().filter(|word| word.contains(char::is_alphanumeric))?;
    Some((word, word.len()))
}

/// The text between quotes that begin here, and its length with them. A mark of inches is not a quote: a quotation has words and is
/// not followed by a letter or digit.
pub(super) fn quoted(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('"')?;
    let (end, _) = inner.match_indices('"').find(|&(at, _)| !inner[at + 1..].starts_with(char::is_alphanumeric))?;
    let words = inner[..end].trim();
    words.contains(char::is_alphanumeric).then_some((words, end + 2))
}
