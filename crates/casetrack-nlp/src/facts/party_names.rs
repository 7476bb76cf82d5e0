//! The name that begins at a place of an opening, as long as it goes on.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::text::Text;
use crate::words::{Class, Gap, Shape, Word, entries, set, words};

static FORMS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/forms.txt")));
static PUBLIC: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/public-bodies.txt")));
static ENDS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/name-ends.txt")));
/// Right behind a form of incorporation: the name has ended.
static AFTER_FORM: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/after-form.txt")));
static PAIRS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/name-pairs.txt")));
static PLACEHOLDERS: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/placeholders.txt")));
/// Before a name that describes a party: "a division of".
static DESCRIBED: LazyLock<Vec<&str>> =
    LazyLock::new(|| entries(include_str!("../../data/facts/described.txt")).collect());
/// Offices of a state: "State of Ohio, Bureau of Motor Vehicles".
const OFFICES: &[&str] =
    &["Department", "Bureau", "Office", "Division", "Agency", "Board", "Commission", "Ministry", "Secretary"];

/// Behind a comma they are part of the name of a person.
const DEGREES: &[&str] = &["md", "phd", "esq", "cpa", "dds", "jd", "jr", "sr", "ii", "iii"];

/// Longest name, in words.
const NAME_WORDS: usize = 16;

