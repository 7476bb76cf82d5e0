//! The signers of a contract that does not open with its parties. Signature blocks may be run together on one line.

use std::ops::Range;

use super::party_names::{byte_of, is_form};
use super::text::{Text, last_chars};
use crate::names::signatures::signatures;
use crate::words::{Class, Shape, Word, words};

pattern_table! {
    "facts/signers.toml":
    SIGNED_BY, BY,
}
/// Longest name of one that signs, in bytes.
const SIGNER: usize = 120;

/// The organizations, and the people who sign for themselves, in order. Linear.
pub(crate) fn signers(text: &Text<'_>) -> Vec<Range<usize>> {
    let whole = text.text();
    let mut found: Vec<Range<usize>> = Vec::new();
    for signature in signatures(whole) {
        let person = byte_of(whole, signature.char_start)..byte_of(whole, signature.char_end);
        let before = whole[..person.start].trim_end_matches([' ', '\n', '_']);
        let before = before.strip_suffix("/s/").or_else(|| before.strip_suffix("/S/")).unwrap_or(before);
        let organization = signature.organization.map(|(from, to)| byte_of(whole, from)..byte_of(whole, to));
        let adjoins = |of: &Range<usize>| before.trim_end().len() <= of.end;
        match organization {
            Some(of) if signature.title.is_some() || BY.is_match(last_chars(before, 12)) || adjoins(&of) => {
                // "By: Acme GP, LLC, its general partner"
                if !BY.is_match(last_chars(&whole[..of.start], 12)) {
                    found.push(without_position(text, of));
                }
            }
            // Which of them is signed for is not known.
            _ if !signature.organizations.is_empty() => {
                let of = |(from, to)| byte_of(whole, from)..byte_of(whole, to);
                found.extend(signature.organizations.into_iter().map(of));
            }
            _ => found.push(person),
        }
    }
    for by in SIGNED_BY.find_iter(whole) {
        let from = text.floor(by.start().saturating_sub(SIGNER));
        let line = whole[from..by.start()].trim_end().rfind(['_', ':', '\n']).map_or(from, |at| from + at + 1);
        if let Some(name) = (line..by.start()).find_map(|at| name_before(text, at, by.start())) {
            found.extend(columns(text, name));
        }
    }
    // the longest of those that overlap
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut reached = 0;
    found.retain(|range| {
        let new = range.start >= reached;
        reached = reached.max(range.end);
        new
    });
    found
}

/// Without the position of who signed before: "Manager ACME LLC".
fn without_position(text: &Text<'_>, range: Range<usize>) -> Range<usize> {
    let written = &text.text()[range.clone()];
    let all = words(written);
    let position = all.iter().take_while(|word| word.has(Class::POSITION_HEAD)).count();
    // "Managing Member ALPHA FUND, LTD."
    let shouts = |word: &Word<'_>| word.text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let spoken = all.iter().take_while(|word| !word.is_mark() && !shouts(word)).count();
    let titled = spoken > 0 && all[spoken - 1].has(Class::POSITION_HEAD) && all[spoken..].iter().all(shouts);
    let position = if titled { spoken } else { position };
    match all.get(position) {
        Some(first) if position > 0 && all.len() > position + 1 => {
            range.start + byte_of(written, first.start)..range.end
        }
        _ => range,
    }
}

/// The name of an organization from one byte to another, if it begins a line or is after a sentence, a date or a
/// position: "Chief Compliance Officer ACME FUND, L.P. By:".
fn name_before(text: &Text<'_>, at: usize, end: usize) -> Option<Range<usize>> {
    let whole = text.text();
    if !whole.is_char_boundary(at) || !whole[at..].starts_with(char::is_uppercase) {
        return None;
    }
    let before = &whole[..at];
    if !before.is_empty() && !before.ends_with([' ', '\n', '_', ':']) {
        return None;
    }
    let last = last_chars(before, 12).split([' ', '\n']).rfind(|word| !word.is_empty()).unwrap_or_default();
    let position = words(last).last().is_some_and(|word| word.has(Class::POSITION_HEAD));
    let closed = last.ends_with(['.', ':', ')', '_', '"']) || last.ends_with(|c: char| c.is_ascii_digit());
    if !(text.flat.begins_line(at) || last.is_empty() || position || closed) {
        return None;
    }
    // Nothing else is on a line that ends in "By:", so small words are of the name: "Growth and Income Fund, L.P."
    let written = whole[at..end].trim_end();
    let all = words(written);
    let of_name = |word: &Word<'_>| {
        word.is_capital()
            || matches!(word.shape, Shape::Number | Shape::Mark(',' | '.' | '&' | '-' | '\'' | '/' | '(' | ')'))
            || matches!(word.text, "of" | "and" | "for" | "the" | "de")
    };
    let named = all.len() > 1
        && all.iter().all(of_name)
        && all.iter().rfind(|word| !word.is_mark()).is_some_and(is_form)
        && (text.flat.begins_line(at) || !all.iter().any(|word| word.has(Class::POSITION_HEAD)));
    named.then(|| at..at + written.len())
}

/// The names of two columns that were joined to one line: "ALPHA FUND L.P. BETA FUND L.P. By:".
fn columns(text: &Text<'_>, range: Range<usize>) -> Vec<Range<usize>> {
    let written = &text.text()[range.clone()];
    let all = words(written);
    let ends_name = |at: usize| is_form(&all[at]) && (all[at].text.contains('.') || all[at].has(Class::FORM));
    let two = (1..all.len()).find(|at| {
        let rest = &all[at + 1..];
        ends_name(*at)
            && rest.len() > 2
            && !is_form(&rest[0])
            && rest[0].is_capital()
            && rest[1].is_capital()
            && rest.iter().skip(1).any(is_form)
    });
    let Some(two) = two else { return vec![range] };
    let end = range.start + byte_of(written, all[two].end);
    let next = range.start + byte_of(written, all[two + 1].start);
    vec![range.start..end, next..range.end]
}
