//! Words with capitals that are no names of parties, and those that show that a name only describes one.

use super::party_names::is_form;
use crate::words::{Class, Word};

word_lists! {
    PUBLIC: set = "facts/public-bodies.txt";
    PLACEHOLDERS: set = "facts/placeholders.txt";
    /// Before a name that describes a party: "a division of".
    DESCRIBED: list = "facts/described.txt";
}

/// Offices of a state, and institutes: "State of Ohio, Bureau of Motor Vehicles".
pub(super) const OFFICES: &[&str] = &[
    "Department",
    "Bureau",
    "Office",
    "Division",
    "Agency",
    "Board",
    "Commission",
    "Ministry",
    "Secretary",
    "Institute",
    "Centre",
    "Center",
];

/// "Full Company Name", "Target Company": the text of a form in place of a name.
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

/// True if the text right before a name shows that it describes a party: "a division of", "represented by its President, ".
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
