//! The evidence of passages that a document answers a question, and how much is enough.

use super::clauses;

/// The weights that decide whether a document answers: it does if its weighted evidence is at least 1. Fitted with logistic regression on the first
/// half of the categories of benches/retrieval/sweeps.py.
pub(super) struct Weighing {
    relative: f32,
    together: f32,
    said: f32,
}

/// For questions about a clause with known wordings, or about the beginnings of documents …
pub(super) const OF_CLAUSES: Weighing = Weighing { relative: 0.85, together: 0.64, said: 0.51 };
/// … and for others, fitted on the same categories without that knowledge.
pub(super) const OF_WORDS: Weighing = Weighing { relative: 1.08, together: 1.38, said: 0.0 };

/// No document answers a question if no passage has its clause, if less than this share of its words is together anywhere …
const TOGETHER: f32 = 0.8;
/// … and if no passage is this similar to it (a cosine of the compact model). Chosen on 50 questions to the 100 contracts, of which 22 have no answer
/// there: this refuses 20 of these and none of the others.
const SIMILAR: f32 = 0.5;
/// The share of its words that is enough if a sentence also states the kind of answer that the question needs.
const STATED: f32 = 0.5;

#[derive(Clone, Copy, Default)]
pub(super) struct Evidence {
    /// The share of the question's words that are together, 0–1.
    pub together: f32,
    /// The share of a clause in the passage, 0–1.
    pub said: f32,
    pub cosine: f32,
    /// `together` if the sentence states the kind of answer that the question needs, such as a rate; else 0.
    pub stated: f32,
}

impl Evidence {
    pub fn max(self, other: Self) -> Self {
        Self {
            together: self.together.max(other.together),
            said: self.said.max(other.said),
            cosine: self.cosine.max(other.cosine),
            stated: self.stated.max(other.stated),
        }
    }

    /// True if a passage has a wording that only such clauses have.
    pub fn states_a_clause(&self) -> bool {
        self.said >= clauses::FIRST
    }

    /// True if any document may answer, given that this is the best evidence of all of them.
    pub fn is_enough(&self) -> bool {
        self.said > 0.0 || self.together >= TOGETHER || self.cosine >= SIMILAR || self.stated >= STATED
    }
}

impl Weighing {
    /// True if a document with this score answers; the best ones have 1 on average.
    pub fn admits(&self, relative: f32, evidence: Evidence) -> bool {
        self.relative * relative + self.together * evidence.together + self.said * evidence.said >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(together: f32, said: f32, cosine: f32) -> Evidence {
        Evidence { together, said, cosine, stated: 0.0 }
    }

    #[test]
    fn a_sentence_that_states_a_rate_is_enough_with_half_of_the_words() {
        assert!(Evidence { stated: 0.5, ..evidence(0.5, 0.0, 0.3) }.is_enough());
        assert!(!evidence(0.5, 0.0, 0.3).is_enough());
    }

    #[test]
    fn a_wording_of_a_clause_states_it_and_a_hint_does_not() {
        assert!(evidence(0.0, 0.8, 0.0).states_a_clause());
        assert!(!evidence(1.0, 0.3, 0.9).states_a_clause());
    }

    #[test]
    fn a_question_has_answers_where_words_a_clause_or_the_meaning_is_there() {
        for (most, expected) in [
            (evidence(1.0, 0.0, 0.3), true),
            (evidence(0.3, 0.0, 0.6), true),
            (evidence(0.3, 0.8, 0.3), true),
            // Half of its words are together somewhere.
            (evidence(0.5, 0.0, 0.3), false),
            (evidence(0.0, 0.0, 0.0), false),
        ] {
            assert_eq!(most.is_enough(), expected);
        }
    }

    #[test]
    fn a_document_answers_by_its_own_evidence_and_by_comparison() {
        // All words together are an answer, some only in one of the best documents.
        assert!(OF_WORDS.admits(0.4, evidence(1.0, 0.0, 0.0)));
        assert!(OF_WORDS.admits(1.0, evidence(0.3, 0.0, 0.0)));
        assert!(!OF_WORDS.admits(0.4, evidence(0.3, 0.0, 0.0)));
        // So is a clause that is said, with some of the words.
        assert!(OF_CLAUSES.admits(0.4, evidence(0.4, 0.8, 0.0)));
        assert!(!OF_CLAUSES.admits(0.6, evidence(0.4, 0.0, 0.0)));
    }
}
