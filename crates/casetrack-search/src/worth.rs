//! The worth of the sentences of a passage to a question.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::answers;
use super::clauses;
use super::sentences::Sentence;
use super::word_forms::{stem, terms, words};

/// The share of a word of the heading above a sentence, against a word of the sentence.
const HEADED: f32 = 0.6;
/// The share of a sentence that states the kind of answer that the question needs, compared with all words of the question.
const ANSWERS: f32 = 0.3;
/// The share of the words of other sentences that are shown with the best.
const BESIDE: f32 = 0.3;

/// The worth of each sentence of a passage to a question.
pub(super) struct Worth {
    weights: BTreeMap<String, f32>,
    words: Vec<BTreeSet<String>>,
    values: Vec<f32>,
    /// True for each sentence that has words of the question, or a wording that the question asks for. A heading with them is not enough.
    pub matches: Vec<bool>,
}

impl Worth {
    /// A word counts less if more sentences have it. A sentence in the wording of a requested clause counts as much as all words of the
    /// question.
    pub fn of(query: &str, chars: &[char], sentences: &[Sentence]) -> Self {
        let terms = terms(query);
        let answers = answers::asked(query);
        let clauses = clauses::asked(query);
        let of_sentence = |sentence: &Sentence| -> BTreeSet<String> {
            let own = words(&chars[sentence.range.clone()]).map(|(_, word)| stem(&word));
            own.filter(|word| terms.contains(word)).collect()
        };
        let words: Vec<BTreeSet<String>> = sentences.iter().map(of_sentence).collect();
        let weight = |term: &String| {
            let with = words.iter().filter(|words| words.contains(term)).count();
            1.0 / (1.0 + (with.max(1) as f32).ln())
        };
        let weights: BTreeMap<String, f32> = terms.iter().map(|term| (term.clone(), weight(term))).collect();
        let whole: f32 = weights.values().sum();
        let (mut values, mut matches, mut heading): (Vec<f32>, Vec<bool>, BTreeSet<&String>) = Default::default();
        for (sentence, words) in sentences.iter().zip(&words) {
            let sum = |words: &mut dyn Iterator<Item = &String>| words.map(|word| weights[word]).sum::<f32>();
            let own = sum(&mut words.iter());
            if sentence.is_heading {
                heading = words.iter().collect();
                values.push(HEADED * own);
                matches.push(own > 0.0);
                continue;
            }
            let headed = sum(&mut heading.iter().copied().filter(|word| !words.contains(*word)));
            let text: String = chars[sentence.range.clone()].iter().collect();
            let answers =
                (own + headed > 0.0 && answers.iter().any(|answer| answer.is_in(&text))).then_some(ANSWERS * whole);
            let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let said = clauses.iter().map(|clause| clause.said(&spaced).0).fold(0.0, f32::max);
            values.push(own + HEADED * headed + answers.unwrap_or_default() + said * whole);
            matches.push(own + said > 0.0);
        }
        Self { weights, words, values, matches }
    }

    /// The worth of sentences that are shown together.
    pub fn together(&self, shown: Range<usize>) -> f32 {
        let values = &self.values[shown.clone()];
        let best = values.iter().copied().fold(0.0, f32::max);
        let at = values.iter().position(|value| *value == best).unwrap_or_default() + shown.start;
        let beside: BTreeSet<&String> =
            shown.flat_map(|n| &self.words[n]).filter(|word| !self.words[at].contains(*word)).collect();
        best + BESIDE * beside.into_iter().map(|word| self.weights[word]).sum::<f32>()
    }
}
