//! What words a chunk must and must not have, and what was probably meant by words that no chunk has.

use std::cmp::Reverse;
use std::collections::HashMap;

use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, EnableScoring, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::Token;
use tantivy::{Searcher, Term};

use super::Bm25Index;
use super::languages::forms_of;
use super::lexicon::{Lexicon, Searched, TextField};
use crate::analysis::languages::Form;
use crate::analysis::{analyzer, folded};

/// Words and phrases that the texts of chunks must have, all of them, or must not have, any of them. A phrase is several words
/// one after the other. Words are compared as in keyword search: without case, accents and endings. Headings that are
/// only embedded with a chunk do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordConditions {
    pub required: Vec<String>,
    pub excluded: Vec<String>,
}

impl WordConditions {
    pub fn is_empty(&self) -> bool {
        self.required.is_empty() && self.excluded.is_empty()
    }
}

/// A word of the texts that resembles another one.
pub(crate) struct Similar {
    /// In lower case and without accents.
    pub word: String,
    /// Edits between the two.
    pub distance: u8,
    /// Chunks that have it.
    pub chunks: u64,
}

impl Bm25Index {
    /// The slots of the chunks that fulfil the conditions, in ascending order.
    pub fn matching(&self, conditions: &WordConditions) -> casetrack_core::Result<Vec<u64>> {
        self.commit_pending()?;
        let searcher = self.reader.searcher();
        let mut clauses = self.conditions(&searcher, conditions).map_err(|error| self.error(error))?;
        if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            clauses.push((Occur::Must, Box::new(AllQuery)));
        }
        self.slots_of(&searcher, &BooleanQuery::new(clauses), usize::MAX).map_err(|error| self.error(error))
    }

    /// The conditions as clauses of a query. They add nothing to a score.
    pub(super) fn conditions(
        &self,
        searcher: &Searcher,
        conditions: &WordConditions,
    ) -> tantivy::Result<Vec<(Occur, Box<dyn Query>)>> {
        let forms = &mut Searched { index: self, searcher }.forms()?;
        let required = conditions.required.iter().map(|words| {
            // A word too long to be indexed is in no chunk.
            (Occur::Must, self.phrase(forms, words).unwrap_or_else(|| Box::new(EmptyQuery)))
        });
        let required: Vec<_> = required.collect();
        let excluded =
            conditions.excluded.iter().filter_map(|words| Some((Occur::MustNot, self.phrase(forms, words)?)));
        Ok(required.into_iter().chain(excluded).collect())
    }

    /// The words one after the other, in any of the forms that they have in the index; `None` where there is no word.
    fn phrase(&self, forms: &mut [Form], words: &str) -> Option<Box<dyn Query>> {
        let mut phrases: Vec<Vec<(usize, Term)>> = Vec::new();
        for form in forms {
            let term = |token: Token| (token.position, Term::from_field_text(self.fields.text, &token.text));
            let terms: Vec<_> = form.terms(words).into_iter().map(term).collect();
            if !terms.is_empty() && !phrases.contains(&terms) {
                phrases.push(terms);
            }
        }
        let mut phrases = phrases.into_iter().map(|mut terms| match terms.pop() {
            Some((_, term)) if terms.is_empty() => {
                Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Query>
            }
            last => Box::new(PhraseQuery::new_with_offset(terms.into_iter().chain(last).collect())),
        });
        let first = phrases.next()?;
        let others: Vec<_> = phrases.map(|phrase| (Occur::Should, phrase)).collect();
        if others.is_empty() {
            return Some(first);
        }
        Some(Box::new(BooleanQuery::new([(Occur::Should, first)].into_iter().chain(others).collect())))
    }

    /// At most `most` slots of live chunks that a query finds, ascending.
    pub(super) fn slots_of(&self, searcher: &Searcher, query: &dyn Query, most: usize) -> tantivy::Result<Vec<u64>> {
        let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let mut found = Vec::new();
        for segment in searcher.segment_readers() {
            if found.len() >= most {
                break;
            }
            let slots = segment.fast_fields().u64("slot")?;
            let alive = segment.alive_bitset();
            weight.for_each_no_score(segment, &mut |docs| {
                let live = docs.iter().filter(|&&doc| alive.is_none_or(|alive| alive.is_alive(doc)));
                let wanted = most - found.len();
                found.extend(live.filter_map(|&doc| slots.first(doc)).take(wanted));
            })?;
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The answer of a question about terms.
    pub fn about_terms<T>(&self, ask: impl Fn(&Searched<'_>) -> tantivy::Result<T>) -> casetrack_core::Result<T> {
        self.commit_pending()?;
        let searcher = self.reader.searcher();
        ask(&Searched { index: self, searcher: &searcher }).map_err(|error| self.error(error))
    }
}

/// The forms of a word that chunks have, in their texts or contexts.
pub(crate) fn known_forms<L: Lexicon>(lexicon: &L, word: &str) -> Result<Vec<String>, L::Error> {
    let mut forms = forms_of(lexicon.forms()?, word);
    let terms: Vec<&str> = forms.iter().map(String::as_str).collect();
    let text = lexicon.frequencies(TextField::Text, &terms)?;
    let context = lexicon.frequencies(TextField::Context, &terms)?;
    let mut chunks = text.into_iter().zip(context).map(|(text, context)| text + context);
    forms.retain(|_| chunks.next() > Some(0));
    Ok(forms)
}

/// Whether the text of a chunk has a word as it is written, but for case and accents.
pub(crate) fn has_word<L: Lexicon>(lexicon: &L, word: &str) -> Result<bool, L::Error> {
    Ok(!lexicon.slots(TextField::Exact, &folded(word), 1)?.is_empty())
}

/// Other words of the texts within `edits` (at most 2) of a word in lower case: nearest first, equal ones by frequency. Looks at a part
/// of the dictionary only (Levenshtein automaton, Schulz & Mihov 2002).
pub(crate) fn similar<L: Lexicon>(lexicon: &L, word: &str, edits: u8) -> Result<Vec<Similar>, L::Error> {
    let word = folded(word);
    let mut found: HashMap<String, Similar> = HashMap::new();
    for distance in 1..=edits {
        for (similar, chunks) in lexicon.near(&word, distance)? {
            if similar == word || !similar.chars().all(char::is_alphabetic) {
                continue;
            }
            let unseen = || Similar { word: similar.clone(), distance, chunks: 0 };
            let entry = found.entry(similar.clone()).or_insert_with(unseen);
            // Those of a smaller distance have been counted.
            if entry.distance == distance {
                entry.chunks += chunks;
            }
        }
    }
    let mut found: Vec<Similar> = found.into_values().collect();
    found.sort_by(|a, b| {
        (a.distance, Reverse(a.chunks)).cmp(&(b.distance, Reverse(b.chunks))).then_with(|| a.word.cmp(&b.word))
    });
    Ok(found)
}

/// The term of a word.
pub(crate) fn term_of(word: &str) -> String {
    let mut term = String::new();
    analyzer().token_stream(word).process(&mut |token| term.clone_from(&token.text));
    term
}

/// The words of a text as (lower-case word, its term), without those that must be right to mean anything: numbers,
/// identifiers, abbreviations in capitals, and those of scripts without letters.
pub(crate) fn correctable(text: &str) -> Vec<(String, String)> {
    let mut analyzer = analyzer();
    let mut words = Vec::new();
    let mut stream = analyzer.token_stream(text);
    while stream.advance() {
        let token = stream.token();
        let Some(written) = text.get(token.offset_from..token.offset_to) else { continue };
        let before = text[..token.offset_from].rsplit(char::is_whitespace).next().unwrap_or_default();
        let after = text[token.offset_to..].split(char::is_whitespace).next().unwrap_or_default();
        let is_code = |around: &str| around.contains(|c: char| c.is_numeric() || matches!(c, '@' | '_' | ':'));
        let letters = written.chars().all(|c| c.is_lowercase() || c.is_uppercase());
        if letters && !is_code(before) && !is_code(after) && !written.chars().skip(1).any(char::is_uppercase) {
            words.push((written.to_lowercase(), token.text.clone()));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_identifiers_and_abbreviations_are_left_as_they_are() {
        let words: Vec<String> = correctable("Liabilty of ACME under INV-2023-0042, mRNA x@y.org 4.2(b) 合同 at last.")
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(words, ["liabilty", "of", "under", "at", "last"]);
    }
}
