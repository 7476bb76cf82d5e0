//! The worth of the sentences of a passage to a question.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use casetrack_core::single_spaced;
use casetrack_nlp::{Clause, Fact, clauses_in};

use super::answers::{self, Answer};
use super::clauses::{self, AskedClause};
use super::sentences::Sentence;
use super::word_forms::{stem, terms, words};

/// The share of a word of the heading above a sentence, against a word of the sentence.
const HEADED: f32 = 0.6;
/// The share of a sentence that states the kind of answer that the question needs, compared with all words of the question.
const ANSWERS: f32 = 0.3;
/// The share of a sentence that the model of clauses chooses for a kind that is asked for, compared with all words of the question; …
const CHOSEN: f32 = 1.2;
/// … and of one that denies the kind, or is only a candidate.
const DOUBTFUL: f32 = 0.6;
/// A sentence of this confidence in percent is chosen.
const SURE: u8 = 50;
/// The share of the words of other sentences that are shown with the best.
const BESIDE: f32 = 0.3;

/// A question, read once for all passages.
pub(super) struct Question {
    pub text: String,
    terms: HashSet<String>,
    answers: Vec<&'static Answer>,
    clauses: Vec<AskedClause>,
}

impl Question {
    pub fn of(text: &str) -> Self {
        let (terms, answers, clauses) = (terms(text), answers::asked(text), clauses::asked(text));
        Self { text: text.to_owned(), terms, answers, clauses }
    }
}

/// The worth of each sentence of a passage to a question.
pub(super) struct Worth {
    weights: BTreeMap<String, f32>,
    words: Vec<BTreeSet<String>>,
    values: Vec<f32>,
    /// True for each sentence that has words of the question, or a wording that the question asks for. A heading with them is not enough.
    pub matches: Vec<bool>,
    /// The clauses that are asked for, as the model of clauses finds them in the passage, in characters.
    pub clauses: Vec<Range<usize>>,
}

impl Worth {
    /// A word counts less if more sentences have it. A sentence in the wording of a requested clause counts as much as all words of the
    /// question.
    pub fn of(question: &Question, chars: &[char], sentences: &[Sentence]) -> Self {
        let Question { terms, answers, clauses, .. } = question;
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
        let chosen = chosen(chars, clauses);
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
            let spaced = single_spaced(&text);
            let said = clauses.iter().map(|clause| clause.said(&spaced).0).fold(0.0, f32::max);
            let is_in = |(place, _): &&(Range<usize>, f32)| is_most_of(place, &sentence.range);
            let said = said + chosen.iter().filter(is_in).map(|(_, share)| *share).fold(0.0, f32::max);
            values.push(own + HEADED * headed + answers.unwrap_or_default() + said * whole);
            matches.push(own + said > 0.0);
        }
        let clauses = chosen.into_iter().filter(|(_, share)| *share == CHOSEN).map(|(place, _)| place).collect();
        Self { weights, words, values, matches, clauses }
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

/// The sentences that the model of clauses chooses in a passage for the clauses that are asked for, with their shares.
fn chosen(chars: &[char], asked: &[AskedClause]) -> Vec<(Range<usize>, f32)> {
    let kinds: Vec<Clause> = asked.iter().flat_map(AskedClause::kinds).collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    let text: String = chars.iter().collect();
    let of = |fact: Fact| {
        let is_sure = fact.confidence >= SURE && fact.value != "no";
        (fact.char_start as usize..fact.char_end as usize, if is_sure { CHOSEN } else { DOUBTFUL })
    };
    clauses_in(&text, &kinds).into_iter().map(of).collect()
}

/// True if two places share half of one of them.
fn is_most_of(place: &Range<usize>, sentence: &Range<usize>) -> bool {
    let shared = place.end.min(sentence.end).saturating_sub(place.start.max(sentence.start));
    shared > 0 && 2 * shared >= place.len().min(sentence.len())
}

/// 1 for a phrase in one of `all` passages, almost 0 for one in half of them: a common word in quotes shows little of the intention.
pub(super) fn rarity(places: usize, all: u64) -> f32 {
    let most = ((all as f32 + 1.0) / 1.5).ln();
    (((all as f32 + 1.0) / (places as f32 + 0.5)).ln() / most).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::sentences;

    #[test]
    fn the_sentence_that_the_model_chooses_is_worth_most() {
        let text = "The parties discussed whether consent or an assignment would matter to the agreement at all. \
            Neither party may assign this Agreement or any of its rights hereunder without the prior written consent of the other party. \
            Notices of an assignment of invoices are sent to the address above.";
        let chars: Vec<char> = text.chars().collect();
        let sentences = sentences(text, 0, &[]);
        let worth = Worth::of(&Question::of("Can the agreement be assigned without consent?"), &chars, &sentences);
        let values: Vec<f32> = (0..sentences.len()).map(|n| worth.together(n..n + 1)).collect();
        assert!(values[1] > values[0] && values[1] > values[2], "{values:?}");
    }

    #[test]
    fn places_are_compared_by_half_of_the_shorter() {
        assert!(is_most_of(&(0..10), &(0..100)));
        assert!(is_most_of(&(50..200), &(0..100)));
        assert!(!is_most_of(&(95..200), &(0..100)));
        assert!(!is_most_of(&(100..200), &(0..100)));
    }
}
