//! The words that a contract defines for a party: "Acme", "the Company", "Disclosing Party".

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::text::pattern;
use crate::words::{is_party_word, set};

/// `("Acme" or the "Company")`, with what is between the brackets.
pub(crate) static TERMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\(([^()]{0,160})\)|(?i:hereinafter|hereafter|referred to as|known as) ([^.;()]{0,60}["'][^"']{1,40}["'])"#,
    )
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["']+(?:the )?([^"']{1,60}?)[,.]?["']"#));
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?i:hereinafter |herein |referred to as |called )*(?i:the )?([A-Z][A-Za-z]+(?: [A-Z][A-Za-z]*)?)$")
});
static TOGETHER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:part(?:y|ies)|each a|agreement|contract|effective date)\b"));
/// One party, although its term ends in "Party".
static ONE_PARTY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:disclosing|receiving|first|second|third|providing|supplying|requesting|selling|buying|purchasing|performing|licensing|contracting|interested|requesting) party\b",
    )
});
/// The next party has no name: "and ____", "and [Company]", `and ("Vendor")`.
static NEXT_BLANK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:and|between)\b[ -]*(?:between )?,? ?(?:the )?(?:_|\[|\(|…|\.\.|●|\*\*|<|(?:other |undersigned )?(?:person|entity|party|individual|organi[sz]ation|company|firm|customer|supplier) (?:or|and|identified|named|listed|signing|whose|below|that|who)\b)|_{4}",
    )
});
/// The last words of terms that are not of parties.
static NO_TERM: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/no-term.txt")));
static ROLES: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("../../data/facts/roles.txt")));

/// Most terms of one party.
const MOST: usize = 4;

/// Whether the words in a bracket define something for several parties, or for the contract.
pub(crate) fn is_together(text: &str) -> bool {
    TOGETHER.is_match(&ONE_PARTY.replace_all(text, ""))
}

/// How many brackets a text leaves open.
pub(crate) fn depth(text: &str) -> i32 {
    text.chars()
        .map(|c| match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        })
        .sum::<i32>()
        .max(0)
}

/// The terms for the party of this name in the text behind it, which ends where the next party begins.
pub(crate) fn terms(name: &str, text: &str) -> Vec<String> {
    let blank = NEXT_BLANK.find_iter(text).map(|blank| blank.start()).find(|at| depth(&text[..*at]) == 0);
    let text = &text[..blank.unwrap_or(text.len())];
    let mut found: Vec<String> = Vec::new();
    let mut last_end = None;
    for bracket in TERMS.captures_iter(text) {
        let all = bracket.get(0).map_or(0..0, |all| all.range());
        // Brackets further on define other things.
        if last_end.is_some_and(|end| all.start > end + 8) {
            break;
        }
        let before = found.len();
        let Some(inside) = bracket.get(1).or(bracket.get(2)) else { continue };
        let quoted: Vec<&str> =
            QUOTED.captures_iter(inside.as_str()).filter_map(|term| Some(term.get(1)?.as_str())).collect();
        let bare = BARE
            .captures(inside.as_str())
            .and_then(|term| Some(term.get(1)?.as_str()))
            .filter(|term| quoted.is_empty() && is_role(&term.to_lowercase()));
        for term in quoted.into_iter().chain(bare) {
            let term = term.split_whitespace().collect::<Vec<_>>().join(" ");
            let own = !term.is_empty() && !is_together(&term) && !is_other_thing(name, &term);
            if own && !found.contains(&term) && found.len() < MOST {
                found.push(term);
            }
        }
        if found.len() > before {
            last_end = Some(all.end);
        }
    }
    found
}

/// "Transaction", "Purpose": what is defined near a party and is none, unless its name has the word.
fn is_other_thing(name: &str, term: &str) -> bool {
    let folded = term.to_lowercase();
    let last = folded.rsplit(' ').next().unwrap_or_default();
    NO_TERM.contains(last) && !name.to_lowercase().contains(last)
}

/// A contract's word for a party.
pub(crate) fn is_role(folded: &str) -> bool {
    is_party_word(folded) || ROLES.contains(folded)
}

/// Whether a defined term is short for a name, or a contract's word for a party: "Acme" for "Acme Foods, Inc.", "AFI", "Licensor".
pub(crate) fn is_own_term(name: &str, term: &str) -> bool {
    let folded = term.to_lowercase();
    let first = folded.split(' ').next().unwrap_or_default();
    let initials: String =
        name.split(' ').filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
    is_role(&folded)
        || first.len() > 1
            && (name.to_lowercase().split(' ').any(|word| word.starts_with(first)) || initials.starts_with(first))
}
