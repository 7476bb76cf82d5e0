//! Words of English texts and their forms.

use std::collections::HashSet;
use std::ops::Range;

use casetrack_core::same_text;

/// Words that do not distinguish sentences.
const FUNCTION_WORDS: [&str; 58] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "for", "from",
    "has", "have", "how", "if", "in", "into", "is", "it", "its", "may", "must", "of", "on", "or", "shall", "should",
    "so", "such", "than", "that", "the", "their", "there", "these", "they", "this", "those", "to", "upon", "was",
    "were", "what", "when", "where", "whether", "which", "who", "why", "will", "with", "would",
];
/// Endings of English words; the first that fits is taken off.
const ENDINGS: [&str; 13] =
    ["ations", "ation", "ments", "ment", "ions", "ings", "ion", "ing", "ors", "ed", "es", "or", "s"];

/// The words of a text that are forms of the words of a query, as byte ranges. Function words are left out if the query has others.
pub fn matched(query: &str, text: &str) -> Vec<Range<usize>> {
    let terms = terms(query);
    let (mut bytes, mut chars): (Vec<usize>, Vec<char>) = text.char_indices().unzip();
    bytes.push(text.len());
    chars.push(' ');
    let forms = words(&chars).filter(|(_, word)| terms.contains(&stem(word)));
    forms
        .filter_map(|(start, _)| {
            let length = chars[start..].iter().position(|c| !is_of_word(*c))?;
            Some(*bytes.get(start)?..*bytes.get(start + length)?)
        })
        .collect()
}

/// The stems of the words of a query, without function words if it has others.
pub(crate) fn terms(query: &str) -> HashSet<String> {
    let (function, content): (Vec<String>, Vec<String>) = words(&query.chars().collect::<Vec<_>>())
        .map(|(_, word)| word)
        .partition(|word| FUNCTION_WORDS.contains(&word.as_str()));
    let kept = if content.is_empty() { function } else { content };
    kept.iter().map(|word| stem(word)).collect()
}

/// True for a word in lower case that does not distinguish sentences.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// True for a character of a word, in any form of its text.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == same_text::SOFT_HYPHEN || same_text::continues(c)
}

/// Alphanumeric runs without case and accents, with their place.
pub(crate) fn words(chars: &[char]) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while chars.get(at).is_some_and(|c| !c.is_alphanumeric()) {
            at += 1;
        }
        let start = at;
        while chars.get(at).is_some_and(|c| is_of_word(*c)) {
            at += 1;
        }
        (at > start).then(|| {
            let mut word = same_text::unaccented(&chars[start..at].iter().collect::<String>());
            // The mark of a footnote, as the index leaves it out.
            word.truncate(word.trim_end_matches(same_text::is_raised).len());
            (start, word)
        })
    })
}

/// Enough stemming to match "payment" with "payments", "amended" with "amendment" and "deleted" with "deleting": the first six letters, without an
/// ending and an e.
pub(crate) fn stem(word: &str) -> String {
    const LETTERS: usize = 6;
    const LEFT: usize = 3;
    let without = |ending: &str| word.strip_suffix(ending).filter(|left| left.len() >= LEFT);
    let stem = ENDINGS.iter().find_map(|ending| without(ending)).unwrap_or(word);
    let stem = stem.strip_suffix('e').filter(|left| left.len() >= LEFT).unwrap_or(stem);
    stem.chars().take(LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_the_words_of_a_query_are_found_in_a_text() {
        let text = "Für späte Payments gilt: late-payment interest, of 5 %.";
        let found: Vec<&str> =
            matched("interest of a late payment", text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["Payments", "late", "payment", "interest"]);
        assert!(matched("", text).is_empty());
        assert_eq!(matched("tenant", "The Tenant² pays").len(), 1);
        assert_eq!(matched("interest", "interest").first().map(|range| range.end), Some(8));
    }

    #[test]
    fn forms_of_one_word_are_the_same() {
        for (one, other) in [("amended", "amendment"), ("deleted", "deleting"), ("payments", "pay"), ("terms", "term")]
        {
            assert_eq!(stem(one), stem(other));
        }
        for (one, other) in [("amended", "amount"), ("contract", "control"), ("bed", "be")] {
            assert_ne!(stem(one), stem(other));
        }
    }
}
