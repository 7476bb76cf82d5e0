//! How much of what a question says stands close together in a text.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use casetrack_core::Result;

use tantivy::tokenizer::TextAnalyzer;

use super::Collection;
use crate::analysis::{analyzer, exact_analyzer};

/// The words of a text among which those of a question are looked for, about a sentence.
const WINDOW: usize = 25;
/// The weight of a word is its inverse document frequency to this power: a rare word says more than several common ones.
const POWER: f32 = 1.5;
/// A text that has this many of a question's heaviest words says all of it.
const ENOUGH: usize = 8;
/// Words that questions are made of.
const EMPTY: &str = "a about according all an and any are as at be by can contract agreement could do does each either for from has have if \
     in into is it its made may might must no not of on one or other party parties per shall should such than that the their them there \
     these this those to under upon was what when where whether which while who will with within without would you your includes \
     including also include contain document documents";

static EMPTY_TERMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut terms = HashSet::new();
    analyzer().token_stream(EMPTY).process(&mut |token| {
        terms.insert(token.text.clone());
    });
    terms
});

/// The words of a question, with what each of them says.
#[derive(Debug, Clone, Default)]
pub struct Telling {
    /// By term.
    weights: HashMap<String, f32>,
    /// What a text can have at most.
    whole: f32,
}

impl Collection {
    /// Weighs the words of a question by how rare they are among the chunks. Looks each of them up.
    pub fn telling(&self, question: &str) -> Result<Telling> {
        let (chunks, terms) = self.ask(&self.indexes.bm25, |index| index.frequencies(question))?;
        let weight = |with: u64| ((chunks as f32 + 1.0) / (with as f32 + 0.5)).ln().max(0.0).powf(POWER);
        let weights = terms.into_iter().filter(|(term, _)| !EMPTY_TERMS.contains(term));
        let weights: HashMap<String, f32> = weights.map(|(term, with)| (term, weight(with))).collect();
        let mut heaviest: Vec<f32> = weights.values().copied().collect();
        heaviest.sort_by(|a, b| b.total_cmp(a));
        Ok(Telling { weights, whole: heaviest.into_iter().take(ENOUGH).sum() })
    }
}

/// Looks for the words of a question in one text after another. Words are stemmed once, which is most of the cost of a text.
pub struct TellingReader<'t> {
    telling: &'t Telling,
    written: TextAnalyzer,
    stems: TextAnalyzer,
    /// The term of the question that each word met so far stands for.
    known: HashMap<String, Option<&'t str>>,
}

impl Telling {
    pub fn reader(&self) -> TellingReader<'_> {
        TellingReader { telling: self, written: exact_analyzer(), stems: analyzer(), known: HashMap::new() }
    }

    /// The term of the question that a word stands for.
    fn term(&self, stems: &mut TextAnalyzer, word: &str) -> Option<&str> {
        let mut stem = stems.token_stream(word);
        let stem = stem.advance().then(|| &stem.token().text)?;
        self.weights.get_key_value(stem).map(|(term, _)| term.as_str())
    }
}

impl TellingReader<'_> {
    /// The greatest share (0–1) of what the question says that stands within 25 words of a text, and the bytes of these words.
    pub fn densest(&mut self, text: &str) -> (f32, Range<usize>) {
        let Self { telling, written, stems, known } = self;
        let mut matches: Vec<(usize, &str, Range<usize>)> = Vec::new();
        written.token_stream(text).process(&mut |token| {
            let term = match known.get(&token.text) {
                Some(term) => *term,
                None => *known.entry(token.text.clone()).or_insert_with(|| telling.term(stems, &token.text)),
            };
            if let Some(term) = term {
                matches.push((token.position, term, token.offset_from..token.offset_to));
            }
        });
        let mut best = (0.0, 0..0);
        for (n, (first, _, from)) in matches.iter().enumerate() {
            let mut seen: Vec<&str> = Vec::new();
            let (mut sum, mut end) = (0.0, from.end);
            for (_, term, place) in matches[n..].iter().take_while(|(position, ..)| position - first <= WINDOW) {
                if !seen.contains(term) {
                    seen.push(term);
                    sum += telling.weights.get(*term).copied().unwrap_or_default();
                    end = place.end;
                }
            }
            if sum > best.0 {
                best = (sum, from.start..end);
            }
        }
        (if telling.whole > 0.0 { (best.0 / telling.whole).min(1.0) } else { 0.0 }, best.1)
    }
}
