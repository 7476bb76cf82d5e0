//! The share of a question's words, weighed by their rarity, that is close together in a text.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use casetrack_core::Result;
use casetrack_core::same_text::{self, Plain, SOFT_HYPHEN};
use tantivy::tokenizer::TextAnalyzer;

use crate::analysis::{Analysis, Divider, Form, exact_query_analyzer, query_analyzer};
use crate::lexicon::Lexicon;
use crate::query::{TermFrequencies, frequencies};

/// The words of a text among which those of a question are looked for, about a sentence.
const WINDOW: usize = 25;
/// The weight of a word is its inverse document frequency to this power: a rare word counts more than several common ones.
const POWER: f32 = 1.5;
/// A text that has this many of a question's heaviest words has all of it.
const ENOUGH: usize = 8;
/// Words that questions are made of.
const EMPTY: &str = "a about according all an and any are as at be by can contract agreement could do does each either for from has have if \
     in into is it its made may might must no not of on one or other party parties per shall should such than that the their them there \
     these this those to under upon was what when where whether which while who will with within without would you your includes \
     including also include contain document documents applies apply applicable";

static EMPTY_TERMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut terms = HashSet::new();
    query_analyzer().token_stream(EMPTY).process(&mut |token| {
        terms.insert(token.text.clone());
    });
    terms
});

/// The words of a question with the weight of each, in each language of the documents.
#[derive(Debug, Clone, Default)]
pub struct TermWeights {
    /// English first.
    by_language: Vec<(Analysis, Words)>,
}

#[derive(Debug, Clone, Default)]
struct Words {
    weights: HashMap<String, f32>,
    /// The highest sum of weights that a text can have.
    whole: f32,
    /// The ASCII letters with which its terms begin, if they consist of letters only: a stem begins as its word does.
    /// Otherwise, the whole analysis, with its rules for numbers and signs, reads the texts.
    initials: Option<[bool; 26]>,
}

impl TermWeights {
    /// Weighs the words of a question by how rare they are among the chunks. Looks each of them up.
    pub fn of(lexicon: &dyn Lexicon, question: &str) -> Result<Self> {
        let (chunks, all) = frequencies(lexicon, question)?;
        Ok(Self::weighed(chunks, all))
    }

    /// The weights of terms, each of which some of `chunks` have.
    fn weighed(chunks: u64, all: Vec<TermFrequencies>) -> Self {
        let weight = |with: u64| ((chunks as f32 + 1.0) / (with as f32 + 0.5)).ln().max(0.0).powf(POWER);
        let words = |terms: Vec<(String, u64)>, is_empty: &dyn Fn(&str) -> bool| {
            let weights = terms.into_iter().filter(|(term, _)| !is_empty(term));
            let weights: HashMap<String, f32> = weights.map(|(term, with)| (term, weight(with))).collect();
            let mut heaviest: Vec<f32> = weights.values().copied().collect();
            heaviest.sort_by(|a, b| b.total_cmp(a));
            let initials = initials(weights.keys());
            Words { weights, whole: heaviest.into_iter().take(ENOUGH).sum(), initials }
        };
        let by_language = all.into_iter().map(|own| {
            let is_usual = own.analysis == Analysis::Usual;
            let mut words = words(own.terms, &|term| is_usual && EMPTY_TERMS.contains(term));
            // A part of a compound may begin with any letter.
            words.initials = words.initials.filter(|_| !own.analysis.divides_compounds());
            (own.analysis, words)
        });
        Self { by_language: by_language.collect() }
    }
}

/// The letters that terms begin with, if all consist of ASCII letters.
fn initials<'t>(terms: impl Iterator<Item = &'t String>) -> Option<[bool; 26]> {
    let mut initials = [false; 26];
    for term in terms {
        let first = term.bytes().next().filter(|_| term.bytes().all(|byte| byte.is_ascii_lowercase()))?;
        *initials.get_mut(usize::from(first - b'a'))? = true;
    }
    Some(initials)
}

/// The words of a text that may have a stem which begins with one of these letters, with their position among all words
/// and their bytes. An apostrophe inside a word belongs to it, as in the analysis.
fn words_with<'t>(text: &'t str, initials: &[bool; 26]) -> impl Iterator<Item = (usize, Range<usize>, &'t str)> {
    let may_begin = |first: char| match u8::try_from(first.to_ascii_lowercase()) {
        Ok(letter @ b'a'..=b'z') => initials.get(usize::from(letter - b'a')).copied().unwrap_or_default(),
        _ => !first.is_ascii(),
    };
    let pieces =
        text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | SOFT_HYPHEN) && !same_text::continues(c));
    let words = pieces.map(|piece| piece.trim_matches(['\'', SOFT_HYPHEN])).filter(|word| !word.is_empty()).enumerate();
    words.filter(move |(_, word)| word.starts_with(may_begin)).map(|(position, word)| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (position, start..start + word.len(), word)
    })
}

/// Looks for the words of a question in one text after another.
pub struct DensityReader<'t> {
    by_language: Vec<(Analysis, WordsReader<'t>)>,
}

