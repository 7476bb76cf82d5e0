//! Words of a query that no chunk has, or almost none, and the words that the user probably meant.

use std::cmp::Reverse;
use std::collections::HashMap;

use casetrack_core::Result;

use crate::analysis::{Form, folded, query_analyzer};
use crate::lexicon::{Lexicon, TextField};

/// A word in lower case that is in at most this many chunks is probably a slip there, too, …
const RARE: usize = 2;
/// … if one that resembles it is in at least this many.
const FREQUENT: u64 = 100;
/// Words of a query that are looked at.
const MAX_WORDS: usize = 64;
/// Endings that are mistaken for each other.
const ENDINGS: [(&str, &str); 4] = [("ent", "ant"), ("ence", "ance"), ("ency", "ancy"), ("ible", "able")];

/// A word that no chunk has, or almost none, and the most similar word in the chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    pub word: String,
    pub replacement: String,
    /// True if some chunks have the word, so that it is worth searching for as well.
    pub is_known: bool,
}

struct Similar {
    /// In lower case and without accents.
    word: String,
    distance: u8,
    chunks: u64,
}

/// Corrections for the words of a text that no chunk has, or only two chunks if many have a similar word. Words of 4–7 letters may differ by
/// one edit, longer ones by two. Words are compared as they are written, except for case and accents. Numbers, identifiers and abbreviations
/// are left as they are. Takes microseconds if all words are known, else milliseconds each.
pub fn corrections(lexicon: &dyn Lexicon, text: &str) -> Result<Vec<Correction>> {
    let mut corrections: Vec<Correction> = Vec::new();
    for (word, term) in correctable(text).into_iter().take(MAX_WORDS) {
        let allowed = match word.chars().count() {
            0..=3 => continue,
            4..=7 => 1,
            _ => 2,
        };
        if corrections.iter().any(|known| known.word == word) {
            continue;
        }
        let known = known_forms(lexicon, &word)?;
        let is_known = !known.is_empty();
        let replacement = match is_known {
            true => match other_spelling(lexicon, &word)? {
                Some(replacement) => {
                    corrections.push(Correction { word, replacement, is_known: false });
                    continue;
                }
                None if text.contains(&word) && are_rare(lexicon, &known)? => {
                    similar_to(lexicon, &word, allowed, |similar| {
                        similar.chunks >= FREQUENT && term_of(&similar.word) != term
                    })?
                }
                None => None,
            },
            false => match (similar_to(lexicon, &word, allowed, |_| true)?, word.strip_suffix('s')) {
                // A short plural may have only its singular in the texts.
                (None, Some(singular)) if allowed == 1 => similar_to(lexicon, singular, allowed, |_| true)?,
                (found, _) => found,
            },
        };
        corrections.extend(replacement.map(|replacement| Correction { word, replacement, is_known }));
    }
    Ok(corrections)
}

/// The word that most resembles another one, among those that chunks have and that `admits` lets through.
fn similar_to(
    lexicon: &dyn Lexicon,
    word: &str,
    edits: u8,
    admits: impl Fn(&Similar) -> bool,
) -> Result<Option<String>> {
    for Similar { word, .. } in similar(lexicon, word, edits)?.into_iter().filter(admits) {
        // Deleted chunks are counted until they are cleared away.
        if has_word(lexicon, &word)? {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// True if few chunks have any of the forms of a word.
fn are_rare(lexicon: &dyn Lexicon, forms: &[String]) -> Result<bool> {
    let mut chunks = 0;
    for form in forms {
        chunks += lexicon.slots(TextField::Text, form, RARE + 1)?.len();
    }
    Ok(chunks <= RARE)
}

/// The word with the other one of two endings that are mistaken for each other, if the chunks only write it so. Terms
/// have no endings, so keyword search finds both spellings; the models cover only one of them.
fn other_spelling(lexicon: &dyn Lexicon, word: &str) -> Result<Option<String>> {
    let Some(other) = other_ending(word) else { return Ok(None) };
    // Also in the plural.
    let has = |word: &str| Ok(has_word(lexicon, word)? || has_word(lexicon, &format!("{word}s"))?);
    Ok((!has(word)? && has(&other)?).then_some(other))
}

/// The word with the ending that its own is mistaken for.
fn other_ending(word: &str) -> Option<String> {
    let pairs = ENDINGS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
    let (stem, other) = pairs.filter_map(|(own, other)| Some((word.strip_suffix(own)?, other))).next()?;
    // "-ment" is an ending of its own.
    (stem.chars().count() >= 4 && !stem.ends_with('m')).then(|| format!("{stem}{other}"))
}

/// The forms of a word that chunks have, in their texts or contexts.
fn known_forms(lexicon: &dyn Lexicon, word: &str) -> Result<Vec<String>> {
    let mut forms = forms_of(lexicon.forms()?, word);
    for analysis in lexicon.analyses()?.into_iter().filter(|analysis| analysis.divides_compounds()) {
        let mark = analysis.marked("");
        let parts = forms.iter().filter_map(|form| form.strip_prefix(&mark)).map(|term| analysis.part_term(term));
        let parts: Vec<String> = parts.collect();
        forms.extend(parts);
    }
    let terms: Vec<&str> = forms.iter().map(String::as_str).collect();
    let text = lexicon.frequencies(TextField::Text, &terms)?;
    let context = lexicon.frequencies(TextField::Context, &terms)?;
    let mut chunks = text.into_iter().zip(context).map(|(text, context)| text + context);
    forms.retain(|_| chunks.next() > Some(0));
    Ok(forms)
}

/// True if the text of a chunk has a word as it is written, except for case and accents.
fn has_word(lexicon: &dyn Lexicon, word: &str) -> Result<bool> {
    Ok(!lexicon.slots(TextField::Exact, &folded(word), 1)?.is_empty())
}

/// Other words of the texts within `edits` (at most 2) of a word in lower case: nearest first, equal ones by frequency.
/// Looks at a part of the dictionary only (Levenshtein automaton, Schulz & Mihov 2002).
fn similar(lexicon: &dyn Lexicon, word: &str, edits: u8) -> Result<Vec<Similar>> {
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
    // A word with an umlaut is there in two spellings.
    let lengths = |other: &Similar| other.word.len().abs_diff(word.len());
    found.sort_by(|a, b| {
        let key = |one: &Similar| (one.distance, Reverse(one.chunks), lengths(one));
        key(a).cmp(&key(b)).then_with(|| a.word.cmp(&b.word))
    });
    Ok(found)
}

fn term_of(word: &str) -> String {
    let mut term = String::new();
    query_analyzer().token_stream(word).process(&mut |token| term.clone_from(&token.text));
    term
}

/// The words of a text as (lower-case word, its term), without numbers, identifiers, abbreviations in capitals, and
/// words of scripts without letters: these mean something only if they are right.
fn correctable(text: &str) -> Vec<(String, String)> {
    let mut analyzer = query_analyzer();
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

/// The forms that one word can have in the index, each once.
fn forms_of(forms: Vec<Form>, word: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for mut form in forms.into_iter().filter(|form| form.differs(word)) {
        if let Some(token) = form.terms(word).pop()
            && !terms.contains(&token.text)
        {
            terms.push(token.text);
        }
    }
    terms
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
