//! The kinds of answers that questions ask for, and how texts state them: `data/answers.txt`.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

/// A kind of answer: a rate, a sum, a duration, a date.
pub(super) struct Answer {
    asked: Regex,
    said: Regex,
}

static ANSWERS: LazyLock<Vec<Answer>> = LazyLock::new(|| {
    let blocks = include_str!("../data/answers.txt").split("\n[").skip(1);
    let of = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key))?;
        RegexBuilder::new(line.trim()).case_insensitive(true).build().ok()
    };
    blocks.filter_map(|block| Some(Answer { asked: of(block, "asked:")?, said: of(block, "said:")? })).collect()
});

/// The kinds of answers that a question asks for.
pub(super) fn asked(question: &str) -> Vec<&'static Answer> {
    ANSWERS.iter().filter(|answer| answer.asked.is_match(question)).collect()
}

impl Answer {
    /// True if a text states such an answer.
    pub fn is_in(&self, text: &str) -> bool {
        self.said.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_state_what_questions_ask_for() {
        assert_eq!(ANSWERS.len(), include_str!("../data/answers.txt").matches("\n[").count());
        let states = |question, text| asked(question).iter().any(|answer| answer.is_in(text));
        let rate = "What is the late payment interest rate after the amendment?";
        assert!(states(rate, "at 2.5 per cent per annum above the Base Rate"));
        assert!(!states(rate, "in return for a lower rate of interest on late payments"));
        assert!(states("How long is the notice period?", "within ten (10) days"));
        assert!(states("When does it end?", "on 3 May 2024, 2024-05-03"));
        assert!(states("How much is the rent?", "a rent of $4,000"));
        assert_eq!(asked("Who pays the rent?").len(), 0);
    }
}
