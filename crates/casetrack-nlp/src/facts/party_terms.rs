//! The words that a contract defines for a party: "Acme", "the Company", "Disclosing Party".

use casetrack_core::single_spaced;

use crate::words::is_party_word;

pattern_table! {
    "facts/party_terms.toml":
    TERMS, QUOTED, BARE, TOGETHER, ONE_PARTY, NEXT_BLANK,
}
word_lists! {
    /// The last words of terms that are not of parties.
    NO_TERM: set = "facts/no-term.txt";
    ROLES: set = "facts/roles.txt";
}

/// Most terms of one party.
const MOST: usize = 4;

/// True if the words in a bracket define something for several parties, or for the contract.
pub(crate) fn is_together(text: &str) -> bool {
    TOGETHER.is_match(&ONE_PARTY.replace_all(text, ""))
}

/// The number of brackets that a text leaves open.
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

/// The terms for the party of this name in the text behind it, which ends at the next party.
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
            let term = single_spaced(term);
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

/// "Transaction", "Purpose": a term that is defined near a party and is not for it, unless its name has the word.
fn is_other_thing(name: &str, term: &str) -> bool {
    let folded = term.to_lowercase();
    let last = folded.rsplit(' ').next().unwrap_or_default();
    NO_TERM.contains(last) && !name.to_lowercase().contains(last)
}

/// A contract's word for a party.
pub(crate) fn is_role(folded: &str) -> bool {
    is_party_word(folded) || ROLES.contains(folded)
}

/// True if a defined term is short for a name, or a contract's word for a party: "Acme" for "Acme Foods, Inc.", "AFI", "Licensor".
pub(crate) fn is_own_term(name: &str, term: &str) -> bool {
    let folded = term.to_lowercase();
    let first = folded.split(' ').next().unwrap_or_default();
    let initials: String =
        name.split(' ').filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
    is_role(&folded)
        || first.len() > 1
            && (name.to_lowercase().split(' ').any(|word| word.starts_with(first)) || initials.starts_with(first))
}
