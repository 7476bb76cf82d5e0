//! The words of a phrase, among them words with a wildcard, as terms of the index.

use casetrack_core::same_text::{Plain, SOFT_HYPHEN, continues};
use casetrack_keyword::Form;

/// The match for one word of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A term of the field `text`, and how many positions it takes: more than one for "4.2(b)", whose pieces have positions of their own.
    Term { term: String, width: u32 },
    /// Any term of the field `exact` that matches.
    Pattern(Pattern),
    /// No term: a word that is too long to be indexed.
    Never,
}

impl Slot {
    pub fn spans(&self, positions: &[u32]) -> Vec<(u32, u32)> {
        positions.iter().map(|&at| (at, at.saturating_add(self.width()))).collect()
    }

    fn width(&self) -> u32 {
        match self {
            Slot::Term { width, .. } => *width,
            Slot::Pattern(_) | Slot::Never => 1,
        }
    }
}

/// A word in which each `*` stands for any characters or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The parts around the wildcards, in the order of the word: at least two.
    parts: Vec<String>,
}

impl Pattern {
    fn of(word: &str, form: &Form) -> Self {
        Self { parts: word.split('*').map(|part| form.folded(part)).collect() }
    }

    /// The text that every match begins with.
    pub fn prefix(&self) -> &str {
        self.parts.first().map_or("", String::as_str)
    }

    pub fn matches(&self, term: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else { return false };
        let Some(mut rest) = term.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str())) else {
            return false;
        };
        for part in middle {
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        true
    }
}

/// The words of a phrase in order, in one of the forms that words have in the index; empty if it has none.
pub(super) fn slots(phrase: &str, form: &mut Form) -> Vec<Slot> {
    let plain = Plain::of(phrase);
    let mut found = Vec::new();
    for word in plain.text().split_whitespace() {
        if !word.contains('*') {
            found.extend(terms(form, word));
            continue;
        }
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '*' | '\'' | SOFT_HYPHEN) || continues(c);
        // A word with a digit is one term with its joints, as in the index.
        if word.contains(|c: char| c.is_numeric()) {
            found.push(Slot::Pattern(Pattern::of(word.trim_matches(|c: char| !is_of_word(c)), form)));
            continue;
        }
        for piece in word.split(|c: char| !is_of_word(c)).filter(|piece| piece.contains(char::is_alphanumeric)) {
            match piece.contains('*') {
                true => found.push(Slot::Pattern(Pattern::of(piece, form))),
                false => found.extend(terms(form, piece)),
            }
        }
    }
    found
}

/// The terms of a word. One that covers those after it stands for them.
fn terms(form: &mut Form, word: &str) -> Vec<Slot> {
    let tokens = form.terms(word);
    if tokens.is_empty() && word.contains(char::is_alphanumeric) {
        return vec![Slot::Never];
    }
    let mut found = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let mut last = token.position;
        while let Some(part) = tokens.next_if(|part| part.offset_to <= token.offset_to) {
            last = part.position;
        }
        let width = u32::try_from(last - token.position + 1).unwrap_or(u32::MAX);
        found.push(Slot::Term { term: token.text, width });
    }
    found
}

#[cfg(test)]
mod tests {
    use casetrack_keyword::Analysis;
    use proptest::prelude::*;

    use super::*;

    fn slots(phrase: &str) -> Vec<Slot> {
        super::slots(phrase, &mut Analysis::Usual.forms()[0])
    }

    fn pattern(word: &str) -> Pattern {
        Pattern::of(word, &Analysis::Usual.forms()[0])
    }

    #[test]
    fn phrases_become_terms_with_their_widths() {
        let term = |term: &str, width| Slot::Term { term: term.to_owned(), width };
        assert_eq!(slots("Payments under 4.2(b)"), [term("payment", 1), term("under", 1), term("4.2(b)", 3)]);
        assert_eq!(slots("well-known INV-2023"), [term("well", 1), term("known", 1), term("inv-2023", 2)]);
        assert_eq!(slots("non-compet*"), [term("non", 1), Slot::Pattern(pattern("compet*"))]);
        assert_eq!(slots("(INV-2023*)"), [Slot::Pattern(pattern("INV-2023*"))]);
        assert_eq!(slots(&"x".repeat(300)), [Slot::Never]);
        assert_eq!(slots(" — & "), []);
    }

    #[test]
    fn patterns_match_whole_words() {
        for (pattern, term, expected) in [
            ("terminat*", "termination", true),
            ("TERMINAT*", "terminat", true),
            ("terminat*", "termin", false),
            ("wom*n", "woman", true),
            ("wom*n", "womanly", false),
            ("re*is*ion", "revision", true),
            ("ab*ba", "aba", false),
            ("Caf*s", "cafes", true),
            ("Café*", "cafes", true),
            ("Cafe\u{301}*", "cafes", true),
            ("ﬁxt*", "fixtures", true),
        ] {
            assert_eq!(super::tests::pattern(pattern).matches(term), expected, "{pattern} {term}");
        }
    }

    proptest! {
        #[test]
        fn any_phrase_gives_slots(phrase in "[a1é*'.,()/_\\- 合]{0,30}") {
            slots(&phrase);
        }
    }
}
