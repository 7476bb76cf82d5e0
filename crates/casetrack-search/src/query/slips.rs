//! Typing errors in a query.
//!
//! A word that no passage has may be a typing error, or a word that the documents do not use: "lease" is not an error for "least". The models cover
//! its meaning, so it is replaced only if nothing shows that it is right.

use casetrack_core::Result;
use casetrack_embed::Embedder;
use casetrack_store::{Collection, Correction};

use casetrack_host::Host;

/// Endings of one word that its stem does not distinguish, as in "given" and "gives".
const ENDINGS: [&str; 11] = ["", "s", "es", "d", "ed", "n", "en", "ing", "e", "er", "ers"];
/// Letters before an ending.
const STEM: usize = 3;

/// The corrections of a text, except for words in the vocabulary of the collection's model, unless the correction is another form of the word. A
/// multilingual model has only the most frequent words, and languages with endings have many similar ones: there only one edit after the first letter
/// is an error. Without the model, all proposals of keyword search.
pub(super) fn among(host: &Host, collection: &Collection, text: &str) -> Result<Vec<Correction>> {
    let mut corrections = collection.corrections(text)?;
    if corrections.iter().any(|correction| !correction.is_known)
        && let Ok(embedder) = host.embedder_of(collection)
    {
        corrections.retain(|correction| correction.is_known || is_slip(&embedder, text, correction));
    }
    Ok(corrections)
}

/// A word that the model cannot judge counts as an error.
fn is_slip(embedder: &Embedder, text: &str, Correction { word, replacement, .. }: &Correction) -> bool {
    let mut written = text.split(|c: char| !c.is_alphabetic()).filter(|run| run.to_lowercase() == *word);
    let is_right = !is_form(word, replacement) && written.any(|run| embedder.is_word(run).unwrap_or(false));
    !is_right && (!embedder.is_multilingual().unwrap_or(false) || is_one_edit(word, replacement))
}

fn is_form(a: &str, b: &str) -> bool {
    stems(a).any(|stem| stems(b).any(|other| other == stem))
}

fn stems(word: &str) -> impl Iterator<Item = &str> {
    let stems = ENDINGS.iter().filter_map(move |ending| word.strip_suffix(ending));
    stems.filter(|stem| stem.chars().count() >= STEM)
}

/// True if two words begin with the same letter and differ by one missing, added, replaced or exchanged letter.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (mut a, mut b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return false;
    }
    a.drain(..same);
    b.drain(..same);
    while a.last().is_some_and(|last| b.last() == Some(last)) {
        a.pop();
        b.pop();
    }
    a.len().max(b.len()) <= 1 || matches!((&*a, &*b), (&[a1, a2], &[b1, b2]) if (a1, a2) == (b2, b1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_form_of_a_word_is_not_another_word() {
        assert!(is_form("given", "gives") && is_form("ending", "ended") && is_form("leases", "lease"));
        assert!(!is_form("lease", "least") && !is_form("mould", "would") && !is_form("state", "statt"));
    }

    #[test]
    fn one_edit_behind_the_first_letter_is_a_slip() {
        for (a, b) in
            [("mietminderng", "mietminderung"), ("verrtag", "vertrag"), ("vertarg", "vertrag"), ("vertrog", "vertrag")]
        {
            assert!(is_one_edit(a, b) && is_one_edit(b, a), "{a}");
        }
        for (a, b) in
            [("behandeln", "handeln"), ("söhne", "ohne"), ("verbrechen", "versprechen"), ("ovtertrag", "vertrag")]
        {
            assert!(!is_one_edit(a, b) && !is_one_edit(b, a), "{a}");
        }
    }
}