/// The name that begins at a byte: words with capitals, and what joins them.
pub(crate) fn name_at(text: &Text<'_>, at: usize) -> Option<(String, Range<usize>)> {
    let whole = text.text();
    let window = &whole[at..text.floor(at + 220)];
    let all = words(window);
    let mut end = 0;
    let mut i = 0;
    while i < all.len().min(NAME_WORDS * 2) {
        let word = &all[i];
        // "A/S"
        if i > 0
            && word.text == "A"
            && all.get(i + 1).is_some_and(|mark| mark.is('/'))
            && all.get(i + 2).is_some_and(|word| word.text == "S")
        {
            i += 3;
            end = i;
            continue;
        }
        let site = i == 0 && word.text.contains('.') && word.text.starts_with(|c: char| c.is_alphabetic());
        // "thoughtbot, inc."
        let small = i == 0
            && matches!(word.shape, Shape::Lower)
            && all.get(1).is_some_and(|comma| comma.is(','))
            && all.get(2).is_some_and(is_form);
        if word.is_capital() || site || small || matches!(word.shape, Shape::Number) || is_form(word) {
            let after_form = i > 0 && is_form(&all[i - 1]) && AFTER_FORM.contains(word.text.trim_end_matches('.'));
            let address = i > 0 && is_form(&all[i - 1]) && matches!(word.shape, Shape::Number);
            let new_paragraph = i > 0 && word.gap >= Gap::Line && !is_form(word);
            if i > 0 && (is_stop(word) || after_form || address || new_paragraph) {
                break;
            }
            i += 1;
            end = i;
            continue;
        }
        // ", Inc.", "(AFRICA) (PTY) LIMITED", "d/b/a", "of", "&", "-"
        let next = all.get(i + 1);
        if i == 0 {
            break;
        }
        let joins = match word.text {
            "." if next.is_some_and(|next| next.text == "z") => true,
            "," => {
                next.is_some_and(|next| is_form(next) && !(next.text == "Company" && is_number_label(all.get(i + 2))))
                    || all.get(i + 1).is_some_and(|next| next.folded() == "national")
                        && all.get(i + 2).is_some_and(|next| next.folded() == "association")
                    || all.get(i + 1).is_some_and(|next| DEGREES.contains(&next.folded().as_str()))
                    || is_public(&all[0]) && next.is_some_and(|next| next.is_capital() && !is_stop(next))
                    || matches!(all[0].folded().as_str(), "state" | "commonwealth")
                        && next.is_some_and(|next| OFFICES.contains(&next.text))
                    // "Brown, Green & White LLP"
                    || !is_form(&all[i - 1])
                        && next.is_some_and(Word::is_capital)
                        && all.get(i + 2).is_some_and(|word| word.is('&'))
                        && all.iter().skip(i + 3).take(3).any(is_form)
            }
            "!" if next.is_some_and(is_form) => word.gap == Gap::None,
            "." | "-" | "/" | "'" | "&" | "®" | "™" | "+" => {
                word.gap == Gap::None && next.is_some_and(|next| next.gap == Gap::None || is_form(next))
                    || word.text == "&"
                    // "Workers' Compensation Board"
                    || word.text == "'"
                        && word.gap == Gap::None
                        && all[i - 1].text.ends_with(['s', 'S'])
                        && !whole[..at].ends_with(['\'', '"'])
                        && next.is_some_and(|next| next.is_capital() && !is_stop(next))
                    || (word.text == "-" && next.is_some_and(Word::is_capital))
            }
            "of" | "for" | "de" | "du" | "van" | "von" | "der" | "the" | "la" | "in" => {
                next.is_some_and(|next| next.is_capital() || matches!(next.text, "the" | "America"))
            }
            "and" => is_office(&all, i) || next.is_some_and(|next| is_pair(&all[i - 1], next)),
            // "Jane "JJ" Roe"
            "\"" if word.gap != Gap::None => {
                let close = (i + 2..all.len().min(i + 4)).find(|at| all[*at].is('"'));
                close.is_some_and(|close| {
                    let inside = all[i + 1..close].iter().all(Word::is_capital);
                    let goes_on = all.get(close + 1).is_some_and(|next| {
                        next.is_capital() && next.gap == Gap::Space && !is_stop(next) && !is_form(next)
                    });
                    i = if inside && goes_on { close } else { i };
                    inside && goes_on
                })
            }
            // "Sp. z o.o."
            "z" if next.is_some_and(|next| next.text.starts_with("o.o")) => {
                end = i + 2;
                i += 1;
                true
            }
            // "S.à r.l."
            "r.l." | "r.l" if all[i - 1].folded() == "sà" => {
                end = i + 1;
                true
            }
            // "Yahoo! Maps", "E*Trade"
            "!" => word.gap == Gap::None && next.is_some_and(|next| next.is_capital() && next.gap == Gap::Space),
            "*" => word.gap == Gap::None && next.is_some_and(|next| next.is_capital() && next.gap == Gap::None),
            "d" | "dba" | "a" if window[byte_of(window, word.start)..].starts_with("d/b/a") => true,
            "d/b/a" | "DBA" => true,
            "(" => {
                let close = (i + 1..all.len().min(i + 5)).find(|at| all[*at].is(')'));
                close.is_some_and(|close| {
                    let inside = &all[i + 1..close];
                    let place = inside.iter().all(|word| word.is_capital());
                    if place
                        && !inside.is_empty()
                        && all.get(close + 1).is_some_and(|next| is_form(next) || next.is_capital() || next.is('('))
                    {
                        i = close;
                        true
                    } else {
                        false
                    }
                })
            }
            _ => false,
        };
        if !joins {
            break;
        }
        i += 1;
    }
    if end == 0 {
        return None;
    }
    let start = at + byte_of(window, all[0].start);
    let last = at + byte_of(window, all[end - 1].end);
    let mut last = last;
    if whole[last..].starts_with('.') && is_pointed(&all[end - 1]) {
        last += 1;
    }
    // "Beta LLC." ends a sentence
    let form = &all[end - 1];
    if form.text.strip_suffix('.').is_some_and(|bare| matches!(bare, "LLC" | "LLP" | "LP" | "PLC")) && last > start + 1
    {
        last -= 1;
    }
    let name = whole[start..last].split_whitespace().collect::<Vec<_>>().join(" ");
    let name = name.trim_end_matches([',', '-', '\'']).replace(" ,", ",");
    (name.chars().filter(|c| c.is_alphabetic()).count() > 1).then_some((name, start..last))
}

