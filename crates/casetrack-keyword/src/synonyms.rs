//! Words of the law that mean the same.
//!
//! `data/synonyms.txt` has one group per line: words in any form. Each of them also finds the others, for a smaller part of
//! a score. After an arrow are the words that abbreviations stand for. The abbreviations find them, but not the other way round.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::analysis::query_analyzer;

/// The weight of a synonym against a word of the query.
pub(crate) const WEIGHT: f32 = 0.1;

const FILE: &str = include_str!("../data/synonyms.txt");

/// Terms by term.
static SYNONYMS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut synonyms: HashMap<String, Vec<String>> = HashMap::new();
    for line in FILE.lines().filter(|line| !line.starts_with('#')) {
        let (of, with) = line.split_once("->").unwrap_or((line, line));
        let with = terms(with);
        for term in terms(of) {
            let known = synonyms.entry(term.clone()).or_default();
            for other in with.iter().filter(|other| **other != term) {
                if !known.contains(other) {
                    known.push(other.clone());
                }
            }
        }
    }
    synonyms
});

/// The terms that mean the same as a term.
pub(crate) fn of(term: &str) -> impl Iterator<Item = &'static str> {
    SYNONYMS.get(term).into_iter().flatten().map(String::as_str)
}

fn terms(words: &str) -> Vec<String> {
    let mut analyzer = query_analyzer();
    let mut found = Vec::new();
    analyzer.token_stream(words).process(&mut |token| found.push(token.text.clone()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_group_find_each_other_and_abbreviations_what_they_stand_for() {
        let of = |word: &str| of(&terms(word)[0]).collect::<Vec<_>>();
        assert!(of("terminates").contains(&terms("cancellation")[0].as_str()), "{:?}", of("terminates"));
        assert!(of("disparaging").contains(&terms("badmouth")[0].as_str()));
        assert!(of("NDA").contains(&"confidenti"));
        assert!(!of("confidentiality").contains(&"nda"));
        assert_eq!(of("zebra"), Vec::<&str>::new());
    }
}
