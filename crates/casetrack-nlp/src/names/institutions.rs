//! Institutions that administer. Documents name them for their office; they are not concerned themselves.

use crate::words::{Class, fold, words};

word_lists! {
    INSTITUTIONS: set = "words/institutions.txt";
}

/// Most words of an institution's name in the list.
const MOST_WORDS: usize = 6;

/// True for the name of a court, an arbitration body, an authority, an exchange or a standards body; false for the name of a company.
pub fn is_institution(name: &str) -> bool {
    let all = words(name);
    if all.iter().any(|word| word.has(Class::FORM)) {
        return false;
    }
    let named: Vec<String> = all.iter().filter(|word| !word.is_mark()).map(|word| fold(word.text)).collect();
    let is_listed = |part: &[String]| INSTITUTIONS.contains(part.join(" ").as_str());
    (1..=MOST_WORDS.min(named.len())).any(|length| named.windows(length).any(is_listed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courts_and_arbitration_bodies_are_institutions_and_companies_are_none() {
        for name in [
            "American Arbitration Association",
            "International Court of Arbitration",
            "U.S. Securities and Exchange Commission",
            "Supreme Court of New York",
            "JAMS",
            "The NASDAQ Stock Market",
        ] {
            assert!(is_institution(name), "{name}");
        }
        for name in ["Tennis Court Supplies, Inc.", "Acme Corp.", "Courtyard Hotels", "Chamber Music Society"] {
            assert!(!is_institution(name), "{name}");
        }
    }
}
