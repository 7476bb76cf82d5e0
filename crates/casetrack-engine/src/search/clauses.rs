//! Clauses of contracts that questions ask for, and how contracts say them: `data/clauses.txt`.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

/// One way to say a clause is this share of all there is to say …
const FIRST: f32 = 0.8;
/// … and each further one adds this.
const FURTHER: f32 = 0.2;

/// A kind of clause.
pub(super) struct Clause {
    /// Words of questions that ask for it, in lower case.
    asked: Vec<&'static str>,
    said: Option<Regex>,
}

static CLAUSES: LazyLock<Vec<Clause>> = LazyLock::new(|| {
    let blocks = include_str!("../../data/clauses.txt").split("\n[").skip(1);
    let lines = |block: &'static str, key| block.lines().filter_map(move |line| line.strip_prefix(key)).map(str::trim);
    let clause = |block| Clause {
        asked: lines(block, "asked:").flat_map(|asked| asked.split(';')).map(str::trim).collect(),
        said: {
            let said: Vec<String> = lines(block, "said:").map(|said| format!("(?:{said})")).collect();
            RegexBuilder::new(&said.join("|")).case_insensitive(true).build().ok()
        },
    };
    blocks.map(clause).collect()
});

/// The clauses that a question asks for.
pub(super) fn asked(question: &str) -> Vec<&'static Clause> {
    let question = question.to_lowercase();
    CLAUSES.iter().filter(|clause| clause.asked.iter().any(|asked| question.contains(asked))).collect()
}

impl Clause {
    /// How much (0–1) of it a text says, and the words that say it. White space must be single spaces.
    pub fn said<'t>(&self, text: &'t str) -> (f32, Vec<&'t str>) {
        let mut different = HashSet::new();
        let mut words = Vec::new();
        for said in self.said.iter().flat_map(|said| said.find_iter(text)).map(|said| said.as_str()) {
            if different.insert(said.to_lowercase()) {
                words.push(said);
            }
        }
        let share = if words.is_empty() { 0.0 } else { FIRST + FURTHER * (words.len() - 1) as f32 };
        (share.min(1.0), words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_of_the_file_is_complete() {
        assert!(CLAUSES.len() > 30);
        for clause in CLAUSES.iter() {
            assert!(!clause.asked.is_empty() && clause.asked.iter().all(|asked| *asked == asked.to_lowercase()));
            assert!(clause.said.is_some(), "{:?}", clause.asked);
        }
    }

    #[test]
    fn a_question_asks_for_clauses_and_texts_say_them() {
        let said = |question, text| asked(question).iter().map(|clause| clause.said(text).0).fold(0.0, f32::max);
        assert_eq!(
            said("Which contracts can be ended without cause?", "Either party may terminate for any reason."),
            0.8
        );
        assert!(said("is there a right of first refusal", "shall have a right of first refusal, first option") > 0.9);
        assert_eq!(said("is there a right of first refusal", "The rent is due monthly."), 0.0);
        assert_eq!(asked("who pays the rent?").len(), 0);
    }
}