/// The same in texts of one language. Words are stemmed once, which is most of the cost of a text.
struct WordsReader<'t> {
    words: &'t Words,
    written: TextAnalyzer,
    stems: TextAnalyzer,
    divider: Option<Divider>,
    /// The term of the question that each word met so far stands for.
    known: HashMap<String, Option<&'t str>>,
}

impl TermWeights {
    pub fn reader(&self) -> DensityReader<'_> {
        let by_language = self.by_language.iter().map(|(analysis, words)| (*analysis, words.reader(*analysis)));
        DensityReader { by_language: by_language.collect() }
    }
}

impl Words {
    fn reader(&self, analysis: Analysis) -> WordsReader<'_> {
        let stems = analysis.forms().into_iter().next().map_or_else(query_analyzer, Form::into_analyzer);
        let divider = analysis.divider();
        WordsReader { words: self, written: exact_query_analyzer(), stems, divider, known: HashMap::new() }
    }

    /// The term of the question that a word, or a part of it, represents.
    fn term(&self, stems: &mut TextAnalyzer, divider: Option<&mut Divider>, word: &str) -> Option<&str> {
        let known = |stem: &String| self.weights.get_key_value(stem).map(|(term, _)| term.as_str());
        let mut stem = stems.token_stream(word);
        let whole = stem.advance().then(|| known(&stem.token().text)).flatten();
        whole.or_else(|| divider?.parts(word).iter().find_map(known))
    }
}

impl DensityReader<'_> {
    /// The greatest share (0–1) of the question's weight within 25 words of a text, and the bytes of these words.
    /// `language` is the BCP 47 tag of the text's document.
    pub fn densest(&mut self, text: &str, language: Option<&str>) -> (f32, Range<usize>) {
        let analysis = Analysis::of(language);
        let place = self.by_language.iter().position(|(own, _)| *own == analysis).unwrap_or_default();
        let plain = Plain::of(text);
        let (share, place) =
            self.by_language.get_mut(place).map_or((0.0, 0..0), |(_, words)| words.densest(plain.text()));
        (share, plain.source(place))
    }
}

impl WordsReader<'_> {
    fn densest(&mut self, text: &str) -> (f32, Range<usize>) {
        let Self { words, written, stems, divider, known } = self;
        let mut matches: Vec<(usize, &str, Range<usize>)> = Vec::new();
        let mut note = |position: usize, place: Range<usize>, word: &str| {
            let term = match known.get(word) {
                Some(term) => *term,
                None => *known.entry(word.to_owned()).or_insert_with(|| words.term(stems, divider.as_mut(), word)),
            };
            if let Some(term) = term {
                matches.push((position, term, place));
            }
        };
        match &words.initials {
            Some(initials) => {
                words_with(text, initials).for_each(|(position, place, word)| note(position, place, word))
            }
            None => written.token_stream(text).process(&mut |token| {
                note(token.position, token.offset_from..token.offset_to, &token.text);
            }),
        }
        let mut best = (0.0, 0..0);
        for (n, (first, _, from)) in matches.iter().enumerate() {
            let mut seen: Vec<&str> = Vec::new();
            let (mut sum, mut end) = (0.0, from.end);
            for (_, term, place) in matches[n..].iter().take_while(|(position, ..)| position - first <= WINDOW) {
                if !seen.contains(term) {
                    seen.push(term);
                    sum += words.weights.get(*term).copied().unwrap_or_default();
                    end = place.end;
                }
            }
            if sum > best.0 {
                best = (sum, from.start..end);
            }
        }
        (if words.whole > 0.0 { (best.0 / words.whole).min(1.0) } else { 0.0 }, best.1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(terms: &[&str]) -> Words {
        let weights: HashMap<String, f32> =
            terms.iter().zip(1u8..).map(|(term, n)| ((*term).to_owned(), n.into())).collect();
        Words { whole: weights.values().sum(), initials: initials(weights.keys()), weights }
    }

    #[test]
    fn words_of_any_form_are_found_close_together() {
        let text = "Nothing here. Each PARTY's liability — its Liabilities’ cap — is limited.";
        let words = words(&["parti", "liabil", "limit"]);
        let (share, place) = words.reader(Analysis::Usual).densest(text);
        assert_eq!((share, &text[place]), (1.0, "PARTY's liability — its Liabilities’ cap — is limited"));
    }

    #[test]
    fn terms_with_digits_are_read_by_the_whole_analysis() {
        let words = words(&["4.2", "fee"]);
        assert_eq!(
            (words.initials, words.reader(Analysis::Usual).densest("Section 4.2 names the fees.").0),
            (None, 1.0)
        );
    }

    proptest! {
        #[test]
        fn letters_alone_are_found_as_by_the_whole_analysis(text in "((party|Parties|party's|don't|limited|x|é)([ .,;]{1,3}|’ )){0,60}") {
            let quick = words(&["parti", "limit"]);
            let whole = Words { initials: None, ..quick.clone() };
            prop_assert_eq!(quick.reader(Analysis::Usual).densest(&text), whole.reader(Analysis::Usual).densest(&text));
        }
    }
}