/// "Bank and Trust", "Johnson and Johnson": words that "and" joins within a name.
fn is_pair(before: &Word<'_>, behind: &Word<'_>) -> bool {
    let (before, behind) = (before.folded(), behind.folded());
    before == behind || PAIRS.contains(&format!("{before} {behind}").as_str())
}

/// "Company Registration Number" begins with no form of incorporation.
fn is_number_label(word: Option<&Word<'_>>) -> bool {
    word.is_some_and(|word| matches!(word.text.trim_end_matches('.'), "Registration" | "Reg" | "Number" | "No"))
}

/// Whether an "and" is within the name of an office: "Department of Health and Human Services".
fn is_office(all: &[Word<'_>], and: usize) -> bool {
    let of = (1..and).any(|at| matches!(all[at].text, "of" | "for") && OFFICES.contains(&all[at - 1].text));
    let behind = &all[and + 1..];
    of && behind.first().is_some_and(|next| next.is_capital() && !is_stop(next) && !OFFICES.contains(&next.text))
        && !behind.iter().take(5).any(is_form)
}

/// "Inc", which has a point of its own; the one after "LLC" ends a sentence.
fn is_pointed(word: &Word<'_>) -> bool {
    word.text.contains('.')
        || matches!(word.folded().as_str(), "inc" | "corp" | "ltd" | "co" | "ltda" | "bhd" | "jr" | "sr" | "pty")
}

pub(crate) fn byte_of(text: &str, chars: u32) -> usize {
    text.char_indices().nth(chars as usize).map_or(text.len(), |(at, _)| at)
}

/// "Inc.", "LLC", "L.P.": a form of incorporation.
pub(crate) fn is_form(word: &Word<'_>) -> bool {
    word.has(Class::FORM)
        || FORMS.contains(word.folded().as_str())
        || matches!(word.text, "r.l." | "r.l" | "o.o." | "o.o")
}

/// "Full Company Name", "Target Company": what a form has where a name is to be written.
pub(crate) fn is_blank(all: &[Word<'_>]) -> bool {
    let placeholder = |word: &Word<'_>| PLACEHOLDERS.contains(word.folded().as_str());
    let party = |word: &Word<'_>| word.has(Class::PARTY) && !matches!(word.folded().as_str(), "corporation" | "bank");
    let form = |word: &Word<'_>| word.has(Class::FORM);
    all.iter().any(placeholder)
        && all.iter().all(|word| placeholder(word) || word.is_mark() || party(word) || form(word))
}

/// "2440 Lake Road", "Lake Road": a street, unless the name of a firm is made of them.
pub(crate) fn is_address(all: &[Word<'_>]) -> bool {
    let street = all.iter().rfind(|word| !word.is_mark()).is_some_and(crate::places::is_street);
    // "SE" in "2440 SE Federal Hwy." is a form too
    !all.is_empty() && (street || crate::places::address_at(all, 0).is_some()) && !all.last().is_some_and(is_form)
}

/// Whether the text right before a name shows that it describes a party: "a division of", "represented by its President, ".
pub(crate) fn is_described(before: &str) -> bool {
    let folded = before.to_lowercase();
    let folded = folded.strip_suffix("u.s. ").unwrap_or(&folded);
    let bare = folded.strip_suffix("the ").unwrap_or(folded);
    // "registered in England and Wales of 10 Bressenden Place"
    bare.trim_end().ends_with("england and")
        || DESCRIBED.iter().any(|word| folded.ends_with(word) || bare.ends_with(word))
        || {
            let near = bare.rfind("represented by ").map(|at| &bare[at + 15..]);
            near.is_some_and(|near| near.len() < 60 && near.ends_with(", ") && near.matches(',').count() == 1)
        }
}

/// "Town of Vinton, Virginia"
pub(crate) fn is_public(word: &Word<'_>) -> bool {
    PUBLIC.contains(word.folded().as_str())
}

/// Ends a name although it has a capital.
fn is_stop(word: &Word<'_>) -> bool {
    ENDS.contains(word.text)
}
