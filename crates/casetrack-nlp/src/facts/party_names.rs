//! The name that begins at a place of an opening, as long as it goes on.

use std::ops::Range;

use super::text::Text;
use crate::words::{Class, Gap, Shape, Word, words};

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
        let site = i == 0 && word.text.contains('.') && word.text.starts_with(|c: char| c.is_alphabetic());
        if word.is_capital() || site || matches!(word.shape, Shape::Number) || is_form(word) {
            let after_form =
                i > 0 && is_form(&all[i - 1]) && matches!(word.text, "The" | "This" | "These" | "In" | "Due" | "Each");
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
            "," => {
                next.is_some_and(is_form)
                    || is_public(&all[0]) && next.is_some_and(|next| next.is_capital() && !is_stop(next))
                    // "Brown, Green & White LLP"
                    || !is_form(&all[i - 1])
                        && next.is_some_and(Word::is_capital)
                        && all.get(i + 2).is_some_and(|word| word.is('&'))
                        && all.iter().skip(i + 3).take(3).any(is_form)
            }
            "." | "-" | "/" | "'" | "&" | "®" | "™" | "+" | "!" => {
                word.gap == Gap::None && next.is_some_and(|next| next.gap == Gap::None || is_form(next))
                    || word.text == "&"
                    || (word.text == "-" && next.is_some_and(Word::is_capital))
            }
            "of" | "for" | "de" | "du" | "van" | "von" | "der" | "the" | "la" | "in" => {
                next.is_some_and(|next| next.is_capital() || matches!(next.text, "the" | "America"))
            }
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
    // the point of "Inc."
    if whole[last..].starts_with('.') && all[end - 1].has(Class::FORM) {
        last += 1;
    }
    let name = whole[start..last].split_whitespace().collect::<Vec<_>>().join(" ");
    let name = name.trim_end_matches([',', '-', '\'']).to_owned();
    (name.chars().filter(|c| c.is_alphabetic()).count() > 1).then_some((name, start..last))
}

pub(crate) fn byte_of(text: &str, chars: u32) -> usize {
    text.char_indices().nth(chars as usize).map_or(text.len(), |(at, _)| at)
}

/// "Inc.", "LLC", "L.P.": a form of incorporation.
pub(crate) fn is_form(word: &Word<'_>) -> bool {
    word.has(Class::FORM)
        || matches!(
            word.folded().trim_end_matches('.'),
            "inc"
                | "llc"
                | "l.l.c"
                | "lp"
                | "l.p"
                | "llp"
                | "ltd"
                | "limited"
                | "corp"
                | "co"
                | "plc"
                | "gmbh"
                | "ag"
                | "sa"
                | "s.a"
                | "n.v"
                | "b.v"
                | "s.p.a"
                | "p.c"
                | "p.a"
                | "pllc"
                | "lllp"
                | "s.r.l"
                | "srl"
                | "pte"
                | "bhd"
                | "n.a"
                | "lc"
                | "pty"
                | "jr"
                | "sr"
                | "n.d"
                | "ltda"
        )
}

/// "Town of Vinton, Virginia"
pub(crate) fn is_public(word: &Word<'_>) -> bool {
    matches!(word.folded().as_str(), "town" | "city" | "county" | "village" | "borough" | "township")
}

/// Ends a name although it has a capital.
fn is_stop(word: &Word<'_>) -> bool {
    matches!(
        word.text,
        "AND"
            | "And"
            | "BETWEEN"
            | "WITH"
            | "WHEREAS"
            | "Hereinafter"
            | "Address"
            | "Section"
            | "This"
            | "THIS"
            | "Dated"
            | "DATED"
            | "Effective"
            | "Date"
            | "By"
            | "HAVING"
            | "RECITALS"
            | "WITNESSETH"
            | "A"
            | "Party"
            | "With"
            | "Registration"
            | "Tel"
            | "Attention"
    )
}
