//! Sender, recipient and day of a letter, a message or a memo.

use super::{Line, is_person, labelled, of_day};
use crate::facts::text::Text;
use crate::facts::{Fact, FactKind};

pattern_table! {
    "facts/letters.toml":
    FROM, TO, DATE, SUBJECT, SALUTATION, GENERIC, CLOSING, SIGNED,
}

/// Lines in which a letter names its day and recipient, with a salutation below them and without one.
const HEAD: usize = 40;
const HEAD_ONLY: usize = 15;
/// Most other words on the line of the day: "London, 4 May 2020".
const BESIDE: usize = 3;
/// Most words of a recipient, and lines between the closing and the name below it.
const NAME_WORDS: usize = 8;
const BELOW: usize = 6;
/// Percent, by the kind of evidence: a label, the place on the page, a salutation.
const LABELLED: u8 = 95;
const PLACED: u8 = 80;
const GREETED: u8 = 75;

pub(super) fn find(text: &Text<'_>, lines: &[Line<'_>]) -> Vec<Fact> {
    let head = &lines[..lines.len().min(HEAD)];
    let salutation = head.iter().position(|line| SALUTATION.is_match(line.text));
    let top = &head[..salutation.unwrap_or(head.len().min(HEAD_ONLY))];
    let of_label =
        |label: &regex::Regex, kind| labelled(top, label).map(|(line, range)| line.fact(kind, range, LABELLED));
    let below = salutation.map_or(&[][..], |at| &lines[at..]);
    let from = of_label(&FROM, FactKind::From).or_else(|| sender(below));
    let to = of_label(&TO, FactKind::To).or_else(|| recipient(text, top, below));
    [from, to, day(text, top)].into_iter().flatten().collect()
}

fn day(text: &Text<'_>, top: &[Line<'_>]) -> Option<Fact> {
    let named = labelled(top, &DATE).and_then(|(line, range)| line.day(text, range));
    let placed = || {
        let mut own = top.iter().filter(|line| !SUBJECT.is_match(line.text));
        own.find_map(|line| line.day_of_line(text, BESIDE))
    };
    let named = named.map(|day| of_day(text, FactKind::Date, day, LABELLED));
    named.or_else(|| placed().map(|day| of_day(text, FactKind::Date, day, PLACED)))
}

/// The first line of the address below the day, or else the name in the salutation.
fn recipient(text: &Text<'_>, top: &[Line<'_>], below: &[Line<'_>]) -> Option<Fact> {
    let salutation = below.first()?;
    let dated = top.iter().position(|line| line.day_of_line(text, BESIDE).is_some());
    let after = dated.map_or(&[][..], |at| &top[at + 1..]);
    let from = after.iter().position(|line| !SUBJECT.is_match(line.text)).unwrap_or(after.len());
    let address = after.get(from..).unwrap_or_default();
    let first = address.first().filter(|first| {
        let name = first.text.trim();
        // One line is a heading rather than an address.
        let has_more = address.get(1).is_some_and(|next| !next.begins_block && !SUBJECT.is_match(next.text));
        has_more
            && name.starts_with(char::is_uppercase)
            && !name.contains(|c: char| c.is_ascii_digit() || c == ':')
            && name.split_whitespace().count() <= NAME_WORDS
    });
    let addressed = first.and_then(|line| Some(line.fact(FactKind::To, line.trimmed(0..line.text.len())?, PLACED)));
    addressed.or_else(|| {
        let name = SALUTATION.captures(salutation.text)?.get(1)?;
        let is_name = !GENERIC.is_match(name.as_str()) && name.as_str().split_whitespace().count() <= NAME_WORDS / 2;
        is_name.then(|| salutation.fact(FactKind::To, name.range(), GREETED))
    })
}

/// The first name below the closing.
fn sender(below: &[Line<'_>]) -> Option<Fact> {
    let closing = below.iter().position(|line| CLOSING.is_match(line.text))?;
    below[closing + 1..].iter().take(BELOW).find_map(|line| {
        let name = SIGNED.captures(line.text)?.get(1)?;
        is_person(name.as_str()).then(|| line.fact(FactKind::From, name.range(), PLACED))
    })
}
